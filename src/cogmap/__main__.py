"""The command ``cogmap``, also as ``python -m cogmap``."""

import os
import sys

from cogmap._utils.optional import import_or_raise
from cogmap.cli.stopping import leave_at_once
from cogmap.exceptions import MissingPackageError


def main() -> None:
    """Run the command, or say what it needs."""
    leave_at_once()
    try:
        cli = import_or_raise("cogmap.cli.group", "The command cogmap", "cli").cli
    except MissingPackageError as missing:
        sys.exit(f"cogmap: {missing}")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may have signs that the terminal has not
    try:
        cli(prog_name="cogmap")
    except OSError as problem:
        # What is left to be written would fail again at the very end, with a traceback: it goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        what = f"The file {problem.filename}" if problem.filename else "The output"
        sys.stderr.write(f"Error: {what} cannot be read or written: {problem.strerror or problem}.\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
