"""Files of Mental Modeler (.mmp): XML, or JSON with the same structure.

Each concept contains its outgoing relationships, each of which names its target.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from cogmap._utils.text import decoded
from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import Drawing, Edge, as_text, at, details_from_text, edges_of, label, said_about
from cogmap.maps.formats.safe_xml import child, children, local_name, parsed, text_of, written
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import LETTERS, Scale
from cogmap.maps.map import FuzzyCognitiveMap

_GROUPS = re.compile(rb"<groupNames[\s>].*?</groupNames\s*>", re.DOTALL)
_NUMBERED_TAG = re.compile(rb"(</?)(\d+)(?=[\s/>])")
_XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# Values that are equivalent to a missing entry.
_DEFAULTS = {"confidence": 0.0, "preferredState": "0"}
_INFO_DEFAULTS = {"name": "Model", "author": "", "description": "", "version": "1.1"}


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Read the map in an XML or JSON file."""
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return read_xml(parsed(repaired(content)), scale or LETTERS)
    text = decoded(content)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise DataError(f"it is neither XML nor JSON, as .mmp files must be: {problem}") from None
    if not is_mental_modeler(value):
        raise DataError('it is JSON without the "concepts" that .mmp files have')
    return read_json(value, scale or LETTERS)


def repaired(content: bytes) -> bytes:
    """Rename the tags of groups, which Mental Modeler writes as <0>, <1>, ...: not well-formed XML."""
    return _GROUPS.sub(lambda block: _NUMBERED_TAG.sub(rb"\1group\2", block[0]), content)


def is_mental_modeler(value: object) -> bool:
    """Return whether a JSON value has the structure of Mental Modeler: concepts that contain their relationships."""
    if not isinstance(value, dict) or not isinstance(value.get("concepts"), list):
        return False
    concepts = value["concepts"]
    if not all(isinstance(concept, dict) for concept in concepts):
        return False
    return "groupNames" in value or any("relationships" in concept for concept in concepts)


def read_xml(root: ElementTree.Element, scale: Scale) -> Drawings:
    """Read the map under the root element <mentalmodeler>, in any case."""
    if local_name(root).casefold() != "mentalmodeler":
        raise DataError(f"its root element must be <mentalmodeler>, got <{local_name(root)}>")
    concepts = [
        _leaves(concept)
        | {"relationships": list(map(_leaves, children(child(concept, "relationships"), "relationship")))}
        for concept in children(child(root, "concepts"), "concept")
    ]
    groups = {local_name(group).removeprefix("group"): text_of(group) for group in children(child(root, "groupNames"))}
    scenarios = [
        _leaves(scenario) | {"concepts": [_leaves(one) for one in children(child(scenario, "concepts"), "concept")]}
        for scenario in children(child(root, "scenarios"), "scenario")
    ]
    info = _leaves(child(root, "info"))
    return read_json({"info": info, "groupNames": groups, "concepts": concepts, "scenarios": scenarios}, scale)


def _leaves(element: ElementTree.Element | None) -> dict[str, Any]:
    """Return the text of each child element that has no children of its own, keyed by tag."""
    return {local_name(one): text_of(one) for one in children(element) if not len(one)}


def read_json(value: dict[str, Any], scale: Scale) -> Drawings:
    """Read the map in a JSON value."""
    return {"": partial(_drawing, value, scale)}


def _drawing(value: dict[str, Any], scale: Scale) -> Drawing:
    drawing = Drawing()
    groups = {key: name for key, name in _mapping(value.get("groupNames")).items() if isinstance(name, str) and name}
    names_in_relationships = _called(value["concepts"])
    for number, concept in enumerate(value["concepts"], start=1):
        identifier, name = label(concept.get("id")), label(concept.get("name"))
        with at(f"concept {number}"):
            about = _about(concept, "name", "relationships")
        if about.get("group") == "0" and "0" not in groups:  # the default group
            del about["group"]
        if about.get("id") == str(number):
            del about["id"]
        if not name.strip():
            name = names_in_relationships.get(identifier, f"concept {identifier or number}")
        drawing.add(name, f"concept {number}", about, *([identifier] if identifier else []))
    for name, concept in zip(drawing.concepts, value["concepts"], strict=True):
        for number, relationship in enumerate(_list(concept.get("relationships")), start=1):
            where = f"concept {name!r}, relationship {number}"
            with at(where):
                drawing.edges.append(_edge(drawing, name, _mapping(relationship), where, scale))
    info = _about(_mapping(value.get("info")), "concepts", "edges", "groups", "scenarios")
    drawing.details = {key: detail for key, detail in info.items() if detail != _INFO_DEFAULTS.get(key)}
    scenarios = [one for one in _list(value.get("scenarios")) if isinstance(one, dict) and one.get("concepts")]
    drawing.details |= {key: items for key, items in (("groups", groups), ("scenarios", scenarios)) if items}
    return drawing


def _called(concepts: list[dict[str, Any]]) -> dict[str, str]:
    """Return the names of targets in relationships, keyed by id, for concepts whose own name was deleted."""
    return {
        label(relationship.get("id")): label(relationship.get("name"))
        for concept in concepts
        for relationship in _list(concept.get("relationships"))
        if isinstance(relationship, dict) and label(relationship.get("name")).strip()
    }


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _about(value: Mapping[str, Any], *but: str) -> dict[str, Any]:
    """Return the details without default values."""
    cells = ((key, cell) for key, cell in value.items() if key not in but and not isinstance(cell, dict | list))
    return {key: detail for key, detail in details_from_text(cells).items() if detail != _DEFAULTS.get(key)}


def _edge(drawing: Drawing, source: str, relationship: Mapping[str, Any], where: str, scale: Scale) -> Edge:
    identifier, name = label(relationship.get("id")), label(relationship.get("name"))
    if not identifier and not name:
        raise DataError("it has no target")
    # The id takes precedence, because the name may be outdated.
    target = drawing.ids[identifier] if identifier in drawing.ids else drawing.named(name or identifier, where)
    weight = scale.weight(relationship.get("influence"))
    return Edge(source, target, weight, lambda: where, _about(relationship, "id", "name", "influence"))


def write(fcm: FuzzyCognitiveMap) -> bytes:
    """Convert a map to XML for Mental Modeler, which ignores elements that it does not support, such as a bias."""
    details, about = fcm.details, said_about(fcm)
    ids = _identifiers(fcm, about)
    relationships: dict[str, list[str]] = {name: [] for name in fcm.concepts}
    for source, target, weight, edge_details in edges_of(fcm):
        defaults = {"id": ids[target], "name": target, "notes": "", "confidence": 0.0}
        relationships[source].append(_element("relationship", _texts(defaults | edge_details | {"influence": weight})))
    concepts = []
    for number, name in enumerate(fcm.concepts):
        angle = 2 * math.pi * number / fcm.n_concepts  # concepts without a position are placed on a circle
        place = {"x": round(400 + 300 * math.sin(angle)), "y": round(300 - 250 * math.cos(angle))}
        defaults = {"id": "", "name": "", "notes": "", "units": "", "group": "0", **place, "preferredState": "0"}
        strings = _texts(defaults | about.get(name, {}) | {"id": ids[name], "name": name})
        concepts.append(_element("concept", strings + _block("relationships", relationships[name])))
    groups = [_leaf(key, name) for key, name in details.get("groups", {}).items() if key.isdecimal()]
    parts = [
        _element("info", _texts(_INFO_DEFAULTS | details)),
        _block("groupNames", groups),
        _block("concepts", concepts),
        _block("scenarios", [_scenario(one) for one in details.get("scenarios", ()) if isinstance(one, dict)]),
    ]
    return written('<?xml version="1.0" encoding="UTF-8"?>\n' + _element("mentalmodeler", "".join(parts)))


def _identifiers(fcm: FuzzyCognitiveMap, about: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return the ids of the concepts: those in the details if they are unique, otherwise numbers."""
    numbers = [str(number) for number in range(1, fcm.n_concepts + 1)]
    ids = [as_text(about.get(name, {}).get("id")) or own for name, own in zip(fcm.concepts, numbers, strict=True)]
    return dict(zip(fcm.concepts, ids if len(set(ids)) == len(ids) else numbers, strict=True))


def _scenario(scenario: dict[str, Any]) -> str:
    concepts = [_element("concept", _texts(one)) for one in scenario.get("concepts", ()) if isinstance(one, dict)]
    return _element("scenario", _texts(scenario) + _block("concepts", concepts))


def _texts(details: Mapping[str, Any]) -> str:
    """Write each string, number or boolean among the details as an element."""
    strings = {key: as_text(value) for key, value in details.items() if _XML_NAME.fullmatch(key)}
    return "".join(_leaf(key, text or "") for key, text in strings.items() if text or details[key] == "")


def _leaf(name: str, text: str) -> str:
    # CDATA, as in files of Mental Modeler, unless the text cannot be represented in it.
    plain = "]]>" in text or "\r" in text
    inside = escape(text, {"\r": "&#13;"}) if plain else f"<![CDATA[{text}]]>"
    return f"<{name}>{inside}</{name}>\n"


def _element(name: str, inside: str) -> str:
    return f"<{name}>\n{inside}</{name}>\n"


def _block(name: str, elements: Iterable[str]) -> str:
    return _element(name, "".join(elements))
