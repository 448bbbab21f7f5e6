"""``cogmap transform``: write the features learned by a map, as input for other methods."""

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
    """Write the features learned by a map.

    The features are the states of all concepts before the last step of the map, between 0 and 1, for use by other
    methods. The output has one row per row of TABLE; a row that cannot be used has empty values and a note.
    """
    import json

    from cogmap.table.files import csv_line
    from cogmap.table.model import TableModel

    with command():
        check_place(out, table, model)
        subject = TableModel.load(model)
        names = [str(name) for name in subject.model.map.concepts]

        def lines(predictions: "Predictions") -> Iterator[str]:
            features = predictions.features
            states = subject.model.transformed(features).tolist() if len(features) else []
            for row, cells in enumerate(states):
                fault = predictions.faults.get(row)
                values = [None] * len(cells) if fault else cells
                if as_json:
                    named = dict(zip(names, values, strict=True)) | {"note": fault}
                    yield json.dumps(named, ensure_ascii=False) + "\n"
                else:
                    yield csv_line([*values, fault], formulas)

        write_rows(subject, table, out, None if as_json else [*names, "note"], lines, formulas)
