"""JSON files of other tools: nodes and edges, concepts with their effects, answers of experts, or a weight matrix."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import Drawing, at, details_from_text, label
from cogmap.maps.formats.grid import Grid
from cogmap.maps.formats.names import is_list_of_concepts
from cogmap.maps.formats.tables import Drawings, read_table
from cogmap.maps.formats.words import Scale

_CONCEPTS = ("concepts", "nodes", "factors", "vertices", "variables")
_EDGES = ("edges", "links", "relations", "relationships", "connections", "arcs")
_MATRICES = ("weights", "matrix", "adjacency", "adjacency_matrix", "weight_matrix", "weightMatrix")
_SOURCES = ("source", "from", "origin", "sourceId", "source_id", "from_id", "cause")
_TARGETS = ("target", "to", "destiny", "destination", "targetId", "target_id", "to_id", "effect")
_WEIGHTS = ("weight", "influence", "value", "strength", "label")
_NAMES = ("name", "label", "title", "id", "key")


def read_json(value: Any, scale: Scale) -> Drawings:
    """Read the maps in a JSON value; rows of a matrix are sources."""
    if isinstance(value, dict) and isinstance(value.get("elements"), dict):  # Cytoscape
        value = value["elements"]
    if isinstance(value, dict):
        concepts, edges, matrix = (_first(value, keys) for keys in (_CONCEPTS, _EDGES, _MATRICES))
        if isinstance(edges, list) and (concepts is None or isinstance(concepts, list)):
            return {"": partial(_graph, value, concepts, edges, scale)}
        if isinstance(matrix, list) and isinstance(concepts, list):
            names = [label(_first(one, _NAMES) if isinstance(one, dict) else one) for one in concepts]
            rows = [[name, *row] for name, row in zip(names, matrix, strict=False) if isinstance(row, list)]
            if len(matrix) != len(concepts) or len(rows) != len(matrix):
                raise DataError(f"it has {len(concepts)} concepts and a matrix of {len(matrix)} rows")
            return read_table(
                Grid.of([[None, *names], *rows], lambda i, j: f"row {i} and column {j} of the matrix"), scale
            )
        if value and all(isinstance(answers, list) for answers in value.values()):
            drawings: Drawings = {}
            for expert, answers in value.items():
                drawings |= _records(answers, f"{expert!r}", scale, expert)
            return drawings
        if value and all(isinstance(row, dict) for row in value.values()):
            raise DataError(
                "it has nested objects, whose outer keys are the sources in some tools and the targets in others; "
                "write it as CSV, with a row for each source, or as a list of edges with from, to and weight"
            )
    elif isinstance(value, list) and value:
        if all(isinstance(item, dict) and "affects" in item for item in value):
            return {"": partial(_affects, value, scale)}
        if is_list_of_concepts(value) and not any(_first(item, _TARGETS) for item in value if isinstance(item, dict)):
            raise DataError(
                "it names concepts and has no edges; pass it as `concepts` along with the file of the edges"
            )
        if all(isinstance(item, list) for item in value):
            return read_table(Grid.of(value, lambda i, j: f"row {i + 1}, column {j + 1}"), scale)
        return _records(value, "", scale)
    raise DataError("it contains neither concepts and edges nor a matrix in a known form")


def _first(value: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _flat(item: Any, where: str) -> dict[str, Any]:
    """Return the attributes of a node or an edge, including those nested by React Flow and Cytoscape."""
    if not isinstance(item, dict):
        raise DataError(f"{where}: it is not an object with names and values")
    inner = [item[key] for key in ("position", "data") if isinstance(item.get(key), dict)]
    outer = {key: cell for key, cell in item.items() if not isinstance(cell, dict | list)}
    for part in inner:
        outer |= {key: cell for key, cell in part.items() if not isinstance(cell, dict | list)}
    return outer


def _graph(value: dict[str, Any], concepts: list[Any] | None, edges: list[Any], scale: Scale) -> Drawing:
    if value.get("directed") is False:
        raise DataError("its edges are undirected (directed is false), and a map needs directed edges")
    drawing = Drawing()
    for number, concept in enumerate(concepts or ()):
        where = f"concept {number + 1}"
        attributes = {"name": concept} if isinstance(concept, str) else _flat(concept, where)
        key = next((key for key in _NAMES if attributes.get(key) not in (None, "")), "name")
        with at(where):
            about = details_from_text((name, cell) for name, cell in attributes.items() if name not in (key, "id"))
        ids = [label(attributes[name]) for name in ("id", "key") if attributes.get(name) is not None]
        drawing.add(label(attributes.get(key)), where, about, *ids)
    for number, edge in enumerate(edges, start=1):
        where = f"edge {number}"
        ends = _end(edge, _SOURCES, where), _end(edge, _TARGETS, where)
        attributes = _flat(edge, where)
        weight_key = next((name for name in _WEIGHTS if attributes.get(name) is not None), None)
        if weight_key is None:
            raise DataError(f"{where}: it has no weight")
        with at(where):
            weight = scale.weight(attributes[weight_key], attributes.get("direction"))
            used = (weight_key, "id", *_SOURCES, *_TARGETS, "direction")
            about = details_from_text((name, cell) for name, cell in attributes.items() if name not in used)
        if concepts is None:
            for end in ends:
                drawing.concepts.setdefault(end, {})
        drawing.connect(*ends, weight, where, about)
    return drawing


def _end(edge: Any, keys: tuple[str, ...], where: str) -> str:
    """Return the id or name of the source or target of an edge."""
    node = _first(edge, keys) if isinstance(edge, dict) else None
    if node is None and isinstance(edge, dict) and isinstance(edge.get("data"), dict):
        node = _first(edge["data"], keys)
    if isinstance(node, dict):
        node = _first(node, ("id", "name"))
    if node is None:
        raise DataError(f"{where}: it has no {keys[0]}")
    return label(node)


def _affects(items: list[dict[str, Any]], scale: Scale) -> Drawing:
    """Read JSON of FSDM: each concept with the concepts that it affects, and all values in lists of one."""
    drawing = Drawing()
    for number, item in enumerate(items, start=1):
        drawing.add(label(_single(item.get("name", item.get("variable")))), f"concept {number}", {})
    for source, item in zip(list(drawing.concepts), items, strict=True):
        effects = item["affects"] if isinstance(item["affects"], list) else []
        for number, effect in enumerate(effects, start=1):
            where = f"concept {source!r}, effect {number}"
            if not isinstance(effect, dict):
                raise DataError(f"{where}: it is not an object with names and values")
            attributes = {key: _single(cell) for key, cell in effect.items()}
            target = label(attributes.pop("variable", None) or attributes.pop("name", None))
            with at(where):
                weight = scale.weight(attributes.pop("weight", None), attributes.pop("direction", None))
            drawing.concepts.setdefault(target, {})  # it may be defined in the file of names
            drawing.connect(source, target, weight, where, details_from_text(attributes.items()))
    return drawing


def _single(value: Any) -> Any:
    return (value[0] if value else None) if isinstance(value, list) else value


def _records(items: list[Any], whose: str, scale: Scale, name: str = "") -> Drawings:
    """Read a list of edges, given as objects, as a table."""
    if not all(isinstance(item, dict) for item in items):
        raise DataError("it contains neither concepts and edges nor a matrix in a known form")
    header = list(dict.fromkeys(key for item in items for key in item))
    rows = [[cell if not isinstance(cell := item.get(key), dict | list) else None for key in header] for item in items]
    return read_table(Grid.of([header, *rows], lambda i, _: f"{whose}, edge {i}".removeprefix(", ")), scale, name)
