"""Losses: the value, and the gradient with respect to what enters the output concepts.

A loss is given ``net`` of shape (n_outputs, n_rows), where the state of an output concept is
``0.5 + 0.5 * tanh(net)``: the form in which the objective computes the paper's sigmoid. It returns the weighted sum
of the losses of the rows and replaces ``net`` by the gradient of that sum, so that one pass gives both.
Rows are the last axis because sums over a handful of outputs are then vectorised.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weight = NDArray[np.floating] | None

# A mean square of this, in units of the variance, is as good as none: rounding, not noise.
_LEAST_SQUARE = 1e-6


class Loss:
    """What the objective asks of a loss; that of a table is the mean over its rows, unless a loss says otherwise.

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
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        raise NotImplementedError

    def overall(self, mean: float) -> tuple[float, float]:
        """Return the loss of a table, given the mean over its rows, and its derivative with respect to that."""
        return mean, 1.0


@dataclass(frozen=True)
class LogLoss(Loss):
    """Log loss of one output, whose state is the probability of the second of two classes."""

    n_outputs = 1

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
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
        # Written with |margin|, nothing overflows, and no probability is rounded to 0 before its logarithm is taken.
        sign = 2.0 * codes.astype(net.dtype) - 1.0
        margin = net * sign
        losses: NDArray[np.floating] = np.log1p(np.exp(-2.0 * np.abs(margin)))
        losses -= 2.0 * np.minimum(margin, 0.0)
        # The derivative is 2 (p - y) = tanh(net) - sign. Behind a large margin the difference of two numbers near 1
        # would round to 0; 1 - tanh(margin) = 2 / (1 + exp(2 margin)) does not.
        with np.errstate(over="ignore"):
            np.divide(-2.0 * sign, 1.0 + np.exp(2.0 * margin), out=net)
        return losses


@dataclass(frozen=True)
class SoftmaxCrossEntropy(Loss):
    """Cross-entropy of the softmax of ``gain`` times the states of one output per class.

    States lie in (0, 1), so with ``gain=1``, the paper's, no prediction can be confident and the loss has a floor
    well above 0.
    """

    n_outputs: int
    gain: float = 1.0

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        reach = 0.5 * self.gain
        np.tanh(net, out=net)
        # gain * (0.5 + 0.5 tanh): the constant does not matter to a softmax.
        exponents = reach * net
        exponents -= exponents.max(axis=0)
        flat = exponents.reshape(-1)
        if targets.ndim == 2:
            losses = -np.einsum("ij,ji->i", targets, exponents)
        else:
            of_label = targets * net.shape[1] + np.arange(net.shape[1])  # places in the flat array, faster than pairs
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
    """Half the squared distance of what enters the outputs from what should.

    Of a whole table it is half the logarithm of the mean square: the likelihood of values with noise of unknown size. A
    penalty beside it is then as strong for tables with little noise as for those with much.
    """

    n_outputs: int

    is_mean = False

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        net -= targets.T
        losses = np.square(net).sum(axis=0)
        if weight is not None:
            losses *= weight
            net *= weight
        return 0.5 * float(losses.sum(dtype=np.float64))

    def overall(self, mean: float) -> tuple[float, float]:
        """Return half the logarithm of the mean square, and its derivative."""
        square = 2.0 * mean / self.n_outputs + _LEAST_SQUARE
        return 0.5 * math.log(square), 1.0 / (self.n_outputs * square)
