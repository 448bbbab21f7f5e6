"""Decision rules, from map outputs to class scores: largest output, nearest class mean, or thresholds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Largest:
    """Predict the class with the largest output; there is one output per class."""

    @classmethod
    def of(cls, outputs: Array, codes: Codes, weight: Array, n_classes: int) -> "Largest":
        """Return the rule, which has no parameters."""
        return cls()

    def scores(self, outputs: Array) -> Array:
        """Return the outputs unchanged."""
        return outputs


@dataclass(frozen=True)
class NearestMean:
    """Class of minimum distance (CoMD): predict the class whose mean outputs are nearest."""

    means: Array  # one row per class

    @classmethod
    def of(cls, outputs: Array, codes: Codes, weight: Array, n_classes: int) -> "NearestMean":
        """Compute the weighted mean outputs of each class over the training rows."""
        share = np.eye(n_classes)[codes] * weight[:, None]
        return cls(share.T @ outputs / share.sum(axis=0)[:, None])

    def scores(self, outputs: Array) -> Array:
        """Return the negative squared distances to the class means."""
        return np.column_stack([-np.square(outputs - mean).sum(axis=1) for mean in self.means])


@dataclass(frozen=True)
class Intervals:
    """Classification by thresholds (ByT): each class is an interval of the single output, in class order."""

    thresholds: Array  # n_classes - 1 values, in nondecreasing order

    @classmethod
    def of(cls, outputs: Array, codes: Codes, weight: Array, n_classes: int) -> "Intervals":
        """Find the thresholds with the fewest training errors, exactly, by dynamic programming.

        Sorted output values are assigned to classes in nondecreasing order. The minimum error up to a value assigned
        to class k follows from the minima up to the previous value assigned to any class <= k.
        """
        values, places = np.unique(outputs[:, 0], return_inverse=True)
        right = np.zeros((len(values), n_classes))
        np.add.at(right, (places, codes), weight)
        wrong = right.sum(axis=1, keepdims=True) - right
        errors = wrong[0]
        before = np.zeros((len(values), n_classes), dtype=np.intp)  # best class of the previous value
        for i in range(1, len(values)):
            fewest = np.minimum.accumulate(errors)
            # Among equally good classes of the previous value, take the last, so that few classes are skipped.
            latest = np.maximum.accumulate(np.where(errors == fewest, np.arange(n_classes), 0))
            before[i], errors = latest, fewest + wrong[i]
        assigned = np.empty(len(values), dtype=np.intp)
        assigned[-1] = errors.argmin()
        for i in range(len(values) - 1, 0, -1):
            assigned[i - 1] = before[i, assigned[i]]
        ends = np.searchsorted(assigned, np.arange(n_classes - 1), side="right")  # number of values in classes up to k
        edges = np.concatenate([[-np.inf], 0.5 * (values[1:] + values[:-1]), [np.inf]])
        return cls(edges[ends])

    def scores(self, outputs: Array) -> Array:
        """Return the negative distances to the intervals; a class with an empty interval gets the lowest score."""
        low = np.concatenate([[-np.inf], self.thresholds])
        high = np.concatenate([self.thresholds, [np.inf]])
        with np.errstate(invalid="ignore"):  # empty intervals at an infinite end
            distance = np.maximum(np.maximum(low - outputs, outputs - high), 0.0)
        return -np.where(low < high, distance, 2.0)


DecisionRule = Largest | NearestMean | Intervals
DECISION_RULES: dict[str, type[DecisionRule]] = {"argmax": Largest, "comd": NearestMean, "byt": Intervals}
