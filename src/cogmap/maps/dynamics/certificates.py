"""Proofs that a map has exactly one fixed point, and the slopes up to which they hold."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.maps._arguments import check_map
from cogmap.maps._text import count
from cogmap.maps.dynamics.attractors import Attractors, attractors
from cogmap.maps.dynamics.enclosures import (
    StateBox,
    enclosing_box,
    has_radius_below_one,
    max_derivatives,
    proves_fixed_point,
    scale_rows,
)
from cogmap.maps.dynamics.fixed_points import fixed_points
from cogmap.maps.dynamics.newton import check_starts, refine_cycle, spectral_radius, state_range
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.floating]

_EPS = float(np.finfo(np.float64).eps)
_SLOPE_STEP = 1.1  # the box is tried at slopes that grow by this factor ...
_SLOPE_END = 1000.0  # ... up to this one
_SLOPE_PRECISION = 1e-3
_BOX_STEPS_TRIED = 300  # at slopes other than that of the map
_RADII = (1e-9, 1e-7)  # of boxes around fixed points, smaller than the distance between two distinct ones
_STARTS = 100  # of the search for fixed points and attractors if no proof holds; fewer for large maps
_WORK = 1e8


@dataclass(frozen=True, eq=False)
class Proof:
    """One criterion for exactly one fixed point to which every trajectory converges.

    Attributes
    ----------
    name : str
        ``"frobenius"``, ``"row sums"``, ``"radius"`` or ``"box"``.
    holds : bool
        Whether it holds for this map.
    why : str
        The quantity it depends on, with its value.
    factor : float
        Factor on the slope of the map at which this proof stops holding; infinity if it always holds. For the box, the
        first such factor when the slope grows in steps of 10%, and infinity if there is none up to slope 1000.
    stops_at : float or ndarray
        Slope at which it stops holding: `factor` times that of the map.

    See Also
    --------
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.
    Certificate : Proved facts about the fixed points of a map.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.dynamics import certificate
    >>> proof = certificate(FuzzyCognitiveMap([[0, -1], [1, 0]], slope=2, activation="logistic")).proofs[1]
    >>> proof.name, proof.holds, proof.why, round(proof.stops_at, 3)
    ('row sums', True, 'largest row sum 0.5', 4.0)
    """

    name: str
    holds: bool
    why: str
    factor: float
    stops_at: float | Array


@dataclass(frozen=True, eq=False)
class Certificate:
    """Proved facts about the fixed points of a map.

    Attributes
    ----------
    unique : bool or None
        True if there is provably exactly one fixed point, to which every trajectory converges; False if there are
        provably several fixed points; None if neither is proved. For a map with held concepts, True is proved for each
        of their states, and the other results are for held concepts that are undecided.
    proofs : tuple of Proof
        The criteria tried. One that holds is enough.
    low, high : ndarray of shape (n_concepts,)
        Bounds of a box that every trajectory enters and never leaves: it contains all attractors.
    fixed_points : ndarray of shape (n_proved, n_concepts)
        Fixed points that provably exist, each within 1e-7 of the given state.
    found : Attractors or None
        Attractors of some random starts, if `unique` is not True.
    n_held : int
        Number of held concepts.

    See Also
    --------
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.
    Proof : One criterion for exactly one fixed point to which every trajectory converges.

    Examples
    --------
    >>> from cogmap.maps.dynamics import TWO_FIXED_POINTS, certificate
    >>> result = certificate(TWO_FIXED_POINTS)
    >>> result.unique, len(result.fixed_points), [proof.holds for proof in result.proofs]
    (False, 3, [False, False, False, False])
    """

    unique: bool | None
    proofs: tuple[Proof, ...]
    low: Array
    high: Array
    fixed_points: Array
    found: Attractors | None
    n_held: int = 0

    @property
    def sentence(self) -> str:
        """Summary as a sentence."""
        if self.unique:
            by = ", ".join(proof.name for proof in self.proofs if proof.holds)
            one = "For each state of the held concepts, exactly one" if self.n_held else "Exactly one"
            return f"{one} fixed point, and every start ends in it. Proved by: {by}."
        proved = f"{count(len(self.fixed_points), 'fixed point')} proved to exist"
        head = f"Several fixed points: {proved}." if self.unique is False else f"Unknown: no proof holds, {proved}."
        width = float((self.high - self.low).max())
        observed = "" if self.found is None else f" {self.found.sentence}"
        return f"{head} All attractors lie in a box at most {width:.3g} wide.{observed}"

    def __repr__(self) -> str:
        lines = [
            f"  {proof.name.ljust(9)}  {'proof   ' if proof.holds else 'no proof'}  {proof.why}; {_validity(proof)}"
            for proof in self.proofs
        ]
        return "\n".join([self.sentence, *lines])


def certificate(fcm: FuzzyCognitiveMap) -> Certificate:
    """Try to prove that a map has exactly one fixed point, to which every trajectory converges.

    There are four criteria. With D the largest derivative of each concept's activation function (a quarter of the slope
    for the sigmoid and the logistic function, the slope for tanh) and ``|W|`` the absolute weights, a step is a
    contraction if

    - the Frobenius norm of ``D W`` is below 1,
    - the largest row sum of ``D |W|`` is below 1,
    - the spectral radius of ``D |W|`` is below 1. This holds whenever one of the first two does.

    The fourth criterion, the box, also works for steep slopes. The first box is the whole range of states; the lowest
    and the highest states that a step can reach from a box bound the next one, which lies within it. Every trajectory
    enters all of them. Once D within the box is small enough for the spectral radius to be below 1, there is exactly
    one fixed point, and it is in the box.

    All bounds account for rounding, so that proofs hold in exact arithmetic.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map. To hold concepts at given states, pass ``cogmap.maps.rewriting.with_clamp(fcm, clamp)``.

    Returns
    -------
    Certificate
        What is proved, and the criteria tried.

    See Also
    --------
    fixed_points : Find stable and unstable fixed points by Newton's method.
    attractors : Find the fixed points and cycles that trajectories from `starts` converge to.
    slope_advice : Return slopes that guarantee one fixed point, and one that keeps states distinguishable.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.dynamics import certificate
    >>> certificate(FuzzyCognitiveMap([[0, -1], [1, 0]], slope=5, activation="logistic"))
    Exactly one fixed point, and every start ends in it. Proved by: box.
      frobenius  no proof  norm 1.77; holds below slope 2.83
      row sums   no proof  largest row sum 1.25; holds below slope 4
      radius     no proof  spectral radius 1.25; holds below slope 4
      box        proof     contracts within 0.00834 after 8 steps; holds up to slope 1000
    """
    check_map(fcm, "certificate")
    box = enclosing_box(fcm)
    proofs = (*_norm_proofs(fcm), _box_proof(fcm, box))
    if any(proof.holds for proof in proofs):
        middle = (box.low + box.high) / 2
        point = refine_cycle(fcm, fcm.run(middle, 200)[-1:], within=np.inf)
        proved = _proved(fcm, () if point is None else point)
        return Certificate(True, proofs, box.low, box.high, proved, None, len(fcm.held))
    n_starts = int(np.clip(_WORK / fcm.n_concepts**3, 5, _STARTS))
    middle = np.mean(state_range(fcm), axis=0)
    starts = np.vstack([check_starts(fcm, n_starts, 0, "certificate"), box.low, box.high, middle])
    starts[:, fcm._held] = middle[fcm._held]
    proved = _proved(fcm, [point.state for point in fixed_points(fcm, starts)])
    unique = False if len(proved) > 1 else None
    found = attractors(fcm, starts[:n_starts])
    return Certificate(unique, proofs, box.low, box.high, proved, found, len(fcm.held))


def _proved(fcm: FuzzyCognitiveMap, candidates: Iterable[Array]) -> Array:
    """Return the candidates near which a fixed point provably exists."""
    proved = [point for point in candidates if any(proves_fixed_point(fcm, point, radius) for radius in _RADII)]
    return np.array(proved).reshape(-1, fcm.n_concepts)


def _norm_proofs(fcm: FuzzyCognitiveMap) -> tuple[Proof, ...]:
    """Return the criteria that depend on the weights and the largest derivatives of the activation functions."""
    M = scale_rows(max_derivatives(fcm), np.abs(fcm.weights))
    with np.errstate(over="ignore"):
        norm = float(np.sqrt((M * M).sum()))
        largest = float(M.sum(axis=1).max())
    radius = spectral_radius(M)
    rounding = 1.0 + 4 * M.size * _EPS
    criteria = (
        ("frobenius", norm * rounding < 1.0, f"norm {norm:.3g}", _inverse(norm)),
        ("row sums", largest * rounding < 1.0, f"largest row sum {largest:.3g}", _inverse(largest)),
        ("radius", has_radius_below_one(M), f"spectral radius {radius:.3g}", _inverse(radius)),
    )
    return tuple(Proof(*criterion, criterion[-1] * fcm.slope) for criterion in criteria)


def _validity(proof: Proof) -> str:
    if proof.factor == np.inf:
        return f"holds up to slope {_SLOPE_END:g}" if proof.name == "box" else "holds at any slope"
    if isinstance(proof.stops_at, float):
        return f"holds below slope {proof.stops_at:.3g}"
    return f"holds below {proof.factor:.3g} times the slopes"


def _inverse(size: float) -> float:
    return 1.0 / size if size > 0.0 else float("inf")


def _box_proof(fcm: FuzzyCognitiveMap, box: StateBox) -> Proof:
    width = float(np.delete(box.high - box.low, fcm._held).max(initial=0.0))
    after = f"after {count(box.steps, 'step')}"
    why = f"contracts within {width:.3g} {after}" if box.contracts else f"stops shrinking at {width:.3g} {after}"
    factor = _box_end(fcm)
    return Proof("box", box.contracts, why, factor, factor * fcm.slope)


def _box_end(fcm: FuzzyCognitiveMap) -> float:
    """Return the smallest factor on the slope, when it grows in steps, at which the box proves nothing."""
    largest = float(np.max(fcm.slope))

    def fails(factor: float) -> bool:
        if not (np.min(fcm.slope) * factor > 0.0 and largest * factor < np.inf):  # not a valid slope
            return True
        return not enclosing_box(fcm.replace(slope=fcm.slope * factor), _BOX_STEPS_TRIED).contracts

    if not np.isfinite(max_derivatives(fcm)).all():  # a jump is infinitely steep whatever the slope parameter
        return 0.0 if fails(1.0) else float("inf")
    radius = spectral_radius(scale_rows(max_derivatives(fcm), np.abs(fcm.weights)))
    # Up to here the spectral radius proves it in the whole range of states, which is the first box.
    good = min(_inverse(radius) * (1.0 - _SLOPE_PRECISION), _SLOPE_END / largest)
    bad = good * _SLOPE_STEP
    while not fails(bad):
        good, bad = bad, bad * _SLOPE_STEP
        if good * largest >= _SLOPE_END:
            return float("inf")
    while bad - good > _SLOPE_PRECISION * good:
        middle = (good + bad) / 2
        good, bad = (good, middle) if fails(middle) else (middle, bad)
    return good
