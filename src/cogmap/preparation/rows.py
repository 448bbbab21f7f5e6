"""Rows of plain values, as JSON has them, read without pandas: a single one takes microseconds, not milliseconds."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, cast

import numpy as np

from cogmap.preparation.columns import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn, date_parts
from cogmap.preparation.reading import Reading
from cogmap.preparation.texts import MISSING, NumberStyle, boolean, dates, spelled

# What Python reads in the same way as pandas, and much faster.
_PLAIN_DATE = re.compile(r"(?:1[7-9]|2[01])\d\d-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?", re.ASCII)

_PLAIN = {int, float, type(None)}

Features = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Unseen:
    """A value that was not there when the column was learned."""

    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value cannot be used."""

    reason: str


Cell = Callable[[Any], Features | Unseen | Fault]


class RowReader:
    """Reads rows that are dicts of plain values: what `TablePreparer.read` says of the same rows as a frame.

    Parameters
    ----------
    columns : sequence of Column
        The columns of a preparer.

    Examples
    --------
    >>> from cogmap.preparation import CategoryColumn, NumberColumn, RowReader
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
        self._columns = [
            (column.name, _CELLS[column.kind](cast(Any, column)), (math.nan,) * len(column.outputs))
            for column in columns
        ]
        # Where all columns are numbers, rows of numbers need not be looked at one by one.
        numbers = len(columns) > 1 and all(column.kind == "number" for column in columns)
        self._plain = itemgetter(*(column.name for column in columns)) if numbers else None

    def read(self, rows: Sequence[Mapping[str, Any]]) -> Reading:
        """Return the features of rows, values that were not seen before, and rows that cannot be used.

        Parameters
        ----------
        rows : sequence of dict
            Each has a value for every column: a number, a boolean, a text, or None for a gap.

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
            except OverflowError:  # an integer that no float can hold, which is told below
                pass
        table: list[list[float]] = []
        unseen: dict[str, dict[str, int]] = {}
        faults: dict[int, str] = {}
        for i, row in enumerate(rows):
            features: list[float] = []
            for name, cell, gap in self._columns:
                value = row[name]
                found = gap if value is None else cell(value)
                if isinstance(found, tuple):
                    features += found
                    continue
                features += gap
                if isinstance(found, Unseen):
                    counts = unseen.setdefault(name, {})
                    counts[found.text] = counts.get(found.text, 0) + 1
                else:
                    faults.setdefault(i, f"{name}: {found.reason}")
            table.append(features)
        return Reading(np.array(table, dtype=np.float64), unseen, faults)


def _text(value: object) -> str | None:
    """Return a value as text, None if it stands for a gap."""
    text = spelled(value)
    return None if text in MISSING or value != value else text


def _number(column: NumberColumn) -> Cell:
    style = NumberStyle(column.decimal, column.unit)

    def cell(value: Any) -> Features | Unseen | Fault:
        number: float | None
        if type(value) is float:
            number = value
        elif type(value) is int:
            number = float(value) if -(2**1023) < value < 2**1023 else math.inf
        else:
            text = _text(value)
            if text is None or text in column.words:
                return (math.nan,)
            number = style.parse(text)
            if number is None:
                return Fault(f"{text!r} is not a number")
        return Fault(f"{number} is not a finite number") if math.isinf(number) else (number,)

    return cell


def _boolean(column: BooleanColumn) -> Cell:
    def cell(value: Any) -> Features | Unseen | Fault:
        text = _text(value)
        if text is None:
            return (math.nan,)
        number = boolean(text)
        return Unseen(text) if number is None else (number,)

    return cell


def _category(column: CategoryColumn) -> Cell:
    outputs, gap = range(len(column.outputs)), (math.nan,) * len(column.outputs)
    features = {text: tuple(float(place == other) for other in outputs) for text, place in column._places.items()}

    def cell(value: Any) -> Features | Unseen | Fault:
        text = _text(value)
        if text is None:
            return gap
        found = features.get(text)
        return Unseen(text) if found is None else found

    return cell


def _date(column: DateColumn) -> Cell:
    gap = (math.nan,) * len(column.outputs)

    def cell(value: Any) -> Features | Unseen | Fault:
        text = _text(value)
        if text is None or text in column.words:
            return gap
        parts = _plain_parts(text) if column.style == "ISO8601" and _PLAIN_DATE.fullmatch(text) else None
        if parts is None:
            when = dates([text], column.style)
            if np.isnat(when[0]):
                return Fault(f"{text!r} is not a date as in training")
            parts = {part: float(numbers[0]) for part, numbers in date_parts(when).items()}
        return tuple(parts[part] for part in column.parts)

    return cell


def _plain_parts(text: str) -> dict[str, float] | None:
    """Return the parts of a date, None if there is no such day."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    numbers = (when.year, when.month, when.day, when.isoweekday(), when.hour)
    return dict(zip(("year", "month", "day", "weekday", "hour"), map(float, numbers), strict=True))


_CELLS: dict[str, Callable[[Any], Cell]] = {
    "number": _number,
    "boolean": _boolean,
    "category": _category,
    "date": _date,
}
