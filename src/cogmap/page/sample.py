"""Which rows of a table the page shows: a stated number, in which every class or part of the range has its share."""

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 500
_MOST_VALUES = 20_000  # of all rows together: a page of many columns shows fewer rows
_FEWEST_ROWS = 10


def rows_shown(n_rows: int, n_columns: int) -> int:
    """Return how many rows are shown."""
    return min(n_rows, MOST_ROWS, max(_MOST_VALUES // max(n_columns, 1), _FEWEST_ROWS))


def by_class(codes: NDArray[np.intp], n_shown: int) -> NDArray[np.intp]:
    """Return the numbers of some rows, of every class its share, and one at least as far as there is room.

    Within a class they lie at even distances.
    """
    present, counts = np.unique(codes, return_counts=True)
    if n_shown < len(present):
        present, counts = (of[np.sort(np.argsort(-counts, kind="stable")[:n_shown])] for of in (present, counts))
    shares = np.ones(len(present), dtype=np.intp)
    wanted = n_shown * counts / counts.sum()
    for _ in range(n_shown - len(present)):
        shares[np.where(shares < counts, wanted - shares, -np.inf).argmax()] += 1
    chosen = [_evenly(np.flatnonzero(codes == code), int(share)) for code, share in zip(present, shares, strict=True)]
    return np.sort(np.concatenate(chosen))


def by_value(values: NDArray[np.floating], n_shown: int) -> NDArray[np.intp]:
    """Return the numbers of some rows at even distances in the order of their values."""
    return np.sort(_evenly(np.argsort(values, kind="stable"), n_shown))


def _evenly(rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    return rows[((np.arange(count) + 0.5) * len(rows) / count).astype(np.intp)]
