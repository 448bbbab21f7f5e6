"""The paper's rivals."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.utils.estimator_checks import parametrize_with_checks

from cogmap.experiments.rivals import PAPER_RIVALS, RIVALS, TITLES, GaussianMixtureClassifier, Rules


@parametrize_with_checks([GaussianMixtureClassifier(), GaussianMixtureClassifier(3, "diag")])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_check_of_scikit_learn(estimator, check):
    """The mixture classifier is a proper scikit-learn estimator."""
    check(estimator)


def test_one_gaussian_a_class_is_bayes_rule(iris):
    """Probabilities equal those from SciPy's densities and the shares of the classes."""
    X, y = iris
    joint = np.column_stack(
        [
            (y == code).mean() * multivariate_normal(X[y == code].mean(axis=0), np.cov(X[y == code].T, ddof=0)).pdf(X)
            for code in range(3)
        ]
    )
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(GaussianMixtureClassifier(reg_covar=0).fit(X, y).predict_proba(X), expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_with_fewer_rows_than_components_survive(iris):
    """A class of one row and one of two, with three components."""
    X, y = iris
    rows = np.r_[0:50, 50:52, 100:101]
    model = GaussianMixtureClassifier(3, random_state=0).fit(X[rows], y[rows])
    assert model.predict(X[100:101]) == [2]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("old", [False, True])
def test_there_are_twelve_rivals_three_strong_ones_and_the_family_and_all_learn(iris, old):
    """Every one, at the settings of either time, on features in [0, 1]."""
    X, y = iris
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    assert len(PAPER_RIVALS) == 12
    assert len(RIVALS) == 12 + 3 + 6
    assert list(TITLES) == list(RIVALS)
    for name, make in RIVALS.items():
        assert make(Rules(0, old), X).fit(X, y).score(X, y) > 0.6, name


def test_old_rules_are_those_of_the_printed_tables(iris):
    """Ten trees, a gamma from the standard deviation, one-versus-rest logistic regression."""
    X, _ = iris
    old = Rules(0, old=True)
    assert RIVALS["rforest"](old, X).n_estimators == 10
    assert RIVALS["svcrbf"](old, X).gamma == pytest.approx(1 / (4 * X.std()))
    assert RIVALS["logreg"](old, X).estimator.solver == "liblinear"
