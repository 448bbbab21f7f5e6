"""Names of hidden concepts with few inputs, such as "glucose > 126" or "high glucose and low age"."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread

Array = NDArray[np.float64]

_SOFT = 0.5  # a step wider than this, relative to the middle 80 % of the data, is "high" or "low" instead of a cut


def combination_names(
    weights: Array, bias: Array, features: Sequence[str], encoding: Encoding, table: Any, used: NDArray[np.intp]
) -> list[str]:
    """Return the name of each hidden concept.

    Parameters
    ----------
    weights : ndarray of shape (n_hidden, n_features)
        Weights from features to hidden concepts, for states from -1 to 1.
    bias : ndarray of shape (n_hidden,)
        Net inputs of hidden concepts at undecided features.
    features : sequence of str
        Names of the features.
    encoding : Encoding
        Encoding of the features, which gives the value at a state.
    table : Table
        Training rows as states.
    used : ndarray of int
        Position of each feature in the table.
    """
    return [_name(w, c, features, encoding, table, used) for w, c in zip(weights, bias, strict=True)]


def _name(w: Array, c: float, features: Sequence[str], encoding: Encoding, table: Any, used: NDArray[np.intp]) -> str:
    places = [int(j) for j in np.flatnonzero(w)]
    columns = [2.0 * np.asarray(table.X[:, used[j]], dtype=np.float64) - 1.0 for j in places]
    ends = [np.quantile(column, (0.1, 0.9)) for column in columns]
    two = [_two_values(column) for column in columns]
    if len(places) == 1:
        j, values = places[0], two[0]
        if values is not None:
            return features[j] if w[j] > 0 else f"not {features[j]}"
        cut, width = -c / w[j], 2.2 / abs(w[j])
        low, high = ends[0]
        if width > _SOFT * max(high - low, 1e-9) or not columns[0].min() <= cut <= columns[0].max():
            return f"{features[j]} is {'high' if w[j] > 0 else 'low'}"
        return f"{features[j]} {'>' if w[j] > 0 else '<'} {_value(encoding, int(used[j]), 0.5 + 0.5 * cut)}"
    reach = []  # contribution of each input at its favourable and at its other end
    for j, (low, high), values in zip(places, ends, two, strict=True):
        low, high = values if values is not None else (low, high)
        reach.append(sorted((w[j] * low, w[j] * high)))
    on = c + sum(high for _, high in reach)
    off = c + sum(low for low, _ in reach)
    parts = [_part(features[j], w[j] > 0, values is not None) for j, values in zip(places, two, strict=True)]
    if on > 0 and all(on - high + low < 0 for low, high in reach):
        return " and ".join(parts)
    if off < 0 and all(off - low + high > 0 for low, high in reach):
        return " or ".join(parts)
    return " + ".join(parts)


def _part(feature: str, positive: bool, two_values: bool) -> str:
    if two_values:
        return feature if positive else f"not {feature}"
    return f"{'high' if positive else 'low'} {feature}"


def _two_values(column: Array) -> tuple[float, float] | None:
    low, high = float(column.min()), float(column.max())
    return (low, high) if ((column == low) | (column == high)).all() else None


def spread_value(scaling: FeatureSpread, place: int, state: float) -> tuple[float, float]:
    """Return the value of a feature at a state, and the local width of one standard deviation."""
    unit = float(scaling.deviation[place]) or 1.0
    value = float(scaling.mean[place]) + unit * float(logit(state)) / scaling.steepness
    logarithms = scaling.logarithms
    if logarithms is None or not logarithms.bent[place]:
        return value, unit
    of_place = logarithms.narrowed(np.array([place]))
    low, here, high = of_place.features(np.array([value - 0.5 * unit, value, value + 0.5 * unit])).tolist()
    return here, high - low


def _value(encoding: Encoding, place: int, state: float) -> str:
    """Return the value of a column at a state, rounded to three significant digits of its spread."""
    if encoding.terms is not None:
        return f"{state:.2g}"
    scaling = encoding.scaling
    if isinstance(scaling, FeatureSpread):
        value, unit = spread_value(scaling, place, state)
    elif isinstance(scaling, FeatureRange):
        width = float(scaling.high[place] - scaling.low[place]) or 1.0
        unit, value = 0.25 * width, float(scaling.low[place]) + width * state
    else:
        unit, value = 1.0, state
    digits = int(np.floor(np.log10(unit))) - 1 if unit > 0 else -2
    rounded = round(value, -digits)
    return f"{rounded:.{max(-digits, 0)}f}" if abs(rounded) < 1e15 else f"{rounded:.3g}"
