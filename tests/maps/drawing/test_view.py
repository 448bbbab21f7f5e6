"""Selection of the concepts and edges to draw."""

import json

import numpy as np
import pytest

from cogmap.maps.drawing.view import author_positions, edge_strength, graph_view


def pairs(view):
    return [(view["names"][edge["source"]], view["names"][edge["target"]]) for edge in view["edges"]]


def test_the_strongest_edges_are_drawn_strongest_first():
    """By absolute weight; self-loops do not count."""
    weights = np.array([[9.0, 0.1, 0.2], [-3.0, 9.0, 0.3], [2.0, -1.0, 9.0]])
    view = graph_view("abc", weights, n_edges=3)
    assert pairs(view) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [edge["weight"] for edge in view["edges"]] == [-3, 2, -1]
    assert [edge["strength"] for edge in view["edges"]] == pytest.approx([1, 2 / 3, 1 / 3])
    assert {ring["source"] for ring in view["rings"]} == {0, 1, 2}
    assert "strongest 3 of 6 influences" in view["note"]


def test_strength_on_data_is_the_flow():
    """A large weight without flow is not drawn; the color still follows the weight."""
    weights = np.array([[0, 5.0], [-0.1, 0]])
    view = graph_view("ab", weights, strength=np.array([[0, 0.0], [2.0, 0]]))
    assert pairs(view) == [("a", "b")]
    assert view["edges"][0]["weight"] == -0.1
    assert "influence on the data" in view["note"]


def test_every_output_counts_the_same_in_any_unit():
    """Scaling the flow to one output changes nothing; an output without flow is valid."""
    flow = np.random.default_rng(0).random((4, 4, 3))
    flow[:, :, 2] = 0.0
    np.testing.assert_allclose(edge_strength(flow), edge_strength(flow * [1.0, 1000.0, 1.0]))
    assert edge_strength(flow).sum() == pytest.approx(2)


def test_every_output_has_its_strongest_edge(learned_view):
    """Even if other edges are a hundred times stronger."""
    view = learned_view(20, 0, 6, seed=1, faint_output=True)
    moved = {view["names"][edge["target"]] for edge in view["edges"]}
    assert {name for name, kind in zip(view["names"], view["kinds"], strict=True) if kind == "output"} <= moved


def test_sparse_maps_are_drawn_completely_and_dense_ones_are_not(names_of):
    """A map with positions keeps all edges; a learned map has about as many as concepts."""
    rng = np.random.default_rng(0)
    sparse = np.zeros((12, 12))
    sparse[rng.integers(0, 12, 24), rng.integers(0, 12, 24)] = 1
    np.fill_diagonal(sparse, 0)
    assert len(graph_view(names_of(12), sparse)["edges"]) == np.count_nonzero(sparse)
    dense = rng.normal(size=(40, 40))
    assert len(graph_view(names_of(40), dense)["edges"]) == 48
    assert len(graph_view(names_of(40), dense, positions=rng.random((40, 2)))["edges"]) == 40 * 39


def test_concepts_with_only_weak_edges_are_listed_instead_of_drawn(learned_view, names_of):
    """Every concept has a box or is listed below."""
    view = learned_view(90, 0, 10)
    assert set(view["names"]) | set(view["left_out"]) == set(names_of(100))
    touched = {concept for edge in view["edges"] for concept in (edge["source"], edge["target"])}
    assert touched == set(range(len(view["names"])))
    small = learned_view(5, 0, 2)
    assert len(small["names"]) == 7


def test_huge_maps_are_reduced_to_their_strongest_concepts(learned_view):
    """At most 100, including all outputs; the number of missing ones is reported."""
    view = learned_view(780, 0, 12)
    assert len(view["names"]) <= 100
    assert view["kinds"].count("output") == 12
    assert len(view["names"]) + view["n_left_out"] == 792
    assert len(view["left_out"]) <= 100


def test_views_are_json_compatible(learned_view):
    """A view is unchanged by a JSON round trip."""
    for view in (learned_view(5, 2, 3), graph_view("ab", np.eye(2)[::-1], positions=np.zeros((2, 2)))):
        assert json.loads(json.dumps(view, allow_nan=False)) == view


@pytest.mark.parametrize("weights", [np.zeros((1, 1)), np.eye(3), np.zeros((4, 4))], ids=["one", "selves", "none"])
def test_a_map_without_edges_has_a_view(weights, names_of):
    """There is no division by zero."""
    view = graph_view(names_of(len(weights)), weights)
    assert view["edges"] == []
    assert len(view["names"]) == len(weights)


def test_some_concepts_may_lack_a_position():
    """They are placed below, at distinct positions; without any position there is no layout."""
    details = {"concepts": {"a": {"x": 0, "y": 10}, "b": {"x": 100, "y": 30}, "c": {"notes": "somewhere"}}}
    positions = author_positions(["a", "b", "c", "d"], details)
    np.testing.assert_array_equal(positions[:2], [[0, 10], [100, 30]])
    assert (positions[2:, 1] > 30).all()
    assert positions[2, 0] != positions[3, 0]
    assert author_positions(["a"], {"concepts": {"a": {"x": 1}}}) is None
    assert author_positions(["a"], {}) is None


def test_what_the_drawn_edges_carry_is_asked_only_if_some_are_missing(learned_view, small_view):
    """The callable gets the drawn edges and self-loops."""
    masks = []

    def carried(mask):
        masks.append(mask)
        return 0.874

    view = learned_view(10, 4, 2, carried=carried)
    assert masks[0].sum() == len(view["edges"]) + len(view["rings"])
    assert view["share"] == "Drawn influences alone reproduce its decisions with an R² of 0.87."
    assert small_view["share"] == ""
    assert "an R² below 0" in learned_view(10, 4, 2, carried=lambda mask: -3.0, n_edges=0)["share"]


@pytest.mark.parametrize(("target", "source"), [(0, 1), (1, 3), (3, 3)])
def test_a_map_with_an_arrow_back_is_not_layered(target, source):
    """Two features, one hidden concept, two outputs."""
    weights = np.zeros((5, 5))
    weights[2, :2] = weights[3:, 2] = 1.0
    kinds = ["feature"] * 2 + ["hidden"] + ["output"] * 2
    assert graph_view("abcde", weights, kinds)["small"]
    weights[target, source] = 1.0
    assert not graph_view("abcde", weights, kinds)["small"]
    assert not graph_view("abcde", weights)["small"]


def test_of_a_large_layered_map_the_strongest_150_arrows_are_drawn():
    """Two outputs of 90 features."""
    weights = np.zeros((92, 92))
    weights[90:, :90] = np.arange(1, 181).reshape(2, 90)
    view = graph_view([f"c{i}" for i in range(92)], weights, ["feature"] * 90 + ["output"] * 2, carried=lambda _: 0.99)
    assert not view["small"]
    assert sorted(edge["weight"] for edge in view["edges"]) == list(range(31, 181))
    assert "an R² of 0.99" in view["share"]


def test_an_arrow_without_flow_is_drawn_in_a_small_map():
    """All of it is drawn, whatever the data."""
    weights = np.array([[0, 0, 0], [0, 0, 0], [1.0, 2.0, 0]])
    view = graph_view("abc", weights, ["feature", "feature", "output"], strength=np.diag([0.0, 0, 1])[[0, 2, 1]])
    assert len(view["edges"]) == 2
