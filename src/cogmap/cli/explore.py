"""``cogmap explore``: write the interactive page of a model."""

import click

from cogmap.cli.common import (
    check_place,
    command,
    example,
    model_argument,
    open_model,
    page_contents,
    page_rows_option,
    rows_of_page,
    tell,
)


@click.command(epilog=example("cogmap explore flowers.cogmap flowers.csv --out flowers.html"))
@model_argument
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--out", metavar="FILE", default="page.html", show_default=True, help="Output file.")
@page_rows_option
def explore(model: str, table: str | None, out: str, max_rows: int | None) -> None:
    """Write an interactive page for exploring a model.

    The page is one file that needs no network. With TABLE, its rows can be selected on the page, with their true
    values if TABLE has the target column.
    """
    from pathlib import Path

    from cogmap.exceptions import DataError
    from cogmap.maps.formats.files import KINDS
    from cogmap.page import write
    from cogmap.table.files import read_table
    from cogmap.table.model import TableModel

    with command():
        check_place(out, model, *([] if table is None else [table]))
        if Path(model).suffix.casefold() in KINDS:
            raise DataError(f"{model} is a map, not a model. Use `cogmap draw {model}` instead.")
        subject = open_model(model)
        if not isinstance(subject, TableModel):
            if table is not None:
                raise DataError(f"{model} is a forecaster, whose page has its series. Leave {table} out.")
            write(subject.model, path=out)
            click.echo(f"The page is {out}. It has the last values of the series.")
            return
        frame = y = None
        if table is not None:
            raw, reading_notes = read_table(table, subject.texts, subject.card.get("table", {}).get("header", True))
            rows, y = rows_of_page(subject, raw)
            frame, column_notes = subject.preparer.checked(rows)
            tell([*reading_notes, *column_notes])
        write(subject, frame, y, out, max_rows)
    click.echo(f"The page is {out}. {page_contents(subject, frame, max_rows)}")
