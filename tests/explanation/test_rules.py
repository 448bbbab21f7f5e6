"""Maps as sentences, and the share of the decisions that some arrows carry."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap, fit_table, influence, to_rules
from cogmap.exceptions import ParameterError
from cogmap.explanation.rules import carried_share
from cogmap.table import FitOptions


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def named(iris):
    return FCMClassifier(structure="named", random_state=0).fit(*iris)


def test_there_is_a_rule_for_every_arrow_into_an_output(named, iris):
    """With the numbers of the map, and the signs in words."""
    rules, fcm = to_rules(named, iris[0]), named.map_
    outputs = list(range(fcm.n_concepts - 3, fcm.n_concepts))
    assert len(rules) == np.count_nonzero(fcm.weights[outputs])
    for sentence, source, target, weight in zip(rules, rules.sources, rules.targets, rules.weights, strict=True):
        assert fcm.weights[fcm.concepts.index(target), fcm.concepts.index(source)] == weight
        assert f"{source} {'raises' if weight > 0 else 'lowers'} {target}" in sentence


def test_strengths_are_weights_times_the_spread_of_states(named, iris):
    rules = to_rules(named, iris[0])
    states = named.model_.transformed(iris[0].to_numpy())
    spread = dict(zip(named.map_.concepts, states.std(axis=0), strict=True))
    assert np.allclose(rules.strengths, [abs(w) * spread[s] for w, s in zip(rules.weights, rules.sources, strict=True)])
    assert (np.diff(rules.strengths) <= 0).all()
    assert rules[0].endswith("(strongly)")


def test_without_rows_the_training_data_set_the_spread(named, iris):
    """The same arrows; those of single features in nearly the same order."""
    typical, given = to_rules(named), to_rules(named, iris[0])
    assert sorted(typical.weights) == sorted(given.weights)
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    fcm = FCMRegressor(structure="additive", random_state=0).fit(X, y)
    assert to_rules(fcm).sources[:3] == to_rules(fcm, X).sources[:3]


def test_the_direction_of_a_rule_is_that_of_the_effect():
    """Of an additive map of values."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    fcm = FCMRegressor(structure="additive", random_state=0).fit(X, y)
    effect = dict(zip(fcm.map_.concepts, influence(fcm, X).effect[:, 0], strict=True))
    rules = to_rules(fcm, X)
    assert all(("raises" in rule) == (effect[source] > 0) for rule, source in zip(rules, rules.sources, strict=True))
    assert all(rule.startswith("high ") == (source != "sex") for rule, source in zip(rules, rules.sources, strict=True))


def test_two_values_and_terms_are_not_high(iris):
    """A column of two values is called by its name, as in the names of combinations, and so is a term."""
    random = np.random.default_rng(0)
    X = pd.DataFrame({"smoker": random.integers(0, 2, 200), "age": random.normal(50, 10, 200)})
    y = X["smoker"] + 0.05 * X["age"]
    rules = to_rules(FCMRegressor(structure="additive", random_state=0).fit(X, y))
    assert {rule.split(" raises")[0] for rule in rules} == {"smoker", "high age"}
    terms = to_rules(FCMClassifier(structure="additive", terms=3, random_state=0).fit(*iris))
    assert not any(rule.startswith("high ") for rule in terms)


def test_raw_tables_and_maps_drawn_by_hand():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"color": random.choice(["red", "blue", "green"], 120), "size": random.normal(size=120)})
    frame["price"] = 3.0 * (frame["color"] == "red") + frame["size"] + 0.1 * random.normal(size=120)
    rules = to_rules(fit_table(frame, "price", FitOptions(structure="additive")), frame)
    assert len(rules) > 0
    by_hand = FuzzyCognitiveMap([[0.0, -2.0, 0], [1, 0.5, 0], [0, 0, 0]], concepts=["a", "b", "c"])
    assert list(to_rules(by_hand)) == ["b lowers a (strongly)", "a raises b (strongly)"]
    assert len(to_rules(FuzzyCognitiveMap(np.zeros((2, 2)), concepts=["a", "b"]))) == 0


def test_bad_questions():
    with pytest.raises(NotFittedError):
        to_rules(FCMClassifier())
    with pytest.raises(ParameterError, match=r"to_rules\(model=.*That is a class"):
        to_rules(FCMClassifier)
    with pytest.raises(ParameterError, match=r"to_rules\(model=.* a fitted estimator of cogmap"):
        to_rules("a map")


def test_all_arrows_carry_everything_and_fewer_carry_less(named, iris):
    X, weights = iris[0], named.map_.weights
    assert carried_share(named, weights != 0) == 1.0
    assert carried_share(named, np.zeros_like(weights, dtype=bool), X) <= 0.0
    strong = np.abs(weights) > np.median(np.abs(weights[weights != 0]))
    assert carried_share(named, strong, X) < 1.0


def test_the_share_is_that_of_an_additive_model_without_a_feature():
    """R² of scikit-learn is the oracle: a missing value is undecided, like the source of a missing arrow."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    fcm = FCMRegressor(structure="additive", random_state=0).fit(X, y)
    drawn = fcm.map_.weights != 0
    drawn[:, fcm.map_.concepts.index("bmi")] = False
    without = X.assign(bmi=np.nan)
    whole, partly = fcm.predict(X), fcm.predict(without)
    assert carried_share(fcm, drawn, X) == pytest.approx(r2_score(whole, partly))
