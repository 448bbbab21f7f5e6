"""Conformal intervals of forecasts, from errors of forecasts from past origins."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Both were chosen for the coverage on public series of which the forecasts were not learned from.
_OVERLAP = 2.5  # number of neighbouring origins that count as one
_EXTRA_POWER = 0.1  # added to the power with which errors grow, because late steps have few origins


def conformal_quantile(scores: ArrayLike, level: float, n_independent: float | None = None) -> float:
    """Return the score that a new observation does not exceed with probability `level`, from exchangeable scores.

    Parameters
    ----------
    scores : array-like
        Scores, such as absolute errors. NaN is ignored.
    level : float
        Probability, between 0 and 1.
    n_independent : float, default=None
        Number of scores that count as independent; fewer make the quantile larger. None means all.

    Returns
    -------
    float
        The quantile; the largest score if there are too few scores for `level`.

    Examples
    --------
    >>> from cogmap.statistics.forecasts import conformal_quantile
    >>> conformal_quantile(range(1, 20), 0.9)
    18.0
    """
    known = np.sort(np.asarray(scores, dtype=np.float64).ravel())
    known = known[~np.isnan(known)]
    if not known.size:
        return float("nan")
    n = known.size if n_independent is None else max(n_independent, 1.0)
    rank = int(np.ceil(known.size * min(level * (n + 1.0) / n, 1.0) - 1e-9))
    return float(known[max(rank, 1) - 1])


def forecast_radii(errors: NDArray[np.float64], level: float, n_steps: int) -> NDArray[np.float64]:
    """Return the half width of the interval of each step, from errors of forecasts from past origins.

    Errors of all steps are pooled: divided by a deviation that grows with a power of the step, which is fitted to them.
    Forecasts from neighbouring origins overlap, so that fewer of them count as independent.

    Parameters
    ----------
    errors : ndarray of shape (n_origins, horizon)
        Errors, NaN where unknown.
    level : float
        Probability that an interval covers its value.
    n_steps : int
        Number of steps, which may exceed the horizon.

    Returns
    -------
    ndarray of shape (n_steps,)
    """
    steps = np.arange(1.0, errors.shape[1] + 1.0)
    counts = (~np.isnan(errors)).sum(axis=0)
    seen = counts > 0
    if not seen.any():
        return np.full(n_steps, np.nan)
    with np.errstate(invalid="ignore"):
        squares = np.nansum(np.square(errors), axis=0)[seen] / counts[seen]
    logs, x, weight = 0.5 * np.log(np.maximum(squares, 1e-300)), np.log(steps[seen]), np.sqrt(counts[seen])
    center = np.average(x, weights=weight)
    spread = float(np.average(np.square(x - center), weights=weight))
    power = float(np.average((x - center) * logs, weights=weight)) / spread if spread > 0.0 else 0.5
    power = float(np.clip(power + _EXTRA_POWER, 0.0, 1.5))
    offset = float(np.average(logs - power * x, weights=weight))
    deviation = np.exp(offset) * steps**power
    quantile = conformal_quantile(np.abs(errors) / deviation, level, float(counts.max()) / _OVERLAP)
    return np.asarray(quantile * np.exp(offset) * np.arange(1.0, n_steps + 1.0) ** power)
