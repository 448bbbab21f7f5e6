"""Where a table is read from: a file, a pipe, or standard input as "-"."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cogmap._utils.files import STANDARD
from cogmap.exceptions import DataError


def name_of(path: str) -> str:
    """Return the name of a source in messages."""
    return "standard input" if path == STANDARD else path


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a source for reading; DataError if that fails, or if a file was changed while it was read."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder, not a table.")
    try:
        file = open(path, "rb")  # noqa: SIM115
    except (OSError, ValueError) as problem:  # ValueError: a character that no path has
        raise DataError(f"The table {path} cannot be read: {getattr(problem, 'strerror', problem)}.") from None
    with file:
        before = _signature(file.fileno())
        yield file
        try:
            same = before is None or _signature(file.fileno()) == before == _signature(path)
        except OSError:  # it is gone
            same = False
        if not same:
            raise DataError(f"{path} was changed while it was read. Try again when no one writes to it.")


def _signature(file: int | str) -> tuple[int, int, int] | None:
    """Return what changes when a file is written to; None for a pipe, whose times change as it is read."""
    found = os.stat(file)
    return (found.st_ino, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
