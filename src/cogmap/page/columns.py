"""Input columns of the page, and their encoding as features and states."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._subject import known_features, logarithms_of
from cogmap.maps.activations import get_activation
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.logarithms import Logarithms

Array = NDArray[np.floating]
Column = dict[str, Any]

# A feature with the values 0 and 1, and other words for them that can be pasted. It need not mean no and yes.
_ZERO_OR_ONE = {"choices": ["0", "1"], "words": {"0": 0, "1": 1, "no": 0, "yes": 1, "false": 0, "true": 1}}
_UNIT = re.compile(r"\(([^()]{1,12})\)\s*$")  # petal width (cm)


def features_of(encoding: Encoding) -> list[dict[str, Any]]:
    """Return the encoding of each feature: its input concepts, -1 for none, and how its values become states."""
    scaling, terms = encoding.scaling, encoding.terms
    every = encoding if encoding.used is None else replace(encoding, used=None)
    concept = np.arange(every.n_inputs)
    if encoding.used is not None:
        concept = np.full(every.n_inputs, -1)  # of inputs without a concept
        concept[encoding.used] = np.arange(encoding.n_inputs)
    features: list[dict[str, Any]] = [
        {"inputs": concept[every.columns == j].tolist()} for j in range(encoding.n_features)
    ]
    for j, feature in enumerate(features):
        values = None if terms is None else terms.values[j]
        if values is not None:
            feature["values"] = values.tolist()
        elif scaling is not None:
            if isinstance(scaling, FeatureSpread):
                center, unit = scaling.mean[j], scaling.deviation[j]
                feature |= {} if scaling.logarithms is None else _tail(scaling.logarithms, j)
            else:
                center, high = np.nan_to_num([scaling.known.low[j], scaling.known.high[j]])
                unit = high - center
            feature |= {"center": float(center), "unit": float(unit) or 1.0}
    return features


def scaling_name(encoding: Encoding) -> str:
    """Return the kind of scaling: "none", "range" or "spread"."""
    if encoding.scaling is None:
        return "none"
    return "range" if isinstance(encoding.scaling, FeatureRange) else "spread"


def number_columns(encoding: Encoding, names: tuple[str, ...], table: Array | None) -> list[Column]:
    """Return one column per feature, with its range in the training data.

    A column with choices is shown as words, by the index of the choice; if it is `one_hot`, each choice is a feature.
    """
    known, logarithms = known_features(encoding), logarithms_of(encoding)
    center = known.mean if encoding.scaling is None else encoding.scaling.center
    low, high, whole = known.low, known.high, np.broadcast_to(known.whole, known.low.shape)
    missing = known.weight < known.weight.max()
    if table is not None:
        missing = missing | np.isnan(table).any(axis=0)
    return [
        {
            "name": name,
            "features": [j],
            **(_ZERO_OR_ONE if whole[j] and low[j] == 0.0 and high[j] == 1.0 else {}),
            **_unit(name),
            **_range(low[j], high[j], center[j], known.deviation[j], bool(whole[j])),
            **({} if logarithms is None else _tail(logarithms, j)),
            "missing": bool(missing[j]),
        }
        for j, name in enumerate(names)
    ]


def _tail(logarithms: Logarithms, j: int) -> dict[str, Any]:
    """Return the logarithmic scale of a feature, if it has one."""
    if not logarithms.bent[j]:
        return {}
    return {"tail": {name: float(getattr(logarithms, name)[j]) for name in ("origin", "unit", "deviation")}}


def _unit(name: str) -> dict[str, str]:
    match = _UNIT.search(name)
    return {"unit": match[1]} if match else {}


def _range(low: float, high: float, mean: float, deviation: float, whole: bool) -> dict[str, Any]:
    """Return the range, a typical value and the deviation of a feature; zeros if it was always missing."""
    if np.isnan(low):
        low = high = mean = 0.0
    return {
        "low": float(low),
        "high": float(high),
        "mean": float(mean),
        "deviation": float(deviation) or 1.0,
        "whole": whole,
    }


def prepared_columns(preparer: Any, features: list[Column]) -> list[Column]:
    """Return one column per raw table column, combining the feature columns that a `TablePreparer` makes of it.

    A category becomes one column with choices. A date keeps its numeric parts as separate columns.
    """
    columns: list[Column] = []
    first = 0
    for column in preparer.columns_:
        own = features[first : first + len(column.outputs)]
        first += len(own)
        columns += [_unit(entry["name"]) | entry for entry in column.page(own)]
    return columns


def cells(column: Column, table: Array) -> list[Any]:
    """Return the cells of a column for rows of features: numbers or choices, None if missing."""
    own = table[:, column["features"]]
    if not column.get("one_hot"):
        return plain(own[:, 0])
    codes = np.where(np.isnan(own[:, 0]), -1, own.argmax(axis=1)).tolist()
    return [None if code < 0 else column["choices"][code] for code in codes]


def plain(values: NDArray[Any]) -> list[Any]:
    """Return numbers in the form that is shortest in JSON, and None for NaN."""
    return [_number(float(value)) for value in values]


def _number(value: float) -> float | int | None:
    if np.isnan(value):
        return None
    # An integer is written without ".0"; but -0.0 would lose its sign, and above 2**53 there would be more digits.
    return int(value) if value.is_integer() and abs(value) < 2**53 and (value or not np.signbit(value)) else value


def concept_columns(fcm: FuzzyCognitiveMap) -> list[Column]:
    """Return one column per concept of a hand-made map: its initial or clamped state."""
    activation = get_activation(fcm.activation)
    low, high, middle = (
        np.broadcast_to(value, fcm.n_concepts) for value in (activation.low, activation.high, activation.middle)
    )
    details = fcm.details.get("concepts", {})
    return [
        {
            "name": name,
            "features": [j],
            **_range(low[j], high[j], middle[j], 1.0, False),
            **{key: str(details[name][key]) for key in ("units", "notes") if details.get(name, {}).get(key)},
            "missing": False,
        }
        for j, name in enumerate(fcm.concepts)
    ]
