"""What influences what: derivatives, flow through edges, importances."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE, SelectFromModel

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, feature_importances, influence

ROWS = np.random.default_rng(1).random((40, 4))


@pytest.mark.parametrize("link", ["one output", "three outputs", "values"])
def test_effects_are_derivatives_with_respect_to_first_states(random_model, link):
    """Of every concept, hidden ones and outputs too, through all steps: as finite differences say."""
    model = random_model(link, depth=3, n_hidden=2)
    found = influence(model, ROWS)
    first, h = model.first_states(ROWS), 1e-6

    def said(states):
        before_last = model.map.run(states, 2)[-1]
        outputs = slice(model.map.n_concepts - model.n_outputs, None)
        return model.link.outputs(model.map.excitation(before_last, outputs).T)

    for j in range(model.map.n_concepts):
        step = h * np.eye(model.map.n_concepts)[j]
        derivative = (said(first + step) - said(first - step)) / (2 * h)
        np.testing.assert_allclose(found.effect[j], derivative.mean(axis=0), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(found.magnitude[j], np.abs(derivative).mean(axis=0), rtol=1e-5, atol=1e-7)


def test_nothing_flows_where_there_is_no_way(random_model):
    """Not through a weight of 0, nor into a concept from which no output is reached in time."""
    W = np.random.default_rng(0).normal(size=(6, 6))
    W[5, 4] = W[4, 4] = 0.0  # the hidden concept influences the features only
    W[1, 0] = 0.0
    found = influence(random_model(weights=W, depth=2), ROWS)
    assert not found.flow[4].any()
    assert not found.flow[1, 0].any()
    assert found.flow[5, :4].all()


def test_what_passes_a_chain_passes_each_of_its_edges(random_model):
    """One way from one feature: the flow is the same at every edge of it."""
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
    found = influence(random_model(weights=W, depth=1), rows)
    assert not found.flow[5, 0].any()
    assert found.flow[5, 1].all()
    assert found.effect[0].all()


def test_tables_of_concepts_and_edges(learned):
    """The strongest first; every edge that has a weight; JSON says all."""
    fcm, X, _ = learned("iris")
    found = influence(fcm, X)
    concepts, edges = found.to_frame(), found.edges_to_frame()
    assert list(concepts.columns) == ["concept", "kind", "output", "effect", "magnitude"]
    assert len(concepts) == 3 * fcm.map_.n_concepts
    assert (concepts["kind"] == "feature").sum() == 4 * 3
    assert len(edges) == np.count_nonzero(fcm.map_.weights)
    assert edges["flow"].is_monotonic_decreasing
    first = edges.iloc[0]
    at = fcm.map_.concepts.index(first["target"]), fcm.map_.concepts.index(first["source"])
    assert first["weight"] == fcm.map_.weights[at]
    assert first["flow"] == found.flow[at].sum() == found.flow.sum(axis=2).max()
    np.testing.assert_array_equal(json.loads(found.to_json())["flow"], found.flow)
    assert max(map(len, repr(found).splitlines())) <= 100


def test_importances_look_like_those_of_scikit_learn(learned):
    """Mean and deviation over repeats, by attribute and by key; the same at every call."""
    fcm, X, _ = learned("wine")
    found = feature_importances(fcm, X, n_repeats=4)
    assert found.importances.shape == (13, 4)
    np.testing.assert_allclose(found.importances_mean, found.importances.mean(axis=1))
    np.testing.assert_allclose(found["importances_std"], found.importances.std(axis=1))
    np.testing.assert_array_equal(feature_importances(fcm, X, n_repeats=4).importances, found.importances)
    with pytest.raises(KeyError):
        found["importance"]
    table = found.to_frame()
    assert table["feature"][0] == X.columns[found.importances_mean.argmax()]
    assert max(map(len, repr(found).splitlines())) <= 100


def test_importances_of_one_row_compare_it_with_the_mean(learned):
    """There is no other row to pair it with."""
    fcm, X, _ = learned("wine")
    assert feature_importances(fcm, X.iloc[[0]]).importances_mean.all()
    assert influence(fcm, X.iloc[[0]]).flow.any()


@pytest.fixture(scope="module")
def planted():
    """A table in which the first three of eight features matter, and one is constant."""
    X, y = make_classification(300, 8, n_informative=3, n_redundant=0, shuffle=False, random_state=0)
    X[:, 7] = 3.0
    return X, y


def test_estimators_know_their_importances(planted):
    """Shares of 1; planted features are first, a constant one has none."""
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
    fcm = FCMClassifier(random_state=0)
    assert set(np.flatnonzero(SelectFromModel(fcm, max_features=3, threshold=-np.inf).fit(X, y).get_support())) == {
        0,
        1,
        2,
    }
    assert set(np.flatnonzero(RFE(fcm, n_features_to_select=3, step=2).fit(X, y).support_)) == {0, 1, 2}


def test_importances_do_not_follow_the_order_of_the_rows(planted):
    """Nor whether a row is repeated or weighted: to the bit."""
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
