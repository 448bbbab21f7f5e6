"""Convergence to a fixed point or a cycle: of one start, a batch of starts, or one start in each of many maps.

`Run` makes the steps and `find_periods` detects cycles, for `converge`, `dynamics.attractors` and `monte_carlo`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.maps._text import concept_lines, count

Array = NDArray[np.floating]

_LONGEST_PERIOD = 64
_STEPS_PER_CHECK = 8
_SLOW = 1e-3  # below this last change, more steps may lead to convergence
_PERTURBATION = 1e-7
_EXACT = 1e-12  # recurrence within this distance ends the iteration early


@dataclass(frozen=True, eq=False)
class Settled:
    """Limit of a trajectory: a fixed point, a cycle, or neither within the allowed steps.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    states : ndarray of shape (n_states, n_concepts)
        The fixed point; or the states of the cycle in the order of visits; or, without convergence, the last states.
    period : int or None
        Number of states of the cycle; 1 for a fixed point; None without convergence.
    steps : int
        Number of steps to convergence, or all steps made.
    moved : float
        Largest change of a state in the last step.
    stable : bool or None
        Whether a small perturbation of the fixed point dies out; None unless `period` is 1.

    See Also
    --------
    cogmap.FuzzyCognitiveMap.settle : Iterate from one start until it converges to a fixed point or a cycle.
    Scenario : States that a map converges to with some concepts clamped, and the change from the states before.
    cogmap.maps.dynamics.attractors : Find the fixed points and cycles that trajectories from `starts` converge to.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> settled = rain.settle({"rain": 1}, keep=["rain"])
    >>> settled.kind, settled.period, settled.steps
    ('fixed point', 1, 1)
    >>> {name: round(state, 3) for name, state in settled.to_dict().items()}
    {'rain': 1.0, 'umbrellas': 0.999}
    """

    concepts: tuple[str, ...]
    states: Array
    period: int | None
    steps: int
    moved: float
    stable: bool | None = None

    @property
    def kind(self) -> str:
        """Kind of limit: ``"fixed point"``, ``"cycle"`` or ``"neither"``."""
        return {None: "neither", 1: "fixed point"}.get(self.period, "cycle")

    @property
    def mean(self) -> Array:
        """State of each concept: the fixed point, or the mean over `states`."""
        result: Array = self.states.mean(axis=0) if len(self.states) > 1 else self.states[0]
        return result

    @property
    def ending(self) -> str:
        """Outcome as a clause whose subject is "it"."""
        steps = count(self.steps, "step")
        if self.period == 1:
            return f"converges to {'a' if self.stable else 'an unstable'} fixed point after {steps}"
        if self.period is not None:
            return f"converges to a cycle of {self.period} states after {steps}"
        hint = "; it may converge with more `max_steps`" if self.moved < _SLOW else ""
        return (
            f"does not converge to a fixed point or a cycle of up to {_LONGEST_PERIOD} states within {steps}: "
            f"the last step still changed a state by {self.moved:.2g}{hint}"
        )

    @property
    def sentence(self) -> str:
        """Outcome as a sentence."""
        return f"It {self.ending}."

    def to_dict(self) -> dict[str, float]:
        """Return `mean` as a dict from concept names to states.

        Returns
        -------
        dict
            State of each concept, by name.
        """
        return dict(zip(self.concepts, self.mean.tolist(), strict=True))

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *concept_lines(self.concepts, {"state": [f"{a:.3f}" for a in self.mean]})])


class Run:
    """Iteration of a step function from one start, or from a batch of starts.

    Attributes
    ----------
    states : ndarray of shape (n_concepts,) or (n_rows, n_concepts)
        Current states. Callers may remove finished rows between two calls of `advance`.
    n_steps : int
        Number of steps so far, including the one in progress.
    moved : float or ndarray of shape (n_rows,)
        Largest change of a state in the last step; NaN before the first.
    """

    def __init__(self, step: Callable[[Array], Array], states: Array, max_steps: int) -> None:
        self.step, self.states, self.max_steps = step, states, max_steps
        self.n_steps, self.moved = 0, np.full(states.shape[:-1], np.nan)

    def advance(self, n_more: int) -> bool:
        """Make up to `n_more` steps within `max_steps`, and return whether any was made.

        `moved` is updated once per call, because computing it costs as much as a step.
        """
        n_more = min(n_more, self.max_steps - self.n_steps)
        before = self.states
        for _ in range(n_more):
            self.n_steps += 1
            before, self.states = self.states, self.step(self.states)
        if n_more:
            self.moved = np.abs(self.states - before).max(axis=-1)
        return n_more > 0


def find_periods(trajectories: Array, max_period: int, tol: float) -> NDArray[np.intp]:
    """Return for each trajectory the smallest number of steps after which its last states recur, or 0.

    Parameters
    ----------
    trajectories : ndarray of shape (n_steps + 1, n_rows, n_concepts)
        The last states of each trajectory.
    max_period : int
        Largest period to look for, and number of consecutive recurrences required of a cycle.
    tol : float
        Largest difference between states that count as the same.

    Returns
    -------
    ndarray of int, of shape (n_rows,)
    """
    result = np.zeros(trajectories.shape[1], dtype=np.intp)
    for period in range(1, min(max_period, len(trajectories) - 1) + 1):
        some = np.flatnonzero((result == 0) & (np.abs(trajectories[-1] - trajectories[-1 - period]) <= tol).all(axis=1))
        if not some.size:
            continue
        # A chaotic trajectory may recur once by chance, but not in many consecutive steps.
        last = trajectories[-(period + (1 if period == 1 else max_period)) :, some]
        if period > 1 and len(last) < 2 * period:
            break
        recurs = (np.abs(last[period:] - last[:-period]) <= tol).all(axis=(0, 2))
        result[some[recurs]] = period
    return result


def converge(
    step: Callable[[Array], Array], first: Array, concepts: tuple[str, ...], max_steps: int, tol: float
) -> Settled:
    """Iterate `step` from `first` until states recur almost exactly, else check whether they recur within `tol`."""
    trajectory, period = [first], 0

    def step_recorded(states: Array) -> Array:
        trajectory.append(step(states))
        return trajectory[-1]

    def last_period(within: float) -> int:
        last = np.array(trajectory[-2 * _LONGEST_PERIOD :])[:, np.newaxis]
        return int(find_periods(last, _LONGEST_PERIOD, within)[0])

    run = Run(step_recorded, first, max_steps)
    while not period and run.advance(_STEPS_PER_CHECK):
        # Cycle detection costs more than a step, so it runs only every two times the longest period.
        if run.moved <= _EXACT or run.n_steps % (2 * _LONGEST_PERIOD) == 0:
            period = last_period(_EXACT)
    period, moved = period or last_period(tol), float(run.moved)
    if not period:
        return Settled(concepts, np.array(trajectory[-_LONGEST_PERIOD:]), None, len(trajectory) - 1, moved)
    path = np.array(trajectory)
    away = np.flatnonzero(np.abs(path[period:] - path[:-period]).max(axis=1) > tol)
    stable = _is_stable(step, path[-1]) if period == 1 else None
    return Settled(concepts, path[-period:], period, int(away[-1]) + 1 if away.size else 0, moved, stable)


def _is_stable(step: Callable[[Array], Array], point: Array) -> bool:
    """Return whether a perturbation in a random direction has not grown after some steps."""
    perturbed: Array = point + _PERTURBATION * np.random.default_rng(0).choice([-1.0, 1.0], point.shape)
    for _ in range(_LONGEST_PERIOD):
        perturbed = step(perturbed)
    return bool(np.abs(perturbed - point).max() <= 2.0 * _PERTURBATION)
