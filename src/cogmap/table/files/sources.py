"""Sources of tables: a file, a pipe, or standard input ("-")."""

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
    """Return the name of a source for messages."""
    return "standard input" if path == STANDARD else path


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a source for reading; raise DataError if that fails, or if the file changes while it is read."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder, not a table.")
    try:
        file = open(path, "rb")  # noqa: SIM115
    except (OSError, ValueError) as problem:  # ValueError: a path with a NUL character
        raise DataError(f"The table {path} cannot be read: {getattr(problem, 'strerror', problem)}.") from None
    with file:
        before = _signature(file.fileno())
        yield file
        try:
            same = before is None or _signature(file.fileno()) == before == _signature(path)
        except OSError:  # the file was deleted
            same = False
        if not same:
            raise DataError(f"{path} was changed while it was read. Try again when nothing writes to it.")


def _signature(file: int | str) -> tuple[int, int, int] | None:
    """Return inode, size and modification time of a file; None for a pipe, whose times change as it is read."""
    status = os.stat(file)
    return (status.st_ino, status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None
