"""Splits of a table into training rows and held-out rows: one for early stopping, or several for teachers."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.table import Table
from cogmap.exceptions import DataError

Split = tuple[Table, Table]  # training rows, held-out rows


def make_splits(table: Table, n_folds: int, random: np.random.RandomState, counts: bool = False) -> Iterator[Split]:
    """Yield stratified splits, with each fold held out once.

    Folds have about equal size and the same fraction of each stratum. A row that represents several equal rows is
    assigned to several folds, as they would be. The only row of a stratum is never held out, because its class could
    not be learned without it. Splits are generated lazily, because each may need much memory. With `counts`, weights
    that are whole numbers are numbers of equal rows, and a rare row is not held out as a whole.
    """
    rows, fold_of, shares = _assign_folds(table, n_folds, random, counts)
    for fold in range(n_folds):
        here = fold_of == fold
        if not here.any():
            continue
        if shares is None:
            held_out = np.zeros(table.n_rows, dtype=bool)
            held_out[rows[here]] = True
            yield table.take(np.flatnonzero(~held_out)), table.take(np.flatnonzero(held_out))
        else:
            weight = np.bincount(rows[here], shares[here], minlength=table.n_rows).astype(np.float64, copy=False)
            yield table.weighted(np.maximum(table.row_weights - weight, 0.0)), table.weighted(weight)


def _assign_folds(
    table: Table, n_folds: int, random: np.random.RandomState, counts: bool
) -> tuple[NDArray[np.intp], NDArray[np.integer], NDArray[np.float64] | None]:
    """Return row numbers, the fold of each, and the weight of the row in that fold (None: its full weight)."""
    strata = table.targets.strata()
    unit = _common_unit(table.weight) if counts else None
    assigned, fold_of, shares = [], [], []
    n_assigned = 0
    for stratum in range(strata.max() + 1):
        rows = random.permutation(np.flatnonzero(strata == stratum))
        if table.weight is None:
            copies = np.ones(len(rows), dtype=np.intp)
        else:
            # The number of typical rows of the stratum that a row represents; independent of the scale of the weights.
            weight = table.weight[rows]
            with np.errstate(over="ignore"):
                typical = np.round(weight / (unit or np.median(weight)))
            copies = np.clip(typical, 1, n_folds).astype(np.intp) if len(rows) else rows
        if copies.sum() > 1:
            positions = n_assigned + np.arange(copies.sum())
            n_assigned += int(copies.sum())
            assigned.append(np.repeat(rows, copies))
            fold_of.append((positions % n_folds).astype(np.int16))
            if table.weight is not None:
                shares.append(np.repeat(table.weight[rows] / copies, copies))
    if not assigned:
        empty = np.zeros(0, dtype=np.intp)
        return empty, empty, None
    return np.concatenate(assigned), np.concatenate(fold_of), np.concatenate(shares) if shares else None


def _common_unit(weight: NDArray[np.float64] | None) -> float | None:
    """Return the greatest common divisor of weights that are whole numbers, or None."""
    if weight is None or weight.max() > 1e9 or (weight != np.rint(weight)).any():
        return None
    return float(np.gcd.reduce(weight.astype(np.int64)))


def validation_split(table: Table, fraction: float, random: np.random.RandomState, owner: str) -> Split:
    """Hold out a fraction of the rows, stratified, but never all rows of a stratum."""
    strata = table.targets.strata()
    held_out = np.zeros(table.n_rows, dtype=bool)
    counts = np.bincount(strata)
    exact = np.minimum(fraction * counts, np.maximum(counts - 1, 0))
    numbers = np.floor(exact).astype(int)
    # Rows lost by rounding down go to the strata with the largest remainders.
    left = max(round(fraction * len(held_out)) - int(numbers.sum()), 0)
    for stratum in np.argsort(numbers - exact, kind="stable")[:left]:
        numbers[stratum] += numbers[stratum] < counts[stratum] - 1
    for stratum, number in enumerate(numbers):
        held_out[random.permutation(np.flatnonzero(strata == stratum))[:number]] = True
    if not held_out.any():
        raise DataError(
            f"`{owner}(validation_fraction={fraction:g})` of {len(held_out)} rows leaves no row for validation. "
            "Increase it, or set early_stopping=False."
        )
    return table.take(np.flatnonzero(~held_out)), table.take(np.flatnonzero(held_out))
