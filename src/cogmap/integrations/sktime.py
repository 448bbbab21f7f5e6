"""`FCMForecaster` as a forecaster of sktime.

Needs sktime, which ``pip install 'cogmap[sktime]'`` installs.
"""

from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap.estimators.forecaster import FCMForecaster

__all__ = ["SktimeFCMForecaster"]

_base = import_or_raise("sktime.forecasting.base", "cogmap.integrations.sktime", "sktime")
_pandas = import_or_raise("pandas", "cogmap.integrations.sktime", "sktime")


class SktimeFCMForecaster(_base.BaseForecaster):  # type: ignore[name-defined]
    """Forecaster of sktime that learns a fuzzy cognitive map.

    Steps for which `predict` gets no row of `X` repeat the row before, also those after its end: sktime passes the rows
    of `fh` only, and its checks pass fewer. `FCMForecaster` raises an error instead.

    Parameters
    ----------
    season : int or "auto", default="auto"
        Number of steps in a season, as in `FCMForecaster`.
    horizon : int or "auto", default="auto"
        Number of steps over which forecasts are compared and trained.
    hidden : bool, default=True
        Whether hidden concepts are tried.

    Attributes
    ----------
    forecaster_ : FCMForecaster or None
        The fitted forecaster, whose map can be read and asked. None if the series is constant or has too few values:
        the last value is then the forecast.

    Examples
    --------
    >>> import pandas as pd
    >>> from cogmap.integrations.sktime import SktimeFCMForecaster  # doctest: +SKIP
    >>> y = pd.Series(range(40), index=pd.period_range("2020-01", periods=40, freq="M"), dtype=float)
    >>> SktimeFCMForecaster().fit(y, fh=[1, 2, 3]).predict().shape  # doctest: +SKIP
    (3,)
    """

    _tags = {  # noqa: RUF012 - as sktime defines them
        "authors": ["cogmap developers"],
        "python_dependencies": [],
        "y_inner_mtype": "pd.DataFrame",
        "X_inner_mtype": "pd.DataFrame",
        "scitype:y": "both",
        "capability:exogenous": True,
        "capability:missing_values": True,
        "capability:pred_int": True,
        "capability:pred_int:insample": True,
        "capability:insample": True,
        "capability:update": True,
        "requires-fh-in-fit": False,
        "X-y-must-have-same-index": True,
        "enforce_index_type": None,
    }

    def __init__(self, season: int | str = "auto", horizon: int | str = "auto", hidden: bool = True) -> None:
        self.season = season
        self.horizon = horizon
        self.hidden = hidden
        super().__init__()

    def _fit(self, y: Any, X: Any, fh: Any) -> "SktimeFCMForecaster":
        """Learn a map."""
        self._columns = list(y.columns)
        self._observed, self._inputs = y, X
        self._n_later = 0  # observed after those that were learned from
        series = y.set_axis([f"y{k}" for k in range(y.shape[1])], axis=1)
        drivers = None if X is None or not X.shape[1] else X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
        self._last = y.ffill().bfill().fillna(0.0).iloc[-1].to_numpy(dtype=float)
        self._spread = y.diff().std().fillna(0.0).to_numpy(dtype=float)
        self.forecaster_ = None
        if all(series[name].nunique(dropna=True) > 1 for name in series):
            season = self.season
            try:
                one = FCMForecaster(season, self.horizon, self.hidden)
                self.forecaster_ = one.fit(_plain(series), None if drivers is None else _plain(drivers))
            except ValueError:
                if season not in ("auto", 1):
                    raise
                one = FCMForecaster(1, self.horizon, self.hidden)
                try:
                    self.forecaster_ = one.fit(_plain(series), None if drivers is None else _plain(drivers))
                except ValueError:  # too few values: the last one is the forecast
                    self.forecaster_ = None
        return self

    def _update(self, y: Any, X: Any = None, update_params: bool = True) -> "SktimeFCMForecaster":
        """Learn again, from all values; or only go on from the new end, with the forecast from the old one."""
        n_before = len(self._observed)
        self._observed = _joined(self._observed, y)
        if X is not None and self._inputs is not None:
            self._inputs = _joined(self._inputs, X)
        if update_params:
            return self._fit(self._observed, self._inputs, self._fh)
        self._n_later += len(self._observed) - n_before
        self._last = self._observed.ffill().bfill().fillna(0.0).iloc[-1].to_numpy(dtype=float)
        return self

    def _predict(self, fh: Any, X: Any) -> Any:
        """Return the forecast at the steps of `fh`; steps within the series have the value one step before."""
        values, _, _ = self._paths(fh, X, None)
        return _pandas.DataFrame(values, index=fh.to_absolute_index(self.cutoff), columns=self._columns)

    def _predict_interval(self, fh: Any, X: Any, coverage: Any) -> Any:
        """Return the intervals."""
        columns, arrays = [], []
        bounds = {level: self._paths(fh, X, level)[1:] for level in coverage}
        for v, name in enumerate(self._columns):
            for level in coverage:
                columns += [(name, level, "lower"), (name, level, "upper")]
                arrays += [bounds[level][0][:, v], bounds[level][1][:, v]]
        index = fh.to_absolute_index(self.cutoff)
        return _pandas.DataFrame(np.column_stack(arrays), index=index, columns=_pandas.MultiIndex.from_tuples(columns))

    def _paths(self, fh: Any, X: Any, level: float | None) -> tuple[Any, Any, Any]:
        """Return values and bounds at the steps of `fh`, relative to the end of the series."""
        steps = np.asarray(fh.to_relative(self.cutoff)._values, dtype=int)
        n = max(int(steps.max()), 1) + self._n_later
        k = len(self._last)
        values = np.tile(self._last, (n, 1))
        radius = 1.645 * self._spread * np.sqrt(np.arange(1.0, n + 1.0))[:, None]
        low, high = values - radius, values + radius
        if self.forecaster_ is not None:
            drivers = self._future(X, n)
            # sktime also asks for an interval of probability 0.
            forecast = self.forecaster_.forecast(
                n, drivers, level=None if level is None else float(np.clip(level, 1e-6, 1 - 1e-6))
            )
            values = forecast.values
            if forecast.low is not None and forecast.high is not None:
                low, high = np.minimum(forecast.low, values), np.maximum(forecast.high, values)
        past = np.asarray(self._observed.ffill().bfill().to_numpy(dtype=float)).reshape(-1, k)
        result = []
        for array, sign in ((values, 0.0), (low, -1.0), (high, 1.0)):
            before = np.concatenate([past[:1], past[:-1]]) + sign * 1.645 * self._spread
            whole = np.concatenate([before, array[self._n_later :]])
            result.append(whole[len(past) - 1 + steps])
        return result[0], result[1], result[2]

    def _future(self, X: Any, n_steps: int) -> Any:
        """Return the drivers of all steps up to the last; steps for which sktime has no row repeat the one before."""
        if self.forecaster_ is None or not self.forecaster_.drivers_:
            return None
        known = self._inputs if X is None else _joined(self._inputs, X)
        known = known.ffill()
        end = self._inputs.index[-1 - min(self._n_later, len(self._inputs) - 1)]
        later = known[known.index > end].to_numpy(dtype=float)
        last = known.iloc[[-1]].to_numpy(dtype=float)
        return np.concatenate([later, np.repeat(last, max(n_steps - len(later), 0), axis=0)])[:n_steps]

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Return parameters for sktime's checks.

        Parameters
        ----------
        parameter_set : str, default="default"
            Ignored.

        Returns
        -------
        list of dict
        """
        return [{"hidden": False}, {"season": 4, "horizon": 3, "hidden": False}]


def _joined(before: Any, later: Any) -> Any:
    """Return the rows of both frames, with missing values at times between them that neither has.

    Later rows replace those of the same time.
    """
    rows = _pandas.concat([before, later])
    rows = rows[~rows.index.duplicated(keep="last")].sort_index()
    index, frequency = before.index, getattr(before.index, "freq", None)
    if isinstance(index, _pandas.PeriodIndex):
        return rows.reindex(_pandas.period_range(rows.index[0], rows.index[-1], freq=frequency))
    if frequency is not None:
        return rows.asfreq(frequency)
    if index.dtype.kind in "iu" and int(index[-1]) - int(index[0]) == len(index) - 1:
        return rows.reindex(range(int(rows.index[0]), int(rows.index[-1]) + 1))
    return rows


def _plain(frame: Any) -> Any:
    """Return a frame with an index that `FCMForecaster` reads: dates or periods if regular, else counted steps."""
    index = frame.index
    if isinstance(index, _pandas.PeriodIndex):
        return frame
    if isinstance(index, _pandas.DatetimeIndex) and index.freq is not None:
        return frame
    return frame.reset_index(drop=True)
