"""Output of results: to a file, replaced atomically, or to standard output ("-")."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cogmap._utils.files import STANDARD, whole_file
from cogmap._utils.text import harmless
from cogmap.exceptions import DataError


@contextmanager
def whole_output(path: str) -> Iterator[IO[str]]:
    """Open an output for writing; an existing file is replaced only after everything is written."""
    if path == STANDARD:
        yield sys.stdout
        sys.stdout.flush()
        return
    try:
        with whole_file(Path(path), "w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as problem:
        raise DataError(f"The file {path} cannot be written: {problem.strerror or problem}.") from None


def csv_line(cells: Iterable[object], formulas: bool = False) -> str:
    """Format a line of CSV; see `csv_cell` for `formulas`."""
    return ",".join(csv_cell(cell, formulas) for cell in cells) + "\n"


def csv_cell(cell: object, formulas: bool = False) -> str:
    """Format a cell of CSV; None is an empty cell.

    A string that a spreadsheet would evaluate as a formula is prefixed with an apostrophe, unless `formulas` is true.
    """
    text = "" if cell is None else str(cell)
    if isinstance(cell, str) and not formulas:
        text = harmless(text)
    if any(sign in text for sign in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text
