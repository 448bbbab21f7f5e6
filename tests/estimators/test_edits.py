"""Edits of a map: files that are not valid, what estimators make of them, and what the data say."""

import json

import numpy as np
import pandas as pd
import pytest

from cogmap import FCMClassifier, FCMRegressor, read_edits
from cogmap.estimators.edits import Edit, EditReport, Edits
from cogmap.exceptions import DataError, ParameterError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.table import FitOptions, fit_table

DRAW = np.random.default_rng(0)
X = pd.DataFrame(DRAW.normal(size=(120, 3)), columns=["a", "b", "c"])
y = (2 * X["a"] - X["b"] + DRAW.normal(0, 0.5, 120)).rename("y")
ARROW = {"source": "a", "target": "y", "weight": 0.5, "was": 1.0, "slope": 2.0}
GOOD = {"format": "cogmap edits", "version": 1, "structure": "named", "arrows": [ARROW], "held": []}


def written(path, content):
    """Write content as JSON, or as it is if it is a string."""
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "it is not JSON"),
        ("", "it is not JSON"),
        ("\x00\x01", "it is not text"),
        ("[1]", "its .format. is not"),
        ({"format": "cogmap map"}, "its .format. is not"),
        (GOOD | {"version": 2}, "its version is 2"),
        (GOOD | {"arrows": {}}, "must be lists"),
        (GOOD | {"arrows": []}, "it contains no change"),
        (GOOD | {"arrows": [1]}, "arrow 1 lacks a source"),
        (GOOD | {"arrows": [ARROW | {"source": ""}]}, "arrow 1 lacks a source"),
        (GOOD | {"arrows": [ARROW | {"weight": "x"}]}, "the weight of arrow 1 must be a number"),
        (GOOD | {"arrows": [ARROW | {"weight": True}]}, "the weight of arrow 1 must be a number"),
        (GOOD | {"arrows": [ARROW | {"slope": 0}]}, "must be positive"),
        (GOOD | {"arrows": [ARROW, ARROW]}, "occurs twice"),
        (GOOD | {"held": [{"state": 0.5}]}, "held concept 1 has no name"),
        (GOOD | {"held": [{"concept": "a"}]}, "the state of held concept 1"),
        (GOOD | {"by": 3}, "must be strings"),
        (GOOD | {"structure": "round"}, "must be .named. or .full."),
        (json.dumps(GOOD).replace("0.5", "NaN"), "must be a number"),
        ("[" * 100_000, "not valid|not JSON|recursion"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, content, message):
    """Each names the file and what is wrong."""
    path = written(tmp_path / "edits.json", content)
    with pytest.raises(DataError, match=message) as caught:
        read_edits(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    """A file that does not exist."""
    with pytest.raises(DataError, match="cannot be read: No such file"):
        read_edits(tmp_path / "nothing.json")


@pytest.mark.parametrize("structure", ["additive", "named", "full"])
def test_edits_hold(tmp_path, structure):
    """A removed arrow has no weight, and a set one is within half and twice of what was set, whatever the data say."""
    arrows = [ARROW | {"weight": -0.4}, ARROW | {"source": "b", "weight": 0.0}]
    edits = read_edits(written(tmp_path / "edits.json", GOOD | {"arrows": arrows}))
    fcm = FCMRegressor(structure=structure, prior=edits.prior, weight_bounds=edits.weight_bounds, random_state=0)
    fcm.fit(X, y)
    weights = fcm.map_.to_frame(rows="source")["y"]
    assert -0.8 <= weights["a"] <= -0.2
    assert weights.get("b", 0.0) == 0.0
    if structure != "full":  # a column with an edit acts through its arrows only
        hidden = fcm.map_.to_frame(rows="source").drop(columns=["y"])
        assert not hidden.loc["a"].any()


def test_objections_and_cost():
    """The data object to a wrong sign, and agree with what they would have learned."""
    wrong = Edits((Edit("a", "y", -0.5, 1.0, 2.0),), {})
    parameters = {"structure": "additive", "random_state": 0}
    fcm = FCMRegressor(prior=wrong.prior, weight_bounds=wrong.weight_bounds, **parameters).fit(X, y)
    report = wrong.judge(fcm, X, y)
    assert report.arrows[0]["objection"] == "weaker"
    assert report.cost > 2 * report.error
    assert "The data object" in repr(report)
    free = FCMRegressor(**parameters).fit(X, y)
    learned = float(free.map_.to_frame(rows="source").loc["a", "y"])
    right = Edits((Edit("a", "y", learned, learned, 2.0),), {})
    same = FCMRegressor(prior=right.prior, weight_bounds=right.weight_bounds, **parameters).fit(X, y)
    report = right.judge(same, X, y)
    assert report.arrows[0]["objection"] == ""
    assert abs(report.cost) < 0.05
    assert json.loads(report.to_json())["arrows"][0]["source"] == "a"
    with pytest.raises(ParameterError, match="a fitted FCMClassifier or FCMRegressor"):
        right.judge(FCMRegressor(), X, y)


@pytest.mark.parametrize(("cost", "words"), [(0.0, "cost nothing"), (0.5, "object"), (-0.5, "agree")])
def test_sentence_follows_the_standard_error(cost, words):
    """A difference counts if it is larger than two standard errors."""
    assert words in EditReport([], 1.0 + cost, 1.0, cost, 0.1).sentence
    assert "cost nothing" in EditReport([], 1.0, 1.0, cost, 0.3).sentence


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({("a", "b"): "+"}, "about arrows from features to outputs"),
        ({("z", "y"): "+"}, "names of concepts"),
        ((-1, 1), "refers to a full map"),
    ],
)
def test_small_maps_take_bounds_of_direct_arrows_only(bounds, message):
    """Other bounds need a full map, and the message says so."""
    with pytest.raises(ParameterError, match=message):
        FCMRegressor(structure="additive", weight_bounds=bounds).fit(X, y)
    expert = FuzzyCognitiveMap.from_edges([("a", "b", 0.5)])
    with pytest.raises(ParameterError, match="about arrows from features to outputs"):
        FCMRegressor(structure="named", prior=expert).fit(X, y)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (Edits((), {"nothing": 0.5}), "no column of the table"),
        (Edits((Edit("a > 1", "y", 0.0, 1.0, 2.0),), {}), "None of the changed arrows goes from a column"),
        (Edits((Edit("a", "y", 0.0, 1.0, 2.0),), {}, target="z"), "those of a map of 'z'"),
    ],
)
def test_edits_of_another_table_are_errors(edits, message):
    """Held concepts, arrows and targets that the table does not have."""
    with pytest.raises(DataError, match=message):
        fit_table(X.assign(y=y), "y", FitOptions(edits=edits))


def test_held_column_is_left_out_and_classes_work():
    """A held column is dropped; arrows of several classes are kept by class."""
    labels = pd.Series(np.where(X["a"] > 0.4, "high", np.where(X["a"] < -0.4, "low", "mid")), name="class")
    edits = Edits((Edit("b", "class=high", 0.3, 0.0, 2.0), Edit("a > 0", "class=low", 0.0, 1.0, 2.0)), {"c": 0.5})
    model = fit_table(X.assign(level=labels), "level", FitOptions(edits=edits, structure="additive"))
    assert model.columns == ["a", "b"]
    assert 0.15 <= model.estimator.map_.to_frame(rows="source").loc["b", "class=high"] <= 0.6
    assert model.card["edits"]["not kept"] == [{"source": "a > 0", "target": "class=low"}]
    assert "c: left out, because it was held." in str(model.card)
    fcm = FCMClassifier(structure="additive", weight_bounds={("b", "class=high"): (0.0, 0.0)}).fit(X, labels)
    assert fcm.map_.to_frame(rows="source").get("class=high", pd.Series()).get("b", 0.0) == 0.0
