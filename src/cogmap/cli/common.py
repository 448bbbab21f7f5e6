"""What commands on tables share: how they end, what they tell on standard error, and their common arguments."""

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from cogmap.cli.errors import Problem, told_in_one_line
from cogmap.cli.stopping import Stopped, say, stoppable
from cogmap.exceptions import DataError
from cogmap.table.files import csv_line, whole_output
from cogmap.table.files.sources import STANDARD
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions
from cogmap.table.scanning import Scan

model_argument = click.argument("model", metavar="MODEL")
out_option = click.option("--out", metavar="FILE", default="-", help="Where to write; - is standard output.")
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
            warnings.simplefilter("ignore")  # what matters of them is told on cards and in notes
            yield
    except Stopped as stopped:
        say("Stopped.")
        raise SystemExit(stopped.exit_code) from None
    except MemoryError:
        raise Problem("There is not enough memory for this. Give fewer rows or columns.") from None


def tell(notes: Iterable[str]) -> None:
    """Tell on standard error what was strange."""
    for note in notes:
        click.echo(f"Note: {note}", err=True)


def check_place(file: str | None, *sources: str) -> None:
    """Complain before the work, not after it, about a file that cannot be written, or must not be replaced."""
    if file is None or file == STANDARD:
        return
    path = Path(file)
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"would be in {path.parent}, which is no folder"
        raise DataError(f"The file {file} cannot be written: it {what}.")
    for source in sources:
        if path.exists() and Path(source).exists() and path.samefile(source):
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
    model: TableModel, table: str, out: str, header: list[str] | None, lines: Callable[[Predictions], Iterable[str]]
) -> None:
    """Write lines about the rows of a table, part by part, below a header if there is one."""
    scan = Scan(model, table)
    with whole_output(out) as output, progress() as done:
        if header is not None:
            output.write(csv_line(header))
        for part in scan.parts():
            for line in lines(part.predictions):
                output.write(line)
            done("Rows", part.first + len(part.frame), 0)
    tell(scan.notes())
