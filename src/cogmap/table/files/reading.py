"""Read tables from files, whole or chunk by chunk."""

import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cogmap._utils.files import STANDARD
from cogmap._utils.guards import check_workbook
from cogmap._utils.optional import import_or_raise
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError
from cogmap.table.columns.texts import pandas, refuse_repeated
from cogmap.table.files.delimited import names_in, numbered, read_delimited
from cogmap.table.files.sources import name_of, opened

_ROWS_AT_ONCE = 2**15  # rows per chunk of a Parquet file
_MOST_UNPACKED = 2**31  # limit of the uncompressed bytes of a workbook
_MOST_ELEMENTS = 2**28  # limit of its XML elements


class Part(NamedTuple):
    """A chunk of the rows of a table.

    Attributes
    ----------
    frame : pandas.DataFrame
        The rows.
    faults : dict of int to str
        Indices of rows that do not match the header, with the reason. All values of these rows are missing.
    notes : list of str
        New notes on the file since the previous chunk.
    """

    frame: Any
    faults: dict[int, str]
    notes: list[str]


def read_table(path: str, texts: Collection[str] = (), has_header: bool = True) -> tuple[Any, list[str]]:
    """Read a whole table.

    Parameters
    ----------
    path : str
        Delimited text such as CSV or TSV, Parquet (.parquet) or Excel (.xlsx); "-" reads delimited text from standard
        input.
    texts : collection of str, default=()
        Columns to read as strings, without type inference.
    has_header : bool, default=True
        Whether the first row holds the column names; otherwise columns are named "column 1", "column 2", ...

    Returns
    -------
    frame : pandas.DataFrame
        The table, with at least one row. For delimited text, ``attrs["delimiter"]`` holds the delimiter.
    notes : list of str
        Notes on the file.
    """
    parts = list(read_parts(path, texts, whole=True, has_header=has_header))
    frame = parts[0].frame if len(parts) == 1 else pandas.concat([part.frame for part in parts], ignore_index=True)
    if not len(frame):
        raise DataError(f"{name_of(path)} has a header and no rows.")
    return frame, [note for part in parts for note in part.notes]


def read_parts(path: str, texts: Collection[str] = (), whole: bool = False, has_header: bool = True) -> Iterator[Part]:
    """Read a table chunk by chunk, in bounded memory.

    Parameters
    ----------
    path : str
        The file, as for `read_table`. An Excel workbook is read as one chunk.
    texts : collection of str, default=()
        Columns to read as strings, without type inference.
    whole : bool, default=False
        Read delimited text as one chunk, so that each column has one type. A row that does not match the header is then
        an error.
    has_header : bool, default=True
        As for `read_table`.

    Yields
    ------
    Part
        At least one chunk, which may have no rows.
    """
    ending = "" if path == STANDARD else Path(path).suffix.casefold()
    name = name_of(path)
    with opened(path) as file:
        try:
            if ending in (".xlsx", ".xlsm"):
                yield _workbook(file, name, has_header)
            elif ending in (".parquet", ".pq"):
                yield from _parquet(file)
            elif ending == ".xls":
                raise DataError("the .xls format of Excel before 2007 is not supported. Save it as .xlsx or .csv")
            else:
                delimiter = "\t" if ending in (".tsv", ".tab") else None
                for frame, faults, notes in read_delimited(file, delimiter, texts, whole, has_header):
                    file_notes = [f"{name} {note}" for note in notes]
                    notes.clear()
                    yield Part(frame, faults, file_notes)
        except DataError as problem:
            end = "" if str(problem).endswith("?") else "."
            raise DataError(f"The table {name} cannot be read: {str(problem).rstrip('.')}{end}") from None


def _parquet(file: BinaryIO) -> Iterator[Part]:
    """Yield the chunks of a Parquet file."""
    parquet: Any = import_or_raise("pyarrow.parquet", "Reading Parquet files", "parquet")
    arrow: Any = import_or_raise("pyarrow", "Reading Parquet files", "parquet")
    try:
        table = parquet.ParquetFile(file if file.seekable() else io.BytesIO(file.read()), pre_buffer=False)
        refuse_repeated([str(name) for name in table.schema_arrow.names], "it")
        empty = table.schema_arrow.empty_table().to_pandas()
        if not table.metadata.num_rows:
            yield Part(empty, {}, [])
        for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE):
            yield Part(batch.to_pandas(), {}, [])
    except (arrow.ArrowException, OSError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"it is damaged, or not a Parquet file: {' '.join(str(problem).split())[:200]}") from None


def _workbook(file: BinaryIO, name: str, has_header: bool) -> Part:
    """Read the first sheet of an Excel workbook."""
    openpyxl: Any = import_or_raise("openpyxl", "Reading Excel files", "excel")
    content = file.read()
    check_workbook(content, _MOST_UNPACKED, _MOST_ELEMENTS)
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheets = book.sheetnames
        book.worksheets[0].reset_dimensions()  # some tools write the dimensions of a single cell
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    except Exception as problem:  # openpyxl has no exception class for invalid files
        raise DataError(f"it is damaged, or not an .xlsx file: {type(problem).__name__}: {problem}") from None
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise DataError("it is empty")
    width = max(place for place, cell in enumerate(rows[0]) if cell is not None) + 1
    first = ["" if cell is None else str(cell) for cell in rows[0][:width]]
    header = names_in(first) if has_header else numbered(width)
    cells = [(row + [None] * width)[:width] for row in rows[has_header:]]
    notes = [f"{name} has {len(sheets)} sheets; the first, {quoted(sheets[0])}, is read."] if len(sheets) > 1 else []
    return Part(pandas.DataFrame(cells, columns=header).infer_objects(), {}, notes)
