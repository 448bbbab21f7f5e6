"""``cogmap map``: look at the file of a map, and write it as another kind of file."""

from typing import TYPE_CHECKING, Any

import click

from cogmap.cli.common import command, formulas_option

if TYPE_CHECKING:
    from cogmap.maps.map import FuzzyCognitiveMap

_EDGES_SHOWN = 20

_sheet = click.option("--sheet", help="Which map, in a file that has several.")
_concepts = click.option("--concepts", help="Another file, which names the concepts.")


@click.group()
def map() -> None:
    """Look at files of maps, and convert them."""


@map.command()
@click.argument("file")
@_sheet
@_concepts
def show(file: str, sheet: str | None, concepts: str | None) -> None:
    """Show what is in the FILE of a map."""
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


@map.command()
@click.argument("source")
@click.argument("target")
@_sheet
@_concepts
@click.option("--edges", is_flag=True, help="Write a table as a list of edges instead of a matrix.")
@formulas_option
def convert(source: str, target: str, sheet: str | None, concepts: str | None, edges: bool, formulas: bool) -> None:
    """Read the map in SOURCE and write it to TARGET, in the format of its ending.

    In tables rows are sources and columns targets.
    """
    from cogmap.maps.formats import read_map, write_map

    with command():
        fcm = read_map(source, sheet=sheet, concepts=concepts)
        write_map(fcm, target, table="edges" if edges else "matrix", formulas=formulas)
        lost = _lost(fcm.details, read_map(target).details)
    click.echo(f"Wrote {target}: {_size(fcm)}.")
    if lost:
        click.echo(f"It has no place for: {', '.join(lost)}.")


def _size(fcm: "FuzzyCognitiveMap") -> str:
    from cogmap.maps._text import count

    weights = fcm.weights[fcm.weights != 0]
    spread = f", weights from {weights.min():g} to {weights.max():g}" if weights.size > 1 else ""
    return f"{count(fcm.n_concepts, 'concept')}, {count(weights.size, 'edge')}{spread}"


def _lines(fcm: "FuzzyCognitiveMap") -> list[str]:
    """Describe a map: its size, its strongest edges, and the details of its author."""
    from cogmap.maps._text import count, short
    from cogmap.maps.formats.drawing import edges_of

    details = fcm.details
    lines = [_size(fcm)]
    said = {key: details[key] for key in ("name", "author", "description") if isinstance(details.get(key), str)}
    lines += [f"{key}: {short(value)}" for key, value in said.items()]
    edges = sorted(edges_of(fcm), key=lambda edge: -abs(edge[2]))
    weighted = [edge for edge in edges if edge[2]]
    lines += [
        f"  {short(source)} -> {short(target)}  {weight:+g}" for source, target, weight, _ in weighted[:_EDGES_SHOWN]
    ]
    if len(weighted) > _EDGES_SHOWN:
        lines.append(f"  and {len(weighted) - _EDGES_SHOWN} more, weaker or as strong")
    if len(edges) > len(weighted):
        lines.append(f"{count(len(edges) - len(weighted), 'edge')} drawn without a weight, or with 0")
    lags = [about["lag"] for *_, about in edges if about.get("lag") not in (None, 1)]
    if lags:
        lines.append(f"{count(len(lags), 'edge')} with a lag, of which the steps of a map take no notice")
    about = details.get("concepts", {})
    external = [short(name) for name, found in about.items() if found.get("external")]
    if external:
        lines.append(f"concepts that keep their value: {', '.join(external)}")
    kept = sorted({key for found in about.values() for key in found} - {"external", "id"})
    if kept:
        lines.append(f"said about concepts: {', '.join(kept)}")
    return lines


def _lost(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the kinds of details that are not in the file."""
    there = _values(after)
    gone = [path for path, value in _values(before).items() if there.get(path) != value]
    of_parts = {f"{path[-1]} of {path[0]}" for path in gone if path[0] in ("concepts", "edges") and path[-1] != "id"}
    lost = [*dict.fromkeys(path[0] for path in gone if path[0] not in ("concepts", "edges")), *sorted(of_parts)]
    drawn, kept = (sum(len(ends) for ends in details.get("edges", {}).values()) for details in (before, after))
    return lost or ["edges without a weight"] * (drawn > kept)


def _values(said: dict[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Return all single values in details, by the names that lead to them."""
    found: dict[tuple[str, ...], Any] = {}
    for key, value in said.items():
        found |= _values(value, (*path, key)) if isinstance(value, dict) else {(*path, key): value}
    return found
