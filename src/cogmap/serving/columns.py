"""The columns that a model reads: what JSON may say in them, and how rows become a table of numbers."""

import sys
from collections.abc import Callable, Sequence
from datetime import date
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from cogmap._utils.params import shown
from cogmap.exceptions import DataError
from cogmap.maps._text import short
from cogmap.models.features import Array
from cogmap.serving.bodies import Problem, described
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions
from cogmap.table.preparation import BooleanColumn, CategoryColumn, Column, DateColumn, OrderedColumn
from cogmap.table.preparation.columns import spans

Rows = Sequence[Any]  # of dicts, if the client has kept to the description

_MOST = sys.float_info.max
_CHOICES_SHOWN = 20

# What JSON may say in a column of each kind, and how to call it. Texts in CSV say all of it.
_TYPES: dict[str, tuple[frozenset[type], str]] = {
    "number": (frozenset([int, float, type(None)]), "a number or null"),
    "boolean": (frozenset([bool, str, int, float, type(None)]), "true, false, a word for one of them, or null"),
    "category": (frozenset([str, bool, int, float, type(None)]), "a text or null"),
    "ordered": (frozenset([str, bool, int, float, type(None)]), "a text or null"),
    "date": (frozenset([str, type(None)]), "a date as text, or null"),
}


class Columns:
    """The columns of a model: types of their values in JSON, JSON schemas, and an example.

    Parameters
    ----------
    model : TableModel
        The model. Columns that were left out in training are accepted without a note.
    """

    def __init__(self, model: TableModel) -> None:
        columns = model.preparer.columns_
        self._model = model
        self.names = tuple(model.columns)
        self._expected = frozenset([*self.names, *model.preparer.left_out_])
        self._types = [(column.name, *_TYPES[column.kind]) for column in columns]
        self._values = _values_of(self.names)
        scaling = model.model.encoding.scaling
        known = None if scaling is None else np.stack([scaling.known.low, scaling.known.mean, scaling.known.high])
        self.schemas: dict[str, dict[str, Any]] = {}
        self.example: dict[str, Any] = {}
        for column, span in zip(columns, spans(columns), strict=True):
            ranges = None if known is None else known[:, span]
            self.schemas[column.name] = {"title": column.kind, **_schema(column, ranges)}
            self.example[column.name] = _example(column, ranges)

    def predictions(self, rows: Rows, typed: bool = True) -> tuple[Predictions, list[str]]:
        """Return predictions for rows, and notes on unused columns and unseen values; refuse faulty rows.

        Parameters
        ----------
        rows : sequence of dict
            The rows.
        typed : bool, default=True
            Whether values are those of JSON, which knows numbers from texts; texts of CSV are read as the column can.
        """
        try:
            if typed and not all(map(self._is_typed, {tuple(map(type, self._values(row))) for row in rows})):
                self._complain(rows, typed)
            predictions = self._model.answer(rows)
        except (KeyError, TypeError, IndexError, DataError):
            self._complain(rows, typed)
        if predictions.faults:
            i, reason = min(predictions.faults.items())
            raise Problem(422, f"{_row(i, typed)} cannot be predicted: {reason}.")
        return predictions, [*self._unused(rows), *predictions.notes()]

    def _is_typed(self, types: tuple[type, ...]) -> bool:
        """Whether values of these types fit their columns."""
        return all(found in fitting for found, (_, fitting, _) in zip(types, self._types, strict=True))

    def _unused(self, rows: Rows) -> list[str]:
        if all(len(row) == len(self.names) for row in rows):  # of which none lacks a column
            return []
        extra = dict.fromkeys(name for row in rows for name in row if name not in self._expected)
        return [f"These columns are not used: {shown(map(short, extra))[1:-1]}."] if extra else []

    def _complain(self, rows: Rows, typed: bool) -> NoReturn:
        """Say where the first row or value is that is not of the right kind."""
        for i, row in enumerate(rows):
            if not isinstance(row, dict):
                got = described(row)
                raise Problem(422, f"{_row(i, typed)} must be an object with a value for each column, got {got}.")
            missing = [name for name in self.names if name not in row]
            if missing:
                others = [short(name) for name in row if name not in self._expected]
                instead = f" and has {shown(others)[1:-1]}, which the model does not know" if others else ""
                plural = "column" if len(missing) == 1 else "columns"
                cure = "Give null where a value is not known."
                raise Problem(422, f"{_row(i, typed)} lacks the {plural} {shown(missing)[1:-1]}{instead}. {cure}")
            for name, types, expected in self._types:
                if type(row[name]) not in types:
                    got = described(row[name])
                    raise Problem(422, f"{_row(i, typed)}, column {short(name)!r}, must be {expected}, got {got}.")
        raise AssertionError("nothing is wrong with these rows")


def _row(i: int, typed: bool) -> str:
    """Return how to call a row in a message."""
    return f"rows[{i}]" if typed else f"Row {i + 1}"


def _values_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what takes the values of columns from a row, in their order."""
    take = itemgetter(*names)
    return take if len(names) > 1 else lambda row: (take(row),)


def _schema(column: Column, ranges: Array | None) -> dict[str, Any]:
    """Return the JSON Schema of the values of a column."""
    if isinstance(column, CategoryColumn):
        frequent = column.choices[:-1] if column.rare else column.choices
        others = "Rarer ones share a feature; others" if column.rare else "Others"
        words = f"One of {shown(frequent[:_CHOICES_SHOWN])[1:-1]}. {others} count as missing, with a note."
        return {"type": ["string", "number", "boolean", "null"], "examples": list(frequent), "description": words}
    if isinstance(column, OrderedColumn):
        words = f"One of {shown(column.choices)[1:-1]}, in this order. Others count as missing, with a note."
        return {"type": ["string", "number", "boolean", "null"], "examples": list(column.choices), "description": words}
    if isinstance(column, BooleanColumn):
        no, yes = column.choices
        words = f"true and false, or {yes!r} and {no!r}. Other words count as missing, with a note."
        return {"type": ["boolean", "string", "number", "null"], "description": words}
    if isinstance(column, DateColumn):
        iso = column.style == "ISO8601"
        kind = "date-time" if "hour" in column.parts else "date"
        written = "ISO 8601" if iso else column.style
        return {"type": ["string", "null"], **({"format": kind} if iso else {}), "description": f"A date: {written}."}
    schema: dict[str, Any] = {"type": ["number", "null"], "minimum": -_MOST, "maximum": _MOST}
    if ranges is not None and np.isfinite(ranges).all():
        low, high = ranges[0, 0], ranges[2, 0]
        schema["description"] = f"From {low:.6g} to {high:.6g} in the training data."
    return schema


def _example(column: Column, ranges: Array | None) -> Any:
    """Return a value as it may come."""
    if isinstance(column, CategoryColumn | OrderedColumn):
        return column.choices[0]
    if isinstance(column, BooleanColumn):
        return True if column.choices[1] == "True" else column.choices[1]
    means = None if ranges is None or not np.isfinite(ranges).all() else ranges[1]
    if isinstance(column, DateColumn):
        parts = {} if means is None else dict(zip(column.parts, np.rint(means).astype(int).tolist(), strict=True))
        day = date(parts.get("year", 2024), parts.get("month", 6), min(parts.get("day", 15), 28))
        return day.isoformat() if column.style == "ISO8601" else day.strftime(column.style)
    return 0.5 if means is None else float(f"{means[0]:.3g}")
