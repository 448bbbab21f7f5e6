"""Read files of limited size, and write files atomically.

Readers see the old or the new file, never an incomplete one. cogmap writes all files through `whole_file`.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path  # importing it takes some milliseconds, and `cogmap --help` does not need it

STANDARD = "-"  # used as a path, means standard input or output


def read_limited(path: "Path", limit: int) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Anything else raises an OSError before reading: a pipe could block forever, and a huge file could exhaust memory.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    if status.st_size > limit:
        raise OSError(f"it has {status.st_size:,} bytes, more than the limit of {limit:,}")
    with path.open("rb") as file:
        return file.read(limit)


def open_unfollowed(path: "Path", flags: int) -> int:
    """Open a file for writing without following symbolic links, which another user may have put in its place."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)


def output_path(path: "Path") -> "Path":
    """Resolve symbolic links and return the regular file that writing to `path` would create or replace.

    Raises an OSError for a folder, a missing folder, a device or a pipe. Links in /dev and /proc refer to open files of
    a process, such as its standard output, which must not be replaced; they raise an OSError as well.
    """
    folder = os.path.realpath(path.parent)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}", os.fspath(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:  # a new file, or a link to one
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", os.fspath(path))
    if not stat.S_ISREG(mode) or folder == "/dev" or f"{folder}/".startswith("/proc/"):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a regular file", os.fspath(path))
    return type(path)(os.path.realpath(path))


@contextmanager
def whole_file(path: "Path", mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces `path` atomically when the block ends, safe even against a power failure.

    Each writer uses its own temporary file; with several writers, the last one to finish wins.
    """
    target = output_path(path)
    temporary = target.with_name(f".{os.urandom(8).hex()}.part")
    try:
        with os.fdopen(open_unfollowed(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


def write_whole(path: "Path", content: str | bytes) -> None:
    """Write a file atomically."""
    with whole_file(path) as file:
        # File names may contain bytes that are not valid text (surrogates); they are escaped.
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def sync_folder(folder: "Path") -> None:
    """Flush the entries of a folder to disk, on systems that support it."""
    if os.name == "posix":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
