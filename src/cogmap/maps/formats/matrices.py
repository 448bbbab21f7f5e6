"""Weight matrices as tables: each row is a source, each column a target."""

from collections.abc import Sequence
from functools import partial

from cogmap._utils.params import suggestion
from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import PARAMETERS, Drawing, Edge, at, from_text, label
from cogmap.maps.formats.grid import Grid, is_text
from cogmap.maps.formats.words import Cell, Scale, as_number

# Columns that describe the concept of their row, and the name of the detail.
ABOUT = {name: name for name in ("x", "y", "group", "notes", "units", "external", "bias", "slope", "activation")}
ABOUT |= {"fixed": "external", "driver": "external", "note": "notes", "unit": "units", "description": "description"}
# Written if a concept has the same name as one of these columns.
ABOUT |= {f"{name} of the concept": name for name in PARAMETERS}
_PLAIN_CORNERS = {"", "concept", "concepts", "name", "names", "from", "source", "from/to", "from\\to", "unnamed: 0"}


def is_labelled(grid: Grid) -> bool:
    """Return whether the first row and the first column name the same concepts."""
    (corner, *header), *below = _with_corner(grid.rows)
    labels = [row[0] for row in below if row[0] is not None]
    if not labels or (corner is not None and not is_text(corner)):
        return False
    if corner is None and not any(map(is_text, labels)):  # or a matrix of numbers with an empty first cell
        return labels == header and len(labels) > 1 and _counts(labels)
    columns = {_folded(cell) for cell in header if cell is not None}
    return 2 * sum(_folded(cell) in columns for cell in labels) >= len(labels)


def _with_corner(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Insert the missing corner cell into a header as written by R, which begins with the first name."""
    header, labels = rows[0], [row[0] for row in rows[1:]]
    shifted = len(header) > 1 and header[-1] is None and header[0] is not None and header[:-1] == labels
    return [[None, *header[:-1]], *rows[1:]] if shifted else rows


def _counts(labels: Sequence[Cell]) -> bool:
    """Return whether the labels are 1, 2, ... or 0, 1, 2, ..."""
    numbers = [as_number(cell) for cell in labels]
    return numbers == list(range(1, len(numbers) + 1)) or (len(numbers) > 2 and numbers == list(range(len(numbers))))


def read_labelled(grid: Grid, scale: Scale) -> Drawing:
    """Read a matrix with the sources in the first column and the targets in the first row."""
    rows = _with_corner(grid.rows)
    drawing = Drawing()
    corner = label(rows[0][0]).strip()
    if corner.casefold() not in _PLAIN_CORNERS:
        drawing.details["corner"] = corner
    columns = _columns(grid, rows[0])
    sources = []
    for i, row in enumerate(rows[1:], start=1):
        if all(cell is None for cell in row):
            continue
        if row[0] is None:
            raise DataError(f"{grid.place(i, 0)}: the row has no name")
        name = label(row[0])
        drawing.add(name, grid.place(i, 0), {})
        sources.append((i, name))
    targets: dict[int, str] = {}
    for i, name in sources:
        j = _column_of(name, columns, grid.place(i, 0))
        if targets.setdefault(j, name) != name:
            raise DataError(f"{grid.place(i, 0)}: {name!r} and {targets[j]!r} have the same column; rename one of them")
    about = {j: _about(grid, rows, j) for j in columns.values() if j not in targets}
    for i, source in sources:
        _read_weights(drawing, grid, i, source, targets, scale)
        for j, key in about.items():
            with at(grid.place(i, j)):
                value = from_text(key, grid.rows[i][j])
            if value is not None:
                drawing.concepts[source][key] = value
    return drawing


def _columns(grid: Grid, header: Sequence[Cell]) -> dict[str, int]:
    """Return the column index of each name."""
    columns: dict[str, int] = {}
    for j, cell in enumerate(header[1:], start=1):
        if cell is None:
            if any(row[j] is not None for row in grid.rows):
                raise DataError(f"{grid.place(0, j)}: the column has no name")
        elif columns.setdefault(label(cell), j) != j:
            raise DataError(f"{grid.place(0, j)}: there is already a column named {label(cell)!r}; rename one of them")
    return columns


def _column_of(name: str, columns: dict[str, int], where: str) -> int:
    """Return the column of a concept, ignoring case and repeated blanks if there is no exact match."""
    if name in columns:
        return columns[name]
    alike = [j for column, j in columns.items() if _folded(column) == _folded(name)]
    if len(alike) != 1:
        hint = suggestion(name, list(columns))
        raise DataError(f"{where}: the row {name!r} has no column of the same name. {hint}".strip())
    return alike[0]


def _about(grid: Grid, rows: list[list[Cell]], j: int) -> str:
    """Return the detail that a column without a matching row contains; raise if it looks like a column of weights."""
    name = label(rows[0][j]).strip()
    key = ABOUT.get(name.casefold())
    if key is None:
        if not any(is_text(row[j]) or isinstance(row[j], bool) for row in rows[1:]):
            hint = suggestion(name, [label(row[0]) for row in rows[1:]])
            raise DataError(f"{grid.place(0, j)}: the column {name!r} has no row of the same name. {hint}".strip())
        key = name
    return key


def _read_weights(drawing: Drawing, grid: Grid, i: int, source: str, targets: dict[int, str], scale: Scale) -> None:
    """Add the edges of one row."""
    row = grid.rows[i]
    for j, target in targets.items():
        cell = row[j]
        if cell is None or cell == 0:
            continue
        try:
            weight = scale.weight(cell)
        except DataError as problem:
            raise DataError(f"{grid.place(i, j)}: {problem}") from None
        if weight:
            drawing.edges.append(Edge(source, target, weight, partial(grid.place, i, j)))


def read_bare(grid: Grid, scale: Scale) -> Drawing:
    """Read a matrix with names only in its first row, only in its first column, or without names."""
    for cells in (grid.whole or grid, grid):
        layout = _named_once(cells)
        if layout is not None:
            break
    else:
        raise DataError(_shape_problem(grid))
    names, top, left = layout
    drawing = Drawing()
    for k, name in enumerate(names):
        drawing.add(label(name).strip(), cells.place(k if left else 0, 0 if left else k), {})
    targets = {j + left: name for j, name in enumerate(drawing.concepts)}
    for i, source in enumerate(drawing.concepts):
        _read_weights(drawing, cells, i + top, source, targets, scale)
    return drawing


def _named_once(grid: Grid) -> tuple[Sequence[Cell], int, int] | None:
    """Return the names of the concepts, and the first row and column of the weights; None if they are not square."""
    rows, width = grid.rows, grid.width
    if _is_header(rows[0]):
        return (rows[0], 1, 0) if len(rows) == width + 1 > 2 else None
    if all(is_text(row[0]) for row in rows) and len(rows) == width - 1:
        return [row[0] for row in rows], 0, 1
    return ([f"C{i + 1}" for i in range(width)], 0, 0) if len(rows) == width else None


def _is_header(row: Sequence[Cell]) -> bool:
    return all(cell is not None for cell in row) and (all(is_text(cell) for cell in row) or _counts(row))


def _shape_problem(grid: Grid) -> str:
    """Explain why a table is not a map."""
    header = _is_header(grid.rows[0])
    labels = [row[0] for row in grid.rows[1:]]
    if header and labels and all(map(is_text, labels)):
        return (
            f"it is neither a matrix, whose rows and columns have the same names (the first row is named "
            f"{label(labels[0])!r}, the first column {label(grid.rows[0][-1 if grid.width == 1 else 1])!r}), nor an "
            "edge list, whose header names the columns from, to and weight"
        )
    return (
        f"a matrix has a row and a column for each concept, and this table has {len(grid.rows) - header} rows and "
        f"{grid.width} columns" + (" below its header" if header else "")
    )


def _folded(cell: Cell) -> str:
    """Normalize case and blanks of a name."""
    return " ".join(label(cell).casefold().split())
