"""Fixed layers before and after the map: the encoding of features and the link of the outputs."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap.integrations.keras.backend import keras, ops
from cogmap.models.encoding import OUTERMOST, UNDECIDED, Encoding, FeatureRange, FeatureSpread, Scaling
from cogmap.models.features import FeatureStatistics, unit_of
from cogmap.models.links import (
    ClassLink,
    LabelsLink,
    Link,
    LogLink,
    LogOddsLink,
    OrderedLink,
    QuantileLink,
    SoftmaxLink,
    ValueLink,
)
from cogmap.models.logarithms import Logarithms
from cogmap.models.terms import Terms


@keras.saving.register_keras_serializable(package="cogmap")
class FeatureEncoding(keras.layers.Layer):
    """Encode features as states: scaled, as linguistic terms where configured, and undecided (0.5) where missing.

    States are returned minus 0.5, as `FuzzyCognitiveLayer(centred=True)` expects them.

    Parameters
    ----------
    encoding : Encoding or dict
        Attribute of a `MapModel`, or its configuration from `get_config`.
    **options : object
        Options of every Keras layer.

    See Also
    --------
    FuzzyCognitiveLayer : A fuzzy cognitive map, unrolled for `depth` steps.
    OutputLink : Convert the outputs of a map to class probabilities or values.
    to_keras : Convert a learned map to an equivalent Keras model, which can be trained further.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.keras import FeatureEncoding
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> FeatureEncoding(fcm.model_.encoding)(X[:2]).shape
    (2, 4)
    """

    def __init__(self, encoding: Any, **options: Any) -> None:
        super().__init__(**{**options, "trainable": False})
        self.encoding = encoding if isinstance(encoding, Encoding) else _encoding_from_config(encoding)
        columns, terms, scaling = self.encoding.columns, self.encoding.terms, self.encoding.scaling
        n_all = self.encoding.n_features if terms is None else len(terms.columns)
        is_number = np.ones(n_all, dtype=bool)
        # Peaks of the previous term, of the term itself and of the next one.
        before, value, after = np.zeros((3, n_all))
        place = 0
        for values in [] if terms is None else terms.values:
            n = 1 if values is None else len(values)
            if values is not None:
                here = slice(place, place + n)
                is_number[here] = False
                # The first term has degree 1 below its peak, the last one above its peak.
                before[here] = [-np.inf, *values[:-1]]
                value[here], after[here] = values, [*values[1:], np.inf]
            place += n
        used = slice(None) if self.encoding.used is None else self.encoding.used
        self._is_number, self._peaks = is_number[used], (before[used], value[used], after[used])
        self._logarithms = None
        if isinstance(scaling, FeatureSpread):
            if scaling.logarithms is not None:
                self._logarithms = scaling.logarithms.narrowed(columns)
            unit = unit_of(scaling.deviation) / scaling.steepness
            self._origin, self._unit = scaling.mean[columns], unit[columns]
        elif isinstance(scaling, FeatureRange):
            self._origin, self._unit = scaling.low[columns], unit_of(scaling.high - scaling.low)[columns]
        else:
            self._origin, self._unit = np.zeros(len(columns)), np.ones(len(columns))

    def call(self, inputs: Any) -> Any:
        """Return the input states of the map minus 0.5."""
        x = ops.take(inputs, self.encoding.columns, axis=-1)
        missing = ops.isnan(x)
        x = ops.where(missing, ops.zeros_like(x), x)
        scaled = self._from(self._bent(x), self._origin) / self._number(self._unit)
        if isinstance(self.encoding.scaling, FeatureSpread):
            away = 0.5 * ops.tanh(0.5 * scaled)  # the logistic function minus 0.5
        elif isinstance(self.encoding.scaling, FeatureRange):
            away = ops.clip(scaled, *OUTERMOST) - UNDECIDED
        else:
            away = scaled - UNDECIDED
        if not self._is_number.all():
            away = ops.where(self._is_number, away, self._truths(x) - UNDECIDED)
        return ops.where(missing, ops.zeros_like(away), away)

    def _truths(self, x: Any) -> Any:
        """Return the degree of truth of each term."""
        before, value, after = self._peaks
        with np.errstate(invalid="ignore"):  # numbers have no terms
            up, down = value - before, after - value
        up, down = (np.where(np.isfinite(width) & (width > 0), width, 1.0) for width in (up, down))
        away = self._from(x, value)
        always = ops.ones_like(away)
        rising = ops.where(np.isfinite(before), 1.0 + away / self._number(up), always)
        falling = ops.where(np.isfinite(after), 1.0 - away / self._number(down), always)
        return ops.relu(ops.where(rising < falling, rising, falling))

    def _bent(self, x: Any) -> Any:
        """Return the features, those with a long tail on a logarithmic scale."""
        if self._logarithms is None:
            return x
        distance = self._from(x, self._logarithms.origin) / self._number(self._logarithms.unit)
        return ops.where(self._logarithms.bent, ops.log1p(ops.relu(distance)) - ops.relu(-distance), x)

    def _from(self, x: Any, origin: NDArray[np.float64]) -> Any:
        """Subtract an origin in two parts, to avoid rounding it to float32."""
        coarse = origin.astype(self.compute_dtype)
        return (x - self._number(coarse)) - self._number(origin - coarse)

    def _number(self, values: NDArray[np.float64]) -> Any:
        return ops.convert_to_tensor(values, dtype=self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the output shape."""
        return (*input_shape[:-1], self.encoding.n_inputs)

    def get_config(self) -> dict[str, Any]:
        """Return the configuration of the layer."""
        return {**super().get_config(), "encoding": _encoding_config(self.encoding)}


@keras.saving.register_keras_serializable(package="cogmap")
class OutputLink(keras.layers.Layer):
    """Convert the outputs of a map to class probabilities or values.

    Parameters
    ----------
    link : Link or dict
        Attribute of a `MapModel`, or its configuration from `get_config`.
    **options : object
        Options of every Keras layer.

    See Also
    --------
    FuzzyCognitiveLayer : A fuzzy cognitive map, unrolled for `depth` steps.
    FeatureEncoding :
        Encode features as states: scaled, as linguistic terms where configured, and undecided (0.5) where missing.
    to_keras : Convert a learned map to an equivalent Keras model, which can be trained further.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.keras import OutputLink
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> OutputLink(fcm.model_.link)(np.zeros((2, 3))).shape  # one probability per class
    (2, 3)
    """

    def __init__(self, link: Any, **options: Any) -> None:
        super().__init__(**{**options, "trainable": False})
        self.link: Link = _link_from_config(link) if isinstance(link, dict) else link

    def call(self, inputs: Any) -> Any:
        """Return probabilities or values for the net inputs of the outputs (`returns="net"`)."""
        if isinstance(self.link, LogOddsLink):
            return ops.concatenate([ops.sigmoid(-2.0 * inputs), ops.sigmoid(2.0 * inputs)], axis=-1)
        if isinstance(self.link, SoftmaxLink):
            return ops.softmax(0.5 * self.link.gain * ops.tanh(inputs), axis=-1)
        if isinstance(self.link, LabelsLink):
            return ops.sigmoid(2.0 * inputs)

        def tensor(array: Any) -> Any:
            return ops.convert_to_tensor(array, dtype=self.compute_dtype)

        if isinstance(self.link, OrderedLink):
            at_least = ops.sigmoid(2.0 * (inputs - tensor(self.link.low)))
            at_most = ops.sigmoid(2.0 * (tensor(self.link.high) - inputs))
            return at_least * at_most * tensor(self.link.factors)
        link = cast(ValueLink, self.link)
        if isinstance(link, LogLink):
            values = tensor(link.mean) * ops.exp(tensor(link.spread) * inputs)
            return ops.minimum(ops.maximum(values, tensor(link.low)), tensor(link.high))
        values = tensor(link.mean) + tensor(link.deviation) * inputs
        return ops.sort(values, axis=-1) if isinstance(link, QuantileLink) and link.is_sorted else values

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the output shape."""
        classes = isinstance(self.link, LogOddsLink | OrderedLink)
        return (*input_shape[:-1], len(cast(ClassLink, self.link).classes) if classes else input_shape[-1])

    def get_config(self) -> dict[str, Any]:
        """Return the configuration of the layer."""
        return {**super().get_config(), "link": _link_config(self.link)}


# --- configurations of the layers, as JSON


def _encoding_config(encoding: Encoding) -> dict[str, Any]:
    scaling, terms = encoding.scaling, encoding.terms
    config: dict[str, Any] = {"n_features": encoding.n_features, "n_hidden": encoding.n_hidden, "scaling": None}
    if scaling is not None:
        logarithms = scaling.logarithms if isinstance(scaling, FeatureSpread) else None
        config["scaling"] = {
            "kind": "spread" if isinstance(scaling, FeatureSpread) else "range",
            "known": _lists(scaling.known),
            "logarithms": None if logarithms is None else _lists(logarithms),
        }
    config["terms"] = terms and {
        "values": [None if values is None else values.tolist() for values in terms.values],
        "words": [list(words) for words in terms.words],
    }
    config["used"] = None if encoding.used is None else encoding.used.tolist()
    config["features"] = encoding.features and list(encoding.features)
    return config


def _lists(arrays: Any) -> dict[str, Any]:
    return {name: np.asarray(value).tolist() for name, value in vars(arrays).items()}


def _encoding_from_config(config: dict[str, Any]) -> Encoding:
    scaling: Scaling | None = None
    if config["scaling"] is not None:
        known, logarithms = (
            {name: np.array(value) for name, value in (config["scaling"].get(part) or {}).items()}
            for part in ("known", "logarithms")
        )
        statistics = FeatureStatistics(**known)
        scaling = FeatureRange(statistics)
        if config["scaling"]["kind"] == "spread":
            scaling = FeatureSpread(statistics, Logarithms(**logarithms) if logarithms else None)
    terms = config["terms"] and Terms(
        tuple(None if values is None else np.array(values) for values in config["terms"]["values"]),
        tuple(tuple(words) for words in config["terms"]["words"]),
    )
    optional = {name: config.get(name) for name in ("used", "features")}  # configurations of before do not have them
    return Encoding(config["n_features"], config["n_hidden"], scaling, terms, **optional)


def _link_config(link: Link) -> dict[str, Any]:
    config = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(link).items()}
    if "classes" in config:
        config["labels"] = vars(link)["classes"].dtype.str
    return {"kind": type(link).__name__, **config}


def _link_from_config(config: dict[str, Any]) -> Link:
    kinds: tuple[type[Any], ...] = (LogOddsLink, SoftmaxLink, OrderedLink, ValueLink, LogLink, QuantileLink, LabelsLink)
    kind = {kind.__name__: kind for kind in kinds}[config["kind"]]
    state = {name: value for name, value in config.items() if name not in ("kind", "labels")}
    for name, value in state.items():
        if name == "classes":
            state[name] = np.array(value, dtype=np.dtype(config["labels"]))
        elif isinstance(value, list | tuple):
            state[name] = tuple(value) if name in ("targets", "quantiles") else np.array(value)
    link: Link = kind(**state)
    return link
