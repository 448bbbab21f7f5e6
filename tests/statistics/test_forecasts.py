"""Conformal quantiles and radii cover what they promise."""

import numpy as np

from cogmap.statistics.forecasts import conformal_quantile, error_growth, forecast_radii


def test_the_quantile_covers_a_new_score():
    """At least with the probability asked for, over many draws of few scores."""
    scores = np.abs(np.random.default_rng(0).normal(size=(4000, 20)))
    covered = [row[-1] <= conformal_quantile(row[:-1], 0.8) for row in scores]
    assert 0.79 < np.mean(covered) < 0.84


def test_missing_scores_are_ignored():
    """And with none there is no quantile."""
    assert conformal_quantile([1.0, np.nan, 3.0], 0.5) == 3.0
    assert np.isnan(conformal_quantile([], 0.5))


def test_radii_grow_like_the_errors():
    """Errors of a random walk grow with the root of the step, also beyond the horizon."""
    walk = np.random.default_rng(0).normal(size=(300, 8)).cumsum(axis=1)
    radii = forecast_radii(walk[:200], 0.9, 16)
    assert 0.87 < (np.abs(walk[200:]) <= radii[:8]).mean() < 0.95
    np.testing.assert_allclose(radii[15] / radii[3], 2.0, rtol=0.3)


def test_a_growth_that_is_given_overrules_that_of_the_errors():
    """Few errors say little about it: errors that seem to shrink have intervals that grow."""
    errors = np.random.default_rng(0).normal(size=(6, 12)) / np.arange(1.0, 13.0)
    assert error_growth(errors[:, :, None])[0] < 0
    assert (np.diff(forecast_radii(errors, 0.9, 12)) <= 0).all()
    assert (np.diff(forecast_radii(errors, 0.9, 12, growth=0.5)) > 0).all()


def test_the_growth_of_errors_is_found():
    """That of white noise is 0, that of a trend 1, and without errors it is that of a random walk."""
    noise = np.random.default_rng(0).normal(size=(2000, 12, 1))
    np.testing.assert_allclose(error_growth(noise), 0.0, atol=0.03)
    np.testing.assert_allclose(error_growth(noise[:, :1] * np.arange(1.0, 13.0)[:, None]), 1.0)
    assert error_growth(np.full((3, 12, 2), np.nan)).tolist() == [0.5, 0.5]
    assert error_growth(noise[:, :1]).tolist() == [0.5]
