"""A learned map as a Keras model, and back."""

from typing import Any

import numpy as np

from cogmap._utils.params import Literal, check_choice, param_error, shown
from cogmap.integrations.keras.backend import keras
from cogmap.integrations.keras.fixed import FeatureEncoding, OutputLink
from cogmap.integrations.keras.layer import FuzzyCognitiveLayer
from cogmap.models.model import MapModel


def to_keras(model: Any, dtype: str | None = None) -> Any:
    """Return a learned map as a Keras model, which says the same and can go on learning.

    Its weights are what Keras computes in, float32 unless told otherwise, so that probabilities differ by some 1e-7
    from those of the map. A table in float64 whose columns vary little around a large number loses more, because
    float32 does: center such columns first, or take float64 (of JAX only if ``jax_enable_x64`` is set).

    Parameters
    ----------
    model : FCMClassifier, FCMRegressor or MapModel
        A fitted estimator, or its ``model_``.
    dtype : str, default=None
        In what to compute, ``"float32"`` or ``"float64"``. None takes what Keras is set to.

    Returns
    -------
    keras.Model
        From a table of shape (n_rows, n_features), in which NaN means missing, to probabilities of the classes, in the
        order of ``classes_``, or to values, one column per target.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.keras import from_keras, to_keras
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> model = to_keras(fcm)
    >>> bool(abs(model.predict(X, verbose=0) - fcm.predict_proba(X)).max() < 1e-6)
    True
    >>> from_keras(model).map.concepts == fcm.map_.concepts
    True
    """
    fitted = model if isinstance(model, MapModel) else getattr(model, "model_", None)
    if not isinstance(fitted, MapModel):
        raise param_error("to_keras", "model", "a fitted estimator of cogmap, or its `model_`", model)
    if dtype is not None:
        check_choice("to_keras", "dtype", dtype, ["float32", "float64"], also="None")
    fcm = fitted.map
    if not isinstance(fcm.activation, str) or fcm.activation not in ("sigmoid", "logistic"):
        expected = "a map with states in [0, 1] (activation 'sigmoid' or 'logistic')"
        raise param_error("to_keras", "model", expected, Literal(f"one with activation {fcm.activation!r}"))
    layer = FuzzyCognitiveLayer(
        fitted.n_outputs,
        fitted.n_hidden,
        fitted.depth,
        fcm.slope if np.ndim(fcm.slope) == 0 else np.asarray(fcm.slope).tolist(),
        returns="net",
        centred=True,
        concepts=list(fcm.concepts),
        dtype=dtype,
        name="map",
    )
    inputs = keras.Input((fitted.n_features,), dtype=dtype)
    states = FeatureEncoding(fitted.encoding, dtype=dtype, name="encoding")(inputs)
    outputs = OutputLink(fitted.link, dtype=dtype, name="link")(layer(states))
    layer.set_map(fcm)
    whole = keras.Model(inputs, outputs, name="cogmap")
    if dtype is not None:  # lest the model rounds what comes in, before its layers see it
        whole.dtype_policy = dtype
    return whole


def from_keras(model: Any) -> MapModel:
    """Return a Keras model that `to_keras` has made as a `MapModel`, with what its map has learned since.

    Parameters
    ----------
    model : keras.Model
        One with the layers `FeatureEncoding`, `FuzzyCognitiveLayer` and `OutputLink`, perhaps read from a file.

    Returns
    -------
    MapModel
        With everything that explains and draws: ``cogmap.explain`` and its like take it.
    """
    parts: list[Any] = []
    for kind in (FeatureEncoding, FuzzyCognitiveLayer, OutputLink):
        found = [layer for layer in getattr(model, "layers", []) if isinstance(layer, kind)]
        if len(found) != 1:
            got = shown([type(layer).__name__ for layer in getattr(model, "layers", [])])
            expected = "a Keras model with one each of FeatureEncoding, FuzzyCognitiveLayer and OutputLink"
            raise param_error("from_keras", "model", expected, Literal(f"layers {got}"), "A layer alone has `to_map`.")
        parts += found
    encoding, layer, link = parts
    return MapModel(layer.to_map(), layer.depth, encoding.encoding, link.link)
