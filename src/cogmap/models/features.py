"""Features of a table: rows taken in blocks, and what is known of each column, which can be merged over parts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._utils.segments import PairwiseSum, segments
from cogmap.exceptions import DataError

_ROWS_AT_ONCE = 4096
_VALUES_AT_ONCE = 2**22  # of a table with many columns

_SPARSE_SPREAD = 3.0

Array = NDArray[np.floating]
TableLike = Any  # an array, or a sparse table (csr) with the same meaning of `shape`, `dtype` and rows taken


def row_blocks(n_rows: int, n_columns: int = 1) -> Iterator[slice]:
    """Cut a table into blocks of rows, so that what is computed from it needs little memory at a time."""
    at_once = max(min(_ROWS_AT_ONCE, _VALUES_AT_ONCE // n_columns), 1)
    for start in range(0, n_rows, at_once):
        yield slice(start, min(start + at_once, n_rows))


@dataclass(frozen=True)
class FeatureStatistics:
    """What scaling needs to know about each feature; that of two parts of a table can be merged.

    Missing values do not count. The deviation is kept instead of a sum of squares, which would overflow for large
    values.
    """

    weight: NDArray[np.float64]  # total weight of the rows in which the feature is not missing
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    low: NDArray[np.float64]  # NaN if the feature is always missing
    high: NDArray[np.float64]
    whole: NDArray[np.bool_] | bool = False  # whether all values are whole numbers; False where that is not known

    @classmethod
    def of(cls, X: Array, weight: NDArray[np.float64] | None = None) -> "FeatureStatistics":
        """Take the statistics of the columns of `X`, whose rows may have weights."""
        if issparse(X):
            return cls._of_sparse(X, weight)
        total = PairwiseSum(cls.merged)
        for rows in segments(len(X)):
            total.add(cls._of_segment(X[rows], None if weight is None else weight[rows]))
        return total.result()

    @classmethod
    def _of_segment(cls, X: Array, weight: NDArray[np.float64] | None) -> "FeatureStatistics":
        blocks = (
            cls._of_block(X[rows], None if weight is None else weight[rows]) for rows in row_blocks(len(X), X.shape[1])
        )
        result = next(blocks)
        for block in blocks:
            result = result.merged(block)
        return result

    @classmethod
    def _of_block(cls, X: Array, weight: NDArray[np.float64] | None) -> "FeatureStatistics":
        values = X.astype(np.float64)
        weights = np.ones(len(values)) if weight is None else weight
        missing = np.isnan(values)
        low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
        whole = (missing | (values == np.rint(values))).all(axis=0)
        origin, span = np.nan_to_num(low), _span(low, high)
        # Computed within the range, lest the squares of large numbers overflow.
        values -= origin
        with np.errstate(over="ignore"):  # old versions of NumPy speak of an overflow where a range is tiny
            values /= np.where(span == 0.0, 1.0, span)
        values[missing] = 0.0
        total = np.einsum("i,ij->j", weights, ~missing)
        divisor = np.where(total == 0.0, 1.0, total)
        mean = np.einsum("i,ij->j", weights, values) / divisor
        values -= mean
        values[missing] = 0.0
        deviation = np.sqrt(np.einsum("i,ij,ij->j", weights, values, values) / divisor)
        return cls(total, origin + span * mean, span * deviation, low, high, whole)

    @classmethod
    def _of_sparse(cls, X: TableLike, weight: NDArray[np.float64] | None) -> "FeatureStatistics":
        """Take the statistics of what is stored in the columns of a sparse table.

        An empty place says nothing, and 0 is the middle. As deviation counts three times the root of the mean square,
        so that a value that is stored, however rare, lies where the logistic function is nearly straight. Mean squares
        of a few values are steadied by those of other columns, as far as columns are alike.
        """
        places = X.tocoo()
        there = ~np.isnan(places.data) & (places.data != 0.0)
        rows, columns = places.row[there], places.col[there]
        values = places.data[there].astype(np.float64)
        weights = np.ones(len(values)) if weight is None else weight[rows]
        n = X.shape[1]
        low, high = np.zeros(n), np.zeros(n)
        np.minimum.at(low, columns, values)
        np.maximum.at(high, columns, values)
        unit = unit_of(np.maximum(-low, high))
        total = np.bincount(columns, weights, minlength=n).astype(np.float64, copy=False)
        squares = np.bincount(columns, weights * np.square(values / unit[columns]), minlength=n)
        root = unit * np.sqrt(squares / np.where(total == 0.0, 1.0, total))
        deviation = _SPARSE_SPREAD * _steadied(root, columns, values)
        _span(low, high)
        return cls(total, np.zeros(n), deviation, low, high)

    def narrowed(self, columns: NDArray[np.intp]) -> "FeatureStatistics":
        """Return the statistics of some of the features."""
        whole = self.whole if isinstance(self.whole, bool) else self.whole[columns]
        mean, deviation, low, high = (array[columns] for array in (self.mean, self.deviation, self.low, self.high))
        return FeatureStatistics(self.weight[columns], mean, deviation, low, high, whole)

    def merged(self, other: "FeatureStatistics") -> "FeatureStatistics":
        """Return the statistics of both parts together."""
        low, high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)
        span = np.where((unit := _span(low, high)) == 0.0, 1.0, unit)
        total = self.weight + other.weight
        share = other.weight / np.where(total == 0.0, 1.0, total)
        # The mean of a part in which the feature is always missing says nothing.
        both = (self.weight > 0.0) & (other.weight > 0.0)
        apart = np.where(both, other.mean - self.mean, 0.0) / span
        variance = (
            (1.0 - share) * np.square(self.deviation / span)
            + share * np.square(other.deviation / span)
            + share * (1.0 - share) * np.square(apart)
        )
        mean = np.where(self.weight == 0.0, other.mean, self.mean + share * (other.mean - self.mean))
        deviation = np.where(total == 0.0, 0.0, span * np.sqrt(variance))
        return FeatureStatistics(total, mean, deviation, low, high, self.whole & other.whole)


def _steadied(
    root: NDArray[np.float64], columns: NDArray[np.integer], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return root mean squares of columns, drawn towards their mean where they differ by chance.

    Logarithms of mean squares differ because columns do, and because a column has few values. What the second makes of
    their variance follows from how the squares within columns differ; the rest is the first (empirical Bayes).
    """
    n_values = np.bincount(columns, minlength=len(root))
    there = (n_values > 0) & (root > 0.0)
    if n_values[there].sum() <= there.sum():  # no column has two: nothing is known of chance
        return root
    apart = np.square(np.square(values / unit_of(root)[columns]) - 1.0).sum()
    chance = apart / (n_values[there] - 1).sum() / n_values[there]
    logarithms = 2.0 * np.log(root[there])
    mean = np.average(logarithms, weights=n_values[there])
    own = max(float(np.mean(np.square(logarithms - mean) - chance)), 0.0)
    share = own / np.where(own + chance == 0.0, 1.0, own + chance)
    steadied = root.copy()
    steadied[there] = np.exp(0.5 * (mean + share * (logarithms - mean)))
    return steadied


def _span(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how wide the range of each feature is, 0 if it is always missing."""
    with np.errstate(over="ignore"):
        span = np.where(np.isnan(low), 0.0, high - low)
    too_wide = np.flatnonzero(~np.isfinite(span))
    if too_wide.size:
        raise DataError(
            f"Feature number {too_wide[0]} of X spans {low[too_wide[0]]:g} to {high[too_wide[0]]:g}, more than a "
            "floating-point number can hold. Scale it before fitting."
        )
    return span


def unit_of(width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return in what a feature is counted: its width, or ones if it has none."""
    return np.where(width == 0.0, 1.0, width)
