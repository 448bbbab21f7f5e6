"""Turn what was learned from time series into a `SequenceModel`, and into the map of one step."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.network import Network
from cogmap._learning.sequence.fitting import SequenceData, SequenceFit
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding, FeatureRange
from cogmap.models.features import FeatureStatistics
from cogmap.models.lags import RATES
from cogmap.models.links import ValueLink
from cogmap.models.model import MapModel, concept_names
from cogmap.models.names import combination_names
from cogmap.models.sequence import SequenceEnd, SequenceModel

Array = NDArray[np.float64]

SLOPE = 2.0


def sequence_model(
    fit: SequenceFit, data: SequenceData, driver_center: Array, driver_scale: Array, season_names: Sequence[str]
) -> SequenceModel:
    """Return the model with the ends of all runs."""
    ends = []
    for table in fit.tables:
        run, n = table.run, table.run.n_steps
        seasons = np.stack([season[n : n + data.period] for season in run.seasons], axis=1)
        modelled = np.stack([z[-data.period :] for z in run.modelled], axis=1)
        drivers = np.zeros(0) if run.drivers is None else run.drivers[-1]
        ends.append(SequenceEnd(run.transforms, table.memories[-1], modelled, seasons, drivers))
    low, high = fit.bounds
    return SequenceModel(
        fit.lags,
        fit.recurrence,
        low,
        high,
        tuple(data.names),
        tuple(ends),
        driver_center,
        driver_scale,
        tuple(season_names),
    )


def map_of_step(model: SequenceModel, features: Array) -> MapModel:
    """Return the map of one step: from the columns of `SequenceModel.map_rows` to the next value of each variable.

    Its outputs are the values as modelled: logarithms where these are modelled.

    Parameters
    ----------
    model : SequenceModel
        The model.
    features : ndarray of shape (n_rows, n_features)
        Features from which it was learned.
    """
    recurrence, lags, end = model.recurrence, model.lags, model.ends[0]
    third = (model.high - model.low) / 3.0  # the range of a feature; it is clipped at one range beyond
    low, width = model.low + third, np.where(third > 0.0, third, 1.0)
    direct = recurrence.direct.copy()
    direct[np.arange(len(direct)), lags.levels] += 1.0  # the next value is the present one plus the change
    into_hidden = recurrence.into_hidden
    one = len(model.ends) == 1  # runs of a panel differ in seasons and units
    center = np.array([transform.center for transform in end.transforms]) if one else np.zeros(len(direct))
    scale = np.array([transform.scale for transform in end.transforms]) if one else np.ones(len(direct))
    columns, season_weights = model.season_columns()
    if columns:
        direct = np.concatenate([direct, season_weights / scale[:, None]], axis=1)
        into_hidden = np.concatenate([into_hidden, np.zeros((len(into_hidden), len(columns)))], axis=1)
        known = model.season_rows(model.n_period)
        lowest, highest = known.min(axis=0), known.max(axis=0)
        low = np.concatenate([low, lowest])
        width = np.concatenate([width, np.where(highest > lowest, highest - lowest, 1.0)])
        features = np.concatenate([features, known[np.arange(len(features)) % len(known)]], axis=1)
    middle = low + 0.5 * width
    network = Network(
        0.5 * width * into_hidden,
        recurrence.hidden_bias + into_hidden @ middle,
        np.concatenate([0.5 * width * direct, recurrence.from_hidden], axis=1),
        recurrence.bias + direct @ middle,
    )
    n, m, k = network.n_inputs, network.n_hidden, len(network.bias)
    used = np.flatnonzero(network.into_hidden.any(axis=0) | network.into_outputs[:, :n].any(axis=0))
    n_concepts = len(used) + m + k
    places = np.concatenate([used, n + np.arange(m)])
    small = Network(network.into_hidden[:, used], network.hidden_bias, network.into_outputs[:, places], network.bias)
    theta = small.theta(SLOPE)
    weights = np.zeros((n_concepts, n_concepts))
    weights[len(used) :] = theta[: -(m + k)].reshape(m + k, n_concepts)
    bias = np.concatenate([np.zeros(len(used)), theta[-(m + k) :]])
    statistics = FeatureStatistics.of(features)
    statistics = FeatureStatistics(statistics.weight, statistics.mean, statistics.deviation, low, low + width)
    all_names = [*lags.names, *columns]
    scaling = FeatureRange(statistics)
    encoding = Encoding(n, m, scaling, used=used, features=tuple(all_names))
    names = [all_names[j] for j in used]
    states = SimpleNamespace(X=scaling.scale(features))
    hidden = combination_names(small.into_hidden, small.hidden_bias, names, encoding, states, used)
    outputs = tuple(f"next {name}" for name in model.names)
    concepts = concept_names(names, hidden, list(outputs))
    fcm = FuzzyCognitiveMap(weights, bias, SLOPE, concepts, held=concepts[: len(used)])
    return MapModel(fcm, 2 if m else 1, encoding, ValueLink(outputs, center, scale, k == 1))


def map_in_time(model: SequenceModel) -> FuzzyCognitiveMap:
    """Return a map whose steps are those of time: variables, their past and their averages are all concepts.

    States are values scaled to [0, 1]: 0 and 1 are the bounds at which forecasts are clipped. A hidden concept acts one
    step later than in a forecast, so that paths differ if there are any, but fixed points do not. Drivers are held.
    """
    lags, recurrence = model.lags, model.recurrence
    F, G, C = lags.matrices
    n_memory, m = len(F), recurrence.n_hidden
    names, owner = [], []
    for v, variable in enumerate(lags.variables):
        ages = [f"{variable.name}, {i} {lags.unit}{'s' if i > 1 else ''} ago" for i in range(1, variable.n_past)]
        averages = [f"{variable.name}, average of {round(2 / rate - 1)} {lags.unit}s" for rate in RATES]
        names += [variable.name, *ages, *averages]
        owner += [v] * (variable.n_past + len(averages))
    low, high = model.low[lags.levels][owner], model.high[lags.levels][owner]
    width = np.where(high > low, high - low, 1.0)
    n_drivers = len(lags.drivers)
    first = lags.n_features - 2 * n_drivers
    values = slice(first, None, 2)  # in a scenario drivers are constant: their changes are 0
    n = n_memory + m + n_drivers
    W, b = np.zeros((n, n)), np.zeros(n)
    # memory' = (F + G A C) memory + G (a + B hidden + A_d drivers), with memory = low + width * state
    step = F + G @ recurrence.direct @ C
    W[:n_memory, :n_memory] = step * width / width[:, None]
    W[:n_memory, n_memory : n_memory + m] = (G @ (2.0 * recurrence.from_hidden)) / width[:, None]
    W[:n_memory, n_memory + m :] = (G @ recurrence.direct[:, values]) / width[:, None]
    offset = G @ (recurrence.bias - recurrence.from_hidden.sum(axis=1))
    b[:n_memory] = (step @ low + offset - low) / width
    # hidden = tanh(u) = 2 logistic(2 u) - 1, and the logistic function of slope 1 of 2 u + 0.5 is "sigmoid"
    V = recurrence.into_hidden @ C
    W[n_memory : n_memory + m, :n_memory] = 2.0 * V * width
    W[n_memory : n_memory + m, n_memory + m :] = 2.0 * recurrence.into_hidden[:, values]
    b[n_memory : n_memory + m] = 2.0 * (recurrence.hidden_bias + V @ low) + 0.5
    hidden = [f"hidden {i + 1}" for i in range(m)]
    activation = ["saturation"] * n_memory + ["sigmoid"] * m + ["saturation"] * n_drivers
    return FuzzyCognitiveMap(W, b, 1.0, [*names, *hidden, *lags.drivers], activation, held=lags.drivers)
