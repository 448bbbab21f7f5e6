"""Certificates against brute force: trajectories and Newton's method never contradict a proof."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.dynamics import (
    FOUR_FIXED_POINTS,
    ONE_CYCLE,
    TWO_FIXED_POINTS,
    attractors,
    certificate,
    fixed_points,
    slope_advice,
)
from cogmap.maps.dynamics.enclosures import enclosing_box, has_radius_below_one, proves_fixed_point
from cogmap.maps.dynamics.steepness import knight_slope

ACTIVATIONS = ["sigmoid", "logistic", "tanh", "saturation", "bivalent", "trivalent"]


def random_map(seed, n=4, slope=5.0, activation="logistic", scale=1.0, bias=0.5):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n, n)) * scale * (rng.random((n, n)) < 0.6)
    return FuzzyCognitiveMap(W, bias * rng.normal(size=n), slope, activation=activation)


maps = st.builds(
    random_map,
    seed=st.integers(0, 100_000),
    n=st.integers(1, 6),
    slope=st.sampled_from([0.3, 1.0, 3.0, 5.0, 20.0]),
    activation=st.one_of(st.sampled_from(ACTIVATIONS)),
    scale=st.sampled_from([0.2, 0.6, 1.5]),
)


@settings(max_examples=40, deadline=None)
@given(maps)
def test_proved_unique_fixed_points_are_unique(fcm):
    """Many random starts end in one fixed point, and Newton's method finds no other."""
    proved = certificate(fcm)
    if proved.unique:
        result = attractors(fcm, 60, max_steps=5000)
        assert len(result.cycles) == 1
        assert len(result.cycles[0]) == 1
        assert not result.basin.any()
        points = fixed_points(fcm, 60)
        assert len(points) == 1
        np.testing.assert_allclose(points[0].state, result.cycles[0][0], rtol=0, atol=1e-6)
        for point in proved.fixed_points:
            np.testing.assert_allclose(points[0].state, point, rtol=0, atol=2e-9)


@settings(max_examples=30, deadline=None)
@given(maps)
def test_proved_fixed_points_exist_and_differ(fcm):
    """Each is a fixed point, and all are distinct."""
    proved = certificate(fcm)
    if proved.unique is False:
        assert len(proved.fixed_points) > 1
    points = proved.fixed_points
    np.testing.assert_allclose(fcm.step(points) if len(points) else points, points, rtol=0, atol=1e-9)
    for i, point in enumerate(points):
        assert all(np.abs(point - other).max() > 1e-7 for other in points[:i])


@settings(max_examples=30, deadline=None)
@given(maps)
def test_all_attractors_lie_in_the_box(fcm):
    """So do all trajectories after the steps of the box, also from the corners of the range."""
    box = enclosing_box(fcm)
    rng = np.random.default_rng(0)
    low = -1.0 if fcm.activation in ("tanh", "trivalent") else 0.0
    starts = np.concatenate([rng.uniform(low, 1, (50, fcm.n_concepts)), rng.choice([low, 1.0], (50, fcm.n_concepts))])
    later = fcm.run(starts, box.steps + 20)[box.steps :]
    assert (later >= box.low - 1e-12).all()
    assert (later <= box.high + 1e-12).all()
    for cycle in attractors(fcm, 40).cycles:
        assert (cycle >= box.low - 1e-9).all()
        assert (cycle <= box.high + 1e-9).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 100_000), st.integers(1, 5), st.floats(0.1, 3.0))
def test_norms_are_ordered_and_hold_up_to_their_slopes(seed, n, slope):
    """Frobenius or row sums imply the radius, the radius implies the box; each stops holding at size 1."""
    fcm = random_map(seed, n, slope)
    proofs = {proof.name: proof for proof in certificate(fcm).proofs}
    assert list(proofs) == ["frobenius", "row sums", "radius", "box"]
    if proofs["frobenius"].holds or proofs["row sums"].holds:
        assert proofs["radius"].holds
    if proofs["radius"].holds:
        assert proofs["box"].holds
    sizes = {
        "frobenius": np.linalg.norm(fcm.weights),
        "row sums": np.abs(fcm.weights).sum(axis=1).max(),
        "radius": np.abs(np.linalg.eigvals(np.abs(fcm.weights))).max(),
    }
    for name, size in sizes.items():
        if size > 1e-6:
            assert proofs[name].stops_at == pytest.approx(4 / size, rel=1e-4)
            assert proofs[name].holds == (slope < 4 / size) or abs(slope * size / 4 - 1) < 1e-9
    end = proofs["box"].factor
    if end < np.inf:
        for share in (0.1, 0.5, 0.9, 0.999):
            assert share < 0.9 or enclosing_box(fcm.replace(slope=slope * end * share)).contracts
        assert not enclosing_box(fcm.replace(slope=slope * end * 1.01), 300).contracts


def test_the_box_proves_what_norms_cannot():
    """For a steep balancing loop, and for positive weights at any slope."""
    balance = certificate(FuzzyCognitiveMap([[0, -1], [1, 0]], slope=5, activation="logistic"))
    assert balance.unique is True
    assert [proof.name for proof in balance.proofs if proof.holds] == ["box"]
    assert balance.sentence == "Exactly one fixed point, and every start ends in it. Proved by: box."
    growing = certificate(FuzzyCognitiveMap([[1, 1], [1, 1]], slope=300, activation="logistic"))
    assert growing.unique is True
    assert growing.proofs[-1].factor == np.inf


@pytest.mark.parametrize(("fcm", "n_points"), [(TWO_FIXED_POINTS, 3), (FOUR_FIXED_POINTS, 9)])
def test_several_fixed_points_are_proved(fcm, n_points):
    """All known ones, stable or not."""
    result = certificate(fcm)
    assert result.unique is False
    assert len(result.fixed_points) == n_points
    assert result.sentence.startswith(f"Several fixed points: {n_points} fixed points proved to exist.")


def test_sentence_without_a_proof():
    """An unstable fixed point with a cycle around it has no proof, and the sentence says so."""
    result = certificate(ONE_CYCLE)
    assert result.unique is None
    assert result.sentence == (
        "Unknown: no proof holds, 1 fixed point proved to exist. All attractors lie in a box at most 0.992 wide. "
        "100 starts end in 1 cycle."
    )
    assert len(repr(result).splitlines()) == 5


@pytest.mark.parametrize("activation", ["bivalent", "trivalent"])
def test_step_functions_have_proofs(activation):
    """If all net inputs are on one side of the jump."""
    fcm = FuzzyCognitiveMap([[0, 0.2], [0.2, 0]], [0.5, 0.5], activation=activation)
    assert certificate(fcm).unique is True
    assert certificate(fcm.replace(bias=[0, 0])).unique is not True


def test_overflow_prevents_a_proof():
    """Sums of these weights overflow: there is no proof and no exception."""
    for W in ([[1e308, 1e308], [1e308, 1e308]], [[1e200, -1e200], [-1e200, 1e200]]):
        assert certificate(FuzzyCognitiveMap(W)).unique is not True


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000), st.integers(1, 5))
def test_has_radius_below_one_holds_in_exact_arithmetic(seed, n):
    """Also near the limit: some power of the matrix, in fractions, has row sums below 1."""
    rng = np.random.default_rng(seed)
    M = rng.random((n, n))
    M /= np.abs(np.linalg.eigvals(M)).max() * (1 + rng.choice([-1e-3, 1e-3, 0.1]))
    if has_radius_below_one(M):
        power = [[Fraction(float(value)) for value in row] for row in M]
        for _ in range(14):  # the power 2^14
            power = [
                [Fraction(float(sum(power[i][k] * power[k][j] for k in range(n))) * (1 + 1e-12)) for j in range(n)]
                for i in range(n)
            ]
        assert max(sum(row) for row in power) < 1
    else:
        assert np.abs(np.linalg.eigvals(M)).max() > 1 - 1e-9


def test_no_fixed_point_is_proved_where_there_is_none():
    """Krawczyk's test fails away from a fixed point."""
    for point in fixed_points(FOUR_FIXED_POINTS):
        assert proves_fixed_point(FOUR_FIXED_POINTS, point.state, 1e-9)
        assert not proves_fixed_point(FOUR_FIXED_POINTS, point.state + 1e-7, 1e-9)
    # Here the derivative of a step is 1 at the fixed point, which is a double one: it cannot be told from none.
    touching = FuzzyCognitiveMap([[4.0]], [-1.5], 1.0)
    assert not proves_fixed_point(touching, np.array([0.5]), 1e-9)


def test_knights_slopes_are_the_published_ones():
    """Knight et al. (2014), as tabulated by Harmati et al. (2021), for 1 to 5 concepts."""
    assert [round(knight_slope(n), 4) for n in range(1, 6)] == [4, 2, 1.2199, 0.8624, 0.6624]
    polynomials = {3: [3, 0, 3, -1], 4: [8, 12, 0, 4, -1], 5: [45, 40, 30, 0, 5, -1]}
    for n, coefficients in polynomials.items():
        assert np.polyval(coefficients, knight_slope(n) / 4) == pytest.approx(0, abs=1e-12)
    assert 0 < knight_slope(300) < 4 / 300


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_general_slope_bounds_hold_for_random_maps(n):
    """At slopes below the bounds of Knight and of Harmati every map with weights in [-1, 1] has a certificate."""
    rng = np.random.default_rng(n)
    for slope in (knight_slope(n), 4 / n):
        for W in [rng.uniform(-1, 1, (n, n)), rng.choice([-1.0, 1.0], (n, n)), np.ones((n, n)), -np.ones((n, n))]:
            assert certificate(FuzzyCognitiveMap(W, slope=slope * 0.999, activation="logistic")).unique is True


def test_advice_is_the_formula_of_koutsellis():
    """min(4 / |W|_F, 1.317 / max row max(|.789 S+ + .211 S-|, |.211 S+ + .789 S-|)), written out."""
    rng = np.random.default_rng(0)
    for _ in range(6):
        W = rng.uniform(-1, 1, (6, 6)) * (rng.random((6, 6)) < 0.5)
        rows = [(row[row > 0].sum(), row[row < 0].sum()) for row in W]
        worst = max(max(abs(0.789 * p + 0.211 * m), abs(0.211 * p + 0.789 * m)) for p, m in rows)
        expected = min(4 / np.linalg.norm(W), 1.317 / worst)
        advice = slope_advice(FuzzyCognitiveMap(W, activation="logistic", slope=3))
        assert advice.recommended == pytest.approx(expected, rel=1e-3)
        settled = FuzzyCognitiveMap(W, activation="logistic", slope=advice.recommended).settle()
        assert (settled.mean > 0.2113 - 1e-4).all()
        assert (settled.mean < 0.7887 + 1e-4).all()


def test_advice_does_not_depend_on_the_slope_of_the_map():
    """It depends on the weights; tanh, four times as steep, gets a quarter of most bounds."""
    fcm = FuzzyCognitiveMap([[0, -1], [0.5, 0]], activation="logistic")
    one, other = slope_advice(fcm).slopes, slope_advice(fcm.replace(slope=7)).slopes
    assert {name: pytest.approx(slope, rel=2e-3) for name, slope in one.items()} == other
    tanh = slope_advice(fcm.replace(activation="tanh")).slopes
    for name in ("knight", "harmati", "frobenius", "row sums", "radius"):
        assert tanh[name] == pytest.approx(one[name] / 4)
    assert repr(slope_advice(fcm)).startswith("Start with slope 1.67. Bounds:")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: certificate(None), "fcm.*a FuzzyCognitiveMap"),
        (lambda: slope_advice(FuzzyCognitiveMap(np.eye(2), slope=[1, 2])), "one slope and 'sigmoid'.*several slopes"),
        (lambda: slope_advice(FuzzyCognitiveMap(np.eye(2), activation="bivalent")), "one slope.*got.*'bivalent'"),
        (lambda: knight_slope(0), "n_concepts.*integer >= 1"),
    ],
)
def test_invalid_arguments_raise(call, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call()
