"""Monte Carlo over weights: each sample is a scenario, and weights follow the requested distribution."""

import json

import numpy as np
import pytest
from scipy.stats import kstest, triang, uniform

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.dynamics import ONE_CYCLE
from cogmap.maps.experts import combine
from cogmap.maps.monte_carlo import _around, _draw, monte_carlo
from cogmap.maps.scenarios import scenario

LAKE = FuzzyCognitiveMap(
    [[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], concepts=["fishing", "fish", "weed"], slope=2, activation="logistic"
)


@pytest.mark.parametrize("activation", ["sigmoid", "logistic", "tanh", ["saturation", "logistic", "tanh"]])
@pytest.mark.parametrize("slope", [1.5, [1.0, 2.0, 0.5]])
def test_without_a_spread_every_sample_is_the_scenario(activation, slope):
    """For each activation and slope, with a bias, a start and kept drivers."""
    fcm = LAKE.replace(activation=activation, slope=slope, bias=[0.1, -0.2, 0.3])
    arguments = {"start": {"fishing": 0.3, "weed": 0.9}, "keep": "drivers"}
    result = monte_carlo(fcm, {"weed": 0}, spread=0, n_samples=5, steps=1000, **arguments)
    expected = scenario(fcm, {"weed": 0}, **arguments)
    np.testing.assert_allclose(result.before, np.tile(expected.before, (5, 1)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(result.after, np.tile(expected.after, (5, 1)), rtol=0, atol=1e-6)
    assert result.resting == 1


def test_samples_do_not_depend_on_the_block_size(monkeypatch):
    """Blocks of any size give the same samples, and each is the scenario of a map within the spread."""
    whole = monte_carlo(LAKE, {"fishing": 0}, n_samples=50)
    monkeypatch.setattr("cogmap.maps.monte_carlo._WEIGHTS_PER_BLOCK", 1)
    np.testing.assert_allclose(monte_carlo(LAKE, {"fishing": 0}, n_samples=50).after, whole.after, rtol=0, atol=1e-8)
    assert not np.array_equal(monte_carlo(LAKE, {"fishing": 0}, n_samples=50, seed=1).after, whole.after)


def test_samples_lie_between_the_extreme_maps():
    """Scenarios of the corners of the weight box bound all samples, and samples come close to them."""
    result = monte_carlo(LAKE, {"fishing": 0}, spread=0.1, n_samples=4000)
    corners = []
    for signs in np.array(np.meshgrid(*[[-0.1, 0.1]] * 3)).reshape(3, -1).T:
        W = LAKE.weights.copy()
        W[W != 0] += signs
        corners.append(scenario(LAKE.replace(weights=W), {"fishing": 0}).change)
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    assert (result.change >= low - 1e-3).all()
    assert (result.change <= high + 1e-3).all()
    np.testing.assert_allclose(result.change.min(axis=0), low, atol=0.15 * np.abs(high - low).max())


def test_weights_keep_their_signs_and_their_range():
    """No edge is added or removed; maps with weights in [-1, 1] remain there."""
    W = np.array([[0.0, 0.1], [-0.95, 0.5]])
    low, high = _around(FuzzyCognitiveMap(W), 0.2)
    np.testing.assert_allclose(low, [[0, 0], [-1, 0.3]])
    np.testing.assert_allclose(high, [[0, 0.3], [-0.75, 0.7]])
    low, high = _around(FuzzyCognitiveMap(10 * W), 0.2)
    np.testing.assert_allclose((low[1, 0], high[1, 1]), (-9.7, 5.2))


@pytest.mark.parametrize(
    ("shape", "law"), [("uniform", uniform(-0.5, 1.5)), ("triangular", triang(0.7 / 1.5, -0.5, 1.5))]
)
def test_weights_follow_the_requested_distribution(shape, law):
    """By SciPy's Kolmogorov-Smirnov test."""
    drawn = _draw(np.random.default_rng(0), shape, np.array([-0.5]), np.array([0.2]), np.array([1.0]), 5000)
    assert kstest(drawn[:, 0], law.cdf).pvalue > 0.01


def test_weights_vary_between_those_of_the_experts():
    """Each weight is drawn between its lowest and highest value; a single expert has no spread."""
    low, high = LAKE.replace(weights=LAKE.weights * 0.5), LAKE.replace(weights=LAKE.weights * 1.2)
    result = monte_carlo([low, LAKE, high], {"fishing": 0}, n_samples=2000)
    ends = [scenario(fcm, {"fishing": 0}).change[1] for fcm in (low, high)]
    assert result.change[:, 1].min() >= min(ends) - 0.02
    assert result.change[:, 1].max() <= max(ends) + 0.02
    assert result.change[:, 1].std() > 0.01
    alone = monte_carlo([LAKE], {"fishing": 0}, n_samples=10)
    np.testing.assert_allclose(alone.change, np.tile(scenario(LAKE, {"fishing": 0}).change, (10, 1)), atol=1e-6)
    # Lower ends, most likely values, upper ends: the most likely one is the median of the three.
    assert combine([low, LAKE, high], "median").weights.tolist() == LAKE.weights.tolist()
    narrow = monte_carlo([low, LAKE, high], {"fishing": 0}, shape="triangular", n_samples=2000)
    assert narrow.change[:, 1].std() < result.change[:, 1].std()


def test_maps_that_do_not_converge_are_counted():
    """Their states are means over the last steps, as in a scenario that ends in a cycle."""
    result = monte_carlo(ONE_CYCLE, {"C1": 0.5}, spread=0, n_samples=3, start=[0.2, 0.3], steps=400)
    assert result.resting == 0
    expected = ONE_CYCLE.settle([0.2, 0.3]).states.mean(axis=0)
    np.testing.assert_allclose(result.before, np.tile(expected, (3, 1)), rtol=0, atol=0.02)


def test_summaries_are_those_of_numpy():
    """Means, quantiles and shares, also in JSON and data frames."""
    result = monte_carlo(LAKE, {"fishing": 1}, n_samples=200)
    np.testing.assert_allclose(result.mean, result.change.mean(axis=0))
    np.testing.assert_allclose(result.quantiles([0.1, 0.5]), np.quantile(result.change, [0.1, 0.5], axis=0))
    np.testing.assert_allclose(result.rises, (result.change > 0).mean(axis=0))
    read = json.loads(json.dumps(result.to_dict()))
    assert read["quantiles"]["0.5"] == result.quantiles([0.5])[0].tolist()
    np.testing.assert_allclose(result.to_frame()["95%"], result.quantiles([0.95])[0])
    assert repr(result).startswith("With fishing = 1, in 200 maps, of which 100% converge to a fixed point:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"maps": None}, "maps.*a list of maps"),
        ({"maps": []}, "maps.*at least one map"),
        ({"clamp": {"fich": 1}}, "clamp.*Did you mean 'fish'"),
        ({"clamp": {"fish": np.nan}}, "clamp.*finite numbers, got nan for concept 'fish'"),
        ({"clamp": "fish"}, "clamp.*a mapping"),
        ({"spread": -1}, "spread.*number >= 0"),
        ({"spread": np.nan}, "spread.*number >= 0"),
        ({"shape": "normal"}, "shape.*'uniform', 'triangular', got 'normal'"),
        ({"n_samples": 0}, "n_samples.*integer >= 1"),
        ({"n_samples": 10**9}, "n_samples.*<= 10000000"),
        ({"steps": 0}, "steps.*integer >= 1"),
        ({"seed": -1}, "seed.*integer >= 0"),
        ({"start": [0, 0]}, r"start.*shape \(3,\)"),
        ({"keep": ["policy"]}, "keep.*concept names"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        monte_carlo(**{"maps": LAKE, "clamp": {"fish": 1}, **arguments})
