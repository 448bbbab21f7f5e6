"""``cogmap predict``: predictions for the rows of a table."""

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

if TYPE_CHECKING:
    from cogmap.table.model import Said, TableModel

_STRONGEST = 3  # contributions that are shown
_EXPLAINED_AT_ONCE = 4096  # rows


@click.command(
    epilog=example(
        "cogmap predict flowers.cogmap new.csv --out predictions.csv",
        "cat new.csv | cogmap predict flowers.cogmap - --json",
    )
)
@on_table
@out_option
@click.option("--explain", "why", is_flag=True, help="Add a column with what led to each prediction.")
@json_option
@formulas_option
def predict(model: str, table: str, out: str, why: bool, as_json: bool, formulas: bool) -> None:
    """Predict the rows of a table.

    MODEL is a file that `cogmap fit` has saved. Every row of TABLE gives a row, in the same order: the prediction, the
    probability of each class, and a note where a row cannot be predicted. Columns may be in any order; others are
    ignored. Tables of any length are read in parts. With --json every row is a JSON object on a line of its own.
    """
    from cogmap.table.model import TableModel

    with command():
        check_place(out, table, model)
        asked = TableModel.open(model)
        if as_json:
            write_rows(asked, table, out, None, partial(_json_lines, asked, why), formulas)
        else:
            write_rows(asked, table, out, _header(asked, why), partial(_csv_lines, asked, why, formulas), formulas)


def _header(model: "TableModel", why: bool) -> list[str]:
    probabilities = [f"P({label})" for label in model.classes or ()]
    return ["prediction", *probabilities, *(["why"] if why else []), "note"]


def _csv_lines(model: "TableModel", why: bool, formulas: bool, said: "Said") -> Iterator[str]:
    """Yield predictions as CSV, all rows at once: formatting is what takes the time."""
    from cogmap.table.files.writing import csv_cell

    if model.classes is None:
        columns: list[Any] = [_numbers(said.labels, repr)]
    else:
        names = {label: csv_cell(label, formulas) for label in model.classes}
        columns = [list(map(names.__getitem__, said.labels))]
        columns += [_numbers(column, "{:.6g}".format) for column in said.outputs.T]
    if why:
        columns.append([csv_cell("; ".join(reasons), formulas) for reasons in _reasons(model, said)])
    for row in said.faults:
        for column in columns:
            column[row] = ""
    if not said.faults:
        columns.append(repeat(""))
    else:
        columns.append([csv_cell(said.faults.get(row, ""), formulas) for row in range(len(said.labels))])
    text = "\n".join(map(",".join, zip(*columns, strict=False)))
    yield text + "\n" if text else ""


def _numbers(values: Any, written: Callable[[float], str]) -> list[str]:
    return list(map(written, values.tolist()))


def _json_lines(model: "TableModel", why: bool, said: "Said") -> Iterator[str]:
    import json

    reasons = _reasons(model, said) if why else repeat(None)
    rows = zip(said.labels.tolist(), said.outputs.tolist(), reasons, strict=False)
    for number, (label, outputs, because) in enumerate(rows):
        fault = said.faults.get(number)
        row: dict[str, Any] = {"prediction": None if fault else label}
        if model.classes is not None:
            row["probabilities"] = None if fault else dict(zip(model.classes, outputs, strict=True))
        if because is not None:
            row["why"] = [] if fault else because
        row["note"] = fault
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _reasons(model: "TableModel", said: "Said") -> Iterator[list[str]]:
    """Yield the strongest contributions to the prediction of each row, with values and signs."""
    import numpy as np

    from cogmap.table.preparation.columns import spans
    from cogmap.table.questions import contributions, told

    columns, where = model.preparer.columns_, spans(model.preparer.columns_)
    classes = model.classes or [""]
    for first in range(0, len(said.labels), _EXPLAINED_AT_ONCE):
        rows = slice(first, first + _EXPLAINED_AT_ONCE)
        values, _ = contributions(columns, model.model, said.features[rows])
        outputs = [classes.index(label) if model.classes else 0 for label in said.labels[rows]]
        for row, output in enumerate(outputs):
            of_row = values[row, :, output]
            strongest = np.argsort(-np.abs(of_row), kind="stable")[:_STRONGEST]
            given = {c: told(columns[c], said.features[first + row, where[c]]) for c in strongest}
            yield [f"{columns[c].name} = {value} ({of_row[c]:+.2g})" for c, value in given.items()]
