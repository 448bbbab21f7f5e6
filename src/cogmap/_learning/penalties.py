"""Penalty on the weights; the bias is not penalized."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ElasticNet:
    """The penalty ``l1 * sum(pull * |W - prior|) + 0.5 * l2 * sum(pull * (W - prior) ** 2)``.

    The parameters `theta` are the entries of W, then the bias; `prior` and `pull` have an entry per weight, in the same
    order. The L2 part is handled through its gradient; each solver handles the L1 part such that weights can become
    exactly equal to the prior.
    """

    l1: float
    l2: float
    prior: Vector
    pull: Vector

    @classmethod
    def from_alpha(cls, alpha: float, l1_ratio: float, n_rows: float, prior: Vector, pull: Vector) -> "ElasticNet":
        """Return the penalty for a mean loss over `n_rows` rows."""
        strength = alpha / n_rows
        return cls(strength * l1_ratio, strength * (1.0 - l1_ratio), prior, pull)

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return len(self.prior)

    def add_smooth_part(self, theta: Vector, gradient: Vector) -> float:
        """Add the gradient of the L2 part to `gradient` and return its value."""
        if self.l2 == 0.0:
            return 0.0
        deviation = theta[: self.n_weights] - self.prior
        l2_gradient = self.pull * deviation
        l2_gradient *= self.l2
        gradient[: self.n_weights] += l2_gradient
        return 0.5 * float(l2_gradient @ deviation)

    def absolute_part(self, theta: Vector) -> float:
        """Return the value of the L1 part."""
        return self.l1 * float(self.pull @ np.abs(theta[: self.n_weights] - self.prior)) if self.l1 else 0.0

    def shrink(self, W: Vector, prior: Vector, rate: Vector) -> None:
        """Apply the proximal step of the L1 part in place: soft-threshold the deviation from a prior."""
        deviation = W - prior
        W[:] = prior + np.sign(deviation) * np.maximum(np.abs(deviation) - self.l1 * self.pull * rate, 0.0)
