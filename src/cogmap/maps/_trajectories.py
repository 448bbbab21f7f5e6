"""Trajectories of a map: a number of steps, or until it converges."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer, check_number
from cogmap.maps._convergence import Settled, converge
from cogmap.maps._states import DRIVERS, clamped_states, clamped_step, first_states

Array = NDArray[np.floating]

_OWNER = "FuzzyCognitiveMap"


class MapTrajectoriesMixin:
    """Mixin of `FuzzyCognitiveMap` with its trajectories."""

    __slots__ = ()

    def run(
        self: Any,
        start: ArrayLike | Mapping[str, float],
        depth: int,
        clamp: Mapping[str, float] | None = None,
        keep: Collection[str] | str = (),
    ) -> Array:
        """Return the trajectory: `start` and the states after each of `depth` steps.

        Parameters
        ----------
        start : array-like of shape (n_concepts,) or (n_samples, n_concepts), or mapping
            Initial states, as an array or by name, such as ``{"rainfall": 1}``; concepts missing from a mapping are
            undecided, in the middle of their range.
        depth : int
            Number of steps, 0 or more.
        clamp : mapping, default=None
            States, by name, at which concepts are held from the start.
        keep : collection of str, or "drivers", default=()
            Names of further concepts that keep their initial state, as held ones do; ``"drivers"`` means those in
            `drivers`.

        Returns
        -------
        ndarray of shape (depth + 1, n_concepts) or (depth + 1, n_samples, n_concepts)
            The initial states, followed by the states after each step.
        """
        depth = check_integer(f"{_OWNER}.run", "depth", depth, low=0)
        first, step = self._follow(start, clamp, keep, "run")
        trajectory = np.empty((depth + 1, *first.shape), dtype=first.dtype)
        trajectory[0] = first
        for t in range(depth):
            trajectory[t + 1] = step(trajectory[t])
        return trajectory

    def settle(
        self: Any,
        start: ArrayLike | Mapping[str, float] | None = None,
        clamp: Mapping[str, float] | None = None,
        keep: Collection[str] | str = (),
        max_steps: int = 1000,
        tol: float = 1e-6,
    ) -> Settled:
        """Iterate from one start until it converges to a fixed point or a cycle.

        Parameters
        ----------
        start : array-like of shape (n_concepts,) or mapping, default=None
            Initial states, as an array or by name; concepts missing from a mapping are undecided. None means that all
            concepts are.
        clamp : mapping, default=None
            States, by name, at which concepts are held from the start.
        keep : collection of str, or "drivers", default=()
            Names of further concepts that keep their initial state, as in `run`.
        max_steps : int, default=1000
            Largest number of steps.
        tol : float, default=1e-6
            Largest difference, in every concept, between states that count as the same.

        Returns
        -------
        Settled
            Result with `kind` ("fixed point", "cycle" or "neither"), `states`, `period`, `steps` and a `sentence`.
        """
        owner = f"{_OWNER}.settle"
        max_steps = check_integer(owner, "max_steps", max_steps, low=1)
        tol = check_number(owner, "tol", tol, low=0, low_included=False)
        first, step = self._follow(start, clamp, keep, "settle", dimensions=(1,))
        return converge(step, first.astype(np.float64), self._concepts, max_steps, tol)

    def _follow(
        self: Any, start: Any, clamp: Any, keep: Any, method: str, dimensions: tuple[int, ...] = (1, 2)
    ) -> tuple[Array, Callable[[Array], Array]]:
        """Return the initial states and the step function, with clamped concepts."""
        owner = f"{_OWNER}.{method}"
        first, peak = first_states(start, self._concepts, self._activation.middle, owner, dimensions)
        keep = self.drivers if isinstance(keep, str) and keep == DRIVERS else keep
        clamped = clamped_states(first, clamp, keep, self._concepts, owner, self._held)
        return clamped_step(self._step, first, peak, clamped)
