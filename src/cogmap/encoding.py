"""From a table to first states: features scaled to [0, 1], outputs undecided."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cogmap.exceptions import DataError

UNDECIDED = 0.5  # what an output concept starts with

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
    """Smallest and largest value of each feature in the training data."""

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
        span = self.high - self.low
        span[span == 0.0] = 1.0
        scaled = np.empty(X.shape, dtype=dtype or X.dtype)
        # In float64, block by block: a float32 table may hold values whose difference float32 cannot.
        with np.errstate(over="ignore"):
            for rows in row_blocks(len(X)):
                block = X[rows] - self.low
                block /= span
                np.clip(block, *_OUTERMOST, out=block)
                scaled[rows] = block
        return scaled


def first_states(X: NDArray[np.floating], n_outputs: int) -> NDArray[np.floating]:
    """Put undecided output concepts behind the scaled features `X`."""
    states = np.empty((X.shape[0], X.shape[1] + n_outputs), dtype=X.dtype)
    states[:, : X.shape[1]] = X
    states[:, X.shape[1] :] = UNDECIDED
    return states
