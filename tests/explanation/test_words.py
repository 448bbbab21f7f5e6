"""A feature with linguistic terms has several concepts but remains one column in every explanation."""

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMClassifierCV, explain, feature_importances, influence, prune, story, what_if


@pytest.fixture(scope="module")
def words(learned):
    """A classifier of iris with terms for the petals, with its table."""
    _, X, y = learned("iris")
    terms = {"petal length (cm)": 3, "petal width (cm)": ["thin", "wide"]}
    return FCMClassifier(structure="full", terms=terms, random_state=0).fit(X, y), X, y


def test_contributions_are_of_columns_and_add_up(words):
    """Contributions of the terms of a feature are summed."""
    fcm, X, _ = words
    for model, table in ((fcm, X), (fcm.model_, X.to_numpy())):
        explanation = explain(model, table)
        assert explanation.feature_names == tuple(X.columns)
        assert explanation.contributions.shape == (150, 4, 3)
        total = explanation.base_values + explanation.contributions.sum(axis=1)
        assert np.abs(total - fcm.predict_proba(X)).max() < 1e-9
        assert explanation.relevance.shape == (150, 4, 3)
    assert fcm.feature_importances_.shape == (4,)
    assert feature_importances(fcm, X).importances.shape == (4, 5)


def test_influence_and_stories_have_terms_as_concepts(words):
    """Concepts are terms, features are columns; each step carries the whole difference."""
    fcm, X, _ = words
    influences = influence(fcm, X)
    assert "petal width (cm) is thin" in influences.concepts
    assert influences.kinds.count("feature") == 2 + 3 + 2
    trace = story(fcm, X.iloc[100])
    assert trace.contributions.shape == (4,)
    np.testing.assert_allclose(trace.flow.sum(axis=(1, 2)), trace.output - trace.base_value, atol=1e-9)
    np.testing.assert_allclose(trace.contributions.sum(), trace.output - trace.base_value, atol=1e-9)


def test_changes_are_of_numbers(words):
    """What is found is a row of numbers, in which words change as they may."""
    fcm, X, _ = words
    for i in range(0, 150, 15):
        answer = what_if(fcm, X.iloc[[i]], fixed=["sepal width (cm)"])
        assert fcm.predict(answer.row) != fcm.predict(X.iloc[[i]])
        assert set(answer.changes) <= set(X.columns) - {"sepal width (cm)"}


def test_pruned_maps_keep_terms(words):
    """Including those chosen by the estimator."""
    fcm, X, y = words
    pruned = prune(fcm, X, y, keep=0.2)
    assert _visible(pruned) == _visible(fcm)
    assert pruned.score(X, y) > 0.9
    chosen = FCMClassifierCV(depths=(2,), alphas=(0.2,), terms="auto", random_state=0).fit(X, y)
    assert _visible(prune(chosen, X, y, keep=0.2)) == _visible(chosen)


def _visible(fcm):
    """Return the names of inputs and outputs."""
    model, names = fcm.model_, fcm.map_.concepts
    return names[: model.n_inputs], names[model.n_inputs + model.n_hidden :]
