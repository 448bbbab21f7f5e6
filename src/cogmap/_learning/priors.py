"""Priors: the map to which the penalty pulls.

Pulled to 0, a map predicts as well, but nothing ties the later states of a feature's concept to the feature, and
learning may turn the concept upside down in one step and read it upside down in the next. Then arrows say nothing. So
the usual prior is memory: every feature keeps its value from step to step, and nothing else happens. An expert's map
adds to memory what the expert says.
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

# A self-influence that keeps differences between values about as large as they are, times the slope: a state of 0.75
# becomes one of 0.82, and one of 0.5 stays.
_MEMORY = 6.0

# What comes into features is pulled harder, lest they are used to compute with, and what goes between outputs, lest
# the answer to one hangs on another.
_INTO_FEATURES = 3.0
_BETWEEN_OUTPUTS = 10.0

# Where many features influence outputs only, no teacher says when to stop, and arrows are pulled harder instead.
_MANY_ARROWS = 20.0


@dataclass(frozen=True)
class Prior:
    """Weights that the penalty pulls to, and how hard it pulls at each, relative to `alpha`."""

    weights: NDArray[np.float64]
    pull: NDArray[np.float64]
    drawn: NDArray[np.bool_]  # the influences that an expert drew


def make_prior(given: Any, concepts: Concepts, slope: float, limits: Bounds | None, owner: str) -> Prior:
    """Return the prior that a user asks for.

    Parameters
    ----------
    given : None, "memory" or FuzzyCognitiveMap
        None pulls all weights to 0 alike. An expert's map may leave concepts out, of which it says nothing.
    concepts : Concepts
        Names of the concepts.
    slope : float
        Slope of the map that is learned.
    limits : Bounds or None
        What weights are allowed. Memory gives way to them; an expert who contradicts them is told so.
    owner : str
        Whose parameter it is, for messages.
    """
    n = len(concepts)
    weights, pull = np.zeros((n, n)), np.ones((n, n))
    if given is None:
        return Prior(weights, pull, np.zeros((n, n), dtype=bool))
    np.fill_diagonal(weights[concepts.inputs, concepts.inputs], memory_weight(slope))
    pull[concepts.inputs] = _INTO_FEATURES
    pull[concepts.outputs, concepts.outputs] = _BETWEEN_OUTPUTS
    np.fill_diagonal(pull[concepts.inputs, concepts.inputs], 1.0)
    if limits is not None:
        weights = np.clip(weights, *limits)
    drawn = np.zeros((n, n), dtype=bool)
    if isinstance(given, FuzzyCognitiveMap):
        said, drawn = _said(given, concepts, slope, owner)
        _check_allowed(said, limits, concepts, slope, owner)
        weights = np.where(drawn, said, weights)
    return Prior(weights, pull, drawn)


def structured_prior(concepts: Concepts) -> Prior:
    """Return the prior of a structured map: no influence on hidden concepts and outputs, of which alone it speaks."""
    shape = (concepts.n_hidden + concepts.n_outputs, len(concepts))
    pull = np.ones(shape)
    pull[concepts.n_hidden :, concepts.outputs] = _BETWEEN_OUTPUTS
    if concepts.n_hidden == 0:
        pull *= _MANY_ARROWS
    return Prior(np.zeros(shape), pull, np.zeros(shape, dtype=bool))


def memory_weight(slope: float) -> float:
    """Return the self-influence by which a feature keeps its value."""
    return _MEMORY / slope


def _said(
    expert: FuzzyCognitiveMap, concepts: Concepts, slope: float, owner: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the weights of an expert's map at our concepts and slope, and which influences it has."""
    visible = [*range(concepts.n_inputs), *range(concepts.outputs.start, len(concepts))]
    if expert.concepts == tuple(f"C{i + 1}" for i in range(len(visible))):  # never named: ours, in our order
        places = visible
    else:
        places = matched(expert, concepts.names, owner, "prior", partly=True)
        concepts.check_clear(expert.concepts, owner, "prior")
    said = np.zeros((len(concepts), len(concepts)))
    said[np.ix_(places, places)] = expert.weights * weight_factors(expert, slope, owner, "prior")[:, None]
    return said, said != 0.0


def _check_allowed(
    said: NDArray[np.float64], limits: Bounds | None, concepts: Concepts, slope: float, owner: str
) -> None:
    """Complain about an influence that an expert draws and that is not allowed."""
    if limits is None:
        return
    low, high = limits
    contradicted = np.argwhere((said != 0.0) & ((said < low) | (said > high)))
    if contradicted.size:
        i, j = contradicted[0]
        raise param_error(
            owner,
            "prior",
            "a map within what edges, weight_bounds and monotonic_cst allow, which for "
            f"{concepts.names[j]!r} -> {concepts.names[i]!r} is {range_at(limits, i, j)}",
            Literal(f"{said[i, j]:g} (at slope {slope:g})"),
            "Change one of them.",
        )
