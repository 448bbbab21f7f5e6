"""Follow states until they rest or go round a cycle: one start, a batch of starts, or one start in each of many maps.

`Run` makes the steps and `periods` finds cycles, for `settle` here, `dynamics.attractors` and `monte_carlo`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.maps._text import concept_lines, count

Array = NDArray[np.floating]

_LONGEST_PERIOD = 64
_LOOK_AFTER = 8  # steps
_CREEP = 1e-3  # steps so small may lead to rest, slowly
_PUSH = 1e-7
_EXACT = 1e-12  # a trajectory that recurs so nearly need not be followed any longer


@dataclass(frozen=True, eq=False)
class Settled:
    """What a trajectory ends in.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    states : ndarray of shape (n_states, n_concepts)
        The fixed point; or the states of the cycle in the order in which they are visited; or, if it is neither, the
        last states.
    period : int or None
        Number of states of the cycle; 1 is a fixed point; None means neither.
    steps : int
        Number of steps after which it was reached, or all that were made.
    moved : float
        The most by which the last step changed a state.
    stable : bool or None
        Of a fixed point, whether a small push dies out; else None.
    """

    concepts: tuple[str, ...]
    states: Array
    period: int | None
    steps: int
    moved: float
    stable: bool | None = None

    @property
    def kind(self) -> str:
        """What it is: ``"fixed point"``, ``"cycle"`` or ``"neither"``."""
        return {None: "neither", 1: "fixed point"}.get(self.period, "cycle")

    @property
    def mean(self) -> Array:
        """One state per concept: that of the fixed point, or the mean over `states`."""
        result: Array = self.states.mean(axis=0) if len(self.states) > 1 else self.states[0]
        return result

    @property
    def ending(self) -> str:
        """How it ended, in words that follow "it"."""
        after = f"after {count(self.steps, 'step')}"
        if self.period == 1:
            return f"comes to rest at a fixed point {after}" + (", which a small push would leave" * (not self.stable))
        if self.period is not None:
            return f"goes round a cycle of {self.period} states, reached {after}"
        hint = ", and may be on its way: try more `max_steps`" if self.moved < _CREEP else ""
        return (
            f"is neither at rest nor in a cycle of up to {_LONGEST_PERIOD} states {after}: "
            f"the last one still changed a state by {self.moved:.2g}{hint}"
        )

    @property
    def sentence(self) -> str:
        """How it ended, in a sentence."""
        return f"It {self.ending}."

    def to_dict(self) -> dict[str, float]:
        """Return the state of each concept by its name; of a cycle, the mean."""
        return dict(zip(self.concepts, self.mean.tolist(), strict=True))

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *concept_lines(self.concepts, {"state": [f"{a:.3f}" for a in self.mean]})])


class Run:
    """States on their way, of one start or row by row of several.

    Attributes
    ----------
    states : ndarray of shape (n_concepts,) or (n_rows, n_concepts)
        Where they are. Rows that are done may be taken out between two calls of `advance`.
    made : int
        Number of steps so far, with that which is being made.
    moved : float or ndarray of shape (n_rows,)
        The most by which the last step changed a state; NaN before the first.
    """

    def __init__(self, step: Callable[[Array], Array], states: Array, max_steps: int) -> None:
        self.step, self.states, self.max_steps = step, states, max_steps
        self.made, self.moved = 0, np.full(states.shape[:-1], np.nan)

    def advance(self, n_steps: int) -> bool:
        """Make some steps, or as many as are left, and say whether any was: a look after each would cost as much."""
        n_steps = min(n_steps, self.max_steps - self.made)
        before = self.states
        for _ in range(n_steps):
            self.made += 1
            before, self.states = self.states, self.step(self.states)
        if n_steps:
            self.moved = np.abs(self.states - before).max(axis=-1)
        return n_steps > 0


def periods(watched: Array, max_period: int, tol: float) -> NDArray[np.intp]:
    """Return for each trajectory the smallest number of steps after which its last states recur, or 0.

    Parameters
    ----------
    watched : ndarray of shape (n_steps + 1, n_rows, n_concepts)
        The last states.
    max_period : int
        The largest number of steps to look for, and how often a state has to recur.
    tol : float
        How near it has to come to count as the same.

    Returns
    -------
    ndarray of int, of shape (n_rows,)
    """
    result = np.zeros(watched.shape[1], dtype=np.intp)
    for period in range(1, min(max_period, len(watched) - 1) + 1):
        some = np.flatnonzero((result == 0) & (np.abs(watched[-1] - watched[-1 - period]) <= tol).all(axis=1))
        if not some.size:
            continue
        # One recurrence may be an accident of chaos; the same in each of many steps is not.
        last = watched[-(period + (1 if period == 1 else max_period)) :, some]
        if period > 1 and len(last) < 2 * period:
            break
        recurs = (np.abs(last[period:] - last[:-period]) <= tol).all(axis=(0, 2))
        result[some[recurs]] = period
    return result


def settle(
    step: Callable[[Array], Array], first: Array, concepts: tuple[str, ...], max_steps: int, tol: float
) -> Settled:
    """Follow `first` by `step` until it recurs almost exactly, or else see whether it recurs within `tol`."""
    trajectory, period = [first], 0

    def recorded(states: Array) -> Array:
        trajectory.append(step(states))
        return trajectory[-1]

    def recurs(within: float) -> int:
        return int(periods(np.array(trajectory[-2 * _LONGEST_PERIOD :])[:, np.newaxis], _LONGEST_PERIOD, within)[0])

    run = Run(recorded, first, max_steps)
    while not period and run.advance(_LOOK_AFTER):
        # A look at whole cycles takes longer than a step: one is enough in each round of the longest.
        if run.moved <= _EXACT or run.made % (2 * _LONGEST_PERIOD) == 0:
            period = recurs(_EXACT)
    period, moved = period or recurs(tol), float(run.moved)
    if not period:
        return Settled(concepts, np.array(trajectory[-_LONGEST_PERIOD:]), None, len(trajectory) - 1, moved)
    path = np.array(trajectory)
    away = np.flatnonzero(np.abs(path[period:] - path[:-period]).max(axis=1) > tol)
    stable = _stable(step, path[-1]) if period == 1 else None
    return Settled(concepts, path[-period:], period, int(away[-1]) + 1 if away.size else 0, moved, stable)


def _stable(step: Callable[[Array], Array], point: Array) -> bool:
    """Say whether a push in no direction of note grows within some steps."""
    push = _PUSH * np.random.default_rng(0).choice([-1.0, 1.0], point.shape)
    pushed: Array = point + push
    for _ in range(_LONGEST_PERIOD):
        pushed = step(pushed)
    return bool(np.abs(pushed - point).max() <= 2.0 * _PUSH)
