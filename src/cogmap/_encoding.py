"""From a table to first states: features scaled to [0, 1], missing values and everything else undecided."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import expit

from cogmap._segments import PairwiseSum, segments
from cogmap._terms import Terms
from cogmap.exceptions import DataError

UNDECIDED = 0.5  # what hidden concepts, outputs and features whose value is missing (NaN) start with

# A value outside the range seen in training keeps its distance up to one more range, so that a row a little outside
# is treated like a linear model would; beyond, it is held there, so that no input can overflow the map.
OUTERMOST = (-1.0, 2.0)

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
        so that a value that is stored, however rare, lies where the logistic function is nearly straight.
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
        unit = _unit(np.maximum(-low, high))
        total = np.bincount(columns, weights, minlength=n).astype(np.float64, copy=False)
        squares = np.bincount(columns, weights * np.square(values / unit[columns]), minlength=n)
        deviation = _SPARSE_SPREAD * unit * np.sqrt(squares / np.where(total == 0.0, 1.0, total))
        _span(low, high)
        return cls(total, np.zeros(n), deviation, low, high)

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


class Scaling(Protocol):
    """What is asked of a way to turn features into states."""

    @property
    def known(self) -> FeatureStatistics:
        """What it has learned from."""
        ...

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return the states of the features, in [0, 1] for values like those of the training data."""
        ...

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return the derivative of each state with respect to its feature."""
        ...


@dataclass(frozen=True)
class FeatureRange:
    """Smallest and largest value of each feature in the training data: min-max scaling, the paper's."""

    known: FeatureStatistics

    @property
    def low(self) -> NDArray[np.float64]:
        """Smallest value of each feature; 0 if it is always missing."""
        return np.nan_to_num(self.known.low)

    @property
    def high(self) -> NDArray[np.float64]:
        """Largest value of each feature; 0 if it is always missing."""
        return np.nan_to_num(self.known.high)

    @property
    def _unit(self) -> NDArray[np.float64]:
        return _unit(self.high - self.low)

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return `X` with the range of each feature moved to [0, 1]; a constant feature becomes 0.

        Values up to one range outside stay outside in proportion, values beyond are held at -1 or 2.
        """
        low, unit = self.low, self._unit

        def states(block: Array) -> NDArray[np.float64]:
            return np.clip((block - low) / unit, *OUTERMOST)

        return _by_blocks(X, states, dtype)

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return the derivative of each state with respect to its feature."""
        with np.errstate(over="ignore", invalid="ignore"):
            states = (X - self.low) / self._unit
            inside = (states > OUTERMOST[0]) & (states < OUTERMOST[1])  # False where a value is missing
        return inside / self._unit


@dataclass(frozen=True)
class FeatureSpread:
    """Mean and standard deviation of each feature in the training data.

    A state is the logistic function of how many deviations a value lies from the mean. A few very large values do not
    push all others into a corner, as they do with the range, and no value can leave [0, 1].
    """

    known: FeatureStatistics

    # One deviation from the mean is 0.68 or 0.32: most values lie where the function is nearly straight.
    steepness = 0.75

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature."""
        return self.known.mean

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Standard deviation of each feature."""
        return self.known.deviation

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return the logistic function of `X` in deviations from the mean; a constant feature becomes 0.5."""
        unit = _unit(self.deviation)

        def states(block: Array) -> NDArray[np.float64]:
            net = (block - self.mean) / unit
            net *= self.steepness
            return np.asarray(expit(net, out=net))

        return _by_blocks(X, states, dtype)

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return the derivative of each state with respect to its feature."""
        states = self.scale(X, np.float64)
        return np.where(np.isnan(X), 0.0, states * (1.0 - states) * (self.steepness / _unit(self.deviation)))


@dataclass(frozen=True)
class FromUndecided:
    """States that are given as their differences from undecided, as sparse tables of states are."""

    @property
    def known(self) -> FeatureStatistics:
        """Nothing: it learns from no table."""
        raise NotImplementedError

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return the states."""
        return (np.nan_to_num(X) + UNDECIDED).astype(dtype or X.dtype, copy=False)

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return ones."""
        return np.ones(X.shape)


def _unit(width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return in what a feature is counted: its width, or ones if it has none."""
    return np.where(width == 0.0, 1.0, width)


def _by_blocks(X: Array, states: Callable[[Array], NDArray[np.float64]], dtype: DTypeLike | None) -> Array:
    """Compute states block by block, in float64: a float32 table may hold values whose difference float32 cannot."""
    scaled = np.empty(X.shape, dtype=dtype or X.dtype)
    with np.errstate(over="ignore"):
        for rows in row_blocks(len(X), X.shape[1]):
            block = states(X[rows])
            missing = np.isnan(block)
            if missing.any():
                block[missing] = UNDECIDED
            scaled[rows] = block
    return scaled


@dataclass(frozen=True)
class Encoding:
    """How a row of a table becomes the first states of a map.

    Attributes
    ----------
    n_features : int
        Number of columns of the table.
    n_hidden : int
        Number of hidden concepts, which come after the inputs. They and the outputs, the last ones, start undecided.
    scaling : FeatureSpread, FeatureRange or None
        How features become states. None takes them as they are.
    terms : Terms or None
        Which features are read as words. None gives each feature one concept.
    """

    n_features: int
    n_hidden: int = 0
    scaling: Scaling | None = None
    terms: Terms | None = None

    @property
    def columns(self) -> NDArray[np.intp]:
        """The column that each input, each of the first concepts of the map, gets its state from."""
        return np.arange(self.n_features) if self.terms is None else self.terms.columns

    @property
    def n_inputs(self) -> int:
        """Number of concepts that get their first states from the table."""
        return self.n_features if self.terms is None else len(self.terms.columns)

    @property
    def most_words(self) -> int | None:
        """The largest number of words of a feature; None if all are numbers."""
        words = [] if self.terms is None else [len(words) for words in self.terms.words]
        return max(words, default=0) or None

    def input_names(self, columns: Sequence[str]) -> list[str]:
        """Return the names of the inputs, given those of the columns."""
        return list(columns) if self.terms is None else self.terms.names(columns)

    def column_names(self, inputs: Sequence[str]) -> list[str]:
        """Return the names of the columns, given those of the inputs."""
        if self.terms is None:
            return list(inputs)
        first = np.searchsorted(self.columns, np.arange(self.n_features))
        words = [f" is {words[0]}" if words else "" for words in self.terms.words]
        return [inputs[place].removesuffix(word) for place, word in zip(first, words, strict=True)]

    def inputs(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return the states of the inputs, undecided where a value is missing."""
        numbers = self._numbers(X, dtype)
        return numbers if self.terms is None else self.terms.states(X, numbers)

    def learned_from(self, X: TableLike, dtype: DTypeLike | None = None) -> TableLike:
        """Return the inputs as learning reads them: those of a sparse table stay sparse."""
        return self.sparse_inputs(X, dtype) if issparse(X) else self.inputs(X, dtype)

    def sparse_inputs(self, X: TableLike, dtype: DTypeLike | None = None) -> csr_array:
        """Return the states of a sparse table minus 0.5, sparse as well: an empty place is undecided."""
        result = csr_array(X, dtype=dtype or X.dtype, copy=True)
        if isinstance(self.scaling, FeatureSpread):
            net = np.nan_to_num(result.data / _unit(self.scaling.deviation)[result.indices])
            result.data = (expit(self.scaling.steepness * net) - UNDECIDED).astype(result.dtype)
        return result

    @property
    def keeps_sparse(self) -> bool:
        """Whether an empty place of a sparse table is undecided."""
        if self.terms is not None:
            return False
        if isinstance(self.scaling, FeatureSpread):
            return not self.scaling.mean.any()
        return isinstance(self.scaling, FromUndecided)

    def _numbers(self, X: Array, dtype: DTypeLike | None) -> Array:
        if self.scaling is not None:
            return self.scaling.scale(X, dtype)
        dtype = dtype or X.dtype
        missing = np.isnan(X)
        return np.where(missing, UNDECIDED, X).astype(dtype) if missing.any() else X.astype(dtype, copy=False)

    def derivative(self, X: Array) -> Array:
        """Return the derivative of the state of each input with respect to its column, 0 where that is missing."""
        of_numbers = np.where(np.isnan(X), 0.0, 1.0) if self.scaling is None else self.scaling.derivative(X)
        return of_numbers if self.terms is None else self.terms.derivative(X, of_numbers)

    def by_column(self, of_inputs: Array) -> Array:
        """Sum what belongs to the same column: from (..., n_inputs) to (..., n_features)."""
        if self.terms is None:
            return of_inputs
        belongs = np.zeros((self.n_inputs, self.n_features), dtype=of_inputs.dtype)
        belongs[np.arange(self.n_inputs), self.columns] = 1.0
        return of_inputs @ belongs

    def first_states(self, X: Array, n_outputs: int) -> Array:
        """Return the first states of all concepts of a map with so many outputs."""
        states = np.full((len(X), self.n_inputs + self.n_hidden + n_outputs), UNDECIDED, dtype=X.dtype)
        states[:, : self.n_inputs] = self.inputs(X)
        return states
