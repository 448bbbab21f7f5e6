"""What a table of cells is: a matrix, a list of edges, or the answers of several experts."""

import re
from collections.abc import Callable
from functools import partial

from cogmap.exceptions import DataError
from cogmap.formats import edge_tables, matrices
from cogmap.formats.drawing import Drawing, Edge, at, label
from cogmap.formats.grid import Grid, is_text
from cogmap.formats.words import Scale

Drawings = dict[str, Callable[[], Drawing]]

_QUESTION = re.compile(r"(.+?)\s*(?:->|\u2192)\s*(.+?)\s*(?:\(\s*([+-])\s*\))?")


def read_table(grid: Grid, scale: Scale, name: str = "") -> Drawings:
    """Return the maps in a table, by name, each made when it is asked for.

    Rows are sources and columns targets: the cell in row i and column j is the influence of i on j.
    """
    if not grid.rows:
        return {name: _nothing}
    questions = [_QUESTION.fullmatch(label(cell).strip()) for cell in grid.rows[0]]
    if any(questions[1:]) and all(questions[1:]):
        experts = _experts(grid, questions)
        return {f"{name} {who}".strip(): partial(_answers, grid, questions, i, scale) for i, who in experts}
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
    """Whether the first row holds one text and nothing else, above a table of several columns."""
    return grid.width > 1 and is_text(grid.rows[0][0]) and all(cell is None for cell in grid.rows[0][1:])


def _experts(grid: Grid, questions: list[re.Match[str] | None]) -> list[tuple[int, str]]:
    """Return the rows of answers and whose they are: a name in a first column without a question, or a number."""
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
