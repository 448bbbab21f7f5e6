"""How sure a model of raw tables is: intervals, sets of classes, and the novelty of rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.estimators._uncertainty import held_out_errors, known, value_intervals
from cogmap.exceptions import DataError
from cogmap.models.links import LabelsLink, ValueLink
from cogmap.statistics.conformal import check_level
from cogmap.statistics.novelty import RowDistances
from cogmap.table.predictions import Predictions


class UncertaintyMixin:
    """The questions how sure a `TableModel` is of its predictions."""

    estimator: Any

    def _complete(self, rows: Any) -> Predictions:
        raise NotImplementedError

    def predict_interval(self, rows: Any, level: float = 0.9) -> NDArray[np.floating]:
        """Predict an interval for each raw row that contains the true value with a given probability.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.
        level : float, default=0.9
            Share of rows whose value is to lie in the interval, see `FCMRegressor.predict_interval`.

        Returns
        -------
        ndarray of shape (n_rows, 2), or (n_rows, n_targets, 2) if there are several targets
            Lower and upper ends.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from cogmap import FCMRegressor, TableModel
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> model = TableModel.of(FCMRegressor(structure="additive", random_state=0).fit(X, y))
        >>> model.predict_interval(X[:3], level=0.8).shape
        (3, 2)
        >>> bool(model.novelty_p_values(X[:1])[0] > 0.05)
        True
        >>> model.intervals(model.answer(X[:3]), level=0.8).shape
        (3, 1, 2)
        """
        intervals = self.intervals(self._complete(rows), level)
        return intervals[:, 0] if intervals.shape[1] == 1 else intervals

    def predict_set(self, rows: Any, level: float = 0.9) -> list[list[Any]]:
        """Predict a set of classes for each raw row that contains the true class with a given probability.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.
        level : float, default=0.9
            Share of rows whose class is to belong to the set, see `FCMClassifier.predict_set`.

        Returns
        -------
        list of list
            Classes of each set, the likeliest first.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier, TableModel
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = TableModel.of(FCMClassifier(structure="additive", random_state=0).fit(X, y))
        >>> model.predict_set(X.iloc[[0, 70]], level=0.99)
        [[0], [2, 1]]
        >>> model.class_sets(model.answer(X[:1]), level=0.99)
        [[0]]
        """
        return self.class_sets(self._complete(rows), level)

    def novelty_p_values(self, rows: Any) -> NDArray[np.float64]:
        """Return how usual each raw row is, see `FCMClassifier.novelty_p_values`.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Conformal p-values; 0.01 or less means that the row is unlike the training data.
        """
        predictions = self._complete(rows)
        known(self.estimator, "row_distances_", "novelty_p_values", "distances of the training rows")
        return np.asarray(predictions.p_values)

    def intervals(self, predictions: Predictions, level: float) -> NDArray[np.floating]:
        """Return the intervals of given predictions.

        Parameters
        ----------
        predictions : Predictions
            Result of `answer`.
        level : float
            Share of rows whose value is to lie in the interval.

        Returns
        -------
        ndarray of shape (n_rows, n_targets, 2)
            Lower and upper ends.
        """
        level = check_level("TableModel.predict_interval", level)
        self._check_kind(True, "This model predicts classes, which have no interval: use `predict_set`.")
        errors = held_out_errors(self.estimator, "predict_interval")
        return value_intervals(self._link, errors, predictions.outputs, level)

    def class_sets(self, predictions: Predictions, level: float) -> list[list[Any]]:
        """Return the sets of classes of given predictions.

        Parameters
        ----------
        predictions : Predictions
            Result of `answer`.
        level : float
            Share of rows whose class is to belong to the set.

        Returns
        -------
        list of list
            Classes of each set, the likeliest first.
        """
        level = check_level("TableModel.predict_set", level)
        self._check_kind(False, "This model predicts values, which have no set of classes: use `predict_interval`.")
        link = self._link
        sets = held_out_errors(self.estimator, "predict_set").sets(predictions.outputs, level)
        orders = np.argsort(-predictions.outputs, axis=1, kind="stable")
        return [link.classes[order[of_row[order]]].tolist() for order, of_row in zip(orders, sets, strict=True)]

    def _check_kind(self, of_values: bool, message: str) -> None:
        """Raise if this is not the kind of model that is asked about."""
        if isinstance(self._link, LabelsLink):
            raise DataError("This model predicts several labels: use `predict_set` of its estimator.")
        if isinstance(self._link, ValueLink) != of_values:
            raise DataError(message)

    @property
    def _link(self) -> Any:
        return getattr(self.estimator, "model_", self.estimator).link

    def _novelty(self, features: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, float]:
        """Return the p-values of rows and the largest one that calls for a warning; None and 0 if unknown."""
        distances: RowDistances | None = getattr(self.estimator, "row_distances_", None)
        return (None, 0.0) if distances is None else (distances.p_values(features), distances.strange)
