"""Read and write maps as tables: a weight matrix, an edge list, or the answers of several experts.

Rows of a matrix are sources, columns are targets.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from cogmap.exceptions import DataError
from cogmap.maps.formats import edge_tables, matrices
from cogmap.maps.formats.drawing import PARAMETERS, Drawing, Edge, as_text, at, edges_of, label, said_about
from cogmap.maps.formats.grid import Grid, is_text
from cogmap.maps.formats.words import Cell, Scale
from cogmap.maps.map import FuzzyCognitiveMap

Drawings = dict[str, Callable[[], Drawing]]

_QUESTION = re.compile(r"(.+?)\s*(?:->|\u2192)\s*(.+?)\s*(?:\(\s*([+-])\s*\))?")


def read_table(grid: Grid, scale: Scale, name: str = "") -> Drawings:
    """Return the maps in a table, keyed by name, as functions that build the drawings on demand.

    Rows of a matrix are sources: the cell in row i and column j is the influence of i on j.
    """
    if not grid.rows:
        return {name: _nothing}
    questions = [_QUESTION.fullmatch(label(cell).strip()) for cell in grid.rows[0]]
    if any(questions[1:]) and all(questions[1:]):
        experts = _experts(grid, questions)
        return {f"{name} {expert}".strip(): partial(_answers, grid, questions, i, scale) for i, expert in experts}
    return {name: partial(_one, grid, scale)}


def _nothing() -> Drawing:
    raise DataError("it is empty")


def _one(grid: Grid, scale: Scale) -> Drawing:
    bare = edge_tables.is_bare(grid)
    if bare and edge_tables.has_weights(grid, scale):
        return edge_tables.read_bare(grid, scale)
    if matrices.is_labelled(grid):
        return matrices.read_labelled(grid, scale)
    if edge_tables.has_header(grid):
        return edge_tables.read_edges(grid, scale)
    if bare:
        return edge_tables.read_bare(grid, scale)
    if _has_title(grid):
        return _one(grid.below(1), scale)
    return matrices.read_bare(grid, scale)


def _has_title(grid: Grid) -> bool:
    """Return whether the first row has a string in its first cell only, above a table of several columns."""
    return grid.width > 1 and is_text(grid.rows[0][0]) and all(cell is None for cell in grid.rows[0][1:])


def _experts(grid: Grid, questions: list[re.Match[str] | None]) -> list[tuple[int, str]]:
    """Return the rows of answers and the names of the experts: the first column, or numbers if it is a question."""
    rows = [i for i, row in enumerate(grid.rows) if i and any(cell is not None for cell in row)]
    return [(i, str(n + 1) if questions[0] else label(grid.rows[i][0])) for n, i in enumerate(rows)]


def _answers(grid: Grid, questions: list[re.Match[str] | None], i: int, scale: Scale) -> Drawing:
    """Read one row of answers to questions such as "rain -> umbrellas (+)"."""
    drawing = Drawing()
    for j, question in enumerate(questions):
        if question is None:
            continue
        source, target, sign = question.groups()
        for name in (source, target):
            if name not in drawing.concepts:
                drawing.add(name, grid.place(0, j), {})
        with at(grid.place(i, j)):
            weight = scale.weight(grid.rows[i][j], sign)
        if weight:
            drawing.edges.append(Edge(source, target, weight, partial(grid.place, i, j)))
    return drawing


def rows_of(fcm: FuzzyCognitiveMap, table: str) -> list[list[Cell]]:
    """Convert a map to rows of cells, the header first."""
    return _matrix_rows(fcm) if table == "matrix" else _edge_rows(fcm)


def _matrix_rows(fcm: FuzzyCognitiveMap) -> list[list[Cell]]:
    about = said_about(fcm)
    keys = [key for key in _keys(about.values()) if key in matrices.ABOUT]
    keys = [key for key in keys if key not in fcm.concepts or key in PARAMETERS]
    columns = [f"{key} of the concept" if key in fcm.concepts else key for key in keys]
    if repeated := set(columns) & set(fcm.concepts):
        raise DataError(f"a column would have the same name as the concept {min(repeated)!r}; rename the concept")
    corner = fcm.details.get("corner")
    rows: list[list[Cell]] = [[corner if isinstance(corner, str) else "from/to", *fcm.concepts, *columns]]
    for name, weights in zip(fcm.concepts, fcm.weights.T.tolist(), strict=True):
        rows.append([name, *weights, *_cells(about.get(name, {}), keys)])
    return rows


def _edge_rows(fcm: FuzzyCognitiveMap) -> list[list[Cell]]:
    about, edges = said_about(fcm), list(edges_of(fcm))
    keys = [
        key
        for key in _keys([*about.values(), *(details for *_, details in edges)])
        if edge_tables.MEANINGS.get(key, key) == key
    ]
    keys = [key for key in keys if key not in ("source", "target", "weight", "direction")]
    rows: list[list[Cell]] = [["from", "to", "weight", *keys]]
    order = dict.fromkeys(name for edge in edges for name in edge[:2])
    blanks = any(name != name.strip() for name in fcm.concepts)
    if tuple(order) != fcm.concepts or about or blanks:  # one row per concept preserves order, details and blanks
        rows += [[name, None, None, *_cells(about.get(name, {}), keys)] for name in fcm.concepts]
    return rows + [[source, target, weight, *_cells(details, keys)] for source, target, weight, details in edges]


def _keys(all_details: Any) -> list[str]:
    return list(
        dict.fromkeys(key for details in all_details for key, value in details.items() if as_text(value) is not None)
    )


def _cells(details: dict[str, Any], keys: list[str]) -> list[Cell]:
    return [details.get(key) if as_text(details.get(key)) is not None else None for key in keys]
