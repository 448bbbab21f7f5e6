"""What a picture of a map shows: the strongest influences, and whose they are."""

import json

import numpy as np
import pytest

from cogmap.maps.drawing.view import author_positions, edge_strength, graph_view


def pairs(view):
    return [(view["names"][edge["source"]], view["names"][edge["target"]]) for edge in view["edges"]]


def test_the_strongest_influences_are_drawn_strongest_first():
    """By the size of the weight, whatever its sign; influences on oneself do not count."""
    weights = np.array([[9.0, 0.1, 0.2], [-3.0, 9.0, 0.3], [2.0, -1.0, 9.0]])
    view = graph_view("abc", weights, n_edges=3)
    assert pairs(view) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [edge["weight"] for edge in view["edges"]] == [-3, 2, -1]
    assert [edge["strength"] for edge in view["edges"]] == pytest.approx([1, 2 / 3, 1 / 3])
    assert {ring["source"] for ring in view["rings"]} == {0, 1, 2}
    assert "strongest 3 of 6 influences" in view["note"]


def test_on_data_strength_is_what_an_influence_carries():
    """A large weight that carries nothing gives way; colour still follows the weight."""
    weights = np.array([[0, 5.0], [-0.1, 0]])
    view = graph_view("ab", weights, strength=np.array([[0, 0.0], [2.0, 0]]))
    assert pairs(view) == [("a", "b")]
    assert view["edges"][0]["weight"] == -0.1
    assert "influence on the data" in view["note"]


def test_every_output_counts_the_same_whatever_its_unit():
    """A thousand times the flow to one output changes nothing; an output that nothing reaches is no trouble."""
    flow = np.random.default_rng(0).random((4, 4, 3))
    flow[:, :, 2] = 0.0
    np.testing.assert_allclose(edge_strength(flow), edge_strength(flow * [1.0, 1000.0, 1.0]))
    assert edge_strength(flow).sum() == pytest.approx(2)


def test_no_output_is_left_without_its_strongest_influence(learned_view):
    """Even if others are a hundred times stronger."""
    view = learned_view(20, 0, 6, seed=1, faint_output=True)
    moved = {view["names"][edge["target"]] for edge in view["edges"]}
    assert {name for name, kind in zip(view["names"], view["kinds"], strict=True) if kind == "output"} <= moved


def test_a_sparse_map_is_drawn_whole_and_a_dense_one_not(names_of):
    """All that an author drew is there; of a learned map about as many influences as concepts."""
    rng = np.random.default_rng(0)
    sparse = np.zeros((12, 12))
    sparse[rng.integers(0, 12, 24), rng.integers(0, 12, 24)] = 1
    np.fill_diagonal(sparse, 0)
    assert len(graph_view(names_of(12), sparse)["edges"]) == np.count_nonzero(sparse)
    dense = rng.normal(size=(40, 40))
    assert len(graph_view(names_of(40), dense)["edges"]) == 48
    assert len(graph_view(names_of(40), dense, positions=rng.random((40, 2)))["edges"]) == 40 * 39


def test_concepts_of_a_large_map_with_weak_influences_only_are_named_instead_of_drawn(learned_view, names_of):
    """None is lost: it has a box, or its name stands below."""
    view = learned_view(90, 0, 10)
    assert set(view["names"]) | set(view["left_out"]) == set(names_of(100))
    touched = {concept for edge in view["edges"] for concept in (edge["source"], edge["target"])}
    assert touched == set(range(len(view["names"])))
    small = learned_view(5, 0, 2)
    assert len(small["names"]) == 7


def test_a_huge_map_is_cut_to_its_strongest_concepts(learned_view):
    """At most a hundred, all outputs among them, and how many are missing is known."""
    view = learned_view(780, 0, 12)
    assert len(view["names"]) <= 100
    assert view["kinds"].count("output") == 12
    assert len(view["names"]) + view["n_left_out"] == 792
    assert len(view["left_out"]) <= 100


def test_a_view_can_be_kept_in_a_file(learned_view):
    """It is plain numbers and words, and comes back from JSON as it was."""
    for view in (learned_view(5, 2, 3), graph_view("ab", np.eye(2)[::-1], positions=np.zeros((2, 2)))):
        assert json.loads(json.dumps(view, allow_nan=False)) == view


@pytest.mark.parametrize("weights", [np.zeros((1, 1)), np.eye(3), np.zeros((4, 4))], ids=["one", "selves", "none"])
def test_a_map_without_influences_has_a_view(weights, names_of):
    """There is nothing to divide by."""
    view = graph_view(names_of(len(weights)), weights)
    assert view["edges"] == []
    assert len(view["names"]) == len(weights)


def test_an_author_may_place_some_concepts_only():
    """The others come below, apart from each other; without any place there is no layout."""
    said = {"concepts": {"a": {"x": 0, "y": 10}, "b": {"x": 100, "y": 30}, "c": {"notes": "somewhere"}}}
    positions = author_positions(["a", "b", "c", "d"], said)
    np.testing.assert_array_equal(positions[:2], [[0, 10], [100, 30]])
    assert (positions[2:, 1] > 30).all()
    assert positions[2, 0] != positions[3, 0]
    assert author_positions(["a"], {"concepts": {"a": {"x": 1}}}) is None
    assert author_positions(["a"], {}) is None
