"""Where a map leads in the long run: fixed points and cycles, and which starts end in which of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._params import Words, check_integer, check_number, real, wrong
from cogmap.map import FuzzyCognitiveMap

# Maps of two concepts for figures. Each is symmetric about its centre: the bias makes (0.5, 0.5) a fixed point,
# which is not stable, and the slopes are small enough for trajectories to be seen on their way.
TWO_FIXED_POINTS = FuzzyCognitiveMap([[0.8, -0.4], [-0.6, 0.7]], [0.3, 0.45], slope=5)
FOUR_FIXED_POINTS = FuzzyCognitiveMap([[1.0, 0.2], [-0.2, 1.0]], [-0.1, 0.1], slope=8)
ONE_CYCLE = FuzzyCognitiveMap([[0.7, -0.7], [0.7, 0.7]], [0.5, -0.2], slope=8)


@dataclass(frozen=True, eq=False)
class Attractors:
    """What the trajectories of a map end in.

    Attributes
    ----------
    cycles : tuple of ndarray of shape (period, n_concepts)
        The states of each attractor, in the order in which the map visits them. Period 1 is a fixed point.
    basin : ndarray of int, of shape (n_starts,)
        For each start the index of its attractor in `cycles`, or -1 if it has reached none.
    """

    cycles: tuple[NDArray[np.float64], ...]
    basin: NDArray[np.intp]


def attractors(
    fcm: FuzzyCognitiveMap, starts: ArrayLike, max_steps: int = 1000, tol: float = 1e-6, max_period: int = 64
) -> Attractors:
    """Find the fixed points and cycles that trajectories from `starts` end in.

    All starts make `max_steps` steps, and then ``2 * max_period`` more, in which they are watched. A trajectory that
    comes back to each of its states after the same number of steps has reached a cycle; it is an attractor if it also
    draws in states near it. A start on the border between two basins may lead to a cycle that does not, and then
    reaches no attractor.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    starts : array-like of shape (n_starts, n_concepts)
        States to start from.
    max_steps : int, default=1000
        Number of steps in which an attractor has to be reached, 0 or more.
    tol : float, default=1e-6
        How near a state has to come to one before it, in every concept, to count as the same. Two attractors are one
        if their states are within the square root of it: the last steps towards an attractor can be slow, and two
        trajectories that have each come to rest be farther apart than `tol`.
    max_period : int, default=64
        Largest number of states in a cycle, up to 10,000.

    Returns
    -------
    Attractors
        Attractors in the order of the first start that reaches them.

    Examples
    --------
    >>> from cogmap.dynamics import FOUR_FIXED_POINTS, attractors
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1], [0.9, 0.8]]
    >>> found = attractors(FOUR_FIXED_POINTS, corners)
    >>> [len(cycle) for cycle in found.cycles]
    [1, 1, 1, 1]
    >>> found.basin
    array([0, 1, 2, 3, 3])
    """
    if not isinstance(fcm, FuzzyCognitiveMap):
        raise wrong("attractors", "fcm", "a FuzzyCognitiveMap", fcm, "An estimator that was fitted has one, `map_`.")
    max_steps = check_integer("attractors", "max_steps", max_steps, low=0)
    tol = check_number("attractors", "tol", tol, low=0, low_included=False)
    max_period = check_integer("attractors", "max_period", max_period, low=1, high=10_000)
    states = _check_starts(fcm, starts)
    for _ in range(max_steps):
        states = fcm.step(states)
    watched = fcm.run(states, 2 * max_period).astype(np.float64, copy=False)
    periods = _periods(watched, max_period, tol)
    cycles: list[NDArray[np.float64]] = []
    basin = np.full(len(states), -1, dtype=np.intp)
    waiting = np.flatnonzero(periods)
    while waiting.size:
        period = periods[waiting[0]]
        cycle = watched[-period:, waiting[0]].copy()
        same = waiting[periods[waiting] == period]
        same = same[_on_cycle(watched[-period:, same], cycle, np.sqrt(tol))]
        if _draws_in(fcm, cycle):
            basin[same] = len(cycles)
            cycles.append(cycle)
        waiting = np.setdiff1d(waiting, same, assume_unique=True)
    return Attractors(tuple(cycles), basin)


def _check_starts(fcm: FuzzyCognitiveMap, starts: ArrayLike) -> NDArray[np.floating]:
    expected = f"an array of finite numbers of shape (n_starts, {fcm.n_concepts})"
    try:
        states = real(starts)
    except (TypeError, ValueError):
        raise wrong("attractors", "starts", expected, starts) from None
    if states.ndim != 2 or states.shape[1] != fcm.n_concepts:
        raise wrong("attractors", "starts", expected, Words(f"shape {states.shape}"))
    if not np.isfinite(states).all():
        raise wrong("attractors", "starts", expected, starts, "Replace NaN and infinity.")
    return states


def _periods(watched: NDArray[np.float64], max_period: int, tol: float) -> NDArray[np.intp]:
    """Return for each trajectory the smallest number of steps after which all its states recur, or 0."""
    periods = np.zeros(watched.shape[1], dtype=np.intp)
    unknown = np.arange(watched.shape[1])
    for period in range(1, max_period + 1):
        # One recurrence may be an accident of chaos; the same in each of `max_period` steps is not.
        some = watched[:, unknown]
        recurs = (np.abs(some[period : period + max_period] - some[:max_period]) <= tol).all(axis=(0, 2))
        periods[unknown[recurs]] = period
        unknown = unknown[~recurs]
        if not unknown.size:
            break
    return periods


def _on_cycle(ends: NDArray[np.float64], cycle: NDArray[np.float64], tolerance: float) -> NDArray[np.bool_]:
    """Say which trajectories, whose last states are `ends`, are on `cycle`, wherever on it they are."""
    result = np.zeros(ends.shape[1], dtype=bool)
    for shift in range(len(cycle)):
        shifted = np.roll(cycle, shift, axis=0)[:, None]
        result |= (np.abs(ends - shifted) <= tolerance).all(axis=(0, 2))
    return result


def _draws_in(fcm: FuzzyCognitiveMap, cycle: NDArray[np.float64]) -> bool:
    """Say whether a small deviation from the cycle shrinks on a way round it."""
    growth = np.eye(fcm.n_concepts)
    with np.errstate(over="ignore", invalid="ignore"):
        for states in cycle:
            growth = fcm.sensitivity(fcm.step(states))[:, None] * fcm.weights @ growth
    if not np.isfinite(growth).all():  # it grows beyond all numbers
        return False
    return bool(np.abs(np.linalg.eigvals(growth)).max() <= 1.0)
