"""Targets of the rows, classes or values, with the computations that depend on their kind."""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.losses import LogLoss, Loss, SoftmaxCrossEntropy, SquaredLoss
from cogmap.models.links import ClassLink, Link, LogOddsLink, ValueLink

_STRATA_OF_VALUES = 10


class Targets(Protocol):
    """Interface of targets."""

    @property
    def per_row(self) -> str:
        """Name of the attribute with an entry per row."""
        ...

    @property
    def link(self) -> Link:
        """Link of the outputs."""
        ...

    @property
    def loss(self) -> Loss:
        """Loss for training."""
        ...

    @property
    def array(self) -> NDArray[Any]:
        """The targets as the loss takes them."""
        ...

    @property
    def columns(self) -> NDArray[np.float64]:
        """The targets as numbers, one column per output."""
        ...

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the targets of some rows."""
        ...

    def strata(self) -> NDArray[np.intp]:
        """Return a code for each row, by which splits are stratified."""
        ...

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return the targets times `share`, to which predictions times the rest can be added."""
        ...

    def predictions(self, outputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the predictions of a model in the form of a mixture."""
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
        """The targets one-hot encoded, or as 0 and 1 for a single output."""
        of_class = np.eye(len(self.link.classes))
        return of_class[:, -self.link.n_outputs :][self.codes]

    def take(self, rows: NDArray[Any]) -> "ClassTargets":
        """Return the targets of some rows."""
        return replace(self, codes=self.codes[rows])

    def strata(self) -> NDArray[np.intp]:
        """Return the class of each row."""
        return self.codes

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return the one-hot encoded labels times `share`."""
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
        """The standardized values."""
        return self.link.deviations(self.values)

    columns = array

    def take(self, rows: NDArray[Any]) -> "ValueTargets":
        """Return the targets of some rows."""
        return replace(self, values=self.values[rows])

    def strata(self) -> NDArray[np.intp]:
        """Return the tenth to which each row belongs, by the sum of its standardized targets."""
        order = np.argsort(self.array.sum(axis=1), kind="stable")
        strata = np.empty(len(order), dtype=np.intp)
        n_strata = max(min(_STRATA_OF_VALUES, len(order) // 10), 1)
        strata[order] = np.arange(len(order)) * n_strata // len(order)
        return strata

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return the standardized values times `share`."""
        return (share * self.array).astype(dtype)

    def predictions(self, outputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the standardized predicted values."""
        return self.link.deviations(outputs)
