"""Commands of ``cogmap map`` that compute: combine, compare, scenario and indices."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from cogmap.cli.common import check_place, command, example, json_option
from cogmap.cli.draw import sheet_option
from cogmap.exceptions import DataError

if TYPE_CHECKING:
    from cogmap.maps.map import FuzzyCognitiveMap

_files = click.argument("files", nargs=-1, required=True, metavar="FILE...")
_match = click.option("--match", is_flag=True, help="Treat names that probably mean the same as one concept.")
_translations = click.option(
    "--translations", metavar="FILE", help="CSV file with two columns: a name, its translation."
)


def _several(function: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments of commands on several maps."""
    return _files(_match(_translations(function)))


def _read(
    files: tuple[str, ...], match: bool, translations: str | None
) -> tuple[dict[str, "FuzzyCognitiveMap"], list[Any]]:
    """Return the maps of all files by name, and the matches of their names, which are applied if `match`."""
    from cogmap.maps.experts import match_names, unify_names
    from cogmap.maps.formats import read_maps

    maps: dict[str, FuzzyCognitiveMap] = {}
    for file in files:
        for name, fcm in read_maps(file).items():
            free, k = name, 2
            while free in maps:
                free, k = f"{name} ({k})", k + 1
            maps[free] = fcm
    matches = match_names(maps.values(), _table(translations))
    if match:
        maps = dict(zip(maps, unify_names(maps.values(), matches), strict=True))
    return maps, matches


def _table(path: str | None) -> dict[str, str] | None:
    """Read a table of translations."""
    import csv
    from pathlib import Path

    from cogmap._utils.files import read_limited
    from cogmap._utils.text import decoded, find_delimiter

    if path is None:
        return None
    text = decoded(read_limited(Path(path), 1_000_000))
    rows = [row for row in csv.reader(text.splitlines(), delimiter=find_delimiter(text)) if any(row)]
    if any(len(row) != 2 for row in rows):
        raise DataError(f"The translations in {path} must have two columns: a name and its translation.")
    return {name.strip(): other.strip() for name, other in rows}


def _same(names: tuple[str, ...]) -> str:
    return " = ".join(repr(name) for name in names)


@click.command(epilog=example("cogmap map combine ada.mmp bo.mmp cy.csv --match --out merged.mmp"))
@_several
@click.option("--how", type=click.Choice(["mean", "median", "fuzzy"]), default="mean", help="How to aggregate weights.")
@click.option("--weights", help="Weights of the maps, such as 1,2,1; or credibility.")
@click.option("--only-drawn", is_flag=True, help="Aggregate each edge over the maps that have it.")
@click.option("--out", metavar="FILE", required=True, help="Output file.")
def combine(
    files: tuple[str, ...],
    match: bool,
    translations: str | None,
    how: str,
    weights: str | None,
    only_drawn: bool,
    out: str,
) -> None:
    """Combine the maps of several people into one.

    A file may hold several maps. Names that may mean the same are listed; --match makes them one concept.
    """
    from cogmap.maps._text import count
    from cogmap.maps.experts import combine as combine_maps
    from cogmap.maps.formats import write_map

    with command():
        check_place(out, *files)
        maps, matches = _read(files, match, translations)
        fcm = combine_maps(maps.values(), how, _weights(weights), only_drawn)
        write_map(fcm, out)
    n_edges = int((fcm.weights != 0).sum())
    click.echo(f"Wrote {out}: {count(len(maps), 'map')} combined, {fcm.n_concepts} concepts, {count(n_edges, 'edge')}.")
    for names, why in matches:
        click.echo(f"{'Joined' if match else 'May mean the same'} ({why}): {_same(names)}")


def _weights(text: str | None) -> Any:
    if text is None or text == "credibility":
        return text
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise DataError(f"--weights must be numbers such as 1,2,1, or credibility, got {text!r}.") from None


@click.command(epilog=example("cogmap map compare ada.mmp bo.mmp cy.csv"))
@_several
@json_option
def compare(files: tuple[str, ...], match: bool, translations: str | None, as_json: bool) -> None:
    """Show how similar maps of several people are, who thinks alike, and where they disagree."""
    from cogmap.maps._text import aligned, short
    from cogmap.maps.experts import clusters, disagreement

    with command():
        maps, matches = _read(files, match, translations)
        if len(maps) < 2:
            raise DataError("Name files with at least two maps to compare.")
        groups, differences = clusters(maps.values()), disagreement(maps.values())
    names = list(maps)
    if as_json:
        value = {
            "maps": names,
            "similarity": groups.similarity.tolist(),
            "clusters": groups.labels.tolist(),
            "disagreement": differences.edges(),
            "names": [{"names": list(match.names), "why": match.why} for match in matches],
        }
        click.echo(json.dumps(value, ensure_ascii=False, indent=1))
        return
    for same, why in matches:
        click.echo(f"{'Joined' if match else 'May mean the same'} ({why}): {_same(same)}")
    table = [["similarity", *map(short, names), "group"]]
    for name, row, label in zip(names, groups.similarity, groups.labels, strict=True):
        table.append([short(name), *(f"{share:.2f}" for share in row), str(label)])
    for line in [*aligned(table), "", *repr(differences).splitlines()]:
        click.echo(line)


@click.command(epilog=example('cogmap map scenario lake.mmp --hold "fishing=0" --hold "laws=1"'))
@click.argument("file")
@sheet_option
@click.option("--hold", "held", multiple=True, metavar="NAME=STATE", help="Concept to hold at a state.")
@click.option("--activation", help="Activation function; the default is that of the file.")
@click.option("--slope", type=float, help="Slope of the activation function.")
@click.option("--rule", type=click.Choice(["kosko", "modified", "rescaled"]), help="Inference rule.")
@click.option("--keep-drivers", is_flag=True, help="Concepts without incoming edges keep their state.")
@json_option
def scenario(
    file: str,
    sheet: str | None,
    held: tuple[str, ...],
    activation: str | None,
    slope: float | None,
    rule: str | None,
    keep_drivers: bool,
    as_json: bool,
) -> None:
    """Hold some concepts of a map, and show where the others settle and whether that is proved.

    Without --hold, the scenarios stored in the file are run.
    """
    from cogmap.maps.dynamics import certificate
    from cogmap.maps.formats import read_map
    from cogmap.maps.rewriting import with_clamp, with_rule
    from cogmap.maps.scenarios import scenarios

    with command():
        fcm = read_map(file, sheet=sheet)
        changes = {key: value for key, value in (("activation", activation), ("slope", slope)) if value is not None}
        fcm = fcm.replace(**changes)
        clamps = {"scenario": _clamp(held)} if held else _stored(fcm)
        if not clamps:
            raise DataError(f"{file} has no scenarios. Hold concepts with --hold name=state.")
        ruled = with_rule(fcm, rule or fcm.details.get("rule", "kosko"))
        keep = fcm.drivers if keep_drivers or fcm.details.get("keep") == "drivers" else ()
        results = scenarios(ruled, clamps, keep=keep)
        proofs = []
        for result in results:
            kept = {name: float(result.before[fcm.concepts.index(name)]) for name in keep}
            free = kept | result.clamp
            proofs.append(certificate(with_clamp(ruled, free)).sentence if len(free) < fcm.n_concepts else "")
    if as_json:
        value = results.to_dict()
        for one, proof in zip(value["scenarios"], proofs, strict=True):
            one["proof"] = proof
        click.echo(json.dumps(value, ensure_ascii=False, indent=1))
        return
    click.echo(repr(results) if len(results) > 1 else repr(results[0]))
    for name, proof in zip(results.names, proofs, strict=True):
        if proof:
            click.echo(f"{name}: {proof}")


def _clamp(held: tuple[str, ...]) -> dict[str, float]:
    """Parse options such as "fishing=0"."""
    clamp = {}
    for text in held:
        name, sign, state = text.rpartition("=")
        try:
            clamp[name.strip()] = float(state)
        except ValueError:
            sign = ""
        if not sign:
            raise DataError(f"--hold must be a name and a state, such as fishing=0, got {text!r}.")
    return clamp


def _stored(fcm: "FuzzyCognitiveMap") -> dict[str, dict[str, float]]:
    """Return the clamps of the scenarios stored in a map file."""
    from cogmap.maps.scenarios import stored_clamps

    return stored_clamps(fcm)


@click.command(epilog=example("cogmap map indices lake.mmp"))
@click.argument("file")
@sheet_option
@json_option
def indices(file: str, sheet: str | None, as_json: bool) -> None:
    """Show the structural indices and the feedback loops of a map."""
    from cogmap.maps.formats import read_map
    from cogmap.maps.indices import indices as indices_of
    from cogmap.maps.loops import feedback_loops

    with command():
        fcm = read_map(file, sheet=sheet)
        table, loops = indices_of(fcm), feedback_loops(fcm)
    if as_json:
        found = [{"concepts": list(loop.concepts), "gain": loop.gain} for loop in loops.loops]
        click.echo(json.dumps(table.to_dict() | {"loops": found}, ensure_ascii=False, indent=1))
        return
    click.echo(repr(table))
    click.echo(repr(loops))
