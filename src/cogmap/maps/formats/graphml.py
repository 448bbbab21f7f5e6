"""GraphML, as networkx, yEd and Gephi write it: directed edges with a weight."""

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
    """Declared keys: their names, and the values that elements have which do not say their own."""

    def __init__(self, root: ElementTree.Element) -> None:
        declared = {key.get("id", ""): key for key in children(root, "key")}
        self.names = {key: element.get("attr.name", key) for key, element in declared.items()}
        self._defaults: dict[str, dict[str, Any]] = {}
        self._n_made = 0
        for key, element in declared.items():
            if (default := child(element, "default")) is not None:
                meant = ("graph", "node", "edge") if element.get("for") == "all" else (element.get("for", ""),)
                for kind in meant:
                    self._defaults.setdefault(kind, {})[self.names[key]] = text_of(default)

    def defaults(self, kind: str) -> dict[str, Any]:
        """Return the defaults of a kind of element: a few keys can stand for millions of values."""
        found = self._defaults.get(kind, {})
        self._n_made += len(found)
        check_size(4 * self._n_made, "parts, with the default values of its keys")
        return dict(found)


def read_xml(root: ElementTree.Element, scale: Scale) -> Drawings:
    """Return the graphs under a root named graphml; an edge goes from its source to its target."""
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
        raise DataError("its edges have no direction (edgedefault is undirected), and those of a map have one")
    drawing = Drawing(details=details_from_text(_data(graph, keys).items()))
    nodes = [(node, _data(node, keys)) for node in children(graph, "node")]
    called = [next((said[key] for key in _NAMES if said.get(key)), node.get("id", "")) for node, said in nodes]
    if len(set(called)) < len(called):
        called = [node.get("id", "") for node, _ in nodes]
    for name, (node, said) in zip(called, nodes, strict=True):
        where = f"node {node.get('id')!r}"
        with at(where):
            about = details_from_text((key, value) for key, value in said.items() if key not in _NAMES)
        drawing.add(name, where, about, node.get("id", ""))
    for edge in children(graph, "edge"):
        where = f"edge from {edge.get('source')!r} to {edge.get('target')!r}"
        said = _data(edge, keys)
        key = next((key for key in _WEIGHTS if key in said), None)
        if key is None:
            raise DataError(f"{where}: it has no weight")
        with at(where):
            weight = scale.weight(said.pop(key))
            about = details_from_text(said.items())
        drawing.connect(edge.get("source", ""), edge.get("target", ""), weight, where, about)
    return drawing


def _data(element: ElementTree.Element, keys: "_Keys") -> dict[str, Any]:
    """Return what is said about an element, by the names of the keys; of yEd's drawing, the labels and the place."""
    found: dict[str, Any] = keys.defaults(local_name(element))
    for data in children(element, "data"):
        name = keys.names.get(data.get("key", ""), data.get("key", ""))
        if not len(data):
            found[name] = text_of(data)
        for part in data.iter():
            if local_name(part) in ("NodeLabel", "EdgeLabel") and text_of(part).strip():
                found[local_name(part)] = text_of(part).strip()
            elif local_name(part) == "Geometry" and part.get("x") and part.get("y"):
                found |= {"x": part.get("x"), "y": part.get("y")}
    return found


def write(fcm: FuzzyCognitiveMap) -> bytes:
    """Return a map as GraphML."""
    root = ElementTree.Element("graphml", xmlns=NAMESPACE)
    graph = ElementTree.Element("graph", edgedefault="directed")
    keys: dict[tuple[str, str], str] = {}

    def say(element: ElementTree.Element, details: dict[str, Any]) -> None:
        for name, value in details.items():
            text = as_text(value)
            if text is not None:
                key = keys.setdefault((element.tag, name), f"k{len(keys)}")
                ElementTree.SubElement(element, "data", key=key).text = text

    say(graph, fcm.details)
    about = said_about(fcm)
    for name in fcm.concepts:
        said = {key: value for key, value in about.get(name, {}).items() if key not in _NAMES}
        say(ElementTree.SubElement(graph, "node", id=name), said)
    for source, target, weight, said in edges_of(fcm):
        say(ElementTree.SubElement(graph, "edge", source=source, target=target), {"weight": weight} | said)
    for (kind, name), key in keys.items():
        kind_of_value = (
            "double" if name == "weight" or name in NUMBERS else "boolean" if name == "external" else "string"
        )
        ElementTree.SubElement(root, "key", {"id": key, "for": kind, "attr.name": name, "attr.type": kind_of_value})
    root.append(graph)
    ElementTree.indent(root)
    return written('<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n")
