"""Files that are no maps: one message that names the place, nothing written, nothing run, nothing else touched."""

import json
import random
import struct
import subprocess
import sys
import zipfile

import openpyxl
import pytest
from click.testing import CliRunner

from cogmap import FuzzyCognitiveMap, read_map, read_maps, write_map
from cogmap.cli.group import cli
from cogmap.exceptions import CogmapError, DataError, MissingPackageError, ParameterError

BOMB = '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
LAKE = "<mentalmodeler><concepts><concept><name>{}</name></concept></concepts></mentalmodeler>"
CONCEPTS = "<mentalmodeler><concepts>{}</concepts></mentalmodeler>"
ONE = CONCEPTS.format("<concept><id>1</id><name>fish</name><relationships>{}</relationships></concept>")
GRAPH = '<graphml><graph{}><node id="a"/><edge source="a" target="{}">{}</edge></graph></graphml>'
OURS = '{{"format": "cogmap map", "version": 1, "concepts": {}, "edges": {}}}'

FILES = {
    # tables
    "empty": ("map.csv", "", "it is empty"),
    "blank": ("map.csv", "\n \n,,\n", "it is empty"),
    "missing row": ("map.csv", ",a,b\na,0,1\n", r"line 1, column 3: the column 'b' has no row of the same name"),
    "missing column": ("map.csv", ",a,c\na,0,1\nb,1,0\nc,0,0\n", r"line 3, column 1: the row 'b' has no column"),
    "misspelled row": (
        "map.csv",
        ",fish,laws\nfihs,0,1\nlaws,0,0\n",
        "'fihs' has no column of the same name. Did you mean 'fish'",
    ),
    "other names": ("map.csv", "x,a,b\nc,0,1\nd,1,0\n", "neither a matrix, whose rows and columns have the same names"),
    "not square": ("map.csv", "1,2,3,4\n0,1,0,1\n1,0,1,1\n", "2 rows and 4 columns below its header"),
    "not square, no names": ("map.csv", "0,1,0,1\n1,0,0.5,1\n", "this table has 2 rows and 4 columns"),
    "row without a name": (
        "map.csv",
        ",a,b,c\na,0,1,0\n,1,0,0\nb,0,0,0\nc,0,0,0\n",
        "line 3, column 1: the row has no name",
    ),
    "column without a name": ("map.csv", ",a,,b\na,0,1,0\nb,0,1,0\n", "line 1, column 3: the column has no name"),
    "text as weight": (
        "map.csv",
        ",a,b\na,0,lots\nb,1,0\n",
        r"line 2, column 3: 'lots' is neither a number nor one of the",
    ),
    "only a sign": ("map.csv", ",a,b\na,0,-\nb,1,0\n", r"line 2, column 3: '-' is neither a number nor"),
    "two signs": ("map.csv", ",a,b\na,0,+M-\nb,1,0\n", r"line 2, column 3: '\+M-' is neither a number nor"),
    "infinite": ("map.csv", ",a,b\na,0,1e999\nb,1,0\n", "line 2, column 3: 1e999 is not a finite number"),
    "two rows": ("map.csv", ",a,b\na,0,1\na,1,0\nb,0,0\n", "line 3, column 1: there is already a concept named 'a'"),
    "rows that differ in capitals": (
        "map.csv",
        ",Fish,laws\nFish,0,1\nfish,1,0\nlaws,0,0\n",
        "line 3, column 1: 'fish' and 'Fish' have the same column",
    ),
    "two columns": ("map.csv", ",a,a,b\na,0,1,0\nb,1,0,0\n", "line 1, column 3: there is already a column named 'a'"),
    "two names in a header": ("map.csv", "a,a\n0,1\n1,0\n", "line 1, column 2: there is already a concept named 'a'"),
    "bias is text": (
        "map.csv",
        ",a,b,bias\na,0,1,x\nb,1,0,0\n",
        "line 2, column 4: bias must be a number, got 'x'",
    ),
    "slope of 0": ("map.csv", ",a,b,slope\na,0,1,0\nb,1,0,0\n", r"slope=...\)` must be greater than 0"),
    "activation": ("map.csv", ",a,activation\na,0,tahn\n", "Did you mean 'tanh'"),
    "quotation mark": ("map.csv", ',a,b\na,0,"1\nb,1,0\n', "line 2: unexpected end of data"),
    "edges without weight": ("map.csv", "from,to\na,b\n", "an edge list needs a column named weight"),
    "edge from nowhere": (
        "map.csv",
        "from,to,weight\na,b,1\n,b,1\n",
        "line 3, column 1: the edge to 'b' has no source",
    ),
    "edge without ends": (
        "map.csv",
        "from,to,weight\na,b,1\n,,1\n",
        "line 3, column 1: the edge has neither source nor target",
    ),
    "two weights": (
        "map.csv",
        "from,to,weight\na,b,1\na,b,2\n",
        "line 3, column 3: the edge from 'a' to 'b' has two weights, 1 and 2",
    ),
    "two sources": (
        "map.csv",
        "from,source,to,weight\na,b,c,1\n",
        "line 1, column 2: there are two columns for the source",
    ),
    "weight and direction": (
        "map.csv",
        "from,to,weight,direction\na,b,-1,positive\n",
        "the weight -1 is negative, but its direction is 'positive'",
    ),
    "direction": ("map.csv", "from,to,weight,direction\na,b,1,up\n", "line 2, column 3: the direction 'up' is neither"),
    "two terms": ("map.csv", "from,to,L,H\na,b,1,1\n", "line 2, column 1: the edge has a mark under 2 terms"),
    "three by three": (
        "map.csv",
        "1,2,0.5\n2,3,0.5\n3,1,0.5\n",
        "may be a matrix or three edges; put a header above them",
    ),
    "edge of text": ("map.csv", "a,b,c\nd,e,f\n", "line 1, column 3: 'c' is neither a number nor"),
    "prose": ("map.txt", "This is no map.\nIt is a letter.\n", "1 columns below its header|neither a matrix"),
    "names alone": ("map.csv", '{1:"a", 2:"b"}', "names concepts and has no edges; pass it as `concepts`"),
    # other bytes
    "binary junk": ("map.csv", bytes(range(256)) * 10, "it is not text"),
    "junk in JSON": ("map.json", b"\x00\x01\x02" * 50, "it is not text"),
    "junk in XML": ("map.mmp", b"<\x00\x01\x02" * 50, "it is not well-formed XML"),
    "junk in Excel": ("map.xlsx", b"\x00\x01\x02" * 50, "it is cut off or damaged"),
    "junk in DOT": ("map.dot", b"\xff\x00" * 50, "it is not"),
    "picture": ("map.csv", b"\x89PNG\r\n\x1a\n" + bytes(50), "it is a picture"),
    "PDF": ("map.csv", b"%PDF-1.7 ...", "it is a PDF"),
    "workbook as CSV": ("map.csv", b"PK\x03\x04" + bytes(50), "perhaps an Excel workbook: name it .xlsx"),
    "old workbook": ("map.xlsx", b"\xd0\xcf\x11\xe0" + bytes(600), "of before 2007: save it as .xlsx"),
    "XML as CSV": ("map.csv", LAKE.format("fish"), "neither a matrix|a matrix has a row and a column"),
    # XML
    "entity bomb": ("map.mmp", BOMB + LAKE.format("&b;"), "line 1: it has a document type declaration"),
    "entity bomb in GraphML": ("map.graphml", BOMB + "<graphml/>", "line 1: it has a document type declaration"),
    "external entity": ("map.xml", OUTSIDE + LAKE.format("&a;"), "line 1: it has a document type declaration"),
    "external type": (
        "map.mmp",
        '<!DOCTYPE m SYSTEM "http://localhost:9/x.dtd">' + LAKE.format("a"),
        "document type declaration",
    ),
    "unknown entity": ("map.mmp", LAKE.format("&b;"), "not well-formed XML: undefined entity: line 1"),
    "deep XML": ("map.xml", "<a>" * 5000 + "</a>" * 5000, "nested more than 100 deep"),
    "cut off": ("map.mmp", LAKE.format("fish")[:-20], "not well-formed XML"),
    "other XML": (
        "map.xml",
        "<html><body/></html>",
        "its root element must be one of .*, got <html>",
    ),
    "other root": (
        "map.mmp",
        "<graphml/>",
        "its root element must be <mentalmodeler>, got <graphml>",
    ),
    "no concepts": ("map.mmp", "<mentalmodeler/>", "it has no concepts"),
    "unknown target": (
        "map.mmp",
        ONE.format("<relationship><id>9</id><influence>1</influence></relationship>"),
        "concept 'fish', relationship 1: an edge names '9', which is no",
    ),
    "leads nowhere": (
        "map.mmp",
        ONE.format("<relationship><influence>1</influence></relationship>"),
        "concept 'fish', relationship 1: it has no target",
    ),
    "text as influence": (
        "map.mmp",
        ONE.format("<relationship><id>1</id><influence>lots</influence></relationship>"),
        "concept 'fish', relationship 1: 'lots' is neither",
    ),
    "text as place": (
        "map.mmp",
        CONCEPTS.format("<concept><name>a</name><x>left</x></concept>"),
        "concept 1: x must be a number, got 'left'",
    ),
    "two of a name": (
        "map.mmp",
        CONCEPTS.format("<concept><name>a</name></concept>" * 2),
        "concept 2: there is already a concept named 'a'",
    ),
    "two of an id": (
        "map.mmp",
        CONCEPTS.format("<concept><id>1</id><name>a</name></concept><concept><id>1</id><name>b</name></concept>"),
        "concept 2: 'a' and 'b' both have the id '1'",
    ),
    "no map": ("map.xml", "<maps/>", "it contains no map"),
    "JFCM target": (
        "map.xml",
        '<maps><map><concepts><concept name="a"/></concepts><connections><connection from="a" to="b"/></connections>'
        "</map></maps>",
        "connection 1: an edge names 'b'",
    ),
    # GraphML
    "no direction": ("map.graphml", GRAPH.format(' edgedefault="undirected"', "a", ""), "its edges are undirected"),
    "no weight": ("map.graphml", GRAPH.format("", "a", ""), "edge from 'a' to 'a': it has no weight"),
    "unknown node": ("map.graphml", GRAPH.format("", "b", '<data key="weight">1</data>'), "an edge names 'b'"),
    # DOT
    "graph of no direction": (
        "map.dot",
        "graph { a -- b }",
        "line 1: its edges have no direction: it must begin with digraph",
    ),
    "edge of no direction": (
        "map.dot",
        "digraph {\n a -> b [weight=1]\n a -- c }",
        "line 3: the edge -- has no direction",
    ),
    "edge of no weight": ("map.dot", "digraph {\n a -> b\n}", "line 2: the edge from 'a' to 'b' has no weight"),
    "open brace": ("map.dot", "digraph { a -> b [label=1]", "it ends too early"),
    "after the end": ("map.dot", "digraph { } }", "text follows after the end"),
    "not DOT": ("map.dot", "hello\n", "line 1: it is not DOT"),
    "no attribute": ("map.dot", "digraph { a [label] }", "line 1: expected '=', got ']'"),
    "deep DOT": ("map.dot", "digraph " + "{" * 20_000, "nested too deep"),
    # JSON
    "no JSON": ("map.json", '{"concepts": [}', "line 1, column 15: it is not JSON"),
    "neither": ("map.mmp", "hello", "neither XML nor JSON, as .mmp files must be"),
    "other JSON": ("map.json", "[1, 2]", "neither concepts and edges nor a matrix"),
    "a number": ("map.json", "7", "neither concepts and edges nor a matrix"),
    "JSON without concepts": ("map.mmp", '{"a": 1}', 'without the "concepts"'),
    "deep JSON": ("map.json", "[" * 100_000, "it is not valid JSON"),
    "long number": (
        "map.json",
        '{"edges": [{"source": "a", "target": "b", "weight": ' + "9" * 5000 + "}]}",
        "it is not valid JSON",
    ),
    "infinite JSON": (
        "map.json",
        '{"edges": [{"source": "a", "target": "b", "weight": Infinity}]}',
        "edge 1: inf is not a finite number",
    ),
    "names in names": (
        "map.json",
        '{"a": {"b": 1}, "b": {"a": 0}}',
        "the sources in some tools and the targets in others",
    ),
    "not directed": ("map.json", '{"directed": false, "nodes": ["a"], "edges": []}', "its edges are undirected"),
    "edge without target": (
        "map.json",
        '{"nodes": ["a"], "edges": [{"source": "a", "weight": 1}]}',
        "edge 1: it has no target",
    ),
    "edge without weight": (
        "map.json",
        '{"nodes": ["a"], "edges": [{"source": "a", "target": "a"}]}',
        "edge 1: it has no weight",
    ),
    "edge to nobody": (
        "map.json",
        '{"nodes": ["fish"], "edges": [{"source": "fish", "target": "fsh", "weight": 1}]}',
        "an edge names 'fsh', which is not a concept of the map. Did you mean 'fish'",
    ),
    "matrix and names": ("map.json", '{"concepts": ["a"], "weights": [[0], [1]]}', "1 concepts and a matrix of 2 rows"),
    "newer than we": ("map.json", '{"format": "cogmap map", "version": 99}', "it has version 99 of the format"),
    "ours without a name": ("map.json", OURS.format("[{}]", "[]"), r"concepts\[0\]: a concept must have a name"),
    "ours with text": (
        "map.json",
        OURS.format('[{"name": "a"}]', '[{"source": "a", "target": "a", "weight": "H"}]'),
        r"edges\[0\]: an edge must have a source",
    ),
    "ours with two slopes": (
        "map.json",
        OURS.format('[{"name": "a", "slope": [1, 2]}]', "[]"),
        r"concepts\[0\]: 'slope' must be a number",
    ),
    "ours without concepts": ("map.json", OURS.format(3, "[]"), "'concepts' must be a list"),
    # endings
    "other ending": ("map.pdf", "a", "The extension of .*map.pdf must be one of .mmp, .json"),
    "no ending": ("map", "a", "must be one of .mmp"),
    "Excel of before 2007": ("map.xls", b"\xd0\xcf\x11\xe0", "Save it as .xlsx"),
    "graph of Gephi": ("map.gexf", "<gexf/>", "cogmap.integrations.networkx.from_networkx"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_that_are_no_maps(tmp_path, case):
    """Read, shown and converted: one message each, and no file."""
    name, content, message = FILES[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message) as raised:
        read_map(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600
    for command in (["show", str(path)], ["convert", str(path), str(tmp_path / "new.json")]):
        told = CliRunner().invoke(cli, ["map", *command])
        assert told.exit_code == 2
        assert told.stderr.count("\n") == 1
        assert told.stdout == ""
    assert [found.name for found in tmp_path.iterdir()] == [name]


def make_book(path, rows, name="drawn"):
    book = openpyxl.Workbook()
    book.active.title = name
    for row in rows:
        book.active.append(row)
    book.save(path)


def test_messages_about_sheets_name_the_cell(tmp_path):
    """Sheet, column and row as the spreadsheet has them."""
    make_book(
        tmp_path / "map.xlsx", [[None] * 30, [None, None, "a", "b"], [None, "a", 0, 1], [None, "b", "lots", 0]][1:]
    )
    with pytest.raises(DataError, match=r"sheet 'drawn', cell C3: 'lots' is neither"):
        read_map(tmp_path / "map.xlsx")
    make_book(tmp_path / "map.xlsx", [[None, "a", "b"], ["a", 0, "#DIV/0!"], ["b", 1, 0]])
    with pytest.raises(DataError, match=r"cell C2: '#DIV/0!' is neither"):
        read_map(tmp_path / "map.xlsx")
    make_book(tmp_path / "map.xlsx", [[None, "a", "b"], ["a", 0, "=1/2"], ["b", 1, 0]])
    with pytest.raises(DataError, match=r"cell C2: the value of the formula '=1/2' is not in the file"):
        read_map(tmp_path / "map.xlsx")
    make_book(tmp_path / "map.xlsx", [])
    with pytest.raises(DataError, match=r"all its sheets are empty"):
        read_map(tmp_path / "map.xlsx")


def repack(source, target, change):
    """Copy a zip file, with other contents of its parts."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(part.filename, change(part.filename, old.read(part)))


def test_a_bomb_in_a_workbook_does_not_go_off(tmp_path):
    """A part that would be 300 MB unpacked is told by its size, before it is unpacked."""
    make_book(tmp_path / "good.xlsx", [[None, "a"], ["a", 1]])
    bomb = tmp_path / "map.xlsx"
    with (
        zipfile.ZipFile(tmp_path / "good.xlsx") as old,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for part in old.infolist():
            new.writestr(part.filename, old.read(part))
        with new.open("xl/worksheets/sheet2.xml", "w") as big:
            for _ in range(300):
                big.write(bytes(1_000_000))
    assert bomb.stat().st_size < 3_000_000
    with pytest.raises(DataError, match=r"it would unpack to 300,.* bytes"):
        read_map(bomb)


def test_a_workbook_that_lies_about_its_size_is_refused(tmp_path):
    """What is longer than its directory says is not read to its end."""
    make_book(tmp_path / "map.xlsx", [[None, "a"], ["a", 1]])
    content = bytearray((tmp_path / "map.xlsx").read_bytes())
    for entry in [i for i in range(len(content)) if content[i : i + 4] == b"PK\x01\x02"]:
        content[entry + 24 : entry + 28] = struct.pack("<I", 10)
    (tmp_path / "map.xlsx").write_bytes(content)
    with pytest.raises(DataError, match=r"it is cut off or damaged"):
        read_map(tmp_path / "map.xlsx")


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "[Content_Types].xml"])
def test_entities_in_a_workbook_are_refused(tmp_path, part):
    """In whatever part of it."""
    make_book(tmp_path / "good.xlsx", [[None, "a"], ["a", 1]])

    def change(name, content):
        return (
            BOMB.encode() + content.replace(b"<?xml version='1.0' encoding='UTF-8'?>", b"") if name == part else content
        )

    repack(tmp_path / "good.xlsx", tmp_path / "map.xlsx", change)
    with pytest.raises(DataError, match=r"document type declaration|not well-formed"):
        read_map(tmp_path / "map.xlsx")


def test_damaged_workbooks_are_told(tmp_path):
    """A zip file of something else; parts that are missing or nonsense."""
    make_book(tmp_path / "good.xlsx", [[None, "a"], ["a", 1]])
    with zipfile.ZipFile(tmp_path / "map.xlsx", "w") as package:
        package.writestr("hello.txt", "hello")
    with pytest.raises(DataError, match=r"it is a zip file, but not an Excel workbook"):
        read_map(tmp_path / "map.xlsx")
    repack(tmp_path / "good.xlsx", tmp_path / "map.xlsx", lambda name, old: b"<a/>" if name.startswith("xl/") else old)
    with pytest.raises(DataError, match=r"it is damaged, or not an .xlsx file"):
        read_map(tmp_path / "map.xlsx")


def test_large_files_are_not_read(tmp_path):
    """100 MB of nothing are told by their size; so are fewer bytes of far too many cells."""
    with (tmp_path / "map.csv").open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(DataError, match=r"it has 100,000,000 bytes, more than the limit of"):
        read_map(tmp_path / "map.csv")
    (tmp_path / "map.csv").write_text("," * 4_100_000)
    with pytest.raises(DataError, match=r"cells, and a map can have at most 4,000,000"):
        read_map(tmp_path / "map.csv")


def test_what_is_no_file_is_told(tmp_path):
    """A folder; a file that is not there; something else than a path."""
    (tmp_path / "map.csv").mkdir()
    with pytest.raises(DataError, match=r"map.csv cannot be read: it is not a regular file"):
        read_map(tmp_path / "map.csv")
    with pytest.raises(FileNotFoundError, match=r"nowhere.csv"):
        read_map(tmp_path / "nowhere.csv")
    with pytest.raises(ParameterError, match=r"must be the path of a file, got 3"):
        read_map(3)


GOOD = ",fish,laws\nfish,0,0.5\nlaws,-2,0\n"
WRONG = {
    "bounds": ({"weight_bounds": (-1, 1)}, DataError, "line 3, column 2: the weight -2 is not between -1 and 1"),
    "bounds of text": ({"weight_bounds": "-1"}, ParameterError, "two numbers, the lower first"),
    "bounds upside down": (
        {"weight_bounds": (1, -1)},
        ParameterError,
        r"two numbers, the lower first, such as \(-1, 1\), got \(1, -1\)",
    ),
    "sheet": ({"sheet": "a"}, ParameterError, "left out, as the file has one map, got 'a'"),
    "scale": ({"scale": {}}, ParameterError, "a mapping from words to weights"),
    "scale of text": ({"scale": {"weak": "low"}}, ParameterError, r"scale\['weak'\]=...\)` must be a finite number"),
    "scale of no words": ({"scale": {1: 2}}, ParameterError, "a mapping from words to weights"),
    "too few names": ({"concepts": ["fish"]}, DataError, "the concept 'laws' is not among the 1 names"),
    "names of numbers": ({"concepts": [1, 2]}, ParameterError, "a file with names, or a list of names"),
    "no names": ({"concepts": "nowhere.csv"}, FileNotFoundError, "nowhere.csv"),
    "two of a name": (
        {"concepts": ["fish", "fish"]},
        DataError,
        "the names of the concepts: there is already a concept named 'fish'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_parameters_are_told(tmp_path, monkeypatch, case):
    """As everywhere: which, what was expected, what was got."""
    monkeypatch.chdir(tmp_path)
    parameters, error, message = WRONG[case]
    (tmp_path / "map.csv").write_text(GOOD)
    with pytest.raises(error, match=message):
        read_map("map.csv", **parameters)


def test_a_sheet_that_is_not_there_is_told(tmp_path):
    """With the ones that are."""
    (tmp_path / "map.json").write_text(json.dumps({"Anna": [{"from": "a", "to": "b", "weight": 1}], "Ben": []}))
    with pytest.raises(ParameterError, match=r"one of 'Anna', 'Ben', got 'Ana'. Did you mean 'Anna'?"):
        read_map(tmp_path / "map.json", sheet="Ana")
    with pytest.raises(DataError, match=r"it is empty"):
        read_maps(tmp_path / "map.json")


def test_names_in_a_file_that_has_none(tmp_path):
    """The message says which file it is about."""
    (tmp_path / "map.csv").write_text(GOOD)
    for content in ("", '{1:"a", 2:b}', "[1, 2]"):
        (tmp_path / "names.csv").write_text(content)
        with pytest.raises(DataError, match=r"The names of concepts in .*names\.csv cannot be read"):
            read_map(tmp_path / "map.csv", concepts=tmp_path / "names.csv")


class TestWriting:
    fcm = FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 0.8)])

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("map.xml", "can be read but not written. Extensions that can be written: .mmp"),
            ("map.xlsm", "can be read but not written"),
            ("map.png", "must be one of .mmp"),
        ],
    )
    def test_endings_that_are_not_written(self, tmp_path, name, message):
        """And nothing is."""
        with pytest.raises(DataError, match=message):
            write_map(self.fcm, tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    def test_wrong_parameters(self, tmp_path):
        """Not a map, not a table, not a path."""
        with pytest.raises(ParameterError, match=r"must be a FuzzyCognitiveMap, got 'map'"):
            write_map("map", tmp_path / "map.csv")
        with pytest.raises(
            ParameterError, match=r"must be one of 'matrix', 'edges', got 'edge'. Did you mean 'edges'?"
        ):
            write_map(self.fcm, tmp_path / "map.csv", table="edge")
        with pytest.raises(ParameterError, match=r"the path of a file"):
            write_map(self.fcm, "")

    def test_what_a_file_cannot_hold(self, tmp_path):
        """Told with the cure; a file that was there stays as it was."""
        (tmp_path / "map.mmp").write_text("precious")
        bad = FuzzyCognitiveMap([[1]], concepts=["a\x00b"])
        with pytest.raises(DataError, match=r"cannot be written to .*map.mmp: .* A .json file can hold any map"):
            write_map(bad, tmp_path / "map.mmp")
        assert (tmp_path / "map.mmp").read_text() == "precious"

    def test_folders_that_are_not_there(self, tmp_path):
        """Told by the name of the folder."""
        with pytest.raises(DataError, match=r"map.csv: there is no folder .*nowhere"):
            write_map(self.fcm, tmp_path / "nowhere" / "map.csv")


WATCH = """
import sys
from cogmap import read_map
from cogmap.exceptions import DataError
import cogmap.maps.formats, openpyxl, csv, json, encodings.cp1252, encodings.utf_16
seen = []
sys.addaudithook(lambda event, args: seen.append((event, args)))
for path in sys.argv[1:]:
    try:
        read_map(path)
    except (DataError, UnicodeError):
        pass
for event, args in seen:
    if event.startswith(("socket", "subprocess", "os.system", "urllib", "ctypes", "exec", "os.exec", "pty")):
        print(event, args)
    if event == "open" and str(args[0]) not in sys.argv[1:]:
        print(event, args)
"""


def test_nothing_else_is_opened_or_run(tmp_path):
    """Python itself tells what a process opens, runs and connects to: only the files that were asked for."""
    paths = []
    for case, (name, content, _) in FILES.items():
        path = tmp_path / case.replace(" ", "_").replace(",", "") / name
        path.parent.mkdir()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    done = subprocess.run([sys.executable, "-c", WATCH, *paths], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def damaged(content, rng):
    """Return bytes with some of them changed, left out or repeated."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        i, length = rng.randrange(len(content) + 1), rng.randrange(1, 30)
        pieces = [
            b"",
            b"",
            bytes([rng.randrange(256)]),
            content[i : i + 2 * length],
            b'"',
            b"<",
            b"[",
            b"1e999",
            b"NaN",
            b",",
        ]
        content[i : i + rng.choice([0, length])] = rng.choice(pieces)
    return bytes(content)


@pytest.mark.parametrize("ending", ["mmp", "json", "csv", "tsv", "xlsx", "dot", "graphml"])
def test_damaged_files_are_read_or_told(tmp_path, ending):
    """A hundred kinds of damage: a map, or one of our own errors; never another."""
    details = {"concepts": {"laws": {"x": 1, "y": 2, "notes": "a"}}, "edges": {"laws": {"fish": {"lag": 2}}}}
    fcm = FuzzyCognitiveMap.from_edges([("laws", "fish", 0.5), ("fish", "laws", -0.25)], slope=2, details=details)
    write_map(fcm, tmp_path / f"map.{ending}")
    content = (tmp_path / f"map.{ending}").read_bytes()
    rng = random.Random(ending)
    n_told = 0
    for _ in range(100):
        (tmp_path / f"map.{ending}").write_bytes(damaged(content, rng))
        try:
            read_maps(tmp_path / f"map.{ending}")
        except CogmapError:
            n_told += 1
    assert n_told > 20


def test_packages_that_are_not_installed_are_named(tmp_path, monkeypatch):
    """With the extra that brings them."""
    make_book(tmp_path / "map.xlsx", [[None, "a"], ["a", 1]])
    fcm = FuzzyCognitiveMap([[1]])
    for package in ("openpyxl", "pandas"):
        monkeypatch.setitem(sys.modules, package, None)
    for call in (lambda: read_map(tmp_path / "map.xlsx"), lambda: write_map(fcm, tmp_path / "new.xlsx")):
        with pytest.raises(MissingPackageError, match=r"needs the package 'openpyxl'.*pip install 'cogmap\[excel\]'"):
            call()
    with pytest.raises(MissingPackageError, match=r"to_frame needs the package 'pandas'"):
        fcm.to_frame(rows="source")
