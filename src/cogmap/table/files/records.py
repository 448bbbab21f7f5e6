"""Delimited text cut into blocks of whole records, in bounded memory, with its encoding and delimiter found out."""

import codecs
import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from cogmap._utils.params import shown
from cogmap.exceptions import DataError
from cogmap.table.preparation.numbers import NumberStyle
from cogmap.table.preparation.texts import refuse_repeated, repeated

BLOCK = 2**23  # bytes that are read at once
LONGEST = 2**26  # bytes of a record: in a longer one a quotation mark has been forgotten

_DELIMITERS = ",;\t|"
_LOOKED_AT = 2**16  # bytes by which the delimiter is found
_FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or another zip file. Give a workbook the ending .xlsx",
    b"PAR1": "a Parquet file. Give it the ending .parquet",
    b"\x1f\x8b": "a gzip file. Unpack it first",
    b"%PDF": "a PDF file, not a table",
}


@dataclass(frozen=True)
class Block:
    """Some records of a file as bytes, with the number of the line that they begin in."""

    content: bytes
    encoding: str
    line: int


@dataclass
class Delimited:
    """A file of delimited text: its header, and blocks of the records below it."""

    name: str
    delimiter: str
    header: list[str]
    blocks: Iterator[Block]
    notes: list[str]


def open_delimited(file: BinaryIO, name: str, delimiter: str | None = None, has_header: bool = True) -> Delimited:
    """Read the header of a file, and prepare to read the records below it."""
    notes: list[str] = []
    blocks = _blocks(_recoded(file, name), name, notes)
    first = next(blocks, None)
    if first is None or not first.content.strip():
        raise DataError(f"{name} is empty.")
    text = decoded(first)
    delimiter = delimiter or found_delimiter(text[:_LOOKED_AT])
    header, n_lines, end = _header(text, delimiter)
    if not has_header:
        n_lines = end = 0
    below = Block(text[end:].encode(), "utf-8", first.line + n_lines)
    names = names_in(header, name) if has_header else numbered(len(header))
    return Delimited(name, delimiter, names, itertools.chain([below], blocks), notes)


def decoded(block: Block) -> str:
    """Return a block as text; a few bytes mean nothing in Windows-1252."""
    return block.content.decode(block.encoding, "replace" if block.encoding == "cp1252" else "strict")


def found_delimiter(text: str) -> str:
    """Return what separates values: that which cuts most records into as many parts as the first, more than one."""
    records = text if len(text) < _LOOKED_AT else text[: text.rfind("\n") + 1] or text
    best, most = ",", (0.0, 1)
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(records), delimiter=delimiter) if row]
        except csv.Error:
            continue
        agreement = widths.count(widths[0]) / len(widths)
        if widths[0] > 1 and (agreement, widths[0]) > most:
            best, most = delimiter, (agreement, widths[0])
    return best


def records_of(block: Block, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Return each record of a block with the number of the line that it begins in; slow, for what pandas refuses."""
    reader = csv.reader(io.StringIO(decoded(block), newline=""), delimiter=delimiter)
    line, records = block.line, []
    with _long_values():
        for row in reader:
            if row:
                records.append((line, row))
            line = block.line + reader.line_num
    yield from records


@contextmanager
def _long_values() -> Iterator[None]:
    """Let values be long; the limit is one for the whole process, and others count on theirs."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _header(text: str, delimiter: str) -> tuple[list[str], int, int]:
    """Return the first record that is not empty, and how many lines and signs it takes with the empty ones above."""
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        for line in io.StringIO(text, newline=""):
            taken += len(line)
            yield line

    reader = csv.reader(lines(), delimiter=delimiter)
    with _long_values():
        header = next(row for row in reader if row)
    return header, reader.line_num, taken


def numbered(n_columns: int) -> list[str]:
    """Return names for the columns of a table without a header."""
    return [f"column {place}" for place in range(1, n_columns + 1)]


def names_in(header: Sequence[str], name: str) -> list[str]:
    """Return the names of the columns; DataError if two are the same."""
    names = [cell.strip() or f"Unnamed: {place}" for place, cell in enumerate(header)]
    if looks_like_data(names) and repeated(names):
        raise DataError(
            f"The first line of {name} looks like data, not like names of columns: {shown(names)[1:-1]}. Add a line of "
            "names, or read the table without a header."
        )
    refuse_repeated(names, name)
    return names


def looks_like_data(names: Sequence[str]) -> bool:
    """Whether a header is probably a row: it has numbers that do not count up, as years and places do."""
    numbers = [number for name in names if (number := NumberStyle().parse(name)) is not None]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return any(number % 1 for number in numbers) or (2 * len(numbers) > len(names) > 1 and len(steps) > 1)


def _read_block(file: BinaryIO) -> bytes:
    """Read a block, or what is left.

    Not by one call of `read`, which goes on reading after a signal that came with data: Ctrl-C would wait for more.
    """
    read = getattr(file, "read1", file.read)
    parts, missing = [], BLOCK
    while missing and (part := read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _recoded(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Read the file piece by piece, UTF-16 turned into UTF-8; what is no text is told."""
    first = _read_block(file)
    for magic, what in _FOREIGN.items():
        if first.startswith(magic):
            raise DataError(f"{name} is no delimited text but {what}.")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoder = codecs.getincrementaldecoder("utf-16")()
        while first:
            try:
                yield decoder.decode(first).encode()
            except UnicodeError:
                raise DataError(f"{name} begins like UTF-16 text, but is damaged. Save it as UTF-8.") from None
            first = _read_block(file)
        return
    first = first.removeprefix(codecs.BOM_UTF8)
    while first:
        if b"\0" in first:
            raise DataError(f"{name} is not a table as text: it has bytes that no text has.")
        yield first
        first = _read_block(file)


def _blocks(pieces: Iterator[bytes], name: str, notes: list[str]) -> Iterator[Block]:
    """Cut what is read where a record ends, and find the encoding."""
    rest, line, encoding = b"", 1, ""
    for piece in pieces:
        content = rest + piece
        end = _end_of_records(content)
        if not end and len(content) > LONGEST:
            raise DataError(
                f"{name} has a value from line {line} on that does not end within {LONGEST:,} bytes. Is a quotation "
                "mark forgotten?"
            )
        content, rest = content[:end], content[end:]
        if content:
            encoding = _encoding(content, encoding, name, notes)
            yield Block(content, encoding or "utf-8", line)
            line += content.count(b"\n")
    if rest:
        encoding = _encoding(rest, encoding, name, notes)
        yield Block(rest, encoding or "utf-8", line)


def _end_of_records(content: bytes) -> int:
    """Return where the last record that is complete ends: at a line break with all quotation marks before it closed."""
    end = content.rfind(b"\n") + 1
    if content.count(b'"', 0, end) % 2 == 0:
        return end
    # From the last mark to the end all is within a quotation; before it is outside, up to the mark before that.
    while end:
        last = content.rfind(b'"', 0, end)
        before = content.rfind(b'"', 0, last)
        end = content.rfind(b"\n", 0, last) + 1
        if end > before:
            return end
        end = before
    return 0


def _encoding(content: bytes, known: str, name: str, notes: list[str]) -> str:
    """Return the encoding; nothing while all is ASCII, which is the same in all of them."""
    if content.isascii() or known == "cp1252":
        return known
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        if known or not content[: problem.start].isascii():
            line = content.count(b"\n", 0, problem.start) + 1
            raise DataError(f"{name} is UTF-8 text at first, and not any more {line:,} lines on. Save it as UTF-8.")
        notes.append(f"{name} is not UTF-8 text; it is read as Windows-1252 (Latin-1).")
        return "cp1252"
    return "utf-8"
