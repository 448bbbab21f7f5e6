"""The paper's rivals."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.utils.estimator_checks import parametrize_with_checks

from cogmap.research.experiments.rivals import PAPER_RIVALS, RIVALS, GaussianMixtureClassifier, RivalOptions


@parametrize_with_checks([GaussianMixtureClassifier(), GaussianMixtureClassifier(3, "diag", "program")])
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


def component_densities(mixture, X):
    """Return the density of each component, by SciPy."""
    covariances = mixture.covariances_ if mixture.covariance_type == "full" else map(np.diag, mixture.covariances_)
    return np.column_stack([multivariate_normal(m, c).pdf(X) for m, c in zip(mixture.means_, covariances, strict=True)])


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_the_text_takes_the_largest_component_times_the_share(iris, covariance_type):
    """And the author's program the whole mixture, whatever the share; both by SciPy's densities."""
    X, y = iris
    X, y = X[:130], y[:130]  # classes of 50, 50 and 30 rows
    models = {
        variant: GaussianMixtureClassifier(3, covariance_type, variant, random_state=0).fit(X, y)
        for variant in ("text", "program")
    }
    densities = [component_densities(mixture, X) for mixture in models["text"].mixtures_]
    largest = np.column_stack([of_class.max(axis=1) for of_class in densities]) * [5 / 13, 5 / 13, 3 / 13]
    of_mixture = np.column_stack(
        [d @ mixture.weights_ for d, mixture in zip(densities, models["program"].mixtures_, strict=True)]
    )
    for variant, joint in (("text", largest), ("program", of_mixture)):
        expected = joint / joint.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(models[variant].predict_proba(X), expected, atol=1e-9)


def test_the_program_gives_small_classes_one_component(iris):
    """Below five rows per component, which it says; the text uses as many as there are rows."""
    X, y = iris
    rows = np.r_[0:50, 50:65, 100:114]
    program = GaussianMixtureClassifier(3, "diag", "program", random_state=0).fit(X[rows], y[rows])
    assert [mixture.n_components for mixture in program.mixtures_] == [3, 3, 1]
    assert program.notes_ == ["class 2 has 14 training rows: 1 of 3 components"]
    text = GaussianMixtureClassifier(3, "diag", random_state=0).fit(X[rows], y[rows])
    assert [mixture.n_components for mixture in text.mixtures_] == [3, 3, 3]
    assert text.notes_ == []


def test_an_unknown_variant_is_refused(iris):
    """With the ones that there are."""
    with pytest.raises(ValueError, match='must be "text" or "program", got \'book\''):
        GaussianMixtureClassifier(variant="book").fit(*iris)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_with_fewer_rows_than_components_survive(iris):
    """A class of one row and one of two, with three components."""
    X, y = iris
    rows = np.r_[0:50, 50:52, 100:101]
    model = GaussianMixtureClassifier(3, random_state=0).fit(X[rows], y[rows])
    assert model.notes_ == [
        "class 2 has 1 training row: 1 of 3 components, the row counts twice",
        "class 1 has 2 training rows: 2 of 3 components",
    ]
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
    for name, make in RIVALS.items():
        assert make(RivalOptions(0, old), X).fit(X, y).score(X, y) > 0.6, name


def test_old_rules_are_those_of_the_printed_tables(iris):
    """Ten trees, a gamma from the standard deviation, one-versus-rest logistic regression."""
    X, _ = iris
    old = RivalOptions(0, old_defaults=True)
    assert RIVALS["rforest"](old, X).n_estimators == 10
    assert RIVALS["svcrbf"](old, X).gamma == pytest.approx(1 / (4 * X.std()))
    assert RIVALS["logreg"](old, X).estimator.solver == "liblinear"
