"""Dates as people write them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.table.columns.numbers import mostly
from cogmap.table.columns.texts import pandas

# Parts of a date: the year says where in time, the others where in the year, week and day.
PARTS = ("year", "month", "day", "weekday", "hour")

# Formats in which the day comes first stand before those in which the month does.
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
    """Return texts as dates, NaT where they are none; times with a zone are converted to UTC.

    pandas reads many dates fast, but its range of years depends on the other dates of the batch, so Python reads dates
    outside the smallest range, from 1678 to 2261, that pandas has not read.
    """
    read = pandas.to_datetime(pandas.Series(list(texts), dtype=object), format=style, errors="coerce", utc=True)
    result: NDArray[np.datetime64] = read.dt.tz_localize(None).to_numpy(dtype="datetime64[s]").copy()
    for place in np.flatnonzero(np.isnat(result)).tolist():
        if _FAR_YEAR.search(texts[place]):
            result[place] = _date(texts[place], style)
    return result


def _date(text: str, style: str) -> np.datetime64:
    try:
        when = datetime.fromisoformat(text) if style == "ISO8601" else datetime.strptime(text, style)
        return np.datetime64(when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when, "s")
    except (ValueError, OverflowError):
        return np.datetime64("NaT", "s")


def date_styles(texts: Sequence[str], asked: bool = False) -> list[str]:
    """Return the formats of a column of dates: none if it has no dates, two if day and month may be swapped.

    A column that is `asked` to be one of dates may have more words.
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
    """Return a format in which the day comes first with the month in its place."""
    return style.replace("%d/%m", "%m/%d").replace("%d-%m", "%m-%d")


def may_be_date(text: str) -> bool:
    """Whether a text has the length and the digits of a date."""
    return 6 <= len(text) <= 40 and sum(sign.isdigit() for sign in text) >= 4


def plain_dates(values: Any) -> NDArray[np.datetime64]:
    """Return a pandas Series of dates as an array; dates with a zone are converted to UTC."""
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    return values.to_numpy(dtype="datetime64[s]")


def date_parts(when: NDArray[np.datetime64]) -> dict[str, NDArray[np.float64]]:
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
