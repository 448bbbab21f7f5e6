"""Errors of forecasts from past origins, beside those of simple forecasts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from cogmap._utils.params import check_integer
from cogmap.estimators._drivers import aligned_drivers
from cogmap.estimators._rivals import RIVALS
from cogmap.estimators._time_axis import Runs, TimeAxis, read_runs
from cogmap.exceptions import DataError
from cogmap.statistics.conformal import check_level


def _first(values: NDArray[np.float64], names: list[str], n_steps: int) -> Runs:
    """Return the first steps of a run, with its names."""
    return Runs([values[:n_steps]], names, [TimeAxis(last=n_steps - 1)], [], [None])


def backtest(forecaster: Any, series: Any, drivers: Any, n_origins: int, level: float) -> dict[str, Any]:
    """Return the errors of a map and its rivals, see `FCMForecaster.backtest`."""
    n_origins = check_integer("FCMForecaster.backtest", "n_origins", n_origins, low=1, high=100)
    level = check_level("FCMForecaster.backtest", level)
    runs = read_runs(series, "FCMForecaster.backtest(series=...)")
    if len(runs.values) > 1:
        raise DataError("FCMForecaster.backtest: test one series of a panel at a time.")
    values, names = runs.values[0], runs.names
    inputs = None if drivers is None else read_runs(drivers, "FCMForecaster.backtest(drivers=...)", "driver")
    known_inputs = None if inputs is None else aligned_drivers(inputs, runs, runs.values)[0]
    season = forecaster._season(runs.axes[0])
    least = max(2 * season + 4, 12)
    horizon = min(forecaster._horizon(season), len(values) - least)
    if horizon < 1:
        raise DataError(
            f"FCMForecaster.backtest: {len(values)} steps are too few to test forecasts, which needs at least "
            f"{least + 1}."
        )
    errors: dict[str, list[float]] = {"this map": [], **{name: [] for name in RIVALS}}
    if season == 1:
        del errors["one season before"]
    covered, used = [], 0
    for k in range(n_origins - 1, -1, -1):
        origin = len(values) - horizon - k * max(horizon // 2, 1)
        if origin < least:
            continue
        used += 1
        one = clone(forecaster).set_params(season=season, horizon=horizon)
        past = _first(values, runs.names, origin)
        if inputs is None or known_inputs is None:
            one._fit(past, None)
            later = None
        else:
            one._fit(past, _first(known_inputs, inputs.names, origin))
            later = known_inputs[origin : origin + horizon]
        forecast = one.forecast(horizon, drivers=later, level=level)
        truth = values[origin : origin + horizon]
        known = ~np.isnan(truth)
        if forecast.low is not None and forecast.high is not None:
            covered.append(((truth >= forecast.low) & (truth <= forecast.high))[known])
        for v in range(len(names)):
            y = values[:origin, v]
            gaps = np.isnan(y)
            y = np.interp(np.arange(origin), np.flatnonzero(~gaps), y[~gaps])
            unit = float(np.abs(y[season:] - y[:-season]).mean()) or 1.0
            paths = {name: rival(y, season, horizon) for name, rival in RIVALS.items() if name in errors}
            for name, path in {"this map": forecast.values[:, v], **paths}.items():
                wrong = np.abs(path - truth[:, v])[known[:, v]]
                if wrong.size:
                    errors[name].append(float(wrong.mean()) / unit)
    scores = {name: float(np.mean(all_errors)) for name, all_errors in errors.items() if all_errors}
    share = float(np.concatenate(covered).mean()) if covered else float("nan")
    return {"errors": scores, "coverage": share, "level": level, "steps": horizon, "origins": used}
