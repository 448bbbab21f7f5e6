"""Guaranteed ranges of scenarios, and intervals as the distribution of random maps."""

from itertools import pairwise

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.monte_carlo import monte_carlo
from cogmap.maps.ranges import scenario_ranges
from cogmap.maps.scenarios import scenario


def random_map(seed, activation, n=6):
    rng = np.random.default_rng(seed)
    W = rng.uniform(-0.8, 0.8, (n, n)) * (rng.random((n, n)) < 0.5)
    np.fill_diagonal(W, 0.0)
    W[0] = 0.0  # a driver
    return FuzzyCognitiveMap(W, rng.uniform(-0.3, 0.3, n), rng.uniform(0.5, 2.0), activation=activation)


@pytest.mark.parametrize("activation", ["sigmoid", "logistic", "tanh", "saturation", "bivalent"])
@pytest.mark.parametrize("seed", range(5))
def test_no_map_with_such_weights_leaves_the_ranges(activation, seed):
    """A hundred maps with weights drawn from the intervals, started anywhere: with and without the clamp."""
    fcm = random_map(seed, activation)
    low, high = fcm.weights - 0.15 * (fcm.weights != 0), fcm.weights + 0.1 * (fcm.weights != 0)
    ranges = scenario_ranges(fcm, {"C1": 0.9}, intervals=(low, high), start={"C1": 0.2}, keep=["C1"])
    rng = np.random.default_rng(seed)
    for _ in range(100):
        one = fcm.replace(weights=rng.uniform(low, high))
        start = {"C1": 0.2} | {f"C{i}": rng.uniform(0, 1) for i in range(2, 7)}
        result = scenario(one, {"C1": 0.9}, start=start, keep=["C1"], max_steps=500)
        for name, found in (("before", result.before), ("after", result.after), ("change", result.change)):
            lowest, highest = getattr(ranges, name)
            assert (lowest - 1e-9 <= found).all(), name
            assert (found <= highest + 1e-9).all(), name


def test_exact_weights_give_narrow_ranges():
    """Without any spread, a contracting map has one outcome; the ranges enclose it within rounding."""
    fcm = random_map(0, "sigmoid")
    ranges = scenario_ranges(fcm, {"C1": 1.0}, spread=0.0, keep="drivers")
    expected = scenario(fcm, {"C1": 1.0}, keep="drivers")
    assert np.ptp(ranges.after, axis=0).max() < 1e-6
    np.testing.assert_allclose(ranges.change.mean(axis=0), expected.change, atol=1e-6)


def test_wider_intervals_give_wider_ranges():
    """Nested; and the sign of a change is proved for small intervals only."""
    fcm = FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 0.8), ("umbrellas", "wet people", -0.6)])
    ranges = [scenario_ranges(fcm, {"rain": 1.0}, spread=spread, keep="drivers") for spread in (0.0, 0.1, 0.3)]
    for small, large in pairwise(ranges):
        assert (large.change[0] <= small.change[0] + 1e-12).all()
        assert (large.change[1] >= small.change[1] - 1e-12).all()
    assert ranges[1].sign.tolist() == [1, 1, -1]
    free = (fcm.weights - 1.0 * (fcm.weights != 0), fcm.weights + 1.0 * (fcm.weights != 0))
    assert scenario_ranges(fcm, {"rain": 1.0}, keep="drivers", intervals=free).sign.tolist() == [1, 0, 0]


def test_several_experts_give_the_intervals():
    """Their lowest and highest weights."""
    maps = [FuzzyCognitiveMap.from_edges([("a", "b", weight)]) for weight in (0.3, 0.5, 0.9)]
    assert scenario_ranges(maps, {"a": 1.0}, keep="drivers").sign.tolist() == [1, 1]
    table = scenario_ranges(maps, {"a": 1.0}, keep="drivers").to_frame()
    assert list(table.columns[-2:]) == ["change low", "change high"]
    assert set(scenario_ranges(maps, {"a": 1.0}).to_dict()) == {
        "clamp",
        "concepts",
        "before",
        "after",
        "change",
        "sign",
    }


def test_random_maps_from_intervals_stay_in_them():
    """The ranges of `monte_carlo` lie within the guaranteed ones."""
    fcm = random_map(1, "sigmoid")
    intervals = fcm.weights - 0.2 * (fcm.weights != 0), fcm.weights + 0.05 * (fcm.weights != 0)
    drawn = monte_carlo(fcm, {"C1": 1.0}, intervals=intervals, n_samples=200, keep="drivers")
    sure = scenario_ranges(fcm, {"C1": 1.0}, intervals=intervals, keep="drivers")
    assert (sure.change[0] - 1e-5 <= drawn.change.min(axis=0)).all()
    assert (drawn.change.max(axis=0) <= sure.change[1] + 1e-5).all()
    assert np.ptp(drawn.change, axis=0).max() > 0.01


@pytest.mark.parametrize("function", [monte_carlo, scenario_ranges])
@pytest.mark.parametrize(
    ("maps", "intervals", "message"),
    [
        ("one", (np.zeros((2, 2)), np.zeros((2, 2))), r"contain the weights of the map, got 0 to 0 for 'a' to 'b'"),
        ("one", (np.zeros((3, 3)), np.ones((3, 3))), r"shape \(2, 2\): the lowest .* got shapes \(3, 3\)"),
        ("one", (np.zeros((2, 2)), np.full((2, 2), np.nan)), "the lowest and the highest weights"),
        ("one", 0.2, "the lowest and the highest weights, got 0.2"),
        ("two", (np.zeros((2, 2)), np.ones((2, 2))), "must be None for several maps"),
    ],
)
def test_bad_intervals(function, maps, intervals, message):
    """One sentence each."""
    one = FuzzyCognitiveMap.from_edges([("a", "b", 0.5)])
    with pytest.raises(ParameterError, match=message):
        function(one if maps == "one" else [one, one], {"a": 1.0}, intervals=intervals)
