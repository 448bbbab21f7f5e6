"""Conversion between learned maps and Keras models."""

from typing import Any

import numpy as np

from cogmap._utils.params import Literal, check_choice, param_error, shown
from cogmap.integrations.keras.backend import keras
from cogmap.integrations.keras.fixed import FeatureEncoding, OutputLink
from cogmap.integrations.keras.layer import FuzzyCognitiveLayer
from cogmap.models.model import MapModel


def to_keras(model: Any, dtype: str | None = None) -> Any:
    """Convert a learned map to an equivalent Keras model, which can be trained further.

    Keras computes in float32 by default, so probabilities differ from those of the map by about 1e-7. The difference
    is larger for float64 columns that vary little around a large number: center such columns first, or use float64
    (with JAX only if ``jax_enable_x64`` is set).

    Parameters
    ----------
    model : FCMClassifier, FCMRegressor or MapModel
        A fitted estimator, or its ``model_``.
    dtype : str, default=None
        Computation dtype, ``"float32"`` or ``"float64"``. None: the default of Keras.

    Returns
    -------
    keras.Model
        Maps a table of shape (n_rows, n_features), in which NaN is a missing value, to class probabilities in the order
        of ``classes_``, or to values, one column per target.

    See Also
    --------
    from_keras : Convert a Keras model created by `to_keras`, with its current weights, to a `MapModel`.
    FuzzyCognitiveLayer : A fuzzy cognitive map, unrolled for `depth` steps.
    cogmap.integrations.onnx.to_onnx : Convert a fitted model to an ONNX graph.

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
        raise param_error("to_keras", "model", "a fitted cogmap estimator, or its `model_`", model)
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
        held=[fcm.concepts.index(name) for name in fcm.held],
        dtype=dtype,
        name="map",
    )
    inputs = keras.Input((fitted.n_features,), dtype=dtype)
    states = FeatureEncoding(fitted.encoding, dtype=dtype, name="encoding")(inputs)
    outputs = OutputLink(fitted.link, dtype=dtype, name="link")(layer(states))
    layer.set_map(fcm)
    whole = keras.Model(inputs, outputs, name="cogmap")
    if dtype is not None:  # otherwise the model would round the inputs before its layers receive them
        whole.dtype_policy = dtype
    return whole


def from_keras(model: Any) -> MapModel:
    """Convert a Keras model created by `to_keras`, with its current weights, to a `MapModel`.

    Parameters
    ----------
    model : keras.Model
        Model with the layers `FeatureEncoding`, `FuzzyCognitiveLayer` and `OutputLink`.

    Returns
    -------
    MapModel
        Accepted by ``cogmap.explain`` and the other explanations and plots.

    See Also
    --------
    to_keras : Convert a learned map to an equivalent Keras model, which can be trained further.
    cogmap.models.model.MapModel : A learned map with the encoding of its inputs and the link of its outputs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.keras import from_keras, to_keras
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> from_keras(to_keras(fcm)).map.concepts[-1]
    'class=2'
    """
    parts: list[Any] = []
    for kind in (FeatureEncoding, FuzzyCognitiveLayer, OutputLink):
        matches = [layer for layer in getattr(model, "layers", []) if isinstance(layer, kind)]
        if len(matches) != 1:
            got = shown([type(layer).__name__ for layer in getattr(model, "layers", [])])
            expected = "a Keras model with one each of FeatureEncoding, FuzzyCognitiveLayer and OutputLink"
            cure = "For a layer alone, use its method `to_map`."
            raise param_error("from_keras", "model", expected, Literal(f"layers {got}"), cure)
        parts += matches
    encoding, layer, link = parts
    return MapModel(layer.to_map(), layer.depth, encoding.encoding, link.link)
