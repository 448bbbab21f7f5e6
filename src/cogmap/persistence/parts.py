"""Convert the components of a fitted model to states and back: map, scaling, terms, links, and solver states.

States are validated when objects are created from them, because a file may have been manipulated.
"""

from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from cogmap._learning.solvers.adaptive import Adam, RMSprop
from cogmap._learning.spec import PriorDeviation
from cogmap.exceptions import ModelFileError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.lags import Lags, VariableLags
from cogmap.models.links import (
    LabelsLink,
    LogLink,
    LogOddsLink,
    OrderedLink,
    QuantileLink,
    SoftmaxLink,
    ValueLink,
)
from cogmap.models.logarithms import Logarithms
from cogmap.models.model import MAX_DEPTH, MapModel
from cogmap.models.recurrence import Recurrence
from cogmap.models.sequence import SequenceEnd, SequenceModel
from cogmap.models.terms import Terms
from cogmap.models.transforms import DIFFERENCE, INDEX, NONE, Transform
from cogmap.persistence.values import Kind, State
from cogmap.statistics.conformal import N_QUANTILES, HeldOutErrors
from cogmap.statistics.novelty import RowDistances

_LINKS = LogOddsLink | SoftmaxLink | OrderedLink | ValueLink


def require(condition: Any, what: str) -> None:
    """Raise if a condition that every valid model satisfies is false."""
    if not condition:
        raise ModelFileError(f"it has an invalid value for the {what}")


_NEW_NAMES = {"goes_on": "resumed", "departures_": "prior_deviations_"}  # of attributes in earlier files


def renamed(state: State) -> State:
    """Rename attributes of earlier versions."""
    return {_NEW_NAMES.get(name, name): value for name, value in state.items()}


def _is_count(value: Any, low: int) -> bool:
    return type(value) is int and value >= low


def _is_positive(value: Any) -> bool:
    return type(value) is float and 0 < value < np.inf


def _are_numbers(value: Any, length: int | None = None) -> bool:
    """Return whether a value is a 1-D float64 array, optionally of a given length."""
    is_row = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1
    return is_row and length in (None, len(value))


def _is_table(value: Any, n_rows: int, dtype: Any = np.float64) -> bool:
    """Return whether a value is a 2-D array with a given number of rows, and at least one column."""
    is_table = isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == 2
    return is_table and value.shape[0] == n_rows and value.shape[1] > 0


def _fields(value: Any) -> State:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _map_state(fcm: FuzzyCognitiveMap) -> State:
    names = ("weights", "bias", "slope", "concepts", "activation", "details")
    state = {name: getattr(fcm, name) for name in names}
    if fcm.held:
        state["held"] = list(fcm.held)
    return state | {name: list(state[name]) for name in names[3:5] if isinstance(state[name], tuple)}


def _structured_state(fcm: StructuredMap) -> State:
    n_others = len(fcm.rows)
    parts = {"rows": fcm.rows, "bias": fcm.bias[-n_others:], "slope": fcm.slope, "concepts": list(fcm.concepts)}
    return parts | {"memory": fcm.memory}


def _structured(state: State) -> StructuredMap:
    rows = state["rows"]
    require(isinstance(rows, np.ndarray) and rows.ndim == 2 and 0 < rows.shape[0] < rows.shape[1], "map")
    memory = state["memory"]
    require(_is_positive(state["slope"]) and type(memory) is float and np.isfinite(memory), "map")
    return StructuredMap(**state)


def _statistics(state: State) -> FeatureStatistics:
    statistics = FeatureStatistics(**state)
    n_features = len(statistics.mean)
    for name in ("weight", "mean", "deviation", "low", "high"):
        require(_are_numbers(state[name], n_features), f"{name} of the features")
    require(np.isfinite([statistics.weight, statistics.mean, statistics.deviation]).all(), "statistics of the features")
    require(
        (statistics.deviation >= 0).all() and not np.isinf([statistics.low, statistics.high]).any(),
        "range of the features",
    )
    whole = np.asarray(statistics.whole)
    require(whole.dtype == bool and whole.shape in ((), (n_features,)), "whole-number features")
    return statistics


def _scaling(kind: type[Any], state: State) -> Any:
    require(isinstance(state["known"], FeatureStatistics), "scaling")
    logarithms = state.get("logarithms")
    if logarithms is not None:
        require(isinstance(logarithms, Logarithms) and len(logarithms.mean) == len(state["known"].mean), "scaling")
    return kind(**state)


def _spread_state(scaling: FeatureSpread) -> State:
    return {name: value for name, value in _fields(scaling).items() if value is not None}


def _logarithms(state: State) -> Logarithms:
    bent, numbers = state["bent"], [state[name] for name in ("origin", "unit", "mean", "deviation")]
    require(isinstance(bent, np.ndarray) and bent.dtype == bool and bent.ndim == 1, "logarithms of the features")
    for values in numbers:
        require(_are_numbers(values, len(bent)) and np.isfinite(values).all(), "logarithms of the features")
    require((numbers[1] > 0.0).all() and (numbers[3] >= 0.0).all(), "logarithms of the features")
    return Logarithms(**state)


def _terms_state(terms: Terms) -> State:
    return {"values": list(terms.values), "words": [list(words) for words in terms.words]}


def _terms(state: State) -> Terms:
    values, words = state["values"], state["words"]
    require(isinstance(values, list) and isinstance(words, list) and len(values) == len(words), "terms")
    for peaks, names in zip(values, words, strict=True):
        require(isinstance(names, list) and all(isinstance(word, str) for word in names), "terms")
        if peaks is None:
            require(not names, "terms")
        else:
            require(_are_numbers(peaks, len(names)) and len(names) >= 2 and (np.diff(peaks) > 0).all(), "terms")
            require(np.isfinite(peaks).all(), "terms")
    return Terms(tuple(values), tuple(tuple(names) for names in words))


def _encoding_state(encoding: Encoding) -> State:
    optional = ("used", "features")  # of models in which every input is a concept, files do not have them
    return {name: value for name, value in _fields(encoding).items() if name not in optional or value is not None}


def _encoding(state: State) -> Encoding:
    terms, scaling = state.get("terms"), state.get("scaling")
    require(_is_count(state["n_features"], 1) and _is_count(state.get("n_hidden", 0), 0), "number of features")
    if scaling is not None:
        require(isinstance(scaling, FeatureRange | FeatureSpread), "scaling")
        require(len(scaling.known.mean) == state["n_features"], "scaling")
    if terms is not None:
        require(isinstance(terms, Terms) and len(terms.words) == state["n_features"], "terms")
    used, features = state.get("used"), state.get("features")
    require(used is None or isinstance(used, np.ndarray), "inputs of the map")
    require(features is None or isinstance(features, tuple), "names of the features")
    return Encoding(**state)


def _class_link(kind: type[Any], state: State) -> Any:
    classes = state["classes"]
    require(isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) >= 2, "classes")
    if kind is SoftmaxLink:
        require(_is_positive(state["gain"]), "gain")
    elif kind is OrderedLink:
        thresholds, ranks = state["thresholds"], state["ranks"]
        require(isinstance(ranks, np.ndarray) and ranks.dtype.kind == "i" and ranks.ndim == 1, "order of the classes")
        require(sorted(ranks.tolist()) == list(range(len(classes))), "order of the classes")
        require(len(classes) > 2 and _are_numbers(thresholds, len(classes) - 1), "thresholds of the classes")
        require(np.isfinite(thresholds).all() and (np.diff(thresholds) > 0.0).all(), "thresholds of the classes")
    else:
        require(len(classes) == 2, "classes")
    return kind(**state)


def _values(kind: type[Any], state: State) -> Any:
    targets = state["targets"]
    require(isinstance(targets, tuple) and all(isinstance(name, str) for name in targets), "targets")
    for name in ("mean", "deviation", *(("low", "high") if kind is LogLink else ())):
        require(_are_numbers(state[name], len(targets)) and np.isfinite(state[name]).all(), f"{name} of the targets")
    require(type(state["one_dimensional"]) is bool, "shape of the targets")
    if kind is LogLink:
        positive = np.concatenate([state[name] for name in ("mean", "deviation", "low")]) > 0.0
        require(positive.all() and (state["low"] <= state["high"]).all(), "range of the targets")
    if kind is QuantileLink:
        levels = state["quantiles"]
        require(isinstance(levels, tuple) and len(levels) == len(targets), "quantiles")
        require(all(type(level) is float and 0.0 < level < 1.0 for level in levels), "quantiles")
    return kind(**state)


def _model(state: State) -> MapModel:
    require(isinstance(state["map"], FuzzyCognitiveMap), "map")
    require(isinstance(state["encoding"], Encoding) and isinstance(state["link"], _LINKS), "encoding or link")
    require(_is_count(state["depth"], 1) and state["depth"] <= MAX_DEPTH, "depth")
    return MapModel(**state)


def _variable_lags(state: State) -> VariableLags:
    require(isinstance(state["name"], str), "name of a variable")
    require(_is_count(state["n_changes"], 0) and _is_count(state["period"], 0), "lags")
    require(max(state["n_changes"], state["period"]) <= MAX_DEPTH, "lags")
    return VariableLags(**state)


def _lags(state: State) -> Lags:
    require(isinstance(state["variables"], tuple) and state["variables"], "lags")
    require(all(isinstance(one, VariableLags) for one in state["variables"]), "lags")
    require(_are_texts(state["drivers"]) and isinstance(state["unit"], str), "lags")
    return Lags(**state)


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def _transform(state: State) -> Transform:
    require(state["season"] in (NONE, INDEX, DIFFERENCE) and _is_count(state["period"], 1), "season")
    require(type(state["log"]) is bool and _is_positive(state["scale"]), "transform")
    require(all(type(state[name]) is float and np.isfinite(state[name]) for name in ("center", "rate")), "transform")
    return Transform(**state)


def _has_shape(value: Any, *shape: int | None) -> bool:
    """Return whether a value is a finite float64 array; None is any length."""
    is_array = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == len(shape)
    fits = is_array and all(wanted in (None, length) for wanted, length in zip(shape, value.shape, strict=True))
    return fits and bool(np.isfinite(value).all())


def _recurrence(state: State) -> Recurrence:
    k, m = len(state["bias"]), len(state["hidden_bias"])
    require(_has_shape(state["direct"], k, None) and _has_shape(state["bias"], k), "weights")
    n = state["direct"].shape[1]
    require(_has_shape(state["into_hidden"], m, n) and _has_shape(state["hidden_bias"], m), "weights")
    require(_has_shape(state["from_hidden"], k, m), "weights")
    return Recurrence(**state)


def _sequence_end(state: State) -> SequenceEnd:
    transforms = state["transforms"]
    require(isinstance(transforms, tuple) and all(isinstance(one, Transform) for one in transforms), "transforms")
    k = len(transforms)
    require(_has_shape(state["memory"], None) and _has_shape(state["drivers"], None), "end of a series")
    require(_has_shape(state["modelled"], None, k) and _has_shape(state["seasons"], None, k), "end of a series")
    require(
        len(state["seasons"]) and len(state["modelled"]) >= max(one.period for one in transforms), "end of a series"
    )
    return SequenceEnd(**state)


def _sequence(state: State) -> SequenceModel:
    lags, recurrence, ends = state["lags"], state["recurrence"], state["ends"]
    require(isinstance(lags, Lags) and isinstance(recurrence, Recurrence), "sequence model")
    k, n = len(lags.variables), lags.n_features
    require(
        _has_shape(recurrence.direct, k, n) and _has_shape(state["low"], n) and _has_shape(state["high"], n), "weights"
    )
    require(_are_texts(state["names"]) and len(state["names"]) == k and _are_texts(state["season_names"]), "names")
    n_drivers = len(lags.drivers)
    require(_has_shape(state["driver_center"], n_drivers) and _has_shape(state["driver_scale"], n_drivers), "drivers")
    require(isinstance(ends, tuple) and ends and all(isinstance(end, SequenceEnd) for end in ends), "end of a series")
    for end in ends:
        fits = len(end.transforms) == k and len(end.memory) == lags.starts[-1] and len(end.drivers) == n_drivers
        require(fits, "end of a series")
    return SequenceModel(**state)


def _rule(kind: type[Any], state: State) -> Any:
    state = renamed(state)
    require(_is_positive(state["learning_rate"]), "learning rate")
    if kind is Adam:
        require(_is_count(state["steps"], 0) and type(state["resumed"]) is bool, "solver")
    for mean in (state["mean_square"], state.get("mean")):
        is_row = isinstance(mean, np.ndarray) and mean.dtype.kind == "f" and mean.ndim == 1
        require(mean is None or (is_row and np.isfinite(mean).all()), "solver")
    return kind(**state)


def _random_state(random: np.random.RandomState) -> State:
    state: Any = random.get_state(legacy=False)
    return {"name": state["bit_generator"], **state["state"]} | {key: state[key] for key in ("has_gauss", "gauss")}


def _random(state: State) -> np.random.RandomState:
    """Restore a random number generator; only MT19937 is supported."""
    require(state["name"] == "MT19937", "random state")
    random = np.random.RandomState(0)
    random.set_state((state["name"], state["key"], state["pos"], state["has_gauss"], state["gauss"]))
    return random


def _errors(state: State) -> HeldOutErrors:
    quantiles, spread = state["quantiles"], state["spread"]
    require(
        _is_positive(state["n_rows"])
        and _is_table(quantiles, N_QUANTILES, np.float32)
        and np.isfinite(quantiles).all(),
        "errors",
    )
    require((np.diff(quantiles, axis=0) >= 0).all(), "errors")
    if spread is not None:
        require(_is_table(spread, 5) and spread.shape[1] == quantiles.shape[1], "errors")
        require(np.isfinite(spread).all() and (spread[4] > 0).all(), "errors")
    return HeldOutErrors(**state)


def _distances(state: State) -> RowDistances:
    n_features, precision = len(state["center"]), state["precision"]
    require(
        _is_positive(state["n_rows"]) and _is_table(state["quantiles"][:, None], N_QUANTILES, np.float32),
        "distances of rows",
    )
    require(_are_numbers(state["center"], n_features) and _are_numbers(state["scale"], n_features), "distances of rows")
    is_array = isinstance(precision, np.ndarray) and precision.dtype == np.float32
    require(is_array and precision.shape in ((n_features,), (n_features, n_features)), "distances of rows")
    finite = all(np.isfinite(state[name]).all() for name in ("center", "scale", "precision", "quantiles"))
    require(finite and (state["scale"] > 0).all() and (np.diff(state["quantiles"]) >= 0).all(), "distances of rows")
    return RowDistances(**state)


KINDS = {
    "map": Kind(FuzzyCognitiveMap, _map_state, lambda state: FuzzyCognitiveMap(**state)),
    "structured map": Kind(StructuredMap, _structured_state, _structured),
    "model": Kind(MapModel, _fields, _model),
    "encoding": Kind(Encoding, _encoding_state, _encoding),
    "statistics": Kind(FeatureStatistics, _fields, _statistics),
    "range": Kind(FeatureRange, _fields, partial(_scaling, FeatureRange)),
    "spread": Kind(FeatureSpread, _spread_state, partial(_scaling, FeatureSpread)),
    "logarithms": Kind(Logarithms, _fields, _logarithms),
    "terms": Kind(Terms, _terms_state, _terms),
    "log odds": Kind(LogOddsLink, _fields, partial(_class_link, LogOddsLink)),
    "softmax": Kind(SoftmaxLink, _fields, partial(_class_link, SoftmaxLink)),
    "ordered": Kind(OrderedLink, _fields, partial(_class_link, OrderedLink)),
    "values": Kind(ValueLink, _fields, partial(_values, ValueLink)),
    "log values": Kind(LogLink, _fields, partial(_values, LogLink)),
    "quantiles": Kind(QuantileLink, _fields, partial(_values, QuantileLink)),
    "labels": Kind(LabelsLink, _fields, partial(_values, LabelsLink)),
    "departure": Kind(PriorDeviation, lambda deviation: deviation._asdict(), lambda state: PriorDeviation(**state)),
    "held-out errors": Kind(HeldOutErrors, _fields, _errors),
    "row distances": Kind(RowDistances, _fields, _distances),
    "variable lags": Kind(VariableLags, _fields, _variable_lags),
    "lags": Kind(Lags, _fields, _lags),
    "transform": Kind(Transform, _fields, _transform),
    "recurrence": Kind(Recurrence, _fields, _recurrence),
    "sequence end": Kind(SequenceEnd, _fields, _sequence_end),
    "sequence model": Kind(SequenceModel, _fields, _sequence),
    "adam": Kind(Adam, _fields, partial(_rule, Adam)),
    "rmsprop": Kind(RMSprop, _fields, partial(_rule, RMSprop)),
    "random": Kind(np.random.RandomState, _random_state, _random),
}
