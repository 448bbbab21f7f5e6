"""Series prepared for learning: transformed, as memories, with the forecasts to which maps are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap.models.lags import Lags
from cogmap.models.transforms import DIFFERENCE, Transform

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """One run of all variables, of which the first `n_known` steps may be learned from.

    Attributes
    ----------
    values : ndarray of shape (n_steps, n_variables)
        Values, NaN if missing.
    transforms : tuple of Transform
        Transform of each variable, with center and scale of the known steps.
    modelled, seasons : tuple of ndarray
        Results of the methods of the transforms.
    x : ndarray of shape (n_steps, n_variables)
        Transformed and standardized values.
    known : ndarray of bool of the shape of `x`
        Where values are not missing.
    start : int
        First step whose memory is complete.
    n_known : int
        Number of steps to learn from.
    drivers : ndarray of shape (n_steps, n_drivers) or None
        Standardized values of drivers.
    """

    values: Array
    transforms: tuple[Transform, ...]
    modelled: tuple[Array, ...]
    seasons: tuple[Array, ...]
    x: Array
    known: NDArray[np.bool_]
    start: int
    n_known: int
    drivers: Array | None = None

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.x)

    def restored(self, paths: Array, origins: NDArray[np.intp]) -> Array:
        """Return forecasts of `x` as modelled values: logarithms where these are modelled, with season.

        Parameters
        ----------
        paths : ndarray of shape (n_origins, n_steps, n_variables)
            Forecasts.
        origins : ndarray of int
            Position of the first step of each forecast.
        """
        result = np.empty_like(paths)
        for v, transform in enumerate(self.transforms):
            path = transform.center + transform.scale * paths[:, :, v]
            result[:, :, v] = transform.with_season(path, self.modelled[v], self.seasons[v], origins)
        return result

    def units(self, modelled: Array) -> Array:
        """Return modelled values in units of the series; the last axis is that of the variables."""
        return np.stack([t.restored(modelled[..., v]) for v, t in enumerate(self.transforms)], axis=-1)


def prepare(
    values: Array, transforms: Sequence[Transform], n_known: int, n_more: int, drivers: Array | None = None
) -> Prepared:
    """Prepare a run.

    Parameters
    ----------
    values : ndarray of shape (n_steps, n_variables)
        Values, NaN if missing.
    transforms : sequence of Transform
        Transform of each variable, whose center and scale are computed here.
    n_known : int
        Number of steps to learn from; the others serve for comparison.
    n_more : int
        Number of steps after the last for which seasons are needed.
    drivers : ndarray of shape (n_steps, n_drivers), default=None
        Standardized values of drivers.
    """
    known = ~np.isnan(values)
    modelled, seasons, columns, final = [], [], [], []
    start = 1
    for v, transform in enumerate(transforms):
        z = transform.modelled(values[:, v])
        season = transform.seasons(z, n_known, n_more)
        x = transform.adjusted(z, season)
        # A missing value is undecided: what was known last goes on, so that changes are 0.
        last = np.maximum.accumulate(np.where(known[:, v], np.arange(len(x)), 0))
        x = x[last]
        center, scale = float(x[:n_known].mean()), float(x[:n_known].std())
        scale = scale if scale > 1e-9 * abs(center) else 1.0
        final.append(replace(transform, center=center, scale=scale))
        modelled.append(z)
        seasons.append(season)
        columns.append((x - center) / scale)
        start = max(start, transform.period if transform.season == DIFFERENCE else 1)
    x = np.stack(columns, axis=1)
    return Prepared(values, tuple(final), tuple(modelled), tuple(seasons), x, known, start, n_known, drivers)


@dataclass(frozen=True, eq=False)
class Table:
    """Memories and features of a run after each step; drivers are those of the next step."""

    run: Prepared
    memories: Array
    features: Array


def table_of(run: Prepared, lags: Lags) -> Table:
    """Return the memories and features of a run."""
    memories = lags.memories(run.x)
    features = memories @ lags.matrices[2].T
    inputs = lags.inputs(run.drivers)
    if inputs is not None:
        features[:-1] += inputs
        features[-1] += inputs[-1]
    return Table(run, memories, features)


@dataclass(frozen=True, eq=False)
class Rows:
    """Features and next changes of all steps of some runs that may be learned from."""

    features: Array
    changes: Array
    weight: Array  # of the shape of `changes`: 0 where a value is missing


def rows_of(tables: Sequence[Table], skip: int) -> Rows:
    """Return the rows to learn from, of which the first `skip` of each run are left out."""
    features, changes, weights = [], [], []
    for table in tables:
        run = table.run
        rows, after = slice(run.start + skip, run.n_known - 1), slice(run.start + skip + 1, run.n_known)
        features.append(table.features[rows])
        changes.append(run.x[after] - run.x[rows])
        weights.append((run.known[after] & run.known[rows]).astype(np.float64))
    return Rows(np.concatenate(features), np.concatenate(changes), np.concatenate(weights))


def feature_bounds(tables: Sequence[Table]) -> tuple[Array, Array]:
    """Return the bounds at which features are clipped: one range beyond the range in which they were observed."""
    observed = np.concatenate([table.features[table.run.start : table.run.n_known] for table in tables])
    low, high = observed.min(axis=0), observed.max(axis=0)
    return 2.0 * low - high, 2.0 * high - low
