"""Reading files of bounded size, and writing files atomically: a reader sees the old file or the new one, never a part.

Every file that cogmap writes goes through `whole_file`.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path  # the help of a command does not need it, and it takes some milliseconds

STANDARD = "-"  # standard input or output, where a path is expected


def read_limited(path: "Path", limit: int) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Anything else raises an OSError before a byte is read: a pipe could block for ever, and a huge file would fill the
    memory before anyone could see that it is of another kind.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a regular file")
    if found.st_size > limit:
        raise OSError(f"it has {found.st_size:,} bytes, and no such file has more than {limit:,}")
    with path.open("rb") as file:
        return file.read(limit)


def open_unfollowed(path: "Path", flags: int) -> int:
    """Open one of our own files for writing; refuse a symbolic link that someone has put in its place."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)


def output_path(path: "Path") -> "Path":
    """Return the regular file that writing to `path` would create or replace, with symbolic links followed.

    Raises an OSError for a folder, a missing folder, a device and a pipe. The links in /dev and /proc lead to open
    files of a process, such as its standard output, and are refused too: the file behind one must not be replaced.
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
    """Open a file that replaces `path` when all is written: it is there whole or not at all, even after a power cut.

    Each writer has a temporary file of its own, so that of several writers the last one to finish wins.
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
        # Names of files may have bytes that are not text; these are escaped.
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def sync_folder(folder: "Path") -> None:
    """Bring new names in a folder to the disk, on systems that support it."""
    if os.name == "posix":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
