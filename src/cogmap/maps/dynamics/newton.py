"""Refinement of cycles by Newton's method, Jacobians and stability of cycles.

A cycle of period p is a fixed point of p steps; a fixed point is a cycle of period 1.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, check_integer, numbers, param_error
from cogmap.maps.activations import get_activation
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.floating]

_ITERATIONS = 30
_RESIDUAL = 1e-12  # states that recur within this distance are roots up to rounding


def jacobian(fcm: FuzzyCognitiveMap, states: Array) -> Array:
    """Return the Jacobian of a step at `states`, or at each row of them.

    The rows of held concepts are 0: Newton's method must not move them, and stability is that of the other concepts.
    """
    sensitivity = fcm.sensitivity(fcm.step(states))
    with np.errstate(over="ignore"):
        result: Array = sensitivity[..., :, np.newaxis] * fcm.weights
    return result


def cycle_jacobian(fcm: FuzzyCognitiveMap, cycle: Array) -> Array:
    """Return the Jacobian of one full turn of a cycle."""
    result = np.eye(fcm.n_concepts)
    with np.errstate(over="ignore", invalid="ignore"):
        for states in cycle:
            result = jacobian(fcm, states) @ result
    return result


def spectral_radius(matrix: Array) -> float:
    """Return the largest absolute eigenvalue, infinity for a matrix with nonfinite entries."""
    if not np.isfinite(matrix).all():
        return float("inf")
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def is_attracting(fcm: FuzzyCognitiveMap, cycle: Array) -> bool:
    """Return whether small deviations from a cycle do not grow in one turn."""
    return spectral_radius(cycle_jacobian(fcm, cycle)) <= 1.0


def refine_cycle(fcm: FuzzyCognitiveMap, cycle: Array, within: float) -> Array | None:
    """Return the exact cycle near an approximate one, or None if Newton's method finds none within this distance.

    The result has a smaller period if the approximate cycle is a slow approach to a shorter one.
    """
    first = cycle[0].copy()
    period = len(cycle)
    for _ in range(_ITERATIONS):
        path = fcm.run(first, period)
        residual = path[-1] - first
        if np.abs(residual).max() <= _RESIDUAL:
            break
        try:
            first = first + np.linalg.solve(np.eye(len(first)) - cycle_jacobian(fcm, path[:-1]), residual)
        except np.linalg.LinAlgError:
            return None
        if not np.abs(first - cycle[0]).max() <= within:
            return None
    else:
        return None
    for divisor in range(1, period):
        if period % divisor == 0 and np.abs(path[divisor] - path[0]).max() <= np.sqrt(_RESIDUAL):
            return path[:divisor]
    return path[:-1]


def check_starts(fcm: FuzzyCognitiveMap, starts: ArrayLike | int, seed: int, owner: str) -> Array:
    """Return validated initial states, drawn at random if `starts` is a number."""
    if isinstance(starts, int | np.integer):
        n_starts = check_integer(owner, "starts", starts, low=1)
        low, high = state_range(fcm)
        return np.random.default_rng(check_integer(owner, "seed", seed, low=0)).uniform(low, high, (n_starts, len(low)))
    expected = f"a number of random starts, or an array of finite numbers of shape (n_starts, {fcm.n_concepts})"
    states = numbers(starts)
    if states.ndim != 2 or states.shape[1] != fcm.n_concepts:
        raise param_error(owner, "starts", expected, Literal(f"shape {states.shape}") if states.ndim else starts)
    if not np.isfinite(states).all():
        raise param_error(owner, "starts", expected, starts, "Replace NaN and infinity.")
    return states


def state_range(fcm: FuzzyCognitiveMap) -> tuple[Array, Array]:
    """Return the smallest and the largest state of each concept."""
    activation: Any = get_activation(fcm.activation)
    return np.zeros(fcm.n_concepts) + activation.low, np.zeros(fcm.n_concepts) + activation.high
