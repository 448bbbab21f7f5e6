"""The part of a card about how sure the model is: certainty, errors, sets and intervals, and unusual rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.estimators._uncertainty import value_intervals
from cogmap.models.links import LabelsLink, ValueLink
from cogmap.statistics.conformal import HeldOutErrors
from cogmap.statistics.novelty import RowDistances
from cogmap.table.targets import CLASSES

LEVEL = 0.9  # of sets and intervals
_MAX_BINS, _MIN_BIN = 5, 30  # groups of held-out rows by certainty, and rows in each
_ROWS_LISTED = 10


def of_held_out(task: str, held_out: NDArray[np.float64]) -> dict[str, Any]:
    """Return how right answers were on held-out rows: by their probability, or quantiles of the errors."""
    if task == CLASSES:
        return {"certainty": _certainty(held_out)}
    quantiles = np.quantile(held_out[:, 0], [0.5, 0.9]).tolist()
    return {"errors": dict(zip(("median", "90 %"), quantiles, strict=True))}


def _certainty(held_out: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return how often the map was right on held-out rows, in groups by the probability of its answer.

    The groups have equally many rows; `from` is the lowest probability of a group.
    """
    order = np.argsort(held_out[:, 0], kind="stable")
    n_bins = min(max(len(order) // _MIN_BIN, 1), _MAX_BINS)
    return [
        {
            "from": float(group[0, 0]),
            "rows": len(group),
            "right": float(group[:, 1].mean()),
            "probability": float(group[:, 0].mean()),
        }
        for group in np.array_split(held_out[order], n_bins)
    ]


def of_rows(fcm: Any, features: NDArray[np.float64], numbers: NDArray[np.intp]) -> dict[str, Any]:
    """Return the part about rows of the table, whose numbers are given: sets or intervals, and unusual rows."""
    parts: dict[str, Any] = {}
    errors: HeldOutErrors | None = getattr(fcm, "held_out_errors_", None)
    link: Any = fcm.model_.link
    if errors is not None and not isinstance(link, LabelsLink):
        outputs = fcm.model_.outputs(features)
        if isinstance(link, ValueLink):
            ends = value_intervals(link, errors, outputs, LEVEL)[:, 0]
            parts["intervals"] = {"level": LEVEL, "width": float(np.median(ends[:, 1] - ends[:, 0]))}
        else:
            sizes = errors.sets(outputs, LEVEL).sum(axis=1)
            parts["sets"] = {"level": LEVEL, "single": float((sizes == 1).mean()), "size": float(sizes.mean())}
    distances: RowDistances | None = getattr(fcm, "row_distances_", None)
    if distances is not None:
        p_values = distances.p_values(features)
        strange = np.flatnonzero(p_values <= distances.strange)
        first = strange[np.argsort(p_values[strange], kind="stable")][:_ROWS_LISTED]
        parts["unusual"] = {"count": len(strange), "rows": np.sort(numbers[first]).tolist()}
    return parts
