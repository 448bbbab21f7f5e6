"""``cogmap export``: a model, or its map, for other programs."""

from pathlib import Path
from typing import Any

import click

from cogmap._files import write_whole
from cogmap._optional import import_or_raise
from cogmap.cli.running import command, example, model_argument
from cogmap.formats import write_map
from cogmap.tabular import TableModel

_MAPS = ("json", "dot", "csv", "mmp")


@click.command(
    epilog=example("cogmap export flowers.cogmap --to onnx", "cogmap export flowers.cogmap --to mmp --out flowers.mmp")
)
@model_argument
@click.option("--to", type=click.Choice(["onnx", *_MAPS]), required=True, help="As what.")
@click.option("--out", metavar="FILE", help="The file; by default that of MODEL with another ending.")
def export(model: str, to: str, out: str | None) -> None:
    """Write MODEL for other programs.

    onnx is the whole model, with the preparation of its table, for runtimes without Python. The others are the learned
    map alone, concepts and weights: JSON, DOT (Graphviz), CSV (a matrix, rows are sources) or mmp (Mental Modeler).
    """
    with command():
        asked = TableModel.open(model)
        path = Path(out) if out is not None else Path(model).with_suffix(f".{to}")
        if to == "onnx":
            onnx: Any = import_or_raise("cogmap.integrations.onnx", "Writing ONNX files", "onnx")
            write_whole(path, onnx.to_onnx(asked.pipeline).SerializeToString())
        elif path.suffix.casefold() == f".{to}":
            write_map(asked.model.map, path)
        else:
            raise click.BadParameter(f"must end in .{to}, got {path}.", param_hint="--out")
    click.echo(f"Wrote {path}.")
