"""How far rows lie from the training data."""

import numpy as np
import pytest

from cogmap.statistics import RowDistances


def correlated(n_rows, seed, n_features=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 1)) + 0.3 * rng.normal(size=(n_rows, n_features))


@pytest.mark.parametrize("n_features", [4, 60, 120])
def test_p_values_mean_what_they_say(n_features):
    """Of new rows from the same source, a share of about p gets a p-value of at most p."""
    distances = RowDistances.of(correlated(600, 0, n_features))
    p_values = distances.p_values(correlated(20_000, 1, n_features))
    for p in (0.01, 0.05, 0.2, 0.5):
        assert np.mean(p_values <= p) == pytest.approx(p, abs=0.05 if p > 0.05 else 0.02)
    assert p_values.min() > 0
    assert p_values.max() <= 1


def test_strange_rows_are_found():
    """A value far outside, a combination of usual values that does not occur, and another value of a constant."""
    X = np.column_stack([correlated(300, 0), np.full(300, 7.0)])
    distances = RowDistances.of(X)
    rows = np.array([[0, 0, 0, 0, 7], [1e6, 0, 0, 0, 7], [2, -2, 2, -2, 7], [0, 0, 0, 0, 7.5]], dtype=float)
    usual, far, unlikely, changed = distances.p_values(rows)
    assert usual > 0.5
    assert max(far, unlikely, changed) <= distances.strange == 0.01


def test_missing_values_are_not_strange():
    """They count as the mean, in training too."""
    X = correlated(300, 0)
    X[::3, 1] = np.nan
    p_values = RowDistances.of(X).p_values(np.array([[0.0, np.nan, 0.0, 0.0], [np.nan] * 4]))
    assert (p_values > 0.3).all()


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_numbers_of_any_size(size):
    """No warning of an overflow; p-values do not depend on the unit."""
    X = correlated(100, 0)
    distances = RowDistances.of(X * size)
    np.testing.assert_allclose(distances.p_values(X * size), RowDistances.of(X).p_values(X), atol=0.011)
    assert (distances.p_values(np.array([[1.7e308, 0, 0, 0], [-1.7e308] * 4])) <= 0.011).all()


def test_a_rare_category_does_not_hide_an_absurd_number():
    """A category of one row is the strangest of the training rows, but less strange than an age of 1000."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(50, 15, 400), np.arange(400) == 0, np.arange(400) == 1, np.arange(400) == 2])
    distances = RowDistances.of(X.astype(float))
    assert distances.p_values(np.array([[1000.0, 0, 0, 0]]))[0] <= 0.01


def test_of_few_rows_one_beyond_all_is_strange():
    """With 30 rows no p-value is below 1 / 31."""
    distances = RowDistances.of(correlated(30, 0))
    assert distances.p_values(np.full((1, 4), 50.0))[0] == pytest.approx(distances.strange)


def test_weights_count_as_rows():
    """Half of the weight on the first rows moves the center to them."""
    X = np.concatenate([correlated(100, 0) + 5, correlated(100, 1)])
    weight = np.repeat([3.0, 1.0], 100)
    weighted, repeated = RowDistances.of(X, weight), RowDistances.of(np.repeat(X, weight.astype(int), axis=0))
    np.testing.assert_allclose(weighted.center, repeated.center)
    np.testing.assert_allclose(weighted.p_values(X), repeated.p_values(X), atol=0.02)
