"""Transforms of a time series before a map learns from it: logarithm, season, standardization."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NONE, INDEX, DIFFERENCE = "none", "index", "difference"
_LARGEST_LOG = 600.0


@dataclass(frozen=True, eq=False)
class Transform:
    """How the values of a variable are transformed.

    Attributes
    ----------
    log : bool
        Whether logarithms are modelled, so that changes are relative.
    season : {"none", "index", "difference"}
        Without season, after subtraction of an index for each season, or as difference from one period before.
    period : int
        Number of steps in a period.
    rate : float
        Rate at which the index of a season is updated each period; 0 for the mean over all periods.
    center, scale : float
        Mean and deviation that standardize the result.
    """

    log: bool = False
    season: str = NONE
    period: int = 1
    rate: float = 0.0
    center: float = 0.0
    scale: float = 1.0

    def modelled(self, y: Array) -> Array:
        """Return the values, or their logarithms, without gaps: these are interpolated."""
        known = np.flatnonzero(~np.isnan(y))
        z: Array = np.interp(np.arange(len(y)), known, np.log(y[known]) if self.log else y[known])
        return z

    def restored(self, z: Array) -> Array:
        """Return values from the results of `modelled`."""
        return np.exp(np.clip(z, -_LARGEST_LOG, _LARGEST_LOG)) if self.log else z

    def seasons(self, z: Array, n_known: int, n_more: int) -> Array:
        """Return the season of each step, and of `n_more` steps after the last, learned from the first `n_known`."""
        n = len(z) + n_more
        if self.season != INDEX:
            return np.zeros(n)
        index = season_index(z[:n_known], self.period, self.rate)
        repeats = np.arange(len(index), n)
        return np.concatenate([index, index[len(index) - self.period + (repeats - len(index)) % self.period]])[:n]

    def adjusted(self, z: Array, seasons: Array) -> Array:
        """Return `z` without its season, not yet standardized; as long as `z`, also for differences."""
        if self.season == DIFFERENCE:
            changes = z[self.period :] - z[: -self.period]
            return np.concatenate([np.repeat(changes[:1], self.period), changes])
        return z - seasons[: len(z)]

    def with_season(self, paths: Array, z: Array, seasons: Array, origins: NDArray[np.intp]) -> Array:
        """Return the modelled values of forecasts without season.

        Parameters
        ----------
        paths : ndarray of shape (n_origins, n_steps)
            Forecasts of the results of `adjusted`.
        z : ndarray of shape (n,)
            Modelled values.
        seasons : ndarray
            Result of `seasons`.
        origins : ndarray of int
            Position of the first step of each forecast.
        """
        n_steps = paths.shape[1]
        if self.season == DIFFERENCE:
            result = np.empty_like(paths)
            for k in range(n_steps):
                before = z[origins + k - self.period] if k < self.period else result[:, k - self.period]
                result[:, k] = paths[:, k] + before
            return result
        places = origins[:, None] + np.arange(n_steps)
        with_index: Array = paths + seasons[places]
        return with_index


def season_index(z: Array, period: int, rate: float) -> Array:
    """Return the seasonal index of each step of `z`, and of one more period.

    The trend is a moving average over a period; indices average what is left of each season. With a positive `rate`
    they follow changes of the season.
    """
    n, left = len(z), _detrended(z, period)
    index = np.zeros(n + period)
    for phase in range(period):
        rows = left[phase:n:period]
        known = rows[~np.isnan(rows)]
        if rate == 0.0 or not known.size:
            index[phase::period] = known.mean() if known.size else 0.0
            continue
        current = known[:3].mean()
        for k, row in enumerate(rows):
            if not np.isnan(row):
                current += rate * (row - current)
            index[phase + k * period] = current
        index[phase + len(rows) * period :: period] = current
    if rate == 0.0:
        index -= index[:period].mean()
    return index


def season_strength(z: Array, period: int) -> float:
    """Return the share of the variance around the trend that a constant seasonal index explains, from 0 to 1."""
    n = len(z)
    if period < 2 or n < 2 * period + 4:
        return 0.0
    left = _detrended(z, period)
    inside = ~np.isnan(left)
    rest, total = (left - season_index(z, period, 0.0)[:n])[inside], left[inside].var()
    if not total > 0.0:
        return 0.0
    correction = (len(rest) - 1) / max(len(rest) - period, 1)
    return float(max(0.0, 1.0 - correction * rest.var() / total))


def _detrended(z: Array, period: int) -> Array:
    """Return `z` minus its centred moving average over a period; NaN at both ends."""
    window = np.full(period + 1 - period % 2, 1.0 / period)
    if period % 2 == 0:
        window[[0, -1]] *= 0.5
    half, n = len(window) // 2, len(z)
    left = np.full(n, np.nan)
    left[half : n - half] = z[half : n - half] - np.convolve(z, window, "valid")
    return left
