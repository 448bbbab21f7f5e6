"""How classes are read from the outputs of a map: the largest, the nearest class mean, or intervals of one output."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Largest:
    """There is one output per class, and the largest is the answer."""

    @classmethod
    def of(cls, outputs: Array, codes: Codes, weight: Array, n_classes: int) -> "Largest":
        """Learn nothing."""
        return cls()

    def scores(self, outputs: Array) -> Array:
        """Return the outputs themselves."""
        return outputs


@dataclass(frozen=True)
class NearestMean:
    """Class of minimum distance (CoMD): the class whose mean outputs are nearest."""

    means: Array  # one row per class

    @classmethod
    def of(cls, outputs: Array, codes: Codes, weight: Array, n_classes: int) -> "NearestMean":
        """Take the means over the training rows."""
        share = np.eye(n_classes)[codes] * weight[:, None]
        return cls(share.T @ outputs / share.sum(axis=0)[:, None])

    def scores(self, outputs: Array) -> Array:
        """Return minus the squared distances to the means."""
        return np.column_stack([-np.square(outputs - mean).sum(axis=1) for mean in self.means])


@dataclass(frozen=True)
class Intervals:
    """Thresholds (ByT): each class is an interval of the one output, in the order of the classes."""

    thresholds: Array  # n_classes - 1 of them, none smaller than the one before

    @classmethod
    def of(cls, outputs: Array, codes: Codes, weight: Array, n_classes: int) -> "Intervals":
        """Find the thresholds with the fewest errors on the training rows, exactly, by dynamic programming.

        Values in their order are given to classes in their order: the fewest errors up to a value that is given to a
        class follow from those up to the value before that is given to the same or an earlier class.
        """
        values, places = np.unique(outputs[:, 0], return_inverse=True)
        right = np.zeros((len(values), n_classes))
        np.add.at(right, (places, codes), weight)
        wrong = right.sum(axis=1, keepdims=True) - right
        errors = wrong[0]
        before = np.zeros((len(values), n_classes), dtype=np.intp)  # best class of the value before
        for i in range(1, len(values)):
            fewest = np.minimum.accumulate(errors)
            # Of equally good classes of the value before, the latest: so that few are passed over.
            latest = np.maximum.accumulate(np.where(errors == fewest, np.arange(n_classes), 0))
            before[i], errors = latest, fewest + wrong[i]
        given = np.empty(len(values), dtype=np.intp)
        given[-1] = errors.argmin()
        for i in range(len(values) - 1, 0, -1):
            given[i - 1] = before[i, given[i]]
        ends = np.searchsorted(given, np.arange(n_classes - 1), side="right")  # how many values are of classes up to k
        edges = np.concatenate([[-np.inf], 0.5 * (values[1:] + values[:-1]), [np.inf]])
        return cls(edges[ends])

    def scores(self, outputs: Array) -> Array:
        """Return minus the distances to the intervals; a class whose interval is empty is farther than any other."""
        low = np.concatenate([[-np.inf], self.thresholds])
        high = np.concatenate([self.thresholds, [np.inf]])
        with np.errstate(invalid="ignore"):  # of intervals at an infinite end, which are empty
            distance = np.maximum(np.maximum(low - outputs, outputs - high), 0.0)
        return -np.where(low < high, distance, 2.0)


Reading = Largest | NearestMean | Intervals  # turns outputs into a score per class
READINGS: dict[str, type[Reading]] = {"argmax": Largest, "comd": NearestMean, "byt": Intervals}
