"""Features that influence nothing: a wide map is shown without them, and computes the same."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding
from cogmap.models.model import MapModel
from cogmap.models.terms import Terms

_SHOWN = 200  # concepts, up to which a map is shown with all its features


def busy_features(model: MapModel) -> NDArray[np.intp]:
    """Return the features that influence anything but themselves; all of them where a map is small, or none does."""
    n_inputs = model.n_inputs
    everything = np.arange(model.n_features)
    if model.map.n_concepts <= _SHOWN:
        return everything
    fcm: Any = model.map
    if hasattr(fcm, "influential"):  # a structured map knows without its square table
        busy = fcm.influential
    else:
        others = fcm.weights != 0.0
        np.fill_diagonal(others, False)
        busy = others.any(axis=0)[:n_inputs]
    found = np.unique(model.encoding.columns[busy[:n_inputs]])
    return found if len(found) else everything


def narrowed(model: MapModel, features: NDArray[np.intp]) -> MapModel:
    """Return the model of some of the features, all that influence anything among them: it says the same."""
    if len(features) == model.n_features:
        return model
    inputs = np.flatnonzero(np.isin(model.encoding.columns, features))
    return MapModel(_map_of(model, inputs), model.depth, _encoding_of(model.encoding, features), model.link)


def _map_of(model: MapModel, inputs: NDArray[np.intp]) -> FuzzyCognitiveMap:
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
    )


def _encoding_of(encoding: Encoding, features: NDArray[np.intp]) -> Encoding:
    scaling: Any = encoding.scaling
    if scaling is not None:
        known = scaling.known
        of_all = {each.name: np.broadcast_to(getattr(known, each.name), encoding.n_features) for each in fields(known)}
        scaling = replace(scaling, known=replace(known, **{name: of[features] for name, of in of_all.items()}))
    terms = encoding.terms
    if terms is not None:
        terms = Terms(tuple(terms.values[j] for j in features), tuple(terms.words[j] for j in features))
    return replace(encoding, n_features=len(features), scaling=scaling, terms=terms)
