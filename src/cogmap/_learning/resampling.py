"""Refits of a trained map to randomly weighted rows, which show how much its weights depend on the rows (bootstrap)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.objective import DenseObjective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.solvers import Problem, StoppingRule
from cogmap._learning.solvers.lbfgs import LBFGS
from cogmap._learning.solvers.spaces import Selected
from cogmap._learning.structured import StructuredObjective
from cogmap._learning.table import Table
from cogmap._utils.threads import one_blas_thread
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel

_N_ITER = 60  # of a refit
_TOL = 1e-5
_PATIENCE = 10


def widened(model: MapModel, features: tuple[str, ...]) -> MapModel:
    """Return an equal model of a small map in which every input has a concept."""
    encoding = model.encoding
    if encoding.used is None:
        return model
    full = replace(encoding, used=None)
    n, others = full.n_inputs, np.arange(model.n_inputs, model.map.n_concepts) - model.n_inputs
    places = np.concatenate([encoding.used, n + others])
    weights = np.zeros((n + len(others), n + len(others)))
    weights[np.ix_(places, places)] = model.map.weights
    bias = np.zeros(len(weights))
    bias[places] = model.map.bias
    names = [*full.input_names(features), *model.map.concepts[model.n_inputs :]]
    held = names[:n] if model.map.held else ()
    return MapModel(FuzzyCognitiveMap(weights, bias, model.map.slope, names, held=held), model.depth, full, model.link)


def refits(
    model: MapModel, free: NDArray[np.bool_], table: Table, alpha: float, n_refits: int, random: np.random.RandomState
) -> Iterator[MapModel]:
    """Yield the model trained on the rows as they are, then models trained on randomly weighted rows.

    Weights of rows are drawn from exponential distributions (Bayesian bootstrap; D. B. Rubin, Annals of Statistics 9,
    1981), those of a row that represents several from a sum of as many. The arrows are given, and so is the start.

    Parameters
    ----------
    model : MapModel
        The trained model, with a map that is not structured.
    free : ndarray of bool of shape (n_concepts, n_concepts)
        Weights to train; the others are 0.
    table : Table
        States of the inputs, and targets.
    alpha : float
        Strength of the penalty, which shrinks weights towards those of the model.
    n_refits : int
        Number of models on randomly weighted rows.
    random : RandomState
        Determines the weights of the rows.
    """
    fcm = model.map
    is_layered = bool(fcm.held)
    learned = slice(model.n_inputs if is_layered else 0, None)
    W, b = fcm.weights[learned], fcm.bias[learned]
    theta = np.concatenate([W.ravel(), b])
    rows = table.row_weights * max(1.0, table.n_rows / table.total_weight)
    weights = [rows, *(random.standard_gamma(rows) for _ in range(n_refits))]
    options: dict[str, Any] = {"depth": model.depth, "slope": float(fcm.slope), "n_hidden": model.n_hidden}
    with one_blas_thread():
        for weight in weights:
            objective = _objective(table, np.maximum(weight, 1e-9), is_layered, options)
            penalty = ElasticNet.from_alpha(alpha, 0.0, rows.sum(), W.ravel(), np.ones(W.size))
            problem = Problem(objective, penalty, space=Selected(free[learned]))
            stopping = StoppingRule(_N_ITER, _TOL, _PATIENCE)
            result, _ = LBFGS()(problem, problem.clip(theta), stopping)
            if weight is rows:
                theta = result
            yield _with_theta(model, result, learned)


def _objective(table: Table, weight: NDArray[np.float64], is_layered: bool, options: dict[str, Any]) -> DenseObjective:
    arguments = table.X, table.targets.array, table.targets.loss
    if is_layered:
        return StructuredObjective(*arguments, held=True, sample_weight=weight, **options)
    return DenseObjective(*arguments, sample_weight=weight, **options)


def _with_theta(model: MapModel, theta: NDArray[np.floating], learned: slice) -> MapModel:
    weights, bias = model.map.weights.copy(), model.map.bias.copy()
    n = len(bias[learned])
    weights[learned], bias[learned] = theta[:-n].reshape(n, -1), theta[-n:]
    return replace(model, map=model.map.replace(weights=weights, bias=bias))
