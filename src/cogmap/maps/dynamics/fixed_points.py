"""All fixed points that can be found, stable or not, and how fast nearby states come apart."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer
from cogmap.maps._text import concept_lines
from cogmap.maps.dynamics.newton import check_starts, growth, jacobian, polished, spectral_radius, state_range
from cogmap.maps.map import FuzzyCognitiveMap, check_map

Array = NDArray[np.floating]

_ROOT = 1e-12  # how little a step may move a fixed point
_SAME = 1e-6  # how near two fixed points are one
_LARGEST = 1e100  # derivative that equations are solved with
_ITERATIONS = 60
_HALVINGS = 6
_NUMBERS_AT_ONCE = 1 << 21  # in the matrices of a block of starts: 16 MB
_STEPS_FIRST = 20  # what attracts is found sooner by going there
_FORGOTTEN = 200  # steps before growth is measured, and the least number after


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A state that a map does not change.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    state : ndarray of shape (n_concepts,)
        The state.
    eigenvalues : ndarray of complex, of shape (n_concepts,)
        Those of the derivative of a step there, the largest in absolute value first.
    """

    concepts: tuple[str, ...]
    state: Array
    eigenvalues: NDArray[np.complexfloating]

    @property
    def spectral_radius(self) -> float:
        """The largest absolute eigenvalue: by what factor small deviations grow or shrink with each step."""
        return float(np.abs(self.eigenvalues[0]))

    @property
    def stable(self) -> bool:
        """Whether small deviations die out."""
        return self.spectral_radius < 1.0

    def to_dict(self) -> dict[str, float]:
        """Return the state of each concept by its name."""
        return dict(zip(self.concepts, self.state.tolist(), strict=True))

    def __repr__(self) -> str:
        kind = "Stable" if self.stable else "Unstable"
        head = f"{kind} fixed point: deviations change by a factor of {self.spectral_radius:.3g} with each step."
        return "\n".join([head, *concept_lines(self.concepts, {"state": [f"{a:.3f}" for a in self.state]})])


def fixed_points(fcm: FuzzyCognitiveMap, starts: ArrayLike | int = 200, seed: int = 0) -> tuple[FixedPoint, ...]:
    """Find fixed points by Newton's method, with their eigenvalues.

    Those that draw nothing in are found, too, which no trajectory would lead to. That all were found is not certain:
    `certificate` says whether there can be another one.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    starts : int or array-like of shape (n_starts, n_concepts), default=200
        States to start from, or a number of random ones. Newton's method starts from them, and from where some steps
        of the map lead.
    seed : int, default=0
        Seed of the random starts.

    Returns
    -------
    tuple of FixedPoint
        Those that attract most come first.

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
    states = np.concatenate([states, fcm.run(states, _STEPS_FIRST)[-1]])
    rows = max(1, _NUMBERS_AT_ONCE // fcm.n_concepts**2)
    roots: list[Array] = []
    for first in range(0, len(states), rows):
        for root in _newton(fcm, states[first : first + rows]):
            if all(np.abs(root - other).max() > _SAME for other in roots):
                roots.append(root)
    return tuple(sorted((_described(fcm, root) for root in roots), key=lambda point: point.spectral_radius))


def _described(fcm: FuzzyCognitiveMap, root: Array) -> FixedPoint:
    derivative = jacobian(fcm, root)
    if not np.isfinite(derivative).all():  # steeper than numbers go
        return FixedPoint(fcm.concepts, root, np.full(fcm.n_concepts, np.inf, dtype=np.complex128))
    eigenvalues = np.linalg.eigvals(derivative).astype(np.complex128)
    return FixedPoint(fcm.concepts, root, eigenvalues[np.argsort(-np.abs(eigenvalues), kind="stable")])


def _newton(fcm: FuzzyCognitiveMap, A: Array) -> Array:
    """Return the roots that Newton's method reaches from the rows of `A`, with steps halved until they help."""
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
        towards = _solved(np.eye(fcm.n_concepts) - jacobian(fcm, A), move)
        size = np.ones(len(A))
        better = np.zeros(len(A), dtype=bool)
        new, new_move = A.copy(), move.copy()
        for _ in range(_HALVINGS):
            tried = np.clip(A + size[:, np.newaxis] * towards, low, high)
            tried_move = fcm.step(tried) - tried
            helps = ~better & (np.abs(tried_move).max(axis=1) < error)
            new[helps], new_move[helps] = tried[helps], tried_move[helps]
            better |= helps
            if better.all():
                break
            size[~better] /= 2
        A, move = new[better], new_move[better]  # what no step helps leads nowhere
    return np.concatenate(roots)


def _solved(matrices: Array, vectors: Array) -> Array:
    """Solve a system of equations per row, as well as it can be solved; where numbers end, the answer is 0."""
    sane = (np.abs(matrices) < _LARGEST).all(axis=(1, 2))
    result = np.zeros_like(vectors)
    try:
        result[sane] = np.linalg.solve(matrices[sane], vectors[sane][..., np.newaxis])[..., 0]
    except np.linalg.LinAlgError:  # one of them is singular
        result[sane] = (np.linalg.pinv(matrices[sane]) @ vectors[sane][..., np.newaxis])[..., 0]
    return result


def lyapunov(
    fcm: FuzzyCognitiveMap,
    start: ArrayLike | Mapping[str, float] | None = None,
    steps: int = 2000,
    seed: int = 0,
) -> float:
    """Return the largest Lyapunov exponent: the mean logarithm by which a small deviation grows with each step.

    It is negative where trajectories come together, 0 where they keep their distance, and positive in chaos. Where the
    start leads to a fixed point or a cycle it is exact: at a fixed point, the logarithm of the spectral radius of the
    derivative. Elsewhere it is measured along the trajectory.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Where the trajectory starts, as in `FuzzyCognitiveMap.settle`.
    steps : int, default=2000
        Number of steps in which growth is measured, after as many that are forgotten; 200 or more.
    seed : int, default=0
        Seed of the direction of the first deviation.

    Returns
    -------
    float
        Minus infinity if a deviation is gone after some steps.

    Examples
    --------
    >>> from cogmap.maps.dynamics import ONE_CYCLE, lyapunov
    >>> round(lyapunov(ONE_CYCLE, [0.2, 0.3]), 3)
    -0.065
    """
    check_map(fcm, "lyapunov")
    steps = check_integer("lyapunov", "steps", steps, low=_FORGOTTEN)
    settled = fcm.settle(start, max_steps=steps)
    if settled.period is not None:
        cycle = polished(fcm, settled.states, within=1e-3)
        cycle = settled.states if cycle is None else cycle
        with np.errstate(divide="ignore"):
            return float(np.log(spectral_radius(growth(fcm, cycle)))) / len(cycle)
    A = settled.states[-1]
    deviation: Array = np.random.default_rng(check_integer("lyapunov", "seed", seed, low=0)).normal(size=fcm.n_concepts)
    total = 0.0
    for t in range(steps + _FORGOTTEN):
        deviation = jacobian(fcm, A) @ (deviation / np.linalg.norm(deviation))
        A = fcm.step(A)
        size = float(np.linalg.norm(deviation))
        if size == 0.0:
            return float("-inf")
        if t >= _FORGOTTEN:  # until then the deviation turns to where it grows most
            total += np.log(size)
    return total / steps
