"""Aggregation of weights as linguistic terms with membership functions, as in FCMpy."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Corners of the triangular membership functions; the middle one is the weight of the term in map files.
_CORNERS = {0.1: (0.0, 0.1, 0.25), 0.25: (0.0, 0.25, 0.5), 0.5: (0.25, 0.5, 0.75), 0.75: (0.5, 0.75, 1.0)}
_CORNERS |= {1.0: (0.75, 1.0, 1.0)}
_NEGATIVE = [(-c, -b, -a) for a, b, c in _CORNERS.values()]
_TERMS = [*_NEGATIVE[::-1], (-0.01, 0.0, 0.01), *_CORNERS.values()]
_UNIVERSE = np.linspace(-1.0, 1.0, 201)
PEAKS = np.array([term[1] for term in _TERMS])


def _membership(low: float, peak: float, high: float) -> Array:
    rising = (_UNIVERSE - low) / (peak - low) if peak > low else np.ones_like(_UNIVERSE)
    falling = (high - _UNIVERSE) / (high - peak) if high > peak else np.ones_like(_UNIVERSE)
    result: Array = np.clip(np.minimum(rising, falling), 0.0, 1.0)
    outside = np.maximum(low - _UNIVERSE, _UNIVERSE - high) > 1e-12
    result[outside] = 0.0
    return result


_MEMBERSHIP = np.array([_membership(*term) for term in _TERMS])


def fuzzy_mean(weights: Array, shares: Array) -> Array:
    """Aggregate the weights of maps (first axis): each is read as its nearest term, no edge as the term "none".

    Each term is cut off at the share of the maps that chose it (Mamdani's implication), the terms are joined by their
    maximum, and the result is the centroid.
    """
    total = shares.sum(axis=0)
    chosen = np.abs(weights[..., np.newaxis] - PEAKS).argmin(axis=-1)
    result = np.zeros(weights.shape[1:])
    for place in zip(*np.nonzero((weights != 0.0).any(axis=0) & (total > 0.0)), strict=True):
        column = (slice(None), *place)
        levels = np.bincount(chosen[column], shares[column] / total[place], minlength=len(PEAKS))
        result[place] = _centroid(np.minimum(_MEMBERSHIP, levels[:, np.newaxis]).max(axis=0))
    return result


def _centroid(y: Array) -> float:
    """Return the centroid of the area below a piecewise linear function on the universe."""
    left, right = y[:-1], y[1:]
    step = np.diff(_UNIVERSE)
    area = (left + right) / 2 * step
    moment = step * (_UNIVERSE[:-1] * (2 * left + right) + _UNIVERSE[1:] * (left + 2 * right)) / 6
    return float(moment.sum() / area.sum())
