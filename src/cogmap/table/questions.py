"""Questions about single rows of a raw table: what each column contributes, and what would change the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogmap._utils.params import shown, suggestion
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError
from cogmap.explanation import explain, what_if
from cogmap.explanation._subject import known_features
from cogmap.models.features import Array, unit_of
from cogmap.models.model import MapModel
from cogmap.table.model import TableModel
from cogmap.table.preparation import BooleanColumn, CategoryColumn, Column
from cogmap.table.preparation.columns import spans

_TRIED = 4  # changes of a category from which numbers are then changed


def contributions(columns: Sequence[Column], model: MapModel, features: Array) -> tuple[Array, Array]:
    """Return what each column contributes to each output: (rows, columns, outputs), and what the mean row gives.

    Features of one column are added up.
    """
    found = explain(model, features)
    of_columns = [found.contributions[:, span].sum(axis=1) for span in spans(columns)]
    return np.stack(of_columns, axis=1), found.base_values


def told(column: Column, features: Array) -> str:
    """Return the value of a column of one row as people write it; `features` are those of the column."""
    if np.isnan(features).any():
        return "missing"
    if isinstance(column, CategoryColumn):
        return column.choices[int(features.argmax())]
    if isinstance(column, BooleanColumn):
        return column.choices[int(features[0])]
    if len(features) == 1:
        return f"{features[0]:.6g}"
    return " ".join(
        f"{output.rpartition(': ')[2]} {value:g}" for output, value in zip(column.outputs, features, strict=True)
    )


@dataclass(frozen=True)
class Change:
    """What changes in a row so that the map says something else.

    Attributes
    ----------
    changes : dict of str to (str, str)
        Columns that change, with the value before and after.
    outputs_before, outputs : ndarray
        What the map says before and after.
    found : bool
        Whether there is an answer.
    """

    changes: dict[str, tuple[str, str]]
    outputs_before: Array
    outputs: Array
    found: bool


def change(model: TableModel, row: Array, to: Any, fixed: Sequence[str]) -> Change:
    """Find a small change of a row after which the map says something else.

    Numbers, and yes and no, are changed by `cogmap.what_if`; a category only as a whole, and dates stay. The answer in
    which the fewest columns change is taken, and of those the one with the smallest changes.
    """
    columns, places = model.preparer.columns_, _places(model)
    for name in fixed:
        if name not in [column.name for column in columns]:
            hint = suggestion(name, [column.name for column in columns])
            raise DataError(
                f"`fixed` names {quoted(name)}, which is no column that the model uses.{' ' + hint if hint else ''}"
            )
    held = [c for c in columns if c.kind in ("category", "date") or c.name in fixed]
    names = model.model.encoding.column_names(model.model.map.concepts[: model.model.n_inputs])
    still = [name for column in held for name in names[places[column.name]]]
    before = model.model.outputs(row[None])[0]
    answers = []
    for start in [row, *_with_other_categories(model, row, to, fixed)]:
        if len(still) == len(names) or _says(model, start, to, before):
            found = start if _says(model, start, to, before) else None
        else:
            answer = what_if(model.model, start, to=_label(model, to), fixed=still)
            found = None if answer.row is None else np.asarray(answer.row, dtype=np.float64).ravel()
        if found is not None and (not np.array_equal(found, row, equal_nan=True) or _says(model, row, to, before)):
            changed = [
                c for c in columns if not np.array_equal(found[places[c.name]], row[places[c.name]], equal_nan=True)
            ]
            answers.append((len(changed), _size(model, row, found), found, changed))
    if not answers:
        return Change({}, before, before, False)
    _, _, found, changed = min(answers, key=lambda answer: answer[:2])
    changes = {c.name: (told(c, row[places[c.name]]), told(c, found[places[c.name]])) for c in changed}
    return Change(changes, before, model.model.outputs(found[None])[0], True)


def _places(model: TableModel) -> dict[str, slice]:
    columns = model.preparer.columns_
    return {column.name: span for column, span in zip(columns, spans(columns), strict=True)}


def _with_other_categories(model: TableModel, row: Array, to: Any, fixed: Sequence[str]) -> list[Array]:
    """Return the row with one category changed, those that lead nearest to what is wanted first."""
    places, changed = _places(model), []
    for column in model.preparer.columns_:
        if not isinstance(column, CategoryColumn) or column.name in fixed:
            continue
        now = row[places[column.name]]
        if np.isnan(now).any():  # what is not known stays so
            continue
        for choice in np.flatnonzero(now != 1.0):
            other = row.copy()
            other[places[column.name]] = np.eye(len(now))[choice]
            changed.append(other)
    if not changed:
        return []
    outputs = model.model.outputs(np.array(changed))
    if model.classes is None:
        distance = np.abs(outputs[:, 0] - float(to))
    elif to is None:
        distance = outputs[:, int(model.model.outputs(row[None])[0].argmax())]
    else:
        distance = -outputs[:, model.classes.index(to)]
    return [changed[i] for i in np.argsort(distance, kind="stable")[:_TRIED]]


def _says(model: TableModel, row: Array, to: Any, before: Array) -> bool:
    """Whether the map says what is wanted."""
    outputs = model.model.outputs(row[None])[0]
    if model.classes is None:
        return bool(outputs[0] >= to if before[0] < to else outputs[0] <= to)
    if to is None:
        return int(outputs.argmax()) != int(before.argmax())
    return int(outputs.argmax()) == model.classes.index(to)


def _label(model: TableModel, to: Any) -> Any:
    """Return a class as the map knows it, not as text."""
    if model.classes is None or to is None:
        return to
    link: Any = model.model.link
    return link.classes[model.classes.index(to)]


def _size(model: TableModel, row: Array, found: Array) -> float:
    unit = unit_of(known_features(model.model.encoding).deviation)
    return float(np.nansum(np.abs(found - row) / unit))


def checked_goal(model: TableModel, to: str | None) -> Any:
    """Return what has to be reached: a class, None for any other, or a number."""
    if model.classes is not None:
        if to is not None and to not in model.classes:
            hint = suggestion(to, model.classes)
            raise DataError(
                f"`to` must be one of the classes {shown(model.classes)}, got {quoted(to)}. {hint}".rstrip()
            )
        return to
    if to is None:
        raise DataError(
            f"The model predicts numbers, and `to` is missing: the value of {quoted(model.target.name)} to reach."
        )
    target = model.target.numbers
    found = None if target is None else target.value(to.strip())  # as numbers are written in the table
    if not isinstance(found, tuple) or not np.isfinite(found[0]):
        raise DataError(f"`to` must be the number that the prediction should reach, got {quoted(to)}.")
    return found[0]
