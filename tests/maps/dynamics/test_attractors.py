"""Attractors: their properties, their basins, and trajectories that reach none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.dynamics import FOUR_FIXED_POINTS, ONE_CYCLE, TWO_FIXED_POINTS, attractors


def starts(n_concepts=2, n=200, seed=0):
    return np.random.default_rng(seed).random((n, n_concepts))


def swap(bias=0.0, slope=10.0):
    """Return a map of two concepts that copy each other: two fixed points and a cycle of period 2."""
    return FuzzyCognitiveMap([[0, 1], [1, 0]], [bias, bias], slope)


@pytest.mark.parametrize(
    ("fcm", "periods"),
    [(TWO_FIXED_POINTS, [1, 1]), (FOUR_FIXED_POINTS, [1, 1, 1, 1]), (ONE_CYCLE, [8])],
    ids=["two fixed points", "four fixed points", "one cycle"],
)
def test_the_examples_have_the_attractors_of_their_names(fcm, periods):
    """Random starts find all of them, and every start ends in one."""
    result = attractors(fcm, starts())
    assert [len(cycle) for cycle in result.cycles] == periods
    assert set(result.basin) == set(range(len(periods)))
    assert result.basin.shape == (200,)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000), st.sampled_from(["sigmoid", "logistic", "tanh"]), st.integers(1, 4), st.floats(0.5, 12.0)
)
def test_states_of_a_cycle_recur(seed, activation, n_concepts, slope):
    """Each state leads to the next, the last to the first, and a fixed point to itself."""
    weights = np.random.default_rng(seed).normal(size=(n_concepts, n_concepts))
    fcm = FuzzyCognitiveMap(weights, slope=slope, activation=activation)
    result = attractors(fcm, starts(n_concepts, 30, seed), max_steps=300)
    for cycle in result.cycles:
        np.testing.assert_allclose(fcm.step(cycle), np.roll(cycle, -1, axis=0), rtol=0, atol=1e-6)


def test_periods_are_the_smallest():
    """The states of a cycle all differ."""
    for fcm in (ONE_CYCLE, swap()):
        for cycle in attractors(fcm, starts()).cycles:
            for lag in range(1, len(cycle)):
                assert np.abs(np.roll(cycle, lag, axis=0) - cycle).max() > 1e-3


def test_phases_of_a_cycle_are_one_attractor():
    """(1, 0) and (0, 1) are states of the same cycle, in different phases."""
    result = attractors(swap(), [[1, 0], [0, 1], [1, 1], [0, 0], [0.9, 0.2]])
    assert [len(cycle) for cycle in result.cycles] == [2, 1, 1]
    assert result.basin.tolist() == [0, 0, 1, 2, 0]


def test_a_contraction_has_one_attractor():
    """With a small slope the step is a contraction: one fixed point, computed here by iteration."""
    fcm = FuzzyCognitiveMap(np.random.default_rng(0).uniform(-1, 1, (5, 5)), slope=0.5)
    assert 0.25 * 0.5 * np.abs(fcm.weights).sum(axis=1).max() < 1
    result = attractors(fcm, starts(5))
    assert not result.basin.any()
    (cycle,) = result.cycles
    np.testing.assert_allclose(cycle, fcm.run(np.full((1, 5), 0.9), 200)[-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("fcm", [TWO_FIXED_POINTS, FOUR_FIXED_POINTS], ids=["two", "four"])
def test_basins_of_a_symmetric_map_are_symmetric(fcm):
    """These maps are symmetric about (0.5, 0.5), and so are their basins."""
    A = starts()
    result, turned = attractors(fcm, A), attractors(fcm, 1 - A)
    ends = np.concatenate(result.cycles)[result.basin]
    turned_ends = np.concatenate(turned.cycles)[turned.basin]
    np.testing.assert_allclose(turned_ends, 1 - ends, rtol=0, atol=1e-6)


def test_basin_is_where_the_trajectory_ends():
    """The attractor of each start is the final state of a long run from it alone."""
    A = starts(n=20)
    result = attractors(FOUR_FIXED_POINTS, A)
    for start, index in zip(A, result.basin, strict=True):
        end = FOUR_FIXED_POINTS.run(start, 2000)[-1]
        np.testing.assert_allclose(result.cycles[index][0], end, rtol=0, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["sigmoid", "logistic", "tanh", "saturation", "bivalent"]),
    st.integers(1, 6),
)
def test_every_start_ends_where_a_long_run_of_it_ends(seed, activation, n_concepts):
    """After many steps all starts are on their attractor, whether they converged early or late."""
    rng = np.random.default_rng(seed)
    fcm = FuzzyCognitiveMap(rng.normal(size=(n_concepts, n_concepts)), slope=4, activation=activation)
    A = starts(n_concepts, 60, seed)
    result = attractors(fcm, A, max_steps=600)
    ends = fcm.run(A, 3000)[-1]
    for number, cycle in enumerate(result.cycles):
        nearest = np.abs(ends[result.basin == number][:, None] - cycle).max(axis=2).min(axis=1)
        assert nearest.size
        assert nearest.max() < 1e-3


def test_attractors_are_exact():
    """Fixed points are exact up to rounding, regardless of `tol`."""
    result = attractors(TWO_FIXED_POINTS, starts(), tol=1e-3)
    for cycle in result.cycles:
        np.testing.assert_allclose(TWO_FIXED_POINTS.step(cycle), cycle, rtol=0, atol=1e-12)


def test_a_fixed_point_approached_slowly_from_both_sides_is_no_cycle_of_two():
    """Deviations alternate in sign and shrink by a thousandth per step."""
    fcm = FuzzyCognitiveMap([[-0.999]], activation="tanh")
    result = attractors(fcm, [[0.02], [-0.03]], max_steps=4000)
    assert [len(cycle) for cycle in result.cycles] == [1]
    np.testing.assert_allclose(result.cycles[0], 0, atol=1e-9)
    assert result.basin.tolist() == [0, 0]


def test_a_line_of_fixed_points_has_one_for_each_start():
    """Every state of the concept is fixed: Newton's method fails, but each start is at rest."""
    fcm = FuzzyCognitiveMap([[1, 0], [0.5, 0]], activation=["saturation", "logistic"])
    result = attractors(fcm, [[0.1, 0], [0.5, 0], [0.1, 1]])
    assert result.basin.tolist() == [0, 1, 0]
    np.testing.assert_allclose([cycle[0, 0] for cycle in result.cycles], [0.1, 0.5])


def test_random_starts_are_spread_over_the_range():
    """For a number of starts; the same seed gives the same starts."""
    one, same, other = (attractors(FOUR_FIXED_POINTS, 500, seed=seed) for seed in (0, 0, 1))
    assert len(one.cycles) == len(other.cycles) == 4
    assert np.array_equal(one.basin, same.basin)
    assert not np.array_equal(one.basin, other.basin)
    np.testing.assert_allclose(one.shares, 0.25, atol=0.08)
    assert len(attractors(FuzzyCognitiveMap(np.eye(2) * 2, activation="tanh"), 200).cycles) == 4


def test_sentence_and_repr():
    """Numbers of fixed points and cycles, shares of starts, and starts without attractor."""
    assert attractors(FOUR_FIXED_POINTS, starts(n=40)).sentence == "40 starts end in 4 fixed points."
    text = repr(attractors(swap(), [[1, 0], [0, 1], [1, 1], [0, 0]]))
    assert text.splitlines() == [
        "4 starts end in 2 fixed points and 1 cycle.",
        "   50%  cycle of 2 states",
        "   25%  fixed point",
        "   25%  fixed point",
    ]
    few = attractors(TWO_FIXED_POINTS, starts(n=3), max_steps=1)
    assert few.sentence == "3 starts end in 0 fixed points; 3 of them reach none."


def test_too_few_steps_reach_nothing():
    """Trajectories still move after one step, but not after a thousand."""
    result = attractors(TWO_FIXED_POINTS, starts(), max_steps=1)
    assert result.cycles == ()
    assert (result.basin == -1).all()
    assert (attractors(TWO_FIXED_POINTS, starts()).basin >= 0).all()


def test_a_longer_period_than_allowed_is_not_found():
    """A cycle of 8 states exceeds a largest period of 7."""
    assert (attractors(ONE_CYCLE, starts(), max_period=7).basin == -1).all()
    assert (attractors(ONE_CYCLE, starts(), max_period=8).basin == 0).all()


def test_unstable_fixed_points_are_no_attractors():
    """(0.5, 0.5) is fixed, but repels nearby states."""
    np.testing.assert_allclose(FOUR_FIXED_POINTS.step([0.5, 0.5]), 0.5, rtol=0, atol=1e-15)
    result = attractors(FOUR_FIXED_POINTS, [[0.5, 0.5], [0.5, 0.6]], max_steps=100)
    assert result.basin.tolist() == [-1, 0]


def test_quasiperiodic_trajectories_reach_no_attractor():
    """Two concepts that rotate by an irrational angle: a closed curve, but no short cycle."""
    W = np.array([[0.9, -0.3], [0.3, 0.9]])
    wandering = FuzzyCognitiveMap(W, 0.5 - W.sum(axis=1) / 2, slope=6)
    assert (attractors(wandering, starts(n=20)).basin == -1).all()


def test_no_starts_give_an_empty_result():
    """An empty array of starts is valid."""
    result = attractors(ONE_CYCLE, np.empty((0, 2)))
    assert result.cycles == ()
    assert result.basin.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"starts": [0.5, 0.5]}, r"starts.*\(n_starts, 2\), got shape \(2,\)"),
        ({"starts": [[0.5, 0.5, 0.5]]}, r"starts.*\(n_starts, 2\)"),
        ({"starts": [["a", "b"]]}, "starts.*numbers"),
        ({"starts": [[0.5, np.nan]]}, "starts.*finite"),
        ({"max_steps": -1}, "max_steps.*integer >= 0, got -1"),
        ({"tol": 0}, "tol.*> 0, got 0"),
        ({"max_period": 0}, "max_period.*integer >= 1, got 0"),
        ({"max_period": 10**9}, "max_period.*<= 10000"),
        ({"starts": [[1j, 0.5]]}, "starts.*numbers"),
        ({"starts": None}, "starts.*numbers"),
        ({"starts": 0}, "starts.*integer >= 1, got 0"),
        ({"starts": 3, "seed": "x"}, "seed.*integer >= 0"),
        ({"fcm": None}, "fcm.*a FuzzyCognitiveMap, got None"),
        ({"fcm": [[1.0]]}, "fcm.*a FuzzyCognitiveMap"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message) as caught:
        attractors(**{"fcm": ONE_CYCLE, "starts": [[0.5, 0.5]], **arguments})
    assert str(caught.value).startswith("`attractors(")


def test_a_map_of_huge_weights_has_its_fixed_points():
    """Nothing overflows."""
    result = attractors(FuzzyCognitiveMap([[1e300, -1e300], [-1e300, 1e300]], [0.5, 0.5]), [[1, 0], [0, 1]])
    assert [cycle.tolist() for cycle in result.cycles] == [[[1.0, 0.0]], [[0.0, 1.0]]]
