"""Indices, feedback loops, distances and communities against formulas, networkx and brute force."""

import itertools
import json
import os
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.integrations.networkx import communities, to_networkx
from cogmap.maps.formats import read_map
from cogmap.maps.indices import distance, indices, similarity, similarity_matrix
from cogmap.maps.loops import feedback_loops

MAPS = Path(os.environ.get("COGMAP_MAPS") or Path(__file__).parents[3] / "shared" / "maps")


def sparse_map(seed, n=6, share=0.4, loops=True):
    rng = np.random.default_rng(seed)
    W = rng.uniform(-1, 1, (n, n)) * (rng.random((n, n)) < share)
    return FuzzyCognitiveMap(W if loops else W * (1 - np.eye(n)))


@pytest.mark.skipif(not MAPS.is_dir(), reason="the folder with maps of others is not here (COGMAP_MAPS names it)")
@pytest.mark.parametrize("name", ["mm_ozesmi_wetland.mmp", "mm_suite_ozesmi.json", "fsdm_ozesmi_relations.json"])
def test_the_wetland_of_ozesmi(name):
    """As published: 5 concepts, 11 edges, 1 transmitter, 1 receiver, 3 ordinary concepts."""
    result = indices(read_map(MAPS / name))
    assert (len(result.concepts), result.n_edges) == (5, 11)
    assert [result.number_of(kind) for kind in ("transmitter", "receiver", "ordinary", "isolated")] == [1, 1, 3, 0]
    assert result.complexity == 1.0
    assert result.density == 11 / 20


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_degrees_are_those_of_networkx(seed, loops):
    """The sum of absolute weights; also the density of a graph without loops."""
    fcm = sparse_map(seed, loops=loops)
    graph = to_networkx(fcm.replace(weights=np.abs(fcm.weights)))
    result = indices(fcm)
    np.testing.assert_allclose(result.indegree, [graph.in_degree(name, "weight") for name in fcm.concepts])
    np.testing.assert_allclose(result.outdegree, [graph.out_degree(name, "weight") for name in fcm.concepts])
    np.testing.assert_allclose(result.centrality, result.indegree + result.outdegree)
    if not loops:
        assert result.density == pytest.approx(nx.density(graph))
    for name, kind in zip(fcm.concepts, result.kinds, strict=True):
        expected = {(0, 1): "transmitter", (1, 0): "receiver", (1, 1): "ordinary", (0, 0): "isolated"}
        assert kind == expected[graph.in_degree(name) > 0, graph.out_degree(name) > 0]


def test_hierarchy_ranges_from_0_to_1():
    """0 in a ring with equal weights, 1 where each concept influences all later ones."""
    assert indices(FuzzyCognitiveMap(np.roll(np.eye(7), 1, axis=0))).hierarchy == pytest.approx(0)
    assert indices(FuzzyCognitiveMap(np.tril(np.ones((7, 7)), -1))).hierarchy == pytest.approx(1)


def test_indices_of_minimal_maps():
    """No edges, no transmitters, one concept: finite numbers, or None if undefined."""
    alone = indices(FuzzyCognitiveMap([[0.0]]))
    assert (alone.n_edges, alone.density, alone.complexity, alone.hierarchy) == (0, 0, None, 0)
    assert alone.kinds == ("isolated",)
    assert indices(FuzzyCognitiveMap([[0.5]])).density == 1
    assert "complexity none" in repr(indices(FuzzyCognitiveMap([[0, 1], [1, 0]])))


def test_indices_as_tables_and_json():
    """The same numbers everywhere; the most central concept is shown first."""
    fcm = sparse_map(3)
    result = indices(fcm)
    np.testing.assert_array_equal(result.to_frame()["centrality"], result.centrality)
    assert json.loads(json.dumps(result.to_dict()))["outdegree"] == result.outdegree.tolist()
    assert repr(result).splitlines()[3].split()[0] == fcm.concepts[int(result.centrality.argmax())]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.2, 0.5, 1.0]))
def test_loops_are_those_of_networkx(seed, n, share):
    """Each once, with the product of its weights; the search reports that it is complete."""
    fcm = sparse_map(seed, n, share)
    result = feedback_loops(fcm)
    graph = to_networkx(fcm)
    expected = {}
    for cycle in nx.simple_cycles(graph):
        first = min(range(len(cycle)), key=lambda i: int(cycle[i][1:]))
        turned = tuple(cycle[first:] + cycle[:first])
        expected[turned] = np.prod(
            [graph[a][b]["weight"] for a, b in zip(turned, turned[1:] + turned[:1], strict=True)]
        )
    assert {loop.concepts: pytest.approx(loop.gain) for loop in result.loops} == expected
    assert result.complete
    strengths = [loop.strength for loop in result.loops]
    assert strengths == sorted(strengths, reverse=True)
    assert all(loop.sign == np.sign(loop.gain) for loop in result.loops)


def test_the_search_for_loops_is_bounded():
    """A full map of 40 concepts has too many loops: the search ends and reports the complete length."""
    full = FuzzyCognitiveMap(np.ones((40, 40)) - np.eye(40))
    result = feedback_loops(full)
    assert len(result.loops) == 10_000
    assert not result.complete
    assert sum(len(loop.concepts) == 2 for loop in result.loops) == 40 * 39 / 2
    assert result.complete_to == 2
    assert "there may be longer ones" in result.sentence
    assert len(repr(result).splitlines()) == 12
    short = feedback_loops(full, max_length=2)
    assert (len(short.loops), short.complete_to, short.complete) == (780, 2, False)
    assert len(feedback_loops(full, max_loops=5).loops) == 5


def test_a_map_without_loops_has_none():
    """The search is complete after length 1."""
    result = feedback_loops(FuzzyCognitiveMap(np.tril(np.ones((30, 30)), -1)))
    assert (result.loops, result.complete) == ((), True)


def written_out_distance(a, b):
    """Markóczy and Goldberg with alpha = 1 without loops, gamma = 1, delta = 0, epsilon = 2, pair by pair."""
    full = max(1.0, np.abs(a.weights).max(), np.abs(b.weights).max())
    loops = np.diag(a.weights).any() or np.diag(b.weights).any()
    total = largest = 0.0
    for i, j in itertools.product(dict.fromkeys(a.concepts + b.concepts), repeat=2):
        if i == j and not loops:
            continue
        inside = [i in fcm.concepts and j in fcm.concepts for fcm in (a, b)]
        weight = [
            fcm.weights[fcm.concepts.index(i), fcm.concepts.index(j)] if is_present else 0.0
            for fcm, is_present in zip((a, b), inside, strict=True)
        ]
        if all(inside):
            total, largest = total + abs(weight[0] - weight[1]), largest + 2 * full
        elif any(inside):
            total, largest = total + full * any(weight), largest + full
    return total / largest if largest else 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 3), st.booleans())
def test_distance_is_the_published_ratio(seed, shift, loops):
    """Also for maps that share only some concepts; it is symmetric, 0 for equal maps, and at most 1."""
    a = sparse_map(seed, 4, loops=loops).replace(concepts=["a", "b", "c", "d"])
    b = sparse_map(seed + 1, 4, loops=loops).replace(concepts=["abcdefg"[i + shift] for i in range(4)])
    assert distance(a, b) == pytest.approx(written_out_distance(a, b))
    assert distance(a, b) == pytest.approx(distance(b, a))
    assert distance(a, a) == 0
    assert 0 <= distance(a, b) <= 1


def test_distance_reaches_0_and_1():
    """Opposite full weights have distance 1; the order of concepts does not matter."""
    full = FuzzyCognitiveMap(np.ones((3, 3)) - np.eye(3), concepts=["a", "b", "c"])
    assert distance(full, full.replace(weights=-full.weights)) == 1
    fcm = sparse_map(0).replace(concepts=list("abcdef"))
    order = [3, 1, 5, 0, 2, 4]
    turned = FuzzyCognitiveMap(fcm.weights[np.ix_(order, order)], concepts=["abcdef"[i] for i in order])
    assert distance(fcm, turned) == 0
    assert similarity(fcm, turned) == pytest.approx(1)


def test_similarity_is_the_cosine():
    """1 for a multiple, -1 for the opposite, 0 without common edges, otherwise the formula."""
    a, b = sparse_map(0), sparse_map(1)
    assert similarity(a, a.replace(weights=3 * a.weights)) == pytest.approx(1)
    assert similarity(a, a.replace(weights=-a.weights)) == pytest.approx(-1)
    cosine = (a.weights * b.weights).sum() / np.linalg.norm(a.weights) / np.linalg.norm(b.weights)
    assert similarity(a, b) == pytest.approx(cosine)
    assert similarity(a, a.replace(concepts=[f"D{i}" for i in range(6)])) == 0
    empty = FuzzyCognitiveMap(np.zeros((2, 2)))
    assert (similarity(empty, empty), similarity(empty, a)) == (1, 0)
    assert similarity(a.replace(weights=1e200 * a.weights), a) == pytest.approx(1)
    np.testing.assert_allclose(similarity_matrix([a, b, a]), [[1, cosine, 1], [cosine, 1, cosine], [1, cosine, 1]])


def test_communities_are_the_blocks_of_a_map():
    """Two groups with a weak edge between them are found, whatever the signs and directions."""
    W = np.zeros((7, 7))
    W[:4, :4] = np.triu(np.ones((4, 4)), 1) * [1, -1, 1, -1]
    W[4:, 4:] = np.tril(np.ones((3, 3)), -1)
    W[0, 6] = 0.05
    assert communities(FuzzyCognitiveMap(W)) == (("C1", "C2", "C3", "C4"), ("C5", "C6", "C7"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fcm: indices(np.eye(2)), "fcm.*a FuzzyCognitiveMap"),
        (lambda fcm: distance(fcm, None), "b=.*a FuzzyCognitiveMap, got None"),
        (lambda fcm: similarity("map", fcm), "a=.*a FuzzyCognitiveMap, got 'map'"),
        (lambda fcm: similarity_matrix([fcm, 1]), "maps=.*a FuzzyCognitiveMap, got 1"),
        (lambda fcm: feedback_loops(fcm, max_length=0), "max_length.*integer >= 1"),
        (lambda fcm: feedback_loops(fcm, max_loops=1.5), "max_loops.*integer >= 1"),
        (lambda fcm: communities(fcm, seed="x"), "seed.*integer >= 0"),
    ],
)
def test_invalid_arguments_raise(call, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call(FuzzyCognitiveMap(np.eye(2)))
