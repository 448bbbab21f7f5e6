"""`Predictions` for raw rows, and conversion of raw rows to data frames."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap.exceptions import DataError
from cogmap.table.preparation.reading import unseen_notes

EMPTY = "every value is missing"


class Predictions(NamedTuple):
    """Predictions for raw rows.

    Attributes
    ----------
    features : ndarray of shape (n_rows, n_features)
        Features of the rows.
    outputs : ndarray of shape (n_rows, n_outputs)
        Class probabilities, or predicted values.
    labels : ndarray of shape (n_rows,)
        Predicted classes, or predicted values of the first target.
    faults : dict of int to str
        Indices of rows without a prediction, with the reason.
    empty : list of int
        Indices of rows in which every value is missing. They have a prediction, which uses none of the columns.
    unseen : dict of str to dict
        For each column, the values not seen in training, with their row counts.
    """

    features: NDArray[np.float64]
    outputs: NDArray[np.floating]
    labels: NDArray[Any]
    faults: dict[int, str]
    empty: list[int]
    unseen: dict[str, dict[str, int]]

    def check_complete(self) -> None:
        """Raise DataError if a row has no prediction."""
        if self.faults:
            row, reason = min(self.faults.items())
            more = f" The same is true of {len(self.faults) - 1:,} more." if len(self.faults) > 1 else ""
            raise DataError(f"Row {row + 1} cannot be predicted: {reason}.{more} `answer` predicts the others.")

    def notes(self) -> list[str]:
        """Return notes on empty rows and on values not seen in training."""
        if not self.empty:
            return unseen_notes(self.unseen)
        rows = ", ".join(str(row + 1) for row in self.empty[:5]) + (", ..." if len(self.empty) > 5 else "")
        which = f"row {rows}" if len(self.empty) == 1 else f"rows {rows}"
        return [f"{EMPTY[0].upper()}{EMPTY[1:]} in {which}.", *unseen_notes(self.unseen)]
