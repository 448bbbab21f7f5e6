"""Blocks of rows, and column statistics that can be merged over chunks of a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._utils.segments import PairwiseSum, segments
from cogmap.exceptions import DataError

_ROWS_AT_ONCE = 4096
_VALUES_AT_ONCE = 2**22  # values per block of a table with many columns

_SPARSE_SPREAD = 3.0  # deviation of a sparse column, as a multiple of its root mean square

Array = NDArray[np.floating]
TableLike = Any  # an array or a sparse CSR table; both support `shape`, `dtype` and indexing by rows


def row_blocks(n_rows: int, n_columns: int = 1) -> Iterator[slice]:
    """Yield slices of rows, small enough to limit memory."""
    at_once = max(min(_ROWS_AT_ONCE, _VALUES_AT_ONCE // max(n_columns, 1)), 1)
    for start in range(0, n_rows, at_once):
        yield slice(start, min(start + at_once, n_rows))


@dataclass(frozen=True)
class FeatureStatistics:
    """Statistics of each feature for scaling; statistics of two chunks of a table can be merged.

    Missing values are ignored. The deviation is stored instead of a sum of squares, which could overflow.
    """

    weight: NDArray[np.float64]  # total weight of the rows in which the feature is not missing
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    low: NDArray[np.float64]  # NaN if the feature is always missing
    high: NDArray[np.float64]
    whole: NDArray[np.bool_] | bool = False  # whether all values are integers; False if unknown

    @classmethod
    def of(cls, X: Array, weight: NDArray[np.float64] | None = None) -> "FeatureStatistics":
        """Compute the statistics of the columns of `X`, optionally with row weights."""
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
        # Computed relative to the range, so that squares of large numbers do not overflow.
        values -= origin
        with np.errstate(over="ignore"):  # old versions of NumPy warn of an overflow if a range is tiny
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
        """Compute the statistics of the stored values of a sparse table.

        Values that are not stored are ignored, and the center is 0. The deviation is three times the root mean square,
        so that stored values, however rare, lie where the logistic function is nearly linear. Mean squares of columns
        with few values are shrunk towards those of other columns.
        """
        entries = X.tocoo()
        stored = ~np.isnan(entries.data) & (entries.data != 0.0)
        rows, columns = entries.row[stored], entries.col[stored]
        values = entries.data[stored].astype(np.float64)
        weights = np.ones(len(values)) if weight is None else weight[rows]
        n = X.shape[1]
        low, high = np.zeros(n), np.zeros(n)
        np.minimum.at(low, columns, values)
        np.maximum.at(high, columns, values)
        unit = unit_of(np.maximum(-low, high))
        total = np.bincount(columns, weights, minlength=n).astype(np.float64, copy=False)
        squares = np.bincount(columns, weights * np.square(values / unit[columns]), minlength=n)
        root = unit * np.sqrt(squares / np.where(total == 0.0, 1.0, total))
        deviation = _SPARSE_SPREAD * _shrunk(root, columns, values)
        _span(low, high)  # raises if a range overflows
        return cls(total, np.zeros(n), deviation, low, high)

    def narrowed(self, columns: NDArray[np.intp]) -> "FeatureStatistics":
        """Return the statistics restricted to some features."""
        whole = self.whole if np.ndim(self.whole) == 0 else np.asarray(self.whole)[columns]
        mean, deviation, low, high = (array[columns] for array in (self.mean, self.deviation, self.low, self.high))
        return FeatureStatistics(self.weight[columns], mean, deviation, low, high, whole)

    def merged(self, other: "FeatureStatistics") -> "FeatureStatistics":
        """Merge the statistics of two chunks."""
        low, high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)
        span = np.where((unit := _span(low, high)) == 0.0, 1.0, unit)
        total = self.weight + other.weight
        fraction = other.weight / np.where(total == 0.0, 1.0, total)
        # In a chunk where the feature is always missing, its mean is meaningless.
        both = (self.weight > 0.0) & (other.weight > 0.0)
        apart = np.where(both, other.mean - self.mean, 0.0) / span
        variance = (
            (1.0 - fraction) * np.square(self.deviation / span)
            + fraction * np.square(other.deviation / span)
            + fraction * (1.0 - fraction) * np.square(apart)
        )
        mean = np.where(self.weight == 0.0, other.mean, self.mean + fraction * (other.mean - self.mean))
        deviation = np.where(total == 0.0, 0.0, span * np.sqrt(variance))
        return FeatureStatistics(total, mean, deviation, low, high, self.whole & other.whole)


def _shrunk(
    root: NDArray[np.float64], columns: NDArray[np.integer], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the root mean squares of columns, shrunk towards their mean (empirical Bayes).

    Logarithms of mean squares vary between columns because columns differ, and because of sampling error in columns
    with few values. The sampling variance is estimated from the squares within columns; the rest is the variance
    between columns.
    """
    n_values = np.bincount(columns, minlength=len(root))
    used = (n_values > 0) & (root > 0.0)
    if n_values[used].sum() <= used.sum():  # no column has two values: sampling error cannot be estimated
        return root
    squares = np.square(np.square(values / unit_of(root)[columns]) - 1.0).sum()
    sampling = squares / (n_values[used] - 1).sum() / n_values[used]
    logarithms = 2.0 * np.log(root[used])
    mean = np.average(logarithms, weights=n_values[used])
    between = max(float(np.mean(np.square(logarithms - mean) - sampling)), 0.0)
    fraction = between / np.where(between + sampling == 0.0, 1.0, between + sampling)
    result = root.copy()
    result[used] = np.exp(0.5 * (mean + fraction * (logarithms - mean)))
    return result


def _span(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the width of the range of each feature, 0 if it is always missing; raise if the width overflows."""
    with np.errstate(over="ignore"):
        span = np.where(np.isnan(low), 0.0, high - low)
    too_wide = np.flatnonzero(~np.isfinite(span))
    if too_wide.size:
        raise DataError(
            f"Feature number {too_wide[0]} of X ranges from {low[too_wide[0]]:g} to {high[too_wide[0]]:g}, which "
            "overflows float64. Scale it before fitting."
        )
    return span


def unit_of(width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the divisor that scales each feature: its width, or 1 where the width is 0."""
    return np.where(width == 0.0, 1.0, width)
