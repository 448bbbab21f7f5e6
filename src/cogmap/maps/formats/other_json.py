"""JSON of other tools: nodes and edges, what a concept affects, answers of experts, a matrix with names."""

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
    """Return the maps in a JSON value; rows of a matrix are sources, and edges go from source to target."""
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
            found: Drawings = {}
            for expert, answers in value.items():
                found |= _records(answers, f"{expert!r}", scale, expert)
            return found
        if value and all(isinstance(row, dict) for row in value.values()):
            raise DataError(
                "it is a table of names within names, of which some tools put the source outside and others the "
                "target; write it as CSV, with a row for each source, or as a list of edges with from, to and weight"
            )
    elif isinstance(value, list) and value:
        if all(isinstance(item, dict) and "affects" in item for item in value):
            return {"": partial(_affects, value, scale)}
        if is_list_of_concepts(value) and not any(_first(item, _TARGETS) for item in value if isinstance(item, dict)):
            raise DataError("it names concepts and has no edges; give it as `concepts` beside the file that has them")
        if all(isinstance(item, list) for item in value):
            return read_table(Grid.of(value, lambda i, j: f"row {i + 1}, column {j + 1}"), scale)
        return _records(value, "", scale)
    raise DataError("it holds neither concepts and edges nor a matrix in a form that is known here")


def _first(value: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _flat(item: Any, where: str) -> dict[str, Any]:
    """Return what is said about a node or an edge, also what React Flow and Cytoscape put one level deeper."""
    if not isinstance(item, dict):
        raise DataError(f"{where}: it is not an object with names and values")
    inner = [item[key] for key in ("position", "data") if isinstance(item.get(key), dict)]
    outer = {key: found for key, found in item.items() if not isinstance(found, dict | list)}
    for part in inner:
        outer |= {key: found for key, found in part.items() if not isinstance(found, dict | list)}
    return outer


def _graph(value: dict[str, Any], concepts: list[Any] | None, edges: list[Any], scale: Scale) -> Drawing:
    if value.get("directed") is False:
        raise DataError("its edges have no direction (directed is false), and those of a map have one")
    drawing = Drawing()
    for number, concept in enumerate(concepts or ()):
        where = f"concept {number + 1}"
        said = {"name": concept} if isinstance(concept, str) else _flat(concept, where)
        key = next((key for key in _NAMES if said.get(key) not in (None, "")), "name")
        with at(where):
            about = details_from_text((name, found) for name, found in said.items() if name not in (key, "id"))
        ids = [label(said[name]) for name in ("id", "key") if said.get(name) is not None]
        drawing.add(label(said.get(key)), where, about, *ids)
    for number, edge in enumerate(edges, start=1):
        where = f"edge {number}"
        ends = _end(edge, _SOURCES, where), _end(edge, _TARGETS, where)
        said = _flat(edge, where)
        weighed = next((name for name in _WEIGHTS if said.get(name) is not None), None)
        if weighed is None:
            raise DataError(f"{where}: it has no weight")
        with at(where):
            weight = scale.weight(said[weighed], said.get("direction"))
            known = (weighed, "id", *_SOURCES, *_TARGETS, "direction")
            about = details_from_text((name, found) for name, found in said.items() if name not in known)
        if concepts is None:
            for end in ends:
                drawing.concepts.setdefault(end, {})
        drawing.connect(*ends, weight, where, about)
    return drawing


def _end(edge: Any, keys: tuple[str, ...], where: str) -> str:
    """Return what an edge calls one of its ends: an id, a name, or a node."""
    found = _first(edge, keys) if isinstance(edge, dict) else None
    if found is None and isinstance(edge, dict) and isinstance(edge.get("data"), dict):
        found = _first(edge["data"], keys)
    if isinstance(found, dict):
        found = _first(found, ("id", "name"))
    if found is None:
        raise DataError(f"{where}: it has no {keys[0]}")
    return label(found)


def _affects(items: list[dict[str, Any]], scale: Scale) -> Drawing:
    """Read what FSDM writes: each concept with those that it affects, all values in lists of one."""
    drawing = Drawing()
    for number, item in enumerate(items, start=1):
        drawing.add(label(_single(item.get("name", item.get("variable")))), f"concept {number}", {})
    for source, item in zip(list(drawing.concepts), items, strict=True):
        effects = item["affects"] if isinstance(item["affects"], list) else []
        for number, effect in enumerate(effects, start=1):
            where = f"concept {source!r}, effect {number}"
            if not isinstance(effect, dict):
                raise DataError(f"{where}: it is not an object with names and values")
            said = {key: _single(found) for key, found in effect.items()}
            target = label(said.pop("variable", None) or said.pop("name", None))
            with at(where):
                weight = scale.weight(said.pop("weight", None), said.pop("direction", None))
            drawing.concepts.setdefault(target, {})  # the file of the concepts may know it
            drawing.connect(source, target, weight, where, details_from_text(said.items()))
    return drawing


def _single(value: Any) -> Any:
    return (value[0] if value else None) if isinstance(value, list) else value


def _records(items: list[Any], whose: str, scale: Scale, name: str = "") -> Drawings:
    """Read a list of edges, each an object with the same keys, as a table."""
    if not all(isinstance(item, dict) for item in items):
        raise DataError("it holds neither concepts and edges nor a matrix in a form that is known here")
    header = list(dict.fromkeys(key for item in items for key in item))
    rows = [
        [found if not isinstance(found := item.get(key), dict | list) else None for key in header] for item in items
    ]
    return read_table(Grid.of([header, *rows], lambda i, _: f"{whose}, edge {i}".removeprefix(", ")), scale, name)
