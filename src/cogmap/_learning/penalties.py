"""Penalties on the weights, never on the bias."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class ElasticNet:
    """The penalty ``l1 * sum(pull * |W - prior|) + 0.5 * l2 * sum(pull * (W - prior) ** 2)``.

    The parameters `theta` are the entries of W, then the bias; `prior` and `pull` have an entry per weight, in the same
    order. The square part is smooth and is handled through its gradient; the absolute part is handled by each solver in
    a way that makes weights exactly those of the prior.
    """

    l1: float
    l2: float
    prior: Weights
    pull: Weights

    @classmethod
    def from_alpha(cls, alpha: float, l1_ratio: float, n_rows: float, prior: Weights, pull: Weights) -> "ElasticNet":
        """Make the penalty that goes with a mean loss over so many rows."""
        strength = alpha / n_rows
        return cls(strength * l1_ratio, strength * (1.0 - l1_ratio), prior, pull)

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return len(self.prior)

    def add_smooth_part(self, theta: Weights, gradient: Weights) -> float:
        """Add the gradient of the square part to `gradient` and return its value."""
        if self.l2 == 0.0:
            return 0.0
        away = theta[: self.n_weights] - self.prior
        pulled = self.pull * away
        pulled *= self.l2
        gradient[: self.n_weights] += pulled
        return 0.5 * float(pulled @ away)

    def absolute_part(self, theta: Weights) -> float:
        """Return the value of the absolute part."""
        return self.l1 * float(self.pull @ np.abs(theta[: self.n_weights] - self.prior)) if self.l1 else 0.0

    def shrink(self, W: Weights, prior: Weights, rate: Weights) -> None:
        """Move weights towards a prior, and not past it, by what a step of size `rate` owes to the absolute part."""
        away = W - prior
        W[:] = prior + np.sign(away) * np.maximum(np.abs(away) - self.l1 * self.pull * rate, 0.0)
