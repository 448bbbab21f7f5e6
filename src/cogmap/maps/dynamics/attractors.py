"""Where a map leads in the long run: fixed points and cycles, and which starts end in which of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer, check_number
from cogmap.maps._convergence import Run, periods
from cogmap.maps._text import count
from cogmap.maps.dynamics.newton import check_starts, draws_in, polished
from cogmap.maps.map import FuzzyCognitiveMap, check_map

Array = NDArray[np.floating]

# Maps of two concepts for figures. Each is symmetric about its centre: the bias makes (0.5, 0.5) a fixed point,
# which is not stable, and the slopes are small enough for trajectories to be seen on their way.
TWO_FIXED_POINTS = FuzzyCognitiveMap([[0.8, -0.4], [-0.6, 0.7]], [0.3, 0.45], slope=5)
FOUR_FIXED_POINTS = FuzzyCognitiveMap([[1.0, 0.2], [-0.2, 1.0]], [-0.1, 0.1], slope=8)
ONE_CYCLE = FuzzyCognitiveMap([[0.7, -0.7], [0.7, 0.7]], [0.5, -0.2], slope=8)

_LOOK_AFTER = 4  # steps: looking who rests costs about as much as one
_WATCH_AFTER = 256  # steps, twice as many each time: watching for cycles costs some hundred steps
_STATES_IN_BLOCK = 1 << 16  # half a megabyte, so that a block of starts stays in the cache on its way
_STATES_WATCHED = 1 << 21  # 16 MB


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

    cycles: tuple[Array, ...]
    basin: NDArray[np.intp]

    @property
    def shares(self) -> Array:
        """The share of the starts that end in each attractor: the size of its basin."""
        return np.bincount(self.basin[self.basin >= 0], minlength=len(self.cycles)) / max(len(self.basin), 1)

    @property
    def sentence(self) -> str:
        """What was found, in words."""
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
    """Find the fixed points and cycles that trajectories from `starts` end in.

    A start that rests is done; the others go on, and are watched for cycles from time to time. A trajectory that comes
    back to each of its states after the same number of steps has reached a cycle, which Newton's method makes exact; it
    is an attractor if it also draws in states near it. A start on the border between two basins may lead to a cycle
    that does not, and then reaches no attractor.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map. To hold concepts, pass ``cogmap.maps.rewriting.with_clamp(fcm, clamp)``.
    starts : int or array-like of shape (n_starts, n_concepts), default=1000
        States to start from, or a number of random ones from the whole range of states.
    max_steps : int, default=1000
        Number of steps in which an attractor has to be reached, 0 or more; then ``2 * max_period`` more are watched.
    tol : float, default=1e-6
        How near a state has to come to one before it, in every concept, to count as the same. Two attractors are one
        if their states are within the square root of it: the last steps towards an attractor can be slow, and two
        trajectories that have each come to rest be farther apart than `tol`.
    max_period : int, default=64
        Largest number of states in a cycle, up to 10,000.
    seed : int, default=0
        Seed of the random starts.

    Returns
    -------
    Attractors
        Attractors in the order of the first start that reaches them.

    Examples
    --------
    >>> from cogmap.maps.dynamics import FOUR_FIXED_POINTS, attractors
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1], [0.9, 0.8]]
    >>> found = attractors(FOUR_FIXED_POINTS, corners)
    >>> [len(cycle) for cycle in found.cycles]
    [1, 1, 1, 1]
    >>> found.basin
    array([0, 1, 2, 3, 3])
    """
    check_map(fcm, "attractors")
    max_steps = check_integer("attractors", "max_steps", max_steps, low=0)
    tol = check_number("attractors", "tol", tol, low=0, low_included=False)
    max_period = check_integer("attractors", "max_period", max_period, low=1, high=10_000)
    states = check_starts(fcm, starts, seed, "attractors")
    search = _Search(fcm, max_steps, tol, max_period)
    rows = max(1, _STATES_IN_BLOCK // fcm.n_concepts)
    blocks = [search.basins(states[first : first + rows]) for first in range(0, len(states), rows)]
    basin = np.concatenate(blocks) if blocks else np.empty(0, dtype=np.intp)
    return _in_order(search.found, basin)


class _Search:
    """The attractors found so far, and the search for those of a block of starts."""

    def __init__(self, fcm: FuzzyCognitiveMap, max_steps: int, tol: float, max_period: int) -> None:
        self.fcm, self.max_steps, self.tol, self.max_period = fcm, max_steps, tol, max_period
        self.found: list[Array] = []
        self.passed: list[Array] = []  # cycles that draw nothing in

    def basins(self, A: Array) -> NDArray[np.intp]:
        """Return the numbers of the attractors that starts end in."""
        basin = np.full(len(A), -1, dtype=np.intp)
        active, watch_after = np.arange(len(A)), _WATCH_AFTER
        run = Run(self.fcm.step, A, self.max_steps)
        while active.size and run.advance(_LOOK_AFTER):
            reached = np.full(len(active), -1, dtype=np.intp)
            resting = np.flatnonzero(run.moved <= self.tol)
            reached[resting] = self._known(run.states[np.newaxis, resting], exact=True)
            if watch_after <= run.made < self.max_steps:
                moving = np.flatnonzero(reached < 0)
                reached[moving] = self._cycles(run.states[moving], exact=True)
                watch_after *= 2
            basin[active] = reached
            run.states, active = run.states[reached < 0], active[reached < 0]
        basin[active] = self._cycles(run.states, exact=False)
        return basin

    def _cycles(self, A: Array, exact: bool) -> NDArray[np.intp]:
        """Watch states for twice the longest period, and return the attractors that they go round."""
        reached = np.full(len(A), -1, dtype=np.intp)
        rows = max(1, _STATES_WATCHED // ((2 * self.max_period + 1) * A.shape[1]))
        for first in range(0, len(A), rows):
            watched = self.fcm.run(A[first : first + rows], 2 * self.max_period)
            found = periods(watched[::-1], self.max_period, self.tol)  # backwards: each state recurs from the first on
            for period in np.unique(found[found > 0]):
                some = np.flatnonzero(found == period)
                reached[first + some] = self._known(watched[-period:, some], exact)
        return reached

    def _known(self, ends: Array, exact: bool) -> NDArray[np.intp]:
        """Return the attractors that last states (period, n, n_concepts) belong to; those not met before are added.

        Unless they have to be `exact`, states that recur are an attractor even if Newton's method cannot say so.
        """
        near = float(np.sqrt(self.tol))
        reached = np.full(ends.shape[1], -1, dtype=np.intp)
        waiting = np.ones(ends.shape[1], dtype=bool)
        for number, cycle in enumerate(self.found):
            on = waiting & _on_cycle(ends, cycle, near)
            reached[on] = number
            waiting &= ~on
        for cycle in self.passed:
            waiting &= ~_on_cycle(ends, cycle, near)
        while waiting.any():
            number = int(np.argmax(waiting))
            first = ends[:, number]
            root = polished(self.fcm, first, near)
            cycle = first.copy() if root is None else root
            same = waiting & _on_cycle(ends, cycle, near)
            same[number] = True
            waiting &= ~same
            if root is None and exact:
                continue
            if draws_in(self.fcm, cycle):
                reached[same] = len(self.found)
                self.found.append(cycle)
            else:
                self.passed.append(cycle)
        return reached


def _on_cycle(ends: Array, cycle: Array, tolerance: float) -> NDArray[np.bool_]:
    """Say which trajectories, whose last states are `ends`, are on `cycle`, wherever on it they are."""
    result = np.zeros(ends.shape[1], dtype=bool)
    if len(ends) % len(cycle):
        return result
    for shift in range(len(cycle)):
        shifted = np.resize(np.roll(cycle, shift, axis=0), (len(ends), cycle.shape[1]))[:, np.newaxis]
        result |= (np.abs(ends - shifted) <= tolerance).all(axis=(0, 2))
    return result


def _in_order(found: list[Array], basin: NDArray[np.intp]) -> Attractors:
    """Number the attractors by the first start that reaches them."""
    numbers, first = np.unique(basin[basin >= 0], return_index=True)
    order = numbers[np.argsort(first)]
    place = np.full(len(found) + 1, -1, dtype=np.intp)  # the last is that of the index -1
    place[order] = np.arange(len(order))
    return Attractors(tuple(found[number] for number in order), place[basin])
