"""A map of the field, run for some steps, with the squared error of its outputs and the gradient of that.

The hot loop of the package learns another kind of map: outputs start undecided, every concept has a bias and follows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UnrolledMap:
    """Inputs, then concepts that start at 0, run by a rule of the field.

    Parameters
    ----------
    edges : ndarray of bool of shape (n_concepts, n_concepts)
        ``edges[i, j]`` allows concept j to influence concept i.
    n_inputs : int
        Number of inputs, which come first; the others start at 0. Inputs that nothing may influence keep their states.
    read : slice
        Which concepts are read after the last step.
    rule : {"kosko", "modified", "rescaled"}
        What a step is, as in `cogmap.maps.rewriting.with_rule`.
    depth : int
        Number of steps.
    slope : float
        Steepness of the logistic function.
    bias : bool
        Whether concepts have a bias.
    """

    edges: NDArray[np.bool_]
    n_inputs: int
    read: slice
    rule: str
    depth: int
    slope: float
    bias: bool

    @property
    def n_parameters(self) -> int:
        """Number of weights that are learned, and of biases."""
        return int(self.edges.sum()) + (len(self._moving) if self.bias else 0)

    @property
    def _moving(self) -> NDArray[np.intp]:
        """Concepts that follow the rule; the others keep their states."""
        return np.flatnonzero(self.edges.any(axis=1) | (np.arange(len(self.edges)) >= self.n_inputs))

    def unpacked(self, theta: Array) -> tuple[Array, Array]:
        """Return weights and bias of all concepts."""
        W, b = np.zeros(self.edges.shape), np.zeros(len(self.edges))
        n_weights = int(self.edges.sum())
        W[self.edges] = theta[:n_weights]
        if self.bias:
            b[self._moving] = theta[n_weights:]
        return W, b

    def packed(self, W: Array, b: Array) -> Array:
        """Return the parameters of these weights and biases."""
        return np.concatenate([W[self.edges], b[self._moving]]) if self.bias else W[self.edges]

    def _step(self, W: Array, b: Array, concepts: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return by what states are multiplied and what is added to get the net inputs of some concepts."""
        M, c = W[concepts], b[concepts]
        if self.rule != "kosko":
            M = M + np.eye(len(W))[concepts]
        if self.rule == "rescaled":
            c = c - M.sum(axis=1)
            M = 2.0 * M
        return M.T, c

    def states(self, theta: Array, X: Array, depth: int | None = None) -> list[Array]:
        """Return the states of all concepts, from the start on, for all steps or so many."""
        W, b = self.unpacked(theta)
        moving = self._moving
        M, c = self._step(W, b, moving)
        A = np.zeros((len(X), len(W)))
        A[:, : self.n_inputs] = X
        trajectory = [A]
        for _ in range(self.depth if depth is None else depth):
            A = A.copy()
            A[:, moving] = expit(self.slope * (trajectory[-1] @ M + c))
            trajectory.append(A)
        return trajectory

    def outputs(self, theta: Array, X: Array) -> Array:
        """Return the states that are read, after the last step, which is made for them alone."""
        A = self.states(theta, X, self.depth - 1)[-1]
        M, c = self._step(*self.unpacked(theta), np.arange(len(self.edges))[self.read])
        result: Array = expit(self.slope * (A @ M + c))
        return result

    def loss(self, theta: Array, X: Array, targets: Array, share: Array) -> float:
        """Return the mean squared error of the outputs; `share` has the weights of the rows, with the sum 1."""
        error = self.outputs(theta, X) - targets
        return float(share @ np.square(error).mean(axis=1))

    def loss_and_gradient(self, theta: Array, X: Array, targets: Array, share: Array) -> tuple[float, Array]:
        """Return the same and its derivative."""
        trajectory = self.states(theta, X)
        moving, r = self._moving, len(self.edges)
        M, _ = self._step(*self.unpacked(theta), moving)
        factor = 2.0 if self.rule == "rescaled" else 1.0  # by which M follows the weights
        error = trajectory[-1][:, self.read] - targets
        loss = float(share @ np.square(error).mean(axis=1))
        upstream = np.zeros_like(trajectory[-1])
        upstream[:, self.read] = 2.0 / targets.shape[1] * share[:, None] * error
        of_weights, of_bias = np.zeros((len(moving), r)), np.zeros(len(moving))
        for before, after in zip(trajectory[-2::-1], trajectory[:0:-1], strict=True):
            A = after[:, moving]
            net = self.slope * upstream[:, moving] * A * (1.0 - A)
            of_weights += factor * (net.T @ before)
            of_bias += net.sum(axis=0)
            upstream = upstream.copy()
            upstream[:, moving] = 0.0  # what follows a step follows nothing else
            upstream += net @ M.T
        if self.rule == "rescaled":
            of_weights -= of_bias[:, None]
        whole = np.zeros((r, r))
        whole[moving] = of_weights
        gradient = whole[self.edges]
        return loss, np.concatenate([gradient, of_bias]) if self.bias else gradient
