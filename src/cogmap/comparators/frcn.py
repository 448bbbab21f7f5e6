"""Fuzzy-rough cognitive network: classification by similarity to the positive regions of the classes."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances

from cogmap._utils.params import check_choice, check_number, param_error, shown, suggestion
from cogmap.comparators._calibration import best_gain
from cogmap.comparators._scoring import Array, ScoringClassifier
from cogmap.estimators._param_checks import Check
from cogmap.estimators._validation import input_names
from cogmap.models.encoding import FeatureRange
from cogmap.models.features import FeatureStatistics

_BLOCK_SIZE = 2**21  # similarities per block
_T_NORMS = ("lukasiewicz", "product", "minimum")


class FRCNClassifier(ScoringClassifier):
    """Fuzzy-rough cognitive network: predicts the class whose positive region is most similar to the row.

    The membership of a training row in the positive region of its class (the lower approximation of fuzzy-rough sets)
    is high if no similar row belongs to another class. The activation of a class is the mean similarity of a row to
    its positive region, and the most active class is predicted. The published network then iterates a map of regions
    and classes. This iteration is omitted here: it keeps the ranking of the first activations, but drives them to the
    same state, so that classes tie.

    Parameters
    ----------
    similarity : {"linear", "exponential"}, default="linear"
        Similarity of two rows at distance d: 1 - d, or exp(-gamma d). The distance is the mean absolute difference over
        the features, each in units of its range.
    membership : {"hard", "soft"}, default="hard"
        Membership of a training row in a class: 1 for its own class and 0 otherwise; or the mean of that and of its
        similarity to the class centre, normalized over all centres.
    t_norm : {"lukasiewicz", "product", "minimum"}, default="lukasiewicz"
        Conjunction of similarity to a row and membership of that row: max(a + b - 1, 0), a b, or min(a, b).
    gamma : float, default=10.0
        Decay rate of the exponential similarity.
    nominal_features : array-like of int, str or bool, default=None
        Nominal features, coded as numbers: column indices or names, or a boolean mask. Two different values have the
        largest distance. A missing value, or one not seen in fit, has half that distance from all values.

    Attributes
    ----------
    lower_ : ndarray of shape (n_samples, n_classes)
        Lower approximation of each class (its positive region) at each training row.
    upper_ : ndarray of shape (n_samples, n_classes)
        Upper approximation of each class at each training row. Rows where it exceeds `lower_` lie on a class boundary.
    rows_ : ndarray of shape (n_samples, n_inputs)
        The encoded training rows.
    row_weights_ : ndarray of shape (n_samples,)
        Weights of the training rows.
    categories_ : dict of int to ndarray
        Values of each nominal feature.
    gain_ : float
        Factor on the activations before the softmax. It minimizes the log loss of the leave-one-out activations of the
        training rows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    scaling_ : FeatureRange
        ``low`` and ``high`` of each feature.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if they were strings.

    See Also
    --------
    sklearn.neighbors.KNeighborsClassifier : The most similar classifier of scikit-learn.

    Notes
    -----
    The classifier stores all training rows and compares each row with all of them: fitting time grows quadratically
    with the number of rows, memory linearly. There is no map to interpret: the weights of the network are fixed. Use
    it where neighbours are more informative than trends.

    References
    ----------
    G. Nápoles, C. Mosquera, R. Falcon, I. Grau, R. Bello, K. Vanhoof, Fuzzy-rough cognitive networks, Neural Networks
    97 (2018), 19-27.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from cogmap.comparators import FRCNClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> frcn = FRCNClassifier().fit(X[::2], y[::2])
    >>> frcn.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _checks: ClassVar[dict[str, Check]] = {
        "similarity": lambda owner, name, value: check_choice(owner, name, value, ["linear", "exponential"]),
        "membership": lambda owner, name, value: check_choice(owner, name, value, ["hard", "soft"]),
        "t_norm": lambda owner, name, value: check_choice(owner, name, value, list(_T_NORMS)),
        "gamma": lambda owner, name, value: check_number(owner, name, value, low=0, low_included=False),
    }

    # Set in fit.
    lower_: Array
    upper_: Array
    rows_: Array
    row_weights_: Array
    categories_: dict[int, NDArray[np.floating]]

    def __init__(
        self,
        similarity: str = "linear",
        membership: str = "hard",
        t_norm: str = "lukasiewicz",
        gamma: float = 10.0,
        nominal_features: ArrayLike | None = None,
    ) -> None:
        self.similarity = similarity
        self.membership = membership
        self.t_norm = t_norm
        self.gamma = gamma
        self.nominal_features = nominal_features

    def _peak_size(self, n_rows: int, n_features: int) -> float:
        return float(n_rows * (n_features + 6 * len(self.classes_)))

    def _prepare(self, X: NDArray[np.floating], weight: Array) -> None:
        nominal = _column_indices(self.nominal_features, input_names(self), self._owner)
        self.scaling_ = FeatureRange(FeatureStatistics.of(X, weight))
        self.categories_ = {j: np.unique(X[~np.isnan(X[:, j]), j]) for j in nominal}

    def _inputs(self, X: NDArray[np.floating]) -> Array:
        """Return the scaled features, with one column of 0 and 1/2 per value of a nominal feature.

        Two rows that differ in a nominal feature then have a summed absolute difference of 1 in its columns.
        """
        numbers = np.delete(self.scaling_.scale(X, np.float64), list(self.categories_), axis=1)
        values = [0.5 * (X[:, [j]] == known) for j, known in self.categories_.items()]
        return np.concatenate([numbers, *values], axis=1)

    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        self.rows_, self.row_weights_ = X, weight
        member = np.eye(len(self.classes_))[codes]
        if self.membership == "soft":
            centres = (member * weight[:, None]).T @ X / (weight @ member)[:, None]
            near = self._similarity(X, centres)
            member = 0.5 * (member + near / np.maximum(near.sum(axis=1, keepdims=True), np.finfo(float).tiny))
        self.lower_, self.upper_ = member.copy(), member.copy()
        # For each row and class: the row that limits the lower approximation, its similarity, and the value without it.
        rival, closeness = np.empty(member.shape, dtype=np.intp), np.empty(member.shape)
        without = member.copy()
        for rows, alike in self._blocks(X):
            here = np.arange(len(alike))
            for k, of_class in enumerate(member.T):
                against = alike - of_class
                rival[rows, k] = first = against.argmax(axis=1)
                closeness[rows, k] = alike[here, first]
                self.lower_[rows, k] = np.minimum(member[rows, k], 1.0 - against[here, first])
                against[here, first] = -np.inf
                without[rows, k] = np.minimum(member[rows, k], 1.0 - against.max(axis=1))
                self.upper_[rows, k] = np.maximum(member[rows, k], (alike + of_class).max(axis=1) - 1.0)
        self.gain_ = best_gain(self._leave_one_out(X, rival, closeness, without), codes, weight)

    def _leave_one_out(self, X: Array, rival: NDArray[np.intp], closeness: Array, without: Array) -> Array:
        """Return the leave-one-out activations of each training row; of several equal rows one is left out."""
        weight = self.row_weights_
        active, total = self._sums(X)
        # Remove the row itself: its similarity to itself is 1, and T(1, a) = a.
        active -= np.minimum(weight, 1.0)[:, None] * self.lower_
        total -= np.minimum(weight, 1.0)[:, None] * self.lower_
        # Where it limited the lower approximation of another row, use the value without it.
        for k in range(len(self.classes_)):
            removed = weight[rival[:, k]] <= 1.0
            near, lower, lower_without = closeness[removed, k], self.lower_[removed, k], without[removed, k]
            increase = self._t_norm(near, lower_without) - self._t_norm(near, lower)
            np.add.at(active[:, k], rival[removed, k], weight[removed] * increase)
            np.add.at(total[:, k], rival[removed, k], weight[removed] * (lower_without - lower))
        return self._means(active, total)

    def _scores(self, X: Array) -> Array:
        return self._means(*self._sums(X))

    def _sums(self, X: Array) -> tuple[Array, Array]:
        """Return the summed similarity of each row to the positive region of each class, and the region sizes."""
        active = np.empty((len(X), len(self.classes_)))
        for rows, alike in self._blocks(X):
            for k, lower in enumerate(self.lower_.T):
                nonzero = np.flatnonzero(lower)  # T(a, 0) = 0 for every a
                active[rows, k] = self._t_norm(alike[:, nonzero], lower[nonzero]) @ self.row_weights_[nonzero]
        return active, np.tile(self.row_weights_ @ self.lower_, (len(X), 1))

    def _means(self, active: Array, total: Array) -> Array:
        """Return the activations; 0 for a class with an empty positive region."""
        return np.divide(active, total, out=np.zeros_like(active), where=total > 1e-12 * self.row_weights_.max())

    def _t_norm(self, alike: Array, lower: Array) -> Array:
        if self.t_norm == "product":
            return alike * lower
        if self.t_norm == "minimum":
            return np.minimum(alike, lower)
        return np.maximum(alike + (lower - 1.0), 0.0)

    def _blocks(self, X: Array) -> Iterator[tuple[slice, Array]]:
        """Yield the similarities of rows to all training rows, block by block."""
        size = max(_BLOCK_SIZE // len(self.rows_), 1)
        for start in range(0, len(X), size):
            rows = slice(start, start + size)
            yield rows, self._similarity(X[rows], self.rows_)

    def _similarity(self, X: Array, others: Array) -> Array:
        distance = pairwise_distances(X, others, metric="manhattan") / self.n_features_in_
        if self.similarity == "exponential":
            return np.exp(-self.gamma * distance)
        return np.maximum(1.0 - distance, 0.0)


def _column_indices(nominal_features: Any, names: list[str], owner: str) -> list[int]:
    """Return the sorted indices of the nominal columns."""
    if nominal_features is None:
        return []
    expected = f"numbers below {len(names)} or names of columns, or {len(names)} booleans"
    columns = np.asarray(nominal_features)
    if columns.ndim != 1:
        raise param_error(owner, "nominal_features", expected, nominal_features)
    if columns.dtype == bool and len(columns) == len(names):
        return [int(j) for j in np.flatnonzero(columns)]
    if columns.dtype.kind in "iu" and ((columns >= 0) & (columns < len(names))).all():
        return sorted({int(j) for j in columns})
    if columns.dtype.kind in "UO":
        unknown = [name for name in columns.tolist() if name not in names]
        if not unknown:
            return sorted({names.index(name) for name in columns.tolist()})
        cure = suggestion(unknown[0], names) or f"The columns are {shown(names)}."
        raise param_error(owner, "nominal_features", expected, unknown[0], cure)
    if columns.size == 0:
        return []
    raise param_error(owner, "nominal_features", expected, nominal_features)
