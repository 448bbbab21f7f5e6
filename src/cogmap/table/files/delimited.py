"""Parse delimited text with pandas in chunks, after detecting encoding, delimiter and header.

Error messages are clauses without a subject: the caller adds the name of the file.
"""

import codecs
import csv
import io
import itertools
import math
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any, BinaryIO

from cogmap._utils.params import shown
from cogmap._utils.text import as_utf8, find_delimiter, long_cells, quoted
from cogmap.exceptions import DataError
from cogmap.table.columns.numbers import NumberStyle, is_code, number_styles
from cogmap.table.columns.texts import MISSING, pandas, refuse_repeated, repeated

BLOCK = 2**20  # bytes per read
CHUNK = 2**23  # approximate bytes per chunk
LONGEST = 2**28  # a chunk of more bytes indicates an unclosed quotation mark

_MOST_ROWS = 2**16  # maximum rows of a chunk
_MOST_EXTRA = 1000  # a row with this many values beyond the header is an error
_EXTRA_IN_PIPES = 4  # values beyond the header to allow for in a source that cannot be read twice
_ZERO = re.compile(rb"(?:^|[\s;,|\"])0\d")  # leading zeros, as in 01067
_NO_END = f"a value does not end within {LONGEST:,} bytes; is a quotation mark missing?"


def read_delimited(
    file: BinaryIO, delimiter: str | None, texts: Collection[str], whole: bool, has_header: bool = True
) -> Iterator[tuple[Any, dict[int, str], list[str]]]:
    """Read delimited text, and yield frames, rows with values beyond the header, and notes on the file.

    Parameters
    ----------
    file : binary file
        File to read from.
    delimiter : str or None
        Delimiter of values; detected if None.
    texts : collection of str
        Columns to read as strings, without type inference.
    whole : bool
        Yield one frame of all rows, so that each column has one type. A row with values beyond the header is an error.
        The frame holds its delimiter in ``attrs["delimiter"]``.
    has_header : bool, default=True
        Whether the first line holds the column names; otherwise columns are named "column 1", "column 2", ...

    Yields
    ------
    frame : pandas.DataFrame
        A chunk of rows.
    faults : dict of int to str
        Indices of rows in the chunk that have values beyond the header, with the reason.
    notes : list of str
        Notes on the file so far, the same list each time; the caller may clear it.
    """
    if whole and not file.seekable():
        file = io.BytesIO(file.read())
    start = file.tell() if file.seekable() else None
    source = _Source(file, delimiter, has_header)
    n_chunks, n_extra = 0, max(source.n_extra, _EXTRA_IN_PIPES if start is None else 0)
    while True:
        try:
            for frame, faults in itertools.islice(_frames(source, n_extra, texts, whole), n_chunks, None):
                if whole and faults:
                    break
                yield _with_texts(frame, source, file, start, n_extra) if whole else frame, faults, source.notes
                n_chunks += 1
            else:
                return
        except (pandas.errors.ParserError, pandas.errors.ParserWarning) as problem:
            longest = re.search(r"saw (\d+)", str(problem))
            n_extra = int(longest[1]) - len(source.header) if longest else _MOST_EXTRA
            if start is not None and n_extra < _MOST_EXTRA:  # retry with columns for the longest row so far
                file.seek(start)
                source = _Source(file, delimiter, has_header)
                continue
        raise DataError(_faulty_line(file, start, source))


class _Source:
    """File-like object for pandas: the text below the header, in pieces of UTF-8."""

    def __init__(self, file: BinaryIO, delimiter: str | None, has_header: bool) -> None:
        self.notes: list[str] = []
        self.has_header = has_header
        self.has_zeros = self.has_na = False  # whether a number with a leading zero, or "NA", was read
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
                body, self.n_lines = (text[lines.n_taken :], records.line_num) if has_header else (text, 0)
                self.n_extra = len(next((record for record in records if record), [])) - len(names)
            if lines.n_taken < len(text):
                break
            if len(head) > LONGEST:
                raise DataError(_NO_END)
        if not head.strip():
            raise DataError("it is empty")
        self.header = names_in(names) if has_header else numbered(len(names))
        self.n_rows = max(1, min(_MOST_ROWS, CHUNK * (body.count("\n") + 1) // (len(body) + 1)))
        self._pieces = itertools.chain([body.encode()] * bool(body), self._pieces)

    def read(self, _: int) -> bytes:
        """Return the next piece; an exception is stored, because pandas swallows some, and ends the text."""
        try:
            piece = next(self._pieces, b"")
        except BaseException as problem:
            self.problem, piece = problem, b""
        self.has_zeros = self.has_zeros or bool(_ZERO.search(piece))
        self.has_na = self.has_na or b"NA" in piece
        self.since += len(piece)
        if self.since > LONGEST:
            self.problem = DataError(_NO_END)
            piece = b""
        return piece

    def __iter__(self) -> Iterator[bytes]:
        """Return the iterator of pieces; pandas requires file-like objects to have this method."""
        return self._pieces


class _Lines:
    """Iterator over the lines of a string, which counts the characters consumed."""

    def __init__(self, text: str) -> None:
        self._lines, self.n_taken = io.StringIO(text, newline=""), 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.n_taken += len(line)
        return line


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file in blocks.

    `read1` is used because `read` resumes after a signal, so that Ctrl-C would have no effect until more data arrives.
    """
    read = getattr(file, "read1", file.read)
    while True:
        pieces, missing = [], BLOCK
        while missing and (piece := read(missing)):
            pieces.append(piece)
            missing -= len(piece)
        if not pieces:
            return
        yield b"".join(pieces)


def _without_nul(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces; raise DataError at a NUL byte."""
    for piece in pieces:
        if b"\0" in piece:
            raise DataError("it is not text: it has NUL bytes")
        yield piece


def _frames(source: _Source, n_extra: int, texts: Collection[str], whole: bool) -> Iterator[tuple[Any, dict[int, str]]]:
    """Yield frames and their faulty rows; temporary columns catch the values beyond the header."""
    extra = [f"\0{number}" for number in range(n_extra)]  # NUL does not occur in the file
    options = {"names": [*source.header, *extra], "header": None, "index_col": False, "sep": source.delimiter}
    options |= {"na_values": sorted(MISSING), "keep_default_na": False, "low_memory": False, "encoding": "utf-8"}
    types = {name: str for name in source.header if name in texts} | dict.fromkeys(extra, str)
    source.since = -math.inf if whole else 0
    reader = None
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pandas.errors.ParserWarning)  # pandas would drop values
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


def _with_texts(frame: Any, source: _Source, file: BinaryIO, start: int | None, n_extra: int) -> Any:
    """Restore columns of a frame to strings where conversion to numbers has lost information.

    Affected are codes such as 01067, values such as 1.234 in a table with semicolons, where the point may separate
    thousands, and "NA" in columns of country codes.
    """
    frame.attrs["delimiter"] = source.delimiter
    may_group = source.delimiter == ";"
    typed = [name for name in frame if frame[name].dtype.kind in "iuf"] if source.has_zeros or may_group else []
    coded = [name for name in frame if frame[name].dtype.kind not in "iufb" and _has_codes(frame[name])]
    names = [*typed, *(coded if source.has_na else [])]
    if not names or not len(frame) or start is None:
        return frame
    file.seek(start)
    again = _Source(file, source.delimiter, source.has_header)
    again.since = -math.inf
    columns = [*again.header, *(f"\0{number}" for number in range(n_extra))]
    options = {"names": columns, "header": None, "index_col": False, "sep": again.delimiter, "encoding": "utf-8"}
    written = pandas.read_csv(again, usecols=names, dtype=str, na_filter=False, **options)
    for name in names:
        texts = set(written[name].str.strip())
        is_grouped = may_group and len(number_styles(sorted(texts - MISSING))) > 1
        if name in coded or is_grouped or any(map(is_code, texts)):
            frame[name] = written[name]
    return frame


def _has_codes(values: Any) -> bool:
    """Return whether some values are missing and all others are two capital letters, like country codes."""
    known = values.dropna()
    return 0 < len(known) < len(values) and bool(known.astype(str).str.fullmatch("[A-Z]{2}").all())


def numbered(n_columns: int) -> list[str]:
    """Return column names for a table without a header."""
    return [f"column {place}" for place in range(1, n_columns + 1)]


def names_in(header: Sequence[str]) -> list[str]:
    """Return the column names in a header; raise DataError if two are equal."""
    names = [cell.strip() or f"Unnamed: {place}" for place, cell in enumerate(header)]
    if looks_like_data(names) and repeated(names):
        raise DataError(
            f"its first line looks like data, not like column names: {shown(names)[1:-1]}. Add a line of names, or "
            "read the table without a header"
        )
    refuse_repeated(names, "it")
    return names


def looks_like_data(names: Sequence[str]) -> bool:
    """Return whether a header is probably a row: it has fractions, or mostly unevenly spaced numbers."""
    numbers = [number for name in names if (number := NumberStyle().parse(name)) is not None]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return any(number % 1 for number in numbers) or (2 * len(numbers) > len(names) > 1 and len(steps) > 1)


def _faulty_line(file: BinaryIO, start: int | None, source: _Source) -> str:
    """Return an error message with the line that has too many values or an unclosed quotation mark."""
    width = len(source.header)
    if start is None:
        return f"a row has too many values for the {width} names of the header, or a quotation mark is missing"
    file.seek(start)
    source = _Source(file, source.delimiter, source.has_header)
    line = source.n_lines + 1
    records = csv.reader(_cut_lines(source), delimiter=source.delimiter)
    with long_cells():
        for record in records:
            if len(record) > width:
                return (
                    f"line {line} has {len(record)} values, and the header has {width} names. Put values with "
                    "delimiters in quotation marks"
                )
            before, line = line, source.n_lines + records.line_num + 1
    return f"the quotation mark in line {before} is never closed"


def _cut_lines(pieces: _Source) -> Iterator[str]:
    """Yield the lines of a source."""
    rest = ""
    for text in codecs.iterdecode(pieces, "utf-8"):
        *lines, rest = io.StringIO(rest + text, newline="")
        yield from lines
    yield rest
