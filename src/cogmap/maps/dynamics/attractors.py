"""Attractors of a map, fixed points and cycles, and their basins."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer, check_number
from cogmap.maps._arguments import check_map
from cogmap.maps._convergence import Run, find_periods
from cogmap.maps._text import count
from cogmap.maps.dynamics.newton import check_starts, is_attracting, refine_cycle
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.floating]

# Maps of two concepts for figures. Each is symmetric about its center: the bias makes (0.5, 0.5) an unstable fixed
# point, and slopes are small enough for trajectories to be visible.
TWO_FIXED_POINTS = FuzzyCognitiveMap([[0.8, -0.4], [-0.6, 0.7]], [0.3, 0.45], slope=5)
FOUR_FIXED_POINTS = FuzzyCognitiveMap([[1.0, 0.2], [-0.2, 1.0]], [-0.1, 0.1], slope=8)
ONE_CYCLE = FuzzyCognitiveMap([[0.7, -0.7], [0.7, 0.7]], [0.5, -0.2], slope=8)

_STEPS_PER_CHECK = 4  # a check for fixed points costs about as much as a step
_FIRST_CYCLE_CHECK = 256  # steps, doubled after each check, which costs some hundred steps
_STATES_PER_BLOCK = 1 << 16  # half a megabyte, so that a block of starts fits in the cache
_STATES_PER_CYCLE_CHECK = 1 << 21  # 16 MB


@dataclass(frozen=True, eq=False)
class Attractors:
    """Attractors of the trajectories of a map.

    Attributes
    ----------
    cycles : tuple of ndarray of shape (period, n_concepts)
        States of each attractor, in the order of visits. Period 1 is a fixed point.
    basin : ndarray of int, of shape (n_starts,)
        Index in `cycles` of the attractor of each start, or -1 if it reaches none.

    See Also
    --------
    attractors : Find the fixed points and cycles that trajectories from `starts` converge to.
    cogmap.plotting.plot_attractors : Plot the attractors of a map of two concepts, with basins and trajectories.

    Examples
    --------
    >>> from cogmap.maps.dynamics import TWO_FIXED_POINTS, attractors
    >>> found = attractors(TWO_FIXED_POINTS, [[0, 0], [1, 1], [0.1, 0.2]])
    >>> [cycle.round(2).tolist() for cycle in found.cycles], found.basin
    ([[[0.07, 0.95]], [[0.93, 0.05]]], array([0, 1, 0]))
    >>> found.sentence
    '3 starts end in 2 fixed points.'
    """

    cycles: tuple[Array, ...]
    basin: NDArray[np.intp]

    @property
    def shares(self) -> Array:
        """Share of the starts that end in each attractor: the size of its basin."""
        return np.bincount(self.basin[self.basin >= 0], minlength=len(self.cycles)) / max(len(self.basin), 1)

    @property
    def sentence(self) -> str:
        """Summary as a sentence."""
        n_points = sum(len(cycle) == 1 for cycle in self.cycles)
        kinds = [count(n_points, "fixed point")] if n_points or not self.cycles else []
        kinds += [count(len(self.cycles) - n_points, "cycle")] if n_points < len(self.cycles) else []
        lost = int((self.basin < 0).sum())
        rest = f"; {lost} of them reach none" if lost else ""
        return f"{count(len(self.basin), 'start')} end in {' and '.join(kinds)}{rest}."

    def __repr__(self) -> str:
        lines = [
            f"  {share:4.0%}  {'fixed point' if len(cycle) == 1 else f'cycle of {len(cycle)} states'}"
            for share, cycle in zip(self.shares[:20], self.cycles, strict=False)
        ]
        more = [f"  ... and {len(self.cycles) - 20} more"] if len(self.cycles) > 20 else []
        return "\n".join([self.sentence, *lines, *more])


def attractors(
    fcm: FuzzyCognitiveMap,
    starts: ArrayLike | int = 1000,
    max_steps: int = 1000,
    tol: float = 1e-6,
    max_period: int = 64,
    seed: int = 0,
) -> Attractors:
    """Find the fixed points and cycles that trajectories from `starts` converge to.

    Trajectories that converge to a fixed point are finished; the others continue and are checked for cycles at growing
    intervals. If the last states of a trajectory recur with the same period, Newton's method refines the cycle, and it
    is an attractor if it also attracts nearby states. A start on the border between two basins may lead to a cycle that
    does not, and then reaches no attractor.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map. Held concepts keep the state of each start; to hold concepts at given states, pass
        ``cogmap.maps.rewriting.with_clamp(fcm, clamp)``.
    starts : int or array-like of shape (n_starts, n_concepts), default=1000
        Initial states, or a number of random ones, uniform in the whole range of states.
    max_steps : int, default=1000
        Largest number of steps, 0 or more; ``2 * max_period`` further steps check for cycles.
    tol : float, default=1e-6
        Largest difference, in every concept, between states that count as the same. Attractors count as the same within
        the square root of it, because convergence can be slow and two trajectories at rest can be farther apart than
        `tol`.
    max_period : int, default=64
        Largest number of states in a cycle, up to 10,000.
    seed : int, default=0
        Seed of the random starts.

    Returns
    -------
    Attractors
        Attractors, ordered by the first start that reaches them.

    See Also
    --------
    fixed_points : Find stable and unstable fixed points by Newton's method.
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.
    cogmap.plotting.plot_attractors : Plot the attractors of a map of two concepts, with basins and trajectories.
    cogmap.plotting.plot_basins : Plot the attractor reached from starts that differ in two concepts.

    Examples
    --------
    >>> from cogmap.maps.dynamics import FOUR_FIXED_POINTS, attractors
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1], [0.9, 0.8]]
    >>> result = attractors(FOUR_FIXED_POINTS, corners)
    >>> [len(cycle) for cycle in result.cycles]
    [1, 1, 1, 1]
    >>> result.basin
    array([0, 1, 2, 3, 3])
    """
    check_map(fcm, "attractors")
    max_steps = check_integer("attractors", "max_steps", max_steps, low=0)
    tol = check_number("attractors", "tol", tol, low=0, low_included=False)
    max_period = check_integer("attractors", "max_period", max_period, low=1, high=10_000)
    states = check_starts(fcm, starts, seed, "attractors")
    search = _AttractorSearch(fcm, max_steps, tol, max_period)
    rows = max(1, _STATES_PER_BLOCK // fcm.n_concepts)
    blocks = [search.basins(states[first : first + rows]) for first in range(0, len(states), rows)]
    basin = np.concatenate(blocks) if blocks else np.empty(0, dtype=np.intp)
    return _ordered_by_start(search.attracting, basin)


class _AttractorSearch:
    """Search for the attractors of blocks of starts, with the attractors found so far."""

    def __init__(self, fcm: FuzzyCognitiveMap, max_steps: int, tol: float, max_period: int) -> None:
        self.fcm, self.max_steps, self.tol, self.max_period = fcm, max_steps, tol, max_period
        self.attracting: list[Array] = []
        self.repelling: list[Array] = []

    def basins(self, A: Array) -> NDArray[np.intp]:
        """Return the index of the attractor of each start."""
        basin = np.full(len(A), -1, dtype=np.intp)
        active, next_cycle_check = np.arange(len(A)), _FIRST_CYCLE_CHECK
        run = Run(self.fcm.step, A, self.max_steps)
        while active.size and run.advance(_STEPS_PER_CHECK):
            reached = np.full(len(active), -1, dtype=np.intp)
            resting = np.flatnonzero(run.moved <= self.tol)
            reached[resting] = self._match(run.states[np.newaxis, resting], exact=True)
            if next_cycle_check <= run.n_steps < self.max_steps:
                moving = np.flatnonzero(reached < 0)
                reached[moving] = self._match_cycles(run.states[moving], exact=True)
                next_cycle_check *= 2
            basin[active] = reached
            run.states, active = run.states[reached < 0], active[reached < 0]
        basin[active] = self._match_cycles(run.states, exact=False)
        return basin

    def _match_cycles(self, A: Array, exact: bool) -> NDArray[np.intp]:
        """Run twice the longest period, and return the index of the attractor of each row whose states recur."""
        reached = np.full(len(A), -1, dtype=np.intp)
        rows = max(1, _STATES_PER_CYCLE_CHECK // ((2 * self.max_period + 1) * A.shape[1]))
        for first in range(0, len(A), rows):
            trajectories = self.fcm.run(A[first : first + rows], 2 * self.max_period)
            # Reversed in time, so that recurrence is checked from the first state on.
            periods = find_periods(trajectories[::-1], self.max_period, self.tol)
            for period in np.unique(periods[periods > 0]):
                some = np.flatnonzero(periods == period)
                reached[first + some] = self._match(trajectories[-period:, some], exact)
        return reached

    def _match(self, ends: Array, exact: bool) -> NDArray[np.intp]:
        """Return the index of the attractor of each trajectory, adding new attractors.

        `ends` holds the last states, of shape (period, n, n_concepts). If `exact`, a cycle that Newton's method cannot
        refine is not accepted as an attractor.
        """
        near = float(np.sqrt(self.tol))
        reached = np.full(ends.shape[1], -1, dtype=np.intp)
        waiting = np.ones(ends.shape[1], dtype=bool)
        for number, cycle in enumerate(self.attracting):
            same = waiting & _on_cycle(ends, cycle, near)
            reached[same] = number
            waiting &= ~same
        for cycle in self.repelling:
            waiting &= ~_on_cycle(ends, cycle, near)
        while waiting.any():
            number = int(np.argmax(waiting))
            first = ends[:, number]
            root = refine_cycle(self.fcm, first, near)
            cycle = first.copy() if root is None else root
            same = waiting & _on_cycle(ends, cycle, near)
            same[number] = True
            waiting &= ~same
            if root is None and exact:
                continue
            if is_attracting(self.fcm, cycle):
                reached[same] = len(self.attracting)
                self.attracting.append(cycle)
            else:
                self.repelling.append(cycle)
        return reached


def _on_cycle(ends: Array, cycle: Array, tolerance: float) -> NDArray[np.bool_]:
    """Return which trajectories, whose last states are `ends`, are on `cycle`, in any phase."""
    result = np.zeros(ends.shape[1], dtype=bool)
    if len(ends) % len(cycle):
        return result
    for shift in range(len(cycle)):
        shifted = np.resize(np.roll(cycle, shift, axis=0), (len(ends), cycle.shape[1]))[:, np.newaxis]
        result |= (np.abs(ends - shifted) <= tolerance).all(axis=(0, 2))
    return result


def _ordered_by_start(cycles: list[Array], basin: NDArray[np.intp]) -> Attractors:
    """Order the attractors by the first start that reaches them."""
    numbers, first = np.unique(basin[basin >= 0], return_index=True)
    order = numbers[np.argsort(first)]
    new_number = np.full(len(cycles) + 1, -1, dtype=np.intp)  # the last entry maps -1 to itself
    new_number[order] = np.arange(len(order))
    return Attractors(tuple(cycles[number] for number in order), new_number[basin])
