"""Hebbian learning of maps: weights follow the joint activity of concepts."""

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
from cogmap.comparators._decision import NearestMean
from cogmap.comparators._scoring import Array, TrainedMapClassifier, merge_equal_rows
from cogmap.comparators._unrolled import UnrolledMap
from cogmap.estimators._param_checks import Check
from cogmap.estimators._validation import input_names
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import class_names
from cogmap.models.model import concept_names


class HebbianFCMClassifier(TrainedMapClassifier):
    """FCM classifier trained by a Hebbian rule, which does not minimize a loss.

    The weight from concept i to concept j is updated to ``gamma w + eta A_j (A_i - |w| A_j)``, averaged over the rows
    and clipped to [-1, 1]; zero weights remain 0. A step is ``f(A + W A)`` with the logistic function f. The predicted
    class is the one whose mean outputs on the training rows are nearest (class of minimum distance). Whatever the
    labels, the rule makes weights positive and similar, and the states of different rows similar: accuracy decreases
    during training.

    Parameters
    ----------
    learning : {"dd_nhl", "nhl"}, default="dd_nhl"
        States used in the update. ``"nhl"``, nonlinear Hebbian learning: the states of the map, which advances by one
        step after each update; labels are used only for the decision rule and the initial weights. ``"dd_nhl"``,
        data-driven: the rows, with the output of their class at 1 and the others at 0.
    eta : float, default=0.04
        Learning rate.
    gamma : float, default=0.98
        Weight decay: factor on the weights in each update.
    slope : float, default=1.0
        Steepness of the logistic function 1 / (1 + exp(-slope x)).
    depth : int, default=1
        Number of steps before the outputs are read. More steps forget the row.
    init : {"correlation"} or FuzzyCognitiveMap, default="correlation"
        Initial weights: correlations of features and classes, or an expert map of the same concepts, matched by name.
    desired : (low, high), default=(0.0, 1.0)
        Range in which the outputs of all rows must lie for training to end. All states are between 0 and 1.
    tol : float, default=0.002
        Training ends when, in addition, no output changes by more than this between two iterations.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    map_ : FuzzyCognitiveMap
        The features, then one output per class. ``with_rule(map_, "modified")`` runs it.
    reading_ : object
        Decision rule; ``means`` holds the mean outputs, one row per class.
    n_iter_ : int
        Number of iterations.
    outcome_ : Outcome
        Outcome of training; ``outcome_.sentence`` describes it.
    gain_ : float
        Factor on the negative squared distances to the means before the softmax. It minimizes the log loss on the
        training rows.
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
    sklearn.neighbors.NearestCentroid : As simple, and more accurate on most datasets.

    Notes
    -----
    The published procedures update the weights row by row, so results depend on row order and the last rows count
    most. Here each update averages over all rows, so neither order nor repetition matters.

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

    def _peak_size(self, n_rows: int, n_features: int) -> float:
        n_concepts = n_features + len(self.classes_)
        return 8.0 * n_concepts**2 + 4.0 * n_rows * n_concepts

    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        X, codes, weight = merge_equal_rows(X, codes, weight)
        observed = np.column_stack([X, np.eye(len(self.classes_))[codes]])
        concepts = concept_names(input_names(self), 0, class_names(self.classes_))
        start = _initial_weights(self.init, concepts, observed, weight, self._owner)
        W = self._train(start, X, observed, weight / weight.sum())
        self.map_ = FuzzyCognitiveMap(W, slope=self.slope, concepts=concepts, activation="logistic")
        outputs = self._outputs(W, X)
        self.reading_ = NearestMean.of(outputs, codes, weight, len(self.classes_))
        self.gain_ = best_gain(self.reading_.scores(outputs), codes, weight)

    def _train(self, W: Array, X: Array, observed: Array, share: Array) -> Array:
        """Return the trained weights, ``W[i, j]`` from concept j to concept i."""
        is_edge, n_inputs = W != 0.0, X.shape[1]
        low, high = np.asarray(self.desired, dtype=np.float64)
        uses_map_states = self.learning == "nhl"
        states = np.column_stack([X, np.zeros((len(X), W.shape[0] - n_inputs))]) if uses_map_states else observed
        joint_activity = (share[:, None] * states).T @ states
        before = states[:, n_inputs:] if uses_map_states else self._outputs(W, X)
        self.n_iter_, inside, settled = 0, False, False
        while self.n_iter_ < self.max_iter and not (inside and settled):
            self.n_iter_ += 1
            W = self.gamma * W + self.eta * (joint_activity - np.abs(W) * joint_activity.diagonal()[:, None])
            W = np.where(is_edge, np.clip(W, -1.0, 1.0), 0.0)
            if uses_map_states:
                states = self._unrolled(len(W), slice(None), 1).outputs(W.ravel(), states)
                joint_activity = (share[:, None] * states).T @ states
            outputs = states[:, n_inputs:] if uses_map_states else self._outputs(W, X)
            inside = bool(outputs.min() >= low and outputs.max() <= high)
            settled = bool(np.abs(outputs - before).max() <= self.tol)
            before = outputs
        self._outcome = (Outcome.RANGE_REACHED if inside and settled else Outcome.RANGE_MISSED).name
        return W

    def _outputs(self, W: Array, X: Array) -> Array:
        """Return the outputs after `depth` steps; they start at 0."""
        states = np.column_stack([X, np.zeros((len(X), len(W) - X.shape[1]))])
        return self._unrolled(len(W), slice(X.shape[1], None), self.depth).outputs(W.ravel(), states)

    def _unrolled(self, n_concepts: int, read: slice, depth: int) -> UnrolledMap:
        all_edges = np.ones((n_concepts, n_concepts), dtype=bool)
        return UnrolledMap(all_edges, n_concepts, read, "modified", depth, float(self.slope), bias=False)

    def _scores(self, X: Array) -> Array:
        return self.reading_.scores(self._outputs(self.map_.weights, X))


def _check_desired(owner: str, name: str, value: object) -> None:
    """Raise an error unless the value is a range that states can reach."""
    limits = numbers(value)
    if limits.shape != (2,) or not limits[0] <= limits[1]:
        raise param_error(owner, name, "(low, high) with low <= high", value)
    if not (limits[0] < 1.0 and limits[1] > 0.0):
        cure = "All states are between 0 and 1, so no output can reach this range."
        raise param_error(owner, name, "a range with low < 1 and high > 0", value, cure)


def _initial_weights(
    init: str | FuzzyCognitiveMap, concepts: list[str], observed: Array, weight: Array, owner: str
) -> Array:
    """Return the initial weights."""
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
        cure = "Divide all weights by the largest."
        raise param_error(owner, "init", "a map with weights in [-1, 1]", float(np.abs(init.weights).max()), cure)
    places = [init.concepts.index(name) for name in concepts]
    return np.array(init.weights[np.ix_(places, places)])
