"""Conformal prediction: errors on held-out rows turned into intervals of values and sets of classes.

The errors of a model on rows that it was not trained on show how far its predictions for new rows may be off. If new
rows are like the held-out ones, a share `level` of them has an error of at most the quantile `level` of the held-out
errors. Errors of values are divided by a typical error that depends on the prediction, so that intervals are wider
where predictions were less accurate.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_number

Array = NDArray[np.floating]

N_QUANTILES = 400
_SPREAD_ROWS = 300.0  # as many rows without any dependence on the prediction are added when the spread is estimated
MOST_CHANGE = 1.5  # of the logarithm of the typical error
_SMALLEST = 1e-3  # errors below this share of the median count as this: logarithms of tiny ones are noise


def check_level(owner: str, level: object) -> float:
    """Return the level if it is a number between 0 and 1."""
    number = float(level) if isinstance(level, int | float) else 0.0
    cure = f"For {number:g} %, use {number / 100:g}." if 1.0 < number < 100.0 else ""
    return check_number(owner, "level", level, low=0.0, high=1.0, low_included=False, high_included=False, cure=cure)


@dataclass(frozen=True, eq=False)
class HeldOutErrors:
    """Distribution of the errors on held-out rows.

    Attributes
    ----------
    quantiles : ndarray of shape (400, n_columns)
        Quantiles of the errors, at levels of 0.0025 to 1. For classes there is one column: an error is 1 minus the
        probability of the true class. For labels there is one column per label: an error is 1 minus the probability
        of what is true of it. For values there is one column per target: an error is the absolute difference, divided
        by the typical error. For predicted quantiles there are two columns per target: how far the value is below the
        lowest of them, and how far above the highest, which are negative for a value between both.
    n_rows : float
        Number of rows for which a quantile is corrected.
    spread : ndarray of shape (5, n_targets), optional
        For values, the typical error: with ``a, b, c, center, scale`` and ``z = (prediction - center) / scale``, it is
        ``exp(a + b z + c |z|)``, where ``b z + c |z|`` is clipped to [-1.5, 1.5].

    See Also
    --------
    cogmap.FCMClassifier.predict_set :
        Return for each row the set of classes that contains the true class with a given probability.
    cogmap.FCMRegressor.predict_interval :
        Return an interval around each prediction that contains the true value with a given probability.
    RowDistances : Squared Mahalanobis distances of the training rows from their mean, with a shrunk covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap.statistics import HeldOutErrors
    >>> predictions = np.linspace(0, 10, 101)[:, None]
    >>> values = predictions + np.resize([1.0, -1.0], (101, 1))
    >>> errors = HeldOutErrors.of_values(predictions, values, np.ones(101), 101)
    >>> errors.intervals(np.array([[5.0]]), np.array([[5.0]]), level=0.9).round(3)
    array([[[4., 6.]]])

    Errors of class probabilities, here of predictions that are right with 0.8, or with 0.6 in one of four rows:

    >>> probabilities = np.array([[0.8, 0.2], [0.2, 0.8], [0.8, 0.2], [0.6, 0.4]])
    >>> errors = HeldOutErrors.of_classes(probabilities, np.array([0, 1, 0, 0]), np.ones(4), 4)
    >>> errors.quantile(0.5).round(2), errors.quantile(0.9).round(2)
    (array([0.2]), array([0.4]))
    >>> errors.sets(np.array([[0.9, 0.1], [0.55, 0.45]]), level=0.9)
    array([[ True, False],
           [ True, False]])
    >>> others = HeldOutErrors.of_classes(probabilities[3:], np.array([1]), np.ones(1), 1)
    >>> errors.at_least(others).quantile(0.5).round(2)
    array([0.6])
    """

    quantiles: NDArray[np.float32]
    n_rows: float
    spread: NDArray[np.float64] | None = None

    @classmethod
    def of_classes(
        cls, probabilities: Array, codes: NDArray[np.integer], weight: Array, n_rows: float
    ) -> "HeldOutErrors":
        """Return the errors of class probabilities.

        Parameters
        ----------
        probabilities : ndarray of shape (n_held_out, n_classes)
            Predicted probabilities.
        codes : ndarray of int of shape (n_held_out,)
            Column of the true class.
        weight : ndarray of shape (n_held_out,)
            Weights of the rows.
        n_rows : float
            Number of rows for which a quantile is corrected.

        Returns
        -------
        HeldOutErrors
            Distribution of 1 minus the probability of the true class.
        """
        errors = 1.0 - probabilities[np.arange(len(codes)), codes]
        return cls(_quantiles(errors[:, None], weight), n_rows)

    @classmethod
    def of_labels(cls, probabilities: Array, labels: Array, weight: Array, n_rows: float) -> "HeldOutErrors":
        """Return the errors of the probabilities of labels.

        Parameters
        ----------
        probabilities : ndarray of shape (n_held_out, n_labels)
            Predicted probability that each label applies.
        labels : ndarray of shape (n_held_out, n_labels)
            1 where it applies, 0 elsewhere.
        weight : ndarray of shape (n_held_out,)
            Weights of the rows.
        n_rows : float
            Number of rows for which a quantile is corrected.

        Returns
        -------
        HeldOutErrors
            Distribution of 1 minus the probability of what is true of each label.

        Examples
        --------
        >>> import numpy as np
        >>> from cogmap.statistics import HeldOutErrors
        >>> labels = np.array([[1, 0], [0, 0], [1, 1]])
        >>> HeldOutErrors.of_labels(np.abs(labels - 0.25), labels, np.ones(3), 3).quantile(0.5)
        array([0.25, 0.25])
        """
        return cls(_quantiles(np.abs(labels - probabilities), weight), n_rows)

    @classmethod
    def of_quantiles(cls, low: Array, high: Array, values: Array, weight: Array, n_rows: float) -> "HeldOutErrors":
        """Return the errors of predicted quantiles (conformalized quantile regression).

        Parameters
        ----------
        low, high : ndarray of shape (n_held_out, n_targets)
            Lowest and highest predicted quantile of each target.
        values : ndarray of shape (n_held_out, n_targets)
            True values.
        weight : ndarray of shape (n_held_out,)
            Weights of the rows.
        n_rows : float
            Number of rows for which a quantile is corrected.

        Returns
        -------
        HeldOutErrors
            Distribution of the distances below `low` and above `high`.

        References
        ----------
        Y. Romano, E. Patterson, E. Candes, Conformalized quantile regression, NeurIPS 2019.

        Examples
        --------
        Values lie 0.5 outside of the predicted range, so that it must be wider by 0.5 on both sides:

        >>> import numpy as np
        >>> from cogmap.statistics import HeldOutErrors
        >>> low, high = np.zeros((4, 1)), np.ones((4, 1))
        >>> values = np.array([[-0.5], [1.5], [-0.5], [1.5]])
        >>> HeldOutErrors.of_quantiles(low, high, values, np.ones(4), 4).quantile(0.9)
        array([0.5, 0.5])
        """
        return cls(_quantiles(np.concatenate([low - values, values - high], axis=1), weight), n_rows)

    @classmethod
    def of_values(
        cls, predictions: Array, values: Array, weight: Array, n_rows: float, spread: NDArray[np.float64] | None = None
    ) -> "HeldOutErrors":
        """Return the errors of predicted values.

        Parameters
        ----------
        predictions : ndarray of shape (n_held_out, n_targets)
            Predicted values.
        values : ndarray of shape (n_held_out, n_targets)
            True values.
        weight : ndarray of shape (n_held_out,)
            Weights of the rows.
        n_rows : float
            Number of rows for which a quantile is corrected.
        spread : ndarray of shape (5, n_targets), default=None
            The typical error. If None, it is fitted to these errors.

        Returns
        -------
        HeldOutErrors
            Distribution of the absolute differences, divided by the typical error.
        """
        errors = np.abs(values - predictions)
        if spread is None:
            columns = zip(predictions.T, errors.T, values.T, strict=True)
            rows = weight * max(1.0, len(weight) / weight.sum())  # weights are numbers of rows, unless they are smaller
            spread = np.stack([_spread(*column, rows) for column in columns], axis=1)
        return cls(_quantiles(errors / _typical(spread, predictions), weight), n_rows, spread)

    def at_least(self, other: "HeldOutErrors") -> "HeldOutErrors":
        """Return the errors, with every quantile at least as large as that of other predictions.

        Parameters
        ----------
        other : HeldOutErrors
            Errors of the other predictions, with the same typical error.

        Returns
        -------
        HeldOutErrors
            A copy with larger quantiles where the other predictions were less accurate.
        """
        return replace(self, quantiles=np.maximum(self.quantiles, other.quantiles))

    def quantile(self, level: float) -> NDArray[np.float64]:
        """Return the error that a share `level` of new rows does not exceed, for each column.

        The share is increased from `level` to ``level * (1 + 1 / n_rows)``, the correction for a sample of `n_rows`
        rows. Except for classes without an order, these are the rows of one held-out part rather than of all, because
        each part was also used to stop the training without it. It is the largest error if this share is above 1.

        Parameters
        ----------
        level : float
            Share of rows, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_columns,)
            The corrected quantile of each column.
        """
        rank = math.ceil(level * (1.0 + 1.0 / self.n_rows) * N_QUANTILES - 1e-9)
        return np.asarray(self.quantiles[min(max(rank, 1), N_QUANTILES) - 1], dtype=np.float64)

    def intervals(self, low: Array, high: Array, level: float) -> Array:
        """Return the interval of each target.

        Parameters
        ----------
        low, high : ndarray of shape (n_rows, n_targets)
            Lowest and highest predicted quantile of each target; both are the prediction if it is no quantile.
        level : float
            Share of rows whose value is to lie in its interval.

        Returns
        -------
        ndarray of shape (n_rows, n_targets, 2)
            Lower and upper ends.
        """
        with np.errstate(over="ignore"):  # extreme extrapolation
            if self.spread is not None:
                half = _typical(self.spread, low) * self.quantile(level)
                return np.stack([low - half, high + half], axis=-1)
            below, above = self.quantile((1.0 + level) / 2.0).reshape(2, -1)  # half of the misses on each side
            # Errors are negative where predicted quantiles were too far apart: narrowed, they may cross.
            return np.sort(np.stack([low - below, high + above], axis=-1), axis=-1)

    def sets(self, probabilities: Array, level: float) -> NDArray[np.bool_]:
        """Return which classes belong to the set of each row: the likely ones, and at least the likeliest.

        Parameters
        ----------
        probabilities : ndarray of shape (n_rows, n_classes) or (n_rows, n_labels, 2)
            Predicted probabilities of the classes, or that each label does not and does apply.
        level : float
            Share of rows whose class is to belong to its set, for each label.

        Returns
        -------
        ndarray of bool, of the same shape
            True for the classes of each set.
        """
        likeliest = probabilities.max(axis=-1, keepdims=True)
        return np.asarray(probabilities >= np.minimum(1.0 - self.quantile(level)[:, None], likeliest))


def _quantiles(errors: Array, weight: Array) -> NDArray[np.float32]:
    """Return the quantiles of each column."""
    return np.stack([weighted_quantiles(column, weight) for column in errors.T], axis=1)


def weighted_quantiles(values: Array, weight: Array) -> NDArray[np.float32]:
    """Return the quantiles at levels of 0.0025 to 1: the smallest value that is large enough."""
    levels = np.arange(1, N_QUANTILES + 1) / N_QUANTILES
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order])
    places = np.searchsorted(share, levels * share[-1] * (1.0 - 1e-12))
    return np.asarray(values[order][np.minimum(places, len(order) - 1)], dtype=np.float32)


def _spread(predictions: Array, errors: Array, values: Array, weight: Array) -> NDArray[np.float64]:
    """Fit the logarithm of the errors by ridge regression on the prediction and its absolute deviation."""
    center = float(np.average(predictions, weights=weight))
    away = np.abs(predictions - center)
    peak = float(away.max()) or 1.0  # squares of very large numbers would overflow
    scale = peak * math.sqrt(float(np.average(np.square(away / peak), weights=weight))) or 1.0
    median = weighted_quantiles(errors, weight)[N_QUANTILES // 2 - 1]
    least = _SMALLEST * float(median) or 1e-12 * (float(np.abs(values).max()) or 1.0)
    logs = np.log(np.maximum(errors, least))
    z = (predictions - center) / scale
    terms = np.stack([z, np.abs(z)], axis=1)
    means = np.average(terms, axis=0, weights=weight)
    centered = terms - means
    products = (centered * weight[:, None]).T @ centered
    products[np.diag_indices(2)] += _SPREAD_ROWS * np.maximum(np.diag(products) / weight.sum(), 1e-12)
    mean = float(np.average(logs, weights=weight))
    slopes = np.linalg.solve(products, (centered * weight[:, None]).T @ (logs - mean))
    return np.array([mean - slopes @ means, *slopes, center, scale])


def _typical(spread: NDArray[np.float64], predictions: Array) -> Array:
    """Return the typical error of each prediction."""
    base, linear, absolute, center, scale = spread
    z = (predictions - center) / scale
    change: Array = np.clip(linear * z + absolute * np.abs(z), -MOST_CHANGE, MOST_CHANGE)
    return np.asarray(np.exp(base + change))
