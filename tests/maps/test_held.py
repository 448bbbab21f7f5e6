"""Held concepts: they keep their first state in every step, and everything else is as with a clamp."""

import pickle

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import DataError, ParameterError
from cogmap.maps.dynamics import attractors, certificate, fixed_points, lyapunov, slope_advice
from cogmap.maps.effects import linear_response
from cogmap.maps.experts import combine
from cogmap.maps.formats import read_map, write_map
from cogmap.maps.monte_carlo import monte_carlo
from cogmap.maps.rewriting import with_clamp, with_rule
from cogmap.maps.scenarios import scenario

NAMES = ["rain", "sun", "weed", "fish"]
WEIGHTS = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0.8, -0.5, 0.1, -0.6], [-0.4, 0.7, 0.9, 0]])
HELD = ("rain", "sun")
START = np.array([[0.2, 0.9, 0.5, 0.5], [0.7, 0.1, 0.3, 0.8]])


def make_map(held=HELD, weights=WEIGHTS, **parameters):
    parameters = {"bias": [0.3, -0.4, 0.1, 0.2], "slope": 2.0} | parameters
    return FuzzyCognitiveMap(weights, concepts=NAMES, held=held, **parameters)


def test_held_concepts_keep_their_first_state_exactly():
    """A run is that of the map without held concepts in which they are kept."""
    trajectory = make_map().run(START, 6)
    np.testing.assert_array_equal(trajectory, make_map(held=()).run(START, 6, keep=HELD))
    assert (trajectory[:, :, :2] == START[:, :2]).all()
    np.testing.assert_array_equal(make_map().step(START), trajectory[1])


@pytest.mark.parametrize("activation", ["logistic", "tanh", "saturation", ["tanh", "sigmoid", "logistic", "bivalent"]])
def test_step_with_other_activations_and_slopes(activation):
    """The activation and slope of a held concept have no effect."""
    parameters = {"activation": activation, "slope": [9.0, 3.0, 2.0, 0.5]}
    step = make_map(**parameters).step(START)
    assert (step[:, :2] == START[:, :2]).all()
    np.testing.assert_array_equal(step[:, 2:], make_map(held=(), **parameters).step(START)[:, 2:])


def test_float32_is_kept():
    """A run in float32 stays in float32 and keeps held states bit by bit."""
    start = START.astype(np.float32)
    trajectory = make_map().run(start, 4)
    assert trajectory.dtype == np.float32
    assert (trajectory[:, :, :2] == start[:, :2]).all()
    np.testing.assert_allclose(trajectory, make_map().run(START, 4), atol=1e-6)


def test_large_held_states_do_not_overflow():
    """A held state far outside the range is guarded in every step, not only in the first."""
    start = np.array([1e300, -1e300, 0.5, 0.5])
    weights = WEIGHTS * 1e12
    trajectory = make_map(weights=weights).run(start, 5)
    assert np.isfinite(trajectory).all()
    assert (trajectory[:, :2] == start[:2]).all()
    np.testing.assert_array_equal(trajectory[1:, 2:], np.tile([1.0, 0.0], (5, 1)))
    assert make_map(weights=weights).settle(start).kind == "fixed point"


def test_jacobian_of_a_step_is_sensitivity_times_step_matrix():
    """Central differences of a step give the same matrix."""
    fcm, at, h = make_map(slope=[1.0, 2.0, 3.0, 4.0]), START[0], 1e-6
    numeric = np.array([(fcm.step(at + h * e) - fcm.step(at - h * e)) / (2 * h) for e in np.eye(4)]).T
    exact = fcm.sensitivity(fcm.step(at))[:, None] * fcm.transition
    np.testing.assert_allclose(exact, numeric, atol=1e-8)
    np.testing.assert_array_equal(fcm.transition, fcm.step_matrix)
    np.testing.assert_array_equal(fcm.transition - fcm.weights, np.diag([1.0, 1.0, 0.0, 0.0]))


def test_net_input_and_activate_make_a_step():
    """The net input of a held concept is its state, so that a step is `activate(net_input)` and linear before it."""
    fcm = make_map()
    net = fcm.net_input(START)
    np.testing.assert_array_equal(net[:, :2], START[:, :2])
    np.testing.assert_array_equal(fcm.activate(net), fcm.step(START))
    np.testing.assert_array_equal(fcm.net_input(START, slice(1, 3)), net[:, 1:3])
    # A product with reversed rows may take another way through the BLAS: equal up to rounding.
    np.testing.assert_allclose(fcm.net_input(START, slice(None, None, -1)), net[:, ::-1], rtol=4e-16)


def test_arrows_are_edges_between_different_concepts():
    """Neither holding nor a self-loop counts as an arrow."""
    assert make_map().n_arrows == 6
    assert make_map(held=()).n_arrows == 6
    assert FuzzyCognitiveMap([[1.0]]).n_arrows == 0


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (["fish"], "'fish', which 'rain' influences.*Set the weights into them to 0"),
        (["rane"], "held.*'rane'.*rain"),
        ("rain", "a list of concept names"),
        (3, "a list of concept names"),
        ([0], "made of concept names"),
    ],
)
def test_invalid_held_concepts_are_rejected(held, message):
    """The error names the parameter, the concept and what influences it."""
    with pytest.raises(ParameterError, match=message):
        make_map(held=held)


def test_a_self_loop_of_a_held_concept_is_rejected():
    """A self-loop is an influence too."""
    with pytest.raises(ParameterError, match="'rain', which 'rain' influences"):
        make_map(weights=WEIGHTS + np.diag([1.0, 0, 0, 0]))


def test_identity_copies_and_text():
    """Held concepts are part of ==, hash, pickle, replace and repr, in the order of the map."""
    fcm = make_map()
    assert fcm.held == make_map(held=["sun", "rain", "sun"]).held == HELD
    assert fcm != make_map(held=())
    assert fcm == make_map(held=("sun", "rain"))
    assert hash(fcm) == hash(make_map(held=("sun", "rain")))
    copied = pickle.loads(pickle.dumps(fcm))
    assert copied == fcm
    assert copied.held == HELD
    assert fcm.with_kinds(("feature",) * 4).held == HELD
    assert fcm.replace(slope=3.0).held == HELD
    assert fcm.replace(concepts=["a", "b", "c", "d"]).held == ("a", "b")
    assert fcm.replace(held=["sun"]).held == ("sun",)
    assert repr(fcm).startswith("FuzzyCognitiveMap: 4 concepts (2 held), sigmoid")
    assert fcm.drivers == HELD
    np.testing.assert_allclose(fcm.normalized().run(START, 5), fcm.run(START, 5), atol=1e-12)


def test_settle_and_scenarios_hold_them():
    """A clamp moves a held concept; others keep the state of the start."""
    fcm, free = make_map(), make_map(held=())
    start = {"rain": 0.9, "sun": 0.3}
    np.testing.assert_array_equal(fcm.settle(start).mean, free.settle(start, keep=HELD).mean)
    ours = scenario(fcm, {"rain": 0.1}, start=start)
    theirs = scenario(free, {"rain": 0.1}, start=start, keep=HELD)
    np.testing.assert_array_equal(ours.before, theirs.before)
    np.testing.assert_array_equal(ours.after, theirs.after)
    assert ours.after[:2].tolist() == [0.1, 0.3]


def test_monte_carlo_holds_them():
    """Sampled maps hold the same concepts."""
    start = {"rain": 0.9, "sun": 0.3}
    ours = monte_carlo(make_map(), {"sun": 0.8}, n_samples=20, start=start)
    theirs = monte_carlo(make_map(held=()), {"sun": 0.8}, n_samples=20, start=start, keep=HELD)
    np.testing.assert_array_equal(ours.after, theirs.after)
    assert (ours.after[:, :2] == [0.9, 0.8]).all()


@pytest.mark.parametrize("rule", ["kosko", "modified", "rescaled"])
def test_rules_leave_them_held(rule):
    """An inference rule changes the steps of the other concepts only."""
    ours = with_rule(make_map(), rule).run(START, 4)
    np.testing.assert_array_equal(ours, with_rule(make_map(held=()), rule).run(START, 4, keep=HELD))


def test_clamping_some_keeps_the_others_held():
    """`with_clamp` removes clamped concepts."""
    fcm = with_clamp(make_map(), {"rain": 0.2})
    assert fcm.held == ("sun",)
    np.testing.assert_allclose(fcm.run(START[:1, 1:], 5), make_map().run(START[:1], 5)[:, :, 1:], atol=1e-14)


def test_combined_experts_hold_what_all_hold():
    """A concept is held if all maps that have it hold it."""
    other = FuzzyCognitiveMap([[0, 0.5], [0, 0]], concepts=["rain", "wind"], slope=2.0, held=["wind"])
    assert combine([make_map(), make_map()]).held == HELD
    assert combine([make_map(), other]).held == ("sun", "wind")


def test_fixed_points_and_attractors_are_those_of_the_clamped_map():
    """With held states given by the start, the other concepts end where the clamped map ends."""
    start = START[:1]
    clamped = with_clamp(make_map(), dict(zip(HELD, start[0], strict=False)))
    end = clamped.settle(start[0, 2:]).mean
    (point,) = fixed_points(make_map(), start)
    np.testing.assert_allclose(point.state, [*start[0, :2], *end], atol=1e-9)
    assert point.stable
    result = attractors(make_map(), START)
    assert result.basin.tolist() == [0, 1]
    np.testing.assert_allclose(result.cycles[0][0], point.state, atol=1e-9)
    expected = lyapunov(clamped, start[0, 2:])
    assert lyapunov(make_map(), start[0]) == pytest.approx(expected)


def test_certificate_is_about_each_state_of_the_held_concepts():
    """A proof covers every held state: the box holds the ends of runs from any start."""
    result = certificate(make_map())
    assert result.unique
    assert result.sentence.startswith("For each state of the held concepts, exactly one fixed point")
    ends = make_map().run(np.random.default_rng(0).random((50, 4)), 300)[-1]
    assert ((ends >= result.low) & (ends <= result.high)).all()
    np.testing.assert_allclose(result.fixed_points, [make_map().settle().mean], atol=1e-7)
    assert slope_advice(make_map()).recommended > 0


def test_certificate_does_not_count_held_states_as_fixed_points():
    """Without a proof, the fixed points counted have the same held state."""
    steep = make_map(weights=WEIGHTS * 6 + np.diag([0, 0, 6, 6]), bias=[0, 0, -3, -6], slope=5.0)
    result = certificate(steep)
    assert not result.unique
    assert (result.fixed_points[:, :2] == 0.5).all()


def test_linear_response_to_a_held_concept():
    """It is the derivative of the fixed point of the other concepts."""
    h = 1e-5
    response = linear_response(make_map())
    ends = [make_map().settle({"rain": 0.5 + sign * h}, tol=1e-12).mean for sign in (-1, 1)]
    np.testing.assert_allclose(response[:, 0], (ends[1] - ends[0]) / (2 * h), atol=1e-6)


def test_our_json_keeps_them_and_other_files_drop_them(tmp_path):
    """Only the JSON of cogmap can say that a concept is held."""
    for name, held in (("map.json", HELD), ("map.csv", ()), ("map.xlsx", ())):
        write_map(make_map(), tmp_path / name)
        assert read_map(tmp_path / name).held == held
    text = (tmp_path / "map.json").read_text()
    (tmp_path / "bad.json").write_text(text.replace('"held": true', '"held": 1', 1))
    with pytest.raises(DataError, match="'held' must be true or false"):
        read_map(tmp_path / "bad.json")
