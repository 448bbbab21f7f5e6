"""Parse dates in common formats, and split them into year, month, day, weekday and hour."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.table.columns.numbers import mostly
from cogmap.table.columns.texts import pandas

# Components of a date: the year captures trends, the others yearly, weekly and daily cycles.
PARTS = ("year", "month", "day", "weekday", "hour")

# Each day-first format precedes its month-first counterpart, so that ambiguous dates are read day first.
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

_FAR_YEAR = re.compile(r"(?<!\d)(?!167[89]|16[89]|1[789]|2[01]|22[0-5]|226[01])\d{4}", re.ASCII)


def dates(texts: Sequence[str], style: str) -> NDArray[np.datetime64]:
    """Convert strings to dates, NaT if they cannot be parsed; times with a zone are converted to UTC.

    pandas is fast, but the range of years that it accepts depends on the other dates of the batch. Dates outside the
    smallest range, 1678 to 2261, that pandas could not parse are therefore parsed by Python.
    """
    parsed = pandas.to_datetime(pandas.Series(list(texts), dtype=object), format=style, errors="coerce", utc=True)
    result: NDArray[np.datetime64] = parsed.dt.tz_localize(None).to_numpy(dtype="datetime64[s]").copy()
    for place in np.flatnonzero(np.isnat(result)).tolist():
        if _FAR_YEAR.search(texts[place]):
            result[place] = _date(texts[place], style)
    return result


def _date(text: str, style: str) -> np.datetime64:
    """Parse a date without pandas; NaT if that fails."""
    try:
        when = datetime.fromisoformat(text) if style == "ISO8601" else datetime.strptime(text, style)
        return np.datetime64(when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when, "s")
    except (ValueError, OverflowError):
        return np.datetime64("NaT", "s")


def date_styles(texts: Sequence[str], asked: bool = False) -> list[str]:
    """Return the possible formats of a column of dates.

    The list is empty if the strings are not dates, and has two formats if day and month are ambiguous. If `asked` is
    true, the user has declared a column of dates, and any number of strings may be unparsable.
    """
    if not asked and not mostly(sum(map(may_be_date, texts)), len(texts)):
        return []
    few = texts[:100]
    understood = {}
    for style in DATES:
        n_few = int((~np.isnat(dates(few, style))).sum())
        if mostly(n_few, len(few)) or (asked and n_few):
            understood[style] = int((~np.isnat(dates(texts, style))).sum())
    best = [style for style in understood if understood[style] == max(understood.values())]
    if not best or not (asked or mostly(understood[best[0]], len(texts))):
        return []
    return [style for style in best if style in (best[0], month_first(best[0]))]


def month_first(style: str) -> str:
    """Return the month-first counterpart of a day-first format."""
    return style.replace("%d/%m", "%m/%d").replace("%d-%m", "%m-%d")


def may_be_date(text: str) -> bool:
    """Return whether a string has a plausible length and enough digits for a date."""
    return 6 <= len(text) <= 40 and sum(sign.isdigit() for sign in text) >= 4


def plain_dates(values: Any) -> NDArray[np.datetime64]:
    """Convert a pandas Series of dates to an array; dates with a zone are converted to UTC."""
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    return values.to_numpy(dtype="datetime64[s]")


def date_parts(when: NDArray[np.datetime64]) -> dict[str, NDArray[np.float64]]:
    """Split dates into their components, NaN if missing; weekdays are 1 (Monday) to 7 (Sunday)."""
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
