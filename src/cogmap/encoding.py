"""From a table to first states: features scaled to [0, 1], outputs undecided."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.special import expit

from cogmap.exceptions import DataError

UNDECIDED = 0.5  # what hidden concepts and outputs start with

# A value outside the range seen in training keeps its distance up to one more range, so that a row a little outside
# is treated like a linear model would; beyond, it is held there, so that no input can overflow the map.
_OUTERMOST = (-1.0, 2.0)

_ROWS_AT_ONCE = 4096


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Cut a table into blocks of rows, so that what is computed from it needs little memory at a time."""
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        yield slice(start, min(start + _ROWS_AT_ONCE, n_rows))


@dataclass(frozen=True)
class FeatureRange:
    """Smallest and largest value of each feature in the training data: min-max scaling, the paper's."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def learn(cls, X: NDArray[np.floating]) -> "FeatureRange":
        """Take the range of each column of `X`."""
        low = X.min(axis=0).astype(np.float64)
        high = X.max(axis=0).astype(np.float64)
        with np.errstate(over="ignore"):
            too_wide = np.flatnonzero(~np.isfinite(high - low))
        if too_wide.size:
            raise DataError(
                f"Feature number {too_wide[0]} of X spans {low[too_wide[0]]:g} to {high[too_wide[0]]:g}, more than a "
                "floating-point number can hold. Scale it before fitting."
            )
        return cls(low, high)

    def scale(self, X: NDArray[np.floating], dtype: DTypeLike | None = None) -> NDArray[np.floating]:
        """Return `X` with the range of each feature moved to [0, 1]; a constant feature becomes 0.

        Values up to one range outside stay outside in proportion, values beyond are held at -1 or 2.
        """
        return _by_blocks(
            X, self.low, self.high - self.low, lambda block: np.clip(block, *_OUTERMOST, out=block), dtype
        )


@dataclass(frozen=True)
class FeatureSpread:
    """Mean and standard deviation of each feature in the training data.

    A state is the logistic function of how many deviations a value lies from the mean. A few very large values do not
    push all others into a corner, as they do with the range, and no value can leave [0, 1].
    """

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    # One deviation from the mean is 0.68 or 0.32: most values lie where the function is nearly straight.
    steepness = 0.75

    @classmethod
    def learn(cls, X: NDArray[np.floating], weight: NDArray[np.float64] | None = None) -> "FeatureSpread":
        """Take mean and deviation of each column of `X`, whose rows may have weights."""
        within = FeatureRange.learn(X)  # computed within the range, lest the squares of large numbers overflow

        def average(of_block: Callable[[NDArray[np.floating]], NDArray[np.floating]]) -> NDArray[np.float64]:
            total = len(X) if weight is None else weight.sum()
            result = np.zeros(X.shape[1])
            for rows in row_blocks(len(X)):
                weights = None if weight is None else weight[rows]
                share = (rows.stop - rows.start if weights is None else weights.sum()) / total
                values = of_block(within.scale(X[rows], np.float64))
                result += share * np.average(values, axis=0, weights=weights)
            return result

        mean = average(lambda block: block)
        deviation = np.sqrt(average(lambda block: np.square(block - mean)))
        span = within.high - within.low
        return cls(within.low + span * mean, span * deviation)

    def scale(self, X: NDArray[np.floating], dtype: DTypeLike | None = None) -> NDArray[np.floating]:
        """Return the logistic function of `X` in deviations from the mean; a constant feature becomes 0.5."""

        def squash(block: NDArray[np.float64]) -> None:
            block *= self.steepness
            expit(block, out=block)

        return _by_blocks(X, self.mean, self.deviation, squash, dtype)


def _by_blocks(
    X: NDArray[np.floating],
    origin: NDArray[np.float64],
    unit: NDArray[np.float64],
    finish: Callable[[NDArray[np.float64]], Any],
    dtype: DTypeLike | None,
) -> NDArray[np.floating]:
    """Count each feature from its origin in its unit (0: in ones), and let `finish` change the blocks in place.

    In float64, block by block: a float32 table may hold values whose difference float32 cannot.
    """
    unit = np.where(unit == 0.0, 1.0, unit)
    scaled = np.empty(X.shape, dtype=dtype or X.dtype)
    with np.errstate(over="ignore"):
        for rows in row_blocks(len(X)):
            block = X[rows] - origin
            block /= unit
            finish(block)
            scaled[rows] = block
    return scaled


def first_states(X: NDArray[np.floating], n_undecided: int) -> NDArray[np.floating]:
    """Put concepts that are undecided at first, hidden ones and outputs, behind the scaled features `X`."""
    states = np.empty((X.shape[0], X.shape[1] + n_undecided), dtype=X.dtype)
    states[:, : X.shape[1]] = X
    states[:, X.shape[1] :] = UNDECIDED
    return states
