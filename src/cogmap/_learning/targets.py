"""Targets of the rows, classes or values, with the computations that depend on their kind."""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.losses import (
    DevianceLoss,
    HuberLoss,
    LabelsLoss,
    LogLoss,
    Loss,
    OrderedLoss,
    PinballLoss,
    SoftmaxCrossEntropy,
    SquaredLoss,
)
from cogmap.models.links import (
    ClassLink,
    LabelsLink,
    Link,
    LogLink,
    LogOddsLink,
    OrderedLink,
    QuantileLink,
    ValueLink,
)

# Losses of values, with the power of the variance function of those that are deviances.
VALUE_LOSSES = ("squared_error", "poisson", "gamma", "tweedie", "quantile", "huber")
POWERS = {"poisson": 1.0, "gamma": 2.0}

_STRATA_OF_VALUES = 10
_STRATA_OF_LABELS = 8  # combinations of labels; rarer ones share a stratum
_OFFSET = 0.05  # added to values relative to their mean, which may be 0, before the logarithm
_MAX_DEVIATIONS = 5.0  # of a target in `columns`, if the loss is robust


class Targets(Protocol):
    """Interface of targets."""

    @property
    def per_row(self) -> str:
        """Name of the attribute with an entry per row."""
        ...

    def of(self, y: NDArray[Any]) -> Self:
        """Return the targets of other rows, given their labels or values."""
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

    def of(self, y: NDArray[Any]) -> "ClassTargets":
        """Return the targets of rows with these labels."""
        return replace(self, codes=np.searchsorted(self.link.classes, y))

    @property
    def loss(self) -> Loss:
        """Log loss of one output, with thresholds for ordered classes, or cross-entropy of a softmax."""
        if isinstance(self.link, LogOddsLink):
            return LogLoss()
        if isinstance(self.link, OrderedLink):
            return OrderedLoss(self.link)
        return SoftmaxCrossEntropy(self.link.n_outputs, self.link.gain)

    @property
    def array(self) -> NDArray[np.intp]:
        """The codes."""
        return self.codes

    @property
    def columns(self) -> NDArray[np.float64]:
        """The targets one-hot encoded, as 0 and 1 for a single output, or as standardized ranks if ordered."""
        if isinstance(self.link, OrderedLink):
            ranks = self.link.ranks[self.codes].astype(np.float64)
            return np.asarray((ranks - ranks.mean()) / (ranks.std() or 1.0))[:, None]
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
    """Values of the rows, or labels that apply (1) or not (0)."""

    values: NDArray[np.float64]  # one column per target
    link: ValueLink
    loss_name: str = "squared_error"  # one of `VALUE_LOSSES`, unless the values are labels
    power: float = 1.5  # of a Tweedie deviance

    per_row = "values"

    def of(self, y: NDArray[Any]) -> "ValueTargets":
        """Return the targets of rows with these values."""
        return replace(self, values=y.reshape(len(y), -1))

    @property
    def loss(self) -> Loss:
        """The loss with its parameters."""
        n_outputs = self.link.n_outputs
        if isinstance(self.link, LabelsLink):
            return LabelsLoss(n_outputs)
        if isinstance(self.link, LogLink):
            power = POWERS.get(self.loss_name, self.power)
            return DevianceLoss(n_outputs, power, tuple(self.link.spread.tolist()))
        if isinstance(self.link, QuantileLink):
            return PinballLoss(n_outputs, self.link.quantiles)
        return HuberLoss(n_outputs) if self.loss_name == "huber" else SquaredLoss(n_outputs)

    @property
    def array(self) -> NDArray[np.float64]:
        """The values in the unit of the loss, one column per output."""
        return self.link.scaled(self.values)

    @property
    def columns(self) -> NDArray[np.float64]:
        """The values or their logarithms, as the link, standardized; outliers are cut if the loss is robust."""
        if isinstance(self.link, LabelsLink):
            return self.values
        if isinstance(self.link, LogLink):
            logs = np.log(self.array + _OFFSET)
            return np.asarray((logs - logs.mean(axis=0)) / self.link.spread)
        columns = self.link.deviations(self.values)
        return np.clip(columns, -_MAX_DEVIATIONS, _MAX_DEVIATIONS) if getattr(self.loss, "robust", False) else columns

    def take(self, rows: NDArray[Any]) -> "ValueTargets":
        """Return the targets of some rows."""
        return replace(self, values=self.values[rows])

    def strata(self) -> NDArray[np.intp]:
        """Return the tenth to which each row belongs, by the sum of its standardized targets, or its set of labels."""
        if isinstance(self.link, LabelsLink):
            _, codes, counts = np.unique(self.values, axis=0, return_inverse=True, return_counts=True)
            rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
            return np.minimum(rank, _STRATA_OF_LABELS - 1)[codes.ravel()]
        order = np.argsort(self.columns.sum(axis=1), kind="stable")
        strata = np.empty(len(order), dtype=np.intp)
        n_strata = max(min(_STRATA_OF_VALUES, len(order) // 10), 1)
        strata[order] = np.arange(len(order)) * n_strata // len(order)
        return strata

    def mixture(self, share: float, dtype: Any) -> NDArray[np.floating]:
        """Return the values times `share`, in the unit of the loss."""
        return (share * self.array).astype(dtype)

    def predictions(self, outputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return predicted values in the unit of the loss."""
        return self.link.scaled(outputs)
