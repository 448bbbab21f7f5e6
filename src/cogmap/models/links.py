"""Links: functions from the outputs of a map to predictions (probabilities of classes or labels, or values).

A link takes ``net`` of shape (n_outputs, n_rows), the net input of the output concepts in the last step, scaled so
that the state of an output is ``0.5 + 0.5 * tanh(net)``. Links do not use the states, because those of confident
predictions round to 1, where the net input still shows how confident they are. Rows are the last axis because sums over
a few outputs are then vectorized.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

Net = NDArray[np.floating]


class Link(Protocol):
    """Interface of a link: the function from the net inputs of the outputs to predictions."""

    @property
    def n_outputs(self) -> int:
        """Number of output concepts."""
        ...

    @property
    def names(self) -> list[str]:
        """Names of the output concepts."""
        ...

    @property
    def output(self) -> str:
        """Kind of outputs: ``"single"``, ``"one_hot"``, ``"ordered"``, ``"labels"`` or ``"values"``."""
        ...

    @property
    def rising(self) -> Sequence[int]:
        """Number of the column of `outputs` that each output raises."""
        ...

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the predictions, one row per sample: probabilities with one column per class, or values."""
        ...

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of `outputs` with respect to `net`, of shape (n_rows, n_columns, n_outputs)."""
        ...

    def decision(self, net: Net) -> NDArray[np.floating]:
        """Return log-odds or scores of the classes, or the predicted values."""
        ...

    def decision_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of `decision` with respect to `net`, of shape (n_rows, n_columns, n_outputs)."""
        ...


def class_names(classes: NDArray[Any]) -> list[str]:
    """Return the names of the output concepts for class labels."""
    return [f"class={label}" for label in classes]


@dataclass(frozen=True, eq=False)
class LogOddsLink:
    """Link of binary classification: the state of a single output is the probability of the second class."""

    classes: NDArray[Any]

    n_outputs = 1
    output = "single"
    gain = 1.0  # unused without softmax
    rising = (1,)

    @property
    def names(self) -> list[str]:
        """Name of the output: the second class."""
        return class_names(self.classes[1:])

    def decision(self, net: Net) -> NDArray[np.floating]:
        """Return the log-odds of the second class, one number per row."""
        log_odds: NDArray[np.floating] = 2.0 * net[0]
        return log_odds

    def decision_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the log-odds, of shape (n_rows, 1, 1)."""
        return np.full((net.shape[1], 1, 1), 2.0, dtype=net.dtype)

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the probability of each class, one column per class."""
        log_odds = self.decision(net)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the probabilities, of shape (n_rows, 2, 1)."""
        slope = 2.0 * expit(2.0 * net[0]) * expit(-2.0 * net[0])
        return np.stack([-slope, slope], axis=1)[:, :, None]


@dataclass(frozen=True, eq=False)
class SoftmaxLink:
    """Link with one output per class: probabilities are the softmax of ``gain`` times the states of the outputs."""

    classes: NDArray[Any]
    gain: float

    output = "one_hot"

    @property
    def n_outputs(self) -> int:
        """One output per class."""
        return len(self.classes)

    @property
    def rising(self) -> list[int]:
        """The class of each output."""
        return list(range(self.n_outputs))

    @property
    def names(self) -> list[str]:
        """Names of the outputs."""
        return class_names(self.classes)

    def decision(self, net: Net) -> NDArray[np.floating]:
        """Return `gain` times the states of the outputs, one column per class; for two classes their difference."""
        scores: NDArray[np.floating] = self.gain * (0.5 + 0.5 * np.tanh(net))
        return scores[1] - scores[0] if len(scores) == 2 else scores.T

    def decision_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of `decision`, of shape (n_rows, n_classes or 1, n_classes)."""
        slopes = (0.5 * self.gain * (1.0 - np.square(np.tanh(net)))).T
        if slopes.shape[1] == 2:
            return (slopes * [-1.0, 1.0])[:, None, :]
        derivative: NDArray[np.floating] = slopes[:, :, None] * np.eye(slopes.shape[1])
        return derivative

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the probability of each class, one column per class."""
        scores: NDArray[np.floating] = 0.5 * self.gain * np.tanh(net)
        scores -= scores.max(axis=0)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=0)
        return scores.T

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the probabilities, of shape (n_rows, n_classes, n_classes)."""
        p = self.outputs(net)
        slopes = (0.5 * self.gain * (1.0 - np.square(np.tanh(net)))).T
        of_scores = p[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :])
        derivative: NDArray[np.floating] = of_scores * slopes[:, None, :]
        return derivative


@dataclass(frozen=True, eq=False)
class OrderedLink:
    """Cumulative logit link of three or more ordered classes, with a single output that says how high the class is.

    The log-odds of a class of a rank above k are ``2 * (net - thresholds[k])``.
    """

    classes: NDArray[Any]  # sorted labels, as of every classifier
    ranks: NDArray[np.intp]  # of each class, from 0 for the lowest
    thresholds: NDArray[np.float64]  # ascending, one between each rank and the next

    n_outputs = 1
    output = "ordered"
    gain = 1.0  # unused without softmax

    @property
    def names(self) -> list[str]:
        """Name of the output."""
        return ["class"]

    @property
    def rising(self) -> list[int]:
        """The highest class."""
        return [int(self.ranks.argmax())]

    @property
    def low(self) -> NDArray[np.float64]:
        """Threshold below each class."""
        return np.concatenate([[-np.inf], self.thresholds])[self.ranks]

    @property
    def high(self) -> NDArray[np.float64]:
        """Threshold above each class."""
        return np.concatenate([self.thresholds, [np.inf]])[self.ranks]

    @property
    def factors(self) -> NDArray[np.float64]:
        """Factor of the probability of each class: ``1 - exp(-2 width)`` of the interval between its thresholds."""
        return np.asarray(-np.expm1(-2.0 * (self.high - self.low)))

    def decision(self, net: Net) -> NDArray[np.floating]:
        """Return the logarithms of the probabilities, one column per class."""
        z = net[0][:, None]
        # The difference of two logistic functions as a product, which does not cancel.
        scores: NDArray[np.floating] = log_expit(2.0 * (z - self.low)) + log_expit(2.0 * (self.high - z))
        return scores + np.log(self.factors)

    def decision_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of `decision`, of shape (n_rows, n_classes, 1)."""
        z = net[0][:, None]
        derivative: NDArray[np.floating] = 2.0 * (expit(2.0 * (self.low - z)) - expit(2.0 * (z - self.high)))
        return derivative[:, :, None]

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the probability of each class, one column per class."""
        probabilities: NDArray[np.floating] = np.exp(self.decision(net))
        return probabilities

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the probabilities, of shape (n_rows, n_classes, 1)."""
        derivative: NDArray[np.floating] = self.outputs(net)[:, :, None] * self.decision_derivative(net)
        return derivative


ClassLink = LogOddsLink | SoftmaxLink | OrderedLink


def decided(decision: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return the index of the predicted class of each row, given the result of `decision`."""
    return (decision >= 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)


@dataclass(frozen=True, eq=False)
class ValueLink:
    """Link of regression, with one output per target, whose net input is the standardized value of the target.

    Values are standardized by mean and standard deviation in the training data. A state of 0.5 is the mean, 0.88 one
    deviation above it.
    """

    targets: tuple[str, ...]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    one_dimensional: bool  # whether y was 1-D; predictions are then 1-D, too

    output = "values"
    least = -np.inf  # below which there are no values

    @property
    def n_outputs(self) -> int:
        """One output per target."""
        return len(self.targets)

    @property
    def rising(self) -> list[int]:
        """The value of each output."""
        return list(range(self.n_outputs))

    @property
    def names(self) -> list[str]:
        """Names of the outputs."""
        return list(self.targets)

    def deviations(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Standardize values, one column per output."""
        result: NDArray[np.float64] = (values - self.mean) / self.deviation
        return result

    def scaled(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return values in the unit of the loss: here standardized."""
        return self.deviations(values)

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the values, one column per target."""
        most = np.finfo(np.float64).max
        with np.errstate(over="ignore"):  # extreme extrapolation may overflow, and is clipped
            values: NDArray[np.floating] = np.clip(self.mean + self.deviation * net.T, -most, most)
        return values

    def ends(self, outputs: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the lowest and the highest prediction for each target: both are the value, if it is the only one."""
        return outputs, outputs

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the values, of shape (n_rows, n_targets, n_targets)."""
        return np.broadcast_to(np.diag(self.deviation), (net.shape[1], self.n_outputs, self.n_outputs))

    decision = outputs
    decision_derivative = outputs_derivative


@dataclass(frozen=True, eq=False)
class LogLink(ValueLink):
    """Logarithmic link of counts and positive amounts: the value is the mean times ``exp(spread * net)``.

    The spread is that of a lognormal distribution with the mean and deviation of the training data. A state of 0.5 is
    the mean. Values are limited to the range of the training data, which the exponential would leave far behind.
    """

    low: NDArray[np.float64]  # smallest prediction of each target, above 0
    high: NDArray[np.float64]

    least = 0.0

    @property
    def spread(self) -> NDArray[np.float64]:
        """Factor of the net input of each output."""
        result: NDArray[np.float64] = np.sqrt(np.log1p(np.square(self.deviation / self.mean)))
        return result

    def scaled(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return values relative to the mean."""
        return np.asarray(values / self.mean)

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the values, one column per target."""
        with np.errstate(over="ignore", under="ignore"):
            values: NDArray[np.floating] = np.clip(self.mean * np.exp(self.spread * net.T), self.low, self.high)
        return values

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the values, of shape (n_rows, n_targets, n_targets)."""
        values = self.outputs(net)
        slopes = values * self.spread * ((values > self.low) & (values < self.high))
        derivative: NDArray[np.floating] = slopes[:, :, None] * np.eye(self.n_outputs)
        return derivative

    decision = outputs
    decision_derivative = outputs_derivative


@dataclass(frozen=True, eq=False)
class QuantileLink(ValueLink):
    """Link of quantiles, each the standardized value of its output.

    Several quantiles of a target are sorted, so that they do not cross: a prediction of the median below that of the
    first quartile takes its place. Sorting never increases the pinball loss (V. Chernozhukov, I. Fernandez-Val,
    A. Galichon, Quantile and probability curves without crossing, Econometrica 78, 2010).
    """

    quantiles: tuple[float, ...]  # of each output: ascending for one target, or the same for several

    @property
    def is_sorted(self) -> bool:
        """Whether the outputs are quantiles of one target."""
        return self.quantiles[0] < self.quantiles[-1]

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the quantiles, one column per output."""
        values = super().outputs(net)
        return np.sort(values, axis=1) if self.is_sorted else values

    def ends(self, outputs: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the lowest and the highest predicted quantile of each target."""
        return (outputs[:, :1], outputs[:, -1:]) if self.is_sorted else (outputs, outputs)

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the quantiles, of shape (n_rows, n_outputs, n_outputs)."""
        derivative = super().outputs_derivative(net)
        if not self.is_sorted:
            return derivative
        order = np.argsort(super().outputs(net), axis=1, kind="stable")
        return np.take_along_axis(derivative, order[:, :, None], axis=1)

    decision = outputs
    decision_derivative = outputs_derivative


@dataclass(frozen=True, eq=False)
class LabelsLink(ValueLink):
    """Link of several labels, each of which applies or not: the state of an output is the probability of its label.

    `mean` is the share of the rows with each label, `deviation` its standard deviation.
    """

    output = "labels"

    def scaled(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return labels or probabilities as they are."""
        return np.asarray(values, dtype=np.float64)

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the probability of each label, one column per label."""
        probabilities: NDArray[np.floating] = expit(2.0 * net.T)
        return probabilities

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the probabilities, of shape (n_rows, n_labels, n_labels)."""
        slopes = 2.0 * expit(2.0 * net.T) * expit(-2.0 * net.T)
        derivative: NDArray[np.floating] = slopes[:, :, None] * np.eye(self.n_outputs)
        return derivative

    def decision(self, net: Net) -> NDArray[np.floating]:
        """Return the log-odds of each label."""
        log_odds: NDArray[np.floating] = 2.0 * net.T
        return log_odds

    def decision_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the log-odds, of shape (n_rows, n_labels, n_labels)."""
        return np.broadcast_to(2.0 * np.eye(self.n_outputs), (net.shape[1], self.n_outputs, self.n_outputs))
