"""Effects of concepts, flow through edges, and feature importances."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE, SelectFromModel

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, feature_importances, influence

ROWS = np.random.default_rng(1).random((40, 4))


@pytest.mark.parametrize("link", ["one output", "three outputs", "values"])
def test_effects_are_derivatives_with_respect_to_initial_states(random_model, link):
    """Of all concepts, including hidden ones and outputs, as finite differences confirm."""
    model = random_model(link, depth=3, n_hidden=2)
    result = influence(model, ROWS)
    first, h = model.first_states(ROWS), 1e-6

    def outputs_of(states):
        before_last = model.map.run(states, 2)[-1]
        outputs = slice(model.map.n_concepts - model.n_outputs, None)
        return model.link.outputs(model.map.excitation(before_last, outputs).T)

    for j in range(model.map.n_concepts):
        step = h * np.eye(model.map.n_concepts)[j]
        derivative = (outputs_of(first + step) - outputs_of(first - step)) / (2 * h)
        np.testing.assert_allclose(result.effect[j], derivative.mean(axis=0), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(result.magnitude[j], np.abs(derivative).mean(axis=0), rtol=1e-5, atol=1e-7)


def test_flow_is_zero_without_a_path(random_model):
    """Through a weight of 0, or into a concept from which no output can be reached in the remaining steps."""
    W = np.random.default_rng(0).normal(size=(6, 6))
    W[5, 4] = W[4, 4] = 0.0  # the hidden concept influences the features only
    W[1, 0] = 0.0
    result = influence(random_model(weights=W, depth=2), ROWS)
    assert not result.flow[4].any()
    assert not result.flow[1, 0].any()
    assert result.flow[5, :4].all()


def test_flow_is_constant_along_a_chain(random_model):
    """With a single path from one feature, every edge of the path has the same flow."""
    W = np.zeros((6, 6))
    W[4, 0], W[5, 4] = 2.0, 3.0
    flow = influence(random_model(weights=W, depth=2), ROWS).flow
    np.testing.assert_allclose(flow[4, 0], flow[5, 4])
    assert np.count_nonzero(flow.sum(axis=2)) == 2


def test_flow_follows_the_data(random_model):
    """A large weight from a feature that does not vary carries nothing."""
    W = np.zeros((6, 6))
    W[5, 0], W[5, 1] = 8.0, 0.5
    rows = ROWS.copy()
    rows[:, 0] = 0.3
    result = influence(random_model(weights=W, depth=1), rows)
    assert not result.flow[5, 0].any()
    assert result.flow[5, 1].all()
    assert result.effect[0].all()


def test_tables_of_concepts_and_edges(learned):
    """Strongest first; all edges with a nonzero weight; JSON is complete."""
    fcm, X, _ = learned("iris")
    result = influence(fcm, X)
    concepts, edges = result.to_frame(), result.edges_to_frame()
    assert list(concepts.columns) == ["concept", "kind", "output", "effect", "magnitude"]
    assert len(concepts) == 3 * fcm.map_.n_concepts
    assert (concepts["kind"] == "feature").sum() == 4 * 3
    assert len(edges) == np.count_nonzero(fcm.map_.weights)
    assert edges["flow"].is_monotonic_decreasing
    first = edges.iloc[0]
    at = fcm.map_.concepts.index(first["target"]), fcm.map_.concepts.index(first["source"])
    assert first["weight"] == fcm.map_.weights[at]
    assert first["flow"] == result.flow[at].sum() == result.flow.sum(axis=2).max()
    np.testing.assert_array_equal(json.loads(result.to_json())["flow"], result.flow)
    assert max(map(len, repr(result).splitlines())) <= 100


def test_importances_look_like_those_of_scikit_learn(learned):
    """Mean and deviation over repeats, by attribute and by key; every call gives the same result."""
    fcm, X, _ = learned("wine")
    result = feature_importances(fcm, X, n_repeats=4)
    assert result.importances.shape == (13, 4)
    np.testing.assert_allclose(result.importances_mean, result.importances.mean(axis=1))
    np.testing.assert_allclose(result["importances_std"], result.importances.std(axis=1))
    np.testing.assert_array_equal(feature_importances(fcm, X, n_repeats=4).importances, result.importances)
    with pytest.raises(KeyError):
        result["importance"]
    table = result.to_frame()
    assert table["feature"][0] == X.columns[result.importances_mean.argmax()]
    assert max(map(len, repr(result).splitlines())) <= 100


def test_importances_of_one_row_compare_it_with_the_mean(learned):
    """There is no other row to pair it with."""
    fcm, X, _ = learned("wine")
    used = np.isin(np.arange(13), fcm.model_.encoding.columns)
    np.testing.assert_array_equal(feature_importances(fcm, X.iloc[[0]]).importances_mean > 0.0, used)
    assert influence(fcm, X.iloc[[0]]).flow.any()


@pytest.fixture(scope="module")
def planted():
    """A table in which the first three of eight features matter, and one is constant."""
    X, y = make_classification(300, 8, n_informative=3, n_redundant=0, shuffle=False, random_state=0)
    X[:, 7] = 3.0
    return X, y


def test_estimators_have_importances(planted):
    """They sum to 1; planted features rank first, a constant one has importance 0."""
    X, y = planted
    for estimator in (
        FCMClassifier(random_state=0),
        FCMClassifierCV(depths=(2,), alphas=(0.2,), random_state=0),
        FCMRegressor(random_state=0),
    ):
        importances = estimator.fit(X, y).feature_importances_
        assert importances.sum() == pytest.approx(1.0)
        assert set(np.argsort(-importances)[:3]) == {0, 1, 2}
        assert importances[7] == 0.0
    parts = FCMClassifier(random_state=0).partial_fit(X, y, classes=[0, 1])
    assert parts.feature_importances_.sum() == pytest.approx(1.0)


def test_selectors_of_scikit_learn_use_them(planted):
    """SelectFromModel and RFE choose the planted features."""
    X, y = planted
    fcm = FCMClassifier(structure="full", random_state=0)
    assert set(np.flatnonzero(SelectFromModel(fcm, max_features=3, threshold=-np.inf).fit(X, y).get_support())) == {
        0,
        1,
        2,
    }
    assert set(np.flatnonzero(RFE(fcm, n_features_to_select=3, step=2).fit(X, y).support_)) == {0, 1, 2}


def test_importances_do_not_depend_on_row_order(planted):
    """Nor on whether a row is repeated or weighted, bit by bit."""
    X, y = planted
    weight = 1.0 + np.arange(300) % 3
    expected = FCMClassifier(random_state=0).fit(X, y, weight).feature_importances_
    order = np.random.default_rng(0).permutation(300)
    repeated = np.repeat(order, weight[order].astype(int))
    for again in (
        FCMClassifier(random_state=0).fit(X[order], y[order], weight[order]),
        FCMClassifier(random_state=0).fit(X[repeated], y[repeated]),
    ):
        np.testing.assert_array_equal(again.feature_importances_, expected)
