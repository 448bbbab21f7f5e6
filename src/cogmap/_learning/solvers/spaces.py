"""Parametrizations in which solvers take their steps: those of the map, centred, some weights only, or slopes.

The first three are linear, and the weights come first: a weight of theta is `weight_scale` times its parameter.
"""

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.solvers.driver import Theta


class ParameterSpace:
    """Identity parametrization, and base class of the others.

    Attributes
    ----------
    weight_scale : float
        Factor from a parameter to its weight.
    """

    weight_scale = 1.0

    def __init__(self, n_learned: int) -> None:
        self.n_learned = n_learned  # concepts with a row of weights and a bias

    def from_theta(self, theta: Theta) -> Theta:
        """Return the parameters, given theta."""
        return theta.copy()

    def to_theta(self, x: Theta) -> Theta:
        """Return theta, given the parameters."""
        return x

    def bound(self, of_theta: Theta) -> Theta:
        """Convert a bound of theta, whose bias is free, to a bound of these parameters."""
        return of_theta

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Convert the gradient with respect to theta to one with respect to these parameters, at `x`."""
        return of_theta


class Centred(ParameterSpace):
    """Halved weights V = W / 2 and net inputs c at states 1/2, with which solvers need half as many iterations.

    States lie in [0, 1], so a change of a weight shifts the net input in every row, like a change of the bias, and the
    two are correlated. With centred states, W A + b = W (A - 1/2) + c, they are nearly uncorrelated; and because states
    deviate by about 1/4 from the center, W = 2 V gives the parameters similar scales.
    """

    weight_scale = 2.0

    def _split(self, theta: Theta) -> tuple[Theta, Theta]:
        return theta[: -self.n_learned].reshape(self.n_learned, -1), theta[-self.n_learned :]

    def from_theta(self, theta: Theta) -> Theta:
        """Return V row by row, then c."""
        W, b = self._split(theta)
        return np.concatenate([0.5 * W.ravel(), b + 0.5 * W.sum(axis=1)])

    def to_theta(self, x: Theta) -> Theta:
        """Return W row by row, then b."""
        V, c = self._split(x)
        return np.concatenate([2.0 * V.ravel(), c - V.sum(axis=1)])

    def bound(self, of_theta: Theta) -> Theta:
        """Convert a bound of theta, whose bias is free, to a bound of these parameters."""
        W, b = self._split(of_theta)
        return np.concatenate([0.5 * W.ravel(), b])

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Convert the gradient with respect to theta in place to one with respect to these parameters."""
        dW, db = self._split(of_theta)
        dW *= 2.0
        dW -= db[:, None]
        return of_theta


class Selected(Centred):
    """The centred parameters of some weights, and of all biases; the other weights stay 0.

    Parameters
    ----------
    kept : ndarray of bool of shape (n_learned, n_concepts)
        Weights that are trained.
    """

    def __init__(self, kept: NDArray[np.bool_]) -> None:
        super().__init__(len(kept))
        self._n_weights = kept.size
        self._places = np.flatnonzero(kept)

    def _part(self, x: Theta) -> Theta:
        return np.concatenate([x[self._places], x[-self.n_learned :]])

    def from_theta(self, theta: Theta) -> Theta:
        """Return the trained entries of V, then c."""
        return self._part(super().from_theta(theta))

    def to_theta(self, x: Theta) -> Theta:
        """Return W row by row, then b."""
        theta = np.zeros(self._n_weights + self.n_learned)
        theta[self._places] = x[: -self.n_learned]
        V, b = self._split(theta)
        np.subtract(x[-self.n_learned :], V.sum(axis=1), out=b)
        V *= 2.0
        return theta

    def bound(self, of_theta: Theta) -> Theta:
        """Convert a bound of theta, whose bias is free, to a bound of these parameters."""
        return self._part(super().bound(of_theta))

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Convert the gradient with respect to theta to one with respect to these parameters."""
        return self._part(super().gradient(of_theta, x))


class Slopes(ParameterSpace):
    """Slope and bias of each concept, with fixed weights: row i of W is exp(x[i]) times the original row.

    A steeper slope is equivalent to larger weights into the concept. The logarithms of these factors are followed by
    the net inputs at states 1/2, as in `Centred`.
    """

    def __init__(self, weights: Theta) -> None:
        self.weights = weights
        self.n_concepts = len(weights)
        squares = np.square(weights).sum(axis=1)
        self._has_inputs = squares > 0.0
        self._squares = np.where(self._has_inputs, squares, 1.0)

    def factors(self, W: Theta) -> Theta:
        """Return the factor of each row of W relative to the original weights."""
        return np.where(self._has_inputs, (W * self.weights).sum(axis=1) / self._squares, 1.0)

    def from_theta(self, theta: Theta) -> Theta:
        """Return the logarithms of the factors, then the net inputs at states 1/2."""
        n = self.n_concepts
        W = theta[: n * n].reshape(n, n)
        return np.concatenate([np.log(self.factors(W)), theta[n * n :] + 0.5 * W.sum(axis=1)])

    def to_theta(self, x: Theta) -> Theta:
        """Return W row by row, then b."""
        W = np.exp(x[: self.n_concepts])[:, None] * self.weights
        return np.concatenate([W.ravel(), x[self.n_concepts :] - 0.5 * W.sum(axis=1)])

    def bound(self, of_theta: Theta) -> Theta:
        """Raise: fixed weights have no bounds."""
        raise TypeError("Fixed weights have no bounds.")

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Return the gradient with respect to these parameters."""
        n = self.n_concepts
        dW, db = of_theta[: n * n].reshape(n, n), of_theta[n * n :]
        of_rows = ((dW - 0.5 * db[:, None]) * self.weights).sum(axis=1)
        return np.concatenate([np.exp(x[:n]) * of_rows, db])
