"""ONNX nodes of a model: encoding of features, steps of the map, and link."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import param_error
from cogmap.integrations.onnx.graph import Graph, Name, type_of
from cogmap.maps.activations import get_activation
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import OUTERMOST, UNDECIDED, Encoding, FeatureRange, FeatureSpread, Scaling
from cogmap.models.features import unit_of
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
from cogmap.models.model import MapModel
from cogmap.models.terms import Terms
from cogmap.statistics.conformal import MOST_CHANGE, HeldOutErrors

LABEL, PROBABILITIES, PREDICTION, FEATURES = "label", "probabilities", "prediction", "features"
INTERVAL, SET = "interval", "set"
OUTPUTS = LABEL, PROBABILITIES, PREDICTION, FEATURES, INTERVAL, SET

_LOGISTIC = ("sigmoid", "logistic")


def add_transformed(graph: Graph, model: MapModel, X: Name) -> None:
    """Add the learned features (the states before the last step) as the output."""
    graph.output(FEATURES, _before_last(graph, model, X), float, model.map.n_concepts)


def add_predictions(graph: Graph, model: MapModel, X: Name) -> Name:
    """Add the predictions as outputs: labels and probabilities, or values; return the probabilities or values."""
    link = model.link
    weights, bias = _folded(model.map, slice(model.map.n_concepts - model.n_outputs, None))
    net = graph.node("Gemm", _before_last(graph, model, X), weights, bias, transB=1)
    if isinstance(link, LogOddsLink):
        return _add_log_odds(graph, link, net)
    if isinstance(link, SoftmaxLink):
        return _add_softmax(graph, link, net)
    if isinstance(link, OrderedLink):
        return _add_ordered(graph, link, net)
    if isinstance(link, LabelsLink):
        labels = graph.node("Cast", graph.node("GreaterOrEqual", net, 0.0), to=type_of(int))
        graph.output(LABEL, labels, int, link.n_outputs)
        probabilities = graph.node("Sigmoid", graph.node("Mul", net, 2.0))
        graph.output(PROBABILITIES, probabilities, float, link.n_outputs)
        return probabilities
    return _add_values(graph, cast(ValueLink, link), net)


def add_intervals(graph: Graph, link: ValueLink, errors: HeldOutErrors, level: float, values: Name) -> None:
    """Add the intervals of values as an output, as in `HeldOutErrors.intervals`."""
    n_targets = link.n_outputs
    if errors.spread is None:
        below, above = errors.quantile((1.0 + level) / 2.0).reshape(2, 1, -1)
        n_targets = below.size
        low, high = (
            (values, values)
            if n_targets == link.n_outputs
            else (graph.node("Gather", values, np.array([k]), axis=1) for k in (0, link.n_outputs - 1))
        )
        ends = graph.node("Sub", low, below), graph.node("Add", high, above)
        ends = graph.node("Min", *ends), graph.node("Max", *ends)
    else:
        base, linear, absolute, center, scale = (row[None, :] for row in errors.spread)
        z = graph.node("Div", graph.node("Sub", values, center), scale)
        sides = graph.node("Mul", graph.node("Abs", z), absolute)
        change = graph.node("Clip", graph.node("Add", graph.node("Mul", z, linear), sides), -MOST_CHANGE, MOST_CHANGE)
        half = graph.node("Mul", graph.node("Exp", graph.node("Add", change, base)), errors.quantile(level)[None, :])
        ends = graph.node("Sub", values, half), graph.node("Add", values, half)
    both = graph.node("Concat", *(graph.node("Unsqueeze", end, np.array([2])) for end in ends), axis=2)
    if np.isfinite(link.least):
        both = graph.node("Max", both, link.least)
    if link.one_dimensional or n_targets < link.n_outputs:
        graph.output(INTERVAL, graph.node("Squeeze", both, np.array([1])), float, 2)
    else:
        graph.output(INTERVAL, both, float, n_targets, 2)


def add_sets(graph: Graph, errors: HeldOutErrors, level: float, probabilities: Name, shape: tuple[int, ...]) -> None:
    """Add the sets of classes, or those of each label, as an output, as in `HeldOutErrors.sets`."""
    if len(shape) == 2:
        applies = graph.node("Unsqueeze", probabilities, np.array([2]))
        probabilities = graph.node("Concat", graph.node("Sub", 1.0, applies), applies, axis=2)
    likeliest = graph.node("ReduceMax", probabilities, axes=[len(shape)], keepdims=1)
    least = graph.node("Min", likeliest, 1.0 - errors.quantile(level)[:, None])
    graph.output(SET, graph.node("GreaterOrEqual", probabilities, least), bool, *shape)


def _add_log_odds(graph: Graph, link: LogOddsLink, net: Name) -> Name:
    log_odds = graph.node("Mul", net, 2.0)
    both = graph.node("Mul", log_odds, np.array([[-1.0, 1.0]]))
    _add_label(graph, link.classes, graph.node("GreaterOrEqual", log_odds, 0.0))
    probabilities = graph.node("Sigmoid", both)
    graph.output(PROBABILITIES, probabilities, float, 2)
    return probabilities


def _add_softmax(graph: Graph, link: SoftmaxLink, net: Name) -> Name:
    scores = graph.node("Mul", graph.node("Tanh", net), 0.5 * link.gain)
    if len(link.classes) == 2:  # the second class wins ties, as in `predict`
        difference = graph.node("MatMul", scores, np.array([[-1.0], [1.0]]))
        _add_label(graph, link.classes, graph.node("GreaterOrEqual", difference, 0.0))
    else:
        _add_label(graph, link.classes, graph.node("ArgMax", scores, axis=1, keepdims=1))
    probabilities = graph.node("Softmax", scores, axis=1)
    graph.output(PROBABILITIES, probabilities, float, len(link.classes))
    return probabilities


def _add_ordered(graph: Graph, link: OrderedLink, net: Name) -> Name:
    z = graph.node("Mul", net, 2.0)
    at_least = graph.node("Sigmoid", graph.node("Sub", z, 2.0 * link.low[None, :]))
    at_most = graph.node("Sigmoid", graph.node("Sub", 2.0 * link.high[None, :], z))
    probabilities = graph.node("Mul", graph.node("Mul", at_least, at_most), link.factors[None, :])
    _add_label(graph, link.classes, graph.node("ArgMax", probabilities, axis=1, keepdims=1))
    graph.output(PROBABILITIES, probabilities, float, len(link.classes))
    return probabilities


def _add_label(graph: Graph, classes: NDArray[Any], chosen: Name) -> None:
    """Add the label output; `chosen` is a column of class indices, or of whether the second class is predicted."""
    number = graph.node("Squeeze", graph.node("Cast", chosen, to=type_of(int)), np.array([1]))
    labels = np.array(classes.tolist())  # also infers the common type of object labels
    kind = {"U": str, "b": bool, "i": int, "u": int, "f": float}.get(labels.dtype.kind)
    if kind is None or (kind is int and not -(2**63) <= int(min(labels)) <= int(max(labels)) < 2**63):
        raise param_error("to_onnx", "model", "one whose classes are strings, booleans or numbers", classes)
    labels = labels if kind is str else labels.astype({bool: np.bool_, int: np.int64, float: np.float64}[kind])
    graph.output(LABEL, graph.node("Gather", labels, number), kind)


def _add_values(graph: Graph, link: ValueLink, net: Name) -> Name:
    if isinstance(link, LogLink):
        factors = graph.node("Exp", graph.node("Mul", net, link.spread[None, :]))
        values = graph.node("Max", graph.node("Mul", factors, link.mean[None, :]), link.low[None, :])
        values = graph.node("Min", values, link.high[None, :])
    else:
        most = np.finfo(np.float64).max
        values = graph.node("Add", graph.node("Mul", net, link.deviation[None, :]), link.mean[None, :])
        values = graph.node("Clip", values, -most, most)
    if isinstance(link, QuantileLink) and link.is_sorted:
        values = graph.node("TopK", values, np.array([link.n_outputs]), largest=0)
    if link.one_dimensional:
        graph.output(PREDICTION, graph.node("Squeeze", values, np.array([1])), float)
    else:
        graph.output(PREDICTION, values, float, link.n_outputs)
    return values


def _before_last(graph: Graph, model: MapModel, X: Name) -> Name:
    """Return the states before the last step."""
    states = _inputs(graph, model.encoding, X)
    others = model.map.n_concepts - model.n_inputs
    states = graph.node("Pad", states, np.array([0, 0, 0, others]), UNDECIDED)
    if isinstance(model.map, StructuredMap):
        states = _structured_steps(graph, model.map, states, model.depth - 1)
    elif model.depth > 1:
        weights, bias = _folded(model.map)
        logistic = model.map.activation in _LOGISTIC
        if logistic:  # 0.5 + 0.5 tanh(x) is the logistic function of 2 x, which is a single node
            weights, bias = 2.0 * weights, 2.0 * bias
        shared = graph.constant(weights), graph.constant(bias)
        first, is_held = states, np.isin(np.arange(model.map.n_concepts), model.map._held)[None, :]
        for _ in range(model.depth - 1):
            net = graph.node("Gemm", states, *shared, transB=1)
            states = graph.node("Sigmoid" if logistic else "Tanh", net)
            if is_held.any():
                states = graph.node("Where", is_held, first, states)
    return states


def _structured_steps(graph: Graph, fcm: StructuredMap, states: Name, steps: int) -> Name:
    """Return the states after `steps` steps of a structured map, whose features only influence themselves."""
    n_features = fcm.n_concepts - len(fcm.rows)
    weights, bias = _folded(fcm, slice(n_features, None))
    shared = graph.constant(2.0 * weights), graph.constant(2.0 * bias)
    for _ in range(steps):
        features = graph.node("Slice", states, np.array([0]), np.array([n_features]), np.array([1]))
        remembered = graph.node("Mul", graph.node("Sub", features, UNDECIDED), fcm.slope * fcm.memory)
        others = graph.node("Gemm", states, *shared, transB=1)
        states = graph.node("Sigmoid", graph.node("Concat", remembered, others, axis=1))
    return states


def _folded(fcm: FuzzyCognitiveMap, concepts: slice = slice(None)) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weights and bias that include the slope and center of the activation."""
    if fcm.activation not in (*_LOGISTIC, "tanh"):
        expected = "one whose map has the activation 'sigmoid', 'logistic' or 'tanh' in all concepts"
        raise param_error("to_onnx", "model", expected, fcm.activation)
    steep, center = fcm.excitation_slope(concepts), get_activation(fcm.activation).center
    return steep[:, None] * fcm.weights_into(concepts), steep * (fcm.bias[concepts] - center)


def _inputs(graph: Graph, encoding: Encoding, X: Name) -> Name:
    """Return the input states: scaled numbers, or the degrees of truth of linguistic terms."""
    columns, has_terms = encoding.columns, encoding.terms is not None and encoding.most_words
    if encoding.used is not None and not has_terms:
        X, encoding = graph.node("Gather", X, columns, axis=1), encoding.narrowed(columns)
    missing = graph.node("IsNaN", X)
    states = X if encoding.scaling is None else _scaled(graph, encoding.scaling, X)
    if encoding.terms is not None and has_terms:
        of_inputs = graph.node("Gather", X, columns, axis=1)
        numbers = graph.node("Gather", states, columns, axis=1)
        missing = graph.node("Gather", missing, columns, axis=1)
        is_word = np.array([len(encoding.terms.words[column]) > 0 for column in columns])[None, :]
        states = graph.node("Where", is_word, _truths(graph, encoding, of_inputs), numbers)
    return graph.node("Where", missing, UNDECIDED, states)


def _scaled(graph: Graph, scaling: Scaling, X: Name) -> Name:
    if isinstance(scaling, FeatureSpread):
        X = X if scaling.logarithms is None else _bent(graph, scaling.logarithms, X)
        away = graph.node("Sub", X, scaling.mean[None, :])
        deviations = graph.node("Div", away, unit_of(scaling.deviation)[None, :])
        return graph.node("Sigmoid", graph.node("Mul", deviations, scaling.steepness))
    if isinstance(scaling, FeatureRange):
        above = graph.node("Sub", X, scaling.low[None, :])
        return graph.node("Clip", graph.node("Div", above, unit_of(scaling.high - scaling.low)[None, :]), *OUTERMOST)
    raise param_error("to_onnx", "model", "one with a known scaling", scaling)


def _bent(graph: Graph, logarithms: Logarithms, X: Name) -> Name:
    """Return the features, those with a long tail on a logarithmic scale."""
    distance = graph.node("Div", graph.node("Sub", X, logarithms.origin[None, :]), logarithms.unit[None, :])
    logarithm = graph.node("Log", graph.node("Add", graph.node("Max", distance, 0.0), 1.0))
    return graph.node(
        "Where", logarithms.bent[None, :], graph.node("Add", logarithm, graph.node("Min", distance, 0.0)), X
    )


def _truths(graph: Graph, encoding: Encoding, x: Name) -> Name:
    """Return the degree of truth of each term: a triangle between the peaks of its neighbours.

    The first term is fully true below its peak, which is a rise of infinite width; likewise the last above its peak.
    """
    before, after = [], []  # start of the rise, end of the fall
    rise, fall = [], []  # their widths
    for values in cast(Terms, encoding.terms).values:
        at = np.zeros(1) if values is None else values
        gaps = np.diff(at)
        before.append(np.concatenate([at[:1], at[:-1]]))
        after.append(np.concatenate([at[1:], at[-1:]]))
        rise.append(np.concatenate([[np.inf], gaps]))
        fall.append(np.concatenate([gaps, [np.inf]]))
    used = slice(None) if encoding.used is None else encoding.used
    left, right, up, down = (np.concatenate(parts)[None, used] for parts in (before, after, rise, fall))
    rising = graph.node("Add", graph.node("Div", graph.node("Sub", x, left), up), np.isinf(up).astype(float))
    falling = graph.node("Add", graph.node("Div", graph.node("Sub", right, x), down), np.isinf(down).astype(float))
    return graph.node("Clip", graph.node("Min", rising, falling), 0.0, 1.0)
