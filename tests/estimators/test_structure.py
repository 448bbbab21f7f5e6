"""Additive and named maps: what they contain, what they predict, and which parameters they take."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap, explain, load, save
from cogmap.exceptions import ParameterError
from cogmap.maps.drawing.view import graph_view


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def named(iris):
    return FCMClassifier(structure="named", random_state=0).fit(*iris)


def test_hidden_concepts_have_names_and_at_most_three_inputs(named):
    model = named.model_
    hidden = slice(model.n_inputs, model.n_inputs + model.n_hidden)
    assert named.structure_ == "named"
    assert model.n_hidden > 0
    assert not any(name.startswith("hidden") for name in named.map_.concepts[hidden])
    inputs = np.count_nonzero(named.map_.weights[hidden], axis=1)
    assert inputs.min() >= 1
    assert inputs.max() <= 3
    assert len(set(named.map_.concepts)) == named.map_.n_concepts


def test_transformed_columns_are_the_concepts(named, iris):
    assert tuple(named.get_feature_names_out()) == named.map_.concepts
    assert named.transform(iris[0]).shape == (150, named.map_.n_concepts)


def test_features_are_held_and_nothing_is_dead(named, iris):
    model = named.model_
    assert named.map_.held == named.map_.concepts[: model.n_inputs]
    trajectory = model.trajectory(iris[0].to_numpy())
    assert (trajectory[:, :, : model.n_inputs] == trajectory[0, :, : model.n_inputs]).all()
    weights = named.map_.weights
    influences = (weights != 0).any(axis=0)
    assert influences[: -model.n_outputs].all()


def test_additive_map_has_no_hidden_concepts(iris):
    fcm = FCMClassifier(structure="additive", random_state=0).fit(*iris)
    assert fcm.structure_ == "additive"
    assert fcm.n_hidden_ == 0
    assert fcm.depth_ == 1
    assert fcm.score(*iris) > 0.9


@pytest.mark.parametrize("structure", ["named", "additive"])
def test_max_arrows_limits_the_map(structure):
    X, y = load_breast_cancer(return_X_y=True)
    fcm = FCMClassifier(structure=structure, max_arrows=12, random_state=0).fit(X, y)
    assert fcm.map_.n_arrows <= 12
    assert fcm.score(X, y) > 0.9


def test_named_map_separates_moons():
    X, y = make_moons(300, noise=0.15, random_state=0)
    assert cross_val_score(FCMClassifier(structure="named", random_state=0), X, y, cv=3).mean() > 0.95
    assert cross_val_score(FCMClassifier(structure="additive", random_state=0), X, y, cv=3).mean() < 0.92


def test_named_regression_beats_the_mean_clearly():
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(FCMRegressor(structure="named", random_state=0), X, y, cv=3).mean() > 0.38


def test_several_targets():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, X[:, 2]])
    fcm = FCMRegressor(structure="named", random_state=0).fit(X, Y)
    assert fcm.predict(X).shape == Y.shape
    assert fcm.score(X, Y) > 0.6


def test_selection_lists_sizes_and_losses(named):
    selection = named.selection_
    n_sizes = len(selection["loss"])
    assert n_sizes == len(selection["arrows"]) == len(selection["structure"]) == len(selection["standard_error"])
    assert selection["arrows"] == sorted(selection["arrows"], reverse=True)
    best, chosen = min(selection["loss"]), selection["loss"][selection["selected"]]
    assert best <= chosen <= 1.03 * best + 0.01
    assert len(named.teacher_losses_) == 5


def test_the_map_depends_neither_on_the_seed_nor_on_the_order_of_rows(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(len(y))
    first = FCMClassifier(structure="named", random_state=0).fit(X, y)
    second = FCMClassifier(structure="named", random_state=1).fit(X.iloc[order], y.iloc[order])
    assert first.map_ == second.map_


def test_combinations_of_steps_are_found_and_drawn_in_a_column_of_their_own():
    X = np.random.RandomState(0).uniform(size=(400, 3))
    y = (X[:, 0] > 0.5) & (X[:, 1] < 0.6)
    fcm = FCMClassifier(random_state=0).fit(X, y)
    assert fcm.score(X, y) > 0.99
    assert fcm.model_.depth == 3
    view = graph_view(fcm.map_.concepts, fcm.map_.weights, fcm.model_.kinds)
    assert view["headings"] == ["features", "steps and combinations", "combinations of these", "outputs"]
    assert len(view["edges"]) == fcm.map_.n_arrows
    combined = [name for name, column in zip(view["names"], view["columns"], strict=True) if column == 2]
    assert any(re.fullmatch(r"x0 > 0\.[45]\d* and x1 < 0\.[56]\d*", name) for name in combined)


def test_a_weight_of_two_is_a_repeated_row(iris):
    X, y = iris
    weight = np.ones(len(y))
    weight[::7] = 2.0
    fcm = FCMClassifier(structure="named", random_state=0)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = clone(fcm).fit(X, y, sample_weight=weight)
    assert weighted.map_ == clone(fcm).fit(X.iloc[twice], y.iloc[twice]).map_


def test_missing_values_are_undecided():
    X, y = load_breast_cancer(return_X_y=True)
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    fcm = FCMClassifier(structure="named", random_state=0).fit(X, y)
    assert fcm.score(X, y) > 0.95


def test_monotonic_constraints_hold():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :8]
    fcm = FCMClassifier(structure="named", monotonic_cst=[-1, 0, 0, 0, 0, 1, 0, 0], random_state=0).fit(X, y)
    step = X.std(axis=0)
    for j, sign in ((0, -1), (5, 1)):
        more = X.copy()
        more[:, j] += step[j]
        change = fcm.predict_proba(more)[:, 1] - fcm.predict_proba(X)[:, 1]
        assert (sign * change >= -1e-12).all()


def test_a_map_of_constrained_features_only_is_additive():
    X, y = load_breast_cancer(return_X_y=True)
    fcm = FCMClassifier(structure="named", monotonic_cst=[-1, -1, -1], random_state=0).fit(X[:, :3], y)
    assert fcm.structure_ == "additive"
    assert (fcm.map_.weights[-1] <= 0.0).all()


def test_terms_are_inputs_of_an_additive_map(iris):
    fcm = FCMClassifier(structure="additive", terms=3, random_state=0).fit(*iris)
    assert "petal width (cm) is high" in fcm.map_.concepts
    assert fcm.score(*iris) > 0.93


def test_direct_arrows_have_the_sign_of_their_effect():
    X, y = load_diabetes(return_X_y=True)
    fcm = FCMRegressor(structure="named", random_state=0).fit(X, y)
    model = fcm.model_
    effects = (model.derivative(X)[:, 0] * X.std(axis=0)).mean(axis=0)[model.encoding.columns]
    arrows = fcm.map_.weights[-1, : model.n_inputs]
    drawn = arrows != 0
    assert drawn.sum() >= 3
    right = np.sign(arrows[drawn]) == np.sign(effects[drawn])
    assert (np.abs(effects[drawn]) * right).sum() / np.abs(effects[drawn]).sum() > 0.95


def test_steps_of_a_feature_have_the_sign_of_its_effect():
    """Where the effect has one sign for most rows: rules about one column do not contradict each other."""
    X, y = make_friedman1(400, random_state=0)
    model = FCMRegressor(random_state=0).fit(X, y + 5.0 * (X[:, 0] > 0.6) - 5.0 * (X[:, 3] > 0.4)).model_
    derivative = model.derivative(X)[:, 0]
    effects, W, n = derivative.mean(axis=0), model.map.weights, model.n_inputs
    is_steady = np.abs(effects) > 0.7 * np.abs(derivative).mean(axis=0)
    used = model.encoding.used
    n_steps = 0
    for concept in range(n, n + model.n_hidden):
        sources = np.flatnonzero(W[concept])
        if len(sources) == 1 and sources[0] < n and W[-1, concept] and is_steady[used[sources[0]]]:
            assert np.sign(W[concept, sources[0]] * W[-1, concept]) == np.sign(effects[used[sources[0]]])
            n_steps += 1
    assert n_steps


def test_explanations_add_up(named, iris):
    X = iris[0]
    answer = explain(named, X.iloc[[0, 60, 120]])
    assert np.isfinite(answer.contributions).all()


def test_saved_maps_predict_the_same(named, iris, tmp_path):
    path = tmp_path / "iris.cogmap"
    save(named, path)
    again = load(path)
    assert (again.predict_proba(iris[0]) == named.predict_proba(iris[0])).all()
    assert again.map_ == named.map_
    assert again.map_.held == named.map_.held


CONTRADICTIONS = {
    "n_hidden": 5,
    "depth": 3,
    "edges": [("sepal length (cm)", "class=0")],
    "weight_bounds": (-1, 1),
    "prior": None,
    "init": "uniform",
    "l1_ratio": 0.5,
    "early_stopping": True,
    "solver": "adam",
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
@pytest.mark.parametrize("structure", ["named", "additive"])
def test_contradictions_are_named(structure, name, iris):
    with pytest.raises(ParameterError, match=f"{name}=.*structure={structure!r}"):
        FCMClassifier(structure=structure, **{name: CONTRADICTIONS[name]}).fit(*iris)


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_auto_follows_parameters_of_full_maps(name, iris):
    fcm = FCMClassifier(structure="auto", random_state=0, **({"max_iter": 10} | {name: CONTRADICTIONS[name]}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of ten iterations
        assert fcm.fit(*iris).structure_ == "full"


def test_auto_is_full_for_an_expert(iris):
    expert = FuzzyCognitiveMap.from_edges([("petal width (cm)", "class=2", 1.0)])
    assert FCMClassifier(structure="auto", prior=expert, random_state=0).fit(*iris).structure_ == "full"


def test_auto_is_full_for_few_rows_and_many_columns(iris):
    X, y = iris
    assert FCMClassifier(structure="auto", random_state=0).fit(X[45:60], y[45:60]).structure_ == "full"
    wide = np.random.default_rng(0).normal(size=(60, 120))
    assert FCMClassifier(structure="auto", random_state=0).fit(wide, wide[:, 0] > 0).structure_ == "full"


def test_named_takes_many_columns():
    wide = np.random.default_rng(0).normal(size=(200, 500))
    y = (wide[:, 3] > 0).astype(int)
    fcm = FCMClassifier(structure="named", random_state=0).fit(wide, y)
    assert fcm.map_.n_arrows <= 400
    assert fcm.feature_importances_.argmax() == 3


def test_max_arrows_asks_for_a_small_map_of_many_rows():
    """Without a limit, "auto" learns a full map from 3,000 rows on."""
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    fcm = FCMClassifier(max_arrows=5, random_state=0).fit(rows, rows[:, 0] > 0)
    assert fcm.structure_ != "full"
    assert fcm.map_.n_arrows <= 5


@pytest.mark.parametrize("needs_full", [{"structure": "full"}, {"n_hidden": 2}, {"solver": "adam"}, {"prior": None}])
def test_max_arrows_of_a_full_map(iris, needs_full):
    with pytest.raises(ParameterError, match=r"max_arrows=.*must be None for a full map, got 12\. structure='named'"):
        FCMClassifier(max_arrows=12, **needs_full).fit(*iris)


def test_max_arrows_below_the_number_of_outputs(iris):
    with pytest.raises(ParameterError, match=r"max_arrows=.*at least 3.*got 2"):
        FCMClassifier(structure="named", max_arrows=2).fit(*iris)


def test_warm_start_needs_a_full_map(iris):
    fcm = FCMClassifier(structure="named", warm_start=True, random_state=0).fit(*iris)
    with pytest.raises(ParameterError, match="warm_start"):
        fcm.fit(*iris)


def test_a_feature_with_two_values_has_no_steps():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (200, 4)).astype(float)
    y = ((X[:, 0] != X[:, 1]) ^ (random.random(200) < 0.05)).astype(int)
    fcm = FCMClassifier(structure="named", random_state=0).fit(X, y)
    assert fcm.score(X, y) > 0.9
    assert not any(">" in name or "<" in name for name in fcm.map_.concepts)


def test_constant_features_have_no_concept():
    X = np.column_stack([np.ones(40), np.linspace(0, 1, 40)])
    fcm = FCMClassifier(structure="named", random_state=0).fit(X, np.arange(40) // 20)
    assert "x0" not in fcm.map_.concepts
    nothing = FCMClassifier(structure="named", random_state=0).fit(np.ones((30, 2)), np.arange(30) % 2)
    assert nothing.map_.n_arrows == 0
    np.testing.assert_allclose(nothing.predict_proba(np.ones((1, 2))), 0.5, atol=0.01)


def test_few_iterations_are_reported(iris):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        FCMClassifier(structure="named", max_iter=3, random_state=0).fit(*iris)


def test_chunks_give_the_same_map(iris):
    X, y = iris
    fcm = FCMClassifier(structure="named", random_state=0)
    chunks = [(X[start : start + 60], y[start : start + 60]) for start in (0, 60, 120)]
    assert clone(fcm).fit_chunks(chunks).map_ == clone(fcm).fit(X, y).map_


def test_two_rows_per_class():
    X = np.arange(24.0)[:, None] * [1.0, -1.0]
    y = np.repeat(np.arange(12), 2)
    fcm = FCMClassifier(structure="named", random_state=0).fit(X, y)
    assert fcm.predict_proba(X).shape == (24, 12)
