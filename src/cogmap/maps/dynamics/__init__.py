"""Dynamics of a map: attractors and basins, fixed points, the Lyapunov exponent, proofs of a unique fixed point."""

from cogmap.maps.dynamics.attractors import (
    FOUR_FIXED_POINTS,
    ONE_CYCLE,
    TWO_FIXED_POINTS,
    Attractors,
    attractors,
)
from cogmap.maps.dynamics.certificates import Certificate, Proof, certificate
from cogmap.maps.dynamics.fixed_points import FixedPoint, fixed_points, lyapunov
from cogmap.maps.dynamics.steepness import SlopeAdvice, slope_advice

__all__ = [
    "FOUR_FIXED_POINTS",
    "ONE_CYCLE",
    "TWO_FIXED_POINTS",
    "Attractors",
    "Certificate",
    "FixedPoint",
    "Proof",
    "SlopeAdvice",
    "attractors",
    "certificate",
    "fixed_points",
    "lyapunov",
    "slope_advice",
]
