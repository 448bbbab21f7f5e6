"""The columns that a model reads: what JSON and CSV may say in them, and how rows become a table of numbers."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cogmap._map_text import short
from cogmap._params import shown
from cogmap.model import MapModel
from cogmap.serving.bodies import described
from cogmap.serving.problems import Problem

Array = NDArray[np.float64]
Rows = Sequence[Any]  # of dicts, if the client has kept to the description
Where = Callable[[int], str]  # how to call a row

_MOST = sys.float_info.max
_NUMBERS = {int, float, type(None)}

NUMBER = {"type": ["number", "null"], "minimum": -_MOST, "maximum": _MOST}


@dataclass(frozen=True)
class Column:
    """What a client has to know about a column."""

    name: str
    kind: str
    schema: dict[str, Any]  # JSON Schema of a value
    example: Any


class NumberColumns:
    """The columns of an estimator: each is a feature, a number.

    Parameters
    ----------
    model : MapModel
        The model.
    names : sequence of str
        Names of the features.
    """

    def __init__(self, model: MapModel, names: Sequence[str]) -> None:
        scaling = model.encoding.scaling
        known = None if scaling is None else scaling.known
        self.names = tuple(names)
        self.columns = tuple(
            number_column(name, None if known is None else (known.low[i], known.mean[i], known.high[i]))
            for i, name in enumerate(names)
        )
        self._values = _getter(self.names)

    def cell(self, name: str, text: str) -> Any:
        """Return what a cell of a CSV file says, as JSON would."""
        return number_cell(text)

    def table(self, rows: Rows, where: Where) -> tuple[Array, list[str]]:
        """Return the features of rows, and what else there is to say about them."""
        try:
            values = [self._values(row) for row in rows]
        except (KeyError, TypeError, IndexError):
            lacking(rows, self.names, where)
        if not set(map(type, chain.from_iterable(values))) <= _NUMBERS:
            _no_numbers(values, self.names, where)
        try:
            table = np.array(values, dtype=np.float64)
        except OverflowError:  # an integer beyond all floats
            _no_numbers(values, self.names, where)
        if np.isinf(table).any():
            _no_numbers(values, self.names, where)
        return table, extra_columns(rows, self.names)

    def by_column(self, of_features: Array) -> Array:
        """Return what belongs to each column, which is what belongs to its feature."""
        return of_features


def number_column(name: str, known: tuple[float, float, float] | None) -> Column:
    """Describe a column of numbers, of which lowest, mean and highest value may be known."""
    if known is None or not np.isfinite(known).all():
        return Column(name, "number", NUMBER, 0.5)
    low, mean, high = known
    schema = {**NUMBER, "description": f"From {low:.6g} to {high:.6g} in the training data."}
    return Column(name, "number", schema, float(f"{mean:.3g}"))


def number_cell(text: str) -> Any:
    """Return the number that a cell says, None where it is empty, and the text where it says no number."""
    text = text.strip()
    if not text:
        return None
    try:
        return text if "_" in text else float(text)
    except ValueError:
        return text


def extra_columns(rows: Rows, names: Sequence[str]) -> list[str]:
    """Say which columns are not used, of rows that lack none."""
    if all(len(row) == len(names) for row in rows):
        return []
    extra = dict.fromkeys(name for row in rows for name in row.keys() - set(names))
    return [f"These columns are not used: {shown(map(short, extra))}."]


def lacking(rows: Rows, names: Sequence[str], where: Where) -> NoReturn:
    """Say which is the first row without a column that the model needs."""
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            raise Problem(422, f"{where(i)} must be an object with a value for each column, got {described(row)}.")
        missing = [name for name in names if name not in row]
        if missing:
            others = [short(name) for name in row if name not in names]
            instead = f" and has {shown(others)}, which the model does not know" if others else ""
            cure = "Give null where a value is not known."
            raise Problem(422, f"{where(i)} lacks the columns {shown(missing)}{instead}. {cure}")
    raise AssertionError("no row lacks a column")


def bad_value(i: int, name: str, expected: str, value: object, where: Where) -> Problem:
    """Return what is answered to a value that a column does not take."""
    return Problem(422, f"{where(i)}, column {short(name)!r}, must be {expected}, got {described(value)}.")


def _no_numbers(values: Sequence[Sequence[Any]], names: Sequence[str], where: Where) -> NoReturn:
    """Say where the first value is that is no finite number."""
    for i, row in enumerate(values):
        for name, value in zip(names, row, strict=True):
            if type(value) not in _NUMBERS or (value is not None and not -_MOST <= value <= _MOST):
                raise bad_value(i, name, "a finite number or null", value, where)
    raise AssertionError("all values are numbers")


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what takes the values of columns from a row, in their order."""
    take = itemgetter(*names)
    return take if len(names) > 1 else lambda row: (take(row),)
