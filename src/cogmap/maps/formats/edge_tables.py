"""Edge lists, one edge per row: source, target, and a weight, a term, or a mark in the column of a term."""

from collections.abc import Callable
from functools import partial

from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import Drawing, Edge, at, details_from_text, label
from cogmap.maps.formats.grid import Grid, is_text
from cogmap.maps.formats.words import Cell, Scale, as_number

_HEADERS = {
    "source": {"from", "source", "cause", "origin", "sender", "from concept", "source concept", "source node"},
    "target": {"to", "target", "effect", "destination", "destiny", "to concept", "target concept", "target node"},
    "weight": {"weight", "influence", "value", "strength", "w"},
    "direction": {"direction", "sign", "polarity"},
    "lag": {"lag", "delay"},
    "notes": {"notes", "note"},
}
MEANINGS = {header: meaning for meaning, headers in _HEADERS.items() for header in headers}


def has_header(grid: Grid) -> bool:
    """Return whether the first row names a source column and a target column."""
    return {"source", "target"} <= set(_columns(grid))


def _columns(grid: Grid) -> dict[str, int]:
    """Return the index of each column by its meaning, or by its name if the meaning is unknown."""
    columns: dict[str, int] = {}
    for j, cell in enumerate(grid.rows[0]):
        name = label(cell).strip()
        meaning = MEANINGS.get(" ".join(name.casefold().replace("_", " ").split()), name)
        if meaning in columns and meaning in ("source", "target"):
            raise DataError(f"{grid.place(0, j)}: there are two columns for the {meaning} of an edge")
        if name:
            columns[name if meaning in columns else meaning] = j
    return columns


def read_edges(grid: Grid, scale: Scale) -> Drawing:
    """Read an edge list with a header."""
    columns = _columns(grid)
    source, target = columns.pop("source"), columns.pop("target")
    direction, weight = columns.pop("direction", None), columns.pop("weight", None)
    terms = _terms(columns, scale) if weight is None else {}
    if weight is None and not terms:
        raise DataError(f"{grid.place(0, 0)}: an edge list needs a column named weight, or a column for each term")
    drawing = Drawing()
    for i, row in enumerate(grid.rows[1:], start=1):
        where = partial(grid.place, i, source)
        start, end = _ends(drawing, row, source, target, where)
        with at(where()):
            about = details_from_text((key, row[j]) for key, j in columns.items() if j not in terms)
        if start and not end:  # a row that only describes a concept
            drawing.concepts[start].update(about)
        elif start and terms:
            marked = [term for j, term in terms.items() if _is_marked(row[j])]
            if len(marked) > 1:
                raise DataError(f"{grid.place(i, source)}: the edge has a mark under {len(marked)} terms")
            if marked and marked[0]:
                drawing.edges.append(Edge(start, end, marked[0], where, about))
        elif start and weight is not None:
            with at(grid.place(i, weight)):
                value = scale.weight(row[weight], None if direction is None else row[direction])
            drawing.edges.append(Edge(start, end, value, partial(grid.place, i, weight), about))
    return _in_order(drawing)


def _terms(columns: dict[str, int], scale: Scale) -> dict[int, float]:
    """Return the columns that are linguistic terms, with their weights."""
    weights = {}
    for name, j in columns.items():
        try:
            weights[j] = scale.weight(name) or 0.0
        except DataError:
            continue
    return weights


def _is_marked(cell: Cell) -> bool:
    return cell is not None and cell is not False and as_number(cell) != 0


def _ends(drawing: Drawing, row: list[Cell], source: int, target: int, where: Callable[[], str]) -> tuple[str, str]:
    """Return the source and the target, adding both as concepts; the target is empty in a row about a concept."""
    start, end = (label(row[j]) for j in (source, target))
    if row[target] is not None:  # surrounding blanks are part of a name only if the concept has its own row
        start, end = (name if name in drawing.concepts else name.strip() for name in (start, end))
    if end and not start:
        raise DataError(f"{where()}: the edge to {end!r} has no source")
    if not start and any(cell is not None for cell in row):
        raise DataError(f"{where()}: the edge has neither source nor target")
    for name in (start, end):
        if name:
            drawing.concepts.setdefault(name, {})
    return start, end


def is_bare(grid: Grid) -> bool:
    """Return whether the table has the shape of an edge list (source, target, weight) without a header."""
    if grid.width != 3 or any(row[j] is None for row in grid.rows for j in range(2)):
        return False
    ends = [row[j] for row in grid.rows for j in range(2)]
    if all(map(is_text, ends)):
        return True
    numbers = [as_number(cell) for cell in ends]
    return all(number is not None and number >= 0 and number.is_integer() for number in numbers)


def has_weights(grid: Grid, scale: Scale) -> bool:
    """Return whether every cell of the third column is a weight or empty, and at least one is a weight."""
    try:
        weights = [scale.weight(row[2]) for row in grid.rows]
    except DataError:
        return False
    return any(weight is not None for weight in weights)


def read_bare(grid: Grid, scale: Scale) -> Drawing:
    """Read an edge list (source, target, weight) without a header; concepts are names or numbers."""
    if len(grid.rows) == 3 and not any(is_text(row[0]) for row in grid.rows):
        raise DataError(
            "three rows of three numbers may be a matrix or three edges; put a header above them: the names of the "
            "concepts, or from, to, weight"
        )
    drawing = Drawing()
    for i, row in enumerate(grid.rows):
        where = partial(grid.place, i, 2)
        with at(where()):
            weight = scale.weight(row[2])
        drawing.edges.append(Edge(*_ends(drawing, row, 0, 1, where), weight, where))
    return _in_order(drawing)


def _in_order(drawing: Drawing) -> Drawing:
    """Sort the concepts by number if all names are numbers."""
    if all(name.isdecimal() for name in drawing.concepts):
        drawing.concepts = {name: drawing.concepts[name] for name in sorted(drawing.concepts, key=int)}
    return drawing
