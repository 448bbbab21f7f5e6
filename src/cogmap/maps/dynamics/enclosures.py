"""Boxes of states that hold all trajectories, and proofs in them that rounding cannot undo.

Every bound is widened by more than the rounding of the operations that made it, so that what is proved here holds for
the map in exact arithmetic.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.activations import get_activation
from cogmap.maps.dynamics.newton import jacobian, state_range
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.floating]

_EPS = float(np.finfo(np.float64).eps)
_STALLED = 1e-9  # a box whose widths shrink by less than this share in some steps has stopped


@dataclass(frozen=True, eq=False)
class Box:
    """A state per concept that no trajectory stays below, one that none stays above, and whether a step shrinks it."""

    low: Array
    high: Array
    steps: int  # after which every trajectory is in it
    contracts: bool  # whether a step brings any two states in it nearer to each other


def steepest(fcm: FuzzyCognitiveMap) -> Array:
    """Return the largest derivative of each concept's activation function."""
    everywhere = np.full(fcm.n_concepts, np.inf)
    activation = get_activation(fcm.activation)
    return np.asarray(activation.slopes(-everywhere, everywhere, fcm.slope)[1] * (1.0 + 8 * _EPS))


def times(factors: Array, M: Array) -> Array:
    """Return a matrix without negative entries with its rows times factors, some of which may be infinite."""
    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = np.where(M > 0.0, factors[:, np.newaxis] * M, 0.0) * (1.0 + 4 * _EPS)
    return result


def shrinks(M: Array) -> bool:
    """Prove that the spectral radius of a matrix without negative entries is below 1.

    It is, if ``M v < v`` for some vector v of positive numbers (Collatz and Wielandt); the solution of
    ``v = M v + 1`` is one, if there is any.
    """
    n = len(M)
    if not np.isfinite(M).all():
        return False
    try:
        v = np.linalg.solve(np.eye(n) - M, np.ones(n))
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(v).all() and (v > 0).all() and ((M @ v) * (1.0 + 4 * (n + 2) * _EPS) < v).all())


def enclosing_box(fcm: FuzzyCognitiveMap, max_steps: int = 1000) -> Box:
    """Return a box that every trajectory enters and never leaves, as small as steps of the map make it.

    From the whole range of states, the lowest that a step can lead to from the box, and the highest, make the next box:
    ``l' = f(W+ l + W- u + b)`` and ``u' = f(W+ u + W- l + b)``.
    """
    low, high = state_range(fcm)
    positive, negative = np.maximum(fcm.weights, 0.0), np.minimum(fcm.weights, 0.0)
    ends, absolute = state_range(fcm), np.abs(fcm.weights)
    for step in range(max_steps + 1):
        net_low, net_high = _net_bounds(fcm, positive, negative, low, high)
        if not (np.isfinite(net_low).all() and np.isfinite(net_high).all()):
            return Box(low, high, step, False)
        new_low = np.clip(_activated(fcm, net_low, -1.0), low, ends[1])
        new_high = np.clip(_activated(fcm, net_high, 1.0), ends[0], high)
        width, new_width = high - low, new_high - new_low
        stalled = step % 8 == 7 and bool((width - new_width <= _STALLED * width).all())
        looks = stalled or step % 8 == 0 or step == max_steps  # a look costs more than a step
        if looks and shrinks(times(_slopes(fcm, net_low, net_high)[1], absolute)):
            return Box(low, high, step, True)
        if stalled:
            return Box(low, high, step, False)
        low, high = new_low, new_high
    return Box(low, high, max_steps, False)


def _net_bounds(
    fcm: FuzzyCognitiveMap, positive: Array, negative: Array, low: Array, high: Array
) -> tuple[Array, Array]:
    """Return bounds of the net input from states in a box, and of what the activation function makes of it."""
    with np.errstate(over="ignore", invalid="ignore"):
        net_low = positive @ low + negative @ high + fcm.bias
        net_high = positive @ high + negative @ low + fcm.bias
        size = (positive - negative) @ np.maximum(np.abs(low), np.abs(high)) + np.abs(fcm.bias) + 1.0
        rounding = 4 * (fcm.n_concepts + 8) * _EPS * size
        return net_low - rounding, net_high + rounding


def _slopes(fcm: FuzzyCognitiveMap, net_low: Array, net_high: Array) -> tuple[Array, Array]:
    """Return bounds of the derivative of each activation function between two net inputs."""
    least, most = get_activation(fcm.activation).slopes(net_low, net_high, fcm.slope)
    everywhere = steepest(fcm)
    rounding = 8 * _EPS * np.where(np.isfinite(everywhere), everywhere, 0.0)  # where it jumps, all is exact
    return np.maximum(least - rounding, 0.0), np.minimum(most + rounding, everywhere)


def _activated(fcm: FuzzyCognitiveMap, net: Array, side: float) -> Array:
    """Return the states of a net input, moved to one side by more than their rounding."""
    activation = get_activation(fcm.activation)
    with np.errstate(over="ignore"):
        states = activation.apply(net.copy(), fcm.slope)
    return np.asarray(states + side * 8 * _EPS * (np.abs(activation.middle) + activation.reach))


def holds_fixed_point(fcm: FuzzyCognitiveMap, point: Array, radius: float) -> bool:
    """Prove that there is exactly one fixed point within `radius` of `point`, in every concept.

    Krawczyk's test: with Y near the inverse of the derivative of ``x - F(x)``, the fixed points in a box around the
    point are those of ``x - Y (x - F(x))``, and there is one if that maps the box into its inside and contracts.
    """
    n = fcm.n_concepts
    absolute = np.abs(fcm.weights)
    positive, negative = np.maximum(fcm.weights, 0.0), np.minimum(fcm.weights, 0.0)
    try:
        Y = np.linalg.inv(np.eye(n) - jacobian(fcm, point))
    except np.linalg.LinAlgError:
        return False
    net_low, net_high = _net_bounds(fcm, positive, negative, point - radius, point + radius)
    at_low, at_high = _net_bounds(fcm, positive, negative, point, point)
    if not all(np.isfinite(part).all() for part in (Y, net_low, net_high, at_low, at_high)):
        return False
    image_low, image_high = _activated(fcm, at_low, -1.0), _activated(fcm, at_high, 1.0)
    residual = np.maximum(np.abs(point - image_low), np.abs(point - image_high)) * (1.0 + 4 * _EPS)
    least, most = _slopes(fcm, net_low, net_high)
    if not np.isfinite(most).all():
        return False
    middle = (least + most) / 2
    half = (most - least) / 2 + 4 * _EPS * most
    with np.errstate(over="ignore", invalid="ignore"):  # what is not a number is not below the radius
        G = np.eye(n) - middle[:, np.newaxis] * fcm.weights
        size = np.abs(Y) @ (np.eye(n) + (middle + half)[:, np.newaxis] * absolute)
        off = np.abs(np.eye(n) - Y @ G) + np.abs(Y) @ (half[:, np.newaxis] * absolute) + 8 * (n + 8) * _EPS * size
        reached = (np.abs(Y) @ residual + off.sum(axis=1) * radius) * (1.0 + 8 * (n + 8) * _EPS)
    return bool((reached < radius).all())
