"""Shared by commands on tables: error handling, notes on standard error, progress, and common arguments.

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

TYPE_CHECKING = False  # type checkers assume true; this avoids an import of `typing`
if TYPE_CHECKING:
    from typing import Any

    from cogmap.persistence.files import Saved
    from cogmap.table.model import TableModel
    from cogmap.table.predictions import Predictions

model_argument = click.argument("model", metavar="MODEL")
out_option = click.option("--out", metavar="FILE", default="-", help="Output file; - is standard output.")
formulas_option = click.option(
    "--keep-formulas",
    "formulas",
    is_flag=True,
    help="Write strings that begin with = + - @ unchanged, without the leading apostrophe that keeps spreadsheets from "
    "evaluating them.",
)
page_rows_option = click.option(
    "--page-rows",
    "max_rows",
    type=click.IntRange(0),
    metavar="N",
    help="Rows of TABLE that the page contains, at most 500; 0 for none. Anyone with the page has them.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")

_SECONDS_BETWEEN = 0.2  # minimum interval between updates of the progress line
_BAR = 20  # characters of the progress bar
_LONG = 2.0  # seconds that are left, from which they are shown


def on_table(function: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments MODEL and TABLE to a command."""
    return model_argument(click.argument("table", metavar="TABLE")(function))


def example(*lines: str) -> str:
    """Format an example as the epilog of a help text, without wrapping its lines."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


@contextmanager
def command() -> Iterator[None]:
    """Run the body of a command: report errors in one line, and exit cleanly with the code of a signal."""
    try:
        with told_in_one_line(), stoppable(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cards and notes report what matters
            yield
    except Stopped as stopped:
        say("Stopped.")
        raise SystemExit(stopped.exit_code) from None
    except MemoryError:
        raise Problem("There is not enough memory. Use fewer rows or columns.") from None


def open_model(path: str) -> "TableModel | Saved":
    """Return the model of a file; a forecaster as it was saved, with its card."""
    from cogmap.table.model import TableModel

    try:
        return TableModel.load(path)
    except DataError:
        from cogmap.persistence.files import load_saved

        saved = load_saved(path) if os.path.exists(path) else None
        if saved is None or not hasattr(saved.model, "forecast"):
            raise
        return saved


def reliability(model: "TableModel") -> list[str]:
    """Return a note if the model is not better than guessing, which beside an explanation is easily forgotten."""
    from cogmap.table.sentences import warning

    said = warning(model.card)
    return [said] if said else []


def tell(notes: Iterable[str]) -> None:
    """Print notes on standard error."""
    for note in notes:
        click.echo(f"Note: {note}", err=True)


def check_place(file: str | None, *sources: str) -> None:
    """Raise DataError if an output file cannot be written or would replace an input, before any work is done."""
    from pathlib import Path

    if file is None or file == STANDARD:
        return
    path = Path(file)
    try:
        output_path(path)
    except (OSError, ValueError) as problem:  # ValueError: a path with a NUL character
        cure = f" {STANDARD} is standard output." if path.exists() and not path.is_dir() else ""
        raise DataError(f"The file {file} cannot be written: {getattr(problem, 'strerror', problem)}.{cure}") from None
    for source in sources:
        if path.exists() and os.path.exists(source) and path.samefile(source):
            raise DataError(f"The file {file} is an input and would be replaced. Choose another name.")


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows progress on one line of the terminal.

    Its arguments are a description, the number of finished steps and the total number of steps, 0 if unknown. Nothing
    is shown if standard error is not a terminal.
    """
    is_terminal, last, widest, began = sys.stderr.isatty(), 0.0, 0, time.monotonic()

    def done(description: str, n_done: int, n_steps: int) -> None:
        nonlocal last, widest
        if is_terminal and (time.monotonic() - last > _SECONDS_BETWEEN or n_done == n_steps):
            text = f"{description}: {n_done:,}"
            if n_steps:
                bar = "#" * (_BAR * n_done // n_steps)
                text = f"{description} [{bar.ljust(_BAR, '.')}] {n_done:,} of {n_steps:,}"
            if 0 < n_done < n_steps and (left := (time.monotonic() - began) * (n_steps - n_done) / n_done) > _LONG:
                text += f", about {left:,.0f} s left"
            widest = max(widest, len(text))
            click.echo(f"\r{text.ljust(widest)}", nl=False, err=True)
            last = time.monotonic()

    try:
        yield done
    finally:
        if widest:
            click.echo(f"\r{' ' * widest}\r", nl=False, err=True)


def csv_cells(text: str) -> list[str]:
    """Split the value of an option at commas; a name with a comma can be quoted."""
    import csv

    return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), []) if cell.strip()]


def page_contents(model: "TableModel", rows: "Any", max_rows: int | None) -> str:
    """Return a sentence about the rows that a page contains."""
    from cogmap.page.sample import rows_shown

    n_rows = 0 if rows is None else rows_shown(len(rows), len(model.columns), max_rows)
    if not n_rows:
        return "It contains no rows of the table, only names, means and ranges of its columns."
    which = f"all {n_rows:,} rows" if n_rows == len(rows) else f"{n_rows:,} of the {len(rows):,} rows"
    return f"It contains {which} of the table. Anyone with the file has them; --page-rows 0 leaves them out."


def rows_of_page(model: "TableModel", frame: "Any") -> "tuple[Any, Any]":
    """Return the rows of a page and their true targets, or None if there are none that the model knows.

    Rows without a known target are kept, so that rows have the same numbers on the page as in the table.
    """
    import numpy as np

    name = model.target.name
    if name not in frame.columns:
        return frame, None
    y, rows = model.target.read(frame[name]), frame.drop(columns=[name])
    if model.classes is not None:
        link: Any = model.model.link
        labels = dict(zip(model.classes, link.classes.tolist(), strict=True))
        y = np.array([labels.get(label) for label in y], dtype=object)
        if "target" in model.card:  # the page reads them as the fit did: codes with names would be renamed twice
            cells = zip(y, frame[name], strict=True)
            y = np.array([None if label is None else cell for label, cell in cells], dtype=object)
    return rows, y if any(value is not None and value == value for value in y) else None


def write_rows(
    model: "TableModel",
    table: str,
    out: str,
    header: list[str] | None,
    lines: Callable[["Predictions"], Iterable[str]],
    formulas: bool,
) -> None:
    """Predict a table chunk by chunk, and write the lines made from the predictions below an optional header.

    The output is opened after the first chunk was read without an error.
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
