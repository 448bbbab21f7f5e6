"""Calibration of predicted probabilities."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from cogmap._utils.params import check_integer, param_error
from cogmap.statistics.checks import check_p_values

_PRIOR_ROWS = 15.0  # penalty of the squared logarithm of the factor, in units of the log loss of one row
_MOST = 4.0  # the factor is between its inverse and itself


def expected_calibration_error(confidence: ArrayLike, right: ArrayLike, n_bins: int = 10) -> float:
    """Compute the expected calibration error (ECE): the mean absolute difference between confidence and accuracy.

    Predictions are grouped into bins of equal width by the probability of the predicted class. The absolute differences
    between mean probability and accuracy in each bin are averaged, weighted by the size of the bin.

    Parameters
    ----------
    confidence : array-like of shape (n_predictions,)
        Probability of the predicted class.
    right : array-like of bool of shape (n_predictions,)
        Whether the prediction was correct.
    n_bins : int, default=10
        Number of bins between 0 and 1.

    Returns
    -------
    float
        The error, from 0 (calibrated) to 1.

    See Also
    --------
    confidence_factor : Return the factor on the scores of classes that calibrates their softmax (temperature scaling).
    HeldOutErrors : Distribution of the errors on held-out rows.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, On calibration of modern neural networks, ICML 2017.

    Examples
    --------
    >>> from cogmap.statistics import expected_calibration_error
    >>> expected_calibration_error([0.75, 0.75, 0.75, 0.75], [True, True, True, False])
    0.0
    >>> expected_calibration_error([0.95, 0.55], [False, True])
    0.7
    """
    owner = "expected_calibration_error"
    n_bins = check_integer(owner, "n_bins", n_bins, low=1, high=10**6)
    probability = check_p_values(owner, confidence, "confidence", "It is the probability of the predicted class.")
    is_right = check_p_values(owner, right, "right", "It is True or False.")
    if not 0 < len(probability) == len(is_right):
        cure = "Both need one value per prediction, and at least one prediction."
        raise param_error(owner, "right", f"as long as confidence, {len(probability)}", len(is_right), cure)
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    excess = np.bincount(bins, probability - is_right, minlength=n_bins)
    return float(np.abs(excess).sum() / len(probability))


def confidence_factor(scores: ArrayLike, codes: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Return the factor on the scores of classes that calibrates their softmax (temperature scaling).

    The factor, the inverse of the temperature, minimizes the log loss of given rows, which must not be rows that the
    scores were learned from. It is below 1 if the probabilities are overconfident, and above 1 if they are not
    confident enough. With few rows it stays near 1: the squared logarithm of the factor is penalized.

    Parameters
    ----------
    scores : array-like of shape (n_rows, n_classes)
        Scores, whose softmax are the probabilities of the classes.
    codes : array-like of int of shape (n_rows,)
        Column of the true class.
    weight : array-like of shape (n_rows,), default=None
        Weights of the rows: numbers of equal rows, or any others, which are enlarged if their mean is below 1.

    Returns
    -------
    float
        The factor, between 1/4 and 4.

    See Also
    --------
    expected_calibration_error :
        Compute the expected calibration error (ECE): the mean absolute difference between confidence and accuracy.
    HeldOutErrors : Distribution of the errors on held-out rows.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, On calibration of modern neural networks, ICML 2017.

    Examples
    --------
    >>> from cogmap.statistics import confidence_factor
    >>> scores = [[0.0, 3.0]] * 400  # a probability of 0.95 of the second class, which is true for three quarters
    >>> round(confidence_factor(scores, [0, 1, 1, 1] * 100), 1)
    0.5
    """
    logits, truth = np.asarray(scores, dtype=np.float64), np.asarray(codes)
    of_row = np.ones(len(truth)) if weight is None else np.asarray(weight, dtype=np.float64)
    of_row = of_row * max(1.0, 1.0 / of_row.mean())
    of_truth = logits[np.arange(len(truth)), truth]

    def loss(log_factor: float) -> float:
        factor = math.exp(log_factor)
        losses: NDArray[np.float64] = logsumexp(factor * logits, axis=1) - factor * of_truth
        return float(of_row @ losses) + _PRIOR_ROWS * log_factor**2

    reach = math.log(_MOST)
    return math.exp(minimize_scalar(loss, bounds=(-reach, reach), method="bounded", options={"xatol": 1e-3}).x)
