"""``cogmap map``, as a user would call it."""

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
