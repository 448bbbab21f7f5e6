"""Measures of the arrows of a learned map: names, signs, what the drawn ones carry, and agreement of two seeds."""

import numpy as np

from cogmap import influence
from cogmap.explanation.rules import carried_share
from cogmap.maps.drawing.view import edge_strength, graph_view

_MOST_INPUTS = 3  # of a hidden concept that has a name
_CARRIED = 0.95


def n_unnamed(model):
    """Return the number of hidden concepts without a name: numbered ones, and those of more than three inputs."""
    names = model.map.concepts[model.n_inputs : model.n_inputs + model.n_hidden]
    inputs = np.count_nonzero(model.map.weights[model.n_inputs : model.n_inputs + model.n_hidden], axis=1)
    numbered = np.array([name.startswith("hidden ") for name in names], dtype=bool)
    return int((numbered | (inputs > _MOST_INPUTS)).sum())


def drawn_share(model, X):
    """Return the R² between the decisions of the drawn arrows alone and those of the whole map."""
    shares = [1.0]

    def carried(drawn):
        shares.append(carried_share(model, drawn, X))
        return 0.0

    strength = edge_strength(influence(model, X[:200]).flow)
    graph_view(model.map.concepts, model.map.weights, model.kinds, strength, carried=carried)
    return shares[-1]


def n_carrying(model, X):
    """Return the number of arrows that carry 95 % of the influence."""
    flow = np.sort(influence(model, X[:200]).flow.sum(axis=2), axis=None)[::-1]
    return int(np.searchsorted(np.cumsum(flow), _CARRIED * flow.sum())) + 1


def sources(model):
    """Return, for each concept, the columns that it is about and whether more of them raises it.

    A feature or a term is about one column, and a step or combination about those of its inputs. Concepts that have no
    name, and outputs, are about none.
    """
    columns, weights = model.encoding.columns, model.map.weights
    names = model.encoding.column_names(model.map.concepts[: model.n_inputs])
    result = [((names[column], 1),) for column in columns]
    result += [()] * (model.map.n_concepts - model.n_inputs)
    hidden = np.arange(model.n_inputs, model.n_inputs + model.n_hidden)
    for i in hidden[np.argsort(weights[np.ix_(hidden, hidden)].any(axis=1), kind="stable")]:  # steps first
        inputs = np.flatnonzero(weights[i])
        if model.map.held and len(inputs) <= _MOST_INPUTS:
            result[i] = tuple((name, int(np.sign(weights[i, j])) * way) for j in inputs for name, way in result[j])
    return result


def signs(model, X):
    """Return the share of the arrows with the sign of their effect, and that of the outputs whose strongest has.

    All arrows from a column's features, terms and steps to an output are read as one: the sum of their weights times
    the covariance of source and column. Arrows of combinations are not read. The effect is the mean derivative of the
    output's probability, or of its value, per standard deviation of the column; it weights the shares.
    """
    k, states = model.n_outputs, model.transformed(X)
    effects = (model.derivative(X) * np.nanstd(X, axis=0)).mean(axis=0)[-k:]
    reading = np.zeros_like(effects)
    place = {name: j for j, name in enumerate(model.encoding.column_names(model.map.concepts[: model.n_inputs]))}
    centred = np.nan_to_num(X - np.nanmean(X, axis=0))
    for j, about in enumerate(sources(model)):
        if len(about) == 1:
            column = place[about[0][0]]
            along = states[:, j] @ centred[:, column] / len(X)
            reading[:, column] += model.map.weights[-k:, j] * along / (centred[:, column].std() or 1.0)
    read = reading != 0.0
    right = np.sign(reading) == np.sign(effects)
    size = np.abs(effects) * read
    strongest = right[np.arange(k), np.abs(reading).argmax(axis=1)][read.any(axis=1)]
    share = (size * right).sum() / size.sum() if size.sum() > 0 else np.nan
    return share, strongest.mean() if len(strongest) else np.nan


def keyed_arrows(model):
    """Return the absolute weight of each kind of arrow: of columns, with directions, to an output; cut points aside.

    Arrows of a full map are known by the names of both concepts and the sign.
    """
    fcm, result = model.map, {}
    about = sources(model)
    outputs = range(fcm.n_concepts - model.n_outputs, fcm.n_concepts) if fcm.held else range(fcm.n_concepts)
    for i in outputs:
        for j in np.flatnonzero(fcm.weights[i]):
            sign = int(np.sign(fcm.weights[i, j]))
            known = tuple(sorted((column, sign * way) for column, way in about[j])) or (fcm.concepts[j], sign)
            key = known, fcm.concepts[i]
            result[key] = result.get(key, 0.0) + abs(fcm.weights[i, j])
    return result


def direct_weights(model):
    """Return the weights from inputs to outputs by names."""
    fcm, first = model.map, model.map.n_concepts - model.n_outputs
    return {
        (fcm.concepts[j], fcm.concepts[i]): fcm.weights[i, j]
        for i in range(first, fcm.n_concepts)
        for j in np.flatnonzero(fcm.weights[i, : model.n_inputs])
    }


def agreement(one, other):
    """Return the weighted Jaccard index of the arrows of two maps, and the correlation of their direct weights."""
    first, second = keyed_arrows(one), keyed_arrows(other)
    pairs = np.array([(first.get(key, 0.0), second.get(key, 0.0)) for key in {**first, **second}])
    first, second = direct_weights(one), direct_weights(other)
    direct = np.array([(first.get(key, 0.0), second.get(key, 0.0)) for key in {**first, **second}])
    same = pairs.min(axis=1).sum() / pairs.max(axis=1).sum()
    varies = len(direct) > 1 and (direct.std(axis=0) > 0).all()
    return same, np.corrcoef(direct.T)[0, 1] if varies else np.nan
