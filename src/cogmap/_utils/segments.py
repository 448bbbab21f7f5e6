"""Sums over rows that are bitwise independent of partitioning.

A floating-point sum depends on the order of its terms. Rows are therefore summed in segments of fixed length, counted
from the first row, and segments in pairs, pairs of pairs and so on. A thread, chunk or cluster worker with an aligned
run of 2**level segments can sum them on its own, and the total is the same as if one process had summed all rows.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

SEGMENT = 2**16  # rows

T = TypeVar("T")


def segments(n_rows: int) -> list[slice]:
    """Return the segments of `n_rows` rows; the last one may be shorter."""
    return [slice(start, min(start + SEGMENT, n_rows)) for start in range(0, n_rows, SEGMENT)]


class PairwiseSum(Generic[T]):
    """Sum of segments in pairs, updated segment by segment in their order; it stores only a few partial sums.

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
        self._sums: list[tuple[int, T]] = []  # level and sum, in descending order of level

    def add(self, value: T, level: int = 0) -> None:
        """Add the next segment, or the sum of the next 2**level segments; only the last may have fewer."""
        while self._sums and self._sums[-1][0] == level:
            value, level = self._add(self._sums.pop()[1], value), level + 1
        self._sums.append((level, value))

    def result(self) -> T:
        """Return the total."""
        value = self._sums[-1][1]
        for _, before in self._sums[-2::-1]:
            value = self._add(before, value)
        return value


def total(values: NDArray[np.float64]) -> float:
    """Return the sum of an array with one value per row."""
    result: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)
    for rows in segments(len(values)):
        result.add(float(values[rows].sum()))
    return result.result()
