"""Which rows to train and score on within a time limit, and how long a fit takes."""

import time
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray

from cogmap.table.preparation import TablePreparer
from cogmap.table.scoring import MANY_VALUES, as_features, fitted
from cogmap.table.targets import CLASSES

# Rows fitted to estimate the training time. Tables from the second number on are trained in another way, so they are
# timed with as many rows.
_PILOT_ROWS = 500, 3000
_OF_ALL = 6.5  # cost of all folds, the final map and the other methods, in units of one fit to all rows
_SCORED = 1000  # rows on which scores are computed before training rows are left out


class Extent(NamedTuple):
    """Rows to train on, the rows among them to score on (None for no scores), notes, and the expected seconds."""

    rows: NDArray[np.intp]
    scored: NDArray[np.intp] | None
    notes: list[str]
    seconds: float | None = None


def within(
    limit: float | None, estimator: Any, preparer: TablePreparer, table: Any, y: Any, task: str, seed: int
) -> Extent:
    """Return what to train and score on within a time limit in seconds.

    A fit to few rows is timed, and training time is assumed to be proportional to the number of rows. Scores are
    computed on fewer rows before training rows are left out. Without a limit, only large tables are timed.
    """
    n, every = len(table), np.arange(len(table))
    large = n * len(preparer.get_feature_names_out()) > MANY_VALUES
    if limit is None and not large:
        return Extent(every, every, [])
    began = time.perf_counter()
    pilot = sample(y, task, _PILOT_ROWS[n >= _PILOT_ROWS[1]], seed)
    fitted(estimator, as_features(preparer, table.iloc[pilot]), y.iloc[pilot])
    per_row = (time.perf_counter() - began) / len(pilot)
    if limit is None:
        return Extent(every, every, [], _OF_ALL * per_row * n / (cpu_count() if large else 1))
    left = limit - (time.perf_counter() - began)
    if (expected := _OF_ALL * per_row * n) <= left:
        return Extent(every, every, [], expected)
    n_rows = min(int(left / per_row - (_OF_ALL - 1.0) * _SCORED), n)
    if n_rows >= min(_SCORED, n):
        rows = sample(y, task, n_rows, seed)
        n_scored = int((left / per_row - n_rows) / (_OF_ALL - 1.0))
        scored = sample(y.iloc[rows], task, n_scored, seed)
        note = f"To keep within the time limit, scores are those of maps trained on parts of {len(scored):,} rows"
        of_rows = "all rows" if len(rows) == n else f"{len(rows):,} of {n:,} rows"
        return Extent(rows, scored, [f"{note}, drawn at random. This map was trained on {of_rows}."], limit)
    n_rows = int(left / (per_row * _OF_ALL))
    if n_rows >= min(_PILOT_ROWS[0], n):
        rows = sample(y, task, n_rows, seed)
        note = f"To keep within the time limit, it was trained on {len(rows):,} of {n:,} rows, drawn at random."
        return Extent(rows, np.arange(len(rows)), [note], limit)
    rows = sample(y, task, min(max(int(left / per_row), _PILOT_ROWS[0]), n), seed)
    of_rows = "" if len(rows) == n else f", and it was trained on {len(rows):,} of {n:,} rows"
    return Extent(rows, None, [f"To keep within the time limit, there are no scores{of_rows}."], limit)


def sample(y: Any, task: str, n_rows: int, seed: int) -> NDArray[np.intp]:
    """Draw rows at random, stratified by class, with at least two rows per class."""
    random = np.random.default_rng(seed)
    if n_rows >= len(y):
        return np.arange(len(y))
    if task != CLASSES:
        return np.sort(random.choice(len(y), n_rows, replace=False))
    drawn = []
    for label in np.unique(y.astype(str)):
        rows = np.flatnonzero(y.to_numpy() == label)
        n_drawn = max(round(n_rows * len(rows) / len(y)), 2)
        drawn.append(random.choice(rows, min(n_drawn, len(rows)), replace=False))
    return np.sort(np.concatenate(drawn))


def duration(seconds: float) -> str:
    """Return a time in words, such as "40 s" or "3 min"."""
    if seconds < 90.0:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60.0)} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
