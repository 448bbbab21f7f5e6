"""Links: functions from the outputs of a map to predictions (probabilities of classes, or values).

A link takes ``net`` of shape (n_outputs, n_rows), the net input of the output concepts in the last step, scaled so
that the state of an output is ``0.5 + 0.5 * tanh(net)``. Links do not use the states, because those of confident
predictions round to 1, where the net input still shows how confident they are. Rows are the last axis because sums over
a few outputs are then vectorized.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

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
        """Kind of outputs: ``"single"``, ``"one_hot"`` or ``"values"``."""
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


ClassLink = LogOddsLink | SoftmaxLink


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

    @property
    def n_outputs(self) -> int:
        """One output per target."""
        return len(self.targets)

    @property
    def names(self) -> list[str]:
        """Names of the outputs."""
        return list(self.targets)

    def deviations(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Standardize values, one column per target."""
        result: NDArray[np.float64] = (values - self.mean) / self.deviation
        return result

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the values, one column per target."""
        most = np.finfo(np.float64).max
        with np.errstate(over="ignore"):  # extreme extrapolation may overflow, and is clipped
            values: NDArray[np.floating] = np.clip(self.mean + self.deviation * net.T, -most, most)
        return values

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the values, of shape (n_rows, n_targets, n_targets)."""
        return np.broadcast_to(np.diag(self.deviation), (net.shape[1], self.n_outputs, self.n_outputs))

    decision = outputs
    decision_derivative = outputs_derivative
