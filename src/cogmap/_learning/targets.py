"""Targets: what the rows should be, classes or values, and all that depends on which of the two they are."""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.losses import LogLoss, Loss, SoftmaxCrossEntropy, SquaredLoss
from cogmap.models.links import ClassLink, Link, LogOddsLink, ValueLink

_STRATA_OF_VALUES = 10


class Targets(Protocol):
    """What learning asks of targets."""

    @property
    def per_row(self) -> str:
        """Which of its attributes has an entry for each row."""
        ...

    @property
    def link(self) -> Link:
        """What the outputs of a map for these targets mean."""
        ...

    @property
    def loss(self) -> Loss:
        """By what they are learned."""
        ...

    @property
    def array(self) -> NDArray[Any]:
        """The targets in the form in which the loss takes them."""
        ...

    @property
    def columns(self) -> NDArray[np.float64]:
        """The targets as numbers, one column per output."""
        ...

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the targets of some rows."""
        ...

    def strata(self) -> NDArray[np.intp]:
        """Return a code for each row: parts of a table have about the same share of each."""
        ...

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return the targets with so much weight, to which predictions with the rest can be added."""
        ...

    def predictions(self, outputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return what a model says in the form in which it can be added to a mixture."""
        ...


@dataclass(frozen=True)
class ClassTargets:
    """Class codes of the rows."""

    codes: NDArray[np.intp]
    link: ClassLink

    per_row = "codes"

    @property
    def loss(self) -> Loss:
        """Log loss of one output, or cross-entropy of a softmax."""
        if isinstance(self.link, LogOddsLink):
            return LogLoss()
        return SoftmaxCrossEntropy(self.link.n_outputs, self.link.gain)

    @property
    def array(self) -> NDArray[np.intp]:
        """The codes."""
        return self.codes

    @property
    def columns(self) -> NDArray[np.float64]:
        """What the outputs should be, 0 or 1."""
        of_class = np.eye(len(self.link.classes))
        return of_class[:, -self.link.n_outputs :][self.codes]

    def take(self, rows: NDArray[Any]) -> "ClassTargets":
        """Return the targets of some rows."""
        return replace(self, codes=self.codes[rows])

    def strata(self) -> NDArray[np.intp]:
        """Return the class of each row."""
        return self.codes

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return the share of each class in each row as far as the labels tell it."""
        shares = np.zeros((len(self.codes), len(self.link.classes)), dtype=dtype)
        shares[np.arange(len(self.codes)), self.codes] = share
        return shares

    def predictions(self, outputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the probabilities of the classes."""
        return outputs


@dataclass(frozen=True)
class ValueTargets:
    """Values of the rows."""

    values: NDArray[np.float64]  # one column per target
    link: ValueLink

    per_row = "values"

    @property
    def loss(self) -> Loss:
        """Squared loss."""
        return SquaredLoss(self.link.n_outputs)

    @property
    def array(self) -> NDArray[np.float64]:
        """The values in deviations from the mean."""
        return self.link.deviations(self.values)

    columns = array

    def take(self, rows: NDArray[Any]) -> "ValueTargets":
        """Return the targets of some rows."""
        return replace(self, values=self.values[rows])

    def strata(self) -> NDArray[np.intp]:
        """Return which tenth of the rows each row belongs to, ordered by the sum of its targets."""
        order = np.argsort(self.array.sum(axis=1), kind="stable")
        strata = np.empty(len(order), dtype=np.intp)
        n_strata = max(min(_STRATA_OF_VALUES, len(order) // 10), 1)
        strata[order] = np.arange(len(order)) * n_strata // len(order)
        return strata

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return so much of the deviations."""
        return (share * self.array).astype(dtype)

    def predictions(self, outputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return predicted values in deviations from the mean."""
        return self.link.deviations(outputs)
