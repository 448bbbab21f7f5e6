"""Where results are written: a file, there whole or not at all, or standard output as "-"."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cogmap._utils.files import whole_file
from cogmap.exceptions import DataError
from cogmap.table.files.sources import STANDARD


@contextmanager
def whole_output(path: str) -> Iterator[IO[str]]:
    """Open an output; a file gets its name when all is written, and what was there before stays until then."""
    if path == STANDARD:
        yield sys.stdout
        sys.stdout.flush()
        return
    target = Path(path)
    if target.is_dir() or not target.parent.is_dir():
        missing = f"{path} is a folder" if target.is_dir() else f"there is no folder {target.parent}"
        raise DataError(f"The file {path} cannot be written: {missing}.")
    try:
        # A device or a pipe must not be replaced by a file.
        opened = Path.open if target.exists() and not target.is_file() else whole_file
        with opened(target, "w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as problem:
        raise DataError(f"The file {path} cannot be written: {problem.strerror or problem}.") from None


def csv_line(cells: Iterable[object]) -> str:
    """Return a line of CSV; what would be taken for more than one value is put in quotation marks."""
    return ",".join(map(csv_cell, cells)) + "\n"


def csv_cell(cell: object) -> str:
    """Return a value as CSV has it, nothing if it is missing."""
    text = "" if cell is None else str(cell)
    if any(sign in text for sign in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text
