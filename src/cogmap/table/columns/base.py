"""Columns of a table, each of a kind: how its cells become numbers.

A column is learned once and frozen. It reads any series: a cell that was a number in training may be text in the next
file. What it makes of a cell never depends on other cells. A missing value or an unseen category is NaN in all features
of the column, which a map takes as undecided. A cell that should be a number or a date and is none is a fault.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from cogmap._utils.text import quoted
from cogmap.table.preparation.dates import DATES, PARTS, date_parts, dates, plain_dates
from cogmap.table.preparation.numbers import NumberStyle
from cogmap.table.preparation.texts import boolean, distinct, pandas

Array = NDArray[np.float64]
Features = tuple[float, ...]

# What Python reads in the same way as pandas, and much faster.
_PLAIN_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?", re.ASCII)


class Cells(NamedTuple):
    """What a column reads: its features, unseen categories and unusable rows."""

    features: Array  # (rows, outputs)
    unseen: dict[str, int]  # categories that were not seen in training, with their numbers of rows
    faults: dict[int, str]  # rows that cannot be used, with the reason


@dataclass(frozen=True, slots=True)
class Unseen:
    """A value that was not seen in training."""

    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value cannot be used."""

    reason: str


Value = Features | Unseen | Fault


@dataclass(frozen=True)
class Column:
    """A column of a table that becomes one or several features.

    Attributes
    ----------
    name : str
        Name of the column.
    outputs : tuple of str
        Names of the features that it becomes.
    why : str
        Why the column is of its kind.
    kind : {"number", "boolean", "category", "ordered", "date"}
        Kind of its values.
    has_order : bool
        Whether it is one feature of which there can be more and less.
    """

    kind: ClassVar[str]
    has_order: ClassVar[bool] = True

    name: str
    outputs: tuple[str, ...]
    why: str = field(default="", kw_only=True, compare=False)

    @property
    def gap(self) -> Features:
        """The features of a missing value."""
        return (math.nan,) * len(self.outputs)

    def value(self, text: str) -> Value:
        """Return the features of a text that is not missing."""
        raise NotImplementedError

    def values(self, texts: Sequence[str]) -> list[Value]:
        """Return the features of texts of which none is missing."""
        return list(map(self.value, texts))

    def read(self, values: Any) -> Cells:
        """Return the features of a pandas Series."""
        codes, texts = distinct(values)
        known = iter(self.values([text for text in texts if text is not None]))
        cells = [self.gap if text is None else next(known) for text in texts]
        features = np.array([cell if isinstance(cell, tuple) else self.gap for cell in cells])[codes]
        unseen: Counter[str] = Counter()
        n_rows = np.bincount(codes % len(texts), minlength=len(texts))  # -1, a gap, is the last
        for cell, n_of_cell in zip(cells, n_rows.tolist(), strict=True):
            if isinstance(cell, Unseen):
                unseen[cell.text] += n_of_cell
        reasons = {code: cell.reason for code, cell in enumerate(cells) if isinstance(cell, Fault)}
        faulty = np.flatnonzero(np.isin(codes, list(reasons)))
        return Cells(features, dict(unseen), {int(row): f"{self.name}: {reasons[codes[row]]}" for row in faulty})

    def relearned(self, values: Any, min_frequency: float, max_categories: int) -> "Column":
        """Return a column of the same kind, with what it learns from values learned from a pandas Series of others."""
        return self

    def to_state(self) -> dict[str, Any]:
        """Return the attributes of the column as JSON values."""
        return {"kind": self.kind} | {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.init}

    @staticmethod
    def from_state(state: dict[str, Any]) -> "Column":
        """Return the column with a state; ValueError, KeyError or TypeError if there can be no such column."""
        kinds: dict[str, type[Column]] = {
            cls.kind: cls for cls in (NumberColumn, BooleanColumn, CategoryColumn, OrderedColumn, DateColumn)
        }
        cls = kinds[state["kind"]]
        known = [entry.name for entry in fields(cls) if entry.init and (entry.name != "why" or "why" in state)]
        given: dict[str, Any] = {
            name: tuple(state[name]) if isinstance(state[name], list) else state[name] for name in known
        }
        texts = [text for value in given.values() for text in (value if isinstance(value, tuple) else (value,))]
        if not all(isinstance(text, str) for text in texts) or not isinstance(given["outputs"], tuple):
            raise TypeError("texts are expected")
        column = cls(**given)
        if not column._is_possible():
            raise ValueError("parts do not go together")
        return column

    def _is_possible(self) -> bool:
        return len(self.outputs) == 1


@dataclass(frozen=True)
class NumberColumn(Column):
    """Numbers, perhaps written as text.

    Attributes
    ----------
    decimal, unit : str
        How they are written, see `NumberStyle`.
    words : tuple of str
        Words among the numbers in training, such as "unknown": missing values.
    """

    kind: ClassVar[str] = "number"

    decimal: str = "."
    unit: str = ""
    words: tuple[str, ...] = ()

    _style: NumberStyle = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_style", NumberStyle(self.decimal, self.unit))

    def _is_possible(self) -> bool:
        return super()._is_possible() and self.decimal in (".", ",", ":")

    def value(self, text: str) -> Value:
        """Return the number that a text is."""
        if text in self.words:
            return self.gap
        number = self._style.parse(text)
        return Fault(f"{quoted(text)} is not a number") if number is None else self.number(number)

    def number(self, number: float) -> Value:
        """Return a number, if it is finite or missing."""
        return Fault(f"{float(number)} is not a finite number") if math.isinf(number) else (float(number),)

    def read(self, values: Any) -> Cells:
        """Return the numbers of a pandas Series."""
        kind = pandas.api.types
        if kind.is_timedelta64_dtype(values.dtype):
            unit = pandas.Timedelta(hours=1) if self.decimal == ":" else pandas.Timedelta(days=1)
            numbers = (values / unit).to_numpy(dtype=np.float64)
        elif kind.is_numeric_dtype(values.dtype) and values.dtype.kind in "iuf":  # True is not a number
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            return super().read(values)
        infinite = np.flatnonzero(np.isinf(numbers))
        faults = {int(row): f"{self.name}: {numbers[row]} is not a finite number" for row in infinite}
        numbers = np.where(np.isinf(numbers), np.nan, numbers) if faults else numbers
        return Cells(numbers[:, np.newaxis], {}, faults)


@dataclass(frozen=True)
class BooleanColumn(Column):
    """Yes and no, as 1 and 0.

    Attributes
    ----------
    choices : tuple of str
        The words for no and yes, as they are written in the table.
    """

    kind: ClassVar[str] = "boolean"

    choices: tuple[str, ...] = ("False", "True")

    def _is_possible(self) -> bool:
        return super()._is_possible() and len(self.choices) == 2

    def value(self, text: str) -> Value:
        """Return 1 or 0 for a word."""
        number = boolean(text)
        return Unseen(text) if number is None else (number,)


@dataclass(frozen=True)
class CategoryColumn(Column):
    """Categories, one feature each that is 1 or 0; rare ones share the last.

    Attributes
    ----------
    choices : tuple of str
        The categories in the order of `outputs`; the last is a name for the rare ones, if there are any.
    rare : tuple of str
        The rare ones.
    """

    kind: ClassVar[str] = "category"
    has_order: ClassVar[bool] = False

    choices: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    _features: dict[str, Features] = field(init=False, repr=False, compare=False)

    def _is_possible(self) -> bool:
        return 0 < len(self.outputs) == len(self.choices)

    def __post_init__(self) -> None:
        rows = [tuple(row) for row in np.eye(len(self.choices)).tolist()]
        frequent = self.choices[:-1] if self.rare else self.choices
        features = dict(zip(frequent, rows, strict=False)) | dict.fromkeys(self.rare, rows[-1] if rows else ())
        object.__setattr__(self, "_features", features)

    def value(self, text: str) -> Value:
        """Return 1 for the feature of a category, 0 for the others."""
        return self._features.get(text) or Unseen(text)

    @classmethod
    def learned(
        cls, name: str, values: Sequence[str], min_frequency: float, max_categories: int, why: str = ""
    ) -> "CategoryColumn":
        """Return a column for the categories in a sequence, of which there is at least one.

        A category is frequent in 2 rows and in a share of `min_frequency` of all; where none is, the most frequent
        ones are taken.
        """
        cells = np.array(values, dtype=object)[:, np.newaxis]
        for at_least in (max(2, math.ceil(min_frequency * len(cells))), 2, 1):
            encoder = OneHotEncoder(min_frequency=at_least, max_categories=max_categories).fit(cells)
            (found,), (infrequent,) = encoder.categories_, encoder.infrequent_categories_
            rare = () if infrequent is None else tuple(infrequent)
            if len(rare) < len(found):
                break
        choices = tuple(text for text in found if text not in set(rare))
        if rare:
            choices += (next(word for word in ("other", "other values", "(other)") if word not in choices),)
        return cls(name, tuple(f"{name}={choice}" for choice in choices), choices, rare, why=why)

    def relearned(self, values: Any, min_frequency: float, max_categories: int) -> "Column":
        """Return a column of the categories in a pandas Series; the same one if it has none."""
        codes, texts = distinct(values)
        known = [text for text in (texts[code] for code in codes) if text is not None]
        return CategoryColumn.learned(self.name, known, min_frequency, max_categories, self.why) if known else self


@dataclass(frozen=True)
class OrderedColumn(Column):
    """Categories with an order, as one feature: 0 for the first, 1 for the second.

    Attributes
    ----------
    choices : tuple of str
        The categories, the lowest first.
    """

    kind: ClassVar[str] = "ordered"

    choices: tuple[str, ...] = ()
    _places: dict[str, Features] = field(init=False, repr=False, compare=False)

    def _is_possible(self) -> bool:
        return super()._is_possible() and len(set(self.choices)) == len(self.choices) > 1

    def __post_init__(self) -> None:
        places = {text: (float(place),) for place, text in enumerate(self.choices)}
        object.__setattr__(self, "_places", places)

    def value(self, text: str) -> Value:
        """Return the place of a category in the order."""
        return self._places.get(text) or Unseen(text)


@dataclass(frozen=True)
class DateColumn(Column):
    """Dates, split into year, month, day, weekday and hour.

    Attributes
    ----------
    style : str
        Format, as for `pandas.to_datetime`.
    parts : tuple of str
        The parts of dates that are features, in the order of `outputs`.
    words : tuple of str
        Words among the dates in training: missing values.
    """

    kind: ClassVar[str] = "date"
    has_order: ClassVar[bool] = False

    style: str = "ISO8601"
    parts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def _is_possible(self) -> bool:
        parts = set(self.parts) <= set(PARTS) and len(set(self.parts)) == len(self.parts) == len(self.outputs)
        return parts and len(self.parts) > 0 and self.style in DATES

    def value(self, text: str) -> Value:
        """Return the parts of the date that a text is."""
        if self.style == "ISO8601" and _PLAIN_DATE.fullmatch(text) and text not in self.words:
            try:
                when = datetime.fromisoformat(text)
            except ValueError:  # there is no such day
                return self.values([text])[0]
            parts = dict(zip(PARTS, (when.year, when.month, when.day, when.isoweekday(), when.hour), strict=True))
            return tuple(float(parts[part]) for part in self.parts)
        return self.values([text])[0]

    def values(self, texts: Sequence[str]) -> list[Value]:
        """Return the parts of the dates that texts are, all at once: pandas takes long for each call."""
        when = dates(texts, self.style)
        features = map(tuple, self._apart(when).tolist())
        reason = "is not a date as in training"
        return [
            self.gap if text in self.words else Fault(f"{quoted(text)} {reason}") if wrong else parts
            for text, wrong, parts in zip(texts, np.isnat(when).tolist(), features, strict=True)
        ]

    def read(self, values: Any) -> Cells:
        """Return the parts of the dates of a pandas Series."""
        if pandas.api.types.is_datetime64_any_dtype(values.dtype):
            return Cells(self._apart(plain_dates(values)), {}, {})
        return super().read(values)

    def dates(self, values: Any) -> NDArray[np.datetime64]:
        """Return the dates of a pandas Series, NaT where there is none."""
        if pandas.api.types.is_datetime64_any_dtype(values.dtype):
            return plain_dates(values)
        codes, texts = distinct(values)
        return dates([text or "" for text in texts], self.style)[codes]

    def _apart(self, when: NDArray[np.datetime64]) -> Array:
        parts = date_parts(when)
        return np.column_stack([parts[part] for part in self.parts])


def spans(columns: Sequence[Column]) -> list[slice]:
    """Return where the features of each column stand, side by side in the order of the columns."""
    ends = np.cumsum([len(column.outputs) for column in columns]).tolist()
    return [slice(end - len(column.outputs), end) for column, end in zip(columns, ends, strict=True)]
