"""Full maps of tables of many columns: of those that matter, in which the others are seen to influence nothing."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap, explain, load, save
from cogmap.exceptions import DataError
from cogmap.maps.structured import StructuredMap


@pytest.fixture(scope="module")
def wide():
    """A table of 400 rows and 150 columns, of which the first five matter."""
    return make_classification(400, 150, n_informative=5, n_redundant=0, shuffle=False, random_state=0)


@pytest.fixture(scope="module")
def fitted(wide):
    """A classifier that has learned it."""
    return FCMClassifier(structure="full", random_state=0).fit(*wide)


def test_columns_that_do_not_matter_influence_nothing(fitted, wide):
    """Their arrows are 0 and so are their importances; the map has all columns, and predicts better than chance."""
    X, y = wide
    W = fitted.map_.weights
    into_others = W[150:, :150]
    silent = ~into_others.any(axis=0)
    assert silent.sum() > 130
    assert not silent[:5].all()
    assert (fitted.feature_importances_[silent] == 0.0).all()
    assert fitted.map_.concepts[:150] == tuple(f"x{i}" for i in range(150))
    fresh = FCMClassifier(structure="full", random_state=0).fit(X[::2], y[::2])
    assert fresh.score(X[1::2], y[1::2]) > 0.8


def test_features_influence_themselves_outputs_and_hidden_concepts_only(fitted):
    """Which is what makes the cost linear in their number."""
    W = fitted.map_.weights
    features = W[:150].copy()
    np.fill_diagonal(features[:, :150], 0.0)
    assert not features.any()
    assert (np.diag(W)[:150] > 0).all()


def test_the_map_is_an_ordinary_one(fitted, wide):
    """Dense weights, bias and slope give the same trajectories and outputs."""
    X = wide[0][:50]
    fcm = fitted.map_
    plain = FuzzyCognitiveMap(fcm.weights, fcm.bias, fcm.slope, fcm.concepts)
    assert isinstance(fcm, FuzzyCognitiveMap)
    assert fcm == plain
    first = fitted.model_.first_states(X)
    np.testing.assert_allclose(fcm.run(first, 3), plain.run(first, 3), atol=1e-12)
    np.testing.assert_allclose(fitted.trajectory(X)[-1], plain.run(first, fitted.depth_)[-1], atol=1e-12)
    assert FuzzyCognitiveMap.from_edges(fcm.to_edges(), concepts=fcm.concepts).weights == pytest.approx(fcm.weights)
    assert fcm.replace(slope=1.0).slope == 1.0
    assert fcm.normalized() == plain.normalized()


def test_derivatives_are_those_of_the_ordinary_map(fitted, wide):
    """Contributions add up, and the derivative equals difference quotients."""
    X = wide[0][:5]
    derivative = fitted.model_.derivative(X)
    at = int(np.argmax(fitted.feature_importances_))
    moved = X.copy()
    moved[:, at] += 1e-5
    quotient = (fitted.predict_proba(moved) - fitted.predict_proba(X)) / 1e-5
    np.testing.assert_allclose(derivative[:, :, at], quotient, atol=1e-4)
    explanation = explain(fitted, X)
    total = explanation.contributions.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, fitted.predict_proba(X), atol=1e-9)


def test_copies_predict_alike(fitted, wide):
    """A pickle, and a fit with the same seed, also of the rows in another order."""
    X, y = wide
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = FCMClassifier(structure="full", random_state=0).fit(X[order], y[order])
    assert np.array_equal(shuffled.predict_proba(X), fitted.predict_proba(X))


def test_files_hold_structured_maps(fitted, wide, tmp_path):
    """The same predictions to the last bit, of an estimator, its model and its map."""
    save(fitted, tmp_path / "wide.cogmap")
    again = load(tmp_path / "wide.cogmap")
    assert isinstance(again.map_, StructuredMap)
    assert np.array_equal(again.predict_proba(wide[0]), fitted.predict_proba(wide[0]))
    save(fitted.map_, tmp_path / "map.cogmap")
    assert load(tmp_path / "map.cogmap") == fitted.map_


def test_learning_goes_on(wide):
    """From an earlier fit, whose columns stay, and in parts."""
    X, y = wide
    warm = FCMClassifier(structure="full", warm_start=True, max_iter=20, tol=0, random_state=0).fit(X, y)
    silent = ~warm.map_.influential
    loss = warm.loss_curve_[-1]
    warm.fit(X, y)
    assert np.array_equal(silent, ~warm.map_.influential)
    assert warm.loss_curve_[0] <= loss + 1e-6
    parts = FCMClassifier(structure="full", random_state=0)
    for part in np.array_split(np.arange(len(X)), 4):
        parts.partial_fit(X[part], y[part], classes=[0, 1])
    assert isinstance(parts.map_, StructuredMap)
    assert np.isfinite(parts.predict_proba(X)).all()


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_hidden": 0},
        {"depth": 1},
        {"depth": 4, "n_hidden": 3},
        {"l1_ratio": 0.5},
        {"early_stopping": True},
        {"solver": "adam", "max_iter": 5, "tol": 0},
        {"scale": True},
        {"scale": False},
        {"output": "one_hot"},
        {"class_weight": "balanced"},
        {"n_teachers": 2},
        {"terms": 3},
    ],
)
def test_parameters_mean_the_same(parameters, wide):
    """Whatever is asked for, the map is structured and its probabilities are some."""
    X, y = wide
    fcm = FCMClassifier(structure="full", random_state=0, **parameters).fit(X[:120], y[:120])
    assert isinstance(fcm.map_, StructuredMap)
    assert np.isfinite(fcm.predict_proba(X)).all()


@pytest.mark.parametrize("parameters", [{"prior": None}, {"edges": {("x0", "class=1"): "+"}}])
def test_who_speaks_of_single_influences_gets_a_map_of_all(parameters, wide):
    """What is fixed holds."""
    X, y = wide
    fcm = FCMClassifier(structure="full", random_state=0, max_iter=3, tol=0, **parameters).fit(X[:100], y[:100])
    assert not isinstance(fcm.map_, StructuredMap)


def test_the_other_estimators_learn_wide_tables(wide):
    """Values, and settings that are chosen."""
    X, y = wide
    values = X[:, 0] - 2 * X[:, 1] + 0.1 * X[:, 30]
    regressor = FCMRegressor(structure="full", random_state=0).fit(X, values)
    assert isinstance(regressor.map_, StructuredMap)
    assert regressor.score(X, values) > 0.8
    chosen = FCMClassifierCV(depths=(2, 1), alphas=(0.2,), n_folds=2, random_state=0).fit(X, y)
    assert isinstance(chosen.map_, StructuredMap)


def test_columns_of_which_nothing_is_known_are_all_kept(wide):
    """Labels that nothing tells, and columns that are constant or missing."""
    X, _ = wide
    X = X.copy()
    X[:, 3], X[:, 4] = 1.0, np.nan
    X[::7, 5] = np.nan
    y = np.random.default_rng(0).integers(0, 3, len(X))
    fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
    assert fcm.map_.n_concepts == 150 + fcm.n_hidden_ + 3
    assert np.isfinite(fcm.predict_proba(X)).all()


@pytest.fixture(scope="module")
def sparse():
    """Too many columns to be made dense, of which the first forty say something."""
    random = np.random.default_rng(0)
    n_rows, n_columns = 600, 20_000
    rows = np.repeat(np.arange(n_rows), 30)
    columns = np.concatenate([np.r_[random.choice(40, 5), random.integers(0, n_columns, 25)] for _ in range(n_rows)])
    X = csr_array((random.random(len(rows)), (rows, columns)), shape=(n_rows, n_columns))
    X.sum_duplicates()
    return X, (X[:, :40] @ np.tile([1.0, -1.0], 20) > 0).astype(int)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_tables_stay_sparse(sparse):
    """Rows predict the same whether they are given as sparse or as dense ones, and better than chance."""
    X, y = sparse
    fcm = FCMClassifier(random_state=0).fit(X[:400], y[:400])
    few = X[400:]
    np.testing.assert_allclose(fcm.predict_proba(few), fcm.predict_proba(few.toarray()), atol=1e-10)
    assert fcm.score(few, y[400:]) > 0.75
    assert fcm.feature_importances_.shape == (20_000,)
    assert fcm.feature_importances_[:40].sum() > 0.3
    assert fcm.map_.n_concepts > 20_000
    with pytest.raises(DataError, match=r"would need 3.* GB.*to_edges\(\).*10000 concepts"):
        _ = fcm.map_.weights
    assert len(fcm.map_.to_edges()) >= 20_000
    assert "20001 concepts" in repr(fcm.map_)
    assert "20001 concepts" in fcm.map_._repr_html_()
    assert fcm._drawn_map() == ""
    explanation = explain(fcm, few[:3])
    total = explanation.contributions.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, fcm.predict_proba(few[:3]), atol=1e-9)
    assert fcm.transform(few[:3]).shape == (3, fcm.map_.n_concepts)


@pytest.mark.parametrize("parameters", [{"scale": True}, {"terms": 3}, {"prior": None}])
def test_sparse_tables_that_would_have_to_be_dense_are_refused(parameters, sparse):
    """With what has to be otherwise for them to stay sparse."""
    with pytest.raises(DataError, match=r"600 rows and 20000 columns is too large.*stays sparse with"):
        FCMClassifier(**parameters).fit(*sparse)


def test_narrow_tables_are_not_touched():
    """A hundred columns are learned as ever."""
    X, y = make_classification(60, 100, random_state=0)
    fcm = clone(FCMClassifier(max_iter=2, tol=0, random_state=0)).fit(X, y)
    assert not isinstance(fcm.map_, StructuredMap)


def test_maps_too_large_for_their_square_are_compared_and_hashed():
    """Equality, hash and drivers look at the influences that are there, of which a wide map has few."""
    n_features = 10_000
    names = [*(f"x{i}" for i in range(n_features)), "hidden 1", "y"]
    rows = np.random.default_rng(0).normal(size=(2, n_features + 2))

    def made(rows=rows, memory=3.0):
        return StructuredMap(rows, [0.0, 1.0], 2.0, names, memory)

    assert made() == made()
    assert hash(made()) == hash(made())
    assert made() != made(rows=np.where(rows == rows.max(), 0.0, rows))
    assert made() != made(memory=2.0)
    assert made().drivers == ()
    assert made(memory=0.0).drivers == tuple(names[:n_features])


def test_equal_maps_hash_alike_whether_structured_or_not(fitted):
    """So that either finds the other in a set; a weight of -0.0 is none."""
    fcm = fitted.map_
    plain = FuzzyCognitiveMap(np.where(fcm.weights == 0.0, -0.0, fcm.weights), fcm.bias, fcm.slope, fcm.concepts)
    assert {fcm, plain} == {fcm}
    assert fcm.drivers == plain.drivers
    assert fcm.to_edges() == plain.to_edges()
