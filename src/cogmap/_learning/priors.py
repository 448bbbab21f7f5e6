"""Priors: the map towards which the penalty shrinks the weights.

Shrunk towards 0, a map predicts as well, but later states of a feature's concept need not follow the feature: training
may invert the concept in one step and use it inverted in the next, and single weights then mean nothing. So the default
prior is memory: every feature keeps its value from step to step, without other edges. An expert's map is added to
memory.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.concepts import Concepts
from cogmap._learning.initialization import matched, weight_factors
from cogmap._learning.structure import Bounds, range_at
from cogmap._utils.params import Literal, param_error
from cogmap.maps.map import FuzzyCognitiveMap

NAMES = ("memory",)

# Self-influence times slope that about preserves differences between values: a state of 0.75 becomes 0.82, and 0.5
# stays 0.5.
_MEMORY = 6.0

# Stronger penalties on edges into features, so that feature concepts are not reused as hidden units, and on edges
# between outputs, so that one output does not depend on another.
_INTO_FEATURES = 3.0
_BETWEEN_OUTPUTS = 10.0

# Structured maps without hidden concepts are trained without early-stopped teachers, so they are penalized more.
_EDGES_ONLY = 20.0


@dataclass(frozen=True)
class Prior:
    """Weights towards which the penalty shrinks, and its strength for each weight, relative to `alpha`."""

    weights: NDArray[np.float64]
    pull: NDArray[np.float64]
    from_expert: NDArray[np.bool_]  # the edges of an expert's map


def make_prior(prior: Any, concepts: Concepts, slope: float, limits: Bounds | None, owner: str) -> Prior:
    """Return the prior for the parameter `prior` of an estimator.

    Parameters
    ----------
    prior : None, "memory" or FuzzyCognitiveMap
        None shrinks all weights equally towards 0. An expert's map may contain only some of the concepts.
    concepts : Concepts
        Names of the concepts.
    slope : float
        Slope of the map to train.
    limits : Bounds or None
        Bounds of the weights. Memory is clipped to them; an expert's map that violates them raises an error.
    owner : str
        Estimator named in messages.
    """
    n = len(concepts)
    weights, pull = np.zeros((n, n)), np.ones((n, n))
    if prior is None:
        return Prior(weights, pull, np.zeros((n, n), dtype=bool))
    np.fill_diagonal(weights[concepts.inputs, concepts.inputs], memory_weight(slope))
    pull[concepts.inputs] = _INTO_FEATURES
    pull[concepts.outputs, concepts.outputs] = _BETWEEN_OUTPUTS
    np.fill_diagonal(pull[concepts.inputs, concepts.inputs], 1.0)
    if limits is not None:
        weights = np.clip(weights, *limits)
    from_expert = np.zeros((n, n), dtype=bool)
    if isinstance(prior, FuzzyCognitiveMap):
        of_expert = expert_weights(prior, concepts, slope, owner)
        check_allowed(of_expert, limits, concepts, slope, owner)
        from_expert = of_expert != 0.0
        weights = np.where(from_expert, of_expert, weights)
    return Prior(weights, pull, from_expert)


def structured_prior(concepts: Concepts) -> Prior:
    """Return the prior of a structured map: 0 for all weights into hidden concepts and outputs."""
    shape = (concepts.n_hidden + concepts.n_outputs, len(concepts))
    pull = np.ones(shape)
    pull[concepts.n_hidden :, concepts.outputs] = _BETWEEN_OUTPUTS
    if concepts.n_hidden == 0:
        pull *= _EDGES_ONLY
    return Prior(np.zeros(shape), pull, np.zeros(shape, dtype=bool))


def memory_weight(slope: float) -> float:
    """Return the self-influence with which a feature keeps its value."""
    return _MEMORY / slope


def expert_weights(expert: FuzzyCognitiveMap, concepts: Concepts, slope: float, owner: str) -> NDArray[np.float64]:
    """Return the weights of an expert's map, in the order of `concepts` and converted to `slope`."""
    visible = [*range(concepts.n_inputs), *range(concepts.outputs.start, len(concepts))]
    if expert.concepts == tuple(f"C{i + 1}" for i in range(len(visible))):  # default names: matched by position
        positions = visible
    else:
        positions = matched(expert, concepts.names, owner, "prior", partly=True)
        concepts.check_unambiguous(expert.concepts, owner, "prior")
    weights = np.zeros((len(concepts), len(concepts)))
    weights[np.ix_(positions, positions)] = expert.weights * weight_factors(expert, slope, owner, "prior")[:, None]
    return weights


def check_allowed(
    weights: NDArray[np.float64], limits: Bounds | None, concepts: Concepts, slope: float, owner: str
) -> None:
    """Raise if an expert's weight violates the bounds."""
    if limits is None:
        return
    low, high = limits
    contradicted = np.argwhere((weights != 0.0) & ((weights < low) | (weights > high)))
    if contradicted.size:
        i, j = contradicted[0]
        raise param_error(
            owner,
            "prior",
            "a map within the limits of edges, weight_bounds and monotonic_cst, which for "
            f"{concepts.names[j]!r} -> {concepts.names[i]!r} allow {range_at(limits, i, j)}",
            Literal(f"{weights[i, j]:g} (at slope {slope:g})"),
            "Change one of these parameters.",
        )
