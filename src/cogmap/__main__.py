"""The command ``cogmap``, also as ``python -m cogmap``."""

import os
import sys

from cogmap._utils.optional import import_or_raise
from cogmap.cli.stopping import leave_at_once
from cogmap.exceptions import MissingPackageError


def main() -> None:
    """Run the command, or say what it needs."""
    _open_closed()
    leave_at_once()
    try:
        cli = import_or_raise("cogmap.cli.group", "The command cogmap", "cli").cli
    except MissingPackageError as missing:
        sys.exit(f"cogmap: {missing}")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have characters that the terminal has not
    try:
        cli(prog_name="cogmap")
    except OSError as problem:
        # Python would write the rest at the very end, and fail again with a traceback: it goes to the null device.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        what = f"The file {problem.filename}" if problem.filename else "The output"
        sys.stderr.write(f"Error: {what} cannot be read or written: {problem.strerror or problem}.\n")
        sys.exit(2)


def _open_closed() -> None:
    """Open the null device for standard streams that are closed, as by ``2>&-``: else the next file would be one.

    Notes are lost then; reading gives nothing; and writing results fails, as the null device is opened for reading.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            found = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if found != number:
                os.dup2(found, number)
                os.close(found)
            setattr(sys, name, open(number, "r" if name == "stdin" else "w", closefd=False))  # noqa: SIM115


if __name__ == "__main__":
    main()
