"""``cogmap predict``: predict the rows of a table."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import click

from cogmap.cli.common import (
    check_place,
    command,
    example,
    formulas_option,
    json_option,
    on_table,
    out_option,
    write_rows,
)
from cogmap.cli.errors import Problem

if TYPE_CHECKING:
    from cogmap.table.model import TableModel
    from cogmap.table.predictions import Predictions

_STRONGEST = 3  # contributions shown per row
_EXPLAINED_AT_ONCE = 4096  # rows per batch


@click.command(
    epilog=example(
        "cogmap predict flowers.cogmap new.csv --out predictions.csv",
        "cat new.csv | cogmap predict flowers.cogmap - --json",
    )
)
@on_table
@out_option
@click.option("--explain", "why", is_flag=True, help="Add a column with the strongest contributions.")
@click.option(
    "--interval",
    "percent",
    type=float,
    metavar="PERCENT",
    help="Add an interval that contains the true value, or a set of classes that contains the true class, for about "
    "this percentage of the rows, such as 90.",
)
@json_option
@formulas_option
def predict(model: str, table: str, out: str, why: bool, percent: float | None, as_json: bool, formulas: bool) -> None:
    """Predict the rows of a table.

    MODEL is a file saved by `cogmap fit`. The output has one row per row of TABLE, in the same order: the prediction,
    the probability of each class, and a note if the row cannot be predicted or is unlike the training data. Columns may
    be in any order; columns that the model does not use are ignored. Tables are read in chunks, so their length is not
    limited by memory. With --json, each row is a JSON object on its own line.
    """
    from cogmap.estimators._uncertainty import held_out_errors
    from cogmap.table.model import TableModel

    with command():
        check_place(out, table, model)
        subject = TableModel.load(model)
        level = _level(percent)
        if level is not None:
            # Raises before any output.
            held_out_errors(subject.estimator, "predict_interval" if subject.classes is None else "predict_set")
        if as_json:
            write_rows(subject, table, out, None, partial(_json_lines, subject, why, level), formulas)
        else:
            lines = partial(_csv_lines, subject, why, level, formulas)
            write_rows(subject, table, out, _header(subject, why, level), lines, formulas)


def _level(percent: float | None) -> float | None:
    """Return a percentage as a share."""
    if percent is not None and not 1.0 < percent < 100.0:
        cure = f" For {percent:.0%} write {percent * 100:g}." if 0.0 < percent < 1.0 else ""
        raise Problem(f"--interval must be a percentage above 1 and below 100, got {percent:g}.{cure}")
    return None if percent is None else percent / 100.0


def _header(model: "TableModel", why: bool, level: float | None) -> list[str]:
    """Return the names of the output columns."""
    probabilities = [f"P({label})" for label in model.classes or ()]
    sure = [] if level is None else ["low", "high"] if model.classes is None else ["set"]
    return ["prediction", *probabilities, *sure, *(["why"] if why else []), "note"]


def _csv_lines(
    model: "TableModel", why: bool, level: float | None, formulas: bool, predictions: "Predictions"
) -> Iterator[str]:
    """Yield predictions as CSV, formatted by column: this is faster than by row."""
    from cogmap.table.files.writing import csv_cell

    if model.classes is None:
        columns: list[Any] = [_numbers(predictions.labels, partial(_value, model) if why else repr)]
    else:
        names = {label: csv_cell(label, formulas) for label in model.classes}
        columns = [[names[str(label)] for label in predictions.labels.tolist()]]
        columns += [_numbers(column, _probability) for column in predictions.outputs.T]
    if level is not None and model.classes is None:
        to_string = partial(_value, model) if why else repr
        columns += [_numbers(ends, to_string) for ends in model.intervals(predictions, level)[:, 0].T]
    elif level is not None:
        sets = model.class_sets(predictions, level)
        columns.append([csv_cell("; ".join(map(str, of_row)), formulas) for of_row in sets])
    if why:
        columns.append([csv_cell("; ".join(reasons), formulas) for reasons in _reasons(model, predictions)])
    for row in predictions.faults:
        for column in columns:
            column[row] = ""
    notes = predictions.row_notes()
    rows = range(len(predictions.labels))
    columns.append([csv_cell(notes.get(row, ""), formulas) for row in rows] if notes else repeat(""))
    text = "\n".join(map(",".join, zip(*columns, strict=False)))
    yield text + "\n" if text else ""


def _value(model: "TableModel", value: float) -> str:
    """Format a predicted value for people: no finer than it is known, without separators, which programs reject."""
    from cogmap.table.sentences import decimals_of

    decimals = decimals_of(model.card, value)
    return f"{round(value, decimals) + 0.0:.{decimals}f}" if math.isfinite(value) else ""


def _probability(value: float) -> str:
    """Format a probability with six digits, without an exponent."""
    return f"{value:.6g}" if value >= 1e-4 or value == 0.0 else f"{value:.10f}"


def _numbers(values: Any, to_string: Callable[[float], str]) -> list[str]:
    return list(map(to_string, values.tolist()))


def _json_lines(model: "TableModel", why: bool, level: float | None, predictions: "Predictions") -> Iterator[str]:
    """Yield predictions as JSON objects, one per line."""
    import json

    reasons, notes = _reasons(model, predictions) if why else repeat(None), predictions.row_notes()
    sure: Any = repeat(None)
    if level is not None:
        if model.classes is None:
            sure = model.intervals(predictions, level)[:, 0].tolist()
        else:
            sure = [list(map(str, of_row)) for of_row in model.class_sets(predictions, level)]
    rows = zip(predictions.labels.tolist(), predictions.outputs.tolist(), sure, reasons, strict=False)
    for number, (label, outputs, range_or_set, because) in enumerate(rows):
        fault = predictions.faults.get(number)
        row: dict[str, Any] = {"prediction": None if fault else str(label) if model.classes else label}
        if model.classes is not None:
            row["probabilities"] = None if fault else dict(zip(model.classes, outputs, strict=True))
        if level is not None:
            row["interval" if model.classes is None else "set"] = None if fault else range_or_set
        if because is not None:
            row["why"] = [] if fault else because
        row["note"] = notes.get(number)
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _reasons(model: "TableModel", predictions: "Predictions") -> Iterator[list[str]]:
    """Yield for each row the strongest contributions to its prediction, with the values of the columns.

    One that is written as 0 is no reason.
    """
    import numpy as np

    from cogmap.explanation._answer import value_text
    from cogmap.table.sentences import decimals_of, points, value_words

    def words(value: float, prediction: Any) -> str:
        if model.classes:
            return points(value)
        return value_words(value, decimals_of(model.card, float(prediction)), model.target.unit, "+")

    names, classes, units = model.columns, model.classes or [""], model.card.get("units", {})
    for first in range(0, len(predictions.labels), _EXPLAINED_AT_ONCE):
        rows = slice(first, first + _EXPLAINED_AT_ONCE)
        contributions, _ = model.contributions(predictions.features[rows])
        values = model.values(predictions.features[rows])
        for row, label in enumerate(predictions.labels[rows].tolist()):
            of_row = contributions[row, :, classes.index(str(label)) if model.classes else 0]
            strongest = np.argsort(-np.abs(of_row), kind="stable")[:_STRONGEST]
            yield [
                f"{names[c]} = {value_text(values[row, c], 6, units.get(names[c], ''))} ({said})"
                for c in strongest
                if (said := words(of_row[c], label)) != words(0.0, label)
            ]
