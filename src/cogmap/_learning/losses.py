"""Losses, with gradients with respect to the net input of the output concepts.

A loss takes ``net`` of shape (n_outputs, n_rows), where the state of an output concept is ``0.5 + 0.5 * tanh(net)``,
the form in which the objective computes the paper's sigmoid. It returns the weighted sum of the losses of the rows and
replaces ``net`` by the gradient of that sum, so that one pass gives both. Rows are the last axis because sums over a
few outputs are then vectorized.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weight = NDArray[np.floating] | None

# Added to mean squares, in units of the variance, because smaller ones are rounding errors rather than noise.
_MIN_SQUARE = 1e-6


class Loss:
    """Base class of losses. The loss of a table is the mean over its rows, unless `overall` is overridden.

    Attributes
    ----------
    n_outputs : int
        Number of output concepts.
    is_mean : bool
        Whether the loss of a table is a mean over its rows; otherwise it is the logarithm of one.
    """

    n_outputs: int
    is_mean = True

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        raise NotImplementedError

    def overall(self, mean: float) -> tuple[float, float]:
        """Return the loss of a table for a given mean over its rows, and its derivative with respect to the mean."""
        return mean, 1.0


@dataclass(frozen=True)
class LogLoss(Loss):
    """Log loss of one output, whose state is the probability of the second of two classes."""

    n_outputs = 1

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        net = net[0]
        if targets.ndim == 2:
            share = targets[:, 1]
            losses = np.logaddexp(0.0, 2.0 * net) - 2.0 * share * net
            np.tanh(net, out=net)
            net += 1.0 - 2.0 * share
        else:
            losses = self._of_codes(net, targets)
        if weight is not None:
            losses *= weight
            net *= weight
        return float(losses.sum(dtype=np.float64))

    @staticmethod
    def _of_codes(net: NDArray[np.floating], codes: NDArray[Any]) -> NDArray[np.floating]:
        # -log p = log(1 + exp(-2 margin)), where margin is net for the second class and -net for the first.
        # With |margin| nothing overflows, and no probability is rounded to 0 before the logarithm.
        sign = 2.0 * codes.astype(net.dtype) - 1.0
        margin = net * sign
        losses: NDArray[np.floating] = np.log1p(np.exp(-2.0 * np.abs(margin)))
        losses -= 2.0 * np.minimum(margin, 0.0)
        # The derivative is 2 (p - y) = tanh(net) - sign. For large margins this difference of numbers near 1 would
        # round to 0; 1 - tanh(margin) = 2 / (1 + exp(2 margin)) does not.
        with np.errstate(over="ignore"):
            np.divide(-2.0 * sign, 1.0 + np.exp(2.0 * margin), out=net)
        return losses


@dataclass(frozen=True)
class SoftmaxCrossEntropy(Loss):
    """Cross-entropy of the softmax of ``gain`` times the states of one output per class.

    States lie in (0, 1), so with ``gain=1``, as in the paper, no prediction can be confident and the loss stays well
    above 0.
    """

    n_outputs: int
    gain: float = 1.0

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        reach = 0.5 * self.gain
        np.tanh(net, out=net)
        # gain * (0.5 + 0.5 tanh) without the constant, which cancels in the softmax.
        exponents = reach * net
        exponents -= exponents.max(axis=0)
        flat = exponents.reshape(-1)
        if targets.ndim == 2:
            losses = -np.einsum("ij,ji->i", targets, exponents)
        else:
            of_label = targets * net.shape[1] + np.arange(net.shape[1])  # flat indices, faster than pairs
            losses = -flat.take(of_label)
        np.exp(exponents, out=exponents)
        total = exponents.sum(axis=0)
        losses += np.log(total)
        exponents /= total
        if targets.ndim == 2:
            exponents -= targets.T
        else:
            flat[of_label] -= 1.0
        np.square(net, out=net)
        np.subtract(1.0, net, out=net)
        net *= exponents
        net *= reach if weight is None else reach * weight
        if weight is not None:
            losses *= weight
        return float(losses.sum(dtype=np.float64))


@dataclass(frozen=True)
class SquaredLoss(Loss):
    """Half the squared difference between the net inputs of the outputs and the targets.

    The loss of a table is half the logarithm of the mean square, the negative log-likelihood for noise of unknown
    variance. The relative strength of a penalty then does not depend on the noise level.
    """

    n_outputs: int

    is_mean = False

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        net -= targets.T
        losses = np.square(net).sum(axis=0)
        if weight is not None:
            losses *= weight
            net *= weight
        return 0.5 * float(losses.sum(dtype=np.float64))

    def overall(self, mean: float) -> tuple[float, float]:
        """Return half the logarithm of the mean square, and its derivative."""
        square = 2.0 * mean / self.n_outputs + _MIN_SQUARE
        return 0.5 * math.log(square), 1.0 / (self.n_outputs * square)
