"""``cogmap transform``: the features that a map has learned, for other programs to learn from."""

import json
from typing import Any

import click

from cogmap.cli.running import check_place, command, example, json_option, on_table, out_option, progress, tell
from cogmap.tables import csv_line, whole_output
from cogmap.tabular.model import TableModel
from cogmap.tabular.scanning import Scan


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
        asked = TableModel.open(model)
        scan = Scan(asked, table)
        names = [str(name) for name in asked.model.map.concepts]
        with whole_output(out) as output, progress() as done:
            if not as_json:
                output.write(csv_line([*names, "note"]))
            for part in scan.parts():
                states = asked.model.transformed(part.said.features).tolist() if len(part.frame) else []
                for row, cells in enumerate(states):
                    fault = part.said.faults.get(row)
                    output.write(_json(names, cells, fault) if as_json else _csv(cells, fault))
                done("Rows", part.first + len(part.frame), 0)
        tell(scan.notes())


def _csv(states: list[float], fault: str | None) -> str:
    if fault is not None:
        return csv_line([*([""] * len(states)), fault])
    return ",".join(map(repr, states)) + ",\n"


def _json(names: list[str], states: list[float], fault: str | None) -> str:
    row: dict[str, Any] = dict(zip(names, [None] * len(names) if fault else states, strict=True))
    return json.dumps(row | {"note": fault}, ensure_ascii=False) + "\n"
