"""Inference of column kinds: the kind of each column of a table, or the reason why the column is left out."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cogmap._utils.params import shown
from cogmap._utils.text import cut, quoted
from cogmap.exceptions import DataError
from cogmap.table.columns import (
    BooleanColumn,
    CategoryColumn,
    Column,
    DateColumn,
    NumberColumn,
    OrderedColumn,
)
from cogmap.table.columns.dates import PARTS, date_parts, date_styles, dates, plain_dates
from cogmap.table.columns.numbers import NumberStyle, is_code, number_styles
from cogmap.table.columns.texts import boolean_words, distinct, pandas, spelled

# Kinds that a user can declare; an order of categories such as "small<medium<large" is accepted too.
KINDS = ("number", "category", "ordered", "date", "id", "text")
ORDER = "<"
_NOT_USED = {"id": "an identifier, as asked", "text": "free text, as asked"}

# Names of identifier columns: "id", "customer_id", "customerId", "Unnamed: 0" (an index written by pandas).
_IDENTIFIER = re.compile(
    r"(?:^|[\W_])(?:id|uuid|guid|key|index|identifier|no|nr|num|number)\.?$|^unnamed: \d+$", re.IGNORECASE
)
_CAPITALS = re.compile(r"[a-z](?:Id|ID|No|Nr|Key)$")
_COUNTRY = re.compile(r"[A-Z]{2}")
_FIRST_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Found(NamedTuple):
    """Inferred columns of a table: those used, those left out with the reason, and notes for the user."""

    columns: tuple[Column, ...]
    left_out: dict[str, str]
    notes: list[str]


class Series:
    """A raw column of a table, with the number and date formats that match its values.

    `wanted` is the kind declared by the user, or an empty string.
    """

    def __init__(self, name: str, values: Any, wanted: str = "") -> None:
        self.name, self.values, self.wanted = name, values, wanted
        kind = pandas.api.types
        self.is_categorical = isinstance(values.dtype, pandas.CategoricalDtype)
        self.is_numeric = kind.is_numeric_dtype(values.dtype)
        is_time = kind.is_datetime64_any_dtype(values.dtype) or kind.is_timedelta64_dtype(values.dtype)
        self._is_text = not (self.is_categorical or self.is_numeric or is_time)

    @cached_property
    def _distinct(self) -> tuple[Any, list[str | None]]:
        return distinct(self.values)

    @cached_property
    def texts(self) -> list[str]:
        """Distinct non-missing values as strings, sorted."""
        return sorted({text for text in self._distinct[1] if text is not None})

    @property
    def rows(self) -> list[str]:
        """Non-missing values of the column as strings, one per row."""
        codes, texts = self._distinct
        return [text for text in (texts[code] for code in codes) if text is not None]

    @cached_property
    def numbers(self) -> list[NumberStyle]:
        """Possible styles of the numbers, see `number_styles`."""
        if self.wanted == "number" or (self._is_text and not self.wanted):
            return number_styles(self.texts, asked=bool(self.wanted))
        return []

    @cached_property
    def dates(self) -> list[str]:
        """Possible formats of the dates, see `date_styles`."""
        if self.wanted == "date" or (self._is_text and not self.wanted and not self.numbers):
            return date_styles(self.texts, asked=bool(self.wanted))
        return []

    def parsed(self, style: NumberStyle) -> tuple[Any, tuple[str, ...]]:
        """Return the values that can be parsed as numbers, and the strings that cannot."""
        codes, texts = self._distinct
        numbers = np.array([np.nan if text is None else style.parse(text) for text in texts], dtype=np.float64)
        others = [text for text, number in zip(texts, numbers, strict=True) if text is not None and np.isnan(number)]
        return numbers[codes][~np.isnan(numbers[codes])], tuple(sorted(set(others)))


class Conventions(NamedTuple):
    """Number and date conventions of a table, inferred from its unambiguous columns; None if unknown."""

    decimal: str | None
    month_first: bool | None
    usual: str = "."  # decimal mark to assume if `decimal` is None

    @staticmethod
    def of(columns: Iterable[Series], delimiter: str | None) -> "Conventions":
        """Infer conventions shared by all unambiguous columns; the delimiter ";" suggests a decimal comma."""
        decimals, orders = set[str](), set[bool]()
        for column in columns:
            if len(column.numbers) == 1:
                style = column.numbers[0]
                if any(("." in text or "," in text) and style.parse(text) is not None for text in column.texts):
                    decimals.add(style.decimal)
            elif delimiter and column.values.dtype == np.float64 and (column.values.dropna() % 1 != 0).any():
                decimals.add(".")
            if len(column.dates) == 1 and "%m" in column.dates[0]:
                orders.add(column.dates[0].startswith("%m"))
        decimals.discard(":")
        decimal = decimals.pop() if len(decimals) == 1 else None
        usual = "," if delimiter == ";" else "."
        return Conventions(decimal, orders.pop() if len(orders) == 1 else None, usual)

    def number_style(self, column: Series, notes: list[str]) -> NumberStyle:
        """Return the style of a column of numbers; add a note if the table leaves it ambiguous."""
        first, *others = column.numbers
        style = others[0] if others and (self.decimal or self.usual) == "," else first
        if others and self.decimal is None:
            example = next(text for text in column.texts if "." in text or "," in text)
            # In a column that also has "950", the comma of "1,200" must separate thousands.
            if "." in example or not any(text.isdigit() and len(text) <= 3 for text in column.texts):
                mark = "comma" if style.decimal == "," else "point"
                notes.append(
                    f"{cut(column.name)}: {quoted(example)} is read as {style.parse(example):.10g}, with a decimal "
                    f"{mark}."
                )
        return style

    def date_style(self, column: Series, notes: list[str]) -> str:
        """Return the format of a column of dates; add a note if the table leaves it ambiguous."""
        first, *others = column.dates
        if others and self.month_first is None:
            example = next((text for text in column.texts if text[:2] != text[3:5]), column.texts[0])
            notes.append(
                f"{cut(column.name)}: day and month of {quoted(example)} are ambiguous; it is read with the day first. "
                "Write dates as 2024-12-31 to be sure."
            )
        return others[0] if others and self.month_first else first


def find_columns(
    frame: Any,
    kinds: Mapping[str, str],
    keep: Collection[str],
    drop: Collection[str],
    min_frequency: float,
    max_categories: int,
) -> Found:
    """Infer the kinds of all columns of a pandas frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; its column names must be distinct.
    kinds : mapping of str to str
        Kinds declared by the user, by column; see `KINDS`.
    keep, drop : collection of str
        Columns to use even if they look like identifiers, and columns to leave out.
    min_frequency, max_categories : float and int
        See `TablePreparer`.

    Returns
    -------
    Found
    """
    series = [Series(name, frame[name], kinds.get(name, "")) for name in frame.columns if name not in drop]
    conventions = Conventions.of(series, frame.attrs.get("delimiter"))
    results: dict[str, Column | str] = {}
    notes: list[str] = []
    for one in series:
        results[one.name] = _column(one, conventions, one.name in keep, (min_frequency, max_categories), notes)
    columns = tuple(column for column in results.values() if isinstance(column, Column))
    reasons = {name: results.get(name, "as asked") for name in frame.columns}
    return Found(columns, {name: why for name, why in reasons.items() if isinstance(why, str)}, notes)


def _column(
    column: Series, conventions: Conventions, keep: bool, pooling: tuple[float, int], notes: list[str]
) -> Column | str:
    """Infer the kind of a column; return a `Column`, or the reason why it is left out."""
    name, values, wanted = column.name, column.values, column.wanted
    if wanted in _NOT_USED:
        return _NOT_USED[wanted]
    known = values.dropna()
    if not len(known):
        return "every value is missing"
    if pandas.api.types.is_datetime64_any_dtype(values.dtype) and wanted in ("", "date"):
        return _dates(name, plain_dates(known), "ISO8601", (), "as asked" if wanted else "dates")
    if pandas.api.types.is_timedelta64_dtype(values.dtype) and wanted in ("", "number"):
        hours = (known / pandas.Timedelta(hours=1)).to_numpy(dtype=np.float64)
        return _number(name, hours, True, decimal=":", unit="h", why="durations, in hours")
    if pandas.api.types.is_bool_dtype(values.dtype) and wanted in ("", "number"):
        return f"always {known.iloc[0]}" if known.nunique() == 1 else BooleanColumn(name, (name,), why="true and false")
    if column.is_numeric and wanted in ("", "number"):
        numbers = known.to_numpy(dtype=np.float64)
        return _number(name, numbers, keep or bool(wanted), why="as asked" if wanted else "numbers")
    return _texts(column, conventions, keep, pooling, notes)


def _texts(
    column: Series, conventions: Conventions, keep: bool, pooling: tuple[float, int], notes: list[str]
) -> Column | str:
    """Infer the kind of a column from its values as strings; return a `Column`, or the reason why it is left out."""
    name, texts, wanted = column.name, column.texts, column.wanted
    if not texts:
        return "every value is missing"
    if len(texts) == 1:
        return f"always {quoted(texts[0])}"
    if column.numbers:
        style = conventions.number_style(column, notes)
        numbers, words = column.parsed(style)
        why = ("as asked" if wanted else _written(style)) + _gaps(words)
        return _number(name, numbers, keep or bool(wanted), style.decimal, style.unit, words, why=why)
    if column.dates:
        form = conventions.date_style(column, notes)
        when = dates(texts, form)
        words = tuple(text for text, unread in zip(texts, np.isnat(when), strict=True) if unread)
        why = ("as asked" if wanted else f"dates, {'ISO 8601' if form == 'ISO8601' else form}") + _gaps(words)
        return _dates(name, when[~np.isnat(when)], form, words, why)
    if wanted in ("number", "date"):
        raise DataError(f"The column {quoted(name)} cannot be of the kind {quoted(wanted)}: it has {shown(texts)}.")
    is_ordered = column.is_categorical and column.values.dtype.ordered and not wanted
    if is_ordered or wanted == "ordered" or ORDER in wanted:
        choices = order_of(column)
        return OrderedColumn(name, (name,), choices, why="as asked" if wanted else "ordered categories")
    pair = None if wanted or column.is_categorical else boolean_words(texts)
    if pair is not None:
        return BooleanColumn(name, (name,), pair, why=f"{quoted(pair[0])} and {quoted(pair[1])}")
    rows = column.rows
    if not (keep or wanted or column.is_categorical) and (reason := _free_text(rows, pooling[0])):
        return reason
    if (n_na := int((column.values == "NA").sum())) and all(map(_COUNTRY.fullmatch, texts)):
        plural = "1 row" if n_na == 1 else f"{n_na:,} rows"
        notes.append(f"{cut(name)}: 'NA' in {plural} counts as missing. If it is a code, write it in another way.")
    codes = "codes that begin with 0: " if any(map(is_code, texts)) else ""
    why = "as asked" if wanted else f"{codes}{len(texts):,} different values"
    return CategoryColumn.learned(name, rows, *pooling, why)


def _gaps(words: tuple[str, ...]) -> str:
    """Describe the strings in a column of numbers or dates that count as missing values."""
    return f"; missing if it is {shown(words)[1:-1]}" if words else ""


def _written(style: NumberStyle) -> str:
    """Describe the style of a column of numbers."""
    if style.decimal == ":":
        return "times, in hours"
    comma = " with a decimal comma" if style.decimal == "," else ""
    return f"numbers{comma}{f' in {style.unit}' if style.unit else ''}, as text"


def _number(name: str, numbers: Any, keep: bool, *written: Any, **more: Any) -> Column | str:
    """Return a column of numbers, or the reason why it is left out."""
    if (numbers == numbers[0]).all():
        return f"always {numbers[0]:g}"
    if not keep and _is_identifier(name, numbers):
        return "an identifier: every row has a different number"
    return NumberColumn(name, (name,), *written, **more)


def _is_identifier(name: str, numbers: Any) -> bool:
    """Return whether a column has the name of an identifier, and its numbers are distinct integers."""
    has_name_of_id = bool(_IDENTIFIER.search(name) or _CAPITALS.search(name))
    if not has_name_of_id or not np.isfinite(numbers).all() or (numbers != np.rint(numbers)).any():
        return False
    return len(np.unique(numbers)) == len(numbers)


def _dates(name: str, when: Any, style: str, words: tuple[str, ...], why: str) -> Column | str:
    """Return a column of dates with the components that vary, or the reason why it is left out."""
    values = date_parts(when)
    parts = tuple(part for part in PARTS if len(np.unique(values[part])) > 1)
    if not parts:
        return f"always {when[0].astype('datetime64[D]')}"
    return DateColumn(name, tuple(f"{name}: {part}" for part in parts), style, parts, words, why=why)


def _free_text(rows: list[str], min_frequency: float) -> str:
    """Return why strings are not categories; an empty string if they are."""
    counts = Counter(rows)
    if len(counts) == len(rows):
        return "an identifier or free text: every row has a different value"
    if max(counts.values()) < max(2, min_frequency * len(rows)) and 2 * len(counts) > len(rows):
        return f"an identifier or free text: {len(counts):,} different values in {len(rows):,} rows"
    return ""


def order_of(column: Series) -> tuple[str, ...]:
    """Return the categories of an ordered column, lowest first; raise DataError if the order is unknown."""
    wanted, texts = column.wanted, column.texts
    if column.is_categorical and column.values.dtype.ordered and wanted in ("", "ordered"):
        return tuple(spelled(category) for category in column.values.dtype.categories)
    if ORDER in wanted:
        choices = tuple(text.strip() for text in wanted.split(ORDER))
        if others := [text for text in texts if text not in choices]:
            raise DataError(
                f"The order {quoted(wanted)} of the column {quoted(column.name)} lacks {shown(others)[1:-1]}."
            )
        return choices
    styles = number_styles(texts, asked=True)
    places = [None if not styles else styles[0].parse(text) for text in texts]
    if None in places:
        places = [float(match[0]) if (match := _FIRST_NUMBER.search(text)) else None for text in texts]
    if None in places:
        raise DataError(
            f"The order of the column {quoted(column.name)} is unknown: it has {shown(texts)}. Give the order instead "
            f"of the kind, lowest first: {quoted(ORDER.join(texts[:3]))}."
        )
    return tuple(text for _, text in sorted(zip(places, texts, strict=True)))
