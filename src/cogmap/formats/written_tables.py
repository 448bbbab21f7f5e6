"""A map as rows of cells: a matrix, whose rows are sources and whose columns are targets, or a list of edges."""

from typing import Any

from cogmap.exceptions import DataError
from cogmap.formats.drawing import PARAMETERS, as_text, edges_of, said_about
from cogmap.formats.edge_tables import MEANINGS
from cogmap.formats.matrices import ABOUT
from cogmap.formats.words import Cell
from cogmap.map import FuzzyCognitiveMap


def rows_of(fcm: FuzzyCognitiveMap, table: str) -> list[list[Cell]]:
    """Return the cells of a map, the header first."""
    return _matrix(fcm) if table == "matrix" else _edges(fcm)


def _matrix(fcm: FuzzyCognitiveMap) -> list[list[Cell]]:
    about = said_about(fcm)
    keys = [key for key in _keys(about.values()) if key in ABOUT]
    for key in keys:
        if key in fcm.concepts and key in PARAMETERS:
            raise DataError(f"the column for the {key} would have the name of the concept {key!r}; rename the concept")
    keys = [key for key in keys if key not in fcm.concepts]
    corner = fcm.details.get("corner")
    rows: list[list[Cell]] = [[corner if isinstance(corner, str) else "from/to", *fcm.concepts, *keys]]
    for name, weights in zip(fcm.concepts, fcm.weights.T.tolist(), strict=True):
        rows.append([name, *weights, *_cells(about.get(name, {}), keys)])
    return rows


def _edges(fcm: FuzzyCognitiveMap) -> list[list[Cell]]:
    about, edges = said_about(fcm), list(edges_of(fcm))
    keys = [key for key in _keys([*about.values(), *(said for *_, said in edges)]) if MEANINGS.get(key, key) == key]
    keys = [key for key in keys if key not in ("source", "target", "weight", "direction")]
    rows: list[list[Cell]] = [["from", "to", "weight", *keys]]
    met = dict.fromkeys(name for edge in edges for name in edge[:2])
    blanks = any(name != name.strip() for name in fcm.concepts)
    if tuple(met) != fcm.concepts or about or blanks:  # a row for each concept, which says how it is called and where
        rows += [[name, None, None, *_cells(about.get(name, {}), keys)] for name in fcm.concepts]
    return rows + [[source, target, weight, *_cells(said, keys)] for source, target, weight, said in edges]


def _keys(said: Any) -> list[str]:
    return list(dict.fromkeys(key for details in said for key, value in details.items() if as_text(value) is not None))


def _cells(details: dict[str, Any], keys: list[str]) -> list[Cell]:
    return [details.get(key) if as_text(details.get(key)) is not None else None for key in keys]
