"""`Predictions` for raw rows, and conversion of raw rows to data frames."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap.exceptions import DataError
from cogmap.table.preparation.reading import unseen_notes

EMPTY = "every value is missing"
STRANGE = "unlike the training data"


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
    p_values : ndarray of shape (n_rows,), optional
        How usual each row is, see `FCMClassifier.novelty_p_values`; None if the model does not know.
    warn_at : float
        Largest p-value that calls for a warning.

    See Also
    --------
    cogmap.TableModel.answer : Returns predictions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, TableModel
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = TableModel.of(FCMClassifier(structure="additive", random_state=0).fit(X, y))
    >>> predictions = model.answer(X[:2] + 100)
    >>> predictions.check_complete()  # every row has a prediction
    >>> predictions.notes(), predictions.row_notes()[0]
    (['Rows 1, 2 are unlike the training data.'], 'unlike the training data')
    """

    features: NDArray[np.float64]
    outputs: NDArray[np.floating]
    labels: NDArray[Any]
    faults: dict[int, str]
    empty: list[int]
    unseen: dict[str, dict[str, int]]
    p_values: NDArray[np.float64] | None = None
    warn_at: float = 0.0

    @property
    def strange(self) -> list[int]:
        """Indices of rows that are unlike the training data."""
        if self.p_values is None:
            return []
        return [row for row in np.flatnonzero(self.p_values <= self.warn_at).tolist() if row not in self.faults]

    def check_complete(self) -> None:
        """Raise DataError if a row has no prediction."""
        if self.faults:
            row, reason = min(self.faults.items())
            more = f" The same is true of {len(self.faults) - 1:,} more." if len(self.faults) > 1 else ""
            raise DataError(f"Row {row + 1} cannot be predicted: {reason}.{more} `answer` predicts the others.")

    def notes(self) -> list[str]:
        """Return notes on empty rows, on rows unlike the training data and on values not seen in training.

        Returns
        -------
        list of str
            Sentences.
        """
        notes = [f"{EMPTY[0].upper()}{EMPTY[1:]} in {_rows(self.empty)}."] if self.empty else []
        if strange := self.strange:
            notes.append(f"{_rows(strange).capitalize()} {'is' if len(strange) == 1 else 'are'} {STRANGE}.")
        return [*notes, *unseen_notes(self.unseen)]

    def row_notes(self) -> dict[int, str]:
        """Return a note for each row that cannot be predicted, is empty, or is unlike the training data.

        Returns
        -------
        dict of int to str
            Notes by row.
        """
        return dict.fromkeys(self.strange, STRANGE) | dict.fromkeys(self.empty, EMPTY) | self.faults


def _rows(rows: list[int]) -> str:
    numbers = ", ".join(str(row + 1) for row in rows[:5]) + (", ..." if len(rows) > 5 else "")
    return f"row {numbers}" if len(rows) == 1 else f"rows {numbers}"
