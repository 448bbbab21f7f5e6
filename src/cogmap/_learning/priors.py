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
from cogmap._learning.structure import Bounds
from cogmap._params import Words, wrong
from cogmap.map import FuzzyCognitiveMap

NAMES = ("memory",)

# A self-influence that keeps differences between values about as large as they are, times the slope: a state of 0.75
# becomes one of 0.82, and one of 0.5 stays.
_MEMORY = 6.0

# What comes into features is pulled harder, lest they are used to compute with, and what goes between outputs, lest
# the answer to one hangs on another.
_INTO_FEATURES = 3.0
_BETWEEN_OUTPUTS = 10.0


@dataclass(frozen=True)
class Prior:
    """Weights that the penalty pulls to, and how hard it pulls at each, relative to `alpha`."""

    weights: NDArray[np.float64]
    pull: NDArray[np.float64]


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
        return Prior(weights, pull)
    np.fill_diagonal(weights[concepts.inputs, concepts.inputs], _MEMORY / slope)
    pull[concepts.inputs] = _INTO_FEATURES
    pull[concepts.outputs, concepts.outputs] = _BETWEEN_OUTPUTS
    np.fill_diagonal(pull[concepts.inputs, concepts.inputs], 1.0)
    if limits is not None:
        weights = np.clip(weights, *limits)
    if isinstance(given, FuzzyCognitiveMap):
        _add_expert(given, weights, concepts, slope, limits, owner)
    return Prior(weights, pull)


def _add_expert(
    expert: FuzzyCognitiveMap,
    weights: NDArray[np.float64],
    concepts: Concepts,
    slope: float,
    limits: Bounds | None,
    owner: str,
) -> None:
    """Write every influence that an expert draws over what stands there."""
    places = matched(expert, concepts.names, owner, "prior", partly=True)
    said = expert.weights * weight_factors(expert, slope, owner, "prior")[:, None]
    for i, j in np.argwhere(said != 0.0):
        target, source = places[i], places[j]
        if limits is not None and not limits[0][target, source] <= said[i, j] <= limits[1][target, source]:
            expected = (
                f"a map within what edges, weight_bounds and monotonic_cst allow, which for "
                f"{concepts.names[source]!r} -> {concepts.names[target]!r} is "
                f"[{limits[0][target, source]:g}, {limits[1][target, source]:g}]"
            )
            raise wrong(owner, "prior", expected, Words(f"{said[i, j]:g} (at slope {slope:g})"), "Change one of them.")
        weights[target, source] = said[i, j]
