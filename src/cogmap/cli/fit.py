"""``cogmap fit``: learn from a table, say how good it is, and save the model."""

from typing import Any

import click

from cogmap.cli.common import check_place, command, example, json_option, progress, tell
from cogmap.exceptions import DataError


@click.command(
    epilog=example(
        "cogmap fit flowers.csv --target species --out flowers.cogmap",
        "cogmap predict flowers.cogmap new.csv --out predictions.csv",
    )
)
@click.argument("table", metavar="TABLE")
@click.option("--target", required=True, metavar="COLUMN", help="The column to predict.")
@click.option("--out", metavar="FILE", default="model.cogmap", show_default=True, help="Where to save the model.")
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="What the target is; found out by default."
)
@click.option("--tune", is_flag=True, help="Choose settings by cross-validation: slower, at times better.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out. May be given several times.")
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Use a column that looks like an identifier or free text."
)
@click.option("--prior", metavar="FILE", help="A map by experts, such as map.mmp, to which learning holds on.")
@click.option(
    "--sign",
    "signs",
    multiple=True,
    metavar="COLUMN:SIGN",
    help='"age:+": more of it never lowers the prediction (of two classes, the second); "age:-" never raises it.',
)
@click.option(
    "--seed", type=click.IntRange(0, 2**31), default=0, show_default=True, help="For what is drawn at random."
)
@click.option(
    "--time-limit", type=click.FloatRange(1.0), metavar="SECONDS", help="Take fewer rows or no scores to keep it."
)
@click.option("--page", metavar="FILE", help="Also write a page in which the model can be played with.")
@json_option
def fit(
    table: str,
    target: str,
    out: str,
    prior: str | None,
    signs: tuple[str, ...],
    page: str | None,
    as_json: bool,
    **fit_options: Any,
) -> None:
    """Learn from a table to predict one of its columns.

    TABLE is a CSV, TSV, Excel (.xlsx) or Parquet file with the names of columns in its first line, or - for CSV from
    standard input. What each column is, is found out: numbers, categories, yes and no, dates. The model is compared
    with others on rows that it has not learned from, and a card says how good it is.
    """
    import json
    from pathlib import Path

    from cogmap.persistence import save
    from cogmap.table.cards import card_text
    from cogmap.table.files import read_table
    from cogmap.table.files.sources import name_of
    from cogmap.table.model import TableModel
    from cogmap.table.training import FitOptions, train

    with command():
        for file in (out, page):
            check_place(file, table)
        expert = None if prior is None else _expert(prior)
        wanted = FitOptions(prior=expert, signs=dict(map(_sign, signs)), **fit_options)
        frame, notes = read_table(table)
        tell(notes)
        with progress() as done:
            pipeline, card = train(frame, target, wanted, Path(name_of(table)).name, done)
        save(pipeline, out, card)
        if page is not None:
            from cogmap.page import write  # most fits write none

            rows, truth = TableModel(pipeline[0], pipeline[-1], card).explored(frame)
            write(pipeline, rows, truth, page)
    if as_json:
        click.echo(json.dumps(card, ensure_ascii=False, indent=2))
        return
    click.echo(card_text(card))
    click.echo(f"\nSaved as {out}. Next: cogmap predict {out} new.csv --out predictions.csv")
    if page is not None:
        click.echo(f"The page is {page}.")


def _expert(path: str) -> Any:
    from cogmap.maps.formats import read_map

    try:
        return read_map(path)
    except OSError as problem:
        raise DataError(f"The map {path} cannot be read: {problem.strerror or problem}.") from None


def _sign(text: str) -> tuple[str, int]:
    column, _, sign = text.rpartition(":")
    if not column or sign not in ("+", "-"):
        raise DataError(f'--sign must be a column with a sign, such as "age:+" or "age:-", got {text!r}.')
    return column, 1 if sign == "+" else -1
