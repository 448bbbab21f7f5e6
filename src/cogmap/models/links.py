"""Links: what the outputs of a map mean, probabilities of classes or values, and how that follows what enters them.

A link is given ``net`` of shape (n_outputs, n_rows), the net input of the output concepts in the last step in the form
in which the state of an output is ``0.5 + 0.5 * tanh(net)``. The state alone would not do: of a confident prediction
it is 1 to the last bit, where the net input still tells how confident. Rows are the last axis because sums over a
handful of outputs are then vectorised.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Net = NDArray[np.floating]


class Link(Protocol):
    """What a model asks of a link."""

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
        """What kind of outputs these are."""
        ...

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return what the map says, one row per row: probabilities, one column per class, or values."""
        ...

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of `outputs` with respect to `net`, of shape (n_rows, n_columns, n_outputs)."""
        ...

    def decision(self, net: Net) -> NDArray[np.floating]:
        """Return the same before it is squashed into probabilities, if it is."""
        ...

    def decision_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of `decision`, whose columns come before the outputs as above."""
        ...


def class_names(classes: NDArray[Any]) -> list[str]:
    """Return the names of the concepts that stand for classes."""
    return [f"class={label}" for label in classes]


@dataclass(frozen=True, eq=False)
class LogOddsLink:
    """One output, whose state is the probability of the second of two classes."""

    classes: NDArray[Any]

    n_outputs = 1
    output = "single"
    gain = 1.0  # there is no softmax

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
    """One output per class; probabilities are the softmax of ``gain`` times the states of the outputs."""

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
    """Return the number of the class that is decided for in each row, given what `decision` returns."""
    return (decision >= 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)


@dataclass(frozen=True, eq=False)
class ValueLink:
    """One output per target. What enters an output is the value, in deviations from the mean of the training data.

    The state of an output thus tells where a value lies: 0.5 is the mean, 0.88 one deviation more.
    """

    targets: tuple[str, ...]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    one_dimensional: bool  # whether y was a vector, and predictions are

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
        """Return values in deviations from the mean, one column per target."""
        result: NDArray[np.float64] = (values - self.mean) / self.deviation
        return result

    def outputs(self, net: Net) -> NDArray[np.floating]:
        """Return the values, one column per target."""
        most = np.finfo(np.float64).max
        with np.errstate(over="ignore"):  # far outside what was seen, near the end of all numbers
            values: NDArray[np.floating] = np.clip(self.mean + self.deviation * net.T, -most, most)
        return values

    def outputs_derivative(self, net: Net) -> NDArray[np.floating]:
        """Return the derivative of the values, of shape (n_rows, n_targets, n_targets)."""
        return np.broadcast_to(np.diag(self.deviation), (net.shape[1], self.n_outputs, self.n_outputs))

    decision = outputs
    decision_derivative = outputs_derivative
