"""Where a table is read from: a file, or standard input as "-"; a file that changes meanwhile is told."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cogmap.exceptions import DataError

STANDARD = "-"


def name_of(path: str) -> str:
    """Return how a source is called in messages."""
    return "standard input" if path == STANDARD else path


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a source for reading; DataError if there is none, or if it was another file at the end than at the start."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder, not a table.")
    try:
        file = open(path, "rb")  # noqa: SIM115
    except OSError as problem:
        raise DataError(f"The table {path} cannot be read: {problem.strerror}.") from None
    with file:
        before = _signature(file.fileno())
        yield file
        try:
            same = _signature(file.fileno()) == before == _signature(path)
        except OSError:  # it is gone
            same = False
        if not same:
            raise DataError(f"{path} was changed while it was read. Try again when no one writes to it.")


def _signature(file: int | str) -> tuple[int, int, int]:
    found = os.stat(file)
    return found.st_ino, found.st_size, found.st_mtime_ns
