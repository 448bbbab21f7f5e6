"""In which parameters a solver takes its steps: those of the map, or centred ones.

A space is a linear change of parameters. The weights stay the first of them, each by itself: a weight of theta is
`weight_scale` times the parameter that stands for it.
"""

import numpy as np

from cogmap._learning.solvers.driver import Theta


class Plain:
    """The parameters of the map as they are."""

    weight_scale = 1.0

    def __init__(self, n_concepts: int) -> None:
        pass

    def from_theta(self, theta: Theta) -> Theta:
        """Return a copy."""
        return theta.copy()

    def to_theta(self, x: Theta) -> Theta:
        """Return the same."""
        return x

    def bound(self, of_theta: Theta) -> Theta:
        """Return the same."""
        return of_theta

    def gradient(self, of_theta: Theta) -> Theta:
        """Return the same."""
        return of_theta


class Centred:
    """Parameters in which solvers need half as many iterations: halved weights, and the net input at the middle.

    States lie in [0, 1]. A change of a weight moves what its concept gets from every row, as a change of the bias
    does, and the two compete. With states counted from their middle, W A + b = W (A - 1/2) + c, they hardly do; and
    states that spread by about 1/4 around it weigh about as much as the 1 beside c if W is written 2 V.
    """

    weight_scale = 2.0

    def __init__(self, n_concepts: int) -> None:
        self.n_concepts = n_concepts
        self.n_weights = n_concepts**2

    def _square(self, theta: Theta) -> Theta:
        return theta[: self.n_weights].reshape(self.n_concepts, self.n_concepts)

    def from_theta(self, theta: Theta) -> Theta:
        """Return V row by row, then c."""
        W = self._square(theta)
        return np.concatenate([0.5 * W.ravel(), theta[self.n_weights :] + 0.5 * W.sum(axis=1)])

    def to_theta(self, x: Theta) -> Theta:
        """Return W row by row, then b."""
        V = self._square(x)
        return np.concatenate([2.0 * V.ravel(), x[self.n_weights :] - V.sum(axis=1)])

    def bound(self, of_theta: Theta) -> Theta:
        """Return a bound of theta, whose bias is free, as a bound of these parameters."""
        return np.concatenate([0.5 * of_theta[: self.n_weights], of_theta[self.n_weights :]])

    def gradient(self, of_theta: Theta) -> Theta:
        """Turn the gradient with respect to theta, in place, into the one with respect to these parameters."""
        dW, db = self._square(of_theta), of_theta[self.n_weights :]
        dW *= 2.0
        dW -= db[:, None]
        return of_theta
