"""Input columns of a model: accepted JSON types, JSON schemas, examples, and predictions for validated bodies."""

import json
import sys
from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import shown
from cogmap.exceptions import DataError
from cogmap.maps._text import short
from cogmap.serving.bodies import JSONObject, RequestError, check_size, csv_rows, describe_value, json_rows
from cogmap.table.columns import spans
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions
from cogmap.table.preparation import Reading

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
        self._numbers = _number_decoder(self.names) if all(column.kind == "number" for column in columns) else None
        scaling = model.model.encoding.scaling
        statistics = None if scaling is None else np.stack([scaling.known.low, scaling.known.mean, scaling.known.high])
        self.schemas: dict[str, JSONObject] = {}
        self.example: JSONObject = {}
        for column, span in zip(columns, spans(columns), strict=True):
            ranges = None if statistics is None else statistics[:, span]
            self.schemas[column.name] = {"title": column.kind, **column.schema(ranges)}
            self.example[column.name] = column.example(ranges)

    def from_json(self, body: bytearray, max_rows: int) -> tuple[Predictions, list[str]]:
        """Return predictions for a body of JSON, with notes; reject an invalid body.

        Numbers are decoded, checked and converted without a Python object per row. A body that is not just rows of
        numbers takes the other path, which finds the notes and errors.
        """
        if self._numbers is not None:
            try:
                rows = self._numbers.decode(body).rows
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass
            else:
                check_size(len(rows), max_rows)
                predictions = self._model.answer(Reading(_matrix(rows, len(self.names)), {}, {}))
                return predictions, predictions.notes()
        return self.from_rows(json_rows(body, max_rows)[0])

    def from_csv(self, body: bytearray, max_rows: int) -> tuple[Predictions, list[str]]:
        """Return predictions for a body of CSV, with notes; reject an invalid body."""
        target = self._model.target.name
        texts = [*self._model.texts, target]
        frame, faults, notes = csv_rows(body, len(self._expected), texts, max_rows)
        try:
            frame, unused = self._model.preparer.arranged(frame.drop(columns=[target], errors="ignore"))
            predictions = self._model.answer(frame, faults)
        except DataError as error:
            raise RequestError(
                422, f"The body does not fit the model. {error}", "The body does not have the columns of the model."
            ) from None
        return self._complete(predictions, "Row {}", 1), [*notes, *unused, *predictions.notes()]

    def from_rows(self, rows: Rows) -> tuple[Predictions, list[str]]:
        """Return predictions for rows of JSON, with notes on unused columns and unseen values; reject invalid rows."""
        try:
            if not all(map(self._types_match, {tuple(map(type, self._values(row))) for row in rows})):
                self._raise_first_error(rows)
            predictions = self._model.answer(rows)
        except (KeyError, TypeError, IndexError, DataError):
            self._raise_first_error(rows)
        return self._complete(predictions, "rows[{}]"), [*self._unused(rows), *predictions.notes()]

    def _complete(self, predictions: Predictions, row_label: str, first: int = 0) -> Predictions:
        """Return predictions for all rows; reject a row without one."""
        if predictions.faults:
            i, reason = min(predictions.faults.items())
            row = row_label.format(i + first)
            column = next((name for name in self.names if reason.startswith(f"{name}: ")), None)
            place = row if column is None else f"{row}, column {short(column)!r},"
            raise RequestError(422, f"{row} cannot be predicted: {reason}.", f"{place} cannot be read.")
        return predictions

    def _types_match(self, types: tuple[type, ...]) -> bool:
        """Return whether the values of a row, of these types, fit their columns."""
        return all(actual in allowed for actual, (_, allowed, _) in zip(types, self._types, strict=True))

    def _unused(self, rows: Rows) -> list[str]:
        if all(len(row) == len(self.names) for row in rows):  # and no column is missing
            return []
        extra = dict.fromkeys(name for row in rows for name in row if name not in self._expected)
        return [f"These columns are not used: {shown(map(short, extra))[1:-1]}."] if extra else []

    def _raise_first_error(self, rows: Rows) -> NoReturn:
        """Raise an error that locates the first row or value of a wrong type."""
        for i, row in enumerate(rows):
            if not isinstance(row, dict):
                problem = f"rows[{i}] must be an object with a value for each column"
                raise RequestError(422, f"{problem}, got {describe_value(row)}.", f"{problem}.")
            missing = [name for name in self.names if name not in row]
            if missing:
                others = [short(name) for name in row if name not in self._expected]
                unknown = f" (and has unknown columns: {shown(others)[1:-1]})" if others else ""
                noun = "column" if len(missing) == 1 else "columns"
                problem = f"rows[{i}] is missing the {noun} {shown(missing)[1:-1]}"
                raise RequestError(422, f"{problem}{unknown}. Use null for missing values.", f"{problem}.")
            for name, types, expected in self._types:
                if type(row[name]) not in types:
                    problem = f"rows[{i}], column {short(name)!r}, must be {expected}"
                    raise RequestError(422, f"{problem}, got {describe_value(row[name])}.", f"{problem}.")
        raise AssertionError("these rows are valid")


def _number_decoder(names: tuple[str, ...]) -> Any:
    """Return a decoder of bodies whose rows have a number or null for each of these columns, and nothing else.

    None if JSON would write a name with an escape, which msgspec does not support in names of fields.
    """
    if any(json.dumps(name, ensure_ascii=False) != f'"{name}"' for name in names):
        return None
    fields = {f"column_{i}": name for i, name in enumerate(names)}
    types = [(field, float | None) for field in fields]
    row: Any = msgspec.defstruct("Row", types, rename=fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(msgspec.defstruct("Body", [("rows", list[row])], forbid_unknown_fields=True))


def _matrix(rows: Sequence[Any], n_columns: int) -> NDArray[np.float64]:
    """Return decoded rows as a matrix."""
    values = map(msgspec.structs.astuple, rows)
    try:
        return np.fromiter(chain.from_iterable(values), np.float64, len(rows) * n_columns).reshape(len(rows), -1)
    except TypeError:  # a missing value; the other way is slower
        return np.array(list(map(msgspec.structs.astuple, rows)), dtype=np.float64)


def _row_getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of the named columns of a row as a tuple."""
    getter = itemgetter(*names)
    return getter if len(names) > 1 else lambda row: (getter(row),)
