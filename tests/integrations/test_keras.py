"""Maps as layers of Keras, on the backend that KERAS_BACKEND names; `make test-keras` runs this for all three."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap, explain
from cogmap.exceptions import CogmapError

with warnings.catch_warnings():  # backends have their own
    warnings.simplefilter("ignore")
    from cogmap.integrations.keras import FuzzyCognitiveLayer, from_keras, to_keras
    from cogmap.integrations.keras.backend import keras

pytestmark = pytest.mark.filterwarnings("ignore")  # what Keras and its backends say about each other

LEARNED = {
    "two classes, one output": (load_wine, FCMClassifier, {}, lambda y: np.where(y == 0, "a", "b")),
    "three classes": (load_iris, FCMClassifier, {}, lambda y: y),
    "scaled by the range": (load_iris, FCMClassifier, {"scale": True}, lambda y: y),
    "not scaled": (load_diabetes, FCMClassifier, {"scale": False}, lambda y: y > 140.0),
    "words": (load_wine, FCMClassifier, {"terms": 3}, lambda y: y),
    "some words": (load_iris, FCMClassifier, {"terms": {"x2": ["short", "long"]}}, lambda y: y),
    "three steps": (load_iris, FCMClassifier, {"depth": 3}, lambda y: y),
    "one step": (load_iris, FCMClassifier, {"depth": 1}, lambda y: y),
    "values": (load_diabetes, FCMRegressor, {}, lambda y: y),
    "several values": (load_diabetes, FCMRegressor, {}, lambda y: np.column_stack([y, -2 * y])),
    "counts": (load_diabetes, FCMRegressor, {"loss": "poisson"}, lambda y: y // 20),
    "quantiles": (load_diabetes, FCMRegressor, {"loss": "quantile", "quantile": [0.4, 0.5]}, lambda y: y),
    "ordered classes": (load_wine, FCMClassifier, {"ordered": ["b", "a", "c"]}, lambda y: np.array(list("abc"))[y]),
    "labels": (load_iris, FCMClassifier, {}, lambda y: np.column_stack([y > 0, y == 1])),
    "slopes": (load_iris, FCMClassifier, {"init": "correlation", "learn": "slopes"}, lambda y: y),
}


@pytest.fixture(scope="module", params=LEARNED)
def learned(request):
    """A fitted estimator, with rows in which a value is missing and a value lies far outside."""
    load, estimator, parameters, target = LEARNED[request.param]
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    fcm = estimator(random_state=0, n_teachers=0, max_iter=40, tol=0, **parameters).fit(X, target(y))
    rows = X.copy()
    rows[::7, 1], rows[1::9, 2] = np.nan, 100.0
    return fcm, rows


def said(model, X, dtype=np.float32):
    """Return the predictions of a Keras model without compiling it."""
    return keras.ops.convert_to_numpy(model(X.astype(dtype)))


def unit_of(fcm):
    """Return the unit of differences: 1 for probabilities, the deviation of the target for values."""
    return np.maximum(getattr(fcm.model_.link, "deviation", 1.0), 1.0)


def test_a_keras_model_says_what_the_map_says(learned):
    """To 1e-6, in float32."""
    fcm, X = learned
    assert np.abs((said(to_keras(fcm), X) - fcm.model_.outputs(X)) / unit_of(fcm)).max() < 1e-6


def test_what_comes_back_from_a_file_is_the_same_map(learned, tmp_path):
    """Names, classes and scaling too; weights as float32 has them."""
    fcm, X = learned
    model = to_keras(fcm)
    model.save(tmp_path / "map.keras")
    read = keras.saving.load_model(tmp_path / "map.keras")
    np.testing.assert_array_equal(said(read, X), said(model, X))
    back = from_keras(read)
    assert np.abs((back.outputs(X) - fcm.model_.outputs(X)) / unit_of(fcm)).max() < 1e-6
    assert back.map.concepts == fcm.map_.concepts
    assert back.depth == fcm.depth_
    if hasattr(back.link, "classes"):
        np.testing.assert_array_equal(back.link.classes, fcm.classes_)
        assert back.link.classes.dtype == fcm.classes_.dtype
    assert explain(back, X[:3]).contributions.shape[1] == X.shape[1]


@pytest.mark.skipif(keras.backend.backend() == "jax", reason="JAX computes in float32 unless it is told before")
def test_float64_is_exact(learned):
    """To the rounding of float64."""
    fcm, X = learned
    exact = said(to_keras(fcm, dtype="float64"), X, np.float64)
    np.testing.assert_allclose(exact, fcm.model_.outputs(X), rtol=1e-10, atol=1e-12)


def test_a_layer_steps_as_a_map_by_hand():
    """The states of all concepts after some steps."""
    random = np.random.default_rng(0)
    fcm = FuzzyCognitiveMap(random.uniform(-1, 1, (6, 6)), random.uniform(-1, 1, 6), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    layer = FuzzyCognitiveLayer(1, n_hidden=2, depth=4, slope=fcm.slope, returns="states")
    layer.build((None, 3))
    layer.set_map(fcm)
    first = np.full((5, 6), 0.5)
    first[:, :3] = random.random((5, 3))
    states = keras.ops.convert_to_numpy(layer(first[:, :3].astype(np.float32)))
    np.testing.assert_allclose(states, fcm.run(first, 4)[-1], atol=1e-6)
    np.testing.assert_allclose(layer.to_map().weights, fcm.weights, atol=1e-6)
    np.testing.assert_allclose(layer.to_map().bias, fcm.bias, atol=1e-6)


@pytest.mark.parametrize("inputs", ["features", "terms", "logarithms"])
@pytest.mark.parametrize("kind", ["log odds", "softmax", "values"])
def test_small_named_maps_agree(named_model, named_rows, tmp_path, kind, inputs):
    """Held features keep their states, columns without a concept are not used, and a file keeps both, and names."""
    X = named_rows.astype(np.float32).astype(np.float64)
    fitted = named_model(kind, inputs=inputs, features=("age", "bmi", "glucose", "insulin", "pulse"))
    unit = getattr(fitted.link, "deviation", 1.0)
    model = to_keras(fitted)
    assert np.abs((said(model, X) - fitted.outputs(X)) / unit).max() < 1e-6
    model.save(tmp_path / "map.keras")
    back = from_keras(keras.saving.load_model(tmp_path / "map.keras"))
    assert (back.map.held, back.map.concepts) == (fitted.map.held, fitted.map.concepts)
    assert back.encoding.used.tolist() == fitted.encoding.used.tolist()
    assert back.encoding.features == fitted.encoding.features
    assert np.abs((back.outputs(X) - fitted.outputs(X)) / unit).max() < 1e-6


def test_a_layer_holds_concepts_while_it_learns():
    """States of held concepts stay, and no weight into them appears."""
    keras.utils.set_random_seed(0)
    layer = FuzzyCognitiveLayer(1, n_hidden=1, depth=3, returns="states", held=[0, 2])
    model = keras.Sequential([keras.Input((3,)), layer])
    X = np.random.default_rng(0).random((20, 3)).astype(np.float32)
    model.compile(optimizer="adam", loss="mse")
    before = layer.to_map()
    model.fit(X, np.zeros((20, 5)), epochs=3, verbose=0)
    assert layer.to_map().held == ("input 1", "input 3")
    assert not (layer.to_map().weights[[0, 2]]).any()
    assert layer.to_map() != before
    first = np.hstack([X, np.full((20, 2), 0.5)])
    np.testing.assert_allclose(said(model, X), layer.to_map().run(first, 3)[-1], atol=1e-6)
    np.testing.assert_allclose(said(model, X)[:, [0, 2]], X[:, [0, 2]], atol=1e-7)
    with pytest.raises(CogmapError, match="held"):
        FuzzyCognitiveLayer(1, held=[7]).build((None, 3))


def test_a_new_layer_remembers_its_inputs():
    """With memory, states keep their order and side of the middle; without it they become undecided."""
    X = np.linspace(0.2, 0.8, 12, dtype=np.float32).reshape(4, 3)

    def kept(memory):
        layer = FuzzyCognitiveLayer(1, depth=3, memory=memory, returns="states")
        return keras.ops.convert_to_numpy(layer(X))[:, :3]

    assert (np.diff(kept(3.0).ravel()) > 0).all()
    assert ((kept(3.0) > 0.5) == (X > 0.5)).all()
    np.testing.assert_allclose(kept(0.0), 0.5)


def test_a_layer_learns_among_others():
    """In a model of layers of Keras, by the optimizers of Keras; and a learned map goes on learning."""
    X, y = load_iris(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    keras.utils.set_random_seed(0)
    layers = [keras.Input((4,)), FuzzyCognitiveLayer(3, n_hidden=4), keras.layers.Dense(3, activation="softmax")]
    model = keras.Sequential(layers)
    fcm = to_keras(FCMClassifier(random_state=0, n_teachers=0, max_iter=3, tol=0).fit(X, y))
    before = from_keras(fcm).map.weights
    for each in (model, fcm):
        each.compile(keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"])
        each.fit(X.astype(np.float32), y, epochs=25, verbose=0)
        assert each.evaluate(X.astype(np.float32), y, verbose=0)[1] > 0.9
    assert np.abs(from_keras(fcm).map.weights - before).max() > 0.1
    assert len(fcm.trainable_weights) == 2


WRONG = {
    "no outputs": lambda: FuzzyCognitiveLayer(0),
    "no steps": lambda: FuzzyCognitiveLayer(1, depth=0),
    "no slope": lambda: FuzzyCognitiveLayer(1, slope=0.0),
    "slopes of others": lambda: FuzzyCognitiveLayer(1, slope=[1.0, 2.0])(np.zeros((2, 3))),
    "names of others": lambda: FuzzyCognitiveLayer(1, concepts=["a", "b"])(np.zeros((2, 3))),
    "returns nothing known": lambda: FuzzyCognitiveLayer(1, returns="output"),
    "a map of a new layer": lambda: FuzzyCognitiveLayer(1).to_map(),
    "an estimator that is not fitted": lambda: to_keras(FCMClassifier()),
    "a map by hand": lambda: to_keras(FuzzyCognitiveMap(np.zeros((2, 2)))),
    "a model without a map": lambda: from_keras(keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])),
    "no model": lambda: from_keras(3),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(case):
    """One sentence that says what was expected."""
    with pytest.raises(CogmapError, match="must be"):
        WRONG[case]()
