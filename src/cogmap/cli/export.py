"""``cogmap export``: convert a model or its map to a format of other programs."""

import sys
from typing import TYPE_CHECKING, Any

import click

from cogmap._utils.files import STANDARD, write_whole
from cogmap._utils.optional import import_or_raise
from cogmap.cli.common import check_place, command, example, formulas_option, model_argument, out_option
from cogmap.exceptions import DataError

if TYPE_CHECKING:
    from cogmap.table.model import TableModel

_MAPS = ("json", "dot", "csv", "mmp")


@click.command(
    epilog=example(
        "cogmap export flowers.cogmap --to onnx --out flowers.onnx",
        "cogmap export flowers.cogmap --to mmp --out flowers.mmp",
    )
)
@model_argument
@click.option("--to", type=click.Choice(["onnx", *_MAPS]), required=True, help="Output format.")
@out_option
@formulas_option
def export(model: str, to: str, out: str, formulas: bool) -> None:
    """Export a model or its map to a format of other programs.

    onnx is the whole model including the preparation of the table, for runtimes without Python. The other formats hold
    only the concepts and weights of the map: JSON, DOT (Graphviz), CSV (a matrix, rows are sources) or mmp (Mental
    Modeler: the arrows that drawings show, with weights from -1 to 1).
    """
    from pathlib import Path

    from cogmap.table.model import TableModel

    with command():
        check_place(out, model)
        if to == "onnx" and out == STANDARD and sys.stdout.isatty():
            raise DataError("ONNX is binary and cannot be shown in a terminal. Name a file with --out.")
        subject = TableModel.load(model)
        content = _onnx(subject) if to == "onnx" else _map(subject, to, formulas)
        if out == STANDARD:
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        else:
            write_whole(Path(out), content)


def _onnx(model: "TableModel") -> bytes:
    """Convert a model to the content of an ONNX file."""
    onnx: Any = import_or_raise("cogmap.integrations.onnx", "Writing ONNX files", "onnx")
    return bytes(onnx.to_onnx(model.pipeline).SerializeToString())


def _map(model: "TableModel", to: str, formulas: bool) -> bytes:
    """Convert the map of a model to the content of a file; `write_map` verifies it by reading it back."""
    import tempfile
    from pathlib import Path

    from cogmap.maps.formats import write_map
    from cogmap.maps.rewriting import for_people

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"map.{to}")
        fcm = model.model.map
        write_map(for_people(fcm, model.model.kinds) if to == "mmp" else fcm, path, formulas=formulas)
        return path.read_bytes()
