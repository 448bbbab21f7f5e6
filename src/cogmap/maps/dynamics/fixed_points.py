"""Stable and unstable fixed points by Newton's method, and the largest Lyapunov exponent."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer
from cogmap.maps._arguments import check_map
from cogmap.maps._text import concept_lines
from cogmap.maps.dynamics.newton import (
    check_starts,
    cycle_jacobian,
    jacobian,
    refine_cycle,
    spectral_radius,
    state_range,
)
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.floating]

_ROOT = 1e-12  # largest change of a fixed point in a step
_SAME = 1e-6  # fixed points within this distance count as the same
_LARGEST = 1e100  # larger derivatives would overflow when solving for Newton steps
_ITERATIONS = 60
_HALVINGS = 6
_ENTRIES_PER_BLOCK = 1 << 21  # of the Jacobians of a block of starts: 16 MB
_WARM_UP = 20  # steps of the map, which approach attracting fixed points faster than Newton's method finds them
_BURN_IN = 200  # steps before growth is measured, and the smallest number of steps after


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A fixed point of a map.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    state : ndarray of shape (n_concepts,)
        The state.
    eigenvalues : ndarray of complex, of shape (n_concepts,)
        Eigenvalues of the Jacobian of a step, the largest in absolute value first.

    See Also
    --------
    fixed_points : Find stable and unstable fixed points by Newton's method.
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.

    Examples
    --------
    >>> from cogmap.maps.dynamics import TWO_FIXED_POINTS, fixed_points
    >>> point = fixed_points(TWO_FIXED_POINTS)[-1]
    >>> point.stable, round(point.spectral_radius, 2)
    (False, 1.55)
    >>> {name: round(state, 3) for name, state in point.to_dict().items()}
    {'C1': 0.5, 'C2': 0.5}
    """

    concepts: tuple[str, ...]
    state: Array
    eigenvalues: NDArray[np.complexfloating]

    @property
    def spectral_radius(self) -> float:
        """Largest absolute eigenvalue: the factor by which small deviations grow or shrink in each step."""
        return float(np.abs(self.eigenvalues[0]))

    @property
    def stable(self) -> bool:
        """Whether small deviations die out."""
        return self.spectral_radius < 1.0

    def to_dict(self) -> dict[str, float]:
        """Return the state of each concept by its name.

        Returns
        -------
        dict
            State of each concept, by name.
        """
        return dict(zip(self.concepts, self.state.tolist(), strict=True))

    def __repr__(self) -> str:
        kind = "Stable" if self.stable else "Unstable"
        head = f"{kind} fixed point: deviations change by a factor of {self.spectral_radius:.3g} with each step."
        return "\n".join([head, *concept_lines(self.concepts, {"state": [f"{a:.3f}" for a in self.state]})])


def fixed_points(fcm: FuzzyCognitiveMap, starts: ArrayLike | int = 200, seed: int = 0) -> tuple[FixedPoint, ...]:
    """Find stable and unstable fixed points by Newton's method.

    The search may miss fixed points; `certificate` can prove that there is only one.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    starts : int or array-like of shape (n_starts, n_concepts), default=200
        Initial states, or a number of random ones. Newton's method starts from these states, and from those after 20
        steps of the map.
    seed : int, default=0
        Seed of the random starts.

    Returns
    -------
    tuple of FixedPoint
        Fixed points by increasing spectral radius, the most strongly attracting first.

    See Also
    --------
    attractors : Find the fixed points and cycles that trajectories from `starts` converge to.
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.
    lyapunov : Return the largest Lyapunov exponent: the mean logarithmic growth of a small deviation per step.

    Examples
    --------
    >>> from cogmap.maps.dynamics import TWO_FIXED_POINTS, fixed_points
    >>> points = fixed_points(TWO_FIXED_POINTS)
    >>> [point.stable for point in points]
    [True, True, False]
    >>> points[-1].state.round(3)
    array([0.5, 0.5])
    """
    check_map(fcm, "fixed_points")
    states = check_starts(fcm, starts, seed, "fixed_points")
    if not len(states):
        return ()
    states = np.concatenate([states, fcm.run(states, _WARM_UP)[-1]])
    rows = max(1, _ENTRIES_PER_BLOCK // fcm.n_concepts**2)
    roots: list[Array] = []
    for first in range(0, len(states), rows):
        for root in _newton(fcm, states[first : first + rows]):
            if all(np.abs(root - other).max() > _SAME for other in roots):
                roots.append(root)
    return tuple(sorted((_make_fixed_point(fcm, root) for root in roots), key=lambda point: point.spectral_radius))


def _make_fixed_point(fcm: FuzzyCognitiveMap, root: Array) -> FixedPoint:
    derivative = jacobian(fcm, root)
    if not np.isfinite(derivative).all():  # overflow
        return FixedPoint(fcm.concepts, root, np.full(fcm.n_concepts, np.inf, dtype=np.complex128))
    eigenvalues = np.linalg.eigvals(derivative).astype(np.complex128)
    return FixedPoint(fcm.concepts, root, eigenvalues[np.argsort(-np.abs(eigenvalues), kind="stable")])


def _newton(fcm: FuzzyCognitiveMap, A: Array) -> Array:
    """Return the roots that Newton's method reaches from the rows of `A`, halving steps until the error decreases."""
    low, high = state_range(fcm)
    A = np.clip(A, low, high)
    move = fcm.step(A) - A
    roots = []
    for _ in range(_ITERATIONS):
        error = np.abs(move).max(axis=1)
        roots.append(A[error <= _ROOT])
        A, move, error = A[error > _ROOT], move[error > _ROOT], error[error > _ROOT]
        if not len(A):
            break
        direction = _solve(np.eye(fcm.n_concepts) - jacobian(fcm, A), move)
        size = np.ones(len(A))
        better = np.zeros(len(A), dtype=bool)
        new, new_move = A.copy(), move.copy()
        for _ in range(_HALVINGS):
            trial = np.clip(A + size[:, np.newaxis] * direction, low, high)
            trial_move = fcm.step(trial) - trial
            improved = ~better & (np.abs(trial_move).max(axis=1) < error)
            new[improved], new_move[improved] = trial[improved], trial_move[improved]
            better |= improved
            if better.all():
                break
            size[~better] /= 2
        A, move = new[better], new_move[better]  # drop starts that no step size improves
    return np.concatenate(roots)


def _solve(matrices: Array, vectors: Array) -> Array:
    """Solve one linear system per row, by the pseudoinverse if one is singular; return 0 on overflow."""
    moderate = (np.abs(matrices) < _LARGEST).all(axis=(1, 2))
    result = np.zeros_like(vectors)
    try:
        result[moderate] = np.linalg.solve(matrices[moderate], vectors[moderate][..., np.newaxis])[..., 0]
    except np.linalg.LinAlgError:
        result[moderate] = (np.linalg.pinv(matrices[moderate]) @ vectors[moderate][..., np.newaxis])[..., 0]
    return result


def lyapunov(
    fcm: FuzzyCognitiveMap,
    start: ArrayLike | Mapping[str, float] | None = None,
    steps: int = 2000,
    seed: int = 0,
) -> float:
    """Return the largest Lyapunov exponent: the mean logarithmic growth of a small deviation per step.

    It is negative where trajectories converge, 0 where they keep their distance, and positive in chaos. If the start
    leads to a fixed point or a cycle, it is computed from the spectral radius of the Jacobian there; otherwise it is
    estimated along the trajectory.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Initial states, as in `FuzzyCognitiveMap.settle`.
    steps : int, default=2000
        Largest number of steps to a fixed point or cycle, and number of steps over which growth is estimated otherwise;
        200 or more.
    seed : int, default=0
        Seed of the direction of the initial deviation.

    Returns
    -------
    float
        Minus infinity if a deviation vanishes after some steps.

    See Also
    --------
    fixed_points : Find stable and unstable fixed points by Newton's method.
    attractors : Find the fixed points and cycles that trajectories from `starts` converge to.

    Examples
    --------
    >>> from cogmap.maps.dynamics import ONE_CYCLE, lyapunov
    >>> round(lyapunov(ONE_CYCLE, [0.2, 0.3]), 3)
    -0.065
    """
    check_map(fcm, "lyapunov")
    steps = check_integer("lyapunov", "steps", steps, low=_BURN_IN)
    settled = fcm.settle(start, max_steps=steps)
    if settled.period is not None:
        cycle = refine_cycle(fcm, settled.states, within=1e-3)
        cycle = settled.states if cycle is None else cycle
        with np.errstate(divide="ignore"):
            return float(np.log(spectral_radius(cycle_jacobian(fcm, cycle)))) / len(cycle)
    A = settled.states[-1]
    deviation: Array = np.random.default_rng(check_integer("lyapunov", "seed", seed, low=0)).normal(size=fcm.n_concepts)
    total = 0.0
    for t in range(steps + _BURN_IN):
        deviation = jacobian(fcm, A) @ (deviation / np.linalg.norm(deviation))
        A = fcm.step(A)
        size = float(np.linalg.norm(deviation))
        if size == 0.0:
            return float("-inf")
        if t >= _BURN_IN:  # until then the deviation turns towards the direction of largest growth
            total += np.log(size)
    return total / steps
