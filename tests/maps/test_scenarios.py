"""Clamps, convergence and scenarios against explicit loops and published results."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import MissingPackageError, ParameterError
from cogmap.maps.dynamics import ONE_CYCLE
from cogmap.maps.rewriting import with_rule
from cogmap.maps.scenarios import scenario, scenarios

LAKE = FuzzyCognitiveMap(
    [[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], concepts=["fishing", "fish", "weed"], slope=2, activation="logistic"
)
ANGLE = FuzzyCognitiveMap([[0.9, -0.3], [0.3, 0.9]], [0.2, -0.1], slope=6)  # rotates without a period


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["sigmoid", "logistic", "tanh", "saturation"]))
def test_clamped_states_are_held_and_the_others_follow(seed, activation):
    """Every step equals a plain step followed by resetting the clamped states; 0 is a valid clamp."""
    rng = np.random.default_rng(seed)
    fcm = FuzzyCognitiveMap(rng.normal(size=(4, 4)), rng.normal(size=4), 2.0, activation=activation)
    start = rng.random((3, 4))
    clamp = {"C2": 0, "C4": float(rng.normal())}
    states = fcm.run(start, 5, clamp=clamp, keep=["C1"])
    A = start.copy()
    A[:, [1, 3]] = list(clamp.values())
    for t in range(6):
        np.testing.assert_array_equal(states[t], A)
        A = fcm.step(A)
        A[:, [1, 3]] = list(clamp.values())
        A[:, 0] = start[:, 0]


def test_states_by_name_leave_the_others_undecided():
    """In the middle of their range: 0.5, or 0 for tanh."""
    assert LAKE.run({"fish": 1}, 0).tolist() == [[0.5, 1.0, 0.5]]
    assert LAKE.replace(activation="tanh").run({"fish": 1}, 0).tolist() == [[0.0, 1.0, 0.0]]
    assert LAKE.replace(activation=["tanh", "logistic", "bivalent"]).run({}, 0).tolist() == [[0.0, 0.5, 0.5]]


def test_drivers_keep_their_value():
    """Concepts without incoming edges, or those marked by the author."""
    assert LAKE.drivers == ("fishing",)
    assert (LAKE.run({"fishing": 0.9}, 5, keep="drivers")[:, 0] == 0.9).all()
    assert LAKE.run({"fishing": 0.9}, 5)[-1, 0] == 0.5
    marked = LAKE.replace(details={"concepts": {"weed": {"external": True}, "fish": {"external": False}}})
    assert marked.drivers == ("weed",)
    last = marked.run({"weed": 0.9, "fishing": 0.9}, 5, keep="drivers")[-1]
    assert (last[0], last[2]) == (0.5, 0.9)


def test_clamp_takes_precedence_over_keep():
    """Also for a driver."""
    assert (LAKE.run({"fishing": 0.9}, 2, {"fishing": 0.1}, "drivers")[:, 0] == 0.1).all()


def test_input_states_are_not_modified():
    """Neither the start nor the clamp changes."""
    start, clamp = np.full(3, 0.3), {"fish": 1.0}
    LAKE.run(start, 3, clamp)
    LAKE.settle(start, clamp)
    assert (start == 0.3).all()
    assert clamp == {"fish": 1.0}


def test_convergence_to_a_fixed_point():
    """A step does not change the state, and a long run ends in it."""
    settled = LAKE.settle({"fish": 0.1})
    assert (settled.kind, settled.period) == ("fixed point", 1)
    np.testing.assert_allclose(LAKE.step(settled.mean), settled.mean, rtol=0, atol=1e-11)
    np.testing.assert_allclose(LAKE.run({"fish": 0.1}, 2000)[-1], settled.mean, rtol=0, atol=1e-11)
    assert settled.sentence == f"It converges to a fixed point after {settled.steps} steps."
    moves = np.abs(np.diff(LAKE.run({"fish": 0.1}, settled.steps + 1), axis=0)).max(axis=1)
    assert moves[-1] <= 1e-6 < moves[-2]
    assert settled.to_dict()["fish"] == settled.mean[1]


def test_unstable_fixed_points_are_reported():
    """Undecided concepts may start on one: between two basins, or at 0 in a steep map of tanh."""
    switch = FuzzyCognitiveMap([[1.0]], slope=8)
    settled = switch.settle()
    assert (settled.kind, settled.stable) == ("fixed point", False)
    assert settled.sentence == "It converges to an unstable fixed point after 0 steps."
    assert switch.settle([0.6]).stable is True
    assert switch.settle(clamp={"C1": 0.5}).stable is True
    steep = FuzzyCognitiveMap([[0, 2], [2, 0]], activation="tanh")
    assert steep.settle().stable is False
    assert steep.settle([0.1, 0.1]).stable is True
    assert ONE_CYCLE.settle([0.2, 0.3]).stable is None


def test_convergence_to_a_cycle():
    """Each state leads to the next, the last one to the first, and all differ."""
    settled = ONE_CYCLE.settle([0.2, 0.3])
    assert (settled.kind, settled.period, settled.states.shape) == ("cycle", 8, (8, 2))
    np.testing.assert_allclose(ONE_CYCLE.step(settled.states), np.roll(settled.states, -1, axis=0), atol=1e-6)
    assert min(np.abs(np.roll(settled.states, lag, axis=0) - settled.states).max() for lag in range(1, 8)) > 1e-2
    np.testing.assert_allclose(settled.mean, settled.states.mean(axis=0))
    assert "converges to a cycle of 8 states after" in settled.sentence


def test_no_convergence():
    """Neither a quasiperiodic trajectory nor one with too few steps converges, and the sentence says so."""
    wandering = ANGLE.replace(bias=0.5 - ANGLE.weights.sum(axis=1) / 2)
    settled = wandering.settle([0.3, 0.2], max_steps=500)
    assert (settled.kind, settled.period, settled.steps) == ("neither", None, 500)
    assert settled.sentence.startswith(
        "It does not converge to a fixed point or a cycle of up to 64 states within 500 steps: the last step"
    )
    assert LAKE.settle(max_steps=3).kind == "neither"
    assert "max_steps" in LAKE.settle(max_steps=8).sentence


@pytest.mark.parametrize("max_steps", [1, 2, 7, 8, 9, 127, 128, 129])
def test_any_max_steps_is_valid(max_steps):
    """A map at rest needs more than one step, and a cycle of period 2 more than two."""
    rest = FuzzyCognitiveMap(np.zeros((2, 2))).settle(LAKE.step([0, 0, 0])[:2], max_steps=max_steps)
    assert rest.kind == ("fixed point" if max_steps > 1 else "neither")
    swap = FuzzyCognitiveMap([[0, 1], [1, 0]], activation="bivalent").settle([1, 0], max_steps=max_steps)
    assert swap.kind == ("cycle" if max_steps > 2 else "neither")


def test_long_cycles_have_their_smallest_period():
    """A ring of n concepts that copy their predecessor has period n."""
    for n in (3, 16, 63, 64):
        ring = FuzzyCognitiveMap(np.roll(np.eye(n), 1, axis=0), activation="bivalent")
        assert ring.settle({"C1": 1, **{f"C{i}": 0 for i in range(2, n + 1)}}).period == n
    beyond = FuzzyCognitiveMap(np.roll(np.eye(65), 1, axis=0), activation="bivalent")
    assert beyond.settle({"C1": 1, **{f"C{i}": 0 for i in range(2, 66)}}).kind == "neither"


# Adjacency (rows are sources), slope 1, start 1, clamp A = 1 against the steady state; as published, to two digits.
PUBLISHED = [("kosko", (0.07, -0.02)), ("modified", (0.02, -0.01)), ("rescaled", (0.40, -0.29))]


@pytest.mark.parametrize(("rule", "change"), PUBLISHED)
def test_published_changes_of_three_rules(rule, change):
    """B and C change by the published amounts."""
    adjacency = np.array([[0, 1, 0], [1, 0, -1], [1, -1, 0]])
    fcm = with_rule(FuzzyCognitiveMap(adjacency.T, concepts=["A", "B", "C"], activation="logistic"), rule)
    result = scenario(fcm, {"A": 1}, start=[1, 1, 1])
    assert result.change[1:].round(2).tolist() == pytest.approx(change)


def test_scenario_is_the_difference_of_two_limits():
    """That of the map without the clamp, and that of the clamped map started from there."""
    result = scenario(LAKE, {"fishing": 0}, start={"fish": 1})
    alone = LAKE.run({"fish": 1}, 300)[-1]
    held = LAKE.run(alone, 300, clamp={"fishing": 0})[-1]
    np.testing.assert_allclose(result.before, alone, rtol=0, atol=1e-11)
    np.testing.assert_allclose(result.after, held, rtol=0, atol=1e-11)
    np.testing.assert_allclose(result.change, held - alone, rtol=0, atol=1e-11)
    assert result.sentence.startswith("With fishing = 0, the map converges to a fixed point after ")


def test_scenario_starts_from_the_baseline():
    """With two attractors this matters: a weak change leads back, a strong one to the other attractor."""
    switch = FuzzyCognitiveMap([[1, 1], [0, 0]], concepts=["state", "push"], slope=10, bias=[-0.5, 0])
    low = switch.settle([0, 0], clamp={"push": 0.5})
    assert scenario(switch, {"push": 0.55}, against=low.mean).after[0] < 0.1
    assert scenario(switch, {"push": 0.9}, against=low.mean).after[0] > 0.9


def test_scenario_against_another_scenario():
    """It starts from the final states of the other one."""
    first = scenario(LAKE, {"fishing": 1}, name="ban lifted")
    second = scenario(LAKE, {"fishing": 0}, against=first)
    np.testing.assert_array_equal(second.before, first.after)
    assert second.baseline is None


def test_a_cycle_is_compared_by_its_mean():
    """Before and after are means over the states of the cycle."""
    result = scenario(ONE_CYCLE, {"C1": 0.5}, start=[0.2, 0.3])
    np.testing.assert_allclose(result.before, ONE_CYCLE.settle([0.2, 0.3]).states.mean(axis=0), atol=1e-6)
    assert result.outcome.kind == "fixed point"


def test_several_scenarios():
    """One row of changes each, indexed by name or position."""
    clamps = {"no fishing": {"fishing": 0}, "no weed": {"weed": 0}}
    several = scenarios(LAKE, clamps)
    assert len(several) == 2
    assert several.names == ("no fishing", "no weed")
    for number, (name, clamp) in enumerate(clamps.items()):
        np.testing.assert_array_equal(several.change[number], scenario(LAKE, clamp).change)
        assert several[name] is several[number]
    assert [one.name for one in several] == list(clamps)


def test_tables_and_json_match_the_arrays():
    """Data frames by name, JSON that round-trips, and a repr with the largest change first."""
    result = scenario(LAKE, {"weed": 0})
    frame = result.to_frame()
    assert list(frame.index) == list(LAKE.concepts)
    np.testing.assert_array_equal(frame["change"], result.change)
    read = json.loads(result.to_json())
    np.testing.assert_array_equal(read["after"], result.after)
    assert read["clamp"] == {"weed": 0.0}
    several = scenarios(LAKE, {"a": {"weed": 0}, "b": {"fishing": 1}})
    np.testing.assert_array_equal(several.to_frame()["b"], several["b"].change)
    assert [one["name"] for one in json.loads(several.to_json())["scenarios"]] == ["a", "b"]
    changes = [abs(float(line.split()[-1])) for line in repr(result).splitlines()[-3:]]
    assert changes == sorted(changes, reverse=True)
    assert len(repr(scenario(FuzzyCognitiveMap(np.eye(60)), {"C1": 1})).splitlines()) < 30


def test_frames_need_pandas(monkeypatch):
    """The message names the feature and the extra."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackageError, match=r"Scenario.to_frame needs the package 'pandas'.*cogmap\[table\]"):
        scenario(LAKE, {"fish": 1}).to_frame()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LAKE.run({"fich": 1}, 1), r"run\(start=.*concept names.*got 'fich'. Did you mean 'fish'"),
        (lambda: LAKE.run({"fish": np.nan}, 1), "start.*finite numbers, got nan for concept 'fish'"),
        (lambda: LAKE.run({"fish": "high"}, 1), "start.*finite numbers, got 'high' for concept 'fish'"),
        (lambda: LAKE.run({"fish": None}, 1), "start.*finite numbers, got None for concept 'fish'"),
        (lambda: LAKE.run({"fish": 10**400}, 1), "start.*finite numbers"),
        (lambda: LAKE.run({1: 1}, 1), "start.*concept names.*got 1"),
        (lambda: LAKE.run([0, np.nan, 0], 1), "start.*finite numbers, got nan for concept 'fish'"),
        (lambda: LAKE.run([0, 0, 0], 1, clamp={"policy": 1}), "clamp.*concept names.*got 'policy'"),
        (lambda: LAKE.run([0, 0, 0], 1, clamp={"fish": np.inf}), "clamp.*finite numbers, got inf for concept 'fish'"),
        (lambda: LAKE.run([0, 0, 0], 1, clamp=["fish"]), r"clamp.*a mapping.*got \['fish'\]"),
        (lambda: LAKE.run([0, 0, 0], 1, keep="fish"), "keep.*'drivers' or a list of concept names, got 'fish'"),
        (lambda: LAKE.run([0, 0, 0], 1, keep=["tax"]), "keep.*concept names.*got 'tax'"),
        (lambda: LAKE.run([0, 0, 0], 1, keep=3), "keep.*'drivers' or a list"),
        (lambda: LAKE.settle([[0, 0, 0]]), r"settle\(start=.*shape \(3,\), one state per concept, got shape \(1, 3\)"),
        (lambda: LAKE.settle(max_steps=0), "max_steps.*integer >= 1, got 0"),
        (lambda: LAKE.settle(tol=0), "tol.*> 0"),
        (lambda: scenario(LAKE, {"fich": 1}), r"scenario\(clamp=.*Did you mean 'fish'"),
        (lambda: scenario(LAKE, {"fish": np.nan}), r"scenario\(clamp=.*finite numbers, got nan for concept 'fish'"),
        (lambda: scenario(LAKE, "fish"), r"scenario\(clamp=.*a mapping"),
        (lambda: scenario(LAKE, {"fish": 1}, against=[0, 0]), r"against.*shape \(3,\)"),
        (lambda: scenario(LAKE, {"fish": 1}, against=[0, 0, 0], start=[0, 0, 0]), "None if `against` is given"),
        (lambda: scenario(LAKE, {"fish": 1}, against=scenario(ONE_CYCLE, {"C1": 1})), "against.*the same concepts"),
        (lambda: scenario(np.eye(3), {"fish": 1}), "fcm.*a FuzzyCognitiveMap"),
        (lambda: scenarios(LAKE, {"fish": 1}), "clamps.*a mapping from scenario names to clamps"),
        (lambda: scenarios(LAKE, {}), "clamps.*a mapping"),
        (lambda: FuzzyCognitiveMap(np.eye(2), activation=["tanh"]), "activation.*2 of them, one per concept"),
        (lambda: FuzzyCognitiveMap(np.eye(2), activation=["tanh", "tan"]), "activation.*Did you mean 'tanh'"),
    ],
)
def test_invalid_states_and_names_raise(call, message):
    """The error names the concept and suggests a similar name."""
    with pytest.raises(ParameterError, match=message):
        call()
