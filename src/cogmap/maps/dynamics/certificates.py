"""Is there exactly one fixed point, and how do we know: proofs, and the slopes at which they stop."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.maps._text import count
from cogmap.maps.dynamics.attractors import Attractors, attractors
from cogmap.maps.dynamics.enclosures import Box, enclosing_box, holds_fixed_point, shrinks, steepest, times
from cogmap.maps.dynamics.fixed_points import fixed_points
from cogmap.maps.dynamics.newton import check_starts, polished, spectral_radius, state_range
from cogmap.maps.map import FuzzyCognitiveMap, check_map

Array = NDArray[np.floating]

_EPS = float(np.finfo(np.float64).eps)
_SLOPE_STEP = 1.1  # the box is tried at slopes that grow by this factor ...
_SLOPE_END = 1000.0  # ... up to this one
_SLOPE_PRECISION = 1e-3
_BOX_STEPS_TRIED = 300  # of a box at slopes other than that of the map
_RADII = (1e-9, 1e-7)  # of boxes around fixed points: two that were found are farther apart
_STARTS = 100  # of the search for what is there where nothing is proved; fewer if its equations are large
_WORK = 1e8


@dataclass(frozen=True, eq=False)
class Proof:
    """One way to prove that there is exactly one fixed point, and that everything leads to it.

    Attributes
    ----------
    name : str
        ``"frobenius"``, ``"row sums"``, ``"radius"`` or ``"box"``.
    holds : bool
        Whether it proves that for this map.
    why : str
        What it looks at, with the numbers found.
    factor : float
        The factor on the slope of the map at which this proof stops; infinity if it never does. For the box, the first
        one met on the way up in steps of a tenth, and infinity if there is none up to slope 1000.
    stops_at : float or ndarray
        The slope at which it stops: `factor` times that of the map.
    """

    name: str
    holds: bool
    why: str
    factor: float
    stops_at: float | Array


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is known for sure about the fixed points of a map.

    Attributes
    ----------
    unique : bool or None
        True if it is proved that there is exactly one fixed point and every trajectory ends in it; False if it is
        proved that there are several fixed points; None if neither is proved.
    proofs : tuple of Proof
        The ways tried. One that holds is enough.
    low, high : ndarray of shape (n_concepts,)
        A box that every trajectory enters and never leaves: all attractors lie in it.
    fixed_points : ndarray of shape (n_proved, n_concepts)
        Fixed points that are proved to exist, each within 1e-7 of what is here.
    found : Attractors or None
        Where some random starts lead, if `unique` is not True.
    """

    unique: bool | None
    proofs: tuple[Proof, ...]
    low: Array
    high: Array
    fixed_points: Array
    found: Attractors | None

    @property
    def sentence(self) -> str:
        """What is known, in words."""
        if self.unique:
            by = ", ".join(proof.name for proof in self.proofs if proof.holds)
            return f"Exactly one fixed point, and every start ends in it. Proved by: {by}."
        known = f"{count(len(self.fixed_points), 'fixed point')} proved to exist"
        head = f"Several fixed points: {known}." if self.unique is False else f"Not known: no proof holds, {known}."
        width = float((self.high - self.low).max())
        found = "" if self.found is None else f" {self.found.sentence}"
        return f"{head} All attractors lie in a box, {width:.3g} wide at most.{found}"

    def __repr__(self) -> str:
        lines = [
            f"  {proof.name.ljust(9)}  {'proof   ' if proof.holds else 'no proof'}  {proof.why}; {_stop(proof)}"
            for proof in self.proofs
        ]
        return "\n".join([self.sentence, *lines])


def certificate(fcm: FuzzyCognitiveMap) -> Certificate:
    """Prove, if possible, that a map has exactly one fixed point and that every trajectory ends in it.

    Four proofs are tried. With D the largest derivative of each concept's activation function (a quarter of the slope
    for the sigmoid and the logistic function, the slope for tanh) and ``|W|`` the weights without their signs, a step
    brings all states nearer to each other if

    - the Frobenius norm of ``D W`` is below 1,
    - the largest row sum of ``D |W|`` is below 1,
    - the spectral radius of ``D |W|`` is below 1. This holds wherever one of the first two does.

    The last one, the box, needs no small slope. The whole range of states is a box; the lowest and the highest states
    that a step can lead to from it are the next box, in it; and so on. Every trajectory is in all of them. As soon as D
    within the box is small enough for the spectral radius, there is exactly one fixed point, and it is in the box.

    All bounds allow for rounding: what is proved holds in exact arithmetic.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map. To hold concepts, pass ``cogmap.maps.rewriting.with_clamp(fcm, clamp)``.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.dynamics import certificate
    >>> certificate(FuzzyCognitiveMap([[0, -1], [1, 0]], slope=5, activation="logistic"))
    Exactly one fixed point, and every start ends in it. Proved by: box.
      frobenius  no proof  norm 1.77; stops at slope 2.83
      row sums   no proof  largest row sum 1.25; stops at slope 4
      radius     no proof  spectral radius 1.25; stops at slope 4
      box        proof     contracts within 0.00834 after 8 steps; no end up to slope 1000
    """
    check_map(fcm, "certificate")
    box = enclosing_box(fcm)
    proofs = (*_norm_proofs(fcm), _box_proof(fcm, box))
    if any(proof.holds for proof in proofs):
        middle = (box.low + box.high) / 2
        point = polished(fcm, fcm.run(middle, 200)[-1:], within=np.inf)
        return Certificate(True, proofs, box.low, box.high, _proved(fcm, () if point is None else point), None)
    n_starts = int(np.clip(_WORK / fcm.n_concepts**3, 5, _STARTS))
    starts = check_starts(fcm, n_starts, 0, "certificate")
    ends = np.vstack([box.low, box.high, sum(state_range(fcm)) / 2])
    proved = _proved(fcm, [point.state for point in fixed_points(fcm, np.vstack([starts, ends]))])
    unique = False if len(proved) > 1 else None
    return Certificate(unique, proofs, box.low, box.high, proved, attractors(fcm, starts))


def _proved(fcm: FuzzyCognitiveMap, candidates: Iterable[Array]) -> Array:
    """Return the candidates near which there is a fixed point for sure."""
    proved = [point for point in candidates if any(holds_fixed_point(fcm, point, radius) for radius in _RADII)]
    return np.array(proved).reshape(-1, fcm.n_concepts)


def _norm_proofs(fcm: FuzzyCognitiveMap) -> tuple[Proof, ...]:
    """Return the proofs that look at the weights and the steepest parts of the activation functions."""
    M = times(steepest(fcm), np.abs(fcm.weights))
    with np.errstate(over="ignore"):
        norm = float(np.sqrt((M * M).sum()))
        largest = float(M.sum(axis=1).max())
    radius = spectral_radius(M)
    rounding = 1.0 + 4 * M.size * _EPS
    each = (
        ("frobenius", norm * rounding < 1.0, f"norm {norm:.3g}", _inverse(norm)),
        ("row sums", largest * rounding < 1.0, f"largest row sum {largest:.3g}", _inverse(largest)),
        ("radius", shrinks(M), f"spectral radius {radius:.3g}", _inverse(radius)),
    )
    return tuple(Proof(*proof, proof[-1] * fcm.slope) for proof in each)


def _stop(proof: Proof) -> str:
    if proof.factor == np.inf:
        return f"no end up to slope {_SLOPE_END:g}" if proof.name == "box" else "never stops"
    if isinstance(proof.stops_at, float):
        return f"stops at slope {proof.stops_at:.3g}"
    return f"stops at {proof.factor:.3g} times the slopes"


def _inverse(size: float) -> float:
    return 1.0 / size if size > 0.0 else float("inf")


def _box_proof(fcm: FuzzyCognitiveMap, box: Box) -> Proof:
    width = float((box.high - box.low).max())
    after = f"after {count(box.steps, 'step')}"
    why = f"contracts within {width:.3g} {after}" if box.contracts else f"stops shrinking at {width:.3g} {after}"
    factor = _box_end(fcm)
    return Proof("box", box.contracts, why, factor, factor * fcm.slope)


def _box_end(fcm: FuzzyCognitiveMap) -> float:
    """Return the first factor on the slope, on the way up, at which the box proves nothing."""
    steep = float(np.max(fcm.slope))

    def fails(factor: float) -> bool:
        if not (np.min(fcm.slope) * factor > 0.0 and steep * factor < np.inf):  # no slope of a map
            return True
        return not enclosing_box(fcm.replace(slope=fcm.slope * factor), _BOX_STEPS_TRIED).contracts

    if not np.isfinite(steepest(fcm)).all():  # a jump is as steep at any slope
        return 0.0 if fails(1.0) else float("inf")
    radius = spectral_radius(times(steepest(fcm), np.abs(fcm.weights)))
    # Up to here the spectral radius proves it in the whole range, which is the first box.
    good = min(_inverse(radius) * (1.0 - _SLOPE_PRECISION), _SLOPE_END / steep)
    bad = good * _SLOPE_STEP
    while not fails(bad):
        good, bad = bad, bad * _SLOPE_STEP
        if good * steep >= _SLOPE_END:
            return float("inf")
    while bad - good > _SLOPE_PRECISION * good:
        middle = (good + bad) / 2
        good, bad = (good, middle) if fails(middle) else (middle, bad)
    return good
