"""A rectangular table of cells with their positions in the file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cogmap.maps.formats.limits import check_size
from cogmap.maps.formats.words import Cell, as_number


@dataclass(frozen=True)
class Grid:
    """A rectangular table of cells; empty and blank cells are None.

    Parameters
    ----------
    rows : list of list
        The cells, in rows of equal length.
    place : callable
        Function of row and column index that describes the position of the cell, for error messages.
    whole : Grid
        The same grid with the empty rows and columns around it: in a matrix without names they may be those of a
        concept.
    """

    rows: list[list[Cell]]
    place: Callable[[int, int], str]
    whole: "Grid | None" = None

    @classmethod
    def of(cls, rows: Sequence[Sequence[Cell]], place: Callable[[int, int], str]) -> "Grid":
        """Build a grid from rows of any length, without the empty rows and columns around them."""
        cells = [[None if isinstance(cell, str) and not cell.strip() else cell for cell in row] for row in rows]
        full = {i for i, row in enumerate(cells) if any(cell is not None for cell in row)}
        kept = [i for i, row in enumerate(cells) if len(row) > 1 or i in full]  # drop lines without cells
        width = max((len(cells[i]) for i in kept), default=0)
        check_size(len(kept) * width, "cells, including empty ones")
        whole = [cells[i] + [None] * (width - len(cells[i])) for i in kept]
        inner = [k for k, i in enumerate(kept) if min(full, default=0) <= i <= max(full, default=-1)]
        columns = [j for row in whole for j, cell in enumerate(row) if cell is not None]
        first, end = min(columns, default=0), max(columns, default=-1) + 1
        return cls(
            [whole[k][first:end] for k in inner],
            lambda i, j: place(kept[inner[i]], j + first),
            cls(whole, lambda i, j: place(kept[i], j)),
        )

    def below(self, n_rows: int) -> "Grid":
        """Return the grid without its first `n_rows` rows."""
        return Grid.of(self.rows[n_rows:], lambda i, j: self.place(i + n_rows, j))

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0]) if self.rows else 0


def is_text(cell: Cell) -> bool:
    """Return whether a cell is a string that is not a number."""
    return isinstance(cell, str) and as_number(cell) is None
