"""Sums over many rows that come out the same to the last bit, however the rows are divided.

A sum of floating-point numbers depends on the order in which they are added. Rows are therefore added in segments of a
fixed number, counted from the first row, and the sums of segments in pairs, pairs of pairs and so on. Whoever holds an
aligned run of 2**level segments (a thread, a chunk of a file, a worker of a cluster) can add them alone, and the
result is that of one who adds them all.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

SEGMENT = 2**16  # rows

T = TypeVar("T")


def segments(n_rows: int) -> list[slice]:
    """Cut rows into segments; the last one may be shorter."""
    return [slice(start, min(start + SEGMENT, n_rows)) for start in range(0, n_rows, SEGMENT)]


class PairwiseSum(Generic[T]):
    """Adds the sums of segments in pairs, as they come in their order; it never holds more than a few.

    Parameters
    ----------
    add : callable
        Adds two sums.

    Examples
    --------
    >>> total = PairwiseSum(lambda left, right: f"({left}{right})")
    >>> for segment in "abcde":
    ...     total.add(segment)
    >>> total.result()
    '(((ab)(cd))e)'
    """

    def __init__(self, add: Callable[[T, T], T]) -> None:
        self._add = add
        self._sums: list[tuple[int, T]] = []  # level and sum, levels falling

    def add(self, value: T, level: int = 0) -> None:
        """Add the next segment, or the sum of the next 2**level segments; only the last may be of fewer."""
        while self._sums and self._sums[-1][0] == level:
            value, level = self._add(self._sums.pop()[1], value), level + 1
        self._sums.append((level, value))

    def result(self) -> T:
        """Return the sum of all."""
        value = self._sums[-1][1]
        for _, before in self._sums[-2::-1]:
            value = self._add(before, value)
        return value


def total(values: NDArray[np.float64]) -> float:
    """Return the sum of one number per row."""
    result: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)
    for rows in segments(len(values)):
        result.add(float(values[rows].sum()))
    return result.result()
