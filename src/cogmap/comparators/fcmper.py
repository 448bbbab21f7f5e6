"""FCMper, the first FCM classifier learned from data: no bias, weights in [-1, 1]."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_boolean, check_choice, check_integer, check_number, param_error
from cogmap.comparators._calibration import best_gain
from cogmap.comparators._decision import DECISION_RULES, DecisionRule
from cogmap.comparators._scoring import Array, TrainedMapClassifier, merge_equal_rows
from cogmap.comparators._search import SOLVERS, check_seconds, search
from cogmap.comparators._unrolled import UnrolledMap
from cogmap.estimators._param_checks import Check
from cogmap.estimators._validation import input_names
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.rewriting import RULES
from cogmap.models.links import class_names
from cogmap.models.model import concept_names


class FCMperClassifier(TrainedMapClassifier):
    """Classical FCM classifier for pattern recognition: inputs and outputs, without a bias.

    Features are scaled to [0, 1] and outputs start at 0. The class is read from the outputs after the last step. The
    weights, in [-1, 1], minimize the squared error of the outputs.

    Parameters
    ----------
    structure : {1, 2, 3}, default=1
        Edges of the map: 1, from inputs to outputs; 2, also among inputs; 3, also among outputs. No concept influences
        itself. Inputs without incoming edges keep their states.
    output : {"one_hot", "single"}, default="one_hot"
        One output per class, with the target 1 for its class and 0 otherwise; or a single output, with equally spaced
        targets from 0 for the first class to 1 for the last.
    reading : {"comd", "argmax", "byt"}, default="comd"
        Decision rule. ``"comd"``, class of minimum distance: the class whose mean outputs on the training rows are
        nearest. ``"argmax"``: the largest output, if there is one per class. ``"byt"``: thresholds on the single
        output, with the fewest errors on the training rows.
    rule : {"kosko", "modified", "rescaled"}, default="kosko"
        Update rule, see `cogmap.maps.rewriting.with_rule`.
    bias : bool, default=False
        Whether outputs, and inputs with incoming edges, have a bias in [-1, 1]. The maps of the literature have none,
        which explains most of their lower accuracy.
    depth : int, default=2
        Number of steps. With structure 1 and Kosko's rule all steps give the same outputs.
    slope : float, default=5.0
        Steepness of the logistic function 1 / (1 + exp(-slope x)).
    solver : {"lbfgs", "rcga", "pso", "de", "cma"}, default="lbfgs"
        ``"lbfgs"`` uses gradients, starting from zero weights. The others are population methods: a real-coded genetic
        algorithm, particle swarm, differential evolution, and CMA-ES, which needs ``cogmap[cma]``.
    max_evaluations : int, default=10000
        Maximum number of loss evaluations.
    max_seconds : float, default=None
        Time limit, after which training returns the best map so far. None: no limit.
    random_state : int, RandomState instance or None, default=None
        Randomness of the population solvers.

    Attributes
    ----------
    map_ : FuzzyCognitiveMap
        The features, then the outputs. ``with_rule(map_, rule)`` runs it.
    reading_ : object
        Decision rule, with ``means`` of the outputs, one row per class, or with ``thresholds``.
    loss_ : float
        Mean squared error of the outputs on the training rows.
    n_evaluations_ : int
        Number of loss evaluations.
    outcome_ : Outcome
        Outcome of training; ``outcome_.sentence`` describes it.
    gain_ : float
        Factor on the scores (outputs, negative squared distances to the means, or negative distances to the intervals)
        before the softmax. It minimizes the log loss on the training rows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    scaling_ : FeatureRange
        ``low`` and ``high`` of each feature, which are scaled to 0 and 1.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if they were strings.

    See Also
    --------
    cogmap.FCMClassifier : Gradient-trained map with biases and hidden concepts; more accurate.

    References
    ----------
    G. A. Papakostas, Y. S. Boutalis, D. E. Koulouriotis, B. G. Mertzios, Fuzzy cognitive maps for pattern recognition
    applications, International Journal of Pattern Recognition and Artificial Intelligence 22 (2008), 1461-1486.

    W. Froelich, Towards improving the efficiency of the fuzzy cognitive map classifier, Neurocomputing 232 (2017),
    83-93.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from cogmap.comparators import FCMperClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fcmper = FCMperClassifier().fit(X[::2], y[::2])
    >>> fcmper.score(X[1::2], y[1::2]) > 0.9
    True
    >>> fcmper.map_.concepts[-1]
    'class=2'
    """

    _checks: ClassVar[dict[str, Check]] = {
        "structure": lambda owner, name, value: check_integer(owner, name, value, low=1, high=3),
        "output": lambda owner, name, value: check_choice(owner, name, value, ["one_hot", "single"]),
        "reading": lambda owner, name, value: check_choice(owner, name, value, list(DECISION_RULES)),
        "rule": lambda owner, name, value: check_choice(owner, name, value, list(RULES)),
        "bias": check_boolean,
        "depth": lambda owner, name, value: check_integer(owner, name, value, low=1, high=10_000),
        "slope": lambda owner, name, value: check_number(owner, name, value, low=0, high=1e6, low_included=False),
        "solver": lambda owner, name, value: check_choice(owner, name, value, list(SOLVERS)),
        "max_evaluations": lambda owner, name, value: check_integer(owner, name, value, low=1),
        "max_seconds": check_seconds,
    }

    # Set in fit.
    loss_: float
    n_evaluations_: int
    reading_: DecisionRule

    def __init__(
        self,
        structure: int = 1,
        output: str = "one_hot",
        reading: str = "comd",
        rule: str = "kosko",
        bias: bool = False,
        depth: int = 2,
        slope: float = 5.0,
        solver: str = "lbfgs",
        max_evaluations: int = 10_000,
        max_seconds: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.structure = structure
        self.output = output
        self.reading = reading
        self.rule = rule
        self.bias = bias
        self.depth = depth
        self.slope = slope
        self.solver = solver
        self.max_evaluations = max_evaluations
        self.max_seconds = max_seconds
        self.random_state = random_state

    def _check_together(self) -> None:
        if self.reading == "argmax" and self.output == "single":
            raise param_error(self._owner, "reading", "'comd' or 'byt' with output='single'", "argmax")
        if self.reading == "byt" and self.output == "one_hot":
            cure = "Thresholds need a single output."
            raise param_error(self._owner, "reading", "'comd' or 'argmax' with output='one_hot'", "byt", cure)

    def _peak_size(self, n_rows: int, n_features: int) -> float:
        n_concepts = n_features + len(self.classes_)
        n_weights = n_concepts**2 if self.structure > 1 else n_features * len(self.classes_)
        return 4.0 * n_concepts**2 + 40.0 * n_weights + float(self.depth * n_rows * n_concepts)

    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        X, codes, weight = merge_equal_rows(X, codes, weight)
        n_inputs, n_classes = X.shape[1], len(self.classes_)
        targets, names = _targets(self.output, codes, self.classes_)
        unrolled = self._unrolled(n_inputs, targets.shape[1])
        data = X, targets, weight / weight.sum()
        result = search(unrolled, data, self.solver, self.max_evaluations, self.max_seconds, self.random_state)
        self.loss_, self.n_evaluations_ = result.value, result.n_evaluations
        self._outcome = result.outcome.name
        W, b = unrolled.unpacked(result.x)
        concepts = concept_names(input_names(self), 0, names)
        self.map_ = FuzzyCognitiveMap(W, b, self.slope, concepts, "logistic")
        outputs = unrolled.outputs(result.x, X)
        self.reading_ = DECISION_RULES[self.reading].of(outputs, codes, weight, n_classes)
        self.gain_ = best_gain(self.reading_.scores(outputs), codes, weight)

    def _unrolled(self, n_inputs: int, n_outputs: int) -> UnrolledMap:
        edges = _edges(self.structure, n_inputs, n_outputs)
        return UnrolledMap(
            edges, n_inputs, slice(n_inputs, None), self.rule, self.depth, float(self.slope), bool(self.bias)
        )

    def _scores(self, X: Array) -> Array:
        unrolled = self._unrolled(X.shape[1], self.map_.n_concepts - X.shape[1])
        theta = unrolled.packed(self.map_.weights, self.map_.bias)
        return self.reading_.scores(unrolled.outputs(theta, X))


def _targets(output: str, codes: NDArray[np.intp], classes: NDArray[Any]) -> tuple[Array, list[str]]:
    """Return the targets and names of the outputs."""
    if output == "single":
        return (codes / (len(classes) - 1))[:, None], ["class"]
    return np.eye(len(classes))[codes], class_names(classes)


def _edges(structure: int, n_inputs: int, n_outputs: int) -> NDArray[np.bool_]:
    """Return the allowed edges as a boolean matrix, ``edges[i, j]`` from concept j to concept i."""
    n = n_inputs + n_outputs
    edges = np.zeros((n, n), dtype=bool)
    edges[n_inputs:, :n_inputs] = True
    edges[:n_inputs, :n_inputs] = structure >= 2
    edges[n_inputs:, n_inputs:] = structure >= 3
    np.fill_diagonal(edges, False)
    return edges
