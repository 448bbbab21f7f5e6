"""Tables from files of people: whatever separates values, whatever the encoding, in any number of parts."""

import csv
import io
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap.exceptions import DataError
from cogmap.table.files import csv_line, read_parts, read_table, records, whole_output
from cogmap.table.preparation.texts import MISSING


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
def test_a_file_is_read_as_it_was_meant(case, tmp_path):
    """Delimiters, quotation marks and encodings are found out."""
    content, expected = READ[case]
    frame, notes = read_table(written(tmp_path, content))
    assert frame.to_dict("list") == expected
    assert ("Windows-1252" in " ".join(notes)) == (case == "Latin-1")


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "header only": (b"a,b\n", "has a header and no rows"),
    "names twice": (b"a,b,a\n1,2,3\n", "more than one column called 'a'"),
    "a value too many": (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 values, and the header 2 names"),
    "zip": (b"PK\x03\x04....", "an Excel workbook or another zip file"),
    "bytes": (b"a,b\n\x00\x01,2\n", "bytes that no text has"),
    "UTF-8 and then not": ("a\nü\n".encode() + b"\xfc\n", "is UTF-8 text at first, and not any more"),
    "no end of a quotation": (b'a,b\n1,"2\n' + b"3,4\n" * 2_000, "Is a quotation mark forgotten?"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_told_in_a_sentence(case, tmp_path, monkeypatch):
    """What is wrong, and where."""
    monkeypatch.setattr(records, "BLOCK", 1000)
    monkeypatch.setattr(records, "LONGEST", 5000)
    content, message = REFUSED[case]
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        read_table(written(tmp_path, content))


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "tsv"])
def test_other_kinds_of_files_give_the_same_table(ending, tmp_path):
    """By the ending of the file."""
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
def test_a_file_that_is_not_what_its_ending_says_is_told(ending, tmp_path):
    """In our words."""
    with pytest.raises(DataError, match=r"damaged, or no|before 2007"):
        read_table(written(tmp_path, b"a,b\n1,2\n", f"table.{ending}"))


@pytest.mark.parametrize("path", ["nowhere.csv", "."])
def test_a_file_that_is_not_there_is_told(path, tmp_path, monkeypatch):
    """So is a folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"cannot be read|is a folder"):
        read_table(path)


def test_a_row_with_too_many_values_stays_in_its_place(tmp_path):
    """With the line that it is in; the rows around it are read."""
    path = written(tmp_path, 'a,b\n1,x\n"2\n",y\n3,z,!\n4,w\n')
    (part,) = read_parts(path)
    assert part.faults == {2: "line 5 has 3 values, and the header 2 names"}
    assert part.frame["b"].tolist() == ["x", "y", None, "w"]


@pytest.mark.parametrize("change", ["longer", "other file", "gone"])
def test_a_file_that_changes_while_it_is_read_is_told(change, tmp_path):
    """Whatever was read of it may be half of the old and half of the new."""
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


@given(
    rows=st.lists(st.tuples(*[st.text(alphabet='ab",;\n\r é"', max_size=5)] * 3), min_size=1, max_size=30),
    size=st.integers(1, 40),
)
@settings(max_examples=60, deadline=None)
def test_records_are_the_same_however_a_file_is_cut(rows, size):
    """Python's own reader of CSV agrees, for blocks of any size."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("x", "y", "z"), *rows])
    content = buffer.getvalue().encode()
    old, records.BLOCK = records.BLOCK, size
    try:
        found = records.open_delimited(io.BytesIO(content), "table", ",")
        cut = [row for block in found.blocks for _, row in records.records_of(block, ",")]
    finally:
        records.BLOCK = old
    assert cut == [list(row) for row in csv.reader(io.StringIO(buffer.getvalue(), newline=""))][1:]


def test_parts_are_the_table(tmp_path, monkeypatch):
    """Small parts put together are the whole."""
    frame = pd.DataFrame({"a": np.arange(500), "b": [f"text\n{i}" for i in range(500)], "c": np.linspace(0, 1, 500)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.setattr(records, "BLOCK", 997)
    parts = list(read_parts(str(tmp_path / "table.csv")))
    assert len(parts) > 5
    pd.testing.assert_frame_equal(pd.concat([part.frame for part in parts], ignore_index=True), frame)


def test_gaps_are_those_that_the_preparer_knows(tmp_path):
    """One list says what is missing: "None" may be a category."""
    texts = sorted(MISSING - {""})
    frame, _ = read_table(written(tmp_path, "a,b\n" + "".join(f"{text},x\n" for text in texts) + "None,x\n"))
    assert frame["a"].isna().tolist() == [True] * len(texts) + [False]


def test_output_is_there_whole_or_not_at_all(tmp_path):
    """What was there before stays if writing fails."""
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
def test_written_lines_are_read_back(cells):
    """By Python's own reader of CSV."""
    assert next(csv.reader(io.StringIO(csv_line(cells), newline=""))) == cells


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
def test_a_header_that_looks_like_data_is_noticed(names, is_data):
    """Numbers that do not count up are no names; years and places are."""
    assert records.looks_like_data(names) == is_data


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_without_a_header_has_numbered_columns(tmp_path, ending):
    """The first row is a row, also if it has a value twice."""
    path = tmp_path / f"table.{ending}"
    frame = pd.DataFrame([[0.2, 0.2, "a"], [1.5, 3.5, "b"]])
    if ending == "csv":
        frame.to_csv(path, index=False, header=False)
    else:
        frame.to_excel(path, index=False, header=False)
    found, _ = read_table(str(path), has_header=False)
    assert found.columns.tolist() == ["column 1", "column 2", "column 3"]
    assert found.to_numpy().tolist() == frame.to_numpy().tolist()
    with pytest.raises(DataError, match=r"looks like data, not like names of columns: '0.2', '0.2', 'a'\. Add a line"):
        read_table(str(path))


@pytest.mark.parametrize("separator", [",", ";"])
def test_text_says_more_than_a_type_only_where_it_does(tmp_path, separator):
    """Codes stay text; numbers keep their types, and only a table with semicolons may group thousands by points."""
    path = tmp_path / "table.csv"
    rows = [["01067", "1.234", "1.5", "0.844", "7"], ["80331", "5.678", "2.25", "0.912", "8"]]
    pd.DataFrame(rows, columns=list("abcde")).to_csv(path, index=False, sep=separator)
    found, _ = read_table(str(path))
    kinds = "".join("t" if dtype.kind not in "if" else dtype.kind for dtype in found.dtypes)
    assert kinds == ("ttffi" if separator == ";" else "tfffi")
    assert found["a"].tolist() == ["01067", "80331"]
