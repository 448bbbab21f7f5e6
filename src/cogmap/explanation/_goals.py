"""Goals of `what_if`: another class, or a value, with the margin by which a row reaches it."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cogmap.model import MapModel

Array = NDArray[np.floating]


class Goal(Protocol):
    """What a changed row has to reach."""

    def margins(self, rows: Array) -> Array:
        """Return how far each row is beyond the goal; less than 0 means that it does not reach it."""
        ...

    def gradients(self, rows: Array) -> Array:
        """Return the derivative of the margin of each row with respect to its features."""
        ...


@dataclass(frozen=True, eq=False)
class ClassGoal:
    """A class that the map has to prefer to all others, or any class but one."""

    model: MapModel
    code: int  # number of the class
    sign: float  # 1: this class, -1: any other

    def margins(self, rows: Array) -> Array:
        """Return the score of the class minus the best of the others, or the reverse."""
        own, others = self._scores(rows)
        result: Array = self.sign * (own - others.max(axis=1))
        return result

    def gradients(self, rows: Array) -> Array:
        """Return the derivative of that margin."""
        derivative = self.model.derivative(rows, of="decision")
        if derivative.shape[1] == 1:  # log-odds of the second of two classes
            result: Array = self.sign * (2 * self.code - 1) * derivative[:, 0]
            return result
        nearest = self._scores(rows)[1].argmax(axis=1)
        return np.asarray(self.sign * (derivative[:, self.code] - derivative[np.arange(len(rows)), nearest]))

    def _scores(self, rows: Array) -> tuple[Array, Array]:
        """Return the score of the class, and those of all classes with -inf in its place."""
        scores = self.model.decision(rows)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        own = scores[:, self.code].copy()
        scores[:, self.code] = -np.inf
        return own, scores


@dataclass(frozen=True, eq=False)
class ValueGoal:
    """A value that the prediction has to reach from one side."""

    model: MapModel
    target: int
    value: float
    sign: float  # 1: from below, -1: from above

    def margins(self, rows: Array) -> Array:
        """Return how far the prediction is beyond the value, in deviations of the target."""
        result: Array = self.sign * (self.model.outputs(rows)[:, self.target] - self.value) / self._unit
        return result

    def gradients(self, rows: Array) -> Array:
        """Return the derivative of that."""
        result: Array = self.sign * self.model.derivative(rows)[:, self.target] / self._unit
        return result

    @property
    def _unit(self) -> float:
        link: Any = self.model.link
        return float(link.deviation[self.target])
