"""Pruned maps keep the edges with the largest flow, on paths from features to outputs, and are refitted."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, influence, load, prune, pruning_curve
from cogmap.explanation.pruning import _on_paths, _strongest


@pytest.mark.parametrize("keep", [1.0, 0.3, 0.1, 0.02, 1e-6])
@pytest.mark.parametrize("name", ["iris", "wine", "diabetes"])
def test_at_most_the_requested_edges_are_kept(learned, name, keep):
    """All others are exactly 0, and kept ones are strong; even the smallest map has a path."""
    fcm, X, y = learned(name, "full")
    pruned = prune(fcm, X, y, keep)
    kept = pruned.map_.weights != 0.0
    assert kept.sum() <= max(round(keep * fcm.map_.weights.size), 2 * fcm.depth_)  # a way at least
    assert np.ptp(pruned.predict(X)) > 0  # features still reach the outputs
    seen, seen_before = (_visible(each) for each in (pruned, fcm))
    assert [pruned.map_.concepts[i] for i in seen] == [fcm.map_.concepts[i] for i in seen_before]
    flow = influence(fcm, X).flow.sum(axis=2)
    if keep >= 0.1:
        of_kept = flow[np.ix_(seen_before, seen_before)][kept[np.ix_(seen, seen)]]
        assert of_kept.mean() > flow.mean() or keep == 1.0


def _visible(fcm):
    """Return the indices of the features and outputs."""
    n_features, n_hidden = fcm.n_features_in_, fcm.n_hidden_
    return [*range(n_features), *range(n_features + n_hidden, fcm.map_.n_concepts)]


@pytest.mark.parametrize(("name", "keep"), [("iris", 0.25), ("wine", 0.1), ("breast cancer", 0.1)])
def test_a_tenth_of_the_edges_keeps_most_of_the_accuracy(learned, name, keep):
    """On the training rows, 95 % of the accuracy."""
    fcm, X, y = learned(name, "full")
    assert prune(fcm, X, y, keep).score(X, y) >= 0.95 * fcm.score(X, y)


def test_the_given_estimator_is_not_changed_and_its_settings_are_kept(learned):
    """The result is a new estimator with the same parameters, except for the edges and resolved values."""
    _, X, y = learned("wine", "full")
    fcm = FCMClassifier(structure="full", alpha=0.5, slope=1.5, random_state=3).fit(X, y)
    weights = fcm.map_.weights.copy()
    pruned = prune(fcm, X, y)
    assert pruned is not fcm
    np.testing.assert_array_equal(fcm.map_.weights, weights)
    assert fcm.edges is None
    changed = {name for name, value in pruned.get_params().items() if value is not fcm.get_params()[name]}
    assert changed == {"edges", "depth", "n_hidden"}
    assert pruned.depth_ == fcm.depth_


def test_expert_constraints_still_hold(learned):
    """Kept edges keep their signs and ranges; required edges are kept, however small their flow."""
    _, X, y = learned("iris", "full")
    petals, sepal = ["petal length (cm)", "petal width (cm)"], "sepal width (cm)"
    edges = {(petal, f"class={k}"): sign for petal in petals for k, sign in enumerate("-++")} | {
        (sepal, "class=1"): (0.01, 0.02)
    }
    fcm = FCMClassifier(edges=edges, random_state=0).fit(X, y)
    pruned = prune(fcm, X, y, keep=0.4)
    names = pruned.map_.concepts
    weights = {edge: pruned.map_.weights[names.index(edge[1]), names.index(edge[0])] for edge in edges}
    assert 0.01 <= weights.pop((sepal, "class=1")) <= 0.02
    assert any(weights.values())
    for edge, weight in weights.items():
        assert weight <= 0.0 if edges[edge] == "-" else weight >= 0.0
    assert np.count_nonzero(pruned.map_.weights) < np.count_nonzero(fcm.map_.weights)


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_hidden_concepts_without_edges_are_removed(learned, name):
    """Hidden concepts with an edge are kept."""
    fcm, X, y = learned(name, "full")
    pruned = prune(fcm, X, y, keep=0.1)
    edges = pruned.edges
    assert edges.shape == (pruned.map_.n_concepts,) * 2
    hidden = slice(pruned.n_features_in_, pruned.n_features_in_ + pruned.n_hidden_)
    assert (edges.any(axis=0) | edges.any(axis=1))[hidden].all()
    assert 0 < pruned.n_hidden_ < fcm.n_hidden_
    assert pruned.score(X, y) > (0.9 if name == "iris" else 0.4)


def test_hidden_concepts_of_a_given_map_are_kept(learned):
    """The map in `init` names all concepts."""
    fcm, X, y = learned("iris", "full")
    again = FCMClassifier(init=fcm.map_, random_state=0).fit(X, y)
    assert prune(again, X, y, keep=0.1).map_.concepts == fcm.map_.concepts


@pytest.mark.parametrize("seed", range(3))
def test_the_depth_that_was_chosen_is_kept(learned, seed):
    """FCMClassifierCV chooses no other depth for the pruned map."""
    _, X, y = learned("iris", "full")
    fcm = FCMClassifierCV(depths=(1, 2, 3), alphas=(0.2,), terms=None, random_state=seed).fit(X, y)
    pruned = prune(fcm, X, y, keep=0.3)
    assert type(pruned) is FCMClassifierCV
    assert pruned.depth_ == fcm.depth_
    assert np.count_nonzero(pruned.map_.weights) <= round(0.3 * np.count_nonzero(fcm.map_.weights))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_edges_on_paths_agree_with_powers_of_the_adjacency_matrix(depth):
    """An edge is on a path if, at some step, a feature reaches its source and its target reaches an output."""
    kinds = ("feature",) * 3 + ("hidden",) * 3 + ("output",) * 2
    for seed in range(20):
        edges = np.random.default_rng(seed).random((8, 8)) < 0.2
        expected = np.zeros_like(edges)
        for i, j in zip(*np.nonzero(edges), strict=True):
            for t in range(depth):
                before = np.linalg.matrix_power(edges.astype(int), t)[j, :3].any()
                after = np.linalg.matrix_power(edges.astype(int), depth - 1 - t)[6:, i].any()
                expected[i, j] |= before and after
        np.testing.assert_array_equal(_on_paths(edges, kinds, depth), expected)


def test_the_curve(learned):
    """Folds times sizes, the full map first; the smallest map scores worse; every row is held out once."""
    _, X, y = learned("iris", "full")
    fcm = FCMClassifier(structure="full", random_state=0)
    curve = pruning_curve(fcm, X, y, keep=[1e-6, 0.25], n_folds=3)
    assert curve.keep.tolist() == [1.0, 0.25, 1e-6]
    assert curve.scores.shape == (3, 3)
    assert curve.n_edges[1] <= 0.25 * curve.n_edges[0] + 1
    assert curve.mean_scores[0] > 0.9
    assert curve.mean_scores[0] > curve.mean_scores[2]
    np.testing.assert_array_equal(curve.full_scores, curve.scores[:, 0])
    assert curve.smallest(0.99) in (1.0, 0.25)
    assert curve.smallest(0.1) == 1e-6
    table = curve.to_frame()
    assert list(table.columns) == ["keep", "edges", "accuracy", "std"]
    assert json.loads(curve.to_json())["metric"] == "accuracy"
    assert len(repr(curve).splitlines()) == 5


def test_the_curve_takes_tables_of_all_kinds_and_values(learned):
    """Data frames keep their column names; regressors are scored by R²."""
    _, X, y = learned("diabetes", "full")
    edges = [(name, "target") for name in X.columns] + [(name, name) for name in X.columns]
    estimator = FCMRegressor(edges=edges, random_state=0)
    curves = [
        pruning_curve(estimator, *table, keep=[0.5], n_folds=2)
        for table in ((X, y), (pl.from_pandas(X), pl.from_pandas(y)))
    ]
    assert curves[0].metric == "R²"
    np.testing.assert_array_equal(curves[0].scores, curves[1].scores)


def test_a_held_feature_reaches_an_output_late(named_model, named_rows):
    """An arrow from a held feature to an output lies on a path of any depth, and holding is no edge."""
    model = named_model("softmax", depth=4)
    influences = influence(model, named_rows)
    holding = model.map.step_matrix != model.map.weights
    kept = _strongest(influences, model.depth, 1.0, holding)
    np.testing.assert_array_equal(kept, model.map.weights != 0.0)
    few = _strongest(influences, model.depth, 0.1, holding)
    assert 1 <= few.sum() <= round(0.1 * np.count_nonzero(model.map.weights))
    assert not few[holding].any()


@pytest.mark.parametrize("structure", ["additive", "named"])
def test_small_maps_are_refitted_with_fewer_arrows(structure, wine):
    """The structure stays, features stay held, and the score is nearly that of the larger map."""
    X, y = wine
    full = FCMClassifier(structure=structure, random_state=0).fit(X, y)
    small = prune(full, X, y, keep=0.5)
    assert small.structure_ in ("additive", full.structure_)
    assert 3 <= small.map_.n_arrows <= round(0.5 * full.map_.n_arrows)
    assert small.map_.held == small.map_.concepts[: small.model_.n_inputs]
    assert small.score(X, y) > 0.95
    assert full.max_arrows is None


def test_a_model_of_the_first_version_is_pruned(iris):
    """Its file does not say which structure was chosen: there was only one."""
    fcm = load(Path(__file__).parents[1] / "data" / "model-1.cogmap")
    sparse = prune(fcm, *iris, keep=0.3)
    assert sparse.structure_ == "full"
    assert sparse.map_.n_arrows < 0.4 * fcm.map_.n_arrows
