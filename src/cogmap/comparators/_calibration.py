"""Calibration of class scores: the softmax gain that minimizes the log loss."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Array = NDArray[np.float64]

_MAX_GAIN = 1e4  # in units of the spread of the scores; for perfect scores the optimum would be infinite


def best_gain(scores: Array, codes: NDArray[np.intp], weight: Array) -> float:
    """Return the factor on the scores that minimizes the log loss of their softmax.

    The loss is convex in the factor, so the minimum is unique. The factor is positive, so probabilities rank classes
    as scores do. As in Platt's calibration, targets are smoothed: 1 / (total weight + 2) of each label is shared by the
    other classes, so that perfect training scores do not lead to probabilities of 0 and 1.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Scores, preferably of held-out rows.
    codes : ndarray of shape (n_rows,)
        Class index of each row.
    weight : ndarray of shape (n_rows,)
        Row weights.

    Returns
    -------
    float
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    total = float(weight.sum())
    share = weight / total
    spread = float(np.sqrt(share @ np.square(centred).mean(axis=1)))
    if not spread > 0.0:
        return 1.0  # all scores are equal, so the factor has no effect
    centred /= spread
    margin = centred - centred[np.arange(len(codes)), codes][:, None]  # of each class over the true one
    shifted = margin - margin.max(axis=1, keepdims=True)
    smoothing = 1.0 / (2.0 + max(total, len(codes)))
    others = margin.sum(axis=1) / (scores.shape[1] - 1)

    def derivative(exponent: float) -> float:
        odds = np.exp(np.exp(exponent) * shifted)
        return float(share @ ((odds * margin).sum(axis=1) / odds.sum(axis=1) - smoothing * others))

    # A root of the derivative is more precise than a minimum of the loss.
    low, high = -np.log(_MAX_GAIN), np.log(_MAX_GAIN)
    if derivative(low) >= 0.0:
        exponent = low
    elif derivative(high) <= 0.0:
        exponent = high
    else:
        exponent = brentq(derivative, low, high, xtol=1e-13)
    return float(np.exp(exponent)) / spread
