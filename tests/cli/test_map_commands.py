"""``cogmap map``, as a user would call it."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from cogmap import FuzzyCognitiveMap, read_map, write_map
from cogmap.cli.group import cli

DETAILS = {
    "name": "Lake",
    "concepts": {"laws": {"external": True, "x": 1, "y": 2, "notes": "of 1998"}},
    "edges": {"laws": {"fish": {"lag": 3}, "laws": {}}},
}
MAP = FuzzyCognitiveMap.from_edges([("laws", "fish", 0.5), ("fish", "laws", -0.25)], details=DETAILS)


def cogmap(*arguments):
    return CliRunner().invoke(cli, ["map", *map(str, arguments)])


def test_show_says_what_is_in_a_file(tmp_path):
    """Size, arrows, drivers, lags, and what else is said."""
    write_map(MAP, tmp_path / "lake.json")
    shown = cogmap("show", tmp_path / "lake.json")
    assert shown.exit_code == 0
    for line in (
        "2 concepts, 2 edges, weights from -0.25 to 0.5",
        "name: Lake",
        "  laws -> fish  +0.5",
        "  fish -> laws  -0.25",
        "1 edge without a weight, or with weight 0",
        "1 edge with a lag, which simulations ignore",
        "concepts with a constant value: laws",
        "other attributes of concepts: notes, x, y",
    ):
        assert line in shown.stdout.splitlines()


def test_show_lists_several_maps(tmp_path):
    """And one of them, if asked for."""
    (tmp_path / "experts.csv").write_text("who;a -> b (+);b -> a (-)\nAnna;H;L\nBen;M;none\n")
    shown = cogmap("show", tmp_path / "experts.csv")
    assert "  Anna: 2 concepts, 2 edges, weights from -0.25 to 0.75" in shown.stdout.splitlines()
    assert "Show one with --sheet 'Anna'." in shown.stdout
    assert "  a -> b  +0.5" in cogmap("show", tmp_path / "experts.csv", "--sheet", "Ben").stdout.splitlines()


def test_long_maps_are_cut(tmp_path):
    """The strongest edges, and how many more there are."""
    write_map(FuzzyCognitiveMap.from_edges([("a", f"b{i}", i + 1) for i in range(30)]), tmp_path / "map.csv")
    lines = cogmap("show", tmp_path / "map.csv").stdout.splitlines()
    assert lines[2] == "  a -> b29  +30"
    assert lines[-1] == "  and 10 more, none of them stronger"


@pytest.mark.parametrize("ending", ["mmp", "csv", "tsv", "xlsx", "dot", "graphml", "json"])
def test_convert_writes_the_same_map(tmp_path, ending):
    """And says for what the file has no place."""
    write_map(MAP, tmp_path / "lake.json")
    done = cogmap("convert", tmp_path / "lake.json", tmp_path / f"new.{ending}")
    assert done.exit_code == 0
    assert f"new.{ending}: 2 concepts, 2 edges" in done.stdout
    assert read_map(tmp_path / f"new.{ending}") == MAP
    assert ("The format cannot store: name, lag of edges." in done.stdout) == (ending in ("csv", "tsv", "xlsx"))


def test_held_concepts_are_shown_and_their_loss_is_told(tmp_path):
    """Only our JSON can say that a concept is held."""
    fcm = FuzzyCognitiveMap([[0, 0], [0.5, 0]], concepts=["rain", "fish"], held=["rain"])
    write_map(fcm, tmp_path / "lake.json")
    assert "held concepts: rain" in cogmap("show", tmp_path / "lake.json").stdout.splitlines()
    done = cogmap("convert", tmp_path / "lake.json", tmp_path / "lake.csv")
    assert "The format cannot store: held concepts." in done.stdout


def test_convert_to_edges_with_names_from_another_file(tmp_path):
    """All options at once."""
    (tmp_path / "edges.txt").write_text("(1, 2, 0.5),\n(2, 1, -0.25)")
    (tmp_path / "names.txt").write_text('{1:"laws", 2:"fish"}')
    arguments = ["--concepts", tmp_path / "names.txt", "--edges"]
    done = cogmap("convert", tmp_path / "edges.txt", tmp_path / "new.csv", *arguments)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "new.csv").read_text().splitlines()[0] == '"from","to","weight"'
    assert read_map(tmp_path / "new.csv") == MAP


def test_a_file_that_is_not_there(tmp_path):
    """One line, no traceback; so said the whole command, too."""
    command = [sys.executable, "-m", "cogmap", "map", "show", str(tmp_path / "nowhere.mmp")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert told.returncode == 2
    assert (
        told.stderr
        == f"Error: The file {tmp_path / 'nowhere.mmp'} cannot be read or written: No such file or directory.\n"
    )
    assert cogmap("convert", tmp_path / "a.csv").exit_code == 2


PEOPLE = {
    "ada": [("rain", "fish", 0.5), ("fish", "anglers", 1.0)],
    "bo": [("Rain", "Fishes", 1.0), ("anglers", "Fishes", -0.5)],
    "cy": [("rain", "fish", -0.5), ("anglers", "fish", -0.5)],
}


@pytest.fixture
def people(tmp_path):
    """Files of three people, of three kinds."""
    paths = [tmp_path / f"{name}.{kind}" for name, kind in zip(PEOPLE, ("mmp", "csv", "json"), strict=True)]
    for path, edges in zip(paths, PEOPLE.values(), strict=True):
        write_map(FuzzyCognitiveMap.from_edges(edges), path)
    return paths


def test_combine_merges_people(people, tmp_path):
    """With --match, names that mean the same are one concept; without, they are listed."""
    done = cogmap("combine", *people, "--match", "--out", tmp_path / "all.mmp")
    assert done.exit_code == 0, done.output
    assert "Joined (plural): 'fish' = 'Fishes'" in done.stdout
    merged = read_map(tmp_path / "all.mmp")
    assert merged.concepts == ("rain", "fish", "anglers")
    assert merged.weights[1, 0] == pytest.approx(1 / 3)
    weighted = cogmap("combine", *people, "--match", "--weights", "0,1,0", "--out", tmp_path / "bo.json")
    assert weighted.exit_code == 0
    assert read_map(tmp_path / "bo.json").weights[1, 0] == 1.0
    plain = cogmap("combine", *people, "--how", "median", "--only-drawn", "--out", tmp_path / "apart.json")
    assert "May mean the same (plural): 'fish' = 'Fishes'" in plain.stdout
    assert read_map(tmp_path / "apart.json").n_concepts == 5


def test_compare_shows_similarity_groups_and_disagreement(people):
    """As text and as JSON."""
    shown = cogmap("compare", *people, "--match")
    assert shown.exit_code == 0, shown.output
    assert "rain -> fish" in shown.stdout
    assert "opposed" in shown.stdout
    value = json.loads(cogmap("compare", *people, "--match", "--json").stdout)
    assert value["maps"] == ["ada", "bo", "cy"]
    assert len(set(value["clusters"])) == 3
    assert value["disagreement"][0]["source"] == "rain"


def test_translations_come_from_a_file(people, tmp_path):
    """A CSV file with two columns."""
    (tmp_path / "words.csv").write_text("anglers;rain\n")
    done = cogmap("compare", people[0], people[1], "--translations", tmp_path / "words.csv")
    assert done.exit_code == 0, done.output
    (tmp_path / "words.csv").write_text("a,b,c\n")
    bad = cogmap("compare", *people, "--translations", tmp_path / "words.csv")
    assert "must have two columns" in bad.output


def test_scenario_holds_concepts(tmp_path):
    """Names are found without their blanks; the sentence says whether the end is proved."""
    write_map(FuzzyCognitiveMap.from_edges([("laws ", "fish", 0.5)]), tmp_path / "lake.mmp")
    done = cogmap("scenario", tmp_path / "lake.mmp", "--hold", "laws=1", "--activation", "tanh", "--rule", "modified")
    assert done.exit_code == 0, done.output
    assert "With laws = 1" in done.stdout
    assert "Exactly one fixed point" in done.stdout
    value = json.loads(cogmap("scenario", tmp_path / "lake.mmp", "--hold", "laws=1", "--json").stdout)
    assert value["scenarios"][0]["after"][0] == 1.0


def test_scenarios_of_the_file_are_run(tmp_path):
    """Those that the board or Mental Modeler stored."""
    stored = [{"name": "dry", "concepts": [{"id": "1", "name": "rain", "influence": "0"}]}]
    fcm = FuzzyCognitiveMap.from_edges([("rain", "fish", 0.5)], details={"scenarios": stored, "keep": "drivers"})
    write_map(fcm, tmp_path / "lake.json")
    done = cogmap("scenario", tmp_path / "lake.json")
    assert done.exit_code == 0, done.output
    assert "With rain = 0" in done.stdout
    write_map(fcm.replace(details={}), tmp_path / "none.json")
    assert "has no scenarios. Hold concepts with --hold" in cogmap("scenario", tmp_path / "none.json").output


def test_indices_are_shown(tmp_path):
    """With the feedback loops, as text and as JSON."""
    write_map(MAP, tmp_path / "lake.json")
    shown = cogmap("indices", tmp_path / "lake.json")
    assert "density" in shown.stdout
    assert "1 loop: 0 reinforcing, 1 balancing" in shown.stdout
    assert json.loads(cogmap("indices", tmp_path / "lake.json", "--json").stdout)["loops"][0]["gain"] == -0.125


def test_page_is_draw(tmp_path):
    """The same command under two names; a model opens too, and another file is refused."""
    write_map(MAP, tmp_path / "lake.json")
    assert cogmap("page", tmp_path / "lake.json", "--out", tmp_path / "a.html").exit_code == 0
    drawn = CliRunner().invoke(cli, ["draw", str(tmp_path / "lake.json"), "--out", str(tmp_path / "b.html")])
    assert drawn.exit_code == 0
    assert drawn.stdout == f"The board is {tmp_path / 'b.html'}.\n"
    assert CliRunner().invoke(cli, ["draw", "--out", str(tmp_path / "c.html")]).exit_code == 0
    for file in ("a.html", "b.html", "c.html"):
        assert (tmp_path / file).read_text().startswith("<!doctype html>")


BAD = {
    "weights": (["combine", "lake.json", "--weights", "x", "--out", "o.json"], "must be numbers such as 1,2,1"),
    "weights of others": (["combine", "lake.json", "--weights", "1,2", "--out", "o.json"], "1 numbers >= 0"),
    "replaced input": (["combine", "lake.json", "--out", "lake.json"], "is an input and would be replaced"),
    "one map": (["compare", "lake.json"], "at least two maps"),
    "no state": (["scenario", "lake.json", "--hold", "fish"], "a name and a state, such as fishing=0"),
    "unknown concept": (["scenario", "lake.json", "--hold", "fisch=1"], "Did you mean 'fish'?"),
    "rescaled": (
        ["scenario", "lake.json", "--hold", "fish=1", "--activation", "tanh", "--rule", "rescaled"],
        "'kosko' or 'modified' for states in [-1, 1]",
    ),
    "texts": (["page", "--texts", "lake.json", "--out", "o.html"], "must be a JSON object of strings"),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_one_line(tmp_path, monkeypatch, name):
    """Exit code 2, no traceback, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    write_map(MAP, tmp_path / "lake.json")
    arguments, words = BAD[name]
    done = cogmap(*arguments)
    assert done.exit_code != 0
    assert words in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["lake.json"]
