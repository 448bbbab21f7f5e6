"""`HeldOut`: predictions of teachers for rows that they were not trained on, and what follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.table import Table
from cogmap.maps.structured import StructuredMap
from cogmap.models.links import LabelsLink, Link, LogOddsLink, Net, OrderedLink, QuantileLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel
from cogmap.statistics.calibration import confidence_factor
from cogmap.statistics.conformal import HeldOutErrors

MAX_ROWS = 20_000  # of each teacher


@dataclass(frozen=True)
class HeldOut:
    """Predictions for held-out rows, each by the teacher that was not trained on it.

    Attributes
    ----------
    net : ndarray of shape (n_outputs, n_rows)
        Net inputs of the outputs.
    truth : ndarray of shape (n_rows,) or (n_rows, n_targets)
        Class codes, or values.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    part_rows : float
        Mean number of rows that a teacher left out.
    """

    net: Net
    truth: NDArray[Any]
    weight: NDArray[np.float64]
    part_rows: float

    @classmethod
    def of(cls, table: Table, net: Net) -> "HeldOut":
        """Return the predictions of one teacher for the rows that it left out."""
        truth = getattr(table.targets, table.targets.per_row)
        return cls(net, truth, table.row_weights, max(table.n_rows, table.total_weight))

    @classmethod
    def joined(cls, parts: Sequence["HeldOut"]) -> "HeldOut | None":
        """Return the predictions of several teachers; None without teachers."""
        if not parts:
            return None
        net = np.concatenate([part.net for part in parts], axis=1)
        truth, weight = (np.concatenate([getattr(part, name) for part in parts]) for name in ("truth", "weight"))
        return cls(net, truth, weight, float(np.mean([part.part_rows for part in parts])))

    def errors(self, model: MapModel, table: Table) -> HeldOutErrors:
        """Return the distribution of the errors, from which intervals and sets of classes are computed.

        They are at least as large as the errors of the map on the rows that it was trained on: a small map may be less
        accurate than its teachers.

        Parameters
        ----------
        model : MapModel
            The map taught by the teachers.
        table : Table
            Features and targets of the training rows.
        """
        some = table.subsample(MAX_ROWS)
        own = HeldOut.of(some, np.concatenate([model.net(X) for _, X in some.blocks()], axis=1))
        errors = self._errors(model.link)
        return errors.at_least(own._errors(model.link, errors.spread))

    def _errors(self, link: Link, spread: NDArray[np.float64] | None = None) -> HeldOutErrors:
        """Return the distribution of the errors of these predictions."""
        outputs, truth, weight, n_rows = link.outputs(self.net), self.truth, self.weight, self.part_rows
        if isinstance(link, LabelsLink):
            return HeldOutErrors.of_labels(outputs, truth, weight, n_rows)
        if isinstance(link, QuantileLink):
            return HeldOutErrors.of_quantiles(*link.ends(outputs), truth, weight, n_rows)
        if isinstance(link, ValueLink):
            return HeldOutErrors.of_values(outputs, truth, weight, n_rows, spread)
        if not isinstance(link, OrderedLink):  # with the correction for one part, sets are larger than needed
            n_rows = float(max(len(weight), weight.sum()))
        return HeldOutErrors.of_classes(outputs, truth, weight, n_rows)

    def calibrate(self, model: MapModel, keep_weights: bool = False) -> "tuple[MapModel, HeldOut]":
        """Return a model whose probabilities are calibrated, and the predictions calibrated likewise.

        One factor, fitted to the held-out predictions, multiplies the scores of a softmax (their gain), or the log-odds
        of a single output (its weights and bias). Predicted classes do not change, except that a single output of a
        full map also influences itself, so that a few rows near the boundary may. A model of values is returned as it
        is; so is one with a single output if its map is structured, or if its weights must be kept.
        """
        link = model.link
        if isinstance(link, SoftmaxLink):
            factor = self._factor(0.5 * link.gain * np.tanh(self.net))
            return replace(model, link=replace(link, gain=link.gain * factor)), self
        if not isinstance(link, LogOddsLink) or isinstance(model.map, StructuredMap) or keep_weights:
            return model, self
        factor = self._factor(np.concatenate([np.zeros_like(self.net), 2.0 * self.net]))
        weights, bias = model.map.weights.copy(), model.map.bias.copy()
        weights[-1] *= factor
        bias[-1] = 0.5 + (bias[-1] - 0.5) * factor  # the sigmoid is 0.5 at 0.5
        fcm = model.map.replace(weights=weights, bias=bias)
        return replace(model, map=fcm), replace(self, net=self.net * factor)

    def _factor(self, scores: Net) -> float:
        return confidence_factor(scores.T, cast(NDArray[np.intp], self.truth), self.weight)
