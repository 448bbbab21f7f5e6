"""Probabilities from scores: the one parameter of their softmax that has the lowest log loss."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Array = NDArray[np.float64]

_WIDEST = 1e4  # factor, in units of the spread of the scores: with perfect scores the best one would be infinite


def best_gain(scores: Array, codes: NDArray[np.intp], weight: Array) -> float:
    """Return the factor on the scores with which the log loss of their softmax is lowest.

    The loss is convex in the factor, so there is one answer. It is positive: probabilities rank classes as scores do.
    As in Platt's calibration a label counts as right but for one row in all and two more, shared by the other classes,
    lest scores that are all right become certainties.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Scores, better of rows that were not learned from.
    codes : ndarray of shape (n_rows,)
        The class of each row.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    total = float(weight.sum())
    share = weight / total
    spread = float(np.sqrt(share @ np.square(centred).mean(axis=1)))
    if not spread > 0.0:
        return 1.0  # all classes alike, whatever the factor
    centred /= spread
    behind = centred - centred[np.arange(len(codes)), codes][:, None]  # of each class to the right one
    behind_most = behind - behind.max(axis=1, keepdims=True)
    doubt = 1.0 / (2.0 + max(total, len(codes)))
    others = behind.sum(axis=1) / (scores.shape[1] - 1)

    def derivative(exponent: float) -> float:
        odds = np.exp(np.exp(exponent) * behind_most)
        return float(share @ ((odds * behind).sum(axis=1) / odds.sum(axis=1) - doubt * others))

    # Where the derivative is 0, which is found more exactly than where the loss is lowest.
    low, high = -np.log(_WIDEST), np.log(_WIDEST)
    if derivative(low) >= 0.0:
        exponent = low
    elif derivative(high) <= 0.0:
        exponent = high
    else:
        exponent = brentq(derivative, low, high, xtol=1e-13)
    return float(np.exp(exponent)) / spread
