"""Removal of features without influence from large maps, which leaves predictions unchanged."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel

_MAX_COMPLETE = 200  # concepts up to which a map is shown with all features


def influential_features(model: MapModel) -> NDArray[np.intp]:
    """Return the features that influence other concepts, or, in a small map, all that have a concept.

    If none has influence, return all features.
    """
    n_inputs = model.n_inputs
    everything = np.arange(model.n_features)
    if model.map.n_concepts <= _MAX_COMPLETE:
        features = np.unique(model.encoding.columns)
        return features if len(features) else everything
    fcm: Any = model.map
    if hasattr(fcm, "influential"):  # a structured map, without expanding its weights
        influential = fcm.influential
    else:
        others = fcm.weights != 0.0
        np.fill_diagonal(others, False)
        influential = others.any(axis=0)[:n_inputs]
    features = np.unique(model.encoding.columns[influential[:n_inputs]])
    return features if len(features) else everything


def select_features(model: MapModel, features: NDArray[np.intp]) -> MapModel:
    """Return a model of some features, which must include all influential ones: its predictions are the same."""
    if len(features) == model.n_features:
        return model
    inputs = np.flatnonzero(np.isin(model.encoding.columns, features))
    return MapModel(_select_in_map(model, inputs), model.depth, model.encoding.restricted(features), model.link)


def _select_in_map(model: MapModel, inputs: NDArray[np.intp]) -> FuzzyCognitiveMap:
    fcm: Any = model.map
    if hasattr(fcm, "influential"):
        smaller: FuzzyCognitiveMap = fcm.narrowed(inputs)
        return smaller
    kept = np.concatenate([inputs, np.arange(model.n_inputs, fcm.n_concepts)])
    slope, activation = fcm.slope, fcm.activation
    return FuzzyCognitiveMap(
        fcm.weights[np.ix_(kept, kept)],
        bias=fcm.bias[kept],
        slope=slope if isinstance(slope, float) else slope[kept],
        concepts=[fcm.concepts[i] for i in kept],
        activation=activation if isinstance(activation, str) else [activation[i] for i in kept],
        held=[fcm.concepts[i] for i in kept if fcm.concepts[i] in fcm.held],
    )
