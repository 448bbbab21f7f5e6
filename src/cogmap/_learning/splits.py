"""Splits of a table into rows to learn from and held-out rows: one for early stopping, or several for teachers."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.table import Table
from cogmap.exceptions import DataError

Split = tuple[Table, Table]  # rows to learn from, held-out rows


def make_splits(table: Table, n_parts: int, random: np.random.RandomState) -> Iterator[Split]:
    """Divide a table in several ways into rows to learn from and a part kept aside, each row in one part.

    Parts have about equal size and the same share of each stratum. A row that stands for several equal ones is dealt to
    several parts, as they would be. The only row of a stratum is in no part: without it nobody could learn the class.
    Splits are made one after the other, because each may need much memory.
    """
    rows, part_of, shares = _dealt(table, n_parts, random)
    for part in range(n_parts):
        here = part_of == part
        if not here.any():
            continue
        if shares is None:
            aside = np.zeros(table.n_rows, dtype=bool)
            aside[rows[here]] = True
            yield table.take(np.flatnonzero(~aside)), table.take(np.flatnonzero(aside))
        else:
            weight = np.bincount(rows[here], shares[here], minlength=table.n_rows).astype(np.float64, copy=False)
            yield table.weighted(np.maximum(table.row_weights - weight, 0.0)), table.weighted(weight)


def _dealt(
    table: Table, n_parts: int, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.integer], NDArray[np.float64] | None]:
    """Deal the rows; return rows, the part of each, and how much of its weight is there (None: all of it)."""
    strata = table.targets.strata()
    rows_dealt, part_of, shares = [], [], []
    dealt = 0
    for stratum in range(strata.max() + 1):
        rows = random.permutation(np.flatnonzero(strata == stratum))
        if table.weight is None:
            copies = np.ones(len(rows), dtype=np.intp)
        else:
            # How many typical rows of the class a row stands for: a factor on all weights changes nothing.
            weight = table.weight[rows]
            with np.errstate(over="ignore"):
                typical = np.round(weight / np.median(weight))
            copies = np.clip(typical, 1, n_parts).astype(np.intp) if len(rows) else rows
        if copies.sum() > 1:
            places = dealt + np.arange(copies.sum())
            dealt += int(copies.sum())
            rows_dealt.append(np.repeat(rows, copies))
            part_of.append((places % n_parts).astype(np.int16))
            if table.weight is not None:
                shares.append(np.repeat(table.weight[rows] / copies, copies))
    if not rows_dealt:
        nothing = np.zeros(0, dtype=np.intp)
        return nothing, nothing, None
    return np.concatenate(rows_dealt), np.concatenate(part_of), np.concatenate(shares) if shares else None


def validation_split(table: Table, fraction: float, random: np.random.RandomState, owner: str) -> Split:
    """Hold out some rows, about the same share of each stratum, but never all rows of one."""
    strata = table.targets.strata()
    aside = np.zeros(table.n_rows, dtype=bool)
    counts = np.bincount(strata)
    wanted = np.minimum(fraction * counts, np.maximum(counts - 1, 0))
    chosen = np.floor(wanted).astype(int)
    # What rounding down leaves over goes to the strata with the largest remainders.
    left = max(round(fraction * len(aside)) - int(chosen.sum()), 0)
    for stratum in np.argsort(chosen - wanted, kind="stable")[:left]:
        chosen[stratum] += chosen[stratum] < counts[stratum] - 1
    for stratum, number in enumerate(chosen):
        aside[random.permutation(np.flatnonzero(strata == stratum))[:number]] = True
    if not aside.any():
        raise DataError(
            f"`{owner}(validation_fraction={fraction:g})` of {len(aside)} rows leaves no row for validation. "
            "Raise it, or set early_stopping=False."
        )
    return table.take(np.flatnonzero(~aside)), table.take(np.flatnonzero(aside))
