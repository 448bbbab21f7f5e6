"""The JSON format of cogmap, which is lossless."""

import json
from functools import partial
from typing import Any

from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import PARAMETERS, Drawing, at, edges_of, said_about
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import Scale, as_number
from cogmap.maps.map import FuzzyCognitiveMap

FORMAT = "cogmap map"
VERSION = 1


def is_ours(value: object) -> bool:
    """Return whether a JSON value has the format name of cogmap."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def read_json(value: dict[str, Any], scale: Scale) -> Drawings:
    """Read the map in a JSON value."""
    version = value.get("version")
    if version != VERSION:
        raise DataError(f"it has version {version!r} of the format, and this cogmap reads version {VERSION}")
    return {"": partial(_drawing, value, scale)}


def _drawing(value: dict[str, Any], scale: Scale) -> Drawing:
    drawing = Drawing(details=_member(value, "details", dict))
    for number, concept in enumerate(_member(value, "concepts", list)):
        where = f"concepts[{number}]"
        if not isinstance(concept, dict) or not isinstance(concept.get("name"), str):
            raise DataError(f"{where}: a concept must have a name")
        name = concept["name"]
        if name in drawing.concepts:
            raise DataError(f"{where}: there is already a concept named {name!r}; rename one of them")
        drawing.concepts[name] = _member(concept, "details", dict)
        held = concept.get("held", False)
        if not isinstance(held, bool):
            raise DataError(f"{where}: 'held' must be true or false, got {held!r}")
        drawing.held += [name] * held
        drawing.parameters[name] = {key: concept[key] for key in PARAMETERS if key in concept}
        for key, parameter in drawing.parameters[name].items():
            if not isinstance(parameter, str | int | float):
                raise DataError(f"{where}: {key!r} must be a {'name' if key == 'activation' else 'number'}")
    for number, edge in enumerate(_member(value, "edges", list)):
        where = f"edges[{number}]"
        if not isinstance(edge, dict) or as_number(edge.get("weight")) is None:
            raise DataError(f"{where}: an edge must have a source, a target and a numeric weight")
        with at(where):
            weight, about = scale.weight(edge["weight"]), _member(edge, "details", dict)
        drawing.connect(str(edge.get("source")), str(edge.get("target")), weight, where, about)
    return drawing


def _member(value: dict[str, Any], key: str, kind: type) -> Any:
    member = value.get(key, kind())
    if not isinstance(member, kind):
        raise DataError(f"{key!r} must be {'a list' if kind is list else 'a mapping'}")
    return member


def write(fcm: FuzzyCognitiveMap) -> bytes:
    """Convert a map to JSON, with one concept or edge per line."""
    about = said_about(fcm)
    details = fcm.details
    concepts, edges = [], []
    for name in fcm.concepts:
        parameters = about.get(name, {})
        concept = {"name": name} | {key: parameters[key] for key in PARAMETERS if key in parameters}
        concept |= {"held": True} if name in fcm.held else {}
        rest = details.get("concepts", {}).get(name)
        concepts.append(concept | ({} if rest is None else {"details": rest}))
    for source, target, weight, edge_details in edges_of(fcm):
        edge = {"source": source, "target": target, "weight": weight}
        edges.append(edge | ({"details": edge_details} if edge_details else {}))
    rest = {key: value for key, value in details.items() if key not in ("concepts", "edges")}
    head = {"format": FORMAT, "version": VERSION, "details": rest}
    parts = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items() if value]
    parts += [_lines(key, items) for key, items in (("concepts", concepts), ("edges", edges))]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("ascii")


def _lines(key: str, items: list[dict[str, Any]]) -> str:
    inside = ",\n".join("    " + json.dumps(item) for item in items)
    return f"  {json.dumps(key)}: [\n{inside}\n  ]"
