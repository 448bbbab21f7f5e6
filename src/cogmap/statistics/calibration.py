"""Calibration of predicted probabilities."""

import numpy as np
from numpy.typing import ArrayLike

from cogmap._utils.params import check_integer, param_error
from cogmap.statistics.checks import check_p_values


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
