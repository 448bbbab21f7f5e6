"""In which parameters a solver takes its steps: those of the map, centred ones, or slopes.

The first two are linear changes of parameters. The weights stay the first of them, each by itself: a weight of theta is
`weight_scale` times the parameter that stands for it.
"""

import numpy as np

from cogmap._learning.solvers.driver import Theta


class ParameterSpace:
    """The parameters in which a solver takes its steps: here those of the map as they are.

    Attributes
    ----------
    weight_scale : float
        By what a parameter is multiplied to give a weight.
    """

    weight_scale = 1.0

    def __init__(self, n_learned: int) -> None:
        self.n_learned = n_learned  # concepts with a row of weights and a bias

    def from_theta(self, theta: Theta) -> Theta:
        """Return the parameters for those of the map."""
        return theta.copy()

    def to_theta(self, x: Theta) -> Theta:
        """Return the parameters of the map."""
        return x

    def bound(self, of_theta: Theta) -> Theta:
        """Return a bound of theta, whose bias is free, as a bound of these parameters."""
        return of_theta

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Turn the gradient with respect to theta into the one with respect to these parameters, at `x`."""
        return of_theta


class Centred(ParameterSpace):
    """Parameters in which solvers need half as many iterations: halved weights, and the net input at the middle.

    States lie in [0, 1]. A change of a weight moves what its concept gets from every row, as a change of the bias
    does, and the two compete. With states counted from their middle, W A + b = W (A - 1/2) + c, they hardly do; and
    states that spread by about 1/4 around it weigh about as much as the 1 beside c if W is written 2 V.
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
        """Return a bound of theta, whose bias is free, as a bound of these parameters."""
        W, b = self._split(of_theta)
        return np.concatenate([0.5 * W.ravel(), b])

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Turn the gradient with respect to theta, in place, into the one with respect to these parameters."""
        dW, db = self._split(of_theta)
        dW *= 2.0
        dW -= db[:, None]
        return of_theta


class Slopes(ParameterSpace):
    """Slope and bias of each concept, while the weights stay in proportion: row i of W is exp(x[i]) times that given.

    A slope and the weights into its concept are multiplied with each other, so that a steeper concept is one whose
    weights are all larger. After the logarithms come the net inputs at the middle, as in `Centred`.
    """

    def __init__(self, weights: Theta) -> None:
        self.weights = weights
        self.n_concepts = len(weights)
        squares = np.square(weights).sum(axis=1)
        self._has_inputs = squares > 0.0
        self._squares = np.where(self._has_inputs, squares, 1.0)

    def steeper(self, W: Theta) -> Theta:
        """Return how many times as steep each concept is, given weights that stand for that."""
        return np.where(self._has_inputs, (W * self.weights).sum(axis=1) / self._squares, 1.0)

    def from_theta(self, theta: Theta) -> Theta:
        """Return how much steeper each concept is, as a logarithm, then the net inputs at the middle."""
        n = self.n_concepts
        W = theta[: n * n].reshape(n, n)
        return np.concatenate([np.log(self.steeper(W)), theta[n * n :] + 0.5 * W.sum(axis=1)])

    def to_theta(self, x: Theta) -> Theta:
        """Return W row by row, then b."""
        W = np.exp(x[: self.n_concepts])[:, None] * self.weights
        return np.concatenate([W.ravel(), x[self.n_concepts :] - 0.5 * W.sum(axis=1)])

    def bound(self, of_theta: Theta) -> Theta:
        """Refuse: weights that stay as they are have no bounds."""
        raise TypeError("Weights that stay as they are have no bounds.")

    def gradient(self, of_theta: Theta, x: Theta) -> Theta:
        """Return the gradient with respect to these parameters."""
        n = self.n_concepts
        dW, db = of_theta[: n * n].reshape(n, n), of_theta[n * n :]
        of_rows = ((dW - 0.5 * db[:, None]) * self.weights).sum(axis=1)
        return np.concatenate([np.exp(x[:n]) * of_rows, db])
