"""Fast predictions for a single row, ten times as fast as `MapModel.outputs`.

For a single row, validation and the overhead of NumPy calls take nearly all of the time. This module uses as few calls
as possible: with states ``T = 2 A - 1``, a step is ``tanh(T @ M + v)``, and the link is computed with plain floats.
Results differ from those of `MapModel` by rounding only. Maps with terms, another activation
or very large weights are not supported: `quick_way` returns None, and callers use `MapModel`.
"""

import math
from collections.abc import Callable

import numpy as np

from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import FeatureSpread
from cogmap.models.features import Array, unit_of
from cogmap.models.links import (
    LabelsLink,
    LogLink,
    LogOddsLink,
    OrderedLink,
    QuantileLink,
    SoftmaxLink,
    ValueLink,
)
from cogmap.models.model import MapModel

Prediction = tuple[list[float], int]  # probabilities or values of a row, and the index of the predicted class

_ORDINARY = 1e4  # limit of the scaled weights and biases, up to which results differ by rounding only


def quick_way(model: MapModel) -> Callable[[Array], Prediction] | None:
    """Return a function that predicts one row, or None if the model is not supported.

    Parameters
    ----------
    model : MapModel
        The model.
    """
    net, read = _quick_net(model), _quick_link(model)
    if net is None or read is None:
        return None
    return lambda row: read(net(row))


def _quick_net(model: MapModel) -> Callable[[Array], list[float]] | None:
    """Return a function from one row to the net input of the outputs."""
    scaling, fcm, terms, used = model.encoding.scaling, model.map, model.encoding.terms, model.encoding.used
    held = fcm._held
    if type(fcm) is not FuzzyCognitiveMap or fcm.activation != "sigmoid" or (held >= model.n_inputs).any():
        return None
    if not isinstance(scaling, FeatureSpread) or terms is not None:
        return None
    steepness = np.broadcast_to(fcm.slope, fcm.n_concepts) / 4.0
    matrix = fcm.weights.T * steepness
    vector = 2.0 * ((fcm.weights.sum(axis=1) - 1.0) / 2.0 + fcm.bias) * steepness
    if max(np.abs(matrix).max(), np.abs(vector).max()) > _ORDINARY:
        return None
    # Undecided concepts are 0, so only inputs enter the first step; only outputs leave the last.
    after = [slice(None)] * (model.depth - 1) + [slice(fcm.n_concepts - model.n_outputs, None)]
    before = [slice(model.n_inputs)] + [slice(None)] * (model.depth - 1)
    *steps, (last, last_vector) = [
        (np.ascontiguousarray(matrix[rows, columns]), vector[columns])
        for rows, columns in zip(before, after, strict=True)
    ]
    if used is not None:
        scaling = scaling.narrowed(used)
    factor, mean, logarithms = scaling.steepness / 2.0 / unit_of(scaling.deviation), scaling.mean, scaling.logarithms

    def net(row: Array) -> list[float]:
        if used is not None:
            row = row.take(used)
        with np.errstate(over="ignore"):  # the tanh of infinity is 1
            if logarithms is not None:
                row = logarithms.values(row)
            T = np.tanh((row - mean) * factor)  # `row * factor - mean * factor` would cancel
        square = T.dot(T)
        if square != square:
            T[np.isnan(T)] = 0.0
        kept = T[held] if held.size else None
        for matrix, vector in steps:
            T = np.tanh(T.dot(matrix) + vector)
            if kept is not None:
                T[held] = kept
        result: list[float] = (T.dot(last) + last_vector).tolist()
        return result

    return net


def _quick_link(model: MapModel) -> Callable[[list[float]], Prediction] | None:
    """Return a function from the net input of the outputs to the prediction."""
    link = model.link
    if isinstance(link, LogOddsLink):

        def odds(net: list[float]) -> Prediction:
            likely, unlikely = _logistic(2.0 * net[0])
            return [unlikely, likely], int(net[0] >= 0.0)

        return odds
    if isinstance(link, SoftmaxLink):
        half = 0.5 * link.gain

        def softmax(net: list[float]) -> Prediction:
            scores = [half * math.tanh(number) for number in net]
            most = max(scores)
            powers = [math.exp(score - most) for score in scores]
            total = sum(powers)
            # Ties are broken as in `predict`: the second of two classes, the first of more.
            chosen = int(scores[1] >= scores[0]) if len(scores) == 2 else scores.index(most)
            return [power / total for power in powers], chosen

        return softmax
    if isinstance(link, OrderedLink):
        classes = list(zip(link.low.tolist(), link.high.tolist(), link.factors.tolist(), strict=True))

        def ordered(net: list[float]) -> Prediction:
            z = net[0]
            p = [_logistic(2.0 * (z - low))[0] * _logistic(2.0 * (high - z))[0] * by for low, high, by in classes]
            return p, p.index(max(p))

        return ordered
    if isinstance(link, LabelsLink):
        return lambda net: ([_logistic(2.0 * number)[0] for number in net], 0)
    if isinstance(link, LogLink):
        arrays = link.mean, link.spread, link.low, link.high
        targets = list(zip(*(array.tolist() for array in arrays), strict=True))

        def exponentials(net: list[float]) -> Prediction:
            both = zip(targets, net, strict=True)
            return [min(max(m * math.exp(min(s * x, 700.0)), low), high) for (m, s, low, high), x in both], 0

        return exponentials
    if isinstance(link, ValueLink):
        means, deviations = link.mean.tolist(), link.deviation.tolist()
        limit = float(np.finfo(np.float64).max)
        crossing = isinstance(link, QuantileLink) and link.is_sorted

        def values(net: list[float]) -> Prediction:
            predictions = (mean + deviation * x for mean, deviation, x in zip(means, deviations, net, strict=True))
            limited = [min(max(value, -limit), limit) for value in predictions]
            return sorted(limited) if crossing else limited, 0

        return values
    return None


def _logistic(x: float) -> tuple[float, float]:
    """Return the logistic function of `x` and of ``-x``."""
    small = math.exp(-abs(x))
    high, low = 1.0 / (1.0 + small), small / (1.0 + small)
    return (high, low) if x >= 0.0 else (low, high)
