"""Files opened and saved by the board against `read_map`."""

import base64
import contextlib
import io
import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap, read_map, read_maps, write_map
from cogmap.exceptions import CogmapError
from cogmap.maps.formats import own_json

FORMATS = Path(__file__).parents[2] / "maps" / "formats"
EXCEL = (".xlsx", ".xlsm")
READ = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  try {
    const again = (map) => JSON.parse(parts.toJson(parts.toMap(parts.fromMap(map))));
    return { maps: parts.readMaps(name, bytes).map(({ name, map }) => [name, map, again(map)]) };
  } catch (error) {
    if (!(error instanceof parts.Problem)) throw error;
    return { problem: error.message };
  }
}"""
WRITE = "([kind, map]) => parts[kind](parts.toMap(parts.fromMap(map)))"


@pytest.fixture(scope="module")
def script(parts_page):
    """A page with the readers and writers of the board."""
    page = parts_page(
        {
            "board_read.js": ["readMaps"],
            "board_write.js": ["toJson", "toMmp", "toMatrix", "toEdges", "toPython"],
            "board_doc.js": ["fromMap", "toMap"],
            "board_text.js": ["Problem"],
        }
    )
    yield page
    page.close()


def plain(fcm):
    """Return a map as a JSON value with all parameters of each concept."""
    value = json.loads(own_json.write(fcm))
    for concept in value["concepts"]:
        for key, usual in {"bias": 0.0, "slope": 1.0, "activation": "sigmoid"}.items():
            concept.setdefault(key, usual)
        concept.setdefault("details", {})
    for edge in value["edges"]:
        edge.setdefault("details", {})
    return value.get("details", {}), value["concepts"], value["edges"]


def opened(value):
    for concept in value["concepts"]:
        concept.setdefault("details", {})
        for key, usual in {"bias": 0.0, "slope": 1.0, "activation": "sigmoid"}.items():
            concept.setdefault(key, usual)
    for edge in value["edges"]:
        edge.setdefault("details", {})
    return value.get("details", {}), value["concepts"], value["edges"]


def read_in_browser(script, path, name=None):
    return script.evaluate(READ, [name or path.name, base64.b64encode(path.read_bytes()).decode()])


def check_file(script, path):
    """Assert that the browser reads a file as Python does, or refuses it as Python does."""
    found = read_in_browser(script, path)
    try:
        expected = read_maps(path)
    except CogmapError:
        assert "problem" in found, path
        return
    assert "maps" in found, (path, found)
    assert [name for name, *_ in found["maps"]] == list(expected), path
    for (_, value, again), fcm in zip(found["maps"], expected.values(), strict=True):
        assert opened(value) == plain(fcm), path
        details, concepts, edges = opened(again)
        assert (concepts, edges) == plain(fcm)[1:], "the document of the board loses nothing"
        assert {key: one for key, one in details.items() if key != "scenarios"} == {
            key: one for key, one in plain(fcm)[0].items() if key != "scenarios"
        }


def test_maps_of_other_people(script, maps_dir):
    """Each .mmp, CSV and JSON file gives the same map, or is refused by both; Excel files get advice."""
    n_maps = 0
    for path in sorted(maps_dir.iterdir()):
        if path.suffix in EXCEL:
            problem = read_in_browser(script, path)["problem"]
            assert "save the sheet as CSV" in problem
            assert f"cogmap map convert {path.name} map.json" in problem
        elif path.suffix != ".md":
            check_file(script, path)
            n_maps += 1
    assert n_maps >= 12


def cases(name, table):
    """Return a table of small files from another test."""
    return runpy.run_path(str(FORMATS / name))[table]


def test_layouts_of_tables(script, tmp_path):
    """All layouts of tables that the tests of `read_map` know are read alike."""
    tables = cases("test_layouts.py", "TABLES") | cases("test_layouts.py", "BARE")
    for text in tables.values():
        path = tmp_path / "map.csv"
        path.write_bytes(text.encode())
        check_file(script, path)
    assert len(tables) > 35


def test_bad_files_are_refused(script, tmp_path):
    """All bad files that the tests of `read_map` know are refused, in a sentence."""
    files = cases("test_bad_files.py", "FILES")
    for name, content, _ in files.values():
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problem = read_in_browser(script, path).get("problem")
        assert problem is not None, (name, content[:200])
        assert problem.endswith("."), problem
        assert "\n" not in problem
    assert len(files) > 60


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(script, tmp_path, encoding):
    """Names with accents, from whatever program."""
    (tmp_path / "map.csv").write_bytes("from,to,weight\nÖzesmi,Ångström,0.5\n".encode(encoding))
    check_file(script, tmp_path / "map.csv")


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"];--',
    "=1+1",
    " blanks ",
    "雨量",
    "مطر",
    "🐟🐟",
    "a]]>b",
    "l\nine",
    "n" * 300,
]


@pytest.mark.parametrize(
    ("kind", "ending"), [("toJson", "json"), ("toMmp", "mmp"), ("toMatrix", "csv"), ("toEdges", "csv")]
)
def test_saved_files_are_read_by_python(script, tmp_path, kind, ending):
    """Names in any script, hostile ones too, with weights, parameters and details, come back exactly."""
    random = np.random.default_rng(0)
    n = len(HOSTILE)
    weights = np.where(random.random((n, n)) < 0.3, random.normal(size=(n, n)), 0.0)
    details = {
        "concepts": {HOSTILE[0]: {"x": 10, "y": -20.5, "group": "policy", "notes": 'a "note"'}},
        "edges": {},
    }
    fcm = FuzzyCognitiveMap(weights, random.normal(size=n), 2.5, HOSTILE, "tanh", details)
    details, concepts, edges = plain(fcm)
    text = script.evaluate(WRITE, [kind, {"details": details, "concepts": concepts, "edges": edges}])
    path = tmp_path / f"map.{ending}"
    path.write_bytes(text.encode())
    back = read_map(path)
    assert back == fcm
    about = back.details["concepts"][HOSTILE[0]]
    assert (about["x"], about["y"], about["group"], about["notes"]) == (10, -20.5, "policy", 'a "note"')
    again = read_in_browser(script, path)["maps"][0][1]
    assert opened(again)[1:] == plain(back)[1:]


def test_files_of_python_are_read(script, tmp_path):
    """What `write_map` writes, the board opens: JSON, .mmp and both kinds of CSV."""
    random = np.random.default_rng(1)
    fcm = FuzzyCognitiveMap(np.where(random.random((9, 9)) < 0.4, random.normal(size=(9, 9)), 0.0), slope=3)
    write_map(FuzzyCognitiveMap([[0, 0], [1, 0]], held=["C1"]), tmp_path / "held.json")
    check_file(script, tmp_path / "held.json")
    (tmp_path / "bad.json").write_text((tmp_path / "held.json").read_text().replace("true", '"yes"'))
    check_file(script, tmp_path / "bad.json")
    for name, table in (("a.json", "matrix"), ("a.mmp", "matrix"), ("a.csv", "matrix"), ("b.csv", "edges")):
        write_map(fcm, tmp_path / name, table=table)
        check_file(script, tmp_path / name)


def test_python_code_makes_the_map(script):
    """The copied code runs and gives the same map and scenarios."""
    names = ["rain", 'fish "x"', "🐟"]
    fcm = FuzzyCognitiveMap([[0, 0, 0], [0.5, 0, 0.25], [0, -1, 0]], [0, 0.5, 0], 2.0, names, "logistic")
    details, concepts, edges = plain(fcm)
    scenarios = [{"name": "dry", "clamp": [["rain", 0]]}]
    code = script.evaluate(
        "([map, more]) => parts.toPython(map, more)",
        [
            {"details": details, "concepts": concepts, "edges": edges},
            {"rule": "modified", "keep": True, "scenarios": scenarios},
        ],
    )
    namespace = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    assert namespace["fcm"] == fcm
    assert "dry: With rain = 0" in printed.getvalue()


def test_a_file_by_a_newer_version_is_refused(script, tmp_path):
    """The sentence names both versions."""
    (tmp_path / "new.json").write_text('{"format": "cogmap map", "version": 9, "concepts": [], "edges": []}')
    assert "version 9" in read_in_browser(script, tmp_path / "new.json")["problem"]


def test_a_file_of_10_megabytes_is_refused(script):
    """Before it is parsed."""
    run = "() => { try { parts.readMaps('a.csv', new Uint8Array(1e7)); } catch (error) { return error.message; } }"
    assert script.evaluate(run) == "it has 10,000,000 bytes, and the board reads at most 4,000,000."
