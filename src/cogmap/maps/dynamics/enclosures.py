"""Boxes that enclose all trajectories, and rigorous proofs about the fixed points in them.

Every bound is widened by more than the rounding error of the operations that computed it, so that proofs hold for the
map in exact arithmetic.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.activations import get_activation
from cogmap.maps.dynamics.newton import jacobian, state_range
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.floating]

_EPS = float(np.finfo(np.float64).eps)
_STALLED = 1e-9  # a box whose widths shrink by less than this fraction in a step has stalled


@dataclass(frozen=True, eq=False)
class StateBox:
    """A box of states that every trajectory enters and never leaves."""

    low: Array
    high: Array
    steps: int  # after which every trajectory is in the box
    contracts: bool  # whether a step is a contraction in the box


def max_derivatives(fcm: FuzzyCognitiveMap) -> Array:
    """Return the largest derivative of each concept's activation function."""
    everywhere = np.full(fcm.n_concepts, np.inf)
    activation = get_activation(fcm.activation)
    return np.asarray(activation.slopes(-everywhere, everywhere, fcm.slope)[1] * (1.0 + 8 * _EPS))


def scale_rows(factors: Array, M: Array) -> Array:
    """Return a nonnegative matrix with its rows multiplied by factors, some of which may be infinite."""
    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = np.where(M > 0.0, factors[:, np.newaxis] * M, 0.0) * (1.0 + 4 * _EPS)
    return result


def has_radius_below_one(M: Array) -> bool:
    """Return whether the spectral radius of a nonnegative matrix is provably below 1.

    It is if ``M v < v`` for some positive vector v (Collatz and Wielandt); the solution of ``v = M v + 1`` is the
    candidate.
    """
    n = len(M)
    if not np.isfinite(M).all():
        return False
    try:
        v = np.linalg.solve(np.eye(n) - M, np.ones(n))
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(v).all() and (v > 0).all() and ((M @ v) * (1.0 + 4 * (n + 2) * _EPS) < v).all())


def enclosing_box(fcm: FuzzyCognitiveMap, max_steps: int = 1000) -> StateBox:
    """Return a small box that every trajectory enters and never leaves.

    The first box is the whole range of states; the lowest and the highest states that a step can reach from a box are
    the bounds of the next one: ``l' = f(W+ l + W- u + b)`` and ``u' = f(W+ u + W- l + b)``. Held concepts may have any
    state. The iteration ends when a step is proved to be a contraction in the box, or when the box no longer shrinks.
    """
    low, high = state_range(fcm)
    positive, negative = np.maximum(fcm.weights, 0.0), np.minimum(fcm.weights, 0.0)
    ends, absolute = state_range(fcm), np.abs(fcm.weights)
    for step in range(max_steps + 1):
        net_low, net_high = _net_bounds(fcm, positive, negative, low, high)
        if not (np.isfinite(net_low).all() and np.isfinite(net_high).all()):
            return StateBox(low, high, step, False)
        new_low = np.clip(_bound_states(fcm, net_low, -1.0, low), low, ends[1])
        new_high = np.clip(_bound_states(fcm, net_high, 1.0, high), ends[0], high)
        width, new_width = high - low, new_high - new_low
        stalled = step % 8 == 7 and bool((width - new_width <= _STALLED * width).all())
        checks = stalled or step % 8 == 0 or step == max_steps  # a check costs more than a step
        if checks and has_radius_below_one(scale_rows(_derivative_bounds(fcm, net_low, net_high)[1], absolute)):
            return StateBox(low, high, step, True)
        if stalled:
            return StateBox(low, high, step, False)
        low, high = new_low, new_high
    return StateBox(low, high, max_steps, False)


def box_of_ranges(
    fcm: FuzzyCognitiveMap, weights: tuple[Array, Array], fixed: NDArray[np.intp], states: Array, max_steps: int = 1000
) -> StateBox:
    """Return a box that every trajectory enters and never leaves, for any weights in given ranges.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    weights : tuple of ndarray of shape (n_concepts, n_concepts)
        Lowest and highest weights.
    fixed : ndarray of int
        Concepts whose state is fixed.
    states : ndarray
        Their states.
    max_steps : int, default=1000
        Largest number of steps.
    """
    low, high = (np.array(end, dtype=np.float64) for end in state_range(fcm))
    low[fixed] = high[fixed] = states
    for step in range(max_steps):
        net = net_of_ranges(fcm, weights, low, high)
        if not np.isfinite(net).all():
            return StateBox(low, high, step, False)
        new_low = np.maximum(_bound_states(fcm, net[0], -1.0, low), low)
        new_high = np.minimum(_bound_states(fcm, net[1], 1.0, high), high)
        new_low[fixed] = new_high[fixed] = states
        width, new_width = high - low, new_high - new_low
        low, high = new_low, new_high
        if bool((width - new_width <= _STALLED * width).all()):
            break
    return StateBox(low, high, step, False)


def differences_of_ranges(
    fcm: FuzzyCognitiveMap,
    weights: tuple[Array, Array],
    boxes: tuple[StateBox, StateBox],
    fixed: NDArray[np.intp],
    max_steps: int = 1000,
) -> tuple[Array, Array]:
    """Return bounds of the difference of states in two boxes, one of which belongs to a run with a clamp.

    Both runs have the same weights, from given ranges. By the mean value theorem, a step multiplies the difference by
    the weights and by slopes of the activation function between the two net inputs. The difference of concepts in
    `fixed` is that of their boxes.
    """
    before, after = boxes
    low, high = after.low - before.high, after.high - before.low
    low, high = low - 4 * _EPS * np.abs(low), high + 4 * _EPS * np.abs(high)
    first, second = low[fixed], high[fixed]
    nets = [net_of_ranges(fcm, weights, box.low, box.high) for box in boxes]
    net_low, net_high = np.minimum(nets[0][0], nets[1][0]), np.maximum(nets[0][1], nets[1][1])
    smallest, largest = _derivative_bounds(fcm, net_low, net_high)
    if not np.isfinite(largest).all():
        return low, high
    for _ in range(max_steps):
        sum_low, sum_high = _sums_of_ranges(weights, low, high)
        with np.errstate(invalid="ignore", over="ignore"):
            new_low = np.maximum(np.where(sum_low < 0.0, largest, smallest) * sum_low, low)
            new_high = np.minimum(np.where(sum_high > 0.0, largest, smallest) * sum_high, high)
        new_low -= 4 * _EPS * np.abs(new_low)
        new_high += 4 * _EPS * np.abs(new_high)
        new_low[fixed], new_high[fixed] = first, second
        done = bool((high - low - (new_high - new_low) <= _STALLED * (high - low)).all())
        low, high = np.maximum(new_low, low), np.minimum(new_high, high)
        if done:
            break
    return low, high


def net_of_ranges(fcm: FuzzyCognitiveMap, weights: tuple[Array, Array], low: Array, high: Array) -> tuple[Array, Array]:
    """Return bounds of the net input for states in a box and weights in ranges."""
    sum_low, sum_high = _sums_of_ranges(weights, low, high)
    rounding = 4 * _EPS * (np.abs(fcm.bias) + 1.0)
    return sum_low + fcm.bias - rounding, sum_high + fcm.bias + rounding


def _sums_of_ranges(weights: tuple[Array, Array], low: Array, high: Array) -> tuple[Array, Array]:
    """Return bounds of the sum of weights times values, each in a range."""
    with np.errstate(over="ignore", invalid="ignore"):
        products = np.stack([weight * end for weight in weights for end in (low, high)])
        size = np.abs(products).max(axis=0).sum(axis=1)
        rounding = 4 * (len(low) + 8) * _EPS * size
        return products.min(axis=0).sum(axis=1) - rounding, products.max(axis=0).sum(axis=1) + rounding


def _net_bounds(
    fcm: FuzzyCognitiveMap, positive: Array, negative: Array, low: Array, high: Array
) -> tuple[Array, Array]:
    """Return bounds of the net input for states in a box."""
    with np.errstate(over="ignore", invalid="ignore"):
        net_low = positive @ low + negative @ high + fcm.bias
        net_high = positive @ high + negative @ low + fcm.bias
        size = (positive - negative) @ np.maximum(np.abs(low), np.abs(high)) + np.abs(fcm.bias) + 1.0
        rounding = 4 * (fcm.n_concepts + 8) * _EPS * size
        return net_low - rounding, net_high + rounding


def _derivative_bounds(fcm: FuzzyCognitiveMap, net_low: Array, net_high: Array) -> tuple[Array, Array]:
    """Return bounds of the derivative of each activation function between two net inputs."""
    smallest, largest = get_activation(fcm.activation).slopes(net_low, net_high, fcm.slope)
    overall = max_derivatives(fcm)
    rounding = 8 * _EPS * np.where(np.isfinite(overall), overall, 0.0)  # step functions are exact
    return np.maximum(smallest - rounding, 0.0), np.minimum(largest + rounding, overall)


def _bound_states(fcm: FuzzyCognitiveMap, net: Array, side: float, before: Array) -> Array:
    """Return a bound of the states of a net input, lower for side -1, upper for side 1; of held concepts, `before`."""
    activation = get_activation(fcm.activation)
    with np.errstate(over="ignore"):
        states = activation.apply(net.copy(), fcm.slope)
    bounds: Array = np.asarray(states + side * 8 * _EPS * (np.abs(activation.middle) + activation.reach))
    bounds[fcm._held] = before[fcm._held]
    return bounds


def proves_fixed_point(fcm: FuzzyCognitiveMap, point: Array, radius: float) -> bool:
    """Return whether there is provably exactly one fixed point within `radius` of `point`, in every concept.

    Held concepts are at their state in `point`.

    Krawczyk's test: with Y near the inverse of the Jacobian of ``x - F(x)``, the fixed points in a box around the
    point are those of ``x - Y (x - F(x))``, and there is exactly one if this maps the box into its interior and is a
    contraction.
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
    image_low, image_high = _bound_states(fcm, at_low, -1.0, point), _bound_states(fcm, at_high, 1.0, point)
    residual = np.maximum(np.abs(point - image_low), np.abs(point - image_high)) * (1.0 + 4 * _EPS)
    smallest, largest = _derivative_bounds(fcm, net_low, net_high)
    if not np.isfinite(largest).all():
        return False
    middle = (smallest + largest) / 2
    half = (largest - smallest) / 2 + 4 * _EPS * largest
    with np.errstate(over="ignore", invalid="ignore"):  # NaN compares as not below the radius
        G = np.eye(n) - middle[:, np.newaxis] * fcm.weights
        size = np.abs(Y) @ (np.eye(n) + (middle + half)[:, np.newaxis] * absolute)
        off = np.abs(np.eye(n) - Y @ G) + np.abs(Y) @ (half[:, np.newaxis] * absolute) + 8 * (n + 8) * _EPS * size
        reached = (np.abs(Y) @ residual + off.sum(axis=1) * radius) * (1.0 + 8 * (n + 8) * _EPS)
    return bool((reached < radius).all())
