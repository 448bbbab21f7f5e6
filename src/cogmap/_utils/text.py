"""Detect the encoding and the delimiter of text files of unknown origin, for tables and maps.

Errors are half sentences ("it is a PDF"): the caller names the file.
"""

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from cogmap.exceptions import DataError

OLD_EXCEL = "an Excel workbook of before 2007: save it as .xlsx"
NOT_UTF8 = "is not UTF-8 text; it is read as Windows-1252 (Latin-1)."
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_SIGNATURES = {
    b"PK\x03\x04": "a zip file, perhaps an Excel workbook: name it .xlsx",
    b"\xd0\xcf\x11\xe0": OLD_EXCEL,
    b"PAR1": "a Parquet file: name it .parquet",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "compressed: unpack it first",
}
_DELIMITERS = ",;\t|"
_LOOKED_AT = 2**16  # characters from which the delimiter is detected
_LONGEST_CELL = 2**31 - 1
_SHOWN = 80  # characters of a value in a message
# Strings that a spreadsheet would evaluate as a formula, escaped or not.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def as_utf8(pieces: Iterable[bytes], notes: list[str]) -> Iterator[bytes]:
    """Convert text to UTF-8, from UTF-8, UTF-16 (with a byte order mark) or Windows-1252 (with a note).

    Parameters
    ----------
    pieces : iterable of bytes
        Content of a file, in chunks of any size.
    notes : list of str
        `NOT_UTF8` is appended to it if the text is neither UTF-8 nor UTF-16.
    """
    pieces = iter(pieces)
    first = next(pieces, b"")
    for signature, kind in _SIGNATURES.items():
        if first.startswith(signature):
            raise DataError(f"it is {kind}")
    encoding = "utf-16" if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)()
    is_ascii = encoding == "utf-8"  # so far
    for piece in itertools.chain([first.removeprefix(codecs.BOM_UTF8)], pieces, [b""]):
        if encoding == "cp1252":
            text = piece.decode(encoding, "replace")  # a few bytes are undefined in Windows-1252
        else:
            try:
                text = decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as problem:
                if not is_ascii or not problem.object[: problem.start].isascii():
                    raise DataError(f"it begins as {encoding.upper()} text, but is damaged: save it as UTF-8") from None
                encoding = "cp1252"
                notes.append(NOT_UTF8)
                text = problem.object.decode(encoding, "replace")
            is_ascii = is_ascii and text.isascii()
        if text:
            yield text.encode()


def decoded(content: bytes) -> str:
    """Decode the content of a file; raise if it has control characters."""
    text = b"".join(as_utf8([content], [])).decode()
    if CONTROLS.search(text):
        raise DataError("it is not text")
    return text


def find_delimiter(text: str) -> str:
    """Return the delimiter with which most records have as many cells as the first, at least two; else a comma."""
    records = text if len(text) < _LOOKED_AT else text[: text.rfind("\n", 0, _LOOKED_AT) + 1] or text[:_LOOKED_AT]
    best, most = ",", (0.0, 1)
    for delimiter in _DELIMITERS:
        with long_cells():
            widths = [len(row) for row in csv.reader(io.StringIO(records, newline=""), delimiter=delimiter) if row]
        agreement = widths.count(widths[0]) / len(widths) if widths else 0.0
        if widths and widths[0] > 1 and (agreement, widths[0]) > most:
            best, most = delimiter, (agreement, widths[0])
    return best


@contextmanager
def long_cells() -> Iterator[None]:
    """Raise the cell size limit of `csv`, and restore it afterwards, because the limit is global."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def cut(text: str) -> str:
    """Return a text, truncated to 80 characters, for a message."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def quoted(value: object) -> str:
    """Return the repr of a value, truncated to 80 characters, for a message."""
    return cut(repr(value if not isinstance(value, str) else value[: _SHOWN + 1]))


def harmless(text: str) -> str:
    """Prefix a string that a spreadsheet would evaluate as a formula with an apostrophe; numbers are unchanged."""
    if not _FORMULA.match(text):
        return text
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return "'" + text
    return text


def unescaped(text: str) -> str:
    """Remove the apostrophe added by `harmless`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
