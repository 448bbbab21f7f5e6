"""How sure a fitted map is: intervals of values, sets of classes, and the novelty of rows."""

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap.estimators._prediction import FittedMap
from cogmap.exceptions import DataError
from cogmap.models.links import LabelsLink, ValueLink
from cogmap.models.model import dense
from cogmap.statistics.conformal import HeldOutErrors, check_level
from cogmap.statistics.novelty import RowDistances


class NoveltyMixin(FittedMap):
    """Mixin for estimators that know how far their training rows were from the mean."""

    row_distances_: RowDistances

    def novelty_p_values(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return how usual each row is: the share of training rows at least as far from the mean of the training data.

        The distance is a Mahalanobis distance of the features. If rows come from the same source as the training
        rows, at most a share p of them gets a p-value of p or less (up to the resolution of 0.0025). A p-value of 0.01
        or less thus means that the row is unlike the training data, where predictions and intervals mean little.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Conformal p-values, above 0 and at most 1.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
        >>> bool(fcm.novelty_p_values(X[:1])[0] > 0.1), bool(fcm.novelty_p_values(X[:1] + 10)[0] < 0.01)
        (True, True)
        """
        fitted, X = self._snapshot(X)
        distances = known(fitted, "row_distances_", "novelty_p_values", "distances of the training rows")
        return cast(RowDistances, distances).p_values(dense(X))


class IntervalMixin(NoveltyMixin):
    """Mixin for regressors with prediction intervals."""

    held_out_errors_: HeldOutErrors

    def predict_interval(self, X: ArrayLike, level: float = 0.9) -> NDArray[np.floating]:
        """Return an interval around each prediction that contains the true value with a given probability.

        Intervals are cross-conformal: as wide as the errors that the teachers made on the rows that each of them left
        out, and wider where predictions of that size were less accurate. They hold on average over rows like those of
        the training data, not for every single row. The guarantee is approximate, because a teacher also stops
        training by the rows that it leaves out, and because the predictions are those of the map rather than those of
        the teachers, which have seen fewer rows.

        With ``loss="quantile"``, the interval reaches from the lowest to the highest of the predicted quantiles, moved
        outward or inward so that half of the other values are below and half above (conformalized quantile
        regression). Intervals of counts and amounts do not reach below 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        level : float, default=0.9
            Share of rows whose value is to lie in the interval.

        Returns
        -------
        ndarray of shape (n_samples, 2), or (n_samples, n_targets, 2) if `y` had columns
            Lower and upper ends. Several quantiles of one target have one interval.

        See Also
        --------
        predict : The middle of the interval, except for quantiles, and where the interval ends at 0.
        novelty_p_values : Whether a row is like the training data.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from cogmap import FCMRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> low, high = FCMRegressor(structure="additive", random_state=0).fit(X, y).predict_interval(X, level=0.8).T
        >>> bool(0.75 < ((low <= y) & (y <= high)).mean() < 0.9)
        True
        """
        level = check_level(f"{type(self).__name__}.predict_interval", level)
        fitted, X = self._snapshot(X)
        errors = held_out_errors(fitted, "predict_interval")
        link = cast(ValueLink, fitted.model_.link)
        intervals = value_intervals(link, errors, fitted.model_.outputs(X), level)
        return intervals[:, 0] if link.one_dimensional or link.n_outputs > intervals.shape[1] else intervals


class SetMixin(NoveltyMixin):
    """Mixin for classifiers with sets of classes."""

    held_out_errors_: HeldOutErrors

    def predict_set(self, X: ArrayLike, level: float = 0.9) -> NDArray[np.bool_]:
        """Return for each row the set of classes that contains the true class with a given probability.

        Sets are cross-conformal: a class belongs to the set if its probability is at least as large as that of the true
        class was in a share `level` of the rows that a teacher left out. The predicted class always belongs to it. As
        for `FCMRegressor.predict_interval`, the guarantee is approximate and holds on average over rows like those of
        the training data, with their weights. For several labels, each label has a set: it does not apply, it does, or
        either is possible; the level is that of each label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        level : float, default=0.9
            Share of rows whose class is to belong to the set.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes), or (n_samples, n_labels, 2) for several labels
            In the order of `classes_`; of each label, whether 0 is possible and whether 1 is.

        See Also
        --------
        novelty_p_values : Whether a row is like the training data.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
        >>> fcm.predict_set(X[[0, 70]], level=0.99)  # row 70 may be of class 1 or 2
        array([[ True, False, False],
               [False,  True,  True]])
        """
        level = check_level(f"{type(self).__name__}.predict_set", level)
        fitted, X = self._snapshot(X)
        errors, p = held_out_errors(fitted, "predict_set"), fitted.model_.outputs(X)
        return errors.sets(np.stack([1.0 - p, p], axis=-1) if isinstance(fitted.model_.link, LabelsLink) else p, level)


def value_intervals(
    link: ValueLink, errors: HeldOutErrors, outputs: NDArray[np.floating], level: float
) -> NDArray[np.floating]:
    """Return the intervals of predicted values, of shape (n_rows, n_targets, 2)."""
    return np.maximum(errors.intervals(*link.ends(outputs), level), link.least)


def held_out_errors(fitted: Any, method: str) -> HeldOutErrors:
    """Return the held-out errors of an estimator; raise if there were no teachers."""
    errors = known(fitted, "held_out_errors_", method, "held-out predictions of teachers")
    return cast(HeldOutErrors, errors)


def known(fitted: Any, attribute: str, method: str, what: str) -> Any:
    """Return a fitted attribute that not every model has."""
    if hasattr(fitted, attribute):
        return getattr(fitted, attribute)
    raise DataError(
        f"`{type(fitted).__name__}.{method}` needs the {what}, which this model does not have: it was trained without "
        "teachers or by partial_fit, or comes from an older file. Fit it again, with n_teachers='auto'."
    )
