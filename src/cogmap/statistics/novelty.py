"""Novelty of rows: how far a row lies from the training data, as a conformal p-value."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap.statistics.conformal import Array, weighted_quantiles

STRANGE = 0.01  # p-values up to this one, or that of a row farther away than every training row, call for a warning
MAX_JOINT = 100  # features with a common covariance; more are compared one by one
_SHRINKAGE = 0.2  # share of the identity in the covariance: rare values of one feature must not hide others
_MOST_ROWS = 20_000
_RANGE_SHARE = 0.1  # a feature is divided by its deviation, but at least by this share of its range
_CONSTANT = 1e-9  # deviation of a constant feature, relative to its value
_FARTHEST = 1e100  # scaled values beyond this are set to it, so that squares do not overflow


@dataclass(frozen=True, eq=False)
class RowDistances:
    """Squared Mahalanobis distances of the training rows from their mean, with a shrunk covariance.

    The distance of a training row is computed without it. Missing values are replaced by the mean.

    Attributes
    ----------
    center, scale : ndarray of shape (n_features,)
        What is subtracted from each feature, and by what it is then divided.
    precision : ndarray of shape (n_features, n_features) or (n_features,)
        Inverse of the covariance of the scaled features, or of its diagonal for more than 100 features.
    quantiles : ndarray of shape (400,)
        Quantiles of the distances of the training rows, at levels of 0.0025 to 1.
    n_rows : float
        Number of training rows.

    See Also
    --------
    cogmap.FCMClassifier.novelty_p_values :
        Return how usual each row is: the share of training rows at least as far from the mean of the training data.
    HeldOutErrors : Distribution of the errors on held-out rows.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap.statistics import RowDistances
    >>> X = np.random.default_rng(0).normal(size=(99, 2))
    >>> distances = RowDistances.of(X)
    >>> distances.p_values(np.array([[0.0, 0.0], [9.0, 9.0]])).round(2)
    array([0.99, 0.01])
    >>> distances.narrowed(np.array([0])).p_values(np.array([[9.0]])).round(2)
    array([0.01])
    """

    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    precision: NDArray[np.float32]
    quantiles: NDArray[np.float32]
    n_rows: float

    @classmethod
    def of(cls, X: Array, weight: Array | None = None) -> "RowDistances":
        """Return the distances of training rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Features, with NaN for missing values.
        weight : ndarray of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        RowDistances
            Distribution of the distances of these rows.
        """
        n_rows = float(len(X)) if weight is None else max(float(len(X)), float(weight.sum()))
        chosen = np.linspace(0, len(X) - 1, min(len(X), _MOST_ROWS)).astype(np.intp)
        X = np.asarray(X[chosen], dtype=np.float64)
        share = np.ones(len(X)) if weight is None else weight[chosen]
        share = share / share.sum()
        known = ~np.isnan(X)
        X = np.where(known, X, 0.0)
        unit = np.abs(X).max(axis=0, initial=0.0)
        unit = np.where(unit > 0.0, unit, 1.0)
        X = X / unit  # squares of very large numbers would overflow
        total = np.maximum(share @ known, 1e-300)
        center = share @ X / total
        deviation = np.sqrt(share @ np.where(known, np.square(X - center), 0.0) / total)
        reach = np.where(known, X, -np.inf).max(axis=0) - np.where(known, X, np.inf).min(axis=0)
        scale = np.maximum(deviation, _RANGE_SHARE * np.where(np.isfinite(reach), reach, 0.0))
        scale = np.maximum(scale, _CONSTANT)
        Z = np.where(known, (X - center) / scale, 0.0)
        kept = 1.0 - _SHRINKAGE
        if Z.shape[1] <= MAX_JOINT:
            covariance = kept * (Z * share[:, None]).T @ Z + _SHRINKAGE * np.eye(Z.shape[1])
            precision = np.linalg.inv(covariance).astype(np.float32)
        else:
            precision = (1.0 / (kept * share @ np.square(Z) + _SHRINKAGE)).astype(np.float32)
        # Leaving a row out reduces the covariance by its outer product, and the distance d grows to d / (1 - share d).
        by_feature = np.square(Z) * precision if precision.ndim == 1 else _distances(Z, precision)[:, None]
        by_feature /= np.maximum(1.0 - kept * share[:, None] * by_feature, 1e-6)
        distances = by_feature.sum(axis=1)
        scale = np.maximum(scale * unit, np.finfo(np.float64).tiny)
        return cls(center * unit, scale, precision, weighted_quantiles(distances, share), n_rows)

    def p_values(self, X: Array) -> NDArray[np.float64]:
        """Return the share of training rows that are at least as far from their mean as each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Features, with NaN for missing values.

        Returns
        -------
        ndarray of shape (n_rows,)
            Conformal p-values: ``(1 + number of training rows at least as far) / (1 + number of training rows)``.
        """
        with np.errstate(over="ignore"):
            Z = np.clip((X - self.center) / self.scale, -_FARTHEST, _FARTHEST)
        Z = np.where(np.isnan(Z), 0.0, Z)
        nearer = np.searchsorted(self.quantiles, _distances(Z, self.precision)) / len(self.quantiles)
        return np.asarray((1.0 + (1.0 - nearer) * self.n_rows) / (1.0 + self.n_rows))

    def narrowed(self, columns: NDArray[np.intp]) -> "RowDistances":
        """Return the distances for rows of some features; the others are at their mean.

        Parameters
        ----------
        columns : ndarray of int of shape (n_kept,)
            Features of the rows to come.

        Returns
        -------
        RowDistances
            The same distances, for rows of these features.
        """
        precision = self.precision[np.ix_(columns, columns)] if self.precision.ndim == 2 else self.precision[columns]
        return replace(self, center=self.center[columns], scale=self.scale[columns], precision=precision)

    @property
    def strange(self) -> float:
        """Largest p-value that calls for a warning."""
        return max(STRANGE, 1.0 / (1.0 + self.n_rows))


def _distances(Z: Array, precision: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the squared distances of scaled rows from the center."""
    inverse = precision.astype(np.float64)
    products = Z * inverse if inverse.ndim == 1 else Z @ inverse
    return np.asarray((products * Z).sum(axis=1))
