"""Cells as people write them: gaps, numbers, yes and no, dates.

Everything here is asked of the distinct texts of a column, which are few, not of its rows.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError

pandas = import_or_raise("pandas", "cogmap.TablePreparer", "table")

# What stands for a gap. "None" is not among them: it often is a category, as in "garage: None".
MISSING = frozenset(
    ["", "?", "-", "--", ".", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "<NA>", "#N/A", "#NA"]
)

# No and yes, as pairs: a column of booleans has the words of one pair only.
BOOLEANS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"))

UNITS = "%$€£¥"

# The first format that fits is taken: where 03/04/2020 could be both, the day comes first, as in most of the world.
DATES = (
    "ISO8601",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)

# A column of numbers or dates may have some words in it, such as "unknown": one for so many numbers.
_NUMBERS_PER_WORD = 10


def distinct(values: Any) -> tuple[NDArray[np.intp], list[str | None]]:
    """Return for a pandas Series a code per row, and the texts of the codes; the last one, for gaps, is None."""
    try:
        codes, found = pandas.factorize(values)
    except TypeError:  # lists and the like
        codes, found = pandas.factorize(values.map(str, na_action="ignore"))
    texts = [spelled(value) for value in found]
    return codes, [None if text in MISSING else text for text in texts] + [None]


def repeated(names: Sequence[str]) -> list[str]:
    """Return the names that are there more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def refuse_repeated(names: Sequence[str], table: str = "The table") -> None:
    """Complain about columns of the same name: they would be one column too few."""
    if twice := repeated(names):
        more = f" and {len(twice) - 1} more names" if len(twice) > 1 else ""
        raise DataError(f"{table} has more than one column called {quoted(twice[0])}{more}. Rename all but one.")


def spelled(value: object) -> str:
    """Return a cell as text; whole numbers without a point, since a gap elsewhere turns 1 into 1.0."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def boolean(text: str) -> float | None:
    """Return 1 or 0 for a word that means yes or no, 1.0 and 0.0 included."""
    word = text.casefold()
    for no, yes in (*BOOLEANS, ("0", "1")):
        if word in (no, yes):
            return float(word == yes)
    return None


def boolean_words(texts: Iterable[str]) -> tuple[str, str] | None:
    """Return the texts for no and yes, as they are written, if there are just two and they mean that."""
    found = {text.casefold(): text for text in texts}
    for no, yes in BOOLEANS:
        if set(found) == {no, yes}:
            return found[no], found[yes]
    return None


@dataclass(frozen=True)
class NumberStyle:
    """How the numbers of a column are written: what stands before decimals, and a unit that all have."""

    decimal: str = "."
    unit: str = ""

    def parse(self, text: str) -> float | None:
        """Return the number, or None if it is none."""
        if self.unit:
            text = text.removeprefix(self.unit).removesuffix(self.unit).strip()
        if self.decimal == "." and "_" not in text:
            try:
                return float(text)
            except ValueError:
                pass
        if not _PATTERNS[self.decimal].fullmatch(text):
            return None
        grouping = str.maketrans("", "", "., '\u00a0\u202f\u2019".replace(self.decimal, ""))
        return float(text.translate(grouping).replace(self.decimal, "."))


def _pattern(decimal: str) -> re.Pattern[str]:
    point, other = re.escape(decimal), re.escape("," if decimal == "." else ".")
    grouped = rf"\d{{1,3}}(?:(?P<group>[{other} '\u00a0\u202f\u2019])\d{{3}}(?:(?P=group)\d{{3}})*)?"
    return re.compile(rf"[+-]?(?:(?:{grouped}|\d+)(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?", re.ASCII)


_PATTERNS = {decimal: _pattern(decimal) for decimal in ".,"}


def number_style(texts: Sequence[str]) -> NumberStyle | None:
    """Return how numbers are written in a column, None if it is not one of numbers."""
    units = {sign for text in texts for sign in UNITS if sign in text}
    if len(units) > 1:
        return None
    styles = [NumberStyle(decimal, unit) for unit in (*units, "") for decimal in ".,"]
    for style in styles:
        if mostly(sum(style.parse(text) is not None for text in texts), len(texts)):
            return style
    return None


def mostly(n_understood: int, n: int) -> bool:
    """Whether so many distinct values are understood that the others are words in their place."""
    return n_understood > 0 and (n - n_understood) * _NUMBERS_PER_WORD <= n_understood


def dates(texts: Sequence[str], style: str) -> NDArray[np.datetime64]:
    """Return texts as dates, NaT where they are none; times of other zones are told in UTC."""
    found = pandas.to_datetime(pandas.Series(list(texts), dtype=object), format=style, errors="coerce", utc=True)
    return found.dt.tz_localize(None).to_numpy(dtype="datetime64[s]")


def date_style(texts: Sequence[str]) -> str | None:
    """Return the format of dates in a column, None if it is not one of dates."""
    if not mostly(sum(_may_be_date(text) for text in texts), len(texts)):
        return None
    few = texts[:100]
    for style in DATES:
        if mostly(len(few) - np.isnat(dates(few, style)).sum(), len(few)) and mostly(
            len(texts) - np.isnat(dates(texts, style)).sum(), len(texts)
        ):
            return style
    return None


def _may_be_date(text: str) -> bool:
    return 6 <= len(text) <= 40 and sum(sign.isdigit() for sign in text) >= 4
