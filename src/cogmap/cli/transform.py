"""``cogmap transform``: the features that a map has learned, for other programs to learn from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

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
    from cogmap.table.predictions import Predictions


@click.command(epilog=example("cogmap transform flowers.cogmap flowers.csv --out features.csv"))
@on_table
@out_option
@json_option
@formulas_option
def transform(model: str, table: str, out: str, as_json: bool, formulas: bool) -> None:
    """Write the features that a map has learned.

    They are the states of all concepts before the last step of the map, between 0 and 1, for other methods to learn
    from: a row for each row of TABLE. A row that cannot be used stays in its place, with a note.
    """
    import json

    from cogmap.table.files import csv_line
    from cogmap.table.model import TableModel

    with command():
        check_place(out, table, model)
        asked = TableModel.load(model)
        names = [str(name) for name in asked.model.map.concepts]

        def lines(said: "Predictions") -> Iterator[str]:
            states = asked.model.transformed(said.features).tolist() if len(said.features) else []
            for row, cells in enumerate(states):
                fault = said.faults.get(row)
                values = [None] * len(cells) if fault else cells
                if as_json:
                    named = dict(zip(names, values, strict=True)) | {"note": fault}
                    yield json.dumps(named, ensure_ascii=False) + "\n"
                else:
                    yield csv_line([*values, fault], formulas)

        write_rows(asked, table, out, None if as_json else [*names, "note"], lines, formulas)
