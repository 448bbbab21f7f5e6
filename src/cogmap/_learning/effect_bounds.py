"""Arrows that mean what they say: influences of features on outputs, tied to the effects that teachers found.

The effect of a feature on a probability or value runs over all ways through the map. An arrow from the feature to the
output is one of them, the direct one, and learning is free to turn it against the others. Here each arrow is kept
between half and twice the weight with which it would carry the whole effect, on the average over the rows. What is left
to hidden concepts is what no arrow can say: bends, and features that act together.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning.solvers import Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.structure import free
from cogmap._learning.table import Table
from cogmap.models.encoding import UNDECIDED
from cogmap.models.model import dense

_LEAST, _MOST = 0.5, 2.0

# The mean effect over so many rows is that over all.
_ENOUGH_ROWS = 2000
_AT_ONCE = 2**22  # derivatives of a wide map

# Arrows need not be larger: a feature that alone moves an output from one end to the other.
_LARGEST = 20.0
# Where a hidden concept is a steep step of a feature, the mean effect hangs on the few rows that are on the step. What
# it tells beyond this is the step's.
_LARGEST_BESIDE_STEPS = 2.0
_NO_WAY = 1e-12


def with_effect_bounds(spec: ModelSpec, table: Table, thetas: list[Theta]) -> ModelSpec:
    """Return the spec of a map whose arrows from features to outputs follow the mean effects that some maps have."""
    largest = _LARGEST if spec.step_units is None else _LARGEST_BESIDE_STEPS
    weights = np.clip(direct_weights(spec, table, thetas), -largest, largest)
    low, high = free(spec.prior.weights.shape) if spec.limits is None else (bound.copy() for bound in spec.limits)
    arrows = slice(-spec.concepts.n_outputs, None), spec.concepts.inputs
    lower, upper = np.sort([_LEAST * weights, _MOST * weights], axis=0)
    # The arrow of a feature that must not remember itself tells of what is left there of others.
    if spec.settings.depth > 1:
        forgotten = spec.memory == 0.0
        lower[:, forgotten], upper[:, forgotten] = -np.inf, np.inf
    # What an expert fixes comes first.
    low[arrows], high[arrows] = np.clip(lower, low[arrows], high[arrows]), np.clip(upper, low[arrows], high[arrows])
    return replace(spec, limits=(low, high))


def direct_weights(spec: ModelSpec, table: Table, thetas: list[Theta]) -> NDArray[np.float64]:
    """Return the weights with which arrows would carry the effects of features on outputs, one row per output."""
    n_outputs, enough = spec.concepts.n_outputs, _ENOUGH_ROWS
    if spec.settings.structured:
        enough = min(max(_AT_ONCE // (spec.concepts.n_inputs * n_outputs), 50), enough)
    table = table.spread(enough)
    memory = spec.memory
    step = 0.25 * spec.settings.slope
    row_weights = table.row_weights
    effects: NDArray[np.float64] = np.zeros((n_outputs, spec.concepts.n_inputs))
    carried = np.zeros_like(effects)
    models = [spec.model(theta) for theta in thetas]
    for rows, block in table.blocks():
        X = dense(block) + UNDECIDED if issparse(block) else block
        kept, passed = 2.0 * X - 1.0, np.ones(X.shape)
        for _ in range(spec.settings.depth - 1):
            kept = np.tanh(step * memory * kept)
            passed *= step * memory * (1.0 - np.square(kept))
        for model in models:
            effect = model.derivative(block)[:, -n_outputs:]  # of the second class alone if there is one output
            response = spec.link.outputs_derivative(model.net(block))[:, -n_outputs:]
            effects += np.einsum("i,ijk->jk", row_weights[rows], effect)
            carried += np.einsum("i,ijj,ik->jk", row_weights[rows], response, passed)
    # Effects are on states from 0 to 1, what is passed on counts from -1 to 1.
    return 0.5 * effects / np.maximum(step * carried, _NO_WAY)
