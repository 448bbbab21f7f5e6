"""Input columns of a model: accepted JSON types, JSON schemas, examples, and predictions for validated rows."""

import sys
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from cogmap._utils.params import shown
from cogmap.exceptions import DataError
from cogmap.maps._text import short
from cogmap.serving.bodies import JSONObject, RequestError, describe_value
from cogmap.table.columns import spans
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions

Rows = Sequence[Any]  # of dicts, unless the request is invalid

MAX_FLOAT = sys.float_info.max

_CHOICES_SHOWN = 20


class Columns:
    """Input columns of a model.

    Parameters
    ----------
    model : TableModel
        The model. Columns that were left out in training are accepted without a note.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    schemas : dict of str to dict
        JSON Schema of the values of each column.
    example : dict
        Example of a row.
    """

    def __init__(self, model: TableModel) -> None:
        columns = model.preparer.columns_
        self._model = model
        self.names = tuple(model.columns)
        self._expected = frozenset([*self.names, *model.preparer.left_out_])
        self._types = [(column.name, column.json_types, column.json_expected) for column in columns]
        self._values = _row_getter(self.names)
        scaling = model.model.encoding.scaling
        statistics = None if scaling is None else np.stack([scaling.known.low, scaling.known.mean, scaling.known.high])
        self.schemas: dict[str, JSONObject] = {}
        self.example: JSONObject = {}
        for column, span in zip(columns, spans(columns), strict=True):
            ranges = None if statistics is None else statistics[:, span]
            self.schemas[column.name] = {"title": column.kind, **column.schema(ranges)}
            self.example[column.name] = column.example(ranges)

    def predictions(self, rows: Rows, typed: bool = True) -> tuple[Predictions, list[str]]:
        """Return predictions for rows, with notes on unused columns and unseen values; reject invalid rows.

        Parameters
        ----------
        rows : sequence of dict
            The rows.
        typed : bool, default=True
            Whether values come from JSON and must have the types of their columns. Values from CSV are strings,
            which the columns convert.

        Returns
        -------
        predictions : Predictions
            Predictions for all rows.
        notes : list of str
            Notes for the client.
        """
        try:
            if typed and not all(map(self._types_match, {tuple(map(type, self._values(row))) for row in rows})):
                self._raise_first_error(rows, typed)
            predictions = self._model.answer(rows)
        except (KeyError, TypeError, IndexError, DataError):
            self._raise_first_error(rows, typed)
        if predictions.faults:
            i, reason = min(predictions.faults.items())
            raise RequestError(422, f"{_row_label(i, typed)} cannot be predicted: {reason}.")
        return predictions, [*self._unused(rows), *predictions.notes()]

    def _types_match(self, types: tuple[type, ...]) -> bool:
        """Return whether the values of a row, of these types, fit their columns."""
        return all(actual in allowed for actual, (_, allowed, _) in zip(types, self._types, strict=True))

    def _unused(self, rows: Rows) -> list[str]:
        if all(len(row) == len(self.names) for row in rows):  # and no column is missing
            return []
        extra = dict.fromkeys(name for row in rows for name in row if name not in self._expected)
        return [f"These columns are not used: {shown(map(short, extra))[1:-1]}."] if extra else []

    def _raise_first_error(self, rows: Rows, typed: bool) -> NoReturn:
        """Raise an error that locates the first row or value of a wrong type."""
        for i, row in enumerate(rows):
            if not isinstance(row, dict):
                got = describe_value(row)
                raise RequestError(
                    422, f"{_row_label(i, typed)} must be an object with a value for each column, got {got}."
                )
            missing = [name for name in self.names if name not in row]
            if missing:
                others = [short(name) for name in row if name not in self._expected]
                unknown = f" (and has unknown columns: {shown(others)[1:-1]})" if others else ""
                noun = "column" if len(missing) == 1 else "columns"
                problem = f"is missing the {noun} {shown(missing)[1:-1]}{unknown}"
                raise RequestError(422, f"{_row_label(i, typed)} {problem}. Use null for missing values.")
            for name, types, expected in self._types:
                if type(row[name]) not in types:
                    place, got = f"{_row_label(i, typed)}, column {short(name)!r},", describe_value(row[name])
                    raise RequestError(422, f"{place} must be {expected}, got {got}.")
        raise AssertionError("these rows are valid")


def _row_label(i: int, typed: bool) -> str:
    """Return the name of a row in a message: its place in the JSON document, or its number in CSV."""
    return f"rows[{i}]" if typed else f"Row {i + 1}"


def _row_getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of the named columns of a row as a tuple."""
    getter = itemgetter(*names)
    return getter if len(names) > 1 else lambda row: (getter(row),)
