"""Convert a frame to features column by column, and write notes on unseen values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import shown
from cogmap._utils.text import cut
from cogmap.exceptions import DataError
from cogmap.table.columns import Cells, Column, spans

_PLAIN = {np.dtype(np.float64), np.dtype(np.int64)}  # the most frequent dtypes of numeric columns


class Reading(NamedTuple):
    """Features of a table, unseen categories and unusable rows.

    Attributes
    ----------
    features : ndarray of shape (n_rows, n_outputs)
        Features, NaN if a value is missing or was not seen in training.
    unseen : dict of str to dict
        For each column, the categories not seen in training, with their row counts.
    faults : dict of int to str
        Indices of rows that cannot be used, with the reason.
    """

    features: NDArray[np.float64]
    unseen: dict[str, dict[str, int]]
    faults: dict[int, str]

    def usable(self, places: Sequence[int] | NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the features; raise DataError if a row cannot be used, given the place of each row in the table."""
        if self.faults:
            row, reason = min(self.faults.items())
            more = f" {len(self.faults) - 1:,} more rows cannot be used either." if len(self.faults) > 1 else ""
            raise DataError(
                f"Row {places[row] + 1} of the table cannot be used: {reason}.{more} Correct or clear the value."
            )
        return self.features


def read_frame(columns: Sequence[Column], frame: Any) -> Reading:
    """Convert a pandas frame that has all columns to features."""
    features = np.empty((len(frame), sum(len(column.outputs) for column in columns)))
    unseen, faults = {}, dict[int, str]()
    plain = _plain_numbers(frame, [column.name for column in columns if column.kind == "number"])
    for column, span in zip(columns, spans(columns), strict=True):
        cells = plain[column.name] if column.name in plain else column.read(frame[column.name])
        features[:, span] = cells.features
        if cells.unseen:
            unseen[column.name] = cells.unseen
        for row, reason in cells.faults.items():
            faults.setdefault(row, reason)
    return Reading(features, unseen, faults)


def _plain_numbers(frame: Any, names: list[str]) -> dict[str, Cells]:
    """Convert all numeric columns at once if they have plain dtypes: this is much faster for a single row."""
    places = {name: place for place, name in enumerate(frame.columns.tolist())}
    numbers, kinds = [places[name] for name in names], frame.dtypes.tolist()
    if not names or not {kinds[place] for place in numbers} <= _PLAIN:
        return {}
    values = frame.take(numbers, axis=1).to_numpy(dtype=np.float64)  # faster than selection by name
    if np.isinf(values).any():
        return {}
    return {name: Cells(column[:, np.newaxis], {}, {}) for name, column in zip(names, values.T, strict=True)}


def unseen_notes(unseen: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return a note per column on values not seen in training."""
    notes = []
    for name, counts in unseen.items():
        rows, values = sum(counts.values()), shown(dict(Counter(counts).most_common()))[1:-1]
        if rows == 1:
            notes.append(
                f"{cut(name)}: 1 row has a value that was not seen in training ({values}). It counts as missing."
            )
        else:
            notes.append(
                f"{cut(name)}: {rows:,} rows have values that were not seen in training ({values}). They count as "
                "missing."
            )
    return notes
