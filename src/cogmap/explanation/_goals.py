"""Goals of `what_if`: another class, or a value, with the margin by which a row reaches it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cogmap.models.features import Array
from cogmap.models.model import MapModel


@dataclass(frozen=True, eq=False)
class ClassGoal:
    """A class that the map has to prefer to all others, or any class but one."""

    model: MapModel
    code: int  # number of the class
    sign: float  # 1: this class, -1: any other

    def margins(self, rows: Array) -> Array:
        """Return the score of the class minus the best of the others, or the reverse; 0 or more reaches the goal."""
        own, others = self._scores(rows)
        return np.asarray(self.sign * (own - others.max(axis=1)))

    def gradients(self, rows: Array) -> Array:
        """Return the derivative of that margin."""
        derivative = self.model.derivative(rows, of="decision")
        if derivative.shape[1] == 1:  # log-odds of the second of two classes
            return np.asarray(self.sign * (2 * self.code - 1) * derivative[:, 0])
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
        return np.asarray(self.sign * (self.model.outputs(rows)[:, self.target] - self.value) / self._unit)

    def gradients(self, rows: Array) -> Array:
        """Return the derivative of that."""
        return np.asarray(self.sign * self.model.derivative(rows)[:, self.target] / self._unit)

    @property
    def _unit(self) -> float:
        link: Any = self.model.link
        return float(link.deviation[self.target])


Goal = ClassGoal | ValueGoal
