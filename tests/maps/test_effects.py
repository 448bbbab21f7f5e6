"""Total effects against all simple chains, Floyd and Warshall, and scenarios of small changes."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.integrations.networkx import to_networkx
from cogmap.maps.dynamics import ONE_CYCLE, TWO_FIXED_POINTS, fixed_points
from cogmap.maps.effects import linear_response, total_effects
from cogmap.maps.scenarios import scenario

SWING = FuzzyCognitiveMap([[-3.0]], slope=5, activation="logistic")


def sparse_map(seed, n, share, levels=None):
    rng = np.random.default_rng(seed)
    W = rng.uniform(-1, 1, (n, n)) if levels is None else rng.choice(levels, (n, n))
    return FuzzyCognitiveMap(W * (rng.random((n, n)) < share))


def strength_and_sign(fcm, chain):
    weights = [fcm.weights[fcm.concepts.index(b), fcm.concepts.index(a)] for a, b in pairwise(chain)]
    return min(map(abs, weights)), float(np.prod(np.sign(weights)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([0.2, 0.5, 1.0]), st.booleans())
def test_no_chain_is_stronger(seed, n, share, words):
    """No simple chain is stronger; the returned chain has the strength and sign of the effect."""
    fcm = sparse_map(seed, n, share, [-0.8, -0.5, 0.25, 0.5, 0.8] if words else None)
    result = total_effects(fcm)
    graph = to_networkx(fcm)
    for j, source in enumerate(fcm.concepts):
        for i, target in enumerate(fcm.concepts):
            chains = [] if source == target else list(nx.all_simple_paths(graph, source, target))
            if source == target:
                chains = [[*cycle, cycle[0]] for cycle in nx.simple_cycles(graph) if source in cycle]
                chains = [c[c.index(source) : -1] + c[: c.index(source)] + [source] for c in chains]
            chain = result.chain(source, target)
            if not chains:
                assert result.effects[i, j] == 0
                assert chain == ()
                continue
            possible = {strength_and_sign(fcm, one) for one in chains}
            strength, sign = strength_and_sign(fcm, chain)
            assert strength == max(s for s, _ in possible)
            assert result.effects[i, j] == sign * strength
            assert (chain[0], chain[-1]) == (source, target)
            assert len(set(chain)) == len(chain) - (source == target)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([0.05, 0.3, 1.0]))
def test_strengths_are_those_of_floyd_and_warshall(seed, n, share):
    """The widest path by another algorithm."""
    fcm = sparse_map(seed, n, share)
    S = np.abs(fcm.weights)
    for k in range(n):
        S = np.maximum(S, np.minimum(S[:, [k]], S[[k], :]))
    np.testing.assert_array_equal(np.abs(total_effects(fcm).effects), S)


def test_an_edge_is_taken_before_a_detour_of_the_same_strength():
    """Among equally strong chains, the shortest is preferred."""
    fcm = FuzzyCognitiveMap.from_edges([("a", "b", 0.5), ("b", "c", -0.5), ("a", "c", 0.5)])
    result = total_effects(fcm)
    assert result.chain("a", "c") == ("a", "c")
    assert result.effects[fcm.concepts.index("c"), fcm.concepts.index("a")] == 0.5
    assert repr(total_effects(FuzzyCognitiveMap(np.zeros((3, 3))))) == "No chains between 3 concepts."


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["sigmoid", "logistic", "tanh"]))
def test_the_linear_response_is_that_of_small_scenarios(seed, activation):
    """The response equals the difference quotient of clamps slightly above and below."""
    rng = np.random.default_rng(seed)
    fcm = FuzzyCognitiveMap(rng.uniform(-0.3, 0.3, (4, 4)), rng.normal(size=4) / 2, 1.5, activation=activation)
    settled = fcm.settle()
    response = linear_response(fcm)
    h = 1e-4
    for j, name in enumerate(fcm.concepts):
        up, down = (scenario(fcm, {name: settled.mean[j] + side * h}, against=settled.mean).after for side in (1, -1))
        np.testing.assert_allclose(response[:, j], (up - down) / (2 * h), rtol=0, atol=1e-5)


def test_response_at_a_chosen_fixed_point():
    """Each fixed point has its own response."""
    low, high = sorted((p.state for p in fixed_points(TWO_FIXED_POINTS) if p.stable), key=lambda state: state[0])
    assert linear_response(TWO_FIXED_POINTS, low).shape == (2, 2)
    np.testing.assert_allclose(linear_response(TWO_FIXED_POINTS, low), linear_response(TWO_FIXED_POINTS, high))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: total_effects([[1.0]]), "fcm.*a FuzzyCognitiveMap"),
        (lambda: total_effects(ONE_CYCLE).chain("C1", "C3"), "target.*concept names.*got 'C3'"),
        (lambda: total_effects(ONE_CYCLE).chain("x", "C1"), "source.*concept names.*got 'x'"),
        (lambda: linear_response(SWING), "converges to a fixed point, got one that converges to a cycle of 2 states"),
        (lambda: linear_response(ONE_CYCLE, [0.2, 0.9]), "state.*a fixed point, got a state that changes by"),
        (lambda: linear_response(ONE_CYCLE, [0.5, np.nan]), "state.*finite numbers, got nan for concept 'C2'"),
        (
            lambda: linear_response(FuzzyCognitiveMap([[1.0]], activation="saturation"), [0.5]),
            "state.*a finite response, got one where .* eigenvalue 1",
        ),
    ],
)
def test_invalid_arguments_raise(call, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call()
