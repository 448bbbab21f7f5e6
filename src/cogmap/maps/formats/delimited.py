"""Text of commas, semicolons, tabs or blanks between cells."""

import csv
import io
import re

from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import as_text
from cogmap.maps.formats.grid import Grid
from cogmap.maps.formats.tables import Drawings, read_table
from cogmap.maps.formats.text import MOST_PARTS, decoded
from cogmap.maps.formats.words import WORDS, Cell, Scale

_PAIRS = re.compile(r"\s*\{\s*\d+\s*:.*\}\s*", re.DOTALL)
_BRACKETED = re.compile(r"\s*[(\[{](.*)[)\]}]\s*[,;]?\s*")


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Return the map in a matrix or a list of edges; rows are sources, columns targets."""
    text = decoded(content)
    if are_pairs(text):
        raise DataError("it names concepts and has no edges; give it as `concepts` beside the file that has them")
    return read_table(read_grid(text), scale or WORDS)


def are_pairs(text: str) -> bool:
    """Whether a text is ``{1:"rain", 2:"sun"}``: names for the concepts of another file."""
    return _PAIRS.fullmatch(text) is not None


def read_grid(text: str) -> Grid:
    """Return the cells."""
    lines = re.split(r"\r\n|\r|\n", text)
    comments = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    if comments:
        lines = [""] * comments + lines[comments:]
        text = "\n".join(lines)
    # (1, 2, 0.5), as Python and Mathematica write triples
    bracketed = [_BRACKETED.fullmatch(line) for line in lines if line.strip()]
    if bracketed and all(bracketed):
        lines = [found[1] if (found := _BRACKETED.fullmatch(line)) else line for line in lines]
        text = "\n".join(lines)
    delimiter = _delimiter(text)
    if text.count(delimiter or " ") > MOST_PARTS:
        raise DataError(f"it has more than {MOST_PARTS:,} cells, too many for a map")
    if delimiter is None:
        rows, numbers = [list[Cell](line.split()) for line in lines], list(range(1, len(lines) + 1))
    else:
        rows, numbers = _parsed(text, delimiter)
    return Grid.of(rows, lambda i, j: f"line {numbers[i]}, column {j + 1}")


def _delimiter(text: str) -> str | None:
    """Return what separates cells: what is most frequent in the first line that has any, or None for blanks."""
    lines = [line for line in re.sub(r'"[^"]*"', "", text[:100_000]).splitlines() if line.strip()]
    first = next((line for line in lines if re.search(r"[\t;,|]", line.strip())), lines[0] if lines else "")
    counts = {sign: first.count(sign) for sign in "\t;,|"}
    best = max(counts, key=lambda sign: counts[sign])
    if counts[best]:
        return best
    # One column, a name of several words; or numbers with blanks between.
    return None if re.fullmatch(r"[-+\d.eE\s]*", first) else ","


def _parsed(text: str, delimiter: str) -> tuple[list[list[Cell]], list[int]]:
    rows, numbers, line = [], [], 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            rows.append(list[Cell](row))
            numbers.append(line)
            line = reader.line_num + 1
    except csv.Error as problem:
        raise DataError(f"line {line}: {problem}") from None
    return rows, numbers


def write(rows: list[list[Cell]], delimiter: str) -> bytes:
    """Return rows as text; all text is in quotation marks, so that no sign in it can be mistaken."""
    lines = (delimiter.join(_written(cell) for cell in row) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _written(cell: Cell) -> str:
    return '"' + cell.replace('"', '""') + '"' if isinstance(cell, str) else as_text(cell) or ""
