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
    half = np.ptp(fitted.intervals(rest[:, None], rest[:, None], 0.9), axis=2)[:, 0] / 2
    inside = np.abs(truth - rest) <= half
    assert inside.mean() == pytest.approx(0.9, abs=0.01)
    for low, high in ((2, 4), (4, 7), (7, 9)):
        assert inside[(rest > low) & (rest < high)].mean() == pytest.approx(0.9, abs=0.05)
    assert half[rest > 9].min() > 2 * half[rest < 3].max()


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("wide", [0.1, 4.0])
def test_intervals_of_quantiles_are_mapies(level, wide):
    """Conformalized quantile regression, where quantiles are too near to each other and too far apart."""
    regression = pytest.importorskip("mapie.regression")
    X, y = noisy(600, 4)
    below, above, middle = (Ridge().fit(X[:100], y[:100]) for _ in range(3))
    below.intercept_ -= wide
    above.intercept_ += wide / 2
    rival = regression.ConformalizedQuantileRegressor([below, above, middle], confidence_level=level, prefit=True)
    _, expected = rival.conformalize(X[:400], y[:400]).predict_interval(X[400:], symmetric_correction=False)
    low, high = (model.predict(X)[:, None] for model in (below, above))
    errors = HeldOutErrors.of_quantiles(low[:400], high[:400], y[:400, None], np.ones(400), 400.0)
    found = errors.intervals(low[400:], high[400:], level)
    np.testing.assert_allclose(found, expected.transpose(0, 2, 1), atol=1e-6)


def test_each_label_has_a_set_of_its_level():
    """One is easy, one is a coin: never a set without anything in it."""
    rng = np.random.default_rng(5)
    p = np.column_stack([rng.beta(0.1, 0.1, 20_000), rng.uniform(0.4, 0.6, 20_000)])
    labels = (rng.random(p.shape) < p).astype(float)
    errors = HeldOutErrors.of_labels(p[:10_000], labels[:10_000], np.ones(10_000), 2000.0)
    sets = errors.sets(np.stack([1 - p, p], axis=2)[10_000:], 0.97)
    covered = np.take_along_axis(sets, labels[10_000:, :, None].astype(int), axis=2)[:, :, 0].mean(axis=0)
    np.testing.assert_allclose(covered, 0.97, atol=0.01)
    easy, coin = sets.sum(axis=2).mean(axis=0)
    assert 1.0 <= sets.sum(axis=2).min() <= easy < 1.3 < coin


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
        *(np.ptp(errors.intervals(predictions, predictions, 0.9), axis=2) for errors in (weighted, repeated)), rtol=0.02
    )


def test_perfect_predictions_have_intervals_of_no_width():
    """No error is divided by zero."""
    y = np.linspace(0, 1, 50)[:, None]
    errors = HeldOutErrors.of_values(y, y, np.ones(50), 10.0)
    np.testing.assert_array_equal(errors.intervals(y, y, 0.9), np.stack([y, y], axis=2))


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
