"""XML files of JFCM: maps that consist of concepts and connections."""

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
    """Read the maps under the root element <maps>."""
    maps = children(root, "map")
    names = [element.get("name") or str(number) for number, element in enumerate(maps, start=1)]
    if len(set(names)) < len(names):
        raise DataError("two of its maps have the same name")
    return {name: partial(_drawing, element, scale) for name, element in zip(names, maps, strict=True)}


def _drawing(root: ElementTree.Element, scale: Scale) -> Drawing:
    """Read one map; the details include the settings of JFCM's simulation (act, params)."""
    drawing = Drawing(details=details_from_text([("name", root.get("name")), _description(root)]))
    for number, concept in enumerate(children(child(root, "concepts"), "concept"), start=1):
        attributes = [*concept.items(), _description(concept), *_parameters(concept)]
        about = details_from_text((_KEYS.get(key, key), value) for key, value in attributes if key != "name")
        drawing.add(concept.get("name", "").strip(), f"concept {number}", about)
    for number, connection in enumerate(children(child(root, "connections"), "connection"), start=1):
        where = f"connection {number}"
        parameters = dict(_parameters(connection))
        attributes = [("name", connection.get("name")), _description(connection), *parameters.items()]
        with at(where):
            weight = scale.weight(parameters.get("weight"))
            about = details_from_text((_KEYS.get(key, key), value) for key, value in attributes if key != "weight")
        drawing.connect(connection.get("from", "").strip(), connection.get("to", "").strip(), weight, where, about)
    return drawing


_KEYS = {"fixed": "external", "delay": "lag"}


def _description(element: ElementTree.Element) -> tuple[str, Any]:
    return "description", text_of(child(element, "description")).strip()


def _parameters(element: ElementTree.Element) -> Iterable[tuple[str, Any]]:
    return [(one.get("name") or "", one.get("value")) for one in children(child(element, "params"), "param")]
