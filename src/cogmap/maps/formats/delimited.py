"""Delimited text files: cells separated by commas, semicolons, tabs, bars or blanks."""

import csv
import io
import re

from cogmap._utils.text import decoded, find_delimiter, harmless, unescaped
from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import as_text
from cogmap.maps.formats.grid import Grid
from cogmap.maps.formats.limits import check_size
from cogmap.maps.formats.tables import Drawings, read_table
from cogmap.maps.formats.words import WORDS, Cell, Scale

_PAIRS = re.compile(r"\s*\{\s*\d+\s*:.*\}\s*", re.DOTALL)
_BRACKETED = re.compile(r"\s*[(\[{](.*)[)\]}]\s*[,;]?\s*")


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Read a weight matrix (rows are sources, columns targets) or an edge list."""
    text = decoded(content)
    if are_pairs(text):
        raise DataError("it names concepts and has no edges; pass it as `concepts` along with the file of the edges")
    return read_table(read_grid(text), scale or WORDS)


def are_pairs(text: str) -> bool:
    """Return whether a string has the form ``{1:"rain", 2:"sun"}``, which names the concepts of another file."""
    return _PAIRS.fullmatch(text) is not None


def read_grid(text: str) -> Grid:
    """Split a string into cells; leading lines that start with # are comments."""
    lines = re.split(r"\r\n|\r|\n", text)
    comments = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    if comments:
        lines = [""] * comments + lines[comments:]
        text = "\n".join(lines)
    # (1, 2, 0.5), as Python and Mathematica write triples
    bracketed = [_BRACKETED.fullmatch(line) for line in lines if line.strip()]
    if bracketed and all(bracketed):
        lines = [match[1] if (match := _BRACKETED.fullmatch(line)) else line for line in lines]
        text = "\n".join(lines)
    delimiter = _delimiter(text)
    check_size(text.count(delimiter or " "), "cells")
    if delimiter is None:
        rows, numbers = [list[Cell](line.split()) for line in lines], list(range(1, len(lines) + 1))
    else:
        rows, numbers = _parsed(text, delimiter)
    return Grid.of(rows, lambda i, j: f"line {numbers[i]}, column {j + 1}")


def _delimiter(text: str) -> str | None:
    """Detect the delimiter, ignoring title lines above the first line that has one; None means blanks."""
    first = re.search(r"^.*[\t;,|]", text, re.MULTILINE)
    if first:
        return find_delimiter(text[first.start() :])
    # Either numbers separated by blanks, or a single column of names, which may contain blanks.
    line = next((line for line in text.splitlines() if line.strip()), "")
    return None if re.fullmatch(r"[-+\d.eE\s]*", line) else ","


def _parsed(text: str, delimiter: str) -> tuple[list[list[Cell]], list[int]]:
    rows, numbers, line = [], [], 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            rows.append(list[Cell](map(unescaped, row)))
            numbers.append(line)
            line = reader.line_num + 1
    except csv.Error as problem:
        raise DataError(f"line {line}: {problem}") from None
    return rows, numbers


def write(rows: list[list[Cell]], delimiter: str, formulas: bool) -> bytes:
    """Convert rows to delimited text, with all strings quoted, so that they may contain any character.

    A string that a spreadsheet would evaluate as a formula is prefixed with an apostrophe, which `read` removes, unless
    `formulas` is true.
    """
    lines = (delimiter.join(_written(cell, formulas) for cell in row) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _written(cell: Cell, formulas: bool) -> str:
    if not isinstance(cell, str):
        return as_text(cell) or ""
    text = cell if formulas else harmless(cell)
    return '"' + text.replace('"', '""') + '"'
