"""Names of hidden concepts with few inputs, such as "glucose > 126" or "high glucose and low age"."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from cogmap._utils.numbers import readable
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread

Array = NDArray[np.float64]

_SOFT = 0.5  # a step wider than this, relative to the middle 80 % of the data, is "high" or "low" instead of a cut


def combination_names(
    weights: Array, bias: Array, features: Sequence[str], encoding: Encoding, table: Any, used: NDArray[np.intp]
) -> list[str]:
    """Return the name of each hidden concept.

    Parameters
    ----------
    weights : ndarray of shape (n_hidden, n_features) or (n_hidden, n_features + n_hidden)
        Weights from features, and from steps, to hidden concepts, for states from -1 to 1.
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
    n = len(features)
    columns = {  # states of inputs, from -1 to 1
        j: 2.0 * np.asarray(table.X[:, used[j]], dtype=np.float64) - 1.0
        for j in np.flatnonzero(weights[:, :n].any(axis=0)).tolist()
    }
    names, opposites = [""] * len(bias), [""] * len(bias)
    for i in np.argsort(weights[:, n:].any(axis=1), kind="stable").tolist():  # steps first
        inputs = np.flatnonzero(weights[i]).tolist()
        w, c = weights[i, inputs], float(bias[i])
        states = [columns[j] for j in inputs]
        if len(inputs) == 1 and inputs[0] < n:
            feature, place = features[inputs[0]], int(used[inputs[0]])
            names[i], opposites[i] = (
                _step(sign * w[0], sign * c, feature, states[0], encoding, place) for sign in (1, -1)
            )
        else:
            parts = []
            for j, weight, column in zip(inputs, w, states, strict=True):
                if j < n:
                    parts.append(_part(features[j], weight > 0, column, encoding, int(used[j])))
                else:
                    parts.append(names[j - n] if weight > 0 else opposites[j - n])
            names[i] = _joined(w, c, states, parts)
        columns[n + i] = np.tanh(sum(weight * column for weight, column in zip(w, states, strict=True)) + c)
    return names


def _step(w: float, c: float, feature: str, column: Array, encoding: Encoding, place: int) -> str:
    """Return the name of a concept with one feature as input."""
    if _two_values(column) is not None:
        return _part(feature, w > 0, column, encoding, place)
    cut, width = -c / w, 2.2 / abs(w)
    low, high = np.quantile(column, (0.1, 0.9))
    if width > _SOFT * max(high - low, 1e-9) or not column.min() <= cut <= column.max():
        return f"{feature} is {'high' if w > 0 else 'low'}"
    return f"{feature} {'>' if w > 0 else '<'} {_value(encoding, place, 0.5 + 0.5 * cut)}"


def _joined(w: Array, c: float, columns: Sequence[Array], parts: Sequence[str]) -> str:
    """Return the name of a concept with several inputs, or one that is a step, given their names."""
    reach = []  # contribution of each input at its unfavourable and at its favourable end
    for weight, column in zip(w, columns, strict=True):
        low, high = _two_values(column) or np.quantile(column, (0.1, 0.9))
        reach.append(sorted((weight * low, weight * high)))
    on = c + sum(high for _, high in reach)
    off = c + sum(low for low, _ in reach)
    if on > 0 and all(on - high + low < 0 for low, high in reach):
        return " and ".join(parts)
    if off < 0 and all(off - low + high > 0 for low, high in reach):
        return " or ".join(parts)
    return " + ".join(parts)


def _part(feature: str, positive: bool, column: Array, encoding: Encoding, place: int) -> str:
    """Return the name of an input of a concept: "high age", "smoker", "not smoker" or "doors=4"."""
    if (states := _two_values(column)) is None:
        return f"{'high' if positive else 'low'} {feature}"
    values = [_value_at(encoding, place, 0.5 + 0.5 * state)[0] for state in states]
    if encoding.terms is not None or np.isclose(values, np.rint(np.clip(values, 0.0, 1.0)), atol=1e-4).all():
        return feature if positive else f"not {feature}"
    return f"{feature}={readable(values[bool(positive)], 4)}"  # "not doors" would say that there are none


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
    value, unit = _value_at(encoding, place, state)
    digits = int(np.floor(np.log10(unit))) - 1 if unit > 0 else -2
    rounded = round(value, -digits)
    return f"{rounded:.{max(-digits, 0)}f}" if abs(rounded) < 1e15 else f"{rounded:.3g}"


def _value_at(encoding: Encoding, place: int, state: float) -> tuple[float, float]:
    """Return the value of a feature at a state, and its unit of spread."""
    scaling = encoding.scaling
    if isinstance(scaling, FeatureSpread):
        return spread_value(scaling, place, state)
    if isinstance(scaling, FeatureRange):
        width = float(scaling.high[place] - scaling.low[place]) or 1.0
        return float(scaling.low[place]) + width * state, 0.25 * width
    return state, 1.0
