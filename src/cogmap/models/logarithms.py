"""Features with a long tail, such as incomes or hormones, read on a logarithmic scale."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.models.features import FeatureStatistics

Array = NDArray[np.float64]

_MIN_SKEWNESS = 1.0
_MIN_VALUES = 6  # different values of a feature; with fewer, a tail is not worth a scale of its own
_UNIT = 0.3  # distance from the origin at which the scale bends, relative to the median distance


@dataclass(frozen=True, eq=False)
class Logarithms:
    """Logarithmic scale of the features that have a long tail.

    Such a feature x is replaced by ``direction * log(1 + d)`` with ``d = direction * (x - origin) / unit``; values
    beyond the origin (d < 0) continue linearly. Other features are unchanged.

    Attributes
    ----------
    direction : ndarray of shape (n_features,)
        1 for a long upper tail, -1 for a long lower tail, 0 for a feature that is unchanged.
    origin : ndarray of shape (n_features,)
        Smallest value of a feature with an upper tail, largest of one with a lower tail.
    unit : ndarray of shape (n_features,)
        Distance from the origin below which the scale is nearly linear.
    mean, deviation : ndarray of shape (n_features,)
        Mean and standard deviation of the replaced values in the training data.
    """

    direction: Array
    origin: Array
    unit: Array
    mean: Array
    deviation: Array

    def values(self, X: NDArray[np.floating]) -> Array:
        """Return the values on the new scale."""
        distance = self._distance(X)
        bent = np.log1p(np.maximum(distance, 0.0)) + np.minimum(distance, 0.0)
        return np.where(self.direction == 0.0, X, self.direction * bent)

    def derivative(self, X: NDArray[np.floating]) -> Array:
        """Return the derivative of the values on the new scale with respect to the features."""
        steepness = 1.0 / (self.unit * (1.0 + np.maximum(self._distance(X), 0.0)))
        return np.where(self.direction == 0.0, 1.0, steepness)

    def feature_value(self, place: int, value: float) -> float:
        """Return the value of a feature, given its value on the new scale."""
        if self.direction[place] == 0.0:
            return value
        bent = self.direction[place] * value
        distance = np.expm1(bent) if bent > 0.0 else bent
        return float(self.origin[place] + self.direction[place] * self.unit[place] * distance)

    def narrowed(self, columns: NDArray[np.intp]) -> "Logarithms":
        """Return the scale of some features."""
        return Logarithms(*(getattr(self, name)[columns] for name in self.__dataclass_fields__))

    def _distance(self, X: NDArray[np.floating]) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(self.direction * (X - self.origin) / self.unit)


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
    direction, origin, unit = np.zeros(n_features), np.zeros(n_features), np.ones(n_features)
    for j in range(n_features):
        present = ~np.isnan(X[:, j])
        x = X[present, j].astype(np.float64)
        of_rows = np.ones(len(x)) if weight is None else weight[present]
        if known.deviation[j] == 0.0 or not _has_many_values(x):
            continue
        skewness = of_rows @ ((x - known.mean[j]) / known.deviation[j]) ** 3 / of_rows.sum()
        if abs(skewness) < _MIN_SKEWNESS:
            continue
        start = known.low[j] if skewness > 0.0 else known.high[j]
        step = _UNIT * _median_distance(np.abs(x - start), of_rows)
        if np.isfinite(1.0 / step) and np.isfinite(1.0 / (step / known.deviation[j])):
            direction[j], origin[j], unit[j] = np.sign(skewness), start, step
    if not direction.any():
        return None
    found = Logarithms(direction, origin, unit, known.mean, known.deviation)
    bent = FeatureStatistics.of(found.values(X.astype(np.float64)), weight)
    is_bent = direction != 0.0
    return Logarithms(
        direction,
        origin,
        unit,
        np.where(is_bent, bent.mean, known.mean),
        np.where(is_bent, bent.deviation, known.deviation),
    )


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
