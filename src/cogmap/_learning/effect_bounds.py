"""Bounds that tie direct weights to the average marginal effects of the teachers.

The effect of a feature on a probability or value is the sum over all paths through the map. The direct edge is one of
them, and training could give it a sign opposite to the total effect. Here the weight of each direct edge is bounded to
between half and twice the weight at which that edge alone would have the average effect. Hidden concepts
represent the rest: nonlinear effects and interactions.
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

_LOWER, _UPPER = 0.5, 2.0

_MAX_ROWS = 2000  # enough for the average effect
_MAX_DERIVATIVES = 2**22  # largest number of derivatives computed for a structured map

# At this weight, a single feature moves an output from one end of its range to the other.
_MAX_WEIGHT = 20.0
# With steep step units, the average effect of a feature depends on the few rows on the step. Larger effects are left to
# the step units.
_MAX_WEIGHT_WITH_STEPS = 2.0
_MIN_RESPONSE = 1e-12


def with_effect_bounds(spec: ModelSpec, table: Table, thetas: list[Theta]) -> ModelSpec:
    """Return the spec with direct weights bounded around the average effects of the given maps."""
    largest = _MAX_WEIGHT if spec.step_units is None else _MAX_WEIGHT_WITH_STEPS
    weights = np.clip(direct_weights(spec, table, thetas), -largest, largest)
    low, high = free(spec.prior.weights.shape) if spec.limits is None else (bound.copy() for bound in spec.limits)
    direct = slice(-spec.concepts.n_outputs, None), spec.concepts.inputs
    lower, upper = np.sort([_LOWER * weights, _UPPER * weights], axis=0)
    # The concept of a feature without memory carries other features in the last step, so its edge is not bounded.
    if spec.settings.depth > 1:
        forgotten = spec.memory == 0.0
        lower[:, forgotten], upper[:, forgotten] = -np.inf, np.inf
    # Bounds set by the user take precedence.
    low[direct], high[direct] = np.clip(lower, low[direct], high[direct]), np.clip(upper, low[direct], high[direct])
    return replace(spec, limits=(low, high))


def direct_weights(spec: ModelSpec, table: Table, thetas: list[Theta]) -> NDArray[np.float64]:
    """Return the weights at which direct edges alone would have the average effects, one row per output."""
    n_outputs, max_rows = spec.concepts.n_outputs, _MAX_ROWS
    if spec.settings.structured:
        max_rows = min(max(_MAX_DERIVATIVES // (spec.concepts.n_inputs * n_outputs), 50), max_rows)
    table = table.subsample(max_rows)
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
            effect = model.derivative(block)[:, spec.link.rising]  # only of one class if there is one output
            response = spec.link.outputs_derivative(model.net(block))[:, spec.link.rising]
            effects += np.einsum("i,ijk->jk", row_weights[rows], effect)
            carried += np.einsum("i,ijj,ik->jk", row_weights[rows], response, passed)
    # Effects are for states in [0, 1], `passed` is for T = 2 A - 1 in [-1, 1].
    return 0.5 * effects / np.maximum(step * carried, _MIN_RESPONSE)
