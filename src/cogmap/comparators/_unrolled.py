"""An unrolled map with an update rule of the literature, the squared error of its outputs and the gradient.

`cogmap._learning` trains another kind of map: outputs start at 0.5, and every concept has a bias and is updated.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UnrolledMap:
    """Inputs followed by concepts that start at 0, updated by a rule of the literature.

    Parameters
    ----------
    edges : ndarray of bool of shape (n_concepts, n_concepts)
        ``edges[i, j]`` is True if concept j may influence concept i.
    n_inputs : int
        Number of inputs, which come first; the others start at 0. Inputs without incoming edges keep their states.
    read : slice
        Concepts whose states after the last step are the outputs.
    rule : {"kosko", "modified", "rescaled"}
        Update rule, as in `cogmap.maps.rewriting.with_rule`.
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
        """Number of trainable weights and biases."""
        return int(self.edges.sum()) + (len(self._updated) if self.bias else 0)

    @property
    def _updated(self) -> NDArray[np.intp]:
        """Concepts that are updated in each step; the others keep their states."""
        return np.flatnonzero(self.edges.any(axis=1) | (np.arange(len(self.edges)) >= self.n_inputs))

    def unpacked(self, theta: Array) -> tuple[Array, Array]:
        """Return the weights and biases of all concepts."""
        W, b = np.zeros(self.edges.shape), np.zeros(len(self.edges))
        n_weights = int(self.edges.sum())
        W[self.edges] = theta[:n_weights]
        if self.bias:
            b[self._updated] = theta[n_weights:]
        return W, b

    def packed(self, W: Array, b: Array) -> Array:
        """Return the parameter vector of given weights and biases."""
        return np.concatenate([W[self.edges], b[self._updated]]) if self.bias else W[self.edges]

    def _step(self, W: Array, b: Array, concepts: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return the matrix and the offset that turn states into the net inputs of `concepts`."""
        M, c = W[concepts], b[concepts]
        if self.rule != "kosko":
            M = M + np.eye(len(W))[concepts]
        if self.rule == "rescaled":
            c = c - M.sum(axis=1)
            M = 2.0 * M
        return M.T, c

    def states(self, theta: Array, X: Array, depth: int | None = None) -> list[Array]:
        """Return the states of all concepts at each step, for `depth` steps (default: all)."""
        W, b = self.unpacked(theta)
        updated = self._updated
        M, c = self._step(W, b, updated)
        A = np.zeros((len(X), len(W)))
        A[:, : self.n_inputs] = X
        trajectory = [A]
        for _ in range(self.depth if depth is None else depth):
            A = A.copy()
            A[:, updated] = expit(self.slope * (trajectory[-1] @ M + c))
            trajectory.append(A)
        return trajectory

    def outputs(self, theta: Array, X: Array) -> Array:
        """Return the outputs; the last step is computed for them only."""
        A = self.states(theta, X, self.depth - 1)[-1]
        M, c = self._step(*self.unpacked(theta), np.arange(len(self.edges))[self.read])
        result: Array = expit(self.slope * (A @ M + c))
        return result

    def loss(self, theta: Array, X: Array, targets: Array, share: Array) -> float:
        """Return the mean squared error of the outputs; `share` holds row weights that sum to 1."""
        error = self.outputs(theta, X) - targets
        return float(share @ np.square(error).mean(axis=1))

    def loss_and_gradient(self, theta: Array, X: Array, targets: Array, share: Array) -> tuple[float, Array]:
        """Return the mean squared error and its gradient."""
        trajectory = self.states(theta, X)
        updated, r = self._updated, len(self.edges)
        M, _ = self._step(*self.unpacked(theta), updated)
        factor = 2.0 if self.rule == "rescaled" else 1.0  # derivative of M with respect to the weights
        error = trajectory[-1][:, self.read] - targets
        loss = float(share @ np.square(error).mean(axis=1))
        upstream = np.zeros_like(trajectory[-1])
        upstream[:, self.read] = 2.0 / targets.shape[1] * share[:, None] * error
        weight_gradient, bias_gradient = np.zeros((len(updated), r)), np.zeros(len(updated))
        for before, after in zip(trajectory[-2::-1], trajectory[:0:-1], strict=True):
            A = after[:, updated]
            net = self.slope * upstream[:, updated] * A * (1.0 - A)
            weight_gradient += factor * (net.T @ before)
            bias_gradient += net.sum(axis=0)
            upstream = upstream.copy()
            upstream[:, updated] = 0.0  # an updated state depends on the previous states only through its net input
            upstream += net @ M.T
        if self.rule == "rescaled":
            weight_gradient -= bias_gradient[:, None]
        whole = np.zeros((r, r))
        whole[updated] = weight_gradient
        gradient = whole[self.edges]
        return loss, np.concatenate([gradient, bias_gradient]) if self.bias else gradient
