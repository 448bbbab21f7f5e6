"""Tables from files, whole or part by part."""

import io
import re
import warnings
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cogmap._utils.optional import import_or_raise
from cogmap.exceptions import DataError
from cogmap.table.files.records import Block, Delimited, decoded, names_in, numbered, open_delimited, records_of
from cogmap.table.files.sources import STANDARD, name_of, opened
from cogmap.table.preparation.numbers import is_code, number_styles
from cogmap.table.preparation.texts import MISSING, pandas, refuse_repeated

_ROWS_AT_ONCE = 2**15  # of files that are not text
_ZERO = re.compile(rb"(?:^|[\s;,|\"])0\d")  # 01067
_MOST_UNPACKED = 2**31  # bytes of a workbook


class Part(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    frame : pandas.DataFrame
        The rows.
    faults : dict of int to str
        Rows that are not like the header says, by their position, with the reason; all their values are missing.
    notes : list of str
        What is to be told of the file, in the first part that it is known of.
    """

    frame: Any
    faults: dict[int, str]
    notes: list[str]


def read_table(path: str, texts: Collection[str] = (), has_header: bool = True) -> tuple[Any, list[str]]:
    """Read a whole table.

    Parameters
    ----------
    path : str
        The file: CSV, TSV or other delimited text, Parquet (.parquet) or Excel (.xlsx); "-" is standard input, as text.
    texts : collection of str, default=()
        Columns that are left as text.
    has_header : bool, default=True
        Whether the first row has the names of the columns; otherwise they are "column 1", "column 2".

    Returns
    -------
    frame : pandas.DataFrame
        The table, with at least one row. ``attrs["delimiter"]`` has the delimiter of text.
    notes : list of str
        What is to be told of the file.
    """
    frames, notes = [], list[str]()
    for part in read_parts(path, texts, whole=True, has_header=has_header):
        if part.faults:
            _, reason = min(part.faults.items())
            raise DataError(f"{name_of(path)} cannot be read: {reason}. Put values with separators in quotation marks.")
        frames.append(part.frame)
        notes += part.notes
    frame = frames[0] if len(frames) == 1 else pandas.concat(frames, ignore_index=True)
    if not len(frame):
        raise DataError(f"{name_of(path)} has a header and no rows.")
    return frame, notes


def read_parts(path: str, texts: Collection[str] = (), whole: bool = False, has_header: bool = True) -> Iterator[Part]:
    """Read a table part by part, in bounded memory.

    Parameters
    ----------
    path : str
        The file, as for `read_table`. An Excel workbook is read whole.
    texts : collection of str, default=()
        Columns that are left as text.
    whole : bool, default=False
        Read text at once, so that a column is of one type from its first row to its last.
    has_header : bool, default=True
        As for `read_table`.

    Yields
    ------
    Part
        At least one, perhaps without rows.
    """
    ending = "" if path == STANDARD else Path(path).suffix.casefold()
    with opened(path) as file:
        if ending in (".xlsx", ".xlsm"):
            yield _workbook(file, path, has_header)
        elif ending in (".parquet", ".pq"):
            yield from _parquet(file, path)
        elif ending == ".xls":
            raise DataError(f"{path} is an Excel workbook of before 2007. Save it as .xlsx or .csv.")
        else:
            delimiter = "\t" if ending in (".tsv", ".tab") else None
            found = open_delimited(file, name_of(path), delimiter, has_header)
            for block in _joined(found.blocks) if whole else found.blocks:
                frame, faults = _parsed(found, block, texts, whole)
                notes, found.notes[:] = list(found.notes), []
                yield Part(frame, faults, notes)


def _frame(found: Delimited, block: Block, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)  # values that would be lost
        return pandas.read_csv(
            io.BytesIO(block.content),
            sep=found.delimiter,
            encoding=block.encoding,
            encoding_errors="replace" if block.encoding == "cp1252" else "strict",
            header=None,
            names=found.header,
            index_col=False,
            keep_default_na=False,
            low_memory=False,
            **options,
        )


def _with_texts(frame: Any, found: Delimited, block: Block) -> Any:
    """Return the frame with columns as text where a type would hide what is written.

    These are codes such as 01067, 1.234 in a table with semicolons, where it can be more than a thousand, and NA among
    codes of countries.
    """
    frame.attrs["delimiter"] = found.delimiter
    typed = [name for name in frame if frame[name].dtype.kind in "iuf"]
    if not (_ZERO.search(block.content) or found.delimiter == ";"):
        typed = []
    coded = [name for name in frame if frame[name].dtype.kind not in "iufb" and _has_codes(frame[name])]
    names = [*typed, *(coded if b"NA" in block.content else [])]
    if not names or not len(frame):
        return frame
    written = _frame(found, block, usecols=names, dtype=str, na_filter=False)
    for name in names:
        texts = set(written[name].str.strip())
        is_grouped = found.delimiter == ";" and len(number_styles(sorted(texts - MISSING))) > 1
        if name in coded or is_grouped or any(map(is_code, texts)):
            frame[name] = written[name]
    return frame


def _has_codes(values: Any) -> bool:
    """Whether all values are two capital letters, as codes of countries are, and some are missing."""
    known = values.dropna()
    return 0 < len(known) < len(values) and bool(known.astype(str).str.fullmatch("[A-Z]{2}").all())


def _parsed(found: Delimited, block: Block, texts: Collection[str], whole: bool) -> tuple[Any, dict[int, str]]:
    """Return the records of a block as a frame; what pandas refuses is read record by record."""
    if not block.content.strip():
        return pandas.DataFrame({name: [] for name in found.header}), {}
    types = {name: str for name in found.header if name in texts}
    try:
        frame = _frame(found, block, dtype=types, na_values=sorted(MISSING))
        frame = _with_texts(frame, found, block) if whole else frame
    except (pandas.errors.ParserError, pandas.errors.ParserWarning):
        return _one_by_one(found, block)
    return frame, {}


def _one_by_one(found: Delimited, block: Block) -> tuple[Any, dict[int, str]]:
    width = len(found.header)
    rows: list[list[str | None]] = []
    faults: dict[int, str] = {}
    for line, row in records_of(block, found.delimiter):
        if len(row) > width:
            faults[len(rows)] = f"line {line} has {len(row)} values, and the header {width} names"
            rows.append([None] * width)
        else:
            cells = [None if cell.strip() in MISSING else cell for cell in row]
            rows.append(cells + [None] * (width - len(row)))
    return pandas.DataFrame(rows, columns=found.header, dtype=object), faults


def _joined(blocks: Iterator[Block]) -> Iterator[Block]:
    parts = list(blocks)
    # Until the encoding is known all is ASCII, and the first block was decoded already.
    content = b"".join(decoded(part).encode() if part.encoding != "utf-8" else part.content for part in parts)
    yield Block(content, "utf-8", parts[0].line)


def _parquet(file: BinaryIO, path: str) -> Iterator[Part]:
    parquet: Any = import_or_raise("pyarrow.parquet", "Reading Parquet files", "parquet")
    arrow: Any = import_or_raise("pyarrow", "Reading Parquet files", "parquet")
    try:
        table = parquet.ParquetFile(file)
        refuse_repeated([str(name) for name in table.schema_arrow.names], path)
        empty = table.schema_arrow.empty_table().to_pandas()
        if not table.metadata.num_rows:
            yield Part(empty, {}, [])
        for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE):
            yield Part(batch.to_pandas(), {}, [])
    except (arrow.ArrowException, OSError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"{path} is damaged, or no Parquet file: {' '.join(str(problem).split())[:200]}.") from None


def _workbook(file: BinaryIO, path: str, has_header: bool) -> Part:
    openpyxl: Any = import_or_raise("openpyxl", "Reading Excel files", "excel")
    content = io.BytesIO(file.read())
    try:
        with zipfile.ZipFile(content) as package:
            if sum(part.file_size for part in package.infolist()) > _MOST_UNPACKED:
                raise DataError(f"{path} would have more than {_MOST_UNPACKED:,} bytes when it is unpacked.")
        book = openpyxl.load_workbook(content, read_only=True, data_only=True, keep_links=False)
        sheets = book.sheetnames
        book.worksheets[0].reset_dimensions()  # some tools claim a sheet to be of one cell
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    except DataError:
        raise
    except Exception as problem:  # zipfile and openpyxl have many for files that are not what they seem
        raise DataError(f"{path} is damaged, or no .xlsx file: {type(problem).__name__}: {problem}.") from None
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise DataError(f"{path} is empty.")
    width = max(place for place, cell in enumerate(rows[0]) if cell is not None) + 1
    first = ["" if cell is None else str(cell) for cell in rows[0][:width]]
    header = names_in(first, path) if has_header else numbered(width)
    cells = [(row + [None] * width)[:width] for row in rows[has_header:]]
    notes = [f"Of the {len(sheets)} sheets of {path} the first, {sheets[0]!r}, is read."] if len(sheets) > 1 else []
    return Part(pandas.DataFrame(cells, columns=header).infer_objects(), {}, notes)
