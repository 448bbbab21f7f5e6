"""GraphML files, as written by networkx, yEd and Gephi, with weighted directed edges."""

from functools import partial
from typing import Any
from xml.etree import ElementTree

from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import NUMBERS, Drawing, as_text, at, details_from_text, edges_of, said_about
from cogmap.maps.formats.limits import check_size
from cogmap.maps.formats.safe_xml import child, children, local_name, text_of, written
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import Scale
from cogmap.maps.map import FuzzyCognitiveMap

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_WEIGHTS = ("weight", "influence", "value", "label", "EdgeLabel")
_NAMES = ("name", "label", "NodeLabel")


class _Keys:
    """The <key> declarations: names of the keys, and default values per kind of element."""

    def __init__(self, root: ElementTree.Element) -> None:
        declared = {key.get("id", ""): key for key in children(root, "key")}
        self.names = {key: element.get("attr.name", key) for key, element in declared.items()}
        self._defaults: dict[str, dict[str, Any]] = {}
        self._n_made = 0
        for key, element in declared.items():
            if (default := child(element, "default")) is not None:
                kinds = ("graph", "node", "edge") if element.get("for") == "all" else (element.get("for", ""),)
                for kind in kinds:
                    self._defaults.setdefault(kind, {})[self.names[key]] = text_of(default)

    def defaults(self, kind: str) -> dict[str, Any]:
        """Return the default values of a kind of element; raise if their total is too large for a map."""
        defaults = self._defaults.get(kind, {})
        self._n_made += len(defaults)
        check_size(4 * self._n_made, "parts, with the default values of its keys")
        return dict(defaults)


def read_xml(root: ElementTree.Element, scale: Scale) -> Drawings:
    """Read the graphs under the root element <graphml>."""
    graphs = children(root, "graph")
    names = [graph.get("id") or str(number) for number, graph in enumerate(graphs, start=1)]
    keys = _Keys(root)
    if len(set(names)) < len(names):
        names = [str(number) for number in range(1, len(names) + 1)]
    return {name: partial(_drawing, graph, keys, scale) for name, graph in zip(names, graphs, strict=True)}


def _drawing(graph: ElementTree.Element, keys: _Keys, scale: Scale) -> Drawing:
    if graph.get("edgedefault") == "undirected" and not all(
        e.get("directed") == "true" for e in children(graph, "edge")
    ):
        raise DataError("its edges are undirected (edgedefault), and a map needs directed edges")
    drawing = Drawing(details=details_from_text(_data(graph, keys).items()))
    nodes = [(node, _data(node, keys)) for node in children(graph, "node")]
    names = [next((data[key] for key in _NAMES if data.get(key)), node.get("id", "")) for node, data in nodes]
    if len(set(names)) < len(names):
        names = [node.get("id", "") for node, _ in nodes]
    for name, (node, data) in zip(names, nodes, strict=True):
        where = f"node {node.get('id')!r}"
        with at(where):
            about = details_from_text((key, value) for key, value in data.items() if key not in _NAMES)
        drawing.add(name, where, about, node.get("id", ""))
    for edge in children(graph, "edge"):
        where = f"edge from {edge.get('source')!r} to {edge.get('target')!r}"
        data = _data(edge, keys)
        key = next((key for key in _WEIGHTS if key in data), None)
        if key is None:
            raise DataError(f"{where}: it has no weight")
        with at(where):
            weight = scale.weight(data.pop(key))
            about = details_from_text(data.items())
        drawing.connect(edge.get("source", ""), edge.get("target", ""), weight, where, about)
    return drawing


def _data(element: ElementTree.Element, keys: "_Keys") -> dict[str, Any]:
    """Return the data of an element, keyed by name, including the labels and positions of yEd."""
    values: dict[str, Any] = keys.defaults(local_name(element))
    for data in children(element, "data"):
        name = keys.names.get(data.get("key", ""), data.get("key", ""))
        if not len(data):
            values[name] = text_of(data)
        for part in data.iter():
            if local_name(part) in ("NodeLabel", "EdgeLabel") and text_of(part).strip():
                values[local_name(part)] = text_of(part).strip()
            elif local_name(part) == "Geometry" and part.get("x") and part.get("y"):
                values |= {"x": part.get("x"), "y": part.get("y")}
    return values


def write(fcm: FuzzyCognitiveMap) -> bytes:
    """Convert a map to GraphML."""
    root = ElementTree.Element("graphml", xmlns=NAMESPACE)
    graph = ElementTree.Element("graph", edgedefault="directed")
    keys: dict[tuple[str, str], str] = {}

    def add_data(element: ElementTree.Element, details: dict[str, Any]) -> None:
        for name, value in details.items():
            text = as_text(value)
            if text is not None:
                key = keys.setdefault((element.tag, name), f"k{len(keys)}")
                ElementTree.SubElement(element, "data", key=key).text = text

    add_data(graph, fcm.details)
    about = said_about(fcm)
    for name in fcm.concepts:
        details = {key: value for key, value in about.get(name, {}).items() if key not in _NAMES}
        add_data(ElementTree.SubElement(graph, "node", id=name), details)
    for source, target, weight, details in edges_of(fcm):
        add_data(ElementTree.SubElement(graph, "edge", source=source, target=target), {"weight": weight} | details)
    for (kind, name), key in keys.items():
        kind_of_value = (
            "double" if name == "weight" or name in NUMBERS else "boolean" if name == "external" else "string"
        )
        ElementTree.SubElement(root, "key", {"id": key, "for": kind, "attr.name": name, "attr.type": kind_of_value})
    root.append(graph)
    ElementTree.indent(root)
    return written('<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n")
