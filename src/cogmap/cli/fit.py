"""``cogmap fit``: fit a model to a table, score it and save it."""

from typing import Any

import click

from cogmap._utils.text import quoted
from cogmap.cli.common import (
    check_place,
    command,
    csv_cells,
    example,
    json_option,
    page_contents,
    page_rows_option,
    progress,
    rows_of_page,
    tell,
)
from cogmap.exceptions import DataError

# Copies of constants in `table.targets`, `_learning.targets`, `table.preparation.kinds` and
# `_learning.structure_choice`: slow to import.
TASKS = ("classification", "regression")
KINDS = ("number", "category", "ordered", "date", "id", "text")
ORDER = "<"
LOSSES = ("squared_error", "poisson", "gamma", "tweedie", "quantile", "huber")
STRUCTURES = ("auto", "additive", "named", "full")


@click.command(
    epilog=example(
        "cogmap fit flowers.csv --target species --out flowers.cogmap",
        "cogmap predict flowers.cogmap new.csv --out predictions.csv",
    )
)
@click.argument("table", metavar="TABLE")
@click.option("--target", required=True, metavar="COLUMN", help="Column to predict.")
@click.option("--out", metavar="FILE", default="model.cogmap", show_default=True, help="Model file to write.")
@click.option("--task", type=click.Choice(TASKS), help="Kind of target; inferred by default.")
@click.option(
    "--loss",
    type=click.Choice(LOSSES),
    help="What a regression minimizes; by default poisson for counts, otherwise squared_error.",
)
@click.option("--tune", is_flag=True, help="Select hyperparameters by cross-validation: slower, sometimes better.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Column to leave out. May be given several times.")
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Column to use even if it looks like an identifier or free text."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="COLUMN:KIND",
    help=f"Kind of a column, if the inferred one is wrong: {', '.join(KINDS)} (the last two are left out), or "
    'an order, "size:small<medium<large".',
)
@click.option("--no-header", is_flag=True, help='The first line is data; columns are named "column 1", "column 2", ...')
@click.option("--prior", metavar="FILE", help="Expert map used as a prior, such as map.mmp.")
@click.option(
    "--edits", metavar="FILE", help="Changes made to a map on its page, saved there as JSON: the new map keeps them."
)
@click.option(
    "--structure",
    type=click.Choice(STRUCTURES),
    default="auto",
    show_default=True,
    help="Concepts of the map: features and outputs (additive), also named steps and combinations (named), the better "
    "of both where they suit the table (auto), or anonymous hidden concepts (full).",
)
@click.option(
    "--max-arrows", type=click.IntRange(1), metavar="N", help="Largest number of arrows of an additive or named map."
)
@click.option(
    "--sign",
    "signs",
    multiple=True,
    metavar="COLUMN:SIGN",
    help='Monotone effect: "age:+" never lowers the prediction (of two classes, the second), "age:-" never raises it.',
)
@click.option(
    "--groups", metavar="COLUMN", help="Column of groups, such as patients, not split between folds; not a feature."
)
@click.option("--time", metavar="COLUMN", help="Column of dates or numbers; each model is scored on later rows.")
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, show_default=True, help="Random seed.")
@click.option(
    "--time-limit",
    type=click.FloatRange(1.0),
    metavar="SECONDS",
    help="Approximate time limit; uses fewer rows if necessary.",
)
@click.option("--labels", metavar="CODE=NAME,...", help='Names of classes that are codes in the table: "1=good,2=bad".')
@click.option(
    "--unit", "units", multiple=True, metavar="COLUMN=UNIT", help='Unit of the target or a column: "price=€".'
)
@click.option(
    "--fixed", metavar="COLUMN,...", help="Columns that what-if must not change, such as age,sex; the model keeps them."
)
@click.option("--page", metavar="FILE", help="Also write an interactive page.")
@page_rows_option
@json_option
def fit(
    table: str,
    target: str,
    out: str,
    prior: str | None,
    edits: str | None,
    signs: tuple[str, ...],
    kinds: tuple[str, ...],
    labels: str | None,
    units: tuple[str, ...],
    fixed: str | None,
    no_header: bool,
    page: str | None,
    max_rows: int | None,
    as_json: bool,
    **fit_options: Any,
) -> None:
    """Fit a model that predicts a column of a table.

    TABLE is a CSV, TSV, Excel (.xlsx) or Parquet file with column names in its first line, or - for CSV from standard
    input. Column kinds are inferred: numbers, categories, booleans, dates. The model is compared with other methods by
    cross-validation, and its card lists the scores and the kind of every column.
    """
    import json
    from pathlib import Path

    from cogmap.estimators.edits import read_edits
    from cogmap.table.files import read_table
    from cogmap.table.files.delimited import looks_like_data
    from cogmap.table.files.sources import name_of
    from cogmap.table.options import FitOptions
    from cogmap.table.training import train

    with command():
        for file in (out, page):
            check_place(file, table)
        expert = None if prior is None else _expert(prior)
        options = FitOptions(
            prior=expert,
            signs=dict(map(_sign, signs)),
            kinds=dict(map(_kind, kinds)),
            labels=_pairs("--labels", labels or "", "1=good,2=bad"),
            units=dict(pair for text in units for pair in _pairs("--unit", text, "price=€").items()),
            fixed=tuple(csv_cells(fixed or "")),
            edits=None if edits is None else read_edits(edits),
            **fit_options,
        )
        texts = [name for name, kind in options.kinds.items() if kind != "number"]
        frame, notes = read_table(table, texts, not no_header)
        if not no_header and looks_like_data([str(name) for name in frame.columns]):
            notes.append("The first line looks like data, not like column names. If it is, use --no-header.")
        tell(notes)
        with progress() as done:
            fitted = train(frame, target, options, Path(name_of(table)).name, done)
        card = fitted.card
        card["table"]["header"] = not no_header
        fitted.save(out)
        if page is not None:
            from cogmap.page import write  # most fits write no page

            rows, y = rows_of_page(fitted, frame)
            write(fitted, rows, y, page, max_rows)
    if as_json:
        click.echo(json.dumps(card, ensure_ascii=False, indent=2))
        return
    click.echo(str(card))
    click.echo(f"\nSaved as {out}. Next: cogmap predict {out} new.csv --out predictions.csv")
    if page is not None:
        click.echo(f"The page is {page}. {page_contents(fitted, rows, max_rows)}")


def _expert(path: str) -> Any:
    """Read an expert map."""
    from cogmap.maps.formats import read_map

    try:
        return read_map(path)
    except OSError as problem:
        raise DataError(f"The map {path} cannot be read: {problem.strerror or problem}.") from None


def _kind(text: str) -> tuple[str, str]:
    """Split the value of --kind into column and kind."""
    column, _, kind = text.rpartition(":")
    if not column or not (kind in KINDS or ORDER in kind):
        expected = f"a column with one of the kinds {', '.join(KINDS)}, or with an order"
        raise DataError(f'--kind must be {expected}, such as "zip:category" or "size:small<large", got {quoted(text)}.')
    return column, kind


def _pairs(option: str, text: str, pattern: str) -> dict[str, str]:
    """Split the value of an option into names and values."""
    pairs = {}
    for cell in csv_cells(text):
        name, equals, value = cell.rpartition("=")
        if not (name and equals and value.strip()):
            raise DataError(f'{option} must be names with values, such as "{pattern}", got {quoted(text)}.')
        pairs[name.strip()] = value.strip()
    return pairs


def _sign(text: str) -> tuple[str, int]:
    """Split the value of --sign into column and sign."""
    column, _, sign = text.rpartition(":")
    if not column or sign not in ("+", "-"):
        raise DataError(f'--sign must be a column with a sign, such as "age:+" or "age:-", got {quoted(text)}.')
    return column, 1 if sign == "+" else -1
