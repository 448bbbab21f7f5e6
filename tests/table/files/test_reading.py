"""Tables from files of people: whatever separates values, whatever the encoding, in any number of parts."""

import csv
import io
import os
import threading
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogmap._utils.text import unescaped
from cogmap.exceptions import DataError
from cogmap.table.columns.texts import MISSING
from cogmap.table.files import csv_line, delimited, read_parts, read_table, whole_output


def written(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


READ = {
    "semicolons and decimal commas": ("a;b\n1,5;x\n3,0;y\n", {"a": ["1,5", "3,0"], "b": ["x", "y"]}),
    "tabs": ("a\tb\n1\tx\n", {"a": [1], "b": ["x"]}),
    "bars": ("a|b\n1|x, y\n", {"a": [1], "b": ["x, y"]}),
    "quoted line breaks": ('a,b\n"x\ny",1\n"z ""q""",2\n', {"a": ["x\ny", 'z "q"'], "b": [1, 2]}),
    "carriage returns": (b"a,b\r\n1,2\r\n", {"a": [1], "b": [2]}),
    "old carriage returns": (b"a,b\r1,2\r3,4\r", {"a": [1, 3], "b": [2, 4]}),
    "byte order mark": ("\ufeffa,b\n1,ü\n", {"a": [1], "b": ["ü"]}),
    "UTF-16": ("a,b\n1,ü\n".encode("utf-16"), {"a": [1], "b": ["ü"]}),
    "Latin-1": ("a,b\n1,café\n".encode("latin-1"), {"a": [1], "b": ["café"]}),
    "empty lines above": ("\n\na,b\n1,2\n", {"a": [1], "b": [2]}),
    "no line break at the end": ("a,b\n1,2", {"a": [1], "b": [2]}),
    "one column": ("a\n1\n2\n", {"a": [1, 2]}),
    "no name": (",b\n1,2\n", {"Unnamed: 0": [1], "b": [2]}),
}


@pytest.mark.parametrize("case", READ)
def test_file_dialects_are_detected(case, tmp_path):
    """Delimiters, quotation marks and encodings."""
    content, expected = READ[case]
    frame, notes = read_table(written(tmp_path, content))
    assert frame.to_dict("list") == expected
    assert ("Windows-1252" in " ".join(notes)) == (case == "Latin-1")


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "header only": (b"a,b\n", "has a header and no rows"),
    "names twice": (b"a,b,a\n1,2,3\n", "it has more than one column called 'a'"),
    "a value too many": (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 values, and the header has 2 names"),
    "zip": (b"PK\x03\x04....", "it is a zip file, perhaps an Excel workbook"),
    "bytes": (b"a,b\n\x00\x01,2\n", "it has NUL bytes"),
    "UTF-8 and then not": ("a\nü\n".encode() + b"\xfc\n", "begins as UTF-8 text, but is damaged"),
    "no end of a quotation": (b'a,b\n1,"2\n' + b"3,4\n" * 2_000, "the quotation mark in line 2 is never closed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_tables_raise_a_clear_error(case, tmp_path, monkeypatch):
    """The message gives the problem and its location."""
    monkeypatch.setattr(delimited, "BLOCK", 1000)
    content, message = REFUSED[case]
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        read_table(written(tmp_path, content))


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "tsv"])
def test_other_formats_give_the_same_table(ending, tmp_path):
    """The extension determines the format."""
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [0.5, np.nan]})
    path = tmp_path / f"table.{ending}"
    if ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t")
    found, notes = read_table(str(path))
    pd.testing.assert_frame_equal(found, frame, check_dtype=False)
    assert notes == []


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "xls"])
def test_a_file_with_the_wrong_extension_raises_an_error(ending, tmp_path):
    """It is a DataError, not an exception of a library."""
    with pytest.raises(DataError, match=r"damaged|before 2007"):
        read_table(written(tmp_path, b"a,b\n1,2\n", f"table.{ending}"))


@pytest.mark.parametrize("path", ["nowhere.csv", "."])
def test_a_missing_file_raises_an_error(path, tmp_path, monkeypatch):
    """So does a folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"cannot be read|is a folder"):
        read_table(path)


@pytest.mark.parametrize("n_values", [3, 4, 9])
@pytest.mark.parametrize("place", [0, 1, 700])
def test_a_row_with_too_many_values_is_a_fault(n_values, place, tmp_path, monkeypatch):
    """At any position and of any length; the other rows are read, in any number of chunks."""
    monkeypatch.setattr(delimited, "BLOCK", 1000)
    monkeypatch.setattr(delimited, "CHUNK", 700)
    lines = [f'{i},"x\n{i}"' for i in range(800)]
    lines[place] = ",".join(["z"] * (n_values - 1) + ["!"])
    parts = list(read_parts(written(tmp_path, "a,b\n\n" + "\n".join(lines))))
    assert len(parts) > 3
    faults = {
        row + sum(len(p.frame) for p in parts[:i]): why
        for i, part in enumerate(parts)
        for row, why in part.faults.items()
    }
    assert list(faults) == [place]
    assert faults[place].startswith("it has more values than the header, which has 2: '")
    found = pd.concat([part.frame for part in parts])["b"].tolist()
    assert [b for i, b in enumerate(found) if i != place] == [f"x\n{i}" for i in range(800) if i != place]
    assert pd.isna(found[place])


def test_an_unclosed_quotation_does_not_fill_the_memory(tmp_path, monkeypatch):
    """A chunk that grows too long is refused before the rest of the file is read."""
    monkeypatch.setattr(delimited, "BLOCK", 1000)
    monkeypatch.setattr(delimited, "LONGEST", 5000)
    path = written(tmp_path, b'a,b\n1,"2\n' + b"3,4\n" * 20_000)
    with pytest.raises(DataError, match=r"a value does not end within .* bytes; is a quotation mark missing\?"):
        list(read_parts(path))


def test_an_inch_mark_is_part_of_a_value(tmp_path, monkeypatch):
    """Quotation marks within a value neither join rows nor cut them, beside cells of several lines."""
    monkeypatch.setattr(delimited, "BLOCK", 1000)
    monkeypatch.setattr(delimited, "CHUNK", 2000)
    lines = [f'"several\nlines, {i}",{i}' if i % 3 else f'3.5" disk,{i}' for i in range(3001)]
    path = written(tmp_path, "a,b\n" + "\n".join(lines) + "\n")
    parts = pd.concat([part.frame for part in read_parts(path)], ignore_index=True)
    expected = list(csv.reader(io.StringIO("\n".join(lines), newline="")))
    for frame in (parts, read_table(path)[0]):
        assert frame.astype(str).to_numpy().tolist() == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_pipe_is_read_like_a_file(ending, tmp_path):
    """Its times change while it is read, and it can be read only once."""
    frame = pd.DataFrame({"a": range(2000), "b": ["x", "y"] * 1000})
    buffer = io.BytesIO()
    frame.to_csv(buffer, index=False) if ending == "csv" else frame.to_parquet(buffer)
    path = tmp_path / f"table.{ending}"
    os.mkfifo(path)
    for read in (lambda: read_table(str(path))[0], lambda: pd.concat([p.frame for p in read_parts(str(path))])):
        writer = threading.Thread(target=path.write_bytes, args=(buffer.getvalue(),))
        writer.start()
        pd.testing.assert_frame_equal(read(), frame, check_dtype=False)
        writer.join()


@pytest.mark.parametrize("change", ["longer", "other file", "gone"])
def test_a_file_that_changes_while_it_is_read_raises_an_error(change, tmp_path):
    """The rows read may mix the old and the new content."""
    path = written(tmp_path, "a\n1\n")
    parts = read_parts(path)
    next(parts)
    if change == "longer":
        with open(path, "a") as file:
            file.write("2\n")
    elif change == "other file":
        os.replace(written(tmp_path, "a\n2\n", "other.csv"), path)
    else:
        os.unlink(path)
    with pytest.raises(DataError, match="was changed while it was read"):
        list(parts)


CELLS = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab,;|\t\"\n\r =-+'#é"), st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    ),
    max_size=6,
)
TABLES = st.integers(1, 5).flatmap(
    lambda n: st.tuples(
        st.lists(CELLS.filter(str.strip), min_size=n, max_size=n, unique_by=str.strip),
        st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=12),
    )
)


def check_round_trip(table, encoding, delimiter, block):
    """Compare what pandas wrote with what is read in chunks, cells as text; gaps of every spelling are gaps."""
    header, rows = table
    if len(header) == 1:  # a line of blanks is an empty line, which is not a row
        rows = [row for row in rows if not row[0] or row[0].strip(" \t")] or [["x"]]
    frame = pd.DataFrame(rows, columns=header, dtype=object)
    # pandas puts a carriage return in quotation marks only where lines end in one.
    line_end = "\r\n" if any("\r" in cell for row in [header, *rows] for cell in row) else "\n"
    content = frame.to_csv(index=False, sep=delimiter, lineterminator=line_end).encode(encoding)
    with mock.patch.multiple(delimited, BLOCK=block, CHUNK=4 * block):
        parts = list(delimited.read_delimited(io.BytesIO(content), delimiter, header_names(header), False))
    found = pd.concat([part for part, _, _ in parts])
    assert list(found.columns) == header_names(header)
    assert not any(faults for _, faults, _ in parts)
    expected = [[None if cell in MISSING else cell for cell in row] for row in rows]
    cells = [[None if pd.isna(cell) else cell for cell in row] for row in found.to_numpy().tolist()]
    # pandas drops blanks at the beginning of a line; those around a value have no meaning in a table.
    assert [[(row[0] and row[0].lstrip(" \t")) or None, *row[1:]] for row in cells] == [
        [row[0] and first_cell(row[0]), *row[1:]] for row in expected
    ]


def first_cell(text):
    """Return the first cell of a row without the blanks before it, None if it is a gap."""
    text = text.lstrip(" \t")
    return None if text in MISSING else text


def header_names(header):
    return [name.strip() for name in header]


@given(TABLES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.sampled_from(",;\t|"), st.integers(7, 60))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_tables_written_by_pandas_round_trip(table, encoding, delimiter, block):
    """Cell by cell, for any size of blocks."""
    check_round_trip(table, encoding, delimiter, block)


@pytest.mark.slow
@given(TABLES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.sampled_from(",;\t|"), st.integers(7, 60))
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
def test_ten_thousand_tables_written_by_pandas_round_trip(table, encoding, delimiter, block):
    """There are 0 differences."""
    check_round_trip(table, encoding, delimiter, block)


def test_chunks_add_up_to_the_table(tmp_path, monkeypatch):
    """Small chunks are concatenated."""
    frame = pd.DataFrame({"a": np.arange(500), "b": [f"text\n{i}" for i in range(500)], "c": np.linspace(0, 1, 500)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.setattr(delimited, "BLOCK", 997)
    monkeypatch.setattr(delimited, "CHUNK", 1500)
    parts = list(read_parts(str(tmp_path / "table.csv")))
    assert len(parts) > 5
    pd.testing.assert_frame_equal(pd.concat([part.frame for part in parts], ignore_index=True), frame)


def test_missing_values_are_those_of_the_preparer(tmp_path):
    """Both use one list, without "None", which may be a category."""
    texts = sorted(MISSING - {""})
    frame, _ = read_table(written(tmp_path, "a,b\n" + "".join(f"{text},x\n" for text in texts) + "None,x\n"))
    assert frame["a"].isna().tolist() == [True] * len(texts) + [False]


def test_output_is_written_atomically(tmp_path):
    """An existing file is unchanged if writing fails."""
    path = tmp_path / "out.csv"
    path.write_text("before")
    with pytest.raises(TypeError), whole_output(str(path)) as output:
        output.write("half" + None)
    assert path.read_text() == "before"
    with whole_output(str(path)) as output:
        output.write("after")
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


@given(st.lists(st.text(max_size=8), min_size=2, max_size=4))
def test_written_lines_round_trip(cells):
    """With Python's CSV reader; formulas are escaped unless `formulas` is true."""
    assert next(csv.reader(io.StringIO(csv_line(cells, formulas=True), newline=""))) == cells
    harmless = next(csv.reader(io.StringIO(csv_line(cells), newline="")))
    assert [unescaped(cell) for cell in harmless] == cells


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1"])
def test_no_cell_begins_like_a_formula(text):
    """Numbers and signs in other places are unchanged."""
    assert csv_line([text]).strip('"').startswith("'")
    assert csv_line(["-1", "+2.5", "-3e-5", "-0,5", "a=b", "", -1.5]) == '-1,+2.5,-3e-5,"-0,5",a=b,,-1.5\n'


@pytest.mark.parametrize(
    ("names", "is_data"),
    [
        (["5.1", "3.5", "setosa"], True),
        (["3", "17", "4", "yes"], True),
        (["age", "income"], False),
        (["country", "2019", "2020", "2021"], False),
        (["0", "1", "2"], False),
        (["x1", "x2", "7"], False),
        (["y"], False),
    ],
)
def test_a_header_that_looks_like_data_is_detected(names, is_data):
    """Unevenly spaced numbers are not names; years and positions are."""
    assert delimited.looks_like_data(names) == is_data


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_without_a_header_has_numbered_columns(tmp_path, ending):
    """The first row is data, even if it has a value twice."""
    path = tmp_path / f"table.{ending}"
    frame = pd.DataFrame([[0.2, 0.2, "a"], [1.5, 3.5, "b"]])
    if ending == "csv":
        frame.to_csv(path, index=False, header=False)
    else:
        frame.to_excel(path, index=False, header=False)
    found, _ = read_table(str(path), has_header=False)
    assert found.columns.tolist() == ["column 1", "column 2", "column 3"]
    assert found.to_numpy().tolist() == frame.to_numpy().tolist()
    with pytest.raises(DataError, match=r"looks like data, not like column names: '0.2', '0.2', 'a'\. Add a line"):
        read_table(str(path))


@pytest.mark.parametrize("separator", [",", ";"])
def test_columns_are_strings_only_if_conversion_loses_information(tmp_path, separator):
    """Codes are strings; numbers keep their dtypes, and only tables with semicolons may group thousands by points."""
    path = tmp_path / "table.csv"
    rows = [["01067", "1.234", "1.5", "0.844", "7"], ["80331", "5.678", "2.25", "0.912", "8"]]
    pd.DataFrame(rows, columns=list("abcde")).to_csv(path, index=False, sep=separator)
    found, _ = read_table(str(path))
    kinds = "".join("t" if dtype.kind not in "if" else dtype.kind for dtype in found.dtypes)
    assert kinds == ("ttffi" if separator == ";" else "tfffi")
    assert found["a"].tolist() == ["01067", "80331"]
