"""A trained map with the table it is for: from raw rows to what the map says about them."""

import os
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from cogmap.estimators._base import BaseFCM
from cogmap.estimators._validation import input_names
from cogmap.exceptions import DataError
from cogmap.models.links import ClassLink
from cogmap.models.model import MapModel
from cogmap.persistence import load, read_card
from cogmap.table.preparation import NumberColumn, TablePreparer
from cogmap.table.targets import CLASSES, VALUES, Target, known_rows


class Said(NamedTuple):
    """What a map says about some rows.

    Attributes
    ----------
    features : ndarray of shape (n_rows, n_features)
        The rows as numbers.
    outputs : ndarray of shape (n_rows, n_outputs)
        Probabilities of the classes, or values.
    labels : ndarray of shape (n_rows,)
        The predicted classes, or the values.
    faults : dict of int to str
        Rows about which nothing can be said, with the reason.
    unseen : dict of str to dict
        Per column the categories that are new, with their numbers of rows.
    """

    features: NDArray[np.float64]
    outputs: NDArray[np.floating]
    labels: NDArray[Any]
    faults: dict[int, str]
    unseen: dict[str, dict[str, int]]


@dataclass(frozen=True)
class TableModel:
    """A preparer and a fitted map, with the card that tells of them.

    Attributes
    ----------
    preparer : TablePreparer
        How a raw row becomes numbers.
    estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
        The map, fitted.
    card : dict
        What is told about it; empty if nothing is.
    """

    preparer: TablePreparer
    estimator: Any
    card: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Load a model from its file, also one that was saved in Python without a preparer."""
        if not os.path.exists(path):
            raise DataError(f"There is no model {os.fspath(path)}. `cogmap fit` makes one.")
        found, card = load(path), read_card(path)
        if isinstance(found, Pipeline) and isinstance(found.steps[0][1], TablePreparer):
            return cls(found.steps[0][1], found.steps[-1][1], card)
        if isinstance(found, BaseFCM):
            return cls(_numbers_only(found), found, card)
        raise DataError(
            f"{os.fspath(path)} holds a {type(found).__name__}, which does not say how the rows of a table enter it."
        )

    @property
    def pipeline(self) -> Pipeline:
        """The preparer and the map as one estimator."""
        return Pipeline([("prepare", self.preparer), ("map", self.estimator)])

    @property
    def model(self) -> MapModel:
        """The map with all that is needed to compute what it says."""
        return self.estimator.model_

    @property
    def classes(self) -> list[str] | None:
        """The classes as texts; None if values are predicted."""
        link = self.model.link
        return [str(label) for label in link.classes] if isinstance(link, ClassLink) else None

    @property
    def outputs(self) -> list[str]:
        """Names of what is said: classes, or targets."""
        return self.classes or [str(name) for name in self.model.link.names]

    @property
    def target(self) -> Target:
        """What is predicted; a model that was saved in Python does not know its name."""
        if "target" in self.card:
            return Target.from_state(self.card["target"])
        if self.classes:
            return Target("target", CLASSES, "")
        return Target("target", VALUES, "", NumberColumn("target", ("target",)))

    def explored(self, frame: Any) -> tuple[Any, NDArray[Any] | None]:
        """Return the rows that a page can show, and their truth if the frame has it: then only where it is known."""
        name = self.target.name
        if name not in frame.columns:
            return frame, None
        truth = self.target.read(frame[name])
        known = known_rows(truth)
        if self.classes:
            known &= np.isin(truth.astype(str), self.classes)
        return frame.loc[known].drop(columns=[name]), truth[known]

    @property
    def texts(self) -> list[str]:
        """Names of columns that are to be read as text: what looks like a number there may be none."""
        return [c.name for c in self.preparer.columns_ if c.kind != "number" or c.decimal != "." or c.unit]  # type: ignore[attr-defined]

    def say(self, frame: Any, faults: dict[int, str]) -> Said:
        """Return what the map says about the rows of a frame that is arranged.

        Parameters
        ----------
        frame : pandas.DataFrame
            Rows, with the columns that `TablePreparer.arranged` gives.
        faults : dict of int to str
            Rows that are known to be wrong already.
        """
        reading = self.preparer.read(frame)
        features = reading.features
        empty = np.flatnonzero(np.isnan(features).all(axis=1))
        wrong = dict.fromkeys(empty.tolist(), "every value is missing") | reading.faults | faults
        if wrong:
            features[list(wrong)] = np.nan
        outputs = self.model.outputs(features) if len(features) else np.empty((0, len(self.outputs)))
        if self.classes is None:
            labels = outputs[:, 0]
        else:
            # As `predict` decides: of two classes that are equal the second.
            number = outputs[:, 1] >= outputs[:, 0] if len(self.classes) == 2 else outputs.argmax(axis=1)
            labels = np.array(self.classes, dtype=object)[number.astype(int)]
        return Said(features, outputs, labels, wrong, reading.unseen)


def _numbers_only(estimator: BaseFCM) -> TablePreparer:
    """Return a preparer for a map of columns that are all numbers."""
    names = input_names(estimator)
    preparer = TablePreparer()
    preparer.n_features_in_, preparer.feature_names_in_ = len(names), np.array(names, dtype=object)
    preparer.columns_, preparer.left_out_ = tuple(NumberColumn(name, (name,)) for name in names), {}
    return preparer
