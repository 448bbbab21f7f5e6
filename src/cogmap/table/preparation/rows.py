"""Convert rows of plain values, such as parsed JSON, to features; small batches bypass pandas and take microseconds."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from cogmap._utils.text import cut
from cogmap.table.columns import Column, NumberColumn, Unseen, Value
from cogmap.table.columns.texts import MISSING, pandas, spelled
from cogmap.table.preparation.reading import Reading, read_frame

_PLAIN = {int, float, type(None)}
MANY = 500  # pandas is faster for more rows than this


class RowReader:
    """Convert rows that are dicts of plain values to features, with the same result as `TablePreparer.read`.

    Parameters
    ----------
    columns : sequence of Column
        Columns of a fitted preparer.

    Examples
    --------
    >>> from cogmap.table.preparation import CategoryColumn, NumberColumn, RowReader
    >>> age = NumberColumn("age", ("age",))
    >>> colour = CategoryColumn("colour", ("colour=red", "colour=blue"), ("red", "blue"))
    >>> reading = RowReader([age, colour]).read([{"age": 42, "colour": "blue"}, {"age": None, "colour": "pink"}])
    >>> reading.features
    array([[42.,  0.,  1.],
           [nan, nan, nan]])
    >>> reading.unseen
    {'colour': {'pink': 1}}
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._all = columns
        self._columns = [(column.name, _cell(column), column.gap) for column in columns]
        # If all columns are numeric, rows of numbers can be converted without a call per cell.
        numbers = len(columns) > 1 and all(column.kind == "number" for column in columns)
        self._plain = itemgetter(*(column.name for column in columns)) if numbers else None

    def read(self, rows: Sequence[Mapping[str, Any]]) -> Reading:
        """Convert rows to features, and collect values not seen in training and rows that cannot be used.

        Parameters
        ----------
        rows : sequence of dict
            Each row has a value for every column: a number, a boolean, a string, or None if missing.

        Returns
        -------
        Reading
        """
        if self._plain is not None:
            try:
                values = [self._plain(row) for row in rows]
                if all(
                    set(map(type, row)) <= _PLAIN and math.inf not in row and -math.inf not in row for row in values
                ):
                    return Reading(np.array(values, dtype=np.float64), {}, {})
            except OverflowError:  # an integer too large for a float; the code below records a fault
                pass
        if len(rows) > MANY:
            by_column = ([row[column.name] for row in rows] for column in self._all)
            return read_frame(self._all, frame_of(self._all, by_column))
        table: list[list[float]] = []
        unseen: dict[str, dict[str, int]] = {}
        faults: dict[int, str] = {}
        for i, row in enumerate(rows):
            features: list[float] = []
            for name, cell, gap in self._columns:
                value = row[name]
                result = gap if value is None else cell(value)
                if isinstance(result, tuple):
                    features += result
                    continue
                features += gap
                if isinstance(result, Unseen):
                    counts = unseen.setdefault(name, {})
                    counts[result.text] = counts.get(result.text, 0) + 1
                else:
                    faults.setdefault(i, f"{cut(name)}: {result.reason}")
            table.append(features)
        return Reading(np.array(table, dtype=np.float64), unseen, faults)


def frame_of(columns: Sequence[Column], values: Iterable[Sequence[Any]]) -> Any:
    """Return plain values by column as a frame; only for numbers is the dtype inferred, other kinds parse strings."""
    pairs = zip(columns, values, strict=True)
    return pandas.DataFrame(
        {
            column.name: pandas.Series(of_column, dtype=None if column.kind == "number" else object)
            for column, of_column in pairs
        }
    )


def _cell(column: Column) -> Callable[[Any], Value]:
    """Return a function that converts a value of any type to features of a column."""
    gap, parse = column.gap, column.value
    number = column.number if isinstance(column, NumberColumn) else None

    def cell(value: Any) -> Value:
        if number is not None and type(value) in (float, int):
            return number(value if type(value) is float or -(2**1023) < value < 2**1023 else math.inf)
        text = spelled(value)
        return gap if text in MISSING or value != value else parse(text)

    return cell
