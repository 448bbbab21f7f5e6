"""Follow one start until it rests or goes round a cycle, and say so."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._map_text import concept_lines, count

Array = NDArray[np.floating]

_LONGEST_PERIOD = 64
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


def settle(
    step: Callable[[Array], Array], first: Array, concepts: tuple[str, ...], max_steps: int, tol: float
) -> Settled:
    """Follow `first` by `step` until it recurs almost exactly, or else see whether it recurs within `tol`."""
    trajectory, period = [first], None
    for t in range(1, max_steps + 1):
        trajectory.append(step(trajectory[-1]))
        # A look at whole cycles takes longer than a step: one is enough in each round of the longest.
        rests = t % 8 == 0 and float(np.abs(trajectory[-1] - trajectory[-2]).max()) <= _EXACT
        if rests or t % (2 * _LONGEST_PERIOD) == 0:
            period = _period(np.array(trajectory[-2 * _LONGEST_PERIOD :]), _EXACT)
            if period is not None:
                break
    else:
        period = _period(np.array(trajectory[-2 * _LONGEST_PERIOD :]), tol)
    moved = float(np.abs(trajectory[-1] - trajectory[-2]).max()) if max_steps else float("nan")
    if period is None:
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


def _period(watched: Array, tol: float) -> int | None:
    """Return the smallest number of steps after which the last states recur, or None."""
    for period in range(1, _LONGEST_PERIOD + 1):
        # One recurrence may be an accident of chaos; the same in each of many steps is not.
        window = 1 if period == 1 else _LONGEST_PERIOD
        last = watched[-(period + window) :]
        if len(last) <= period:
            return None
        if np.abs(last[period:] - last[:-period]).max() <= tol and (period == 1 or len(last) >= 2 * period):
            return period
    return None
