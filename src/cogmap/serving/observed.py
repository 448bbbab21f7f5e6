"""Counters about predicted rows, from which an operator sees drift: classes, missing values, values out of range."""

import threading
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.models.links import ValueLink
from cogmap.serving.metrics import Samples, histogram, sample
from cogmap.table.columns import spans
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions

_REQUESTS_AT_ONCE = 256  # counting rows together takes a fraction of the time
_MAX_OUTPUTS = 100  # labels of classes and targets; metrics with more would burden Prometheus
_SHARES = tuple(k / 10 for k in range(1, 10))  # bounds of probabilities
_DEVIATIONS = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)  # bounds of values, around the training mean


class Observed:
    """Counters about the predictions of a model. Thread-safe.

    Parameters
    ----------
    name : str
        Name of the model.
    model : TableModel
        The model.
    previous : Observed, default=None
        Counters of the model that this one replaces, to be continued.
    """

    def __init__(self, name: str, model: TableModel, previous: "Observed | None" = None) -> None:
        self._lock: threading.Lock = threading.Lock() if previous is None else previous._lock
        self._totals: Counter[str] = Counter() if previous is None else previous._totals
        if previous is not None:
            previous.fold()
        self._name = name
        self._columns = model.columns
        self._starts = [span.start for span in spans(model.preparer.columns_)]
        self._low, self._high = _ranges(model)
        self._outputs = model.outputs[:_MAX_OUTPUTS]
        link: Any = model.model.link
        self._classes = None if isinstance(link, ValueLink) else link.classes
        if isinstance(link, ValueLink):
            centre, scale = np.asarray(link.mean), np.asarray(link.deviation)
            self._bounds = [tuple((c + s * np.array(_DEVIATIONS)).tolist()) for c, s in zip(centre, scale, strict=True)]
        self._pending: list[Predictions] = []

    def add(self, predictions: Predictions) -> bool:
        """Keep predictions to be counted later; return whether there are enough to call `fold`."""
        self._pending.append(predictions)
        return len(self._pending) >= _REQUESTS_AT_ONCE or len(predictions.labels) >= _REQUESTS_AT_ONCE

    def samples(self) -> Samples:
        """Return the counters."""
        self.fold()
        with self._lock:
            return dict(self._totals)

    def fold(self) -> None:
        """Count all predictions that were kept; takes about half a millisecond per thousand rows."""
        with self._lock:
            pending, self._pending = self._pending, []
            if pending:
                self._fold(pending)

    def _fold(self, pending: list[Predictions]) -> None:
        features = np.concatenate([one.features for one in pending])
        outputs = np.concatenate([one.outputs for one in pending])
        unseen: Counter[str] = Counter()
        for one in pending:
            for column, counts in one.unseen.items():
                unseen[column] += sum(counts.values())
        self._count("cogmap_observed_rows_total", len(features))
        if n_strange := sum(len(one.strange) for one in pending):
            self._count("cogmap_strange_rows_total", n_strange)
        missing = np.isnan(features)
        if missing.any():
            of_columns = missing[:, self._starts].sum(axis=0) - [unseen[column] for column in self._columns]
            self._count_columns("cogmap_missing_values_total", of_columns)
        beyond = (features < self._low) | (features > self._high)
        if beyond.any():
            of_columns = np.logical_or.reduceat(beyond, self._starts, axis=1).sum(axis=0)
            self._count_columns("cogmap_outside_values_total", of_columns)
        for column, n_unseen in unseen.items():
            self._count("cogmap_unseen_values_total", n_unseen, column=column)
        self._count_outputs(outputs, np.concatenate([one.labels for one in pending]))

    def _count_outputs(self, outputs: NDArray[np.floating], labels: NDArray[Any]) -> None:
        if self._classes is None:
            for output, bounds, values in zip(self._outputs, self._bounds, outputs.T, strict=False):
                self._count_values(output, bounds, values)
            return
        self._count_values("highest probability", _SHARES, outputs.max(axis=1))
        for label, number in Counter(labels.tolist()).items():
            known = str(label) if str(label) in self._outputs else "other"
            self._count("cogmap_predictions_total", number, **{"class": known})

    def _count_values(self, output: str, bounds: tuple[float, ...], values: NDArray[np.floating]) -> None:
        counts = np.bincount(np.searchsorted(bounds, values), minlength=len(bounds) + 1)
        labels = {"model": self._name, "output": output}
        self._totals.update(histogram("cogmap_prediction", bounds, counts.tolist(), float(values.sum()), labels))

    def _count_columns(self, name: str, counts: NDArray[np.integer]) -> None:
        for place in np.flatnonzero(counts):
            self._count(name, int(counts[place]), column=self._columns[place])

    def _count(self, name: str, number: int, **labels: str) -> None:
        self._totals[sample(name, model=self._name, **labels)] += number


def _ranges(model: TableModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lowest and highest training value of each feature of a number or date; infinite for others."""
    columns = model.preparer.columns_
    n_features = sum(len(column.outputs) for column in columns)
    low, high = np.full(n_features, -np.inf), np.full(n_features, np.inf)
    scaling = model.model.encoding.scaling
    for column, span in zip(columns, spans(columns), strict=True):
        if scaling is not None and column.kind in ("number", "date"):
            low[span], high[span] = scaling.known.low[span], scaling.known.high[span]
    return low, high
