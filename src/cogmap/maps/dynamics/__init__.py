"""Where a map leads: attractors and basins, fixed points, the Lyapunov exponent, and proofs of one fixed point."""

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
