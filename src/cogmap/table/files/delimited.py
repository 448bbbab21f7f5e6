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
from collections.abc import Collection, Iterator, Sequence
from typing import Any, BinaryIO

from cogmap._utils.params import shown
from cogmap._utils.text import as_utf8, find_delimiter, long_cells, quoted
from cogmap.exceptions import DataError
from cogmap.table.columns.numbers import NumberStyle, is_code, number_styles
from cogmap.table.columns.texts import MISSING, pandas, refuse_repeated, repeated

BLOCK = 2**20  # bytes read at once
CHUNK = 2**23  # bytes parsed at once, about
LONGEST = 2**28  # bytes of a chunk, beyond which a quotation mark must be missing

_MOST_ROWS = 2**16  # of a chunk
_MOST_EXTRA = 1000  # values of a row beyond the header
_EXTRA_IN_PIPES = 4  # the same, in a source that cannot be read twice
_ZERO = re.compile(rb"(?:^|[\s;,|\"])0\d")  # 01067
_NO_END = f"a value does not end within {LONGEST:,} bytes; is a quotation mark missing?"


def read_delimited(
    file: BinaryIO, delimiter: str | None, texts: Collection[str], whole: bool, has_header: bool = True
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
        The frame has its delimiter in ``attrs["delimiter"]``.
    has_header : bool, default=True
        Whether the first line has the names of the columns; otherwise they are called "column 1" and so on.
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
            if start is not None and n_extra < _MOST_EXTRA:  # with room for the longest row so far
                file.seek(start)
                source = _Source(file, delimiter, has_header)
                continue
        raise DataError(_faulty_line(file, start, source))


class _Source:
    """What pandas takes for a file: the text below the header, as pieces of UTF-8."""

    def __init__(self, file: BinaryIO, delimiter: str | None, has_header: bool) -> None:
        self.notes: list[str] = []
        self.has_header = has_header
        self.has_zeros = self.has_na = False  # so far: numbers that begin with 0, and "NA"
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
        """Return some text. An exception is kept, since pandas would lose some of them, and ends the text."""
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


def _with_texts(frame: Any, source: _Source, file: BinaryIO, start: int | None, n_extra: int) -> Any:
    """Return the frame with columns as text where a type would hide what is written.

    These are codes such as 01067, 1.234 in a table with semicolons, where it can be more than a thousand, and NA among
    codes of countries.
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
    """Whether all values are two capital letters, as codes of countries are, and some are missing."""
    known = values.dropna()
    return 0 < len(known) < len(values) and bool(known.astype(str).str.fullmatch("[A-Z]{2}").all())


def numbered(n_columns: int) -> list[str]:
    """Return names for the columns of a table without a header."""
    return [f"column {place}" for place in range(1, n_columns + 1)]


def names_in(header: Sequence[str]) -> list[str]:
    """Return the names of the columns; DataError if two are the same."""
    names = [cell.strip() or f"Unnamed: {place}" for place, cell in enumerate(header)]
    if looks_like_data(names) and repeated(names):
        raise DataError(
            f"its first line looks like data, not like names of columns: {shown(names)[1:-1]}. Add a line of names, or "
            "read the table without a header"
        )
    refuse_repeated(names, "it")
    return names


def looks_like_data(names: Sequence[str]) -> bool:
    """Whether a header is probably a row: it has numbers that do not count up, as years and places do."""
    numbers = [number for name in names if (number := NumberStyle().parse(name)) is not None]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return any(number % 1 for number in numbers) or (2 * len(numbers) > len(names) > 1 and len(steps) > 1)


def _faulty_line(file: BinaryIO, start: int | None, source: _Source) -> str:
    """Say in which line there are too many values, or a quotation begins that does not end."""
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
