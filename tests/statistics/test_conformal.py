"""Errors on held-out rows as intervals and sets."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict

from cogmap.exceptions import ParameterError
from cogmap.statistics import HeldOutErrors
from cogmap.statistics.conformal import check_level, weighted_quantiles


def noisy(n_rows, seed, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, X @ [1.0, -2.0, 0.5] + noise * rng.normal(size=n_rows)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_the_quantile_is_mapies(level):
    """An outside oracle: MAPIE's cross-validation intervals around the same regression, with the same folds."""
    regression = pytest.importorskip("mapie.regression")
    (X, y), cv = noisy(400, 0), KFold(5)
    rival = regression.CrossConformalRegressor(Ridge(), confidence_level=level, method="base", cv=cv)
    _, ends = rival.fit_conformalize(X, y).predict_interval(X[:5])
    residuals = np.abs(y - cross_val_predict(Ridge(), X, y, cv=cv))
    errors = HeldOutErrors(weighted_quantiles(residuals, np.ones(400))[:, None], 400.0)
    np.testing.assert_allclose(np.diff(ends[:, :, 0], axis=1) / 2, errors.quantile(level)[0], rtol=1e-6)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.97])
def test_sets_are_mapies_except_that_none_is_empty(level):
    """The least ambiguous classifier of MAPIE, around a model that was fitted before."""
    classification = pytest.importorskip("mapie.classification")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1700, 2))
    y = (X + rng.normal(size=(1700, 2))).sum(axis=1).round().clip(-1, 1).astype(int) + 1
    model = LogisticRegression().fit(X[:500], y[:500])
    rival = classification.SplitConformalClassifier(model, confidence_level=level, conformity_score="lac", prefit=True)
    predicted, expected = rival.conformalize(X[500:900], y[500:900]).predict_set(X[1500:])
    errors = HeldOutErrors.of_classes(model.predict_proba(X[500:900]), y[500:900], np.ones(400), 400.0)
    expected = expected[:, :, 0]
    expected[np.arange(200), predicted] = True
    np.testing.assert_array_equal(errors.sets(model.predict_proba(X[1500:]), level), expected)


def test_intervals_are_wider_where_predictions_were_less_accurate():
    """Noise that grows with the value: 90 % are inside among small values, and among large ones."""
    rng = np.random.default_rng(2)
    predictions = rng.uniform(1, 10, 40_000)
    values = predictions * (1 + 0.2 * rng.normal(size=40_000))
    fitted = HeldOutErrors.of_values(predictions[:20_000, None], values[:20_000, None], np.ones(20_000), 4000.0)
    rest, truth = predictions[20_000:], values[20_000:]
    half = fitted.half_widths(rest[:, None], 0.9)[:, 0]
    inside = np.abs(truth - rest) <= half
    assert inside.mean() == pytest.approx(0.9, abs=0.01)
    for low, high in ((2, 4), (4, 7), (7, 9)):
        assert inside[(rest > low) & (rest < high)].mean() == pytest.approx(0.9, abs=0.05)
    assert half[rest > 9].min() > 2 * half[rest < 3].max()


def test_few_rows_in_a_part_make_intervals_wider():
    """The correction is that of one part: of 20 rows, the quantile 0.945 is taken."""
    errors = weighted_quantiles(np.arange(1.0, 401.0), np.ones(400))[:, None]
    assert HeldOutErrors(errors, 20.0).quantile(0.9)[0] == 378.0
    assert HeldOutErrors(errors, 2000.0).quantile(0.9)[0] == 361.0
    assert HeldOutErrors(errors, 20.0).quantile(1e-300)[0] == 1.0
    assert HeldOutErrors(errors, 4.0).quantile(0.9)[0] == 400.0  # not more than the largest


def test_a_weight_is_a_number_of_rows():
    """A row that counts three times is the same as three rows."""
    rng = np.random.default_rng(3)
    predictions, values = rng.normal(size=(200, 2)), rng.normal(size=(200, 2))
    counts = rng.integers(1, 4, 200)
    weighted = HeldOutErrors.of_values(predictions, values, counts.astype(float), 50.0)
    repeated = HeldOutErrors.of_values(
        np.repeat(predictions, counts, axis=0), np.repeat(values, counts, axis=0), np.ones(counts.sum()), 50.0
    )
    np.testing.assert_allclose(
        weighted.half_widths(predictions, 0.9), repeated.half_widths(predictions, 0.9), rtol=0.02
    )


def test_perfect_predictions_have_intervals_of_no_width():
    """No error is divided by zero."""
    y = np.linspace(0, 1, 50)[:, None]
    errors = HeldOutErrors.of_values(y, y, np.ones(50), 10.0)
    assert errors.half_widths(y, 0.9).max() == 0.0


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (0, "must be a number > 0 and < 1, got 0.$"),
        (1, "must be a number > 0 and < 1, got 1.$"),
        (90, "got 90. For 90 %, use 0.9.$"),
        ("0.9", "got '0.9'.$"),
        (None, "got None.$"),
        (np.nan, "got nan.$"),
        (True, "got True.$"),
    ],
)
def test_bad_levels(level, message):
    """One sentence each."""
    with pytest.raises(ParameterError, match=message):
        check_level("f", level)
