"""`SequenceModel`: a learned map of time series, and where the series end, from which forecasts start."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.models.lags import Lags
from cogmap.models.recurrence import Recurrence
from cogmap.models.transforms import DIFFERENCE, INDEX, Transform

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SequenceEnd:
    """The end of a run.

    Attributes
    ----------
    transforms : tuple of Transform
        Transform of each variable.
    memory : ndarray of shape (n_memory,)
        Memory after the last step.
    modelled : ndarray of shape (n_last, n_variables)
        The last values as modelled, at least one period of them.
    seasons : ndarray of shape (period, n_variables)
        Seasonal index of the next steps.
    drivers : ndarray of shape (n_drivers,)
        Last values of the drivers, standardized.
    """

    transforms: tuple[Transform, ...]
    memory: Array
    modelled: Array
    seasons: Array
    drivers: Array

    def _seasons(self, n_steps: int) -> Array:
        return self.seasons[np.arange(n_steps) % len(self.seasons)]

    def restored(self, path: Array) -> Array:
        """Return a path of shape (n_steps, n_variables) as modelled values, with season."""
        columns = []
        n_last, seasons = len(self.modelled), self._seasons(len(path))
        for v, transform in enumerate(self.transforms):
            plain = transform.center + transform.scale * path[None, :, v]
            season = np.concatenate([np.zeros(n_last), seasons[:, v]])
            columns.append(transform.with_season(plain, self.modelled[:, v], season, np.array([n_last]))[0])
        return np.stack(columns, axis=1)

    def units(self, modelled: Array) -> Array:
        """Return modelled values in units of the series."""
        return np.stack([t.restored(modelled[..., v]) for v, t in enumerate(self.transforms)], axis=-1)

    def shifted(self, held: Array) -> Array:
        """Return values in units of the series, NaN where free, as values of the path; the inverse of `restored`."""
        result = np.full(held.shape, np.nan)
        seasons = self._seasons(len(held))
        for v, transform in enumerate(self.transforms):
            with np.errstate(invalid="ignore", divide="ignore"):
                z = np.log(held[:, v]) if transform.log else held[:, v].copy()
            if transform.season == DIFFERENCE:
                whole = np.concatenate([self.modelled[:, v], z])
                before = whole[len(self.modelled) - transform.period : len(whole) - transform.period]
                z = z - np.where(np.isnan(before), z, before)  # one period of free steps before: no change over it
            elif transform.season == INDEX:
                z = z - seasons[:, v]
            result[:, v] = (z - transform.center) / transform.scale
        return result


@dataclass(frozen=True, eq=False)
class SequenceModel:
    """A map of time series.

    Attributes
    ----------
    lags : Lags
        Features.
    recurrence : Recurrence
        Weights.
    low, high : ndarray of shape (n_features,)
        Bounds at which features are clipped.
    names : tuple of str
        Names of the variables.
    ends : tuple of SequenceEnd
        End of each run.
    driver_center, driver_scale : ndarray of shape (n_drivers,)
        Standardization of drivers.
    """

    lags: Lags
    recurrence: Recurrence
    low: Array
    high: Array
    names: tuple[str, ...]
    ends: tuple[SequenceEnd, ...]
    driver_center: Array
    driver_scale: Array

    def inputs(self, run: int, drivers: Array | None) -> Array | None:
        """Return what future values of drivers, of shape (n_steps, n_drivers), add to the features."""
        if drivers is None or not self.lags.drivers:
            return None
        standardized = (drivers - self.driver_center) / self.driver_scale
        return self.lags.inputs(np.concatenate([self.ends[run].drivers[None], standardized]))

    def paths(
        self, n_steps: int, run: int = 0, drivers: Array | None = None, held: Array | None = None
    ) -> tuple[Array, Array]:
        """Return a forecast as modelled and in units of the series, both of shape (n_steps, n_variables).

        Parameters
        ----------
        n_steps : int
            Number of steps.
        run : int, default=0
            Number of the run.
        drivers : ndarray of shape (n_steps, n_drivers), default=None
            Future values of the drivers.
        held : ndarray of shape (n_steps, n_variables), default=None
            Values at which variables are held, in units of the series; NaN where they are free.
        """
        end = self.ends[run]
        path = self._run(n_steps, run, drivers, held)
        modelled = end.restored(path)
        values = end.units(modelled)
        if held is not None:
            values = np.where(np.isnan(held), values, held)
        return modelled, values

    def _run(self, n_steps: int, run: int, drivers: Array | None, held: Array | None) -> Array:
        end = self.ends[run]
        inside = None if held is None else end.shifted(held)
        bounds = self.low, self.high
        inputs = self.inputs(run, drivers)
        return self.recurrence.run(self.lags, end.memory[None], n_steps, bounds, inputs, inside)[0]

    def feature_rows(self, n_steps: int, run: int = 0, drivers: Array | None = None) -> Array:
        """Return the features from which each step of a forecast is computed, of shape (n_steps, n_features)."""
        F, G, C = self.lags.matrices
        path = self._run(n_steps, run, drivers, None)
        inputs = self.inputs(run, drivers)
        memory, rows = self.ends[run].memory, []
        for k in range(n_steps):
            features = C @ memory
            rows.append(features if inputs is None else features + inputs[k])
            memory = F @ memory + G @ (path[k] - memory[self.lags.starts[:-1]])
        return np.clip(np.array(rows), self.low, self.high)
