"""The target column: inference of the task, and conversion to class labels or numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import shown, suggestion
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError
from cogmap.table.columns.texts import distinct, pandas
from cogmap.table.preparation import NumberColumn
from cogmap.table.preparation.kinds import ORDER, Conventions, Series, order_of

CLASSES, VALUES = "classification", "regression"
TASKS = (CLASSES, VALUES)
ORDERED = "ordered"

_MOST_NUMBERED = 10  # up to this many distinct integers are classes, not values
_MOST_SINGLE = 10  # with more single-row classes than this, an error if they are the majority


@dataclass(frozen=True)
class Target:
    """Target column of a model.

    Attributes
    ----------
    name : str
        Name of the column.
    task : {"classification", "regression"}
        Kind of target.
    why : str
        Reason why this task was inferred.
    numbers : NumberColumn or None
        Parser of the values; None for classes, which are strings.
    loss : str
        Loss of `FCMRegressor` for values.
    order : tuple of str
        Ordered classes, from the lowest to the highest; empty if they have no order.
    notes : tuple of str
        Notes on values that can be read in more than one way.
    labels : dict of str to str
        Names of classes that are codes in the table, such as ``{"1": "good", "2": "bad"}``.
    unit : str
        Unit of the values, such as "€".
    """

    name: str
    task: str
    why: str
    numbers: NumberColumn | None = None
    loss: str = "squared_error"
    order: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""

    def read(self, values: Any, first: int = 0) -> NDArray[Any]:
        """Convert a column to class labels (strings, None if missing) or to numbers (NaN if missing).

        `first` is the number of rows before these in the table, for error messages.
        """
        if self.numbers is None:
            codes, labels = distinct(values)
            names = [None if label is None else self.labels.get(label, label) for label in labels]
            return np.array(names, dtype=object)[codes]
        cells = self.numbers.read(values)
        if cells.faults:
            row, reason = min(cells.faults.items())
            raise DataError(f"The target cannot be read in row {first + row + 1}: {reason}.")
        return cells.features[:, 0]

    def to_state(self) -> dict[str, Any]:
        """Return the attributes as JSON-serializable values."""
        numbers = None if self.numbers is None else self.numbers.to_state()
        state: dict[str, Any] = {"name": self.name, "task": self.task, "why": self.why, "numbers": numbers}
        state |= {"loss": self.loss, "order": list(self.order)}
        return (
            state | ({"labels": dict(self.labels)} if self.labels else {}) | ({"unit": self.unit} if self.unit else {})
        )

    @staticmethod
    def from_state(state: dict[str, Any]) -> "Target":
        """Build a target from its state."""
        numbers = None if state["numbers"] is None else NumberColumn.from_state(state["numbers"])
        labels, unit = state.get("labels", {}), state.get("unit", "")
        loss, order = state.get("loss", "squared_error"), tuple(state.get("order", ()))
        return Target(state["name"], state["task"], state["why"], numbers, loss, order, (), labels, unit)  # type: ignore[arg-type]

    def named(self, labels: Mapping[str, str], unit: str, values: Any) -> "Target":
        """Return the target with names of its classes and a unit; raise DataError if they do not fit its values."""
        if labels and self.task != CLASSES:
            raise DataError(f"`labels` names classes, and {quoted(self.name)} is a number. Set `task` to {CLASSES!r}.")
        if unit and self.task == CLASSES:
            raise DataError(f"`units` is for numbers, and the target {quoted(self.name)} has classes. Use `labels`.")
        known = sorted({text for text in distinct(values)[1] if text is not None})
        for label in labels:
            if label not in known:
                raise DataError(
                    f"`labels` names {quoted(label)}, which is no value of {quoted(self.name)}: it has {shown(known)}."
                )
        names = [labels.get(label, label) for label in known]
        if twice := [name for name in names if names.count(name) > 1]:
            raise DataError(f"`labels` gives the name {quoted(twice[0])} to more than one class. Names must differ.")
        order = tuple(labels.get(label, label) for label in self.order)
        return replace(self, labels=dict(labels), unit=unit, order=order)


def column_of(frame: Any, name: str, source: str) -> Any:
    """Return a column by name; raise a DataError that lists all columns if it does not exist."""
    if name in frame.columns:
        return frame[name]
    columns = [str(column) for column in frame.columns]
    hint = suggestion(name, columns)
    if len(columns) == 1:
        hint = "Are its values separated by something other than a comma, semicolon, tab or |?"
    raise DataError(
        f"There is no column {quoted(name)} in {source}, which has {shown(columns)}.{' ' + hint if hint else ''}"
    )


def known_rows(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the rows whose target is not missing."""
    return np.asarray(~pandas.isna(labels))


def find_target(
    values: Any, name: str, task: str | None, frame: Any = None, loss: str | None = None, kind: str = ""
) -> Target:
    """Infer the task from a target column; raise DataError if the column cannot be predicted.

    Parameters
    ----------
    values : pandas.Series
        Target column.
    name : str
        Name of the column.
    task : {"classification", "regression"} or None
        Task; inferred if None.
    frame : pandas.DataFrame, default=None
        The whole table. Its other columns determine the decimal mark if the target column is ambiguous.
    loss : str, default=None
        Loss of `FCMRegressor`; if None, ``"poisson"`` for counts and ``"squared_error"`` for other values.
    kind : str, default=""
        ``"ordered"``, or classes in their order such as ``"low<middle<high"``; otherwise it does not matter here.

    Returns
    -------
    Target
    """
    codes, all_texts = distinct(values)
    texts = sorted({text for text in all_texts if text is not None})
    if not texts:
        raise DataError(f"The target {quoted(name)} is missing in every row.")
    if len(texts) == 1:
        raise DataError(f"The target {quoted(name)} is always {quoted(texts[0])}: there is nothing to learn.")
    notes: list[str] = []
    column = Series(name, values, kind if kind == ORDERED or ORDER in kind else "")
    numbers = _numbers(column, frame, notes)
    if task == VALUES and numbers is None:
        raise DataError(f"The target {quoted(name)} is not numeric, it has {shown(texts)}: `task` must be {CLASSES!r}.")
    if task is None and numbers is None and (column.dates or pandas.api.types.is_datetime64_any_dtype(values.dtype)):
        raise DataError(
            f"The target {quoted(name)} is a date, which cannot be predicted. Convert it to a number, such as days "
            "since a fixed date."
        )
    why = "as asked"
    if task is None:
        task, why = _found_task(name, texts, numbers, values)
    if task == VALUES:
        if loss is None:
            loss, of_counts = _found_loss(cast(NumberColumn, numbers), values)
            why += of_counts
        return Target(name, VALUES, why, numbers, loss, notes=tuple(notes))
    labels = np.array(all_texts, dtype=object)[codes]
    counts = np.unique(labels[known_rows(labels)].astype(str), return_counts=True)[1]
    n_single = int((counts < 2).sum())
    if n_single == len(counts):
        raise DataError(
            f"The target {quoted(name)} has a different value in every row ({len(texts):,} in all): classes need "
            "several rows each. Is it the right column?"
        )
    if 2 * n_single > len(counts) and n_single > _MOST_SINGLE:
        raise DataError(
            f"The target {quoted(name)} has {len(counts):,} classes, of which {n_single:,} are in a single row: "
            "classes need several rows each. Is it the right column? Remove the rows of rare classes to learn the "
            "others."
        )
    order: tuple[str, ...] = ()
    if column.wanted or (kind != "category" and column.is_categorical and values.dtype.ordered):
        order = order_of(column)
        why += "; its classes are ordered"
    return Target(name, CLASSES, why, order=order)


def _numbers(column: Series, frame: Any, notes: list[str]) -> NumberColumn | None:
    """Return the parser of a numeric target; None if the target is not numeric."""
    name, dtype = column.name, column.values.dtype
    if pandas.api.types.is_bool_dtype(dtype):
        return None
    if column.is_numeric or pandas.api.types.is_timedelta64_dtype(dtype):
        return NumberColumn(name, (name,), *(() if column.is_numeric else (":", "h")))
    if not column.numbers:
        return None
    conventions = Conventions(None, None)
    if len(column.numbers) > 1 and frame is not None:
        others = [Series(other, frame[other]) for other in frame.columns]
        conventions = Conventions.of(others, frame.attrs.get("delimiter"))
    style = conventions.number_style(column, notes)
    return NumberColumn(name, (name,), style.decimal, style.unit, column.parsed(style)[1])


def _found_task(name: str, texts: list[str], numbers: NumberColumn | None, values: Any) -> tuple[str, str]:
    """Infer the task of a target, with the reason."""
    if numbers is None:
        return CLASSES, f"{quoted(name)} has {len(texts):,} different values"
    parsed = numbers.read(values).features[:, 0]
    known = parsed[~np.isnan(parsed)]
    different = np.unique(known)
    if (different == np.rint(different)).all() and len(different) <= _MOST_NUMBERED < len(known):
        return CLASSES, f"{quoted(name)} has only {len(different)} different whole numbers"
    return VALUES, f"{quoted(name)} has {len(different):,} different numbers"


def _found_loss(numbers: NumberColumn, values: Any) -> tuple[str, str]:
    """Return the loss for values, with the reason: counts are whole numbers from 0 on, most of them small."""
    parsed = numbers.read(values).features[:, 0]
    known = parsed[~np.isnan(parsed)]
    if known.min() == 0.0 and (known == np.rint(known)).all() and known.mean() > np.median(known):
        return "poisson", "; they are counts, whole numbers from 0 on: Poisson loss"
    return "squared_error", ""
