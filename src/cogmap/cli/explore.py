"""``cogmap explore``: a page in which a model can be played with."""

import click

from cogmap.cli.common import check_place, command, example, model_argument, tell


@click.command(epilog=example("cogmap explore flowers.cogmap flowers.csv --out flowers.html"))
@model_argument
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--out", metavar="FILE", default="page.html", show_default=True, help="The page.")
def explore(model: str, table: str | None, out: str) -> None:
    """Write a page in which a model can be played with.

    It is one file, which needs no network. Rows of TABLE, if it is given, can be chosen in the page, with their truth
    if TABLE has it.
    """
    from cogmap.page import write
    from cogmap.table.files import read_table
    from cogmap.table.model import TableModel

    with command():
        check_place(out, model, *([] if table is None else [table]))
        asked = TableModel.open(model)
        frame = truth = None
        if table is not None:
            whole, notes = read_table(table)
            rows, truth = asked.explored(whole)
            frame, more = asked.preparer.checked(rows)
            tell([*notes, *more])
        write(asked.pipeline, frame, truth, out)
    click.echo(f"The page is {out}.")
