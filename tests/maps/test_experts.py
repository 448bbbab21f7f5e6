"""Maps of several experts: combination, disagreement and credibility against NumPy and explicit loops."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.experts import combine, credibility, disagreement


def experts(seed, k=5, n=4, share=0.6):
    rng = np.random.default_rng(seed)
    return [
        FuzzyCognitiveMap(rng.uniform(-1, 1, (n, n)) * (rng.random((n, n)) < share), rng.normal(size=n))
        for _ in range(k)
    ]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7))
def test_combinations_are_those_of_numpy(seed, k):
    """Means and medians; with weights, the weighted mean, and for integers the median of repeated maps."""
    maps = experts(seed, k)
    W, b = np.array([fcm.weights for fcm in maps]), np.array([fcm.bias for fcm in maps])
    np.testing.assert_allclose(combine(maps).weights, W.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(combine(maps, "median").weights, np.median(W, axis=0), atol=1e-15)
    np.testing.assert_allclose(combine(maps, "median").bias, np.median(b, axis=0), atol=1e-15)
    times = np.random.default_rng(seed).integers(0, 4, k)
    if times.any():
        np.testing.assert_allclose(
            combine(maps, weights=times).weights, np.average(W, axis=0, weights=times), atol=1e-14
        )
        repeated = np.repeat(W, times, axis=0)
        np.testing.assert_allclose(
            combine(maps, "median", weights=times).weights, np.median(repeated, axis=0), atol=1e-14
        )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7), st.sampled_from(["mean", "median"]))
def test_only_drawn_ignores_missing_edges(seed, k, how):
    """The mean or median of the weights that are not 0, edge by edge."""
    maps = experts(seed, k)
    W = np.array([fcm.weights for fcm in maps])
    result = combine(maps, how, only_drawn=True).weights
    for i in range(4):
        for j in range(4):
            drawn = W[:, i, j][W[:, i, j] != 0]
            expected = getattr(np, how)(drawn) if drawn.size else 0.0
            assert result[i, j] == pytest.approx(expected, abs=1e-14)


def test_concepts_are_matched_by_name():
    """In any order; a concept missing from a map has no edges there and does not affect the bias."""
    one = FuzzyCognitiveMap([[0, 0.4], [0.2, 0]], [1, 2], concepts=["rain", "fish"])
    two = FuzzyCognitiveMap([[0, 0.6], [0.8, 0]], [5, 7], concepts=["fish", "weed"])
    both = combine([one, two])
    assert both.concepts == ("rain", "fish", "weed")
    np.testing.assert_allclose(both.weights, [[0, 0.2, 0], [0.1, 0, 0.3], [0, 0.4, 0]])
    np.testing.assert_allclose(both.bias, [1, 3.5, 7])
    np.testing.assert_allclose(combine([one, two], only_drawn=True).weights, [[0, 0.4, 0], [0.2, 0, 0.6], [0, 0.8, 0]])


def test_one_map_combined_is_itself():
    """With its slope, activation and details."""
    details = {"author": "us", "concepts": {"b": {"x": 1, "y": 2}}, "edges": {"a": {"b": {"notes": "sure"}}}}
    fcm = FuzzyCognitiveMap([[0, 1], [0.5, 0]], [1, 2], [1, 3], ["a", "b"], ["tanh", "sigmoid"], details)
    assert combine([fcm]) == fcm
    assert combine([fcm]).details == details


def test_details_come_from_the_first_map_that_has_them():
    """For each concept and each edge."""
    one = FuzzyCognitiveMap(np.eye(2), concepts=["a", "b"], details={"concepts": {"a": {"x": 1, "y": 1}}})
    two = one.replace(details={"concepts": {"a": {"x": 9, "units": "mm"}, "b": {"x": 5, "y": 5}}, "source": "there"})
    assert combine([one, two]).details == {
        "source": "there",
        "concepts": {"a": {"x": 1, "y": 1, "units": "mm"}, "b": {"x": 5, "y": 5}},
    }


def test_credibility_is_agreement():
    """A map that agrees with the others gets more, one that contradicts them 0; the sum is 1."""
    a = FuzzyCognitiveMap([[0, 1], [0.5, 0]])
    similar, opposite = a.replace(weights=[[0, 0.9], [0.6, 0]]), a.replace(weights=-a.weights)
    shares = credibility([a, similar, opposite])
    assert shares[2] == 0
    assert shares.sum() == pytest.approx(1)
    mean = (similar.weights) / 3
    cosines = [(W * mean).sum() / np.linalg.norm(W) / np.linalg.norm(mean) for W in (a.weights, similar.weights)]
    np.testing.assert_allclose(shares[:2], cosines / np.sum(cosines))
    np.testing.assert_allclose(
        combine([a, similar, opposite], weights="credibility").weights,
        np.average([a.weights, similar.weights, opposite.weights], axis=0, weights=shares),
    )
    np.testing.assert_allclose(credibility([a, opposite]), [0.5, 0.5])
    np.testing.assert_allclose(credibility([a]), [1])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_disagreement_is_counted_edge_by_edge(seed, k):
    """Counts, deviations, bounds and opposed signs equal explicit loops over experts."""
    maps = experts(seed, k)
    result = disagreement(maps)
    for i in range(4):
        for j in range(4):
            weights = [fcm.weights[i, j] for fcm in maps]
            assert result.n_drawn[i, j] == sum(w != 0 for w in weights)
            assert result.deviation[i, j] == pytest.approx(np.std(weights))
            assert (result.low[i, j], result.high[i, j]) == (min(weights), max(weights))
            assert result.opposed[i, j] == (min(weights) < 0 < max(weights))
    edges = result.edges()
    assert len(edges) == np.count_nonzero(result.n_drawn)
    assert [edge["deviation"] for edge in edges] == sorted((edge["deviation"] for edge in edges), reverse=True)
    assert json.loads(json.dumps(edges)) == edges
    for edge in edges[:3]:
        i, j = (int(edge[end][1:]) - 1 for end in ("target", "source"))
        assert edge["mean"] == result.mean[i, j]
    assert len(result.to_frame()) == len(edges)
    assert repr(result).startswith(f"{k} map")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: combine([]), "maps.*at least one map, got none"),
        (lambda a: combine(a), "maps.*a list of maps, got FuzzyCog"),
        (lambda a: combine([a, np.eye(2)]), "maps.*a FuzzyCognitiveMap"),
        (lambda a: combine([a], "mode"), "how.*'mean', 'median', 'fuzzy', got 'mode'"),
        (lambda a: combine([a, a], weights=[1]), "weights.*2 numbers >= 0"),
        (lambda a: combine([a, a], weights=[1, -1]), "weights.*2 numbers >= 0"),
        (lambda a: combine([a, a], weights=[0, 0]), "weights.*not all 0"),
        (lambda a: combine([a, a], weights=[1, np.nan]), "weights.*2 numbers"),
        (lambda a: combine([a, a], weights=["much", 1]), "weights.*2 numbers"),
        (lambda a: combine([a, a], weights="credible"), "weights.*'credibility'"),
        (lambda a: combine([a], only_drawn="yes"), "only_drawn.*True or False"),
        (lambda a: combine([a, a.replace(slope=2)]), r"the same slope.*got 1.0 and 2.0 for C1. Use fcm.replace\(slope"),
        (lambda a: combine([a, a.replace(activation="tanh")]), "the same activation.*got sigmoid and tanh for C1"),
        (lambda a: disagreement("maps"), "maps.*a list of maps"),
        (lambda a: credibility(None), "maps.*a list of maps"),
    ],
)
def test_invalid_arguments_raise(call, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call(FuzzyCognitiveMap(np.eye(2)))
