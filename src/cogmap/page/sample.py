"""Stratified sample of the rows that the page shows."""

import numpy as np
from numpy.typing import NDArray

_MAX_ROWS = 500
_MAX_VALUES = 20_000  # in the whole sample: pages with many columns show fewer rows
_MIN_ROWS = 10


def rows_shown(n_rows: int, n_columns: int, max_rows: int | None = None) -> int:
    """Return the number of rows in the sample."""
    most = max(_MAX_VALUES // max(n_columns, 1), _MIN_ROWS)
    return min(n_rows, _MAX_ROWS, most, n_rows if max_rows is None else max_rows)


def by_class(codes: NDArray[np.intp], n_shown: int) -> NDArray[np.intp]:
    """Return the indices of a sample stratified by class, with at least one row per class if possible.

    Within a class, rows are taken at even distances.
    """
    present, counts = np.unique(codes, return_counts=True)
    if n_shown < len(present):
        present, counts = (array[np.sort(np.argsort(-counts, kind="stable")[:n_shown])] for array in (present, counts))
    sizes = np.ones(len(present), dtype=np.intp)
    ideal = n_shown * counts / counts.sum()
    for _ in range(n_shown - len(present)):
        sizes[np.where(sizes < counts, ideal - sizes, -np.inf).argmax()] += 1
    chosen = [_evenly(np.flatnonzero(codes == code), int(size)) for code, size in zip(present, sizes, strict=True)]
    return np.sort(np.concatenate(chosen))


def by_value(values: NDArray[np.floating], n_shown: int) -> NDArray[np.intp]:
    """Return the indices of a sample at even distances in the order of the values."""
    return np.sort(_evenly(np.argsort(values, kind="stable"), n_shown))


def _evenly(rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    return rows[((np.arange(count) + 0.5) * len(rows) / count).astype(np.intp)]
