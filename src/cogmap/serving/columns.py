"""Input columns of a model: accepted JSON types, JSON schemas, examples, and predictions for validated bodies."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import chain
from operator import itemgetter, or_
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
from cogmap.table.preparation import Column, Reading
from cogmap.table.preparation.reading import read_frame
from cogmap.table.preparation.rows import MANY, frame_of

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
        self._columns = columns
        self._only_numbers = all(column.kind == "number" for column in columns)
        self._decoder = _body_decoder(columns)
        scaling = model.model.encoding.scaling
        statistics = None if scaling is None else np.stack([scaling.known.low, scaling.center, scaling.known.high])
        self.schemas: dict[str, JSONObject] = {}
        self.example: JSONObject = {}
        training = (model.training_statistics_ or {}).get("columns", {})
        for column, span in zip(columns, spans(columns), strict=True):
            ranges = None if statistics is None else statistics[:, span]
            self.schemas[column.name] = {"title": column.kind, **column.schema(ranges)}
            self.example[column.name] = _frequent_value(column, ranges, training.get(column.name, {}))

    def from_json(self, body: bytearray, max_rows: int) -> tuple[Predictions, list[str]]:
        """Return predictions for a body of JSON, with notes; reject an invalid body.

        msgspec decodes and checks rows that have exactly the columns of the model. Any other body takes a slower path,
        which finds notes and errors.
        """
        try:
            rows = [] if self._decoder is None else self._decoder.decode(body).rows
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            rows = []
        if not rows:
            return self.from_rows(json_rows(body, max_rows)[0])
        check_size(len(rows), max_rows)
        predictions = self._model.answer(self._converted(list(map(msgspec.structs.astuple, rows))))
        return self._complete(predictions, "rows[{}]"), predictions.notes()

    def _converted(self, rows: list[tuple[Any, ...]]) -> Any:
        """Return rows of checked values in the form that the model reads fastest."""
        if self._only_numbers:
            try:
                values = np.fromiter(chain.from_iterable(rows), np.float64, len(rows) * len(self.names))
                return Reading(values.reshape(len(rows), -1), {}, {})
            except TypeError:  # a missing value; the other way is slower
                return Reading(np.array(rows, dtype=np.float64), {}, {})
        if len(rows) <= MANY:
            return [dict(zip(self.names, row, strict=True)) for row in rows]
        return read_frame(self._columns, frame_of(self._columns, zip(*rows, strict=True)))

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


def _frequent_value(column: Column, ranges: NDArray[np.float64] | None, statistics: JSONObject) -> Any:
    """Return an example of a value: the most frequent category, or the median, if training statistics are known."""
    if statistics.get("frequencies"):
        n_rare = 1 if getattr(column, "rare", ()) else 0
        choices = list(statistics["frequencies"].items())
        value: Any = max(choices[: len(choices) - n_rare] or choices, key=itemgetter(1))[0]
        return {"True": True, "False": False}.get(value, value) if column.kind == "boolean" else value
    medians = [part["quantiles"][len(part["quantiles"]) // 2] for part in _numbers(statistics)]
    if ranges is not None and medians and None not in medians:
        ranges = np.stack([ranges[0], medians, ranges[2]])
    value = column.example(ranges)
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _numbers(statistics: JSONObject) -> list[JSONObject]:
    """Return the statistics of the features of a number or a date."""
    return list(statistics.get("parts", {"": statistics} if "quantiles" in statistics else {}).values())


def struct_type(name: str, names: tuple[str, ...], kinds: Sequence[Any]) -> Any:
    """Return a class of JSON objects with values of these kinds by name, which msgspec reads and writes fastest.

    None if JSON would write a name with an escape, which msgspec does not support.
    """
    if any(json.dumps(name, ensure_ascii=False) != f'"{name}"' for name in names):
        return None
    fields = {f"field_{i}": name for i, name in enumerate(names)}
    types = list(zip(fields, kinds, strict=True))
    return msgspec.defstruct(name, types, rename=fields, forbid_unknown_fields=True, gc=False)


def _body_decoder(columns: Sequence[Column]) -> Any:
    """Return a decoder of bodies whose rows have a value of an accepted type for each column, and nothing else."""
    numbers = frozenset([int, float, type(None)])
    kinds: list[Any] = [
        float | None if column.json_types == numbers else reduce(or_, column.json_types) for column in columns
    ]
    row: Any = struct_type("Row", tuple(column.name for column in columns), kinds)
    if row is None:
        return None
    return msgspec.json.Decoder(msgspec.defstruct("Body", [("rows", list[row])], forbid_unknown_fields=True))


def _row_getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of the named columns of a row as a tuple."""
    getter = itemgetter(*names)
    return getter if len(names) > 1 else lambda row: (getter(row),)
