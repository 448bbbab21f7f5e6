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

    def shifted(self, held: Array, free: Array) -> Array:
        """Return values in units of the series, NaN where free, as values of the path; the inverse of `restored`.

        Differences over a season are from `free`, modelled values of the same shape, where the step before is free.
        """
        result = np.full(held.shape, np.nan)
        seasons = self._seasons(len(held))
        for v, transform in enumerate(self.transforms):
            with np.errstate(invalid="ignore", divide="ignore"):
                z = np.log(held[:, v]) if transform.log else held[:, v].copy()
            if transform.season == DIFFERENCE:
                whole = np.concatenate([self.modelled[:, v], np.where(np.isnan(z), free[:, v], z)])
                z = z - whole[len(self.modelled) - transform.period : len(whole) - transform.period]
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
    season_names : tuple of str
        Names of the seasons, such as "December", from that of the first step of a forecast on.
    """

    lags: Lags
    recurrence: Recurrence
    low: Array
    high: Array
    names: tuple[str, ...]
    ends: tuple[SequenceEnd, ...]
    driver_center: Array
    driver_scale: Array
    season_names: tuple[str, ...] = ()

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
        bounds = self.low, self.high
        inputs = self.inputs(run, drivers)

        def path_with(inside: Array | None) -> Array:
            path: Array = self.recurrence.run(self.lags, end.memory[None], n_steps, bounds, inputs, inside)[0]
            return path

        path = path_with(None)
        if held is not None:
            # Steps before the first held one are final. If a difference over a season is held, so are those before the
            # second after another run, and so on.
            later = [np.isnan(held[:, v]).any() for v, t in enumerate(end.transforms) if t.season == DIFFERENCE]
            for _ in range(1 + sum(later)):
                path = path_with(end.shifted(held, end.restored(path)))
        return path

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
        clipped: Array = np.clip(np.array(rows), self.low, self.high)
        return clipped

    @property
    def n_period(self) -> int:
        """Number of steps in a season."""
        return len(self.ends[0].seasons)

    def season_columns(self) -> tuple[list[str], Array]:
        """Return the names of what seasons add to the features of the map of one step, and their weights.

        These are the seasons, if a variable has an index for each, and the value one season before, if differences
        from it are modelled; nothing for a panel. Weights, of shape (n_variables, n_columns), are those of modelled
        values.
        """
        if len(self.ends) > 1:
            return [], np.zeros((len(self.names), 0))
        transforms, names, weights = self.ends[0].transforms, list[str](), list[Array]()
        if any(transform.season == INDEX for transform in transforms):
            names += self.season_names
            indexed = np.array([transform.season == INDEX for transform in transforms])
            weights.append(self.ends[0].seasons.T * indexed[:, None])
        for v, transform in enumerate(transforms):
            if transform.season == DIFFERENCE:
                log = "log " if transform.log else ""
                names.append(f"{log}{self.names[v]} one season before")
                weights.append(np.eye(len(transforms))[:, [v]])
        return names, np.concatenate(weights, axis=1) if weights else np.zeros((len(transforms), 0))

    def season_rows(self, n_steps: int, drivers: Array | None = None) -> Array:
        """Return the columns of `season_columns` at each step of a forecast."""
        end, columns = self.ends[0], []
        if any(transform.season == INDEX for transform in end.transforms):
            columns.append(np.eye(self.n_period)[np.arange(n_steps) % self.n_period])
        differences = [v for v, transform in enumerate(end.transforms) if transform.season == DIFFERENCE]
        if differences:
            later = self.paths(n_steps, 0, drivers)[0] if n_steps > self.n_period else end.modelled[:0]
            columns.append(np.concatenate([end.modelled, later])[:n_steps][:, differences])
        return np.concatenate(columns, axis=1) if columns else np.zeros((n_steps, 0))

    def map_rows(self, n_steps: int, run: int = 0, drivers: Array | None = None) -> Array:
        """Return the inputs of the map of one step, for each step of a forecast."""
        rows = self.feature_rows(n_steps, run, drivers)
        return rows if len(self.ends) > 1 else np.concatenate([rows, self.season_rows(n_steps, drivers)], axis=1)
