"""A table of cells that knows where in the file each of them is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cogmap.formats.words import Cell, as_number


@dataclass(frozen=True)
class Grid:
    """Cells, all rows of the same length; empty cells and cells of blanks are None.

    Parameters
    ----------
    rows : list of list
        The cells.
    place : callable
        Says where the cell in a row and a column is.
    """

    rows: list[list[Cell]]
    place: Callable[[int, int], str]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Cell]], place: Callable[[int, int], str]) -> "Grid":
        """Make a grid from cells as they come, without empty rows and columns around them and lines without cells."""
        cells = [[_cleaned(cell) for cell in row] for row in rows]
        full = [i for i, row in enumerate(cells) if any(cell is not None for cell in row)]
        kept = [i for i in range(full[0], full[-1] + 1) if len(cells[i]) > 1 or i in full] if full else []
        columns = [j for i in full for j, cell in enumerate(cells[i]) if cell is not None]
        first, end = min(columns, default=0), max(columns, default=-1) + 1
        found = [(cells[i] + [None] * (end - len(cells[i])))[first:end] for i in kept]
        return cls(found, lambda i, j: place(kept[i], j + first))

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0]) if self.rows else 0


def _cleaned(cell: Cell) -> Cell:
    return None if isinstance(cell, str) and not cell.strip() else cell


def is_text(cell: Cell) -> bool:
    """Whether a cell holds words, and neither a number nor nothing."""
    return isinstance(cell, str) and as_number(cell) is None
