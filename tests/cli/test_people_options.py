"""Options of `cogmap fit` for people: names of classes, units, fixed columns, rows of the page, edits."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from cogmap.cli.group import cli


@pytest.fixture
def table(tmp_path):
    """Return the path of a small table with classes 1 and 2."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"age": draw.integers(18, 80, 60), "sex": draw.choice(["f", "m"], 60)})
    frame["risk"] = np.where(frame["age"] + draw.normal(0, 8, 60) > 50, 2, 1)
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def run(*arguments):
    """Run a command."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--labels", "1"], "--labels must be names with values"),
        (["--labels", "=good"], "--labels must be names with values"),
        (["--labels", "1="], "--labels must be names with values"),
        (["--labels", "7=good"], "no value of 'risk'"),
        (["--labels", "1=x,2=x"], "more than one class"),
        (["--unit", "€"], "--unit must be names with values"),
        (["--unit", "height=cm"], "no column 'height'"),
        (["--fixed", "height"], "no column 'height'"),
        (["--page-rows", "-1"], "page-rows"),
        (["--edits", "nothing.json"], "cannot be read"),
    ],
)
def test_wrong_options_are_one_line(table, tmp_path, options, message):
    """Exit code 2, one line that says what was expected, and no file."""
    result = run("fit", table, "--target", "risk", "--out", tmp_path / "m.cogmap", *options)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "m.cogmap").exists()


def test_names_units_and_rows(table, tmp_path):
    """Names replace codes, the page has no rows, evaluate knows the training table, what-if keeps fixed columns."""
    model, page = tmp_path / "m.cogmap", tmp_path / "m.html"
    names = ["--labels", "1=good,2=bad", "--unit", "age=years", "--fixed", "sex"]
    options = [*names, "--structure", "additive", "--page", page, "--page-rows", "0"]
    result = run("fit", table, "--target", "risk", "--out", model, *options)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("risk: bad or good")
    assert "contains no rows of the table" in result.output
    assert page.stat().st_size < 200_000
    scores = run("evaluate", model, table, "--json")
    assert "All 60 rows are among the rows that the model has learned from" in scores.stderr
    assert json.loads(scores.stdout)["rows learned from"] == 60
    changed = json.loads(run("what-if", model, table, "--row", "1", "--json").stdout)
    assert "sex" not in changed["changes"]
    shown = run("show", model)
    assert "It is right in" in shown.output


def test_edits_of_hidden_concepts_alone_are_explained(table, tmp_path):
    """The error says which arrows can be trained with: those from a column to the answer."""
    arrow = {"source": "age", "target": "high age and sex=f", "weight": 1.0, "was": 2.0, "slope": 2}
    content = {"format": "cogmap edits", "version": 1, "title": "risk", "target": "risk", "structure": "named"}
    content |= {"by": "", "reason": "", "day": "2026-01-01", "arrows": [arrow], "held": []}
    file = tmp_path / "edits.json"
    file.write_text(json.dumps(content))
    said = run("fit", table, "--target", "risk", "--out", tmp_path / "m.cogmap", "--edits", file)
    assert said.exit_code == 2
    assert "Change arrows from a column to the answer." in said.output


def test_edits_of_other_class_names_are_explained(table, tmp_path):
    """Edits name classes as the page did; without --labels the table has others."""
    arrow = {"source": "age", "target": "class=high", "weight": 0.5, "was": 1.0, "slope": 2.0}
    content = {"format": "cogmap edits", "version": 1, "title": "", "target": "risk", "structure": "named"}
    content |= {"by": "Ada", "reason": "", "day": "", "arrows": [arrow], "held": []}
    (tmp_path / "edits.json").write_text(json.dumps(content))
    options = ("fit", table, "--target", "risk", "--edits", tmp_path / "edits.json", "--out", tmp_path / "m.cogmap")
    result = run(*options)
    assert result.exit_code != 0
    assert "are about the class 'high', and 'risk' has '1', '2'" in result.output
    assert "--labels CODE=NAME" in result.output
    assert run(*options, "--labels", "1=fine,2=high").exit_code == 0


def test_what_if_tells_near_ties_apart_and_values_have_units(table, tmp_path):
    """Two classes are not both 50.0 %, and computed values have few digits and their unit."""
    model = tmp_path / "m.cogmap"
    assert run("fit", table, "--target", "risk", "--out", model, "--unit", "age=years").exit_code == 0
    said = run("what-if", model, table).output
    assert "years" in said
    after = [line.split("%")[-2].split()[-1] for line in said.splitlines() if line.startswith("probability")]
    assert len(set(after)) == 2
    assert "years (" in run("predict", model, table, "--explain").output


def test_explained_predictions_have_few_digits_and_no_empty_reasons(tmp_path):
    """The ends of an interval are no finer than the prediction, and a contribution of 0.0 points is no reason."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"area": draw.integers(20, 200, 80), "rooms": draw.integers(1, 6, 80)})
    frame["price"] = 1000 * frame["area"] + draw.normal(0, 9000, 80)
    frame["size"] = np.where(frame["area"] > 100, "large", "small")
    frame["useless"] = 1 + np.arange(80) % 2
    table, model = tmp_path / "homes.csv", tmp_path / "homes.cogmap"
    frame.to_csv(table, index=False)
    assert run("fit", table, "--target", "price", "--drop", "size", "--out", model).exit_code == 0
    said = run("predict", model, table, "--explain", "--interval", 90).stdout.splitlines()
    assert said[0] == "prediction,low,high,why,note"
    assert all("." not in cell for line in said[1:] for cell in line.split(",")[:3])
    options = ("--target", "size", "--drop", "price", "--structure", "additive", "--max-arrows", 1, "--out", model)
    assert run("fit", table, *options).exit_code == 0
    said = run("predict", model, table, "--explain").stdout
    assert "area = " in said
    assert "(0.0 points)" not in said


def test_a_map_that_guesses_warns_beside_its_explanations(tmp_path):
    """Of noise, `explain` and `what-if` say that the map is no better than guessing."""
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(draw.normal(size=(80, 3)).round(2), columns=["a", "b", "c"])
    frame["answer"] = draw.choice(["no", "yes"], 80, p=[0.6, 0.4])
    frame.to_csv(tmp_path / "noise.csv", index=False)
    model = tmp_path / "noise.cogmap"
    card = run("fit", tmp_path / "noise.csv", "--target", "answer", "--out", model, "--structure", "additive").output
    assert "Do not rely" in card
    for command in ("explain", "what-if"):
        assert (
            "better than guessing. Do not rely on what it says." in run(command, model, tmp_path / "noise.csv").output
        )
