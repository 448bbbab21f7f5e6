"""Delimited text, parsed by pandas in chunks; encoding, delimiter and header are found first.

Errors are half sentences: the caller names the file.
"""

import codecs
import csv
import io
import itertools
import math
import re
import warnings
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from cogmap._utils.text import as_utf8, find_delimiter, long_cells, quoted
from cogmap.exceptions import DataError
from cogmap.table.preparation.texts import MISSING, pandas, refuse_repeated

BLOCK = 2**20  # bytes read at once
CHUNK = 2**23  # bytes parsed at once, about
LONGEST = 2**28  # bytes of a chunk, beyond which a quotation mark must be missing

_MOST_ROWS = 2**16  # of a chunk
_MOST_EXTRA = 1000  # values of a row beyond the header
_EXTRA_IN_PIPES = 4  # the same, in a source that cannot be read twice
_NO_END = f"a value does not end within {LONGEST:,} bytes; is a quotation mark missing?"


def read_delimited(
    file: BinaryIO, delimiter: str | None, texts: Collection[str], whole: bool
) -> Iterator[tuple[Any, dict[int, str], list[str]]]:
    """Yield frames, the rows of each that have values beyond the header with the reason, and notes on the file.

    Parameters
    ----------
    file : binary file
        Where to read from.
    delimiter : str or None
        What separates values; None to detect it.
    texts : collection of str
        Columns that stay text.
    whole : bool
        Yield one frame of all rows, so that each column has one type. A row with values beyond the header is an error.
    """
    if whole and not file.seekable():
        file = io.BytesIO(file.read())
    start = file.tell() if file.seekable() else None
    source = _Source(file, delimiter)
    refuse_repeated(source.header, "it")
    n_chunks, n_extra = 0, max(source.n_extra, _EXTRA_IN_PIPES if start is None else 0)
    while True:
        try:
            for frame, faults in itertools.islice(_frames(source, n_extra, texts, whole), n_chunks, None):
                if whole and faults:
                    break
                yield frame, faults, source.notes
                n_chunks += 1
            else:
                return
        except (pandas.errors.ParserError, pandas.errors.ParserWarning) as problem:
            longest = re.search(r"saw (\d+)", str(problem))
            n_extra = int(longest[1]) - len(source.header) if longest else _MOST_EXTRA
            if start is not None and n_extra < _MOST_EXTRA:  # with room for the longest row so far
                file.seek(start)
                source = _Source(file, delimiter)
                continue
        raise DataError(_faulty_line(file, start, source))


class _Source:
    """What pandas takes for a file: the text below the header, as pieces of UTF-8."""

    def __init__(self, file: BinaryIO, delimiter: str | None) -> None:
        self.notes: list[str] = []
        self.problem: BaseException | None = None
        self.since: float = 0  # bytes since the last chunk
        self._pieces = _without_nul(as_utf8(_blocks(file), self.notes))
        head, more = b"", b"."
        while more:  # until the header and the first row are complete
            before = len(head)
            while (more := next(self._pieces, b"")) and len(head := head + more) < 2 * before:
                pass
            text = head.decode()
            self.delimiter = delimiter or find_delimiter(text.lstrip("\r\n"))
            lines = _Lines(text)
            records = csv.reader(lines, delimiter=self.delimiter)
            with long_cells():
                names = next((record for record in records if record), [])
                body, self.n_lines = text[lines.n_taken :], records.line_num
                self.n_extra = len(next((record for record in records if record), [])) - len(names)
            if lines.n_taken < len(text):
                break
            if len(head) > LONGEST:
                raise DataError(_NO_END)
        if not head.strip():
            raise DataError("it is empty")
        self.header = [name.strip() or f"Unnamed: {place}" for place, name in enumerate(names)]
        self.n_rows = max(1, min(_MOST_ROWS, CHUNK * (body.count("\n") + 1) // (len(body) + 1)))
        self._pieces = itertools.chain([body.encode()] * bool(body), self._pieces)

    def read(self, _: int) -> bytes:
        """Return some text. An exception is kept, since pandas would lose some of them, and ends the text."""
        try:
            piece = next(self._pieces, b"")
        except BaseException as problem:
            self.problem, piece = problem, b""
        self.since += len(piece)
        if self.since > LONGEST:
            self.problem = DataError(_NO_END)
            piece = b""
        return piece

    def __iter__(self) -> Iterator[bytes]:
        """Return the pieces; pandas asks a file for this method."""
        return self._pieces


class _Lines:
    """The lines of a text, and how many characters were taken."""

    def __init__(self, text: str) -> None:
        self._lines, self.n_taken = io.StringIO(text, newline=""), 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.n_taken += len(line)
        return line


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file; one call of `read` would go on after a signal, and Ctrl-C wait for more."""
    read = getattr(file, "read1", file.read)
    while True:
        parts, missing = [], BLOCK
        while missing and (part := read(missing)):
            parts.append(part)
            missing -= len(part)
        if not parts:
            return
        yield b"".join(parts)


def _without_nul(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if b"\0" in piece:
            raise DataError("it is not text: it has bytes that no text has")
        yield piece


def _frames(source: _Source, n_extra: int, texts: Collection[str], whole: bool) -> Iterator[tuple[Any, dict[int, str]]]:
    """Yield what pandas reads, with columns for values beyond the header, which are taken away again."""
    extra = [f"\0{number}" for number in range(n_extra)]  # no name in a file has this character
    options = {"names": [*source.header, *extra], "header": None, "index_col": False, "sep": source.delimiter}
    options |= {"na_values": sorted(MISSING), "keep_default_na": False, "low_memory": False, "encoding": "utf-8"}
    types = {name: str for name in source.header if name in texts} | dict.fromkeys(extra, str)
    source.since = -math.inf if whole else 0
    reader = None
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pandas.errors.ParserWarning)  # values that would be lost
                reader = reader or pandas.read_csv(source, dtype=types, iterator=True, **options)
                frame = reader.read(None if whole else source.n_rows)
        except StopIteration:
            return
        finally:
            if source.problem is not None:
                raise source.problem
        source.since = 0
        faults: dict[int, str] = {}
        frame = frame.reset_index(drop=True)
        if extra:
            frame, beyond = frame[source.header], frame[extra].bfill(axis=1).iloc[:, 0].dropna()
            reason = f"it has more values than the header, which has {len(source.header)}"
            faults = {row: f"{reason}: {quoted(value)}" for row, value in beyond.items()}
        if faults:
            frame = frame.astype(object)
            frame.iloc[list(faults)] = None
        yield frame, faults
        if whole:
            return


def _faulty_line(file: BinaryIO, start: int | None, source: _Source) -> str:
    """Say in which line there are too many values, or a quotation begins that does not end."""
    width = len(source.header)
    if start is None:
        return f"a row has too many values for the {width} names of the header, or a quotation mark is missing"
    file.seek(start)
    source = _Source(file, source.delimiter)
    line = source.n_lines + 1
    records = csv.reader(_cut_lines(source), delimiter=source.delimiter)
    with long_cells():
        for record in records:
            if len(record) > width:
                return (
                    f"line {line} has {len(record)} values, and the header {width} names. Put values with separators "
                    "in quotation marks"
                )
            before, line = line, source.n_lines + records.line_num + 1
    return f"the quotation mark in line {before} is never closed"


def _cut_lines(pieces: _Source) -> Iterator[str]:
    rest = ""
    for text in codecs.iterdecode(pieces, "utf-8"):
        *lines, rest = io.StringIO(rest + text, newline="")
        yield from lines
    yield rest
