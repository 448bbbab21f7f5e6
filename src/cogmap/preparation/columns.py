"""Columns of a table, each of a kind: how its cells become numbers.

A column is learned once and frozen. It reads any series: whatever a cell was when the column was learned, it may be
text in the next file. A gap, and a category that was not seen, is NaN in all features of the column, which a map takes
as undecided. What should be a number or a date and is none is a fault.
"""

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap.preparation.texts import DATES, NumberStyle, boolean, dates, distinct, pandas

Array = NDArray[np.float64]

# Parts of a date: the year says where in time, the others where in the year, week and day.
PARTS = ("year", "month", "day", "weekday", "hour")


class Cells(NamedTuple):
    """What a column reads: its features, row by row, and what was strange."""

    features: Array  # (rows, outputs)
    unseen: dict[str, int]  # categories that were not there when the column was learned, with their numbers of rows
    faults: dict[int, str]  # rows that cannot be used, with the reason


@dataclass(frozen=True)
class Column:
    """A column of a table that becomes one or several features.

    Attributes
    ----------
    name : str
        Name of the column.
    outputs : tuple of str
        Names of the features that it becomes.
    kind : {"number", "boolean", "category", "date"}
        What is in it.
    """

    kind: ClassVar[str]

    name: str
    outputs: tuple[str, ...]

    def read(self, values: Any) -> Cells:
        """Return the features of a pandas Series."""
        raise NotImplementedError

    def to_state(self) -> dict[str, Any]:
        """Return all that is known about the column, as JSON knows it."""
        return {"kind": self.kind, **asdict(self)}

    @staticmethod
    def from_state(state: dict[str, Any]) -> "Column":
        """Return the column with that state; a ValueError, KeyError or TypeError if there can be no such column."""
        kinds: dict[str, type[Column]] = {
            cls.kind: cls for cls in (NumberColumn, BooleanColumn, CategoryColumn, DateColumn)
        }
        cls = kinds[state["kind"]]
        known = [entry.name for entry in fields(cls) if entry.init]
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
        How they are written: "." or "," before decimals, and perhaps a sign such as "%" that all have.
    words : tuple of str
        What stood in their place here and there when the column was learned, such as "unknown": gaps.
    """

    kind: ClassVar[str] = "number"

    decimal: str = "."
    unit: str = ""
    words: tuple[str, ...] = ()

    def _is_possible(self) -> bool:
        return super()._is_possible() and self.decimal in (".", ",")

    def read(self, values: Any) -> Cells:
        """Return the numbers of a pandas Series."""
        if _is_plain_number(values):
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
            faults: dict[int, str] = {}
        elif pandas.api.types.is_timedelta64_dtype(values.dtype):
            numbers, faults = (values / pandas.Timedelta(days=1)).to_numpy(dtype=np.float64), {}
        else:
            codes, texts = distinct(values)
            style = NumberStyle(self.decimal, self.unit)
            parsed = [None if text is None else style.parse(text) for text in texts]
            numbers = np.array([np.nan if number is None else number for number in parsed])[codes]
            wrong = [
                text is not None and number is None and text not in self.words
                for text, number in zip(texts, parsed, strict=True)
            ]
            faults = _faults(self.name, codes, texts, wrong, "is not a number")
        infinite = np.flatnonzero(np.isinf(numbers))
        faults |= {int(row): f"{self.name}: {numbers[row]} is not a finite number" for row in infinite}
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

    def read(self, values: Any) -> Cells:
        """Return 1 and 0 for a pandas Series of booleans or of words for them."""
        codes, texts = distinct(values)
        parsed = [None if text is None else boolean(text) for text in texts]
        numbers = np.array([np.nan if number is None else number for number in parsed])
        unseen = [text is not None and number is None for text, number in zip(texts, parsed, strict=True)]
        return Cells(numbers[codes][:, np.newaxis], _counts(codes, texts, unseen), {})


@dataclass(frozen=True)
class CategoryColumn(Column):
    """Categories, as a feature each that is 1 or 0; rare ones share the last.

    Attributes
    ----------
    choices : tuple of str
        The categories in the order of `outputs`; the last is a name for the rare ones, if there are any.
    rare : tuple of str
        The rare ones.
    """

    kind: ClassVar[str] = "category"

    choices: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def _is_possible(self) -> bool:
        return 0 < len(self.outputs) == len(self.choices)

    def __post_init__(self) -> None:
        frequent = self.choices[:-1] if self.rare else self.choices
        places = {text: place for place, text in enumerate(frequent)}
        object.__setattr__(self, "_places", places | dict.fromkeys(self.rare, len(self.choices) - 1))

    def to_state(self) -> dict[str, Any]:
        """Return all that is known about the column, as JSON knows it."""
        return {name: value for name, value in super().to_state().items() if not name.startswith("_")}

    def read(self, values: Any) -> Cells:
        """Return a column of 1 and 0 per category for a pandas Series."""
        codes, texts = distinct(values)
        places = [None if text is None else self._places.get(text) for text in texts]
        table = np.full((len(texts), len(self.choices)), np.nan)
        for row, place in enumerate(places):
            if place is not None:
                table[row] = 0.0
                table[row, place] = 1.0
        unseen = [text is not None and place is None for text, place in zip(texts, places, strict=True)]
        return Cells(table[codes], _counts(codes, texts, unseen), {})


@dataclass(frozen=True)
class DateColumn(Column):
    """Dates, taken apart.

    Attributes
    ----------
    style : str
        How they are written, as for `pandas.to_datetime`.
    parts : tuple of str
        Which parts of dates are features, in the order of `outputs`.
    words : tuple of str
        What stood in their place here and there when the column was learned: gaps.
    """

    kind: ClassVar[str] = "date"

    style: str = "ISO8601"
    parts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def _is_possible(self) -> bool:
        parts = set(self.parts) <= set(PARTS) and len(set(self.parts)) == len(self.parts) == len(self.outputs)
        return parts and len(self.parts) > 0 and self.style in DATES

    def read(self, values: Any) -> Cells:
        """Return the parts of the dates of a pandas Series."""
        when, faults = self._dates(values)
        apart = date_parts(when)
        return Cells(np.column_stack([apart[part] for part in self.parts]), {}, faults)

    def _dates(self, values: Any) -> tuple[NDArray[np.datetime64], dict[int, str]]:
        if pandas.api.types.is_datetime64_any_dtype(values.dtype):
            return plain_dates(values), {}
        codes, texts = distinct(values)
        found = dates([text or "" for text in texts], self.style)
        wrong = [
            text is not None and bool(unread) and text not in self.words
            for text, unread in zip(texts, np.isnat(found), strict=True)
        ]
        return found[codes], _faults(self.name, codes, texts, wrong, "is not a date as in training")


def plain_dates(values: Any) -> NDArray[np.datetime64]:
    """Return a pandas Series of dates as an array, those of other zones in UTC."""
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    result: NDArray[np.datetime64] = values.to_numpy(dtype="datetime64[s]")
    return result


def date_parts(when: NDArray[np.datetime64]) -> dict[str, Array]:
    """Return the parts of dates, NaN where there is none; weekdays are 1 (Monday) to 7."""
    missing = np.isnat(when)
    year, month, day, hour = (when.astype(f"datetime64[{unit}]") for unit in "YMDh")
    parts = {
        "year": year.astype(int) + 1970,
        "month": (month - year).astype(int) + 1,
        "day": (day - month).astype(int) + 1,
        "weekday": (day.astype(int) + 3) % 7 + 1,
        "hour": (hour - day).astype(int),
    }
    return {name: np.where(missing, np.nan, values) for name, values in parts.items()}


def _is_plain_number(values: Any) -> bool:
    kind = pandas.api.types
    return bool(kind.is_numeric_dtype(values.dtype) and not kind.is_complex_dtype(values.dtype))


def _counts(codes: NDArray[np.intp], texts: list[str | None], chosen: list[bool]) -> dict[str, int]:
    """Return how many rows have each of the chosen texts."""
    if not any(chosen):
        return {}
    rows = np.bincount(codes % len(texts), minlength=len(texts))  # -1, a gap, is the last
    counts: Counter[str] = Counter()
    for text, number, is_chosen in zip(texts, rows, chosen, strict=True):
        if is_chosen and text is not None:
            counts[text] += int(number)
    return dict(counts)


def _faults(
    name: str, codes: NDArray[np.intp], texts: list[str | None], chosen: list[bool], what: str
) -> dict[int, str]:
    """Return the rows that have one of the chosen texts, with the reason why they cannot be used."""
    if not any(chosen):
        return {}
    rows = np.flatnonzero(np.array(chosen)[codes])
    return {int(row): f"{name}: {texts[codes[row]]!r} {what}" for row in rows}
