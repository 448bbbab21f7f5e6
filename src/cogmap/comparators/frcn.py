"""The fuzzy-rough cognitive network: classes by how similar a row is to the rows that are surely of them."""

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

_AT_ONCE = 2**21  # similarities in a block
_T_NORMS = ("lukasiewicz", "product", "minimum")


class FRCNClassifier(ScoringClassifier):
    """Fuzzy-rough cognitive network: a class is as active as a row is similar to what is surely of that class.

    A training row is surely of its class as far as no similar row is of another one: the lower approximation of
    fuzzy-rough sets, the positive region of the class. The activation of a class is the mean similarity of a row to the
    positive region, and the most active class is predicted. The published network then iterates a map of regions and
    classes. That ranks classes as their first activations do, but pushes them to the same state, so that classes tie;
    here it is left out.

    Parameters
    ----------
    similarity : {"linear", "exponential"}, default="linear"
        Of two rows at the distance d, the mean difference over their features, each in units of its range: 1 - d, or
        exp(-gamma d).
    membership : {"hard", "soft"}, default="hard"
        To which degree a training row belongs to a class: 1 for its own and else 0; or the mean of that and of the
        similarity to the centre of the class, as a share of those to all centres.
    t_norm : {"lukasiewicz", "product", "minimum"}, default="lukasiewicz"
        What joins "is similar to that row" and "that row is surely of the class": max(a + b - 1, 0), a b, or min(a, b).
    gamma : float, default=10.0
        How fast the exponential similarity falls.
    nominal_features : array-like of int, str or bool, default=None
        Features whose values are names, in the form of numbers: numbers or names of columns, or True and False for
        each. Two values are then equal or as far apart as can be. A missing value, or one not seen in fit, is half as
        far from all.

    Attributes
    ----------
    lower_ : ndarray of shape (n_samples, n_classes)
        How surely each training row is of each class: its lower approximation, or positive region.
    upper_ : ndarray of shape (n_samples, n_classes)
        How possibly each training row is of each class: its upper approximation. Where it is larger than `lower_` the
        rows are at the border of classes.
    rows_ : ndarray of shape (n_samples, n_inputs)
        The training rows, as they are compared.
    row_weights_ : ndarray of shape (n_samples,)
        Their weights.
    categories_ : dict of int to ndarray
        The values of each nominal feature.
    gain_ : float
        Factor on the activations before the softmax that makes them probabilities: that with the lowest log loss on the
        training rows, each without itself among the rows that it is compared with.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    scaling_ : FeatureRange
        ``low`` and ``high`` of each feature.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    See Also
    --------
    sklearn.neighbors.KNeighborsClassifier : Its nearest relative outside the field.

    Notes
    -----
    It keeps all training rows, and compares each row with all of them: time grows with the square of the rows, memory
    does not. There is no map to read: the influences of its network are fixed. Use it where neighbours tell more than
    trends.

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

    def _largest(self, n_rows: int, n_features: int) -> float:
        return float(n_rows * (n_features + 6 * len(self.classes_)))

    def _prepare(self, X: NDArray[np.floating], weight: Array) -> None:
        nominal = _places(self.nominal_features, input_names(self), self._owner)
        self.scaling_ = FeatureRange(FeatureStatistics.of(X, weight))
        self.categories_ = {j: np.unique(X[~np.isnan(X[:, j]), j]) for j in nominal}

    def _inputs(self, X: NDArray[np.floating]) -> Array:
        """Return features in units of their range, and for each value of a nominal one a column of 0 and 1/2.

        The sum of the differences of two rows is then 1 for each nominal feature in which they differ.
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
        # Of each row and class: the row that makes it least sure, how similar that is, and how sure it is without.
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
        self.gain_ = best_gain(self._left_out(X, rival, closeness, without), codes, weight)

    def _left_out(self, X: Array, rival: NDArray[np.intp], closeness: Array, without: Array) -> Array:
        """Return the activations of each training row as if it, or one of several equal rows, were not there."""
        weight = self.row_weights_
        active, total = self._sums(X)
        # It is as similar to itself as can be, and T(1, a) is a.
        active -= np.minimum(weight, 1.0)[:, None] * self.lower_
        total -= np.minimum(weight, 1.0)[:, None] * self.lower_
        # Where it made another row less sure, that is sure again.
        for k in range(len(self.classes_)):
            gone = weight[rival[:, k]] <= 1.0
            near, sure, surer = closeness[gone, k], self.lower_[gone, k], without[gone, k]
            more = self._joined(near, surer) - self._joined(near, sure)
            np.add.at(active[:, k], rival[gone, k], weight[gone] * more)
            np.add.at(total[:, k], rival[gone, k], weight[gone] * (surer - sure))
        return self._means(active, total)

    def _scores(self, X: Array) -> Array:
        return self._means(*self._sums(X))

    def _sums(self, X: Array) -> tuple[Array, Array]:
        """Return how similar each row is to the positive region of each class, and how large that is, as sums."""
        active = np.empty((len(X), len(self.classes_)))
        for rows, alike in self._blocks(X):
            for k, sure in enumerate(self.lower_.T):
                some = np.flatnonzero(sure)  # T(a, 0) is 0 whatever a is
                active[rows, k] = self._joined(alike[:, some], sure[some]) @ self.row_weights_[some]
        return active, np.tile(self.row_weights_ @ self.lower_, (len(X), 1))

    def _means(self, active: Array, total: Array) -> Array:
        """Return activations; a class of which nothing is sure is never active."""
        return np.divide(active, total, out=np.zeros_like(active), where=total > 1e-12 * self.row_weights_.max())

    def _joined(self, alike: Array, sure: Array) -> Array:
        if self.t_norm == "product":
            return alike * sure
        if self.t_norm == "minimum":
            return np.minimum(alike, sure)
        return np.maximum(alike + (sure - 1.0), 0.0)

    def _blocks(self, X: Array) -> Iterator[tuple[slice, Array]]:
        """Return the similarities of rows to all training rows, block by block."""
        size = max(_AT_ONCE // len(self.rows_), 1)
        for start in range(0, len(X), size):
            rows = slice(start, start + size)
            yield rows, self._similarity(X[rows], self.rows_)

    def _similarity(self, X: Array, others: Array) -> Array:
        distance = pairwise_distances(X, others, metric="manhattan") / self.n_features_in_
        if self.similarity == "exponential":
            return np.exp(-self.gamma * distance)
        return np.maximum(1.0 - distance, 0.0)


def _places(given: Any, names: list[str], owner: str) -> list[int]:
    """Return the numbers of the columns that are meant."""
    if given is None:
        return []
    expected = f"numbers below {len(names)} or names of columns, or {len(names)} booleans"
    columns = np.asarray(given)
    if columns.ndim != 1:
        raise param_error(owner, "nominal_features", expected, given)
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
    raise param_error(owner, "nominal_features", expected, given)
