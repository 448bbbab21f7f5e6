"""Penalties on the weights, never on the bias."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ElasticNet:
    """The penalty ``l1 * sum(|W|) + 0.5 * l2 * sum(W ** 2)``.

    The parameters `theta` are the ``n_weights`` entries of W, then the bias. The square part is smooth and is handled
    through its gradient; the absolute part is handled by each solver in a way that gives exact zeros.
    """

    l1: float
    l2: float
    n_weights: int

    @classmethod
    def from_alpha(cls, alpha: float, l1_ratio: float, n_rows: float, n_weights: int) -> "ElasticNet":
        """Make the penalty that goes with a mean loss over so many rows."""
        strength = alpha / n_rows
        return cls(l1=strength * l1_ratio, l2=strength * (1.0 - l1_ratio), n_weights=n_weights)

    def add_smooth_part(self, theta: NDArray[np.float64], gradient: NDArray[np.float64]) -> float:
        """Add the gradient of the square part to `gradient` and return its value."""
        if self.l2 == 0.0:
            return 0.0
        W = theta[: self.n_weights]
        gradient[: self.n_weights] += self.l2 * W
        return 0.5 * self.l2 * float(W @ W)

    def absolute_part(self, theta: NDArray[np.float64]) -> float:
        """Return the value of the absolute part."""
        return self.l1 * float(np.abs(theta[: self.n_weights]).sum()) if self.l1 else 0.0

    def shrink(self, theta: NDArray[np.float64], rate: NDArray[np.float64]) -> None:
        """Move the weights towards 0, and not past it, by what a step of size `rate` owes to the absolute part."""
        if self.l1:
            W = theta[: self.n_weights]
            W[:] = np.sign(W) * np.maximum(np.abs(W) - self.l1 * rate[: self.n_weights], 0.0)
