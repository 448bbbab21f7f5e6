"""Columns that are called like an output or a hidden concept: refused where a name has to mean one."""

import numpy as np
import pandas as pd
import pytest

from cogmap import FCMClassifier, FuzzyCognitiveMap
from cogmap.exceptions import ParameterError

RANDOM = np.random.RandomState(0)
TABLE = pd.DataFrame(RANDOM.normal(size=(60, 3)), columns=["a", "class=1", "hidden 1"])
Y = (TABLE["class=1"] + 0.3 * RANDOM.normal(size=60) > 0).astype(int).to_numpy()
SETTINGS = {"n_hidden": 2, "n_teachers": 0, "max_iter": 20, "tol": 0, "random_state": 0}
BOTH = "1 feature and 1 output have this name: rename the column"
A_OUTPUT = ("a", "class=1")


def test_a_column_called_like_an_output_is_learned_from():
    """As long as nobody has to say which of the two is meant; the map numbers the second."""
    fcm = FCMClassifier(**SETTINGS).fit(TABLE, Y)
    assert fcm.map_.concepts == ("a", "class=1", "hidden 1", "hidden 1 (2)", "hidden 2", "class=1 (2)")
    assert fcm.score(TABLE, Y) > 0.8


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("weight_bounds", {A_OUTPUT: "+"}, BOTH),
        ("edges", [A_OUTPUT, ("a", "class=1 (2)")], BOTH),
        ("edges", {("class=1", "class=1 (2)"): "+"}, BOTH),
        ("edges", [("a", "hidden 1")], "1 feature and 1 hidden concept have this name"),
        ("prior", FuzzyCognitiveMap.from_edges([(*A_OUTPUT, 1.0)]), BOTH),
        ("init", FuzzyCognitiveMap.from_edges([(*A_OUTPUT, 1.0)]), r"without \['hidden 1', .*'class=1 \(2\)'\]"),
    ],
)
def test_a_name_that_a_feature_and_an_output_have_is_refused(parameter, value, message):
    """The message names the two, and what to do."""
    with pytest.raises(ParameterError, match=rf"`FCMClassifier\({parameter}=...\)` must be .*{message}"):
        FCMClassifier(**SETTINGS, **{parameter: value}).fit(TABLE, Y)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("weight_bounds", {("a", "class=1 (2)"): (1.0, 1.0)}),
        ("edges", {("a", "class=1 (2)"): (1.0, 1.0)}),
        ("prior", FuzzyCognitiveMap.from_edges([("class=1", "class=1 (2)", 1.0)])),
        ("monotonic_cst", {"class=1": 1}),
        ("terms", {"class=1": 3}),
    ],
)
def test_names_that_can_mean_one_concept_only_are_taken(parameter, value):
    """The numbered name of the output, maps that have both, and what is said of features alone."""
    fcm = FCMClassifier(**SETTINGS, **{parameter: value}).fit(TABLE, Y)
    if isinstance(value, dict) and ("a", "class=1 (2)") in value:
        assert fcm.map_.weights[-1, 0] == 1.0


def test_a_class_of_a_monotone_effect_is_no_feature():
    """What stands for the class is looked for among the outputs."""
    y = np.digitize(TABLE["class=1"], [-0.5, 0.5])
    fcm = FCMClassifier(**SETTINGS, monotonic_cst={("class=1", "class=1"): -1}).fit(TABLE, y)
    assert (fcm.model_.derivative(TABLE.to_numpy())[:, 1, 1] <= 0.0).all()
