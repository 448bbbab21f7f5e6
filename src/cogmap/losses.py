"""Losses: the value, and the gradient with respect to what enters the output concepts.

A loss is given ``net`` of shape (n_outputs, n_rows), where the state of an output concept is
``0.5 + 0.5 * tanh(net)``: the form in which the objective computes the paper's sigmoid. It returns the weighted sum
of the losses of the rows and replaces ``net`` by the gradient of that sum, so that one pass gives both. It also says
what the same ``net`` means for a prediction. The classes of the rows are codes, or shares of shape (n_rows, n_classes)
where a row is only partly of a class.
Rows are the last axis because sums over a handful of outputs are then vectorised.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from cogmap._params import check_choice, check_integer, wrong

OUTPUTS = ("single", "one_hot")

Classes = NDArray[np.integer] | NDArray[np.floating]  # codes, one a row, or shares, one row a row


class Loss(Protocol):
    """What the objective asks of a loss."""

    n_outputs: int

    def __call__(self, net: NDArray[np.floating], classes: Classes, weight: NDArray[np.floating] | None) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        ...

    def decision(self, net: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return what is compared to decide for a class: one column for two classes, else one a class."""
        ...

    def probabilities(self, net: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the probability of each class, one column a class."""
        ...


class LogLoss:
    """Log loss of one output, whose state is the probability of the second of two classes."""

    n_outputs = 1

    def __call__(self, net: NDArray[np.floating], classes: Classes, weight: NDArray[np.floating] | None) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        net = net[0]
        if classes.ndim == 2:
            share = classes[:, 1]
            losses = np.logaddexp(0.0, 2.0 * net) - 2.0 * share * net
            np.tanh(net, out=net)
            net += 1.0 - 2.0 * share
        else:
            losses = self._of_codes(net, classes)
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

    def decision(self, net: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the log-odds of the second class, one number a row."""
        log_odds: NDArray[np.floating] = 2.0 * net[0]
        return log_odds

    def probabilities(self, net: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the probability of each class, one column a class."""
        log_odds = self.decision(net)
        return np.column_stack([expit(-log_odds), expit(log_odds)])


class SoftmaxCrossEntropy:
    """Cross-entropy of the softmax of ``gain`` times the states of one output a class.

    States lie in (0, 1), so with ``gain=1``, the paper's, no prediction can be confident and the loss has a floor
    well above 0.
    """

    def __init__(self, n_outputs: int, gain: float) -> None:
        self.n_outputs = n_outputs
        self.gain = gain

    def __call__(self, net: NDArray[np.floating], classes: Classes, weight: NDArray[np.floating] | None) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        reach = 0.5 * self.gain
        np.tanh(net, out=net)
        # gain * (0.5 + 0.5 tanh): the constant does not matter to a softmax.
        exponents = reach * net
        exponents -= exponents.max(axis=0)
        flat = exponents.reshape(-1)
        if classes.ndim == 2:
            losses = -np.einsum("ij,ji->i", classes, exponents)
        else:
            of_label = classes * net.shape[1] + np.arange(net.shape[1])  # places in the flat array, faster than pairs
            losses = -flat.take(of_label)
        np.exp(exponents, out=exponents)
        total = exponents.sum(axis=0)
        losses += np.log(total)
        exponents /= total
        if classes.ndim == 2:
            exponents -= classes.T
        else:
            flat[of_label] -= 1.0
        np.square(net, out=net)
        np.subtract(1.0, net, out=net)
        net *= exponents
        net *= reach if weight is None else reach * weight
        if weight is not None:
            losses *= weight
        return float(losses.sum(dtype=np.float64))

    def decision(self, net: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return `gain` times the states of the outputs, one column a class; for two classes their difference."""
        scores: NDArray[np.floating] = self.gain * (0.5 + 0.5 * np.tanh(net))
        return scores[1] - scores[0] if len(scores) == 2 else scores.T

    def probabilities(self, net: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the probability of each class, one column a class."""
        result: NDArray[np.floating] = softmax(0.5 * self.gain * np.tanh(net), axis=0).T
        return result


def make_loss(output: str, n_classes: int, gain: float, owner: str = "make_loss") -> Loss:
    """Return the loss for a kind of output: ``"single"`` (two classes only) or ``"one_hot"``."""
    check_choice(owner, "output", output, OUTPUTS)
    check_integer(owner, "n_classes", n_classes, low=2)
    if output == "one_hot":
        return SoftmaxCrossEntropy(n_classes, gain)
    if n_classes != 2:
        raise wrong(
            owner, "output", f"'one_hot' for {n_classes} classes", output, "One output can tell only two classes apart."
        )
    return LogLoss()
