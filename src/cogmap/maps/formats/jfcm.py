"""JFCM's XML: maps of concepts and of connections that go from one to another."""

from collections.abc import Iterable
from functools import partial
from typing import Any
from xml.etree import ElementTree

from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import Drawing, at, details_from_text
from cogmap.maps.formats.safe_xml import child, children, text_of
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import Scale


def read_xml(root: ElementTree.Element, scale: Scale) -> Drawings:
    """Return the maps under a root named maps; a connection goes from its source to its target."""
    maps = children(root, "map")
    names = [found.get("name") or str(number) for number, found in enumerate(maps, start=1)]
    if len(set(names)) < len(names):
        raise DataError("two of its maps have the same name")
    return {name: partial(_drawing, found, scale) for name, found in zip(names, maps, strict=True)}


def _drawing(root: ElementTree.Element, scale: Scale) -> Drawing:
    """Read one map; how JFCM would run it (act, params) is kept among the details."""
    drawing = Drawing(details=details_from_text([("name", root.get("name")), _description(root)]))
    for number, concept in enumerate(children(child(root, "concepts"), "concept"), start=1):
        said = [*concept.items(), _description(concept), *_parameters(concept)]
        about = details_from_text((_KEYS.get(key, key), value) for key, value in said if key != "name")
        drawing.add(concept.get("name", "").strip(), f"concept {number}", about)
    for number, connection in enumerate(children(child(root, "connections"), "connection"), start=1):
        where = f"connection {number}"
        parameters = dict(_parameters(connection))
        said = [("name", connection.get("name")), _description(connection), *parameters.items()]
        with at(where):
            weight = scale.weight(parameters.get("weight"))
            about = details_from_text((_KEYS.get(key, key), value) for key, value in said if key != "weight")
        drawing.connect(connection.get("from", "").strip(), connection.get("to", "").strip(), weight, where, about)
    return drawing


_KEYS = {"fixed": "external", "delay": "lag"}


def _description(element: ElementTree.Element) -> tuple[str, Any]:
    return "description", text_of(child(element, "description")).strip()


def _parameters(element: ElementTree.Element) -> Iterable[tuple[str, Any]]:
    return [(one.get("name") or "", one.get("value")) for one in children(child(element, "params"), "param")]
