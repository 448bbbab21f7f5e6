"""Conformal quantiles and radii cover what they promise."""

import numpy as np

from cogmap.statistics.forecasts import conformal_quantile, forecast_radii


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
