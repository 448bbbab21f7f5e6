"""The column that is to be predicted: classes or values, and which rows say nothing about it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import shown, suggestion
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError
from cogmap.table.preparation import NumberColumn
from cogmap.table.preparation.texts import date_style, distinct, number_style, pandas

CLASSES, VALUES = "classification", "regression"
TASKS = (CLASSES, VALUES)

_MOST_NUMBERED = 10  # whole numbers that are still classes, and not values


@dataclass(frozen=True)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    name : str
        Name of the column.
    task : {"classification", "regression"}
        What it is.
    why : str
        Why it was taken so.
    numbers : NumberColumn or None
        How values are written; None for classes, which are texts.
    """

    name: str
    task: str
    why: str
    numbers: NumberColumn | None = None

    def read(self, values: Any) -> NDArray[Any]:
        """Return labels as texts, None where one is missing; or values, NaN where one is missing."""
        if self.numbers is None:
            codes, texts = distinct(values)
            return np.array(texts, dtype=object)[codes]
        cells = self.numbers.read(values)
        if cells.faults:
            row, reason = min(cells.faults.items())
            raise DataError(f"The target cannot be read in row {row + 1}: {reason}.")
        return cells.features[:, 0]

    def to_state(self) -> dict[str, Any]:
        """Return all that is known, as JSON knows it."""
        numbers = None if self.numbers is None else self.numbers.to_state()
        return {"name": self.name, "task": self.task, "why": self.why, "numbers": numbers}

    @staticmethod
    def from_state(state: dict[str, Any]) -> "Target":
        """Return the target with that state."""
        numbers = None if state["numbers"] is None else NumberColumn.from_state(state["numbers"])
        return Target(state["name"], state["task"], state["why"], numbers)  # type: ignore[arg-type]


def column_of(frame: Any, name: str, source: str) -> Any:
    """Return a column by its name, or say which ones there are."""
    if name in frame.columns:
        return frame[name]
    columns = [str(column) for column in frame.columns]
    hint = suggestion(name, columns)
    if len(columns) == 1:
        hint = "Are its values separated by something else than a comma, semicolon, tab or |?"
    raise DataError(
        f"There is no column {quoted(name)} in {source}, which has {shown(columns)}.{' ' + hint if hint else ''}"
    )


def known_rows(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return in which rows the target is known."""
    return np.asarray(~pandas.isna(labels))


def find_target(values: Any, name: str, task: str | None) -> Target:
    """Say what a column is as a target, or why it can be none.

    Parameters
    ----------
    values : pandas.Series
        The column.
    name : str
        Its name.
    task : {"classification", "regression"} or None
        What it is to be; None to find out.
    """
    codes, all_texts = distinct(values)
    texts = sorted({text for text in all_texts if text is not None})
    if not texts:
        raise DataError(f"The target {name!r} is missing in every row.")
    if len(texts) == 1:
        raise DataError(f"The target {name!r} is always {quoted(texts[0])}: there is nothing to learn.")
    numbers = _numbers(values, name, texts)
    if task == VALUES and numbers is None:
        raise DataError(
            f"The target {name!r} is not made of numbers but of {shown(texts)}: `task` must be 'classification'."
        )
    if task is None and numbers is None and _is_date(values, texts):
        raise DataError(
            f"The target {name!r} is a date, which cannot be predicted. Make it a number, such as days from a date."
        )
    why = "as asked"
    if task is None:
        task, why = _found_task(name, texts, numbers, values)
    if task == VALUES:
        return Target(name, VALUES, why, numbers)
    counts = np.bincount(codes[codes >= 0])
    if (counts < 2).all():
        raise DataError(
            f"The target {name!r} has another value in every row ({len(texts):,} in all): classes need several rows "
            "each. Is it the right column?"
        )
    return Target(name, CLASSES, why)


def _numbers(values: Any, name: str, texts: list[str]) -> NumberColumn | None:
    """Return how the numbers of a target are written; None if it is not made of numbers."""
    kind = pandas.api.types
    if kind.is_bool_dtype(values.dtype) or isinstance(values.dtype, pandas.CategoricalDtype):
        return None
    if kind.is_numeric_dtype(values.dtype):
        return NumberColumn(name, (name,))
    style = None if kind.is_datetime64_any_dtype(values.dtype) else number_style(texts)
    if style is None:
        return None
    words = tuple(text for text in texts if style.parse(text) is None)
    return NumberColumn(name, (name,), style.decimal, style.unit, words)


def _found_task(name: str, texts: list[str], numbers: NumberColumn | None, values: Any) -> tuple[str, str]:
    if numbers is None:
        return CLASSES, f"{name!r} has {len(texts):,} different texts"
    found = numbers.read(values).features[:, 0]
    known = found[~np.isnan(found)]
    different = np.unique(known)
    if (different == np.rint(different)).all() and len(different) <= _MOST_NUMBERED < len(known):
        return CLASSES, f"{name!r} has only {len(different)} different whole numbers"
    return VALUES, f"{name!r} has {len(different):,} different numbers"


def _is_date(values: Any, texts: list[str]) -> bool:
    return bool(pandas.api.types.is_datetime64_any_dtype(values.dtype)) or date_style(texts) is not None
