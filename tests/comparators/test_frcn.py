"""The fuzzy-rough cognitive network against a plain implementation of its formulas."""

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from cogmap.comparators import FRCNClassifier, frcn
from cogmap.comparators.frcn import best_gain

SETTINGS = [
    {},
    {"membership": "soft"},
    {"similarity": "exponential", "gamma": 4.0},
    {"t_norm": "product"},
    {"t_norm": "minimum", "membership": "soft", "similarity": "exponential"},
]
T_NORMS = {
    "lukasiewicz": lambda a, b: max(a + b - 1, 0),
    "product": lambda a, b: a * b,
    "minimum": min,
}


def written_out(model, X, y, row):
    """Return the activations of a row by the formulas of the paper, one pair of rows at a time."""

    def alike(a, b):
        distance = np.abs(a - b).mean()
        return np.exp(-model.gamma * distance) if model.similarity == "exponential" else 1 - distance

    classes = np.unique(y)
    centres = [X[y == k].mean(axis=0) for k in classes]

    def member(i, k):
        if model.membership == "hard":
            return float(y[i] == k)
        shares = [alike(X[i], centre) for centre in centres]
        return 0.5 * ((y[i] == k) + shares[k] / sum(shares))

    n, join = len(X), T_NORMS[model.t_norm]
    result = []
    for k in classes:
        mu = [member(i, k) for i in range(n)]
        lower = [min(mu[i], min(min(1 - alike(X[i], X[j]) + mu[j], 1) for j in range(n))) for i in range(n)]
        upper = [max(mu[i], max(max(alike(X[i], X[j]) + mu[j] - 1, 0) for j in range(n))) for i in range(n)]
        np.testing.assert_allclose(model.lower_[:, k], lower)
        np.testing.assert_allclose(model.upper_[:, k], upper)
        result.append(sum(join(alike(row, X[i]), lower[i]) for i in range(n)) / sum(lower))
    return result


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_regions_and_activations_are_those_of_the_formulas(iris, settings):
    """Lower and upper approximation of every training row, and the activations of a new one."""
    X, y = iris
    X = MinMaxScaler().fit_transform(X[::5])
    model = FRCNClassifier(**settings).fit(X, y[::5])
    row = np.array([0.4, 0.3, 0.5, 0.45])
    np.testing.assert_allclose(model.decision_function([row])[0], written_out(model, X, y[::5], row))


@pytest.mark.parametrize("settings", [{}, {"t_norm": "product"}, {"similarity": "exponential"}], ids=str)
def test_the_gain_is_that_of_rows_left_out(wine, settings, monkeypatch):
    """Activations of each training row are those of a network that has never seen it."""
    X, y = wine
    X, y = MinMaxScaler().fit_transform(X)[::3], y[::3]
    seen = []
    monkeypatch.setattr(frcn, "best_gain", lambda *arguments: seen.append(arguments) or best_gain(*arguments))
    FRCNClassifier(**settings).fit(X, y)
    scores = seen[0][0]
    ends = np.argsort(X, axis=0)[[0, -1]]  # without these the ranges would differ
    for i in np.setdiff1d(np.arange(len(X)), ends)[::3]:
        without = FRCNClassifier(**settings).fit(np.delete(X, i, axis=0), np.delete(y, i))
        np.testing.assert_allclose(without.decision_function(X[[i]])[0], scores[i])


def test_blocks_of_rows_change_nothing(iris, monkeypatch):
    """Results do not depend on the block size."""
    whole = FRCNClassifier().fit(*iris)
    monkeypatch.setattr(frcn, "_BLOCK_SIZE", 1000)
    blocks = FRCNClassifier().fit(*iris)
    np.testing.assert_array_equal(whole.lower_, blocks.lower_)
    np.testing.assert_allclose(whole.predict_proba(iris[0]), blocks.predict_proba(iris[0]))


def test_nominal_values_are_equal_or_as_far_apart_as_can_be():
    """The order of their codes does not matter, and a value never seen is half as far from all."""
    rng = np.random.default_rng(0)
    codes, number = rng.integers(0, 4, 60), rng.random(60)
    y = (codes % 2 == 0).astype(int)
    shuffled = np.array([2, 0, 3, 1])[codes]
    model = FRCNClassifier(nominal_features=[0]).fit(np.c_[codes, number], y)
    other = FRCNClassifier(nominal_features=[True, False]).fit(np.c_[shuffled, number], y)
    np.testing.assert_allclose(model.lower_, other.lower_)
    assert model.score(np.c_[codes, number], y) == 1.0
    near = model.predict_proba([[9.0, 0.5]])[0]
    np.testing.assert_allclose(near, model.predict_proba([[np.nan, 0.5]])[0])


def test_a_class_that_is_never_sure_is_never_predicted():
    """Its only row has the features of another class."""
    X = np.array([[0.0], [0.1], [0.9], [1.0], [1.0]])
    model = FRCNClassifier().fit(X, [0, 0, 1, 1, 2])
    assert not model.lower_[:, 2].any()
    assert set(model.predict(np.linspace(0, 1, 50)[:, None])) == {0, 1}
