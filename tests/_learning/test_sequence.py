"""Roll-outs against finite differences, features against their definition, seasons, and intervals."""

import numpy as np
import pytest

from cogmap._learning.sequence.rollout import Rollout
from cogmap.models.lags import RATES, Lags, VariableLags
from cogmap.models.recurrence import Recurrence
from cogmap.models.transforms import Transform, season_index, season_strength

LAGS = Lags((VariableLags("a", 2), VariableLags("b", 1, period=3)), ("u",), "day")


def recurrence(n_hidden, seed=0):
    rng = np.random.default_rng(seed)
    n = LAGS.n_features
    shapes = ((2, n), (2,), (n_hidden, n), (n_hidden,), (2, n_hidden))
    return Recurrence(*(0.2 * rng.normal(size=shape) for shape in shapes))


@pytest.mark.parametrize("n_hidden", [0, 2])
def test_the_gradient_goes_through_all_steps(n_hidden):
    """It equals finite differences, with drivers and unknown targets."""
    rng = np.random.default_rng(1)
    n_memory = LAGS.starts[-1]
    memory, targets = rng.normal(size=(5, n_memory)), rng.normal(size=(5, 4, 2))
    weight = rng.random((5, 4, 2)) * (rng.random((5, 4, 2)) > 0.2)
    rollout = Rollout(LAGS, memory, targets, weight, rng.normal(size=(5, 4, LAGS.n_features)))
    start = recurrence(n_hidden)
    theta = start.theta
    _, gradient = rollout.loss_and_gradient(start)
    for place in range(len(theta)):
        shift = np.zeros(len(theta))
        shift[place] = 1e-6
        above, below = (rollout.loss_and_gradient(start.with_theta(theta + sign * shift))[0] for sign in (1, -1))
        np.testing.assert_allclose(gradient[place], (above - below) / 2e-6, rtol=1e-4, atol=1e-6)


def test_features_are_what_their_names_say():
    """Values, changes, averages and seasons of a known series."""
    values = np.column_stack([np.arange(10.0) ** 2, np.arange(10.0)])
    features = LAGS.memories(values) @ LAGS.matrices[2].T
    named = dict(zip(LAGS.names, features[-1], strict=True))
    assert named["a"] == 81
    assert named["change of a"] == 17
    assert named["change of a 1 day ago"] == 15
    assert named["b 2 days ago"] == 7
    assert named["b 3 days ago"] == 6
    average = values[:3, 0].mean()
    for value in values[1:, 0]:
        average += RATES[-1] * (value - average)
    np.testing.assert_allclose(named["a against its average of 3 days"], 81 - average)


def test_the_memory_after_a_step_is_that_of_the_longer_series():
    """So that a forecast needs no history."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 2))
    F, G, _ = LAGS.matrices
    memories = LAGS.memories(values)
    for t in range(4, 11):
        np.testing.assert_allclose(F @ memories[t] + G @ (values[t + 1] - values[t]), memories[t + 1])


def test_forecasts_are_bounded_and_held_values_exact():
    """An unstable map does not grow without bound."""
    wild = recurrence(2)
    wild.direct[:] *= 50.0
    memory = np.ones((3, LAGS.starts[-1]))
    bounds = np.full(LAGS.n_features, -2.0), np.full(LAGS.n_features, 2.0)
    held = np.full((30, 2), np.nan)
    held[5:, 1] = 0.25
    paths = wild.run(LAGS, memory, 30, bounds, held=held)
    assert np.abs(paths).max() <= 2.0
    assert (paths[:, 5:, 1] == 0.25).all()


@pytest.mark.parametrize("period", [4, 7, 12])
def test_a_season_is_found_again(period):
    """Exactly if it is constant; its strength is near 1, that of noise near 0."""
    rng = np.random.default_rng(0)
    season = rng.normal(size=period)
    season -= season.mean()
    t = np.arange(8 * period)
    z = 3.0 + 0.1 * t + season[t % period]
    np.testing.assert_allclose(season_index(z, period, 0.0)[:period], season, atol=1e-9)
    assert season_strength(z, period) > 0.99
    assert season_strength(rng.normal(size=200), period) < 0.3


@pytest.mark.parametrize(
    "transform", [Transform(True), Transform(False, "index", 4, 0.3), Transform(True, "difference", 4)], ids=str
)
def test_transforms_are_undone(transform):
    """A path of the transformed values of the future gives back the future."""
    rng = np.random.default_rng(0)
    y = np.exp(rng.normal(size=40) * 0.1 + np.arange(40) * 0.01)
    z = transform.modelled(y)
    seasons = transform.seasons(z, 30, 0)
    x = transform.adjusted(z, seasons)
    restored = transform.with_season(x[None, 30:], z, seasons, np.array([30]))
    np.testing.assert_allclose(transform.restored(restored)[0], y[30:])
