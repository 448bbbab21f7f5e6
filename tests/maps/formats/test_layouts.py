"""All the ways in which people lay out a map in a file, as small files of our own."""

import json

import numpy as np
import openpyxl
import pytest

from cogmap import FuzzyCognitiveMap, read_map, read_maps
from cogmap.exceptions import DataError

# Laws reduce pollution, pollution harms fish, fish feed people; nothing in it is symmetric.
EDGES = [("laws", "pollution", -0.5), ("pollution", "fish", -1.0), ("fish", "people", 0.25)]
MAP = FuzzyCognitiveMap.from_edges(EDGES)
UNNAMED = FuzzyCognitiveMap(MAP.weights)

MATRIX = "laws,0,-0.5,0,0\npollution,0,0,-1,0\nfish,0,0,0,0.25\npeople,0,0,0,0\n"
HEADER = "laws,pollution,fish,people"

TABLES = {
    "corner empty": f",{HEADER}\n{MATRIX}",
    "corner a word": f"concept,{HEADER}\n{MATRIX}",
    "corner of R": f"{HEADER}\n{MATRIX}",
    "empty cells": f",{HEADER}\nlaws,,-0.5,,\npollution,,,-1,\nfish,,,,.25\npeople,,,,\n",
    "NaN and NA cells": f",{HEADER}\nlaws,,-0.5,NaN,NA\npollution,nan,,-1,\nfish,,,,0.25\npeople,n/a,,,\n",
    "columns in another order": (
        ",fish,people,laws,pollution\nlaws,0,0,0,-.5\npollution,-1,0,0,0\nfish,0,.25,0,0\npeople,0,0,0,0"
    ),
    "capitals and blanks": f" , Laws,pollution ,Fish,PEOPLE\n{MATRIX}",
    "quotation marks": ',"laws","pollution","fish","people"\n' + MATRIX,
    "semicolons": f",{HEADER}\n{MATRIX}".replace(",", ";"),
    "semicolons and decimal commas": f",{HEADER}\n{MATRIX}".replace(",", ";").replace(".", ","),
    "tabs": f",{HEADER}\n{MATRIX}".replace(",", "\t"),
    "bars": f",{HEADER}\n{MATRIX}".replace(",", "|"),
    "lines of Windows": f",{HEADER}\n{MATRIX}".replace("\n", "\r\n"),
    "lines of old Macs": f",{HEADER}\n{MATRIX}".replace("\n", "\r"),
    "minus signs": f",{HEADER}\n{MATRIX}".replace("-", "\N{MINUS SIGN}"),
    "empty lines": f"\n\n,{HEADER}\n\n{MATRIX}\n\n,,,,\n",
    "comments": f"# drawn by hand\n# in May\n,{HEADER}\n{MATRIX}",
    "a title": f"The lake\nMay 1998,,,,\n\n,{HEADER}\n{MATRIX}",
    "a title and semicolons": f"The lake\n\n,{HEADER}\n{MATRIX}".replace(",", ";").replace(".", ","),
    "a title above edges": "The lake\n\nfrom,to,weight\nlaws,pollution,-0.5\npollution,fish,-1\nfish,people,.25\n",
    "only a header": "laws,pollution,fish,people\n0,-.5,0,0\n0,0,-1,0\n0,0,0,.25\n0,0,0,0\n",
    "a header, and rows of empty cells": "laws,pollution,fish,people\n,-.5,,\n,,-1,\n,,,.25\n,,,\n",
    "only a first column": MATRIX,
    "edges": "from,to,weight\nlaws,pollution,-0.5\npollution,fish,-1\nfish,people,.25\n",
    "edges with blanks": "from, to , weight\nlaws , pollution, -0.5\npollution, fish , -1\nfish, people, .25\n",
    "edges in capitals": "FROM;TO;WEIGHT\nlaws;pollution;-0,5\npollution;fish;-1\nfish;people;0,25\n",
    "edges in other words": "Source,Target,Influence\nlaws,pollution,-0.5\npollution,fish,-1\nfish,people,.25\n",
    "cause and effect": "cause,effect,strength\nlaws,pollution,-0.5\npollution,fish,-1\nfish,people,.25\n",
    "edges in any order of columns": "weight,to,from\n-0.5,pollution,laws\n-1,fish,pollution\n.25,people,fish\n",
    "edges without a header": "laws,pollution,-0.5\npollution,fish,-1\nfish,people,.25\n",
    "edges as tuples": '("laws", "pollution", -0.5),\n("pollution", "fish", -1),\n("fish", "people", 0.25)\n',
    "edges and a direction": (
        "from,to,weight,direction\nlaws,pollution,0.5,negative\npollution,fish,1,-\nfish,people,.25,Positive\n"
    ),
    "words": "from,to,weight\nlaws,pollution,-M\npollution,fish,very strong negative\nfish,people,weak\n",
    "words and a direction": (
        "from,to,weight,direction\nlaws,pollution,M,Negative\npollution,fish,VH,Negative\nfish,people,L,Positive\n"
    ),
    "words in a matrix": (
        f",{HEADER}\nlaws,,M-,,\npollution,,,negative (very high),none\nfish,no effect,,,+L\npeople,,,,\n"
    ),
    "a column for each term": (
        "From,To,-VH,-H,-M,-L,NA,+L,+M,+H,+VH\nlaws,pollution,,,1,,,,,,\nlaws,fish,,,,,1,,,,\n"
        "pollution,fish,x,,,,,,,,\nfish,people,0,0,0,0,0,1,0,0,0\npeople,laws,,,,,,,,,\n"
    ),
}


@pytest.mark.parametrize("layout", TABLES)
def test_tables(tmp_path, layout):
    """However it is laid out, it is the same map."""
    (tmp_path / "map.csv").write_bytes(TABLES[layout].encode())
    assert sorted_edges(read_map(tmp_path / "map.csv")) == sorted_edges(MAP)


def sorted_edges(fcm):
    found = [(source, target, weight) for (target, source), weight in np.ndenumerate(fcm.weights) if weight]
    return sorted((fcm.concepts[source], fcm.concepts[target], weight) for source, target, weight in found)


def test_order_of_concepts_is_that_of_the_rows(tmp_path):
    """Or that in which edges name them, or that of their numbers."""
    (tmp_path / "map.csv").write_text(TABLES["columns in another order"])
    assert read_map(tmp_path / "map.csv") == MAP
    (tmp_path / "map.csv").write_text("from,to,weight\n10,2,1\n2,1,-1\n1,10,.5\n")
    assert read_map(tmp_path / "map.csv").concepts == ("1", "2", "10")


BARE = {
    "numbers": "0,-.5,0,0\n0,0,-1,0\n0,0,0,.25\n0,0,0,0\n",
    "numbers and blanks": "0 -.5 0 0\n0   0  -1 0\n0 0 0 .25\n0 0 0 0\n",
    "numbers and gaps": ",-.5,,\n,,-1,\n,,,.25\n,,,\n",
}


@pytest.mark.parametrize("layout", BARE)
def test_matrices_without_names(tmp_path, layout):
    """C1, C2, ...; names can be given."""
    (tmp_path / "map.csv").write_text(BARE[layout])
    assert read_map(tmp_path / "map.csv") == UNNAMED
    assert read_map(tmp_path / "map.csv", concepts=["laws", "pollution", "fish", "people"]) == MAP


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("ending", ["csv", "mmp"])
def test_encodings(tmp_path, encoding, ending):
    """Names with accents, from whatever program."""
    text = "from,to,weight\nÖzesmi,Ångström,0.5\n"
    if ending == "mmp":
        text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><mentalmodeler><concepts>'
        text += (
            "<concept><id>1</id><name>Özesmi</name><relationships><relationship><id>2</id><influence>0.5</influence>"
        )
        text += "</relationship></relationships></concept><concept><id>2</id><name>Ångström</name></concept>"
        text += "</concepts></mentalmodeler>"
    (tmp_path / f"map.{ending}").write_bytes(text.encode(encoding))
    assert read_map(tmp_path / f"map.{ending}") == FuzzyCognitiveMap.from_edges([("Özesmi", "Ångström", 0.5)])


def test_extra_columns_tell_of_the_concept_of_their_row(tmp_path):
    """Known ones by name; others if they hold text; a column of numbers without a row is a mistake."""
    header = f",{HEADER},external,X,y,Group,remarks,slope\n"
    rows = [line + rest for line, rest in zip(MATRIX.splitlines(), [
        ",true,10,20,policy,ask again,5", ",false,,,,,5", ",0,,,nature,seen,5", ",FALSE,1.5,-2,,,5",
    ], strict=True)]  # fmt: skip
    (tmp_path / "map.csv").write_text(header + "\n".join(rows))
    fcm = read_map(tmp_path / "map.csv")
    assert fcm == MAP.replace(slope=5)
    assert fcm.details["concepts"] == {
        "laws": {"external": True, "x": 10, "y": 20, "group": "policy", "remarks": "ask again"},
        "fish": {"group": "nature", "remarks": "seen"},
        "people": {"x": 1.5, "y": -2},
    }


def test_edges_tell_of_themselves_and_of_concepts(tmp_path):
    """Lags and notes are kept; a row with a source alone tells of a concept; an empty weight is an edge without one."""
    text = "from,to,weight,delay,notes\nfish,,,,a lake\nlaws,fish,.5,3,slow\nfish,laws,,,unsure\n"
    (tmp_path / "map.csv").write_text(text)
    fcm = read_map(tmp_path / "map.csv")
    assert sorted_edges(fcm) == [("laws", "fish", 0.5)]
    assert fcm.details == {
        "concepts": {"fish": {"notes": "a lake"}},
        "edges": {"laws": {"fish": {"lag": 3, "notes": "slow"}}, "fish": {"laws": {"notes": "unsure"}}},
    }


def test_answers_of_experts_in_rows(tmp_path):
    """A question per column, with its sign; an expert per row, with or without a name."""
    questions = "laws -> pollution (-);pollution -> fish (-);fish -> people (+)"
    (tmp_path / "map.csv").write_text(f"{questions}\nM;VH;L\nH;no causality;unsure\n")
    maps = read_maps(tmp_path / "map.csv")
    assert maps["1"] == MAP
    assert sorted_edges(maps["2"]) == [("laws", "pollution", -0.75)]
    (tmp_path / "map.csv").write_text(f"who;{questions}\nAnna;M;VH;L\nBen;H;VL;L\n")
    assert list(read_maps(tmp_path / "map.csv")) == ["Anna", "Ben"]
    assert read_map(tmp_path / "map.csv", sheet="Anna") == MAP


def make_book(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


def cells(text):
    def cell(part):
        try:
            return float(part)
        except ValueError:
            return part or None

    return [[cell(part) for part in line.split(",")] for line in text.splitlines()]


@pytest.mark.parametrize("layout", ["corner empty", "corner a word", "empty cells", "only a header", "edges", "words"])
def test_sheets(tmp_path, layout):
    """As in CSV; sheets that are empty do not count."""
    make_book(tmp_path / "map.xlsx", drawn=cells(TABLES[layout]), Sheet2=[], Sheet3=[])
    assert sorted_edges(read_map(tmp_path / "map.xlsx")) == sorted_edges(MAP)
    assert list(read_maps(tmp_path / "map.xlsx")) == ["drawn"]


def test_sheets_that_claim_to_be_of_one_cell(tmp_path):
    """Some programs write a wrong dimension, which openpyxl believes unless it is told not to."""
    import zipfile

    make_book(tmp_path / "right.xlsx", drawn=cells(TABLES["corner empty"]))
    with zipfile.ZipFile(tmp_path / "right.xlsx") as right, zipfile.ZipFile(tmp_path / "map.xlsx", "w") as wrong:
        for part in right.infolist():
            content = right.read(part)
            if part.filename.endswith("sheet1.xml"):
                assert b'<dimension ref="A1:E5"' in content
                content = content.replace(b'<dimension ref="A1:E5"', b'<dimension ref="A1"')
            wrong.writestr(part, content)
    assert read_map(tmp_path / "map.xlsx") == MAP


def test_lower_mode_and_upper_weights(tmp_path):
    """Three sheets of one map with triangular weights: three maps."""
    sheets = {name: cells(f",{HEADER}\n{MATRIX}") for name in ("lower", "mode", "upper")}
    sheets["lower"][1][2] = -0.75
    make_book(tmp_path / "map.xlsx", **sheets)
    maps = read_maps(tmp_path / "map.xlsx")
    assert maps["mode"] == maps["upper"] == MAP
    assert maps["lower"].weights[1, 0] == -0.75


def test_one_sheet_is_read_although_another_is_no_map(tmp_path):
    """Notes beside the map."""
    make_book(tmp_path / "map.xlsx", drawn=cells(TABLES["corner empty"]), notes=[["drawn in May"], ["by us"]])
    assert read_map(tmp_path / "map.xlsx", sheet="drawn") == MAP
    with pytest.raises(DataError, match="has 2 maps: 'drawn', 'notes'"):
        read_map(tmp_path / "map.xlsx")


def nodes_and_edges(nodes="nodes", edges="edges", ends=("source", "target")):
    return {
        nodes: [{"id": n, "name": name} for n, name in enumerate(MAP.concepts)],
        edges: [
            {ends[0]: MAP.concepts.index(source), ends[1]: MAP.concepts.index(target), "weight": weight}
            for source, target, weight in EDGES
        ],
    }


RECORDS = [{"from": source, "to": target, "weight": weight} for source, target, weight in EDGES]
JSONS = {
    "nodes and edges": nodes_and_edges(),
    "nodes and links": nodes_and_edges(edges="links") | {"directed": True, "multigraph": False},
    "concepts and relations": nodes_and_edges("concepts", "relations", ("origin", "destiny")),
    "concepts are names": {"concepts": list(MAP.concepts), "edges": RECORDS},
    "edges alone": {"edges": RECORDS},
    "states and functions": {
        "activation_function": "sigmoid",
        "concepts": [{"id": name, "type": "SIMPLE", "activation": 0.5, "bias": 0} for name in MAP.concepts],
        "relations": [{"origin": source, "destiny": target, "weight": weight} for source, target, weight in EDGES],
    },
    "weights as text": {"edges": [edge | {"weight": str(edge["weight"])} for edge in RECORDS]},
    "React Flow": {
        "nodes": [{"id": name[1], "position": {"x": 1, "y": 2}, "data": {"label": name}} for name in MAP.concepts],
        "edges": [
            {"id": "1", "source": "a", "target": "o", "data": {"weight": -0.5}},
            {"id": "2", "source": "o", "target": "i", "data": {"weight": -1}},
            {"id": "3", "source": "i", "target": "e", "data": {"weight": 0.25}},
        ],
    },
    "Cytoscape": {
        "elements": {
            "nodes": [{"data": {"id": name}} for name in MAP.concepts],
            "edges": [{"data": {"source": s, "target": t, "weight": w}} for s, t, w in EDGES],
        }
    },
    "a matrix and names": {"concepts": list(MAP.concepts), "weights": MAP.weights.T.tolist()},
    "a list of edges": RECORDS,
    "a list of triples": [list(edge) for edge in EDGES],
    "rows": [
        [None, *MAP.concepts],
        *([name, *row] for name, row in zip(MAP.concepts, MAP.weights.T.tolist(), strict=True)),
    ],
    "effects": [
        {"name": ["laws"], "affects": [{"variable": ["pollution"], "direction": ["Negative"], "weight": ["M"]}]},
        {"name": ["pollution"], "affects": [{"variable": ["fish"], "direction": ["Negative"], "weight": ["VH"]}]},
        {"name": ["fish"], "affects": [{"variable": ["people"], "direction": ["Positive"], "weight": ["L"]}]},
        {"name": ["people"], "affects": []},
    ],
    "Mental Modeler": {
        "info": {"name": "lake"},
        "concepts": [
            {"id": "1", "name": "laws", "relationships": [{"id": "2", "name": "?", "influence": "M-"}]},
            {"id": "2", "name": "pollution", "relationships": [{"id": "3", "influence": "-1"}]},
            {"id": "3", "name": "fish", "relationships": [{"name": "people", "influence": 0.25}]},
            {"id": "4", "name": "people"},
        ],
    },
}  # fmt: skip


@pytest.mark.parametrize("layout", JSONS)
def test_json(tmp_path, layout):
    """However it is laid out, it is the same map; Mental Modeler's M is 0.62."""
    (tmp_path / "map.json").write_text(json.dumps(JSONS[layout]))
    expected = sorted_edges(MAP)
    if layout == "Mental Modeler":
        expected = [(s, t, -0.62 if w == -0.5 else w) for s, t, w in expected]
    assert sorted_edges(read_map(tmp_path / "map.json")) == expected


MENTAL_MODELER = """\ufeff<?xml version="1.0" encoding="UTF-8"?>
<mentalModeler>
<info><name><![CDATA[Lake]]></name><author>us</author></info>
<groupNames ><0><![CDATA[nature & co]]></0><1><![CDATA[]]></1></groupNames>
<concepts >
<concept ><id ><![CDATA[7]]></id><name ><![CDATA[laws]]></name><group >1</group><x >10.5</x><y >20</y>
<relationships ><relationship ><id >9</id><name >old name</name><notes >why</notes><confidence >2</confidence>
<influence ><![CDATA[M-]]></influence></relationship>
<relationship ><id >8</id><influence ><![CDATA[]]></influence></relationship></relationships></concept>
<concept ><id >8</id><name >fish</name><group >0</group><x ></x><y >NaN</y><units >tons</units>
<relationships ><relationship ><id >7</id><influence >NaN</influence></relationship>
<relationship ><id >9</id><influence >0</influence></relationship></relationships></concept>
<concept ><id >9</id><name ></name></concept>
</concepts>
<scenarios ><scenario ><name >dry</name><concepts ><concept ><id >8</id><influence >-1</influence></concept></concepts>
</scenario></scenarios>
</mentalModeler>"""


def test_mental_modeler_with_all_its_traps(tmp_path):
    """A mark at the start, groups in tags that are numbers, deleted names, empty and NaN influence, scenarios."""
    (tmp_path / "map.mmp").write_text(MENTAL_MODELER, encoding="utf-8")
    fcm = read_map(tmp_path / "map.mmp")
    assert fcm.concepts == ("laws", "fish", "old name")
    assert sorted_edges(fcm) == [("laws", "old name", -0.62)]
    assert fcm.details == {
        "name": "Lake",
        "author": "us",
        "groups": {"0": "nature & co"},
        "scenarios": [{"name": "dry", "concepts": [{"id": "8", "influence": "-1"}]}],
        "concepts": {
            "laws": {"id": "7", "group": "1", "x": 10.5, "y": 20},
            "fish": {"id": "8", "group": "0", "units": "tons"},
            "old name": {"id": "9"},
        },
        "edges": {
            "laws": {"old name": {"notes": "why", "confidence": 2}, "fish": {}},
            "fish": {"laws": {}, "old name": {}},
        },
    }


JFCM = """<?xml version="1.0"?>
<j:maps xmlns:j="http://www.megadix.org/standards/JFCM-map-v-1.2.xsd"><map name="lake"><description>ours</description>
<concepts><concept name="laws" act="SIGMOID" output="1.0" fixed="true"><params><param name="k" value="2.2"/></params>
</concept>
<concept name="fish" act="LINEAR"><description>in the lake</description></concept></concepts>
<connections><connection name="l-f" from="laws" to="fish" type="WEIGHTED"><params><param name="weight" value="0.75"/>
<param name="delay" value="5"/></params></connection></connections></map>
<map name="empty"><concepts><concept name="a"/></concepts><connections/></map></j:maps>"""


def test_jfcm(tmp_path):
    """Several maps in XML with a namespace; drivers, lags, and how its concepts would run are kept."""
    (tmp_path / "map.xml").write_text(JFCM)
    maps = read_maps(tmp_path / "map.xml")
    assert list(maps) == ["lake", "empty"]
    assert sorted_edges(maps["lake"]) == [("laws", "fish", 0.75)]
    details = maps["lake"].details
    assert details["concepts"]["laws"] == {"act": "SIGMOID", "output": "1.0", "external": True, "k": "2.2"}
    assert details["edges"]["laws"]["fish"] == {"name": "l-f", "lag": 5}
    assert maps["empty"].n_concepts == 1
