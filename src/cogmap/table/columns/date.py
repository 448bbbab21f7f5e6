"""Columns of dates."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.text import quoted
from cogmap.table.columns.base import Array, Cells, Column, Fault, Value, moments
from cogmap.table.columns.dates import DATES, PARTS, date_parts, dates, plain_dates
from cogmap.table.columns.texts import distinct, pandas

# Dates that Python reads in the same way as pandas, and much faster.
_PLAIN_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?", re.ASCII)


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
    json_types: ClassVar[frozenset[type]] = frozenset([str, type(None)])
    json_expected: ClassVar[str] = "a date string or null"
    onnx_type: ClassVar[type] = float

    style: str = "ISO8601"
    parts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def _is_possible(self) -> bool:
        parts = set(self.parts) <= set(PARTS) and len(set(self.parts)) == len(self.parts) == len(self.outputs)
        return parts and len(self.parts) > 0 and self.style in DATES

    def value(self, text: str) -> Value:
        """Parse a date string and return its parts."""
        if self.style == "ISO8601" and _PLAIN_DATE.fullmatch(text) and text not in self.words:
            try:
                when = datetime.fromisoformat(text)
            except ValueError:  # there is no such day
                return self.values([text])[0]
            parts = dict(zip(PARTS, (when.year, when.month, when.day, when.isoweekday(), when.hour), strict=True))
            return tuple(float(parts[part]) for part in self.parts)
        return self.values([text])[0]

    def values(self, texts: Sequence[str]) -> list[Value]:
        """Parse date strings, all at once because each call of pandas is slow."""
        when = dates(texts, self.style)
        features = map(tuple, self._apart(when).tolist())
        reason = "is not a date as in training"
        return [
            self.gap if text in self.words else Fault(f"{quoted(text)} {reason}") if wrong else parts
            for text, wrong, parts in zip(texts, np.isnat(when).tolist(), features, strict=True)
        ]

    def read(self, values: Any) -> Cells:
        """Convert a pandas Series of dates to their parts."""
        if pandas.api.types.is_datetime64_any_dtype(values.dtype):
            return Cells(self._apart(plain_dates(values)), {}, {})
        return super().read(values)

    def times(self, values: Any) -> NDArray[np.datetime64]:
        """Return the dates of a pandas Series, NaT where there is none."""
        if pandas.api.types.is_datetime64_any_dtype(values.dtype):
            return plain_dates(values)
        codes, texts = distinct(values)
        return dates([text or "" for text in texts], self.style)[codes]

    def _apart(self, when: NDArray[np.datetime64]) -> Array:
        parts = date_parts(when)
        return np.column_stack([parts[part] for part in self.parts])

    def _statistics(self, known: Array) -> dict[str, Any]:
        return {"parts": {part: moments(values) for part, values in zip(self.parts, known.T, strict=True)}}

    def _label(self, features: Array) -> str:
        return ", ".join(f"{part} {value:g}" for part, value in zip(self.parts, features, strict=True))

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        is_iso = self.style == "ISO8601"
        text = f"A date in the format {'ISO 8601' if is_iso else self.style}."
        form = {"format": "date-time" if "hour" in self.parts else "date"} if is_iso else {}
        return {"type": ["string", "null"], **form, "description": text}

    def example(self, ranges: Array | None) -> Any:
        """Return a date with the mean parts of the training data."""
        means = {} if ranges is None or not np.isfinite(ranges).all() else dict(zip(self.parts, ranges[1], strict=True))
        parts = {part: round(float(mean)) for part, mean in means.items()}
        day = datetime(parts.get("year", 2024), parts.get("month", 6), min(parts.get("day", 15), 28)).date()
        return day.isoformat() if self.style == "ISO8601" else day.strftime(self.style)

    def page(self, features: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one column per part; counterfactuals do not change them one by one."""
        return [{**part, "held": True} for part in features]

    def onnx(self, builder: Any, cells: str) -> str:
        """Decompose dates, given as seconds since 1970-01-01."""
        return str(builder.date_parts(cells, self.parts))

    def onnx_input(self, values: Any) -> NDArray[Any]:
        """Convert a pandas Series to seconds since 1970-01-01, NaN if missing."""
        self._onnx_features(values)
        when = self.times(values)
        return np.where(np.isnat(when), np.nan, when.astype("datetime64[s]").astype(np.int64))[:, None]
