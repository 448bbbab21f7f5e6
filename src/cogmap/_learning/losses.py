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
from scipy.special import expit, log_expit

from cogmap.models.links import OrderedLink

Weight = NDArray[np.floating] | None

# Added to mean squares, in units of the variance, because smaller ones are rounding errors rather than noise.
_MIN_SQUARE = 1e-6

# Largest absolute logarithm of a predicted value relative to the mean, so that the exponential does not overflow.
_MAX_LOGARITHM = 30.0


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
class OrderedLoss(Loss):
    """Log loss of ordered classes: a single output, compared with a threshold between each class and the next."""

    link: OrderedLink

    n_outputs = 1

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        if targets.ndim == 2:  # probabilities of the classes
            losses = -np.einsum("ij,ij->i", targets, self.link.decision(net))
            gradient = -np.einsum("ij,ij->i", targets, self.link.decision_derivative(net)[:, :, 0])
        else:
            low, high = 2.0 * (net[0] - self.link.low[targets]), 2.0 * (net[0] - self.link.high[targets])
            losses = -log_expit(low) - log_expit(-high) - np.log(self.link.factors)[targets]
            gradient = 2.0 * (expit(high) - expit(-low))
        net[0] = gradient
        if weight is not None:
            losses *= weight
            net[0] *= weight
        return float(losses.sum(dtype=np.float64))


@dataclass(frozen=True)
class LabelsLoss(Loss):
    """Sum of the log losses of several labels, whose probabilities are the states of the outputs."""

    n_outputs: int

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        losses = (np.logaddexp(0.0, 2.0 * net) - 2.0 * targets.T * net).sum(axis=0)
        np.tanh(net, out=net)
        net += 1.0 - 2.0 * targets.T
        if weight is not None:
            losses *= weight
            net *= weight
        return float(losses.sum(dtype=np.float64))


@dataclass(frozen=True)
class ValueLoss(Loss):
    """Base class of losses of values: sums over the outputs.

    The loss of a table is half the logarithm of twice the mean over rows and outputs. For squares, that is the negative
    log-likelihood for noise of unknown variance, for deviances about that for an unknown dispersion. The relative
    strength of a penalty then does not depend on the noise level.
    """

    n_outputs: int

    is_mean = False
    robust = False  # whether outliers have bounded gradients

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        losses = self._pointwise(net, targets.T).sum(axis=0)
        if weight is not None:
            losses *= weight
            net *= weight
        return float(losses.sum(dtype=np.float64))

    def _pointwise(self, net: NDArray[np.floating], targets: NDArray[Any]) -> NDArray[np.floating]:
        """Return the loss of each output and row, and replace `net` by its gradient."""
        raise NotImplementedError

    def overall(self, mean: float) -> tuple[float, float]:
        """Return half the logarithm of the mean square, and its derivative."""
        square = 2.0 * mean / self.n_outputs + _MIN_SQUARE
        return 0.5 * math.log(square), 1.0 / (self.n_outputs * square)


@dataclass(frozen=True)
class SquaredLoss(ValueLoss):
    """Half the squared difference between the net inputs of the outputs and the targets."""

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and replace `net` by its gradient."""
        net -= targets.T
        losses = np.square(net).sum(axis=0)
        if weight is not None:
            losses *= weight
            net *= weight
        return 0.5 * float(losses.sum(dtype=np.float64))


@dataclass(frozen=True)
class HuberLoss(ValueLoss):
    """Huber loss: half the square of small differences, linear in differences of more than `delta` deviations."""

    delta: float = 0.5

    robust = True

    def _pointwise(self, net: NDArray[np.floating], targets: NDArray[Any]) -> NDArray[np.floating]:
        net -= targets
        difference = net.copy()
        np.clip(net, -self.delta, self.delta, out=net)
        losses: NDArray[np.floating] = net * (difference - 0.5 * net)
        return losses


@dataclass(frozen=True)
class PinballLoss(ValueLoss):
    """Pinball loss of quantiles, with a parabola of half width `smoothing` instead of the kink.

    This is the pinball loss convolved with a uniform kernel (X. He, X. Pan, K. M. Tan, W.-X. Zhou, Smoothed quantile
    regression with large-scale inference, Journal of Econometrics 232, 2023). The loss of a table is the logarithm of
    the mean, the negative log-likelihood for asymmetric Laplace noise of unknown scale.
    """

    quantiles: tuple[float, ...] = (0.5,)  # of each output
    smoothing: float = 0.02

    robust = True

    def _pointwise(self, net: NDArray[np.floating], targets: NDArray[Any]) -> NDArray[np.floating]:
        lean = (np.array(self.quantiles, dtype=net.dtype) - 0.5)[:, None]
        difference = targets - net
        inside = np.clip(difference, -self.smoothing, self.smoothing)
        half = 0.5 / self.smoothing
        losses: NDArray[np.floating] = lean * difference + 0.25 * self.smoothing
        losses += half * inside * (difference - 0.5 * inside)
        np.subtract(-lean, half * inside, out=net)
        return losses

    def overall(self, mean: float) -> tuple[float, float]:
        """Return the logarithm of the mean, and its derivative."""
        mean = mean / self.n_outputs + _MIN_SQUARE
        return math.log(mean), 1.0 / (self.n_outputs * mean)


@dataclass(frozen=True)
class DevianceLoss(ValueLoss):
    """Half the Tweedie deviance of values relative to their mean, for a logarithmic link.

    A net input x predicts ``exp(spread * x)`` times the mean. The variance of a target is proportional to its expected
    value to the `power`: 1 is the Poisson, 2 the Gamma deviance. Divided by the squared spread, predicting the mean
    has about the same loss as with `SquaredLoss`.
    """

    power: float = 1.0
    spread: tuple[float, ...] = (1.0,)  # of each output

    def _pointwise(self, net: NDArray[np.floating], targets: NDArray[Any]) -> NDArray[np.floating]:
        spread = np.array(self.spread, dtype=net.dtype)[:, None]
        net *= spread
        bounded = np.clip(net, -_MAX_LOGARITHM, _MAX_LOGARITHM)
        beyond = net - bounded  # there, the loss continues along its tangent
        up, down = 2.0 - self.power, 1.0 - self.power
        positive = targets > 0.0
        known = np.where(positive, targets, 1.0)
        ratio = bounded - np.log(known)
        losses = known**up * (_power_minus_1(up, ratio) - _power_minus_1(down, ratio))
        if not positive.all():  # zeros: then `up` is positive
            losses = np.where(positive, losses, np.exp(up * bounded) / (up or 1.0))
        np.exp(up * bounded, out=net)
        net -= targets * np.exp(down * bounded)
        losses += net * beyond
        losses /= np.square(spread)
        net /= spread
        return losses


def _power_minus_1(exponent: float, x: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return ``(exp(exponent * x) - 1) / exponent``, or its limit `x` if the exponent is 0."""
    return x if exponent == 0.0 else np.expm1(exponent * x) / exponent
