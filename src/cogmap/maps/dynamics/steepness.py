"""Recommended slopes for maps drawn by hand, which specify only weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from cogmap._utils.params import Literal, check_integer, param_error
from cogmap.maps._arguments import check_map
from cogmap.maps.activations import Activation, get_activation
from cogmap.maps.dynamics.certificates import certificate
from cogmap.maps.map import FuzzyCognitiveMap


@dataclass(frozen=True)
class SlopeAdvice:
    """Bounds of the slope of a map, from different criteria.

    Attributes
    ----------
    slopes : dict
        Slope by criterion:

        - ``"knight"``: every map with weights in [-1, 1], or no larger than the largest of this map, has one fixed
          point (Knight et al. 2014),
        - ``"harmati"``: the same, by a larger bound (Harmati et al. 2021),
        - ``"koutsellis"``: one fixed point, and states remain where the activation function is nearly linear, so that
          differences between weights are preserved (Koutsellis et al. 2022),
        - ``"frobenius"``, ``"row sums"``, ``"radius"``, ``"box"``: the slope at which each proof of `certificate` stops
          holding.

    See Also
    --------
    slope_advice : Return slopes that guarantee one fixed point, and one that keeps states distinguishable.
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.dynamics import slope_advice
    >>> advice = slope_advice(FuzzyCognitiveMap([[0, -1], [0.5, 0]], activation="logistic"))
    >>> round(advice.recommended, 2), advice.slopes["knight"]
    (1.67, 2.0)
    """

    slopes: dict[str, float]

    @property
    def recommended(self) -> float:
        """Slope to start with, that of Koutsellis et al."""
        return self.slopes["koutsellis"]

    def __repr__(self) -> str:
        lines = [f"  {name.ljust(10)}  {slope:.4g}" for name, slope in sorted(self.slopes.items(), key=lambda s: s[1])]
        return "\n".join([f"Start with slope {self.recommended:.3g}. Bounds:", *lines])


def slope_advice(fcm: FuzzyCognitiveMap) -> SlopeAdvice:
    """Return slopes that guarantee one fixed point, and one that keeps states distinguishable.

    If the slope is too small, all states become similar; if it is too large, they saturate, and there may be several
    fixed points or cycles.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        A map with the same slope for all concepts, whose activation is ``"sigmoid"``, ``"logistic"`` or ``"tanh"``.

    Returns
    -------
    SlopeAdvice
        Slopes by criterion, and the one to start with.

    See Also
    --------
    certificate : Try to prove that a map has exactly one fixed point, to which every trajectory converges.
    cogmap.FuzzyCognitiveMap.replace : Return a copy with some parameters replaced.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.dynamics import slope_advice
    >>> slope_advice(FuzzyCognitiveMap([[0, -1], [0.5, 0]], activation="logistic"))
    Start with slope 1.67. Bounds:
      koutsellis  1.67
      knight      2
      harmati     2
      frobenius   3.578
      row sums    4
      radius      5.657
      box         inf
    """
    check_map(fcm, "slope_advice")
    activation = get_activation(fcm.activation)
    if fcm.activation not in ("sigmoid", "logistic", "tanh") or not isinstance(fcm.slope, float):
        got = Literal(f"a map with {'several slopes and ' * (not isinstance(fcm.slope, float))}{fcm.activation!r}")
        raise param_error("slope_advice", "fcm", "a map with one slope and 'sigmoid', 'logistic' or 'tanh'", got)
    stops = {proof.name: float(proof.factor * fcm.slope) for proof in certificate(fcm).proofs}
    # The literature's slope of 4 means a largest derivative of 1; weights above 1 act as larger slopes.
    unit = 1.0 / float(activation.reach * activation.steepness) / max(1.0, float(np.abs(fcm.weights).max()))
    return SlopeAdvice(
        {
            "knight": knight_slope(fcm.n_concepts) / 4.0 * unit,
            "harmati": unit / fcm.n_concepts,
            "koutsellis": min(stops["frobenius"], _linear_range_slope(fcm, activation)),
            **stops,
        }
    )


def knight_slope(n_concepts: int) -> float:
    """Return the slope below which any map with weights in [-1, 1] and the logistic function has one fixed point.

    This is the bound of Knight, Lloyd and Penn (2014) in the form of Harmati, Hatwágner and Kóczy (2021): 4 times the
    root of ``sum_i i d(i - 1) C(n, i) x^i = 1``, with ``d(i)`` the number of derangements of i elements. The latter
    also show that 4 / n is a larger bound.

    Parameters
    ----------
    n_concepts : int
        Number of concepts.

    Returns
    -------
    float

    Examples
    --------
    >>> from cogmap.maps.dynamics.steepness import knight_slope
    >>> [round(knight_slope(n), 4) for n in range(1, 6)]
    [4.0, 2.0, 1.2199, 0.8624, 0.6624]
    """
    n = check_integer("knight_slope", "n_concepts", n_concepts, low=1, high=10_000)

    # Computes each term i d(i - 1) C(n, i) x^i from the previous one by factors of moderate size.
    def excess(x: float) -> float:
        total, term, derangements = 0.0, n * x, (1.0, 0.0)  # d(i - 1) / (i - 1)! and d(i) / i!
        for i in range(1, n + 1):
            total += term * derangements[0]
            if total > 1.0:
                break
            # `term` is i! C(n, i) x^i; the other factor of the summand is d(i - 1) / (i - 1)!.
            term *= (n - i) * x
            derangements = (derangements[1], derangements[1] + (derangements[0] - derangements[1]) / (i + 1))
        return total - 1.0

    return 4.0 * float(brentq(excess, 0.0, 1.0 / n + 1e-12, xtol=1e-15))


def _linear_range_slope(fcm: FuzzyCognitiveMap, activation: Activation) -> float:
    """Return the slope up to which states in the nearly linear range of the activation function remain there.

    That range lies between the two extrema of the second derivative: the states 0.211 and 0.789 of the logistic
    function, 1.317 away from its center.
    """
    reach, middle = float(activation.reach), float(activation.middle)
    most = float(np.arctanh(1 / np.sqrt(3.0)) / activation.steepness)  # ln(2 + sqrt(3)) = 1.317 for steepness 1/2
    low, high = middle - reach / np.sqrt(3.0), middle + reach / np.sqrt(3.0)
    offset: NDArray[np.float64] = fcm.bias - activation.center
    with np.errstate(over="ignore", invalid="ignore"):
        positive, negative = np.maximum(fcm.weights, 0.0).sum(axis=1), np.minimum(fcm.weights, 0.0).sum(axis=1)
        nets = np.abs([high * positive + low * negative + offset, low * positive + high * negative + offset])
    largest = float(np.delete(nets, fcm._held, axis=1).max(initial=0.0))
    return most / largest if largest > 0.0 else float("inf")
