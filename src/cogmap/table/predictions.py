"""Raw rows as data frames, and predictions for them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import param_error
from cogmap.table.columns.texts import pandas
from cogmap.table.preparation.reading import unseen_notes

EMPTY = "every value is missing"


class Predictions(NamedTuple):
    """Predictions for some rows.

    Attributes
    ----------
    features : ndarray of shape (n_rows, n_features)
        The rows as numbers.
    outputs : ndarray of shape (n_rows, n_outputs)
        Probabilities of the classes, or values.
    labels : ndarray of shape (n_rows,)
        The predicted classes, or the values of the first target.
    faults : dict of int to str
        Rows without a prediction, with the reason; counted from 0.
    empty : list of int
        Rows in which every value is missing: they get the prediction of a row about which nothing is known.
    unseen : dict of str to dict
        Per column the values that were not seen in training, with their numbers of rows.
    """

    features: NDArray[np.float64]
    outputs: NDArray[np.floating]
    labels: NDArray[Any]
    faults: dict[int, str]
    empty: list[int]
    unseen: dict[str, dict[str, int]]

    def notes(self) -> list[str]:
        """Return sentences about empty rows and about values that were not seen in training."""
        if not self.empty:
            return unseen_notes(self.unseen)
        rows = ", ".join(str(row + 1) for row in self.empty[:5]) + (", ..." if len(self.empty) > 5 else "")
        which = f"row {rows}" if len(self.empty) == 1 else f"rows {rows}"
        return [f"{EMPTY[0].upper()}{EMPTY[1:]} in {which}.", *unseen_notes(self.unseen)]


def as_frame(rows: Any) -> Any:
    """Return rows as a pandas data frame."""
    if isinstance(rows, pandas.DataFrame):
        return rows
    if isinstance(rows, pandas.Series):
        return rows.to_frame().T.infer_objects()
    if hasattr(rows, "to_pandas") and not hasattr(rows, "to_dict"):  # pyarrow
        return rows.to_pandas()
    if hasattr(rows, "columns"):  # polars
        return pandas.DataFrame(rows.to_dict(as_series=False))
    if isinstance(rows, Mapping):
        rows = [rows]
    if isinstance(rows, Sequence) and all(isinstance(row, Mapping) for row in rows):
        return pandas.DataFrame(rows)
    raise param_error("TableModel", "rows", "a data frame, a dict, or a list of dicts", rows)
