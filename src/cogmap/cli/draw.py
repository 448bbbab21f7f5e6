"""``cogmap draw``: write the drawing board."""

import click

from cogmap.cli.common import check_place, command, example

sheet_option = click.option("--sheet", help="Name of the map, in a file with several maps.")


@click.command(epilog=example("cogmap draw --out board.html", "cogmap draw wetland.mmp --out wetland.html"))
@click.argument("file", required=False)
@click.option("--out", metavar="FILE", default="board.html", show_default=True, help="Output file.")
@sheet_option
@click.option("--texts", metavar="FILE", help="JSON file with the texts of the board in another language.")
def draw(file: str | None, out: str, sheet: str | None, texts: str | None) -> None:
    """Write a drawing board for maps.

    The board is a page on which maps are drawn, run, compared and merged in a browser; it is one file that needs no
    network. FILE is a map, or a model made by `cogmap fit`; without it the board is empty. For exploring the
    predictions of a model, use `cogmap explore`.
    """
    from cogmap.page import board

    with command():
        check_place(out, *([] if file is None else [file]))
        board(out, None if file is None else _subject(file, sheet), texts)
    click.echo(f"The board is {out}.")


def _subject(file: str, sheet: str | None) -> object:
    """Return the map in a file, or the estimator of a model file."""
    if file.casefold().endswith(".cogmap"):
        from cogmap.table.model import TableModel

        return TableModel.load(file).pipeline
    from cogmap.maps.formats import read_map

    return read_map(file, sheet=sheet)
