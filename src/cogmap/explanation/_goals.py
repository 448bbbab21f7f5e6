"""What a changed row has to reach: another class, or a value; with how far it is from there."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from cogmap.model import MapModel

Array = NDArray[np.floating]


class Goal(Protocol):
    """What a search asks of a goal."""

    def judge(self, rows: Array) -> tuple[Array, Array]:
        """Return how far each row is beyond the goal (less than 0: not there), and something smooth that grows with it.

        Where several classes are in the way, the first follows only the nearest of them, and a step that gains on it
        may lose on the next; the second follows all.
        """
        ...

    def gradient(self, row: Array) -> Array:
        """Return the derivative of how far a row is beyond the goal with respect to its features."""
        ...


@dataclass(frozen=True, eq=False)
class ClassGoal:
    """A class that the map has to prefer to all others, or any class but one."""

    model: MapModel
    code: int  # number of the class
    wanted: bool  # False: any class but this

    def judge(self, rows: Array) -> tuple[Array, Array]:
        """Return the score of the class minus the best of the others, and its log-odds; or the reverse."""
        sign = 1.0 if self.wanted else -1.0
        decision = self.model.decision(rows)
        if decision.ndim == 1:  # log-odds of the second of two classes
            margin = (sign if self.code == 1 else -sign) * decision
            return margin, margin
        others = np.delete(decision, self.code, axis=1)
        own = decision[:, self.code]
        return sign * (own - others.max(axis=1)), sign * (own - logsumexp(others, axis=1))

    def gradient(self, row: Array) -> Array:
        """Return the derivative of that margin."""
        derivative = self.model.derivative(row[None], of="decision")[0]
        if len(derivative) == 1:
            result: Array = derivative[0] if self.code == 1 else -derivative[0]
        else:
            scores = self.model.decision(row[None])[0]
            scores[self.code] = -np.inf
            result = derivative[self.code] - derivative[scores.argmax()]
        return result if self.wanted else -result


@dataclass(frozen=True, eq=False)
class ValueGoal:
    """A value that the prediction has to reach from one side."""

    model: MapModel
    target: int
    value: float
    sign: float  # 1: from below, -1: from above

    def judge(self, rows: Array) -> tuple[Array, Array]:
        """Return how far the prediction is beyond the value, in deviations; it is smooth."""
        margin: Array = self.sign * (self.model.outputs(rows)[:, self.target] - self.value) / self._unit
        return margin, margin

    def gradient(self, row: Array) -> Array:
        """Return the derivative of that."""
        result: Array = self.sign * self.model.derivative(row[None])[0, self.target] / self._unit
        return result

    @property
    def _unit(self) -> float:
        link: Any = self.model.link
        return float(link.deviation[self.target])
