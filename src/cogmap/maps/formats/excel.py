"""Excel workbooks: each sheet is a weight matrix or an edge list, for example one sheet per expert."""

import io
from functools import partial
from typing import Any

from cogmap._utils.guards import check_workbook
from cogmap._utils.optional import import_or_raise
from cogmap._utils.text import CONTROLS, OLD_EXCEL, quoted
from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import as_text
from cogmap.maps.formats.grid import Grid
from cogmap.maps.formats.limits import MOST_PARTS
from cogmap.maps.formats.tables import Drawings, read_table
from cogmap.maps.formats.words import WORDS, Cell, Scale

_MOST_BYTES = 256_000_000  # uncompressed


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Read the map of each nonempty sheet, keyed by sheet name; rows of a matrix are sources, columns targets."""
    if content.startswith(b"\xd0\xcf"):
        raise DataError(f"it is {OLD_EXCEL}")
    check_workbook(content, _MOST_BYTES, MOST_PARTS)
    openpyxl = import_or_raise("openpyxl", "Reading Excel files", "excel")
    values, formulas = (_sheets(openpyxl, content, data_only=data_only) for data_only in (True, False))
    drawings: Drawings = {}
    for name, rows in values.items():
        _check_computed(name, rows, formulas[name])
        grid = Grid.of(rows, partial(_place, name))
        if grid.rows:
            drawings |= read_table(grid, scale or WORDS, name)
    if not drawings:
        raise DataError("all its sheets are empty")
    return drawings


def _sheets(openpyxl: Any, content: bytes, data_only: bool) -> dict[str, list[list[Cell]]]:
    """Return the cells of all sheets: the values last computed (`data_only`), or the formulas."""
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=data_only, keep_links=False)
        return {sheet.title: _cells(sheet) for sheet in book.worksheets}
    except DataError:
        raise
    except Exception as problem:  # openpyxl raises arbitrary exceptions for invalid files
        raise DataError(f"it is damaged, or not an .xlsx file: {type(problem).__name__}: {problem}") from None


def _cells(sheet: Any) -> list[list[Cell]]:
    sheet.reset_dimensions()  # some tools store wrong dimensions, of a single cell
    rows: list[list[Cell]] = []
    count = 0
    for row in sheet.iter_rows(values_only=True):
        count += len(row) + 1
        if count > MOST_PARTS:
            raise DataError(f"sheet {sheet.title!r} has more than {MOST_PARTS:,} cells, too many for a map")
        rows.append([cell if isinstance(cell, str | int | float | None) else str(cell) for cell in row])
    return rows


def _check_computed(name: str, values: list[list[Cell]], formulas: list[list[Cell]]) -> None:
    """Raise if the value of a formula is not in the file, because it would be read as an empty cell."""
    for i, (row, written) in enumerate(zip(values, formulas, strict=True)):
        for j, formula in enumerate(written):
            if isinstance(formula, str) and formula.startswith("=") and (j >= len(row) or row[j] is None):
                raise DataError(
                    f"{_place(name, i, j)}: the value of the formula {quoted(formula)} is not in the file; open the "
                    "file in a spreadsheet program, which computes it, and save it"
                )


def _place(name: str, i: int, j: int) -> str:
    utils = import_or_raise("openpyxl.utils", "Reading Excel files", "excel")
    return f"sheet {name!r}, cell {utils.get_column_letter(j + 1)}{i + 1}"


def write(rows: list[list[Cell]]) -> bytes:
    """Convert rows to a workbook with one sheet."""
    openpyxl = import_or_raise("openpyxl", "Writing Excel files", "excel")
    for row in rows:
        for cell in row:
            if isinstance(cell, str) and CONTROLS.search(cell):
                raise DataError(f"Excel files cannot contain the control characters in {quoted(cell)}")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("map")
    for row in rows:
        sheet.append([_cell(openpyxl, sheet, cell) for cell in row])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _cell(openpyxl: Any, sheet: Any, value: Cell) -> Any:
    """Create a cell: strings are never formulas, and numbers keep all their digits, of which openpyxl writes 16."""
    if value is None or isinstance(value, bool):
        return value
    cell = openpyxl.cell.WriteOnlyCell(sheet, value if isinstance(value, str) else as_text(value))
    cell.data_type = "s" if isinstance(value, str) else "n"
    return cell
