"""Inference rules and clamps as weights and biases, against explicit rules and other tools."""

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.drawing.view import graph_view
from cogmap.maps.rewriting import RULES, for_people, with_clamp, with_rule

# The example in the documentation of FCMpy (rows are sources there) and the states it prints.
FCMPY = np.array(
    [
        [0.0, 0.0, 0.6, 0.9, 0.0, 0.0, 0.0, 0.8],
        [0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.5],
        [0.0, 0.7, 0.0, 0.0, 0.9, 0.0, 0.4, 0.1],
        [0.4, 0.0, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, -0.9, 0.0, 0.3],
        [-0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.4, 0.9],
        [0.1, 0.0, 0.0, 0.0, 0.0, 0.1, 0.6, 0.0],
    ]
)
FCMPY_STEPS = [
    [1.000000, 1.000000, 0.000000, 0.000000, 0.000000, 0.000000, 0.000000, 0.000000],
    [0.750260, 0.731059, 0.645656, 0.710950, 0.500000, 0.500000, 0.549834, 0.785835],
    [0.738141, 0.765490, 0.749475, 0.799982, 0.746700, 0.769999, 0.838315, 0.921361],
    [0.730236, 0.784168, 0.767163, 0.812191, 0.805531, 0.829309, 0.898379, 0.950172],
    [0.727059, 0.789378, 0.769467, 0.812967, 0.816974, 0.838759, 0.908173, 0.954927],
    [0.726125, 0.790510, 0.769538, 0.812650, 0.818986, 0.839860, 0.909707, 0.955666],
    [0.725885, 0.790706, 0.769451, 0.812473, 0.819294, 0.839901, 0.909940, 0.955774],
]
# An intervention that is 1 all the time, with influence -0.3 on the first concept and 0.5 on the second.
FCMPY_INTERVENTION = [
    [0.662298, 0.861681, 0.769410, 0.812414, 0.819328, 0.839874, 0.909973, 0.955787],
    [0.649547, 0.869922, 0.762564, 0.803526, 0.819327, 0.839863, 0.911132, 0.955134],
    [0.646000, 0.870312, 0.759929, 0.800292, 0.818413, 0.838899, 0.911143, 0.954860],
    [0.644962, 0.870147, 0.759059, 0.799263, 0.817925, 0.838484, 0.911052, 0.954712],
    [0.644651, 0.870060, 0.758786, 0.798947, 0.817735, 0.838350, 0.911004, 0.954652],
]


def test_modified_kosko_gives_the_states_that_fcmpy_documents():
    """All steps of its example of 8 concepts, to the printed digits."""
    fcm = with_rule(FuzzyCognitiveMap(FCMPY.T, activation="logistic"), "modified")
    start = {"C1": 1, "C2": 1, **dict.fromkeys(["C3", "C4", "C5", "C6", "C7", "C8"], 0)}
    np.testing.assert_allclose(fcm.run(start, 6), FCMPY_STEPS, rtol=0, atol=6e-7)


def test_an_intervention_gives_the_states_that_fcmpy_documents():
    """A concept clamped at 1, starting from the last state above."""
    W = np.zeros((9, 9))
    W[:8, :8] = FCMPY.T
    W[:2, 8] = [-0.3, 0.5]
    fcm = with_rule(FuzzyCognitiveMap(W, activation="logistic"), "modified")
    states = fcm.run([*FCMPY_STEPS[-1], 0.0], 5, clamp={"C9": 1})
    np.testing.assert_allclose(states[1:, :8], FCMPY_INTERVENTION, rtol=0, atol=2e-6)


def steps_by_rule(W, b, rule, f, A):
    """Apply a rule of the literature to one state."""
    if rule == "kosko":
        return f(W @ A + b)
    if rule == "modified":
        return f(A + W @ A + b)
    return f((2 * A - 1) + W @ (2 * A - 1) + b)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("activation", ["sigmoid", "logistic", "saturation", "bivalent"])
def test_rewritten_maps_make_the_steps_of_the_rule(rule, activation):
    """For each rule and each activation with states in [0, 1], also with a bias."""
    rng = np.random.default_rng(0)
    W, b = rng.uniform(-1, 1, (6, 6)), rng.uniform(-1, 1, 6)
    fcm = FuzzyCognitiveMap(W, b, 1.7, activation=activation)
    plain = FuzzyCognitiveMap(np.eye(6), slope=1.7, activation=activation)
    A = rng.random(6)
    np.testing.assert_allclose(
        with_rule(fcm, rule).step(A), steps_by_rule(W, b, rule, plain.step, A), rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("rule", ["kosko", "modified"])
@pytest.mark.parametrize("activation", ["tanh", "trivalent"])
def test_rules_for_states_between_minus_one_and_one(rule, activation):
    """The rescaled rule requires [0, 1] and raises otherwise."""
    fcm = FuzzyCognitiveMap([[0, 1], [-0.5, 0]], activation=activation)
    plain = FuzzyCognitiveMap(np.eye(2), activation=activation)
    A = np.array([0.3, -0.7])
    np.testing.assert_allclose(
        with_rule(fcm, rule).step(A), steps_by_rule(fcm.weights, 0.0, rule, plain.step, A), rtol=0, atol=1e-14
    )
    with pytest.raises(ParameterError, match=r"'kosko' or 'modified' for states in \[-1, 1\], got 'rescaled'"):
        with_rule(fcm, "rescaled")


@pytest.mark.parametrize("activation", ["logistic", "tanh", ["sigmoid", "tanh", "saturation", "logistic", "bivalent"]])
@pytest.mark.parametrize("slope", [2.0, [1.0, 2.0, 0.5, 3.0, 1.0]])
def test_with_clamp_makes_the_same_steps(activation, slope):
    """The map of the free concepts has the trajectories of these concepts in the clamped map."""
    rng = np.random.default_rng(1)
    details = {"concepts": {"C2": {"x": 1, "y": 2}, "C4": {"x": 3, "y": 4}}, "edges": {"C2": {"C4": {}, "C1": {}}}}
    fcm = FuzzyCognitiveMap(rng.normal(size=(5, 5)), rng.normal(size=5), slope, activation=activation, details=details)
    clamp = {"C4": 0.7, "C1": 0}
    start = rng.random((3, 5))
    expected = fcm.run(start, 4, clamp=clamp)[..., [1, 2, 4]]
    smaller = with_clamp(fcm, clamp)
    assert smaller.concepts == ("C2", "C3", "C5")
    assert smaller.details == {"concepts": {"C2": {"x": 1, "y": 2}}, "edges": {"C2": {}}}
    np.testing.assert_allclose(smaller.run(start[:, [1, 2, 4]], 4), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fcm: with_rule(fcm, "koskoo"), "rule.*one of 'kosko', 'modified', 'rescaled'.*Did you mean 'kosko'"),
        (lambda fcm: with_rule(None, "kosko"), "fcm.*a FuzzyCognitiveMap, got None"),
        (lambda fcm: with_clamp(fcm, {"C1": 1, "C2": 0}), "clamp.*leaves at least one concept free, got all concepts"),
        (lambda fcm: with_clamp(fcm, {"C3": 1}), r"clamp.*concept names \('C1', 'C2'\), got 'C3'"),
        (lambda fcm: with_clamp(fcm, "C1"), "clamp.*a mapping from concept names"),
    ],
)
def test_invalid_arguments_raise(call, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call(FuzzyCognitiveMap(np.eye(2)))


def test_a_map_for_people_has_the_drawn_arrows_with_small_weights():
    """Weights in [-1, 1], only edges that the drawing shows, and the dynamics of the remaining edges."""
    random = np.random.default_rng(0)
    fcm = FuzzyCognitiveMap(3 * random.normal(size=(30, 30)), random.normal(size=30), 2.0)
    plain = for_people(fcm)
    drawn = graph_view(fcm.concepts, fcm.weights)
    assert np.abs(plain.weights).max() == 1.0
    assert np.count_nonzero(plain.weights) == len(drawn["edges"]) + len(drawn["rings"]) < 200
    kept = fcm.replace(weights=np.where(plain.weights != 0, fcm.weights, 0.0))
    states = random.random((5, 30))
    np.testing.assert_allclose(plain.step(states), kept.step(states), atol=1e-12)
    small = FuzzyCognitiveMap([[0, 0.5], [0.25, 0]])
    assert for_people(small) == small
