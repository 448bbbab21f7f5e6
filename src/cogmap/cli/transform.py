"""``cogmap transform``: the features that a map has learned, for other programs to learn from."""

import json
from collections.abc import Iterator
from typing import Any

import click

from cogmap.cli.common import check_place, command, example, json_option, on_table, out_option, write_rows
from cogmap.table.files import csv_line
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions


@click.command(epilog=example("cogmap transform flowers.cogmap flowers.csv --out features.csv"))
@on_table
@out_option
@json_option
def transform(model: str, table: str, out: str, as_json: bool) -> None:
    """Write the features that a map has learned.

    They are the states of all concepts before the last step of the map, between 0 and 1, for other methods to learn
    from: a row for each row of TABLE. A row that cannot be
    used stays in its place, with a note.
    """
    with command():
        check_place(out, table, model)
        asked = TableModel.load(model)
        names = [str(name) for name in asked.model.map.concepts]

        def lines(said: Predictions) -> Iterator[str]:
            states = asked.model.transformed(said.features).tolist() if len(said.features) else []
            for row, cells in enumerate(states):
                fault = said.faults.get(row)
                yield _json(names, cells, fault) if as_json else _csv(cells, fault)

        write_rows(asked, table, out, None if as_json else [*names, "note"], lines)


def _csv(states: list[float], fault: str | None) -> str:
    if fault is not None:
        return csv_line([*([""] * len(states)), fault])
    return ",".join(map(repr, states)) + ",\n"


def _json(names: list[str], states: list[float], fault: str | None) -> str:
    row: dict[str, Any] = dict(zip(names, [None] * len(names) if fault else states, strict=True))
    return json.dumps(row | {"note": fault}, ensure_ascii=False) + "\n"
