"""Fixed points by Newton's method and the Lyapunov exponent, against exact results and trajectories."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.dynamics import FOUR_FIXED_POINTS, ONE_CYCLE, TWO_FIXED_POINTS, attractors, fixed_points, lyapunov
from cogmap.maps.rewriting import with_clamp


def random_map(seed, n=5, slope=5.0, activation="sigmoid"):
    rng = np.random.default_rng(seed)
    return FuzzyCognitiveMap(rng.normal(size=(n, n)), rng.normal(size=n), slope, activation=activation)


def numeric_jacobian(fcm, state, h=1e-6):
    n = fcm.n_concepts
    return np.array([(fcm.step(state + h * e) - fcm.step(state - h * e)) / (2 * h) for e in np.eye(n)]).T


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["sigmoid", "logistic", "tanh", "saturation"]), st.floats(0.5, 10))
def test_fixed_points_are_fixed_and_have_the_eigenvalues_of_the_jacobian(seed, activation, slope):
    """A step does not change them; eigenvalues equal those of difference quotients."""
    fcm = random_map(seed, slope=slope, activation=activation)
    for point in fixed_points(fcm, 30):
        np.testing.assert_allclose(fcm.step(point.state), point.state, rtol=0, atol=1e-11)
        if activation != "saturation":  # whose derivative jumps
            expected = np.abs(np.linalg.eigvals(numeric_jacobian(fcm, point.state))).max()
            assert point.spectral_radius == pytest.approx(expected, rel=1e-3, abs=1e-6)
        assert point.stable == (point.spectral_radius < 1)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_every_attracting_fixed_point_is_among_them(seed):
    """Where trajectories converge, Newton's method finds a stable fixed point."""
    fcm = random_map(seed)
    stable = [point.state for point in fixed_points(fcm, 100) if point.spectral_radius <= 1]
    for cycle in attractors(fcm, 100).cycles:
        if len(cycle) == 1:
            assert min(np.abs(cycle[0] - state).max() for state in stable) < 1e-6


@pytest.mark.parametrize(
    ("fcm", "n_stable", "n_all"), [(TWO_FIXED_POINTS, 2, 3), (FOUR_FIXED_POINTS, 4, 9), (ONE_CYCLE, 0, 1)]
)
def test_unstable_fixed_points_are_found_too(fcm, n_stable, n_all):
    """Those between the basins; the most strongly attracting come first."""
    points = fixed_points(fcm)
    assert sum(point.stable for point in points) == n_stable
    assert len(points) == n_all
    radii = [point.spectral_radius for point in points]
    assert radii == sorted(radii)


def test_fixed_point_as_dict_and_text():
    """States by name, and a sentence."""
    point = fixed_points(TWO_FIXED_POINTS)[-1]
    assert repr(point).startswith("Unstable fixed point: deviations change by a factor of 1.55 with each step.")
    assert point.to_dict() == {"C1": pytest.approx(0.5), "C2": pytest.approx(0.5)}
    assert fixed_points(TWO_FIXED_POINTS, np.empty((0, 2))) == ()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["sigmoid", "tanh"]))
def test_at_a_fixed_point_the_exponent_is_the_logarithm_of_the_spectral_radius(seed, activation):
    """The radius is computed from difference quotients here."""
    fcm = random_map(seed, slope=0.6, activation=activation)
    settled = fcm.settle()
    if settled.period == 1:
        radius = np.abs(np.linalg.eigvals(numeric_jacobian(fcm, settled.mean))).max()
        assert lyapunov(fcm) == pytest.approx(np.log(radius), abs=1e-4)


def test_on_a_cycle_the_exponent_is_that_of_one_turn():
    """Half the logarithm of the derivative of two steps, for two concepts that swap states."""
    swap = FuzzyCognitiveMap([[0, 1], [1, 0]], slope=10)
    cycle = swap.settle([1, 0]).states
    slopes = [10 * a * (1 - a) for a in cycle[0]]
    assert lyapunov(swap, [1, 0]) == pytest.approx(0.5 * np.log(slopes[0] * slopes[1]), abs=1e-6)


def test_exponents_match_the_divergence_of_trajectories():
    """Negative where two converge, about 0 where they rotate, positive where they diverge."""
    W = np.array([[0.9, -0.3], [0.3, 0.9]])
    assert abs(lyapunov(FuzzyCognitiveMap(W, 0.5 - W.sum(axis=1) / 2, 6), [0.3, 0.2])) < 1e-3
    # A steep map of one concept that folds its range by two others: chaos. Growth of a real distance is measured here.
    rng = np.random.default_rng(7)
    W = rng.normal(size=(20, 20))
    chaos = FuzzyCognitiveMap(W, 0.5 - W.sum(axis=1) / 2, 3)
    A = chaos.run(rng.random(20), 500)[-1]
    logs, B = [], A + 1e-9
    for _ in range(3000):
        before = np.linalg.norm(A - B)
        A, B = chaos.step(A), chaos.step(B)
        logs.append(np.log(np.linalg.norm(A - B) / before))
        B = A + (B - A) / np.linalg.norm(A - B) * 1e-9
    assert np.mean(logs) > 0.05
    assert lyapunov(chaos, rng.random(20), steps=3000) == pytest.approx(np.mean(logs), rel=0.15)


def test_exponent_of_vanishing_deviations_is_minus_infinity():
    """In a chain without loops a deviation vanishes after as many steps as there are edges."""
    assert lyapunov(FuzzyCognitiveMap([[0, 0], [1, 0]])) == -np.inf


def test_fixed_points_with_clamped_concepts():
    """They are those of the map rewritten by `with_clamp`."""
    smaller = with_clamp(ONE_CYCLE, {"C1": 0.5})
    ends = [ONE_CYCLE.settle({"C2": start}, clamp={"C1": 0.5}).mean[1] for start in (0, 1)]
    stable = [point.state[0] for point in fixed_points(smaller) if point.stable]
    np.testing.assert_allclose(sorted(stable), sorted(ends), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fixed_points(None), "fcm.*a FuzzyCognitiveMap"),
        (lambda: fixed_points(ONE_CYCLE, 0), "starts.*integer >= 1"),
        (lambda: fixed_points(ONE_CYCLE, [[0.5]]), r"starts.*\(n_starts, 2\)"),
        (lambda: fixed_points(ONE_CYCLE, [[0.5, np.nan]]), "starts.*finite"),
        (lambda: fixed_points(ONE_CYCLE, 5, seed=-1), "seed.*integer >= 0"),
        (lambda: lyapunov(ONE_CYCLE, {"rain": 1}), "start.*concept names"),
        (lambda: lyapunov(ONE_CYCLE, steps=3), "steps.*integer >= 200"),
        (lambda: lyapunov("map"), "fcm.*a FuzzyCognitiveMap"),
    ],
)
def test_invalid_arguments_raise(call, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call()
