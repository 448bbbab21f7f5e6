"""Files read with a look at their size first, and written whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


def read_limited(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Anything else raises an OSError before a byte is read: a pipe would wait for ever, and what is far too large would
    fill the memory before a checksum could tell that it is something else.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a regular file")
    if found.st_size > limit:
        raise OSError(f"it has {found.st_size:,} bytes, and no such file has more than {limit:,}")
    with path.open("rb") as file:
        return file.read(limit)


def open_unfollowed(path: Path, flags: int) -> int:
    """Open a file of our own for writing; a link that someone has put in its place is refused, not followed."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)


@contextmanager
def whole_file(path: Path, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file that gets its name when all is written: it is there whole or not at all, even after a power cut."""
    temporary = path.with_name(f".{path.name}.part")
    # What a kill has left there is taken away, not emptied: a link by this name may lead to a file of the user's.
    temporary.unlink(missing_ok=True)
    try:
        with os.fdopen(open_unfollowed(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there either whole or not at all."""
    if path.exists() and not path.is_file():  # a device or a pipe is no place for a file
        raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
    with whole_file(path) as file:
        # Names of files may have bytes that are no text; they are spelled out.
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def sync_folder(folder: Path) -> None:
    """Bring new names in a folder to the disk, where a system knows how to."""
    if os.name == "posix":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
