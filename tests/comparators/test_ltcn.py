"""The long-term cognitive network against the package of its authors and against ridge regression."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import MinMaxScaler

from cogmap.comparators import LTCNClassifier

FUNCTIONS = {"sigmoid": "sigmoid", "tanh": "hyperbolic"}  # ours, and the package's name


def states_of(ltcn, X):
    """Return the concatenated states of all steps by the formula of the paper."""
    W = ltcn.map_.weights.T
    A, Z = X, [X]
    for _ in range(ltcn.depth):
        A = ltcn.phi * np.tanh(A @ W) + (1 - ltcn.phi) * X
        Z.append(A)
    return np.hstack(Z)


@pytest.mark.parametrize("table", ["iris", "wine", "breast_cancer"])
@pytest.mark.parametrize("activation", FUNCTIONS)
def test_scores_are_those_of_the_package(request, table, activation):
    """On features in [0, 1] of which none is constant, to the precision of the equations."""
    package = pytest.importorskip("ltcn.LTCN", reason="the package ltcn is in the dependency group test")
    X, y = request.getfixturevalue(table)
    X = MinMaxScaler().fit_transform(X)
    theirs = package.LTCN(T=7, phi=0.7, alpha=1e-3, function=FUNCTIONS[activation]).fit(X, np.eye(y.max() + 1)[y])
    ours = LTCNClassifier(depth=7, phi=0.7, alpha=1e-3, activation=activation).fit(X, y)
    expected = theirs.predict(X)
    if expected.shape[1] == 2:
        expected = expected[:, 1] - expected[:, 0]
    np.testing.assert_allclose(ours.decision_function(X), expected, rtol=0, atol=1e-7)


def test_a_second_fit_forgets_the_first(iris, wine):
    """Also the map: the package keeps it."""
    again = LTCNClassifier().fit(*wine).fit(*iris)
    assert again.map_ == LTCNClassifier().fit(*iris).map_


def test_a_constant_feature_changes_nothing(wine):
    """It has no influence; the package draws random numbers for it."""
    X, y = wine
    with_constant = np.insert(X, 3, 7.0, axis=1)
    ltcn = LTCNClassifier().fit(with_constant, y)
    assert not ltcn.map_.weights[3].any()
    assert not ltcn.map_.weights[:, 3].any()
    assert ltcn.feature_importances_[3] == 0.0
    expected = LTCNClassifier().fit(X, y).decision_function(X)
    np.testing.assert_allclose(ltcn.decision_function(with_constant), expected, atol=1e-8)


def test_weights_of_the_map_are_slopes_of_regressions(wine):
    """Of each feature on each, by NumPy's least squares, over the norm of all."""
    X, y = wine
    X = MinMaxScaler().fit_transform(X)
    slopes = np.array([[np.polyfit(X[:, j], X[:, i], 1)[0] for j in range(13)] for i in range(13)])
    np.testing.assert_allclose(LTCNClassifier().fit(X, y).map_.weights, slopes / np.linalg.norm(slopes), atol=1e-12)


@pytest.mark.parametrize("rows", [slice(None), slice(None, None, 4)])  # more rows than states, and fewer
def test_the_gain_is_that_of_scores_left_out(iris, rows):
    """Scores of each row by a ridge regression of scikit-learn on all others; no other gain has a lower loss.

    A label counts as right but for one row of all and two more, as in Platt's calibration.
    """
    X, y = iris
    X, y = MinMaxScaler().fit_transform(X[rows]), y[rows]
    ltcn = LTCNClassifier().fit(X, y)
    states = states_of(ltcn, X)
    scores = cross_val_predict(Ridge(alpha=1e-4), states, np.eye(3)[y], cv=len(X))

    def loss(gain):
        return -(targets * log_softmax(gain * scores, axis=1)).sum(axis=1).mean()

    doubt = 1 / (len(y) + 2)
    targets = np.where(np.eye(3)[y] == 1, 1 - doubt, doubt / 2)
    assert loss(ltcn.gain_) == pytest.approx(min(loss(ltcn.gain_ * factor) for factor in np.geomspace(0.5, 2, 101)))


def test_relevance_is_shared_by_the_features(iris):
    """Absolute coefficients of each feature over all steps, normalized to sum to 1."""
    ltcn = LTCNClassifier().fit(*iris)
    assert ltcn.feature_importances_.shape == (4,)
    assert ltcn.feature_importances_.sum() == pytest.approx(1.0)
    assert ltcn.coef_.shape == (21, 4, 3)


def test_features_that_are_all_constant_leave_about_the_shares_of_the_classes():
    """Probabilities are close to the class frequencies."""
    y = np.array([0] * 15 + [1] * 5)
    ltcn = LTCNClassifier().fit(np.ones((20, 2)), y)
    assert (ltcn.predict(np.ones((3, 2))) == 0).all()
    assert 0.2 < ltcn.predict_proba(np.ones((1, 2)))[0, 1] < 0.35
