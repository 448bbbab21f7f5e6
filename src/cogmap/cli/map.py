"""``cogmap map``: show, convert, combine and compare map files, and compute with them."""

from typing import TYPE_CHECKING, Any

import click

from cogmap.cli import _map_commands
from cogmap.cli.common import command, example, formulas_option
from cogmap.cli.draw import draw, sheet_option

if TYPE_CHECKING:
    from cogmap.maps.map import FuzzyCognitiveMap

_EDGES_SHOWN = 20

_concepts = click.option("--concepts", help="Second file with the names of the concepts.")


@click.group()
def map() -> None:
    """Show, convert, combine and compare map files, and compute with them."""


for _command in (_map_commands.combine, _map_commands.compare, _map_commands.scenario, _map_commands.indices):
    map.add_command(_command)
map.add_command(draw, "page")


@map.command(epilog=example("cogmap map show lake.mmp"))
@click.argument("file")
@sheet_option
@_concepts
def show(file: str, sheet: str | None, concepts: str | None) -> None:
    """Show the contents of the map in FILE."""
    from pathlib import Path

    from cogmap.maps.formats import read_map, read_maps
    from cogmap.maps.formats.files import KINDS

    with command():
        if sheet is None:
            maps = read_maps(file, concepts=concepts)
        else:
            maps = {sheet: read_map(file, sheet=sheet, concepts=concepts)}
    click.echo(f"{file} ({KINDS[Path(file).suffix.casefold()].title})")
    if len(maps) == 1:
        for line in _lines(*maps.values()):
            click.echo(line)
    else:
        for name, fcm in maps.items():
            click.echo(f"  {name}: {_size(fcm)}")
        click.echo(f"Show one with --sheet {next(iter(maps))!r}.")


@map.command(epilog=example("cogmap map convert lake.mmp lake.xlsx"))
@click.argument("source")
@click.argument("target")
@sheet_option
@_concepts
@click.option("--edges", is_flag=True, help="Write tables as edge lists instead of weight matrices.")
@formulas_option
def convert(source: str, target: str, sheet: str | None, concepts: str | None, edges: bool, formulas: bool) -> None:
    """Convert the map in SOURCE to the format given by the extension of TARGET.

    In weight matrices, rows are sources and columns are targets.
    """
    from cogmap.maps.formats import read_map, write_map

    with command():
        fcm = read_map(source, sheet=sheet, concepts=concepts)
        write_map(fcm, target, table="edges" if edges else "matrix", formulas=formulas)
        back = read_map(target)
        lost = _lost(fcm.details, back.details) + ["held concepts"] * (fcm.held != back.held)
    click.echo(f"Wrote {target}: {_size(fcm)}.")
    if lost:
        click.echo(f"The format cannot store: {', '.join(lost)}.")


def _size(fcm: "FuzzyCognitiveMap") -> str:
    """Describe the numbers of concepts and edges, and the range of weights."""
    from cogmap.maps._text import count

    weights = fcm.weights[fcm.weights != 0]
    spread = f", weights from {weights.min():g} to {weights.max():g}" if weights.size > 1 else ""
    return f"{count(fcm.n_concepts, 'concept')}, {count(weights.size, 'edge')}{spread}"


def _lines(fcm: "FuzzyCognitiveMap") -> list[str]:
    """Describe a map: its size, its strongest edges, and the details stored in its file."""
    from cogmap.maps._text import count, short
    from cogmap.maps.formats.drawing import edges_of

    details = fcm.details
    lines = [_size(fcm)]
    metadata = {key: details[key] for key in ("name", "author", "description") if isinstance(details.get(key), str)}
    lines += [f"{key}: {short(value)}" for key, value in metadata.items()]
    edges = sorted(edges_of(fcm), key=lambda edge: -abs(edge[2]))
    weighted = [edge for edge in edges if edge[2]]
    lines += [
        f"  {short(source)} -> {short(target)}  {weight:+g}" for source, target, weight, _ in weighted[:_EDGES_SHOWN]
    ]
    if len(weighted) > _EDGES_SHOWN:
        lines.append(f"  and {len(weighted) - _EDGES_SHOWN} more, none of them stronger")
    if len(edges) > len(weighted):
        lines.append(f"{count(len(edges) - len(weighted), 'edge')} without a weight, or with weight 0")
    lags = [about["lag"] for *_, about in edges if about.get("lag") not in (None, 1)]
    if lags:
        lines.append(f"{count(len(lags), 'edge')} with a lag, which simulations ignore")
    about = details.get("concepts", {})
    external = [short(name) for name, attributes in about.items() if attributes.get("external")]
    if external:
        lines.append(f"concepts with a constant value: {', '.join(external)}")
    if fcm.held:
        lines.append(f"held concepts: {', '.join(short(name) for name in fcm.held)}")
    other = sorted({key for attributes in about.values() for key in attributes} - {"external", "id"})
    if other:
        lines.append(f"other attributes of concepts: {', '.join(other)}")
    return lines


def _lost(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the kinds of details that the converted file does not have."""
    remaining = _values(after)
    gone = [path for path, value in _values(before).items() if remaining.get(path) != value]
    of_parts = {f"{path[-1]} of {path[0]}" for path in gone if path[0] in ("concepts", "edges") and path[-1] != "id"}
    lost = [*dict.fromkeys(path[0] for path in gone if path[0] not in ("concepts", "edges")), *sorted(of_parts)]
    drawn, kept = (sum(len(ends) for ends in details.get("edges", {}).values()) for details in (before, after))
    return lost or ["edges without a weight"] * (drawn > kept)


def _values(details: dict[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Flatten nested details to a dict from paths of keys to values."""
    flat: dict[tuple[str, ...], Any] = {}
    for key, value in details.items():
        flat |= _values(value, (*path, key)) if isinstance(value, dict) else {(*path, key): value}
    return flat
