"""Conformal intervals of forecasts, from errors of forecasts from past origins."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Both were chosen for the coverage on public series of which the forecasts were not learned from.
_OVERLAP = 2.0  # number of neighbouring origins that count as one
_EXTRA_POWER = 0.1  # added to the power with which errors grow, because late steps have few origins
_MAX_POWER = 1.5


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


def error_growth(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power of the step with which the errors of forecasts grow.

    Parameters
    ----------
    errors : ndarray of shape (n_origins, horizon, n_variables)
        Errors, NaN where unknown.

    Returns
    -------
    ndarray of shape (n_variables,)
        The slope of the logarithm of the root mean square over the logarithm of the step; 0.5, that of a random walk,
        where fewer than two steps have errors.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap.statistics.forecasts import error_growth
    >>> walks = np.random.default_rng(0).normal(size=(1000, 12, 1)).cumsum(axis=1)
    >>> error_growth(walks).round(1)
    array([0.5])
    """
    powers = []
    for v in range(errors.shape[2]):
        x, logs, weight = _by_step(errors[:, :, v])
        center = np.average(x, weights=weight) if x.size else 0.0
        moment = float(np.sum(weight * np.square(x - center)))
        powers.append(float(np.sum(weight * (x - center) * logs)) / moment if moment > 0.0 else 0.5)
    return np.array(powers)


def _by_step(errors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return logarithms of the steps that have errors and of their root mean square, and the weights of the steps."""
    counts = (~np.isnan(errors)).sum(axis=0)
    seen = counts > 0
    squares = np.nansum(np.square(errors), axis=0)[seen] / counts[seen]
    return np.log(np.flatnonzero(seen) + 1.0), 0.5 * np.log(np.maximum(squares, 1e-300)), np.sqrt(counts[seen])


def forecast_radii(
    errors: NDArray[np.float64], level: float, n_steps: int, growth: float | None = None
) -> NDArray[np.float64]:
    """Return the half width of the interval of each step, from errors of forecasts from past origins.

    Errors of all steps are pooled: divided by a deviation that grows with a power of the step. Forecasts from
    neighbouring origins overlap, so that fewer of them count as independent.

    Parameters
    ----------
    errors : ndarray of shape (n_origins, horizon)
        Errors, NaN where unknown.
    level : float
        Probability that an interval covers its value.
    n_steps : int
        Number of steps, which may exceed the horizon.
    growth : float, default=None
        Power of the step with which errors grow, such as that of forecasts from more origins. None fits it to `errors`.

    Returns
    -------
    ndarray of shape (n_steps,)
    """
    x, logs, weight = _by_step(errors)
    if not x.size:
        return np.full(n_steps, np.nan)
    power = float(error_growth(errors[:, :, None])[0]) if growth is None else growth
    power = float(np.clip(power + _EXTRA_POWER, 0.0, _MAX_POWER))
    unit = np.exp(float(np.average(logs - power * x, weights=weight)))
    deviation = unit * np.arange(1.0, max(n_steps, errors.shape[1]) + 1.0) ** power
    n_origins = float((~np.isnan(errors)).sum(axis=0).max())
    quantile = conformal_quantile(np.abs(errors) / deviation[: errors.shape[1]], level, n_origins / _OVERLAP)
    return np.asarray(quantile * deviation[:n_steps])
