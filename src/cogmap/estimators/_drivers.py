"""Drivers of `FCMForecaster`: their values in the steps that it learns from, and in the steps that it forecasts."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import shown
from cogmap._utils.text import quoted
from cogmap.estimators._time_axis import Runs, TimeAxis, read_runs
from cogmap.exceptions import DataError

Array = NDArray[np.float64]


def _of_series(drivers: Runs, label: str | None, owner: str) -> int:
    """Return the number of the run of drivers for a series; drivers that are no panel are those of all series."""
    if not drivers.labels:
        return 0
    if label is None and len(drivers.labels) == 1:
        return 0
    if label not in drivers.labels:
        whose = "one series, which is not a panel" if label is None else f"series {quoted(label)}"
        raise DataError(
            f"{owner}: the drivers are those of the series {shown(drivers.labels)}, and not of {whose}. Name them as "
            "the series, or pass drivers that all series share."
        )
    return drivers.labels.index(label)


def _counted(index: Any) -> bool:
    """Return whether an index only counts rows from 0 on."""
    return index.dtype.kind in "iu" and int(index[0]) == 0


def aligned_drivers(inputs: Runs, runs: Runs, values: list[Array]) -> list[Array]:
    """Return the drivers of the steps of each run.

    Parameters
    ----------
    inputs, runs : Runs
        Drivers and series as they were given.
    values : list of ndarray of shape (n_steps, n_variables)
        The last steps of each series, whose drivers are needed.
    """
    owner, result = "FCMForecaster.fit", []
    for place, run in enumerate(values):
        number = _of_series(inputs, runs.labels[place] if runs.labels else None, owner)
        drivers, n_steps = inputs.values[number], len(runs.values[place])
        index, own = inputs.index[number], runs.index[place]
        rows = None if index is None or own is None else index.get_indexer(own)
        if rows is not None and (rows < 0).any():
            if not _counted(index) and not _counted(own):
                raise DataError(f"{owner}: the drivers have no row for {quoted(str(own[rows < 0][0]))}.")
            rows = None
        if rows is not None:
            drivers = drivers[rows]
        elif len(drivers) < n_steps:
            raise DataError(
                f"{owner}: the drivers have {len(drivers)} steps, the series {n_steps}. They must be known for all of "
                "them."
            )
        drivers = drivers[n_steps - len(run) : n_steps]
        if np.isnan(drivers).any():
            name = inputs.names[int(np.argwhere(np.isnan(drivers))[0, 1])]
            raise DataError(f"{owner}: the driver {quoted(name)} has missing values. Fill them first.")
        result.append(drivers)
    return result


def future_drivers(
    given: Any, names: list[str], axis: TimeAxis, steps: int, label: str | None, last: Array,
    held: Collection[str], fixed: Array | None,
) -> Array:  # fmt: skip
    """Return the values of the drivers in the next steps.

    Parameters
    ----------
    given : array-like, Series, DataFrame, mapping or None
        What `FCMForecaster.forecast` was given.
    names : list of str
        Names of the drivers.
    axis : TimeAxis
        Time of the series.
    steps : int
        Number of steps.
    label : str or None
        Name of the series in a panel.
    last : ndarray of shape (n_drivers,)
        Last values, which drivers in `held` keep where others are not given.
    held : collection of str
        Names of drivers that are held.
    fixed : ndarray of shape (n_steps, n_drivers) or None
        The values at which they are held; NaN where they are free, None in a baseline.
    """
    owner = "FCMForecaster.forecast"
    result = np.full((steps, len(names)), np.nan)
    if given is not None:
        drivers = read_runs(given, f"{owner}(drivers=...)", "driver")
        missing = [name for name in names if name not in drivers.names]
        nameless = all(name.startswith("driver") for name in drivers.names) and len(drivers.names) == len(names)
        if missing and not nameless:
            raise DataError(f"{owner}: the driver {quoted(missing[0])} is missing from drivers.")
        number = _of_series(drivers, label, owner)
        places = [drivers.names.index(name) if name in drivers.names else k for k, name in enumerate(names)]
        values = drivers.values[number][:, places]
        index = drivers.index[number]
        rows = None if index is None else index.get_indexer(axis.after(steps))
        if rows is None or ((rows < 0).any() and _counted(index)):
            result[: len(values)] = values[:steps]
        else:
            result[rows >= 0] = values[rows[rows >= 0]]
    result = np.where(np.isnan(result) & np.isin(names, list(held)), last, result)
    if fixed is not None:
        result = np.where(np.isnan(fixed), result, fixed)
    if np.isnan(result).any():
        step, place = np.argwhere(np.isnan(result))[0]
        raise DataError(
            f"{owner}: the driver {quoted(names[place])} must be known for all {steps} steps, but is not for step "
            f"{step + 1}. Pass drivers=, or hold it."
        )
    return result
