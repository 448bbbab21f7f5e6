"""Where a map leads: attractors and basins, fixed points, the Lyapunov exponent, and proofs of one fixed point."""

from cogmap.dynamics.attractors import (
    FOUR_FIXED_POINTS,
    ONE_CYCLE,
    TWO_FIXED_POINTS,
    Attractors,
    attractors,
)
from cogmap.dynamics.certificates import Certificate, Proof, certificate
from cogmap.dynamics.fixed_points import FixedPoint, fixed_points, lyapunov
from cogmap.dynamics.steepness import SlopeAdvice, slope_advice

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
