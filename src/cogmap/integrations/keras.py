"""A fuzzy cognitive map as a layer of Keras 3, on JAX, PyTorch or TensorFlow, and learned maps as Keras models.

A model has three layers: `FeatureEncoding` (fixed: how a row becomes states), `FuzzyCognitiveLayer` (the map, which
goes on learning) and `OutputLink` (fixed: what the outputs mean).
"""

import os
import sys
from importlib.util import find_spec
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._encoding import OUTERMOST, UNDECIDED, Encoding, FeatureRange, FeatureSpread, Scaling
from cogmap._features import FeatureStatistics
from cogmap._links import Link, LogOddsLink, SoftmaxLink, ValueLink
from cogmap._optional import import_or_raise
from cogmap._params import Words, check_boolean, check_choice, check_integer, check_number, numbers, shown, wrong
from cogmap._terms import Terms
from cogmap.activations import get_activation
from cogmap.exceptions import MissingPackageError
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel, concept_names

BACKENDS = ("tensorflow", "jax", "torch")
RETURNS = ("outputs", "states", "net")

_HIDDEN = 4.0  # largest weight of a hidden concept at the start, times the root of the number of concepts


def _imported() -> Any:
    """Import Keras, with a backend that is installed: by itself it takes TensorFlow, whether that is there or not."""
    if "keras" not in sys.modules and find_spec("keras"):
        there = [name for name in BACKENDS if find_spec(name)]
        asked = os.environ.get("KERAS_BACKEND")
        if (asked in BACKENDS and asked not in there) or not there:
            raise MissingPackageError(
                f"Keras computes with one of the packages {', '.join(BACKENDS)}, but {asked or 'none of them'} is not "
                "installed. Install one, such as: pip install jax. KERAS_BACKEND, a variable of the environment, says "
                "which one to use."
            )
        os.environ.setdefault("KERAS_BACKEND", there[0])
    return import_or_raise("keras", "cogmap.integrations.keras", "keras")


keras = _imported()
ops = keras.ops


@keras.saving.register_keras_serializable(package="cogmap")
class FuzzyCognitiveLayer(keras.layers.Layer):  # type: ignore[name-defined]
    """A fuzzy cognitive map, unrolled for some steps.

    The first concepts are the inputs, whose states, from 0 to 1, come in. After them come hidden concepts, then the
    outputs; both start undecided, at 0.5. In each step all states follow from all states at once, as in
    `cogmap.FuzzyCognitiveMap`: the new state of concept i is the logistic function of
    ``slope[i] * (sum_j W[i, j] * (A[j] - 0.5) + c[i])``. ``W`` and ``c`` learn.

    Parameters
    ----------
    n_outputs : int
        Number of output concepts.
    n_hidden : int, default=0
        Number of hidden concepts.
    depth : int, default=2
        Number of steps.
    slope : float or list of float, default=2.0
        Steepness of the logistic function, of all concepts or of each.
    memory : float, default=3.0
        Influence of each input on itself at the start, by which it keeps its value from step to step. At slope 2, 3
        keeps it as it is; 0 forgets it.
    returns : {"outputs", "states", "net"}, default="outputs"
        What comes out: the states of the outputs, of all concepts, or half of what enters the logistic function of the
        outputs in the last step, which tells more than a state that is 1 to the last bit.
    centred : bool, default=False
        Whether states of inputs come in as counted from 0.5, where float32 has more digits.
    concepts : list of str, default=None
        Names of the concepts. None calls them input 1, hidden 1, output 1 and so on.
    **options : object
        Those of every Keras layer: ``name``, ``dtype``, ``trainable``.

    Attributes
    ----------
    W, c : keras.Variable
        Weights of shape (n_concepts, n_concepts), and what enters each concept if all are undecided. `to_map` gives the
        map with a bias instead.

    Examples
    --------
    >>> import keras
    >>> from cogmap.integrations.keras import FuzzyCognitiveLayer
    >>> model = keras.Sequential([keras.Input((4,)), FuzzyCognitiveLayer(3, n_hidden=5), keras.layers.Softmax()])
    >>> model.output_shape
    (None, 3)
    >>> model.layers[0].to_map().n_concepts
    12
    """

    def __init__(
        self,
        n_outputs: int,
        n_hidden: int = 0,
        depth: int = 2,
        slope: Any = 2.0,
        memory: float = 3.0,
        returns: str = "outputs",
        centred: bool = False,
        concepts: list[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        owner = type(self).__name__
        self.n_outputs = check_integer(owner, "n_outputs", n_outputs, low=1)
        self.n_hidden = check_integer(owner, "n_hidden", n_hidden, low=0)
        self.depth = check_integer(owner, "depth", depth, low=1)
        self.slope = float(slope) if np.ndim(slope) == 0 else [float(each) for each in slope]
        if not ((numbers(slope) > 0) & np.isfinite(numbers(slope))).all():
            raise wrong(owner, "slope", "a number > 0, or one per concept", slope)
        self.memory = check_number(owner, "memory", memory, low=-np.inf)
        self.returns = check_choice(owner, "returns", returns, RETURNS)
        self.centred = check_boolean(owner, "centred", centred)
        self.concepts = None if concepts is None else [str(name) for name in concepts]

    def build(self, input_shape: Any) -> None:
        """Make the weights, once the number of inputs is known."""
        n_inputs = input_shape[-1]
        n = n_inputs + self.n_hidden + self.n_outputs
        owner = type(self).__name__
        if np.ndim(self.slope) and len(cast(list[float], self.slope)) != n:
            raise wrong(owner, "slope", f"a number, or {n} of them, one per concept", self.slope)
        if self.concepts is not None and len(self.concepts) != n:
            raise wrong(owner, "concepts", f"{n} names, one per concept", Words(f"{len(self.concepts)} of them"))
        noise = np.zeros((n, n))
        noise[n_inputs : n - self.n_outputs] = _HIDDEN / np.sqrt(n)
        noise[n - self.n_outputs :, n_inputs : n - self.n_outputs] = _HIDDEN / np.sqrt(n)
        prior = np.diag([self.memory] * n_inputs + [0.0] * (n - n_inputs))

        def start(shape: Any, dtype: Any = None) -> Any:
            uniform = keras.initializers.RandomUniform(-1.0, 1.0)(shape, dtype)
            return ops.convert_to_tensor(prior, dtype=dtype) + ops.convert_to_tensor(noise, dtype=dtype) * uniform

        self.n_inputs = n_inputs
        self.W = self.add_weight(shape=(n, n), initializer=start, name="W")
        self.c = self.add_weight(shape=(n,), initializer="zeros", name="c")

    def call(self, inputs: Any) -> Any:
        """Return what the map makes of first states of the inputs."""
        half = ops.convert_to_tensor(0.5 * np.asarray(self.slope), dtype=self.compute_dtype)
        W, c = ops.transpose(self.W), self.c
        # States are counted from 0.5: what is undecided is 0, and in the first step only inputs are not. Products are
        # written as operators, because ops.matmul rounds float64 to float32 on torch.
        away = inputs if self.centred else inputs - 0.5
        net = half * (away @ W[: self.n_inputs] + c)
        for _ in range(self.depth - 1):
            net = half * (0.5 * ops.tanh(net) @ W + c)
        if self.returns != "states":
            net = net[:, -self.n_outputs :]
        return net if self.returns == "net" else 0.5 + 0.5 * ops.tanh(net)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what comes out."""
        n_inputs = input_shape[-1] + self.n_hidden if self.returns == "states" else 0
        return (*input_shape[:-1], n_inputs + self.n_outputs)

    def get_config(self) -> dict[str, Any]:
        """Return what the layer is made of, but for its weights."""
        names = ("n_outputs", "n_hidden", "depth", "slope", "memory", "returns", "centred", "concepts")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}

    def to_map(self) -> FuzzyCognitiveMap:
        """Return the map, with the weights that it has now."""
        if not self.built:
            raise wrong(
                f"{type(self).__name__}.to_map", "self", "built: called once, or in a model", Words("a new one")
            )
        W = ops.convert_to_numpy(self.W.value).astype(np.float64)
        bias = ops.convert_to_numpy(self.c.value).astype(np.float64) + 0.5 - 0.5 * W.sum(axis=1)
        names = self.concepts or concept_names(
            [f"input {i + 1}" for i in range(self.n_inputs)],
            self.n_hidden,
            [f"output {i + 1}" for i in range(self.n_outputs)],
        )
        return FuzzyCognitiveMap(W, bias, np.asarray(self.slope) if np.ndim(self.slope) else self.slope, names)

    def set_map(self, fcm: FuzzyCognitiveMap) -> None:
        """Take over the weights of a map."""
        center = get_activation(fcm.activation).center
        self.W.assign(fcm.weights.astype(self.variable_dtype))
        self.c.assign((fcm.bias - center + 0.5 * fcm.weights.sum(axis=1)).astype(self.variable_dtype))


@keras.saving.register_keras_serializable(package="cogmap")
class FeatureEncoding(keras.layers.Layer):  # type: ignore[name-defined]
    """Features as states, as a learned map reads them: scaled, as words where asked for, undecided where missing.

    States are counted from 0.5, as `FuzzyCognitiveLayer(centred=True)` takes them.

    Parameters
    ----------
    encoding : Encoding or dict
        What a `MapModel` has, or what `get_config` gives.
    **options : object
        Those of every Keras layer.
    """

    def __init__(self, encoding: Any, **options: Any) -> None:
        super().__init__(**{**options, "trainable": False})
        self.encoding = encoding if isinstance(encoding, Encoding) else _encoding_of(encoding)
        columns, terms, scaling = self.encoding.columns, self.encoding.terms, self.encoding.scaling
        self._is_number = np.ones(len(columns), dtype=bool)
        # Of a word: the values at which the one before, it and the one after are true.
        before, value, after = np.zeros((3, len(columns)))
        place = 0
        for values in [] if terms is None else terms.values:
            n = 1 if values is None else len(values)
            if values is not None:
                here = slice(place, place + n)
                self._is_number[here] = False
                # The first word stays true below, the last one above.
                before[here] = [-np.inf, *values[:-1]]
                value[here], after[here] = values, [*values[1:], np.inf]
            place += n
        self._words = before, value, after
        if isinstance(scaling, FeatureSpread):
            unit = np.where(scaling.deviation == 0.0, 1.0, scaling.deviation) / scaling.steepness
            self._origin, self._unit = scaling.mean[columns], unit[columns]
        elif isinstance(scaling, FeatureRange):
            width = scaling.high - scaling.low
            self._origin, self._unit = scaling.low[columns], np.where(width == 0.0, 1.0, width)[columns]
        else:
            self._origin, self._unit = np.zeros(len(columns)), np.ones(len(columns))

    def call(self, inputs: Any) -> Any:
        """Return the states of the inputs of the map, less 0.5."""
        x = ops.take(inputs, self.encoding.columns, axis=-1)
        missing = ops.isnan(x)
        x = ops.where(missing, ops.zeros_like(x), x)
        scaled = self._from(x, self._origin) / self._number(self._unit)
        if isinstance(self.encoding.scaling, FeatureSpread):
            away = 0.5 * ops.tanh(0.5 * scaled)  # the logistic function less 0.5
        elif isinstance(self.encoding.scaling, FeatureRange):
            away = ops.clip(scaled, *OUTERMOST) - UNDECIDED
        else:
            away = scaled - UNDECIDED
        if not self._is_number.all():
            away = ops.where(self._is_number, away, self._truths(x) - UNDECIDED)
        return ops.where(missing, ops.zeros_like(away), away)

    def _truths(self, x: Any) -> Any:
        """Return how true each word is."""
        before, value, after = self._words
        with np.errstate(invalid="ignore"):  # numbers have no words
            up, down = value - before, after - value
        up, down = (np.where(np.isfinite(width) & (width > 0), width, 1.0) for width in (up, down))
        away = self._from(x, value)
        always = ops.ones_like(away)
        rising = ops.where(np.isfinite(before), 1.0 + away / self._number(up), always)
        falling = ops.where(np.isfinite(after), 1.0 - away / self._number(down), always)
        return ops.relu(ops.where(rising < falling, rising, falling))

    def _from(self, x: Any, origin: NDArray[np.float64]) -> Any:
        """Subtract an origin, in two parts lest float32 rounds it."""
        coarse = origin.astype(self.compute_dtype)
        return (x - self._number(coarse)) - self._number(origin - coarse)

    def _number(self, values: NDArray[np.float64]) -> Any:
        return ops.convert_to_tensor(values, dtype=self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what comes out."""
        return (*input_shape[:-1], self.encoding.n_inputs)

    def get_config(self) -> dict[str, Any]:
        """Return what the layer is made of."""
        return {**super().get_config(), "encoding": _config_of(self.encoding)}


@keras.saving.register_keras_serializable(package="cogmap")
class OutputLink(keras.layers.Layer):  # type: ignore[name-defined]
    """What the outputs of a learned map mean: probabilities of classes, or values.

    Parameters
    ----------
    link : Link or dict
        What a `MapModel` has, or what `get_config` gives.
    **options : object
        Those of every Keras layer.
    """

    def __init__(self, link: Any, **options: Any) -> None:
        super().__init__(**{**options, "trainable": False})
        self.link: Link = _link_of(link) if isinstance(link, dict) else link

    def call(self, inputs: Any) -> Any:
        """Return probabilities or values for what enters the outputs (`returns="net"`)."""
        if isinstance(self.link, LogOddsLink):
            return ops.concatenate([ops.sigmoid(-2.0 * inputs), ops.sigmoid(2.0 * inputs)], axis=-1)
        if isinstance(self.link, SoftmaxLink):
            return ops.softmax(0.5 * self.link.gain * ops.tanh(inputs), axis=-1)
        link = cast(ValueLink, self.link)
        mean, deviation = (
            ops.convert_to_tensor(each, dtype=self.compute_dtype) for each in (link.mean, link.deviation)
        )
        return mean + deviation * inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what comes out."""
        return (*input_shape[:-1], 2 if isinstance(self.link, LogOddsLink) else input_shape[-1])

    def get_config(self) -> dict[str, Any]:
        """Return what the layer is made of."""
        return {**super().get_config(), "link": _config_of_link(self.link)}


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
        raise wrong("to_keras", "model", "a fitted estimator of cogmap, or its `model_`", model)
    if dtype is not None:
        check_choice("to_keras", "dtype", dtype, ["float32", "float64"], also="None")
    fcm = fitted.map
    if not isinstance(fcm.activation, str) or fcm.activation not in ("sigmoid", "logistic"):
        expected = "a map with states in [0, 1] (activation 'sigmoid' or 'logistic')"
        raise wrong("to_keras", "model", expected, Words(f"one with activation {fcm.activation!r}"))
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
            raise wrong("from_keras", "model", expected, Words(f"layers {got}"), "A layer alone has `to_map`.")
        parts += found
    encoding, layer, link = parts
    return MapModel(layer.to_map(), layer.depth, encoding.encoding, link.link)


# What fixed layers are made of, as JSON can hold it.


def _config_of(encoding: Encoding) -> dict[str, Any]:
    scaling, terms = encoding.scaling, encoding.terms
    config: dict[str, Any] = {"n_features": encoding.n_features, "n_hidden": encoding.n_hidden, "scaling": None}
    if scaling is not None:
        known = {name: np.asarray(value).tolist() for name, value in vars(scaling.known).items()}
        config["scaling"] = {"kind": "spread" if isinstance(scaling, FeatureSpread) else "range", "known": known}
    config["terms"] = terms and {
        "values": [None if values is None else values.tolist() for values in terms.values],
        "words": [list(words) for words in terms.words],
    }
    return config


def _encoding_of(config: dict[str, Any]) -> Encoding:
    scaling: Scaling | None = None
    if config["scaling"] is not None:
        known = FeatureStatistics(**{name: np.array(value) for name, value in config["scaling"]["known"].items()})
        scaling = FeatureSpread(known) if config["scaling"]["kind"] == "spread" else FeatureRange(known)
    terms = config["terms"] and Terms(
        tuple(None if values is None else np.array(values) for values in config["terms"]["values"]),
        tuple(tuple(words) for words in config["terms"]["words"]),
    )
    return Encoding(config["n_features"], config["n_hidden"], scaling, terms)


def _config_of_link(link: Link) -> dict[str, Any]:
    config = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(link).items()}
    if "classes" in config:
        config["labels"] = vars(link)["classes"].dtype.str
    return {"kind": type(link).__name__, **config}


def _link_of(config: dict[str, Any]) -> Link:
    if config["kind"] == "ValueLink":
        mean, deviation = np.array(config["mean"]), np.array(config["deviation"])
        return ValueLink(tuple(config["targets"]), mean, deviation, config["one_dimensional"])
    classes = np.array(config["classes"], dtype=np.dtype(config["labels"]))
    return LogOddsLink(classes) if config["kind"] == "LogOddsLink" else SoftmaxLink(classes, config["gain"])
