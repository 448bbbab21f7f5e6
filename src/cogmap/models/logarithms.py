"""Features with a long tail, such as incomes or hormones, read on a logarithmic scale."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap.models.features import FeatureStatistics

Array = NDArray[np.float64]

_MIN_SKEWNESS = 2.0  # that of an exponential distribution
_MIN_VALUES = 6  # different values of a feature; with fewer, a tail is not worth a scale of its own
_MIN_UNIT = 1e-9  # of a scale, in standard deviations
_TINY = float(np.finfo(np.float64).tiny)  # units below have derivatives that overflow
_UNIT = 0.3  # distance from the origin at which the scale bends, relative to the median distance


@dataclass(frozen=True, eq=False)
class Logarithms:
    """Logarithmic scale of the features that have a long tail.

    Such a feature x is replaced by ``log(1 + d)`` with ``d = (x - origin) / unit``, and by d below the origin. Other
    features are unchanged.

    Attributes
    ----------
    bent : ndarray of bool of shape (n_features,)
        Whether the feature has a long tail.
    origin : ndarray of shape (n_features,)
        Smallest value of each feature with a long tail.
    unit : ndarray of shape (n_features,)
        Distance from the origin below which the scale is nearly linear.
    mean, deviation : ndarray of shape (n_features,)
        Mean and standard deviation of the features in the training data, on the new scale.
    """

    bent: NDArray[np.bool_]
    origin: Array
    unit: Array
    mean: Array
    deviation: Array

    @property
    def center(self) -> Array:
        """Value of each feature at the mean of the new scale: close to the median of a feature with a long tail."""
        return self.features(self.mean)

    def values(self, X: NDArray[np.floating]) -> Array:
        """Return the values on the new scale."""
        distance = self._distance(X)
        return np.where(self.bent, np.log1p(np.maximum(distance, 0.0)) + np.minimum(distance, 0.0), X)

    def features(self, values: NDArray[np.floating]) -> Array:
        """Return the features, given their values on the new scale: the inverse of `values`."""
        with np.errstate(over="ignore"):
            distance = np.expm1(np.maximum(np.where(self.bent, values, 0.0), 0.0)) + np.minimum(values, 0.0)
            return np.where(self.bent, self.origin + self.unit * distance, values)

    def derivative(self, X: NDArray[np.floating]) -> Array:
        """Return the derivative of the values on the new scale with respect to the features."""
        return np.where(self.bent, 1.0 / (self.unit * (1.0 + np.maximum(self._distance(X), 0.0))), 1.0)

    def narrowed(self, columns: NDArray[np.intp]) -> "Logarithms":
        """Return the scale of some features."""
        return Logarithms(*(getattr(self, name)[columns] for name in self.__dataclass_fields__))

    def _distance(self, X: NDArray[np.floating]) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray((X - self.origin) / self.unit)


def find_logarithms(
    X: NDArray[np.floating], weight: NDArray[np.float64] | None, known: FeatureStatistics
) -> Logarithms | None:
    """Return the logarithmic scale of the features that are skewed; None if there is none.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Training data; missing values are ignored.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    known : FeatureStatistics
        Statistics of the training data.
    """
    n_features = X.shape[1]
    bent, origin, unit = np.zeros(n_features, dtype=bool), np.zeros(n_features), np.ones(n_features)
    for j in range(n_features):
        present = ~np.isnan(X[:, j])
        x = X[present, j].astype(np.float64)
        of_rows = np.ones(len(x)) if weight is None else weight[present]
        if known.deviation[j] == 0.0 or not _has_many_values(x):
            continue
        skewness = of_rows @ ((x - known.mean[j]) / known.deviation[j]) ** 3 / of_rows.sum()
        if skewness < _MIN_SKEWNESS:
            continue
        step = _UNIT * _median_distance(x - known.low[j], of_rows)
        if step > max(_MIN_UNIT * known.deviation[j], _TINY):
            bent[j], origin[j], unit[j] = True, known.low[j], step
    if not bent.any():
        return None
    scale = Logarithms(bent, origin, unit, known.mean, known.deviation)
    of_scale = FeatureStatistics.of(scale.values(X.astype(np.float64)), weight)
    return replace(scale, mean=of_scale.mean, deviation=of_scale.deviation)


def _has_many_values(x: Array) -> bool:
    """Return whether a feature has at least `_MIN_VALUES` different values; looks at few rows first."""
    return len(np.unique(x[:1000])) >= _MIN_VALUES or len(np.unique(x)) >= _MIN_VALUES


def _median_distance(distance: Array, weight: Array) -> float:
    """Return the median of the positive distances."""
    positive = distance > 0.0
    distance, weight = distance[positive], weight[positive]
    order = np.argsort(distance, kind="stable")
    total = np.cumsum(weight[order])
    return float(distance[order][np.searchsorted(total, 0.5 * total[-1])])
