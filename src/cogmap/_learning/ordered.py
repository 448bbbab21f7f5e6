"""Thresholds between ordered classes, by a linear cumulative logit model.

Training moves the output of a map but not the thresholds that it is compared with. They are fitted twice: before, with
a linear model of the features, whose strength decides how far apart thresholds are; and after, to the outputs of the
trained map.
"""

import numpy as np
import scipy.optimize
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logit

Array = NDArray[np.float64]

_MAX_ROWS = 5000
_MAX_COLUMNS = 200
_RIDGE = 1.0  # penalty of the weights of the linear model, divided by the number of rows
_MIN_GAP = 1e-3  # between two thresholds


def linear_thresholds(X: NDArray[np.floating], codes: NDArray[np.intp], n_classes: int, weight: Array) -> Array:
    """Return the thresholds of a linear model of the features.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features, unscaled; missing values count as the mean. At most 5000 rows and 200 columns are used.
    codes : ndarray of shape (n_rows,)
        Ranks of the classes, from 0 for the lowest.
    n_classes : int
        Number of classes.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    """
    rows = np.linspace(0, len(codes) - 1, min(len(codes), _MAX_ROWS)).astype(np.intp)
    table = np.asarray(X[rows][:, :_MAX_COLUMNS], dtype=np.float64)
    with np.errstate(all="ignore"):
        table = (table - np.nanmean(table, axis=0)) / np.nanstd(table, axis=0)
    # Every class keeps a little weight, also if the sample of rows lacks it.
    table = np.nan_to_num(table, posinf=0.0, neginf=0.0)
    return fitted_thresholds(np.zeros(len(rows)), codes[rows], n_classes, weight[rows], table)


def fitted_thresholds(net: Array, codes: NDArray[np.intp], n_classes: int, weight: Array, X: Array) -> Array:
    """Return the thresholds with the largest likelihood for given outputs plus a linear function of features.

    Parameters
    ----------
    net : ndarray of shape (n_rows,)
        Net inputs of the output.
    codes, n_classes, weight
        As for `linear_thresholds`.
    X : ndarray of shape (n_rows, n_features)
        Standardized features, possibly none.
    """
    share = np.bincount(codes, weight, minlength=n_classes) + 1e-3 * weight.mean()
    start = 0.5 * logit(np.cumsum(share)[:-1] / share.sum()) + np.average(net, weights=weight)
    weight = weight / weight.sum()
    ends = np.array([np.inf])

    def thresholds_of(parameters: Array) -> tuple[Array, Array]:
        gaps = _MIN_GAP + np.exp(np.minimum(parameters[1 : n_classes - 1], 30.0))
        return parameters[0] + np.concatenate([[0.0], np.cumsum(gaps)]), gaps

    def loss(parameters: Array) -> tuple[float, Array]:
        thresholds, gaps = thresholds_of(parameters)
        weights = parameters[n_classes - 1 :]
        z = net + X @ weights
        low = 2.0 * (z - np.concatenate([-ends, thresholds])[codes])
        high = 2.0 * (z - np.concatenate([thresholds, ends])[codes])
        widths = np.concatenate([[0.0], np.log(-np.expm1(-2.0 * gaps)), [0.0]])
        value = weight @ (-log_expit(low) - log_expit(-high) - widths[codes])
        below, above = 2.0 * weight * expit(-low), 2.0 * weight * expit(high)
        of_threshold = np.bincount(codes, below, minlength=n_classes)[1:] - np.bincount(codes, above, n_classes)[:-1]
        of_gap = -np.bincount(codes, weight, minlength=n_classes)[1:-1] * 2.0 / np.expm1(2.0 * gaps)
        of_gap += np.cumsum(of_threshold[::-1])[::-1][1:]
        of_weights = X.T @ (above - below) + _RIDGE / len(net) * weights
        gradient = np.concatenate([[of_threshold.sum()], of_gap * (gaps - _MIN_GAP), of_weights])
        return float(value + 0.5 * _RIDGE / len(net) * weights @ weights), gradient

    first = np.concatenate([start[:1], np.log(np.maximum(np.diff(start), _MIN_GAP)), np.zeros(X.shape[1])])
    result = scipy.optimize.minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return thresholds_of(result.x)[0]
