"""Hebbian learning of maps: weights that follow what is active together."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._learning.solvers import Outcome
from cogmap._utils.params import (
    Literal,
    check_choice,
    check_integer,
    check_number,
    numbers,
    param_error,
    shown,
    suggestion,
)
from cogmap.comparators._calibration import best_gain
from cogmap.comparators._reading import NearestMean
from cogmap.comparators._scoring import Array, SearchingClassifier, merged
from cogmap.comparators._unrolled import UnrolledMap
from cogmap.estimators._param_checks import Check
from cogmap.estimators._validation import input_names
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import class_names
from cogmap.models.model import concept_names


class HebbianFCMClassifier(SearchingClassifier):
    """Map whose weights are learned by a Hebbian rule, which knows of no loss.

    A weight from concept i to concept j becomes ``gamma w + eta A_j (A_i - |w| A_j)``, the mean over the rows, held in
    [-1, 1]; weights of 0 stay 0. A step is ``f(A + W A)``, with the logistic function. The class is that whose mean
    outputs on the training rows are nearest (class of minimum distance). The rule makes weights positive and alike, and
    states of different rows alike, whatever the labels are: accuracy falls while it learns.

    Parameters
    ----------
    learning : {"dd_nhl", "nhl"}, default="dd_nhl"
        Which states weights follow. ``"nhl"``, nonlinear Hebbian learning: those of the map itself, which goes on by a
        step after each change; labels are used to read the classes only, and for the weights to start from.
        ``"dd_nhl"``, data-driven: the rows, with the output of their class at 1 and the others at 0.
    eta : float, default=0.04
        How fast weights follow.
    gamma : float, default=0.98
        What is left of a weight that nothing feeds.
    slope : float, default=1.0
        Steepness of the logistic function 1 / (1 + exp(-slope x)).
    depth : int, default=1
        Number of steps after which the outputs are read. More steps forget the row.
    init : {"correlation"} or FuzzyCognitiveMap, default="correlation"
        Weights to start from: correlations of features and classes, or an expert's map of the same concepts, by name.
    desired : (low, high), default=(0.0, 1.0)
        Where the outputs of all rows should be for learning to end. All states are between 0 and 1.
    tol : float, default=0.002
        Learning ends when besides no output changes by more from one iteration to the next.
    max_iter : int, default=1000
        Largest number of iterations.

    Attributes
    ----------
    map_ : FuzzyCognitiveMap
        The features, then one output per class. Run by ``with_rule(map_, "modified")``.
    reading_ : object
        How the class is read: ``means`` has the mean outputs of each class, one per row.
    n_iter_ : int
        Number of iterations made.
    outcome_ : Outcome
        How learning ended; ``outcome_.sentence`` says it in words.
    gain_ : float
        Factor on minus the squared distances to the means before the softmax that makes them probabilities: that with
        the lowest log loss on the training rows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    scaling_ : FeatureRange
        ``low`` and ``high`` of each feature, which become 0 and 1.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    See Also
    --------
    sklearn.neighbors.NearestCentroid : As simple, and on most tables better.

    Notes
    -----
    The published procedures go through the rows one by one, so that the last rows count most and their order matters.
    Here the mean over all rows is taken, so that neither order nor repetition matters.

    References
    ----------
    E. I. Papageorgiou, C. Stylios, P. Groumpos, Fuzzy cognitive map learning based on nonlinear Hebbian rule, AI 2003,
    LNCS 2903, 256-268.

    W. Stach, L. Kurgan, W. Pedrycz, Data-driven nonlinear Hebbian learning method for fuzzy cognitive maps, FUZZ-IEEE
    2008, 1975-1981.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap.comparators import HebbianFCMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> hebbian = HebbianFCMClassifier().fit(X, y)
    >>> hebbian.outcome_.sentence
    'The outputs are in the desired range and settled there.'
    """

    _checks: ClassVar[dict[str, Check]] = {
        "learning": lambda owner, name, value: check_choice(owner, name, value, ["dd_nhl", "nhl"]),
        "eta": lambda owner, name, value: check_number(owner, name, value, low=0, high=1, low_included=False),
        "gamma": lambda owner, name, value: check_number(owner, name, value, low=0, high=1),
        "slope": lambda owner, name, value: check_number(owner, name, value, low=0, high=1e6, low_included=False),
        "depth": lambda owner, name, value: check_integer(owner, name, value, low=1, high=10_000),
        "init": lambda owner, name, value: (
            isinstance(value, FuzzyCognitiveMap)
            or check_choice(owner, name, value, ["correlation"], also="a FuzzyCognitiveMap")
        ),
        "desired": lambda owner, name, value: _check_desired(owner, name, value),
        "tol": lambda owner, name, value: check_number(owner, name, value, low=0),
        "max_iter": lambda owner, name, value: check_integer(owner, name, value, low=1),
    }

    # Set in fit.
    n_iter_: int
    reading_: NearestMean

    def __init__(
        self,
        learning: str = "dd_nhl",
        eta: float = 0.04,
        gamma: float = 0.98,
        slope: float = 1.0,
        depth: int = 1,
        init: str | FuzzyCognitiveMap = "correlation",
        desired: ArrayLike = (0.0, 1.0),
        tol: float = 0.002,
        max_iter: int = 1000,
    ) -> None:
        self.learning = learning
        self.eta = eta
        self.gamma = gamma
        self.slope = slope
        self.depth = depth
        self.init = init
        self.desired = desired
        self.tol = tol
        self.max_iter = max_iter

    def _largest(self, n_rows: int, n_features: int) -> float:
        n_concepts = n_features + len(self.classes_)
        return 8.0 * n_concepts**2 + 4.0 * n_rows * n_concepts

    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        X, codes, weight = merged(X, codes, weight)
        observed = np.column_stack([X, np.eye(len(self.classes_))[codes]])
        concepts = concept_names(input_names(self), 0, class_names(self.classes_))
        start = _first_weights(self.init, concepts, observed, weight, self._owner)
        W = self._followed(start, X, observed, weight / weight.sum())
        self.map_ = FuzzyCognitiveMap(W, slope=self.slope, concepts=concepts, activation="logistic")
        outputs = self._outputs(W, X)
        self.reading_ = NearestMean.of(outputs, codes, weight, len(self.classes_))
        self.gain_ = best_gain(self.reading_.scores(outputs), codes, weight)

    def _followed(self, W: Array, X: Array, observed: Array, share: Array) -> Array:
        """Return the weights, ``W[i, j]`` from concept j to concept i, after learning."""
        drawn, n_inputs = W != 0.0, X.shape[1]
        low, high = np.asarray(self.desired, dtype=np.float64)
        own = self.learning == "nhl"
        states = np.column_stack([X, np.zeros((len(X), W.shape[0] - n_inputs))]) if own else observed
        together = (share[:, None] * states).T @ states
        before = states[:, n_inputs:] if own else self._outputs(W, X)
        self.n_iter_, inside, settled = 0, False, False
        while self.n_iter_ < self.max_iter and not (inside and settled):
            self.n_iter_ += 1
            W = self.gamma * W + self.eta * (together - np.abs(W) * together.diagonal()[:, None])
            W = np.where(drawn, np.clip(W, -1.0, 1.0), 0.0)
            if own:
                states = self._unrolled(len(W), slice(None), 1).outputs(W.ravel(), states)
                together = (share[:, None] * states).T @ states
            outputs = states[:, n_inputs:] if own else self._outputs(W, X)
            inside = bool(outputs.min() >= low and outputs.max() <= high)
            settled = bool(np.abs(outputs - before).max() <= self.tol)
            before = outputs
        self._outcome = (Outcome.RANGE_REACHED if inside and settled else Outcome.RANGE_MISSED).name
        return W

    def _outputs(self, W: Array, X: Array) -> Array:
        """Return the outputs of rows after `depth` steps from outputs at 0."""
        states = np.column_stack([X, np.zeros((len(X), len(W) - X.shape[1]))])
        return self._unrolled(len(W), slice(X.shape[1], None), self.depth).outputs(W.ravel(), states)

    def _unrolled(self, n_concepts: int, read: slice, depth: int) -> UnrolledMap:
        everything = np.ones((n_concepts, n_concepts), dtype=bool)
        return UnrolledMap(everything, n_concepts, read, "modified", depth, float(self.slope), bias=False)

    def _scores(self, X: Array) -> Array:
        return self.reading_.scores(self._outputs(self.map_.weights, X))


def _check_desired(owner: str, name: str, value: object) -> None:
    """Complain about what is no range, or one that no state can be in."""
    limits = numbers(value)
    if limits.shape != (2,) or not limits[0] <= limits[1]:
        raise param_error(owner, name, "(low, high) with low <= high", value)
    if not (limits[0] < 1.0 and limits[1] > 0.0):
        cure = "All states are between 0 and 1: no output can get there."
        raise param_error(owner, name, "a range with low < 1 and high > 0", value, cure)


def _first_weights(
    init: str | FuzzyCognitiveMap, concepts: list[str], observed: Array, weight: Array, owner: str
) -> Array:
    """Return the weights to start from."""
    if not isinstance(init, FuzzyCognitiveMap):
        centred = observed - (weight @ observed) / weight.sum()
        covariance = (weight[:, None] * centred).T @ centred / weight.sum()
        spread = np.sqrt(covariance.diagonal())
        scale = np.outer(spread, spread)
        W = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0.0)
        np.fill_diagonal(W, 0.0)
        return np.clip(W, -1.0, 1.0)
    unknown = [name for name in init.concepts if name not in concepts]
    if unknown or len(init.concepts) != len(concepts):
        expected = f"a map of the {len(concepts)} concepts {shown(concepts)}"
        got = Literal(f"one of {len(init.concepts)}" + (f", with {shown(unknown)}" if unknown else ""))
        raise param_error(owner, "init", expected, got, suggestion(unknown[0], concepts) if unknown else "")
    if np.abs(init.weights).max() > 1.0:
        cure = "Divide them all by the largest."
        raise param_error(owner, "init", "a map with weights in [-1, 1]", float(np.abs(init.weights).max()), cure)
    places = [init.concepts.index(name) for name in concepts]
    return np.array(init.weights[np.ix_(places, places)])
