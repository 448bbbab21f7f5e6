"""What commands on tables share: how they end, notes on standard error, and common arguments.

Commands import what they need when they run, so that ``--help`` does not wait for pandas and scikit-learn.
"""

import itertools
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import click

from cogmap._utils.files import STANDARD, output_path
from cogmap.cli.errors import Problem, told_in_one_line
from cogmap.cli.stopping import Stopped, say, stoppable
from cogmap.exceptions import DataError

TYPE_CHECKING = False  # type checkers take it for true, and `typing` need not be imported to say it
if TYPE_CHECKING:
    from cogmap.table.model import TableModel
    from cogmap.table.predictions import Predictions

model_argument = click.argument("model", metavar="MODEL")
out_option = click.option("--out", metavar="FILE", default="-", help="Where to write; - is standard output.")
formulas_option = click.option(
    "--keep-formulas",
    "formulas",
    is_flag=True,
    help="Write text that begins with = + - @ as it is, without an apostrophe in front that keeps spreadsheets from "
    "computing it.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")

_SECONDS_BETWEEN = 0.2  # one line of progress and the next


def on_table(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments MODEL and TABLE."""
    return model_argument(click.argument("table", metavar="TABLE")(function))


def example(*lines: str) -> str:
    """Return the end of a help text: an example, whose lines are left as they are."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


@contextmanager
def command() -> Iterator[None]:
    """Run a command: errors of users are one line, a signal ends it with its own code and nothing half-written."""
    try:
        with told_in_one_line(), stoppable(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cards and notes tell what matters of them
            yield
    except Stopped as stopped:
        say("Stopped.")
        raise SystemExit(stopped.exit_code) from None
    except MemoryError:
        raise Problem("There is not enough memory for this. Give fewer rows or columns.") from None


def tell(notes: Iterable[str]) -> None:
    """Print notes on standard error."""
    for note in notes:
        click.echo(f"Note: {note}", err=True)


def check_place(file: str | None, *sources: str) -> None:
    """Refuse, before the work and not after it, a file that cannot be written or must not be replaced."""
    from pathlib import Path

    if file is None or file == STANDARD:
        return
    path = Path(file)
    try:
        output_path(path)
    except (OSError, ValueError) as problem:  # ValueError: a character that no path has
        cure = f" {STANDARD} is standard output." if path.exists() and not path.is_dir() else ""
        raise DataError(f"The file {file} cannot be written: {getattr(problem, 'strerror', problem)}.{cure}") from None
    for source in sources:
        if path.exists() and os.path.exists(source) and path.samefile(source):
            raise DataError(f"The file {file} is what is read, and would be replaced. Choose another name.")


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that tells what was done, of how much (0 if that is not known), on a line of the terminal.

    Where standard error is no terminal, nothing is told.
    """
    is_terminal, last, widest = sys.stderr.isatty(), 0.0, 0

    def done(what: str, part: int, whole: int) -> None:
        nonlocal last, widest
        if is_terminal and (time.monotonic() - last > _SECONDS_BETWEEN or part == whole):
            text = f"{what}: {part:,} of {whole:,}" if whole else f"{what}: {part:,}"
            widest = max(widest, len(text))
            click.echo(f"\r{text.ljust(widest)}", nl=False, err=True)
            last = time.monotonic()

    try:
        yield done
    finally:
        if widest:
            click.echo(f"\r{' ' * widest}\r", nl=False, err=True)


def write_rows(
    model: "TableModel",
    table: str,
    out: str,
    header: list[str] | None,
    lines: Callable[["Predictions"], Iterable[str]],
    formulas: bool,
) -> None:
    """Write lines about the rows of a table, part by part, below a header if there is one.

    Nothing is written before the first rows could be used.
    """
    from cogmap.table.files import csv_line, whole_output
    from cogmap.table.scanning import Scan

    scan = Scan(model, table)
    with progress() as done:

        def texts() -> Iterator[str]:
            for part in scan.parts():
                yield "".join(lines(part.predictions))
                done("Rows", part.first + len(part.frame), 0)

        written = filter(None, texts())
        first = next(written, "")
        with whole_output(out) as output:
            if header is not None:
                output.write(csv_line(header, formulas))
            for text in itertools.chain([first], written):
                output.write(text)
    tell(scan.notes())
