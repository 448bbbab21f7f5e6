"""`FCMForecaster`: forecasts of time series by a fuzzy cognitive map."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from cogmap._learning.sequence.fitting import SequenceData, fit_sequence
from cogmap._learning.sequence.mapping import map_in_time, map_of_step, sequence_model
from cogmap._utils.documentation import DocLinkMixin
from cogmap._utils.params import check_boolean, check_integer, param_error, shown, suggestion
from cogmap._utils.text import quoted
from cogmap._utils.threads import one_blas_thread
from cogmap.estimators._backtest import backtest
from cogmap.estimators._drivers import aligned_drivers, future_drivers
from cogmap.estimators._forecasts import Forecast
from cogmap.estimators._series import checked_run, constraints, held_values, sentence
from cogmap.estimators._time_axis import Runs, TimeAxis, read_runs
from cogmap.exceptions import DataError
from cogmap.explanation import explain
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.statistics.conformal import check_level
from cogmap.statistics.forecasts import forecast_radii

__all__ = ["FCMForecaster", "Forecast"]

Array = NDArray[np.float64]

_OWNER = "FCMForecaster"
_MAX_STEPS = 10_000
_MAX_HORIZON = 60  # steps over which maps are compared
_N_HISTORY = 3  # horizons of past values in pictures


class FCMForecaster(DocLinkMixin, BaseEstimator):
    """Forecasts of time series by a fuzzy cognitive map.

    The concepts of the map are the variables, their past values and changes, their averages over the past, drivers that
    are known in advance, and hidden concepts, each with a name. Direct arrows are a linear model; hidden concepts,
    which are used if they reduce held-out errors, make it nonlinear. One map forecasts all variables: its outputs
    become its inputs of the next step. Logarithms, season, lags and arrows between variables are chosen by errors of
    forecasts of the last part of the series, over as many steps as `horizon`, and the map is trained through several
    steps.

    Parameters
    ----------
    season : int or "auto", default="auto"
        Number of steps in a season, 1 for none. ``"auto"``: 12 for months, 4 for quarters, 7 for days, 24 for hours, 52
        for weeks, 1 for years and for series without dates. Whether there is a season is decided by the data.
    horizon : int or "auto", default="auto"
        Number of steps over which forecasts are compared and trained. ``"auto"``: a season, at least 6 and at most 24.
        `forecast` may have more or fewer steps.
    hidden : bool, default=True
        Whether hidden concepts are tried; never with `weight_bounds`, which could not limit their influences.
    weight_bounds : dict of (from, to) names, default=None
        Sign ``"+"`` or ``"-"``, bounds (low, high), or 0 for no arrow, from one variable or driver to another variable.
        Weights are those of standardized values.
    prior : FuzzyCognitiveMap, default=None
        Map of an expert. Weights between variables, and from drivers, are pulled towards its weights.

    Attributes
    ----------
    model_ : MapModel
        The map of one step: from features to the next values. `explain`, `to_rules` and figures take it.
    map_ : FuzzyCognitiveMap
        The map of `model_`.
    sequence_ : SequenceModel
        The same map as a recurrence, with the ends of the series.
    variables_, drivers_ : list of str
        Names.
    errors_ : list of ndarray of shape (n_origins, horizon, n_variables)
        Errors of forecasts of held-out values, of logarithms where these are modelled.
    growth_ : ndarray of shape (n_variables,)
        Power of the step with which errors grow, over forecasts from all origins.
    error_ : float
        Mean absolute error of these forecasts, divided by that of the (seasonal) naive forecast of one step.
    sentence_ : str
        What was chosen.

    See Also
    --------
    learn_map : Learn a map from observed states, without transforms and lags.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FCMForecaster
    >>> months = np.arange(60)
    >>> sales = 100 + months + 20 * np.sin(2 * np.pi * months / 12)
    >>> forecaster = FCMForecaster(season=12).fit(sales)
    >>> forecaster.forecast(2).values.round(0)
    array([[160.],
           [171.]])

    Hold a variable, explain a forecast, and check forecasts of known values:

    >>> forecaster.scenario({"value": 150.0}, steps=2).values.round(0).ravel()
    array([150., 150.])
    >>> forecaster.explain(steps=2).contributions.shape[0], forecaster.coverage(0.9).shape
    (2, (12, 1))
    >>> sorted(forecaster.backtest(sales, n_origins=2))
    ['coverage', 'errors', 'level', 'origins', 'steps']
    """

    def __init__(
        self,
        season: int | str = "auto",
        horizon: int | str = "auto",
        hidden: bool = True,
        weight_bounds: Mapping[tuple[str, str], Any] | None = None,
        prior: FuzzyCognitiveMap | None = None,
    ) -> None:
        self.season = season
        self.horizon = horizon
        self.hidden = hidden
        self.weight_bounds = weight_bounds
        self.prior = prior

    def fit(self, series: Any, drivers: Any = None) -> "FCMForecaster":
        """Learn from time series.

        Parameters
        ----------
        series : array-like of shape (n_steps,) or (n_steps, n_variables), Series, DataFrame, or mapping
            One or several variables. A pandas index of dates or periods, or a polars column of dates, gives the time. A
            mapping from names to series, a list of series, or a frame with two index levels is a panel: one map is
            learned from all. NaN is a missing value.
        drivers : like `series`, default=None
            Variables known in advance, such as prices. They must be known for all steps of `series`, whose dates or
            numbers they are found by. In a panel they have the names of its series, or are the same for all.

        Returns
        -------
        FCMForecaster
            The fitted forecaster itself.
        """
        runs = read_runs(series, "FCMForecaster.fit(series=...)")
        return self._fit(
            runs, None if drivers is None else read_runs(drivers, "FCMForecaster.fit(drivers=...)", "driver")
        )

    def _fit(self, runs: Runs, inputs: Runs | None) -> "FCMForecaster":
        season = self._season(runs.axes[0])
        horizon = self._horizon(season)
        check_boolean(_OWNER, "hidden", self.hidden)
        asked = self.season != "auto"
        values = [checked_run(run, runs, place, season, asked) for place, run in enumerate(runs.values)]
        driver_names = [] if inputs is None else inputs.names
        both = [name for name in driver_names if name in runs.names]
        if both:
            raise DataError(
                f"FCMForecaster.fit: {quoted(both[0])} is both a variable and a driver. Leave one of them out."
            )
        known = None if inputs is None else aligned_drivers(inputs, runs, values)
        center, scale = np.zeros(len(driver_names)), np.ones(len(driver_names))
        if known is not None:
            together = np.concatenate(known)
            center, scale = together.mean(axis=0), together.std(axis=0)
            scale[scale < 1e-12] = 1.0
            known = [(one - center) / scale for one in known]
        allowed, prior = constraints(self.weight_bounds, self.prior, runs.names, driver_names)
        data = SequenceData(values, known, runs.names, driver_names, season, horizon, runs.axes[0].unit, allowed, prior)
        with one_blas_thread():
            fit = fit_sequence(data, self.hidden and allowed is None)
        learned = np.concatenate([table.features[table.run.start :] for table in fit.tables])
        self.sequence_ = sequence_model(fit, data, center, scale, runs.axes[0].season_names(season))
        self.model_ = map_of_step(self.sequence_, learned)
        self.variables_, self.drivers_ = list(runs.names), driver_names
        self.labels_, self.axes_ = runs.labels, runs.axes
        self.season_, self.horizon_ = season, horizon
        self.errors_, self.growth_, self.error_ = fit.errors, fit.growth, float(fit.error)
        self.sentence_ = sentence(fit, data)
        n_shown = _N_HISTORY * horizon
        self.history_ = [run[-n_shown:] for run in values]
        return self

    @property
    def map_(self) -> FuzzyCognitiveMap:
        """The map of one step."""
        check_is_fitted(self, "model_")
        return self.model_.map

    @property
    def map_in_time_(self) -> FuzzyCognitiveMap:
        """A map whose steps are those of time, for `settle`, `scenario` and `certificate` of `cogmap.maps`."""
        check_is_fitted(self, "model_")
        return map_in_time(self.sequence_)

    def forecast(
        self,
        steps: int | None = None,
        drivers: Any = None,
        hold: Mapping[str, Any] | None = None,
        level: float | None = None,
        series: str | int = 0,
    ) -> Forecast:
        """Forecast the next steps, also with some variables or drivers held at given values.

        Parameters
        ----------
        steps : int, default=None
            Number of steps; None means `horizon`.
        drivers : like `drivers` of `fit`, default=None
            Values of the drivers in these steps. With dates, or an index of numbers that has those of the next steps,
            they are found by them.
        hold : mapping, default=None
            Variables or drivers to hold, by name: a number, one number per step, or a mapping from times to the numbers
            from then on, such as ``{"fishing": {"2027": 0.5}}``. The result then has a baseline, in which a held driver
            has its value in `drivers`, or its last one.
        level : float, default=None
            Probability with which intervals cover the values, such as 0.9.
        series : str or int, default=0
            Series of a panel, by name or number.

        Returns
        -------
        Forecast
            Values of each step, with intervals and a baseline if asked for.
        """
        check_is_fitted(self, "model_")
        owner = f"{_OWNER}.forecast"
        steps = self.horizon_ if steps is None else check_integer(owner, "steps", steps, low=1, high=_MAX_STEPS)
        level = None if level is None else check_level(owner, level)
        run = self._run_number(series)
        axis = self.axes_[run]
        held, fixed = held_values(hold or {}, steps, self.variables_, self.drivers_, axis, self.sequence_.ends[run])
        future = self._future(drivers, steps, run, hold or (), fixed)
        modelled, values = self.sequence_.paths(steps, run, future, held)
        baseline = None
        if hold:
            plain = self._future(drivers, steps, run, hold)
            baseline = self.sequence_.paths(steps, run, plain)[1]
        low, high = (None, None) if level is None else self._interval(modelled, values, held, level, run)
        index = axis.after(steps)
        history = (axis.until(len(self.history_[run])), self.history_[run])
        names, times = tuple(hold or ()), axis.texts(index)
        return Forecast(tuple(self.variables_), times, values, low, high, level, baseline, names, index, history)

    def scenario(
        self,
        hold: Mapping[str, Any],
        steps: int | None = None,
        drivers: Any = None,
        level: float | None = None,
        series: str | int = 0,
    ) -> Forecast:
        """Forecast with some variables or drivers held; the same as ``forecast(steps, drivers, hold, level, series)``.

        Parameters
        ----------
        hold : mapping
            What to hold, as in `forecast`.
        steps : int, default=None
            As in `forecast`.
        drivers : like `drivers` of `fit`, default=None
            As in `forecast`.
        level : float, default=None
            As in `forecast`.
        series : str or int, default=0
            As in `forecast`.

        Returns
        -------
        Forecast
            Its `change` is the difference from the forecast in which nothing is held.
        """
        check_is_fitted(self, "model_")
        if not hold:
            names = [*self.variables_, *self.drivers_]
            raise param_error(f"{_OWNER}.scenario", "hold", f"a mapping from some of {shown(names)} to values", hold)
        return self.forecast(steps, drivers, hold, level, series)

    def explain(self, steps: int = 1, drivers: Any = None, series: str | int = 0) -> Any:
        """Explain the forecast of each step: the contributions of past values, averages and drivers.

        Parameters
        ----------
        steps : int, default=1
            Number of steps.
        drivers : like `drivers` of `fit`, default=None
            Future values of the drivers.
        series : str or int, default=0
            Series of a panel.

        Returns
        -------
        Explanation
            One row per step. Values are logarithms where these are modelled.
        """
        check_is_fitted(self, "model_")
        steps = check_integer(f"{_OWNER}.explain", "steps", steps, low=1, high=_MAX_STEPS)
        run = self._run_number(series)
        rows = self.sequence_.map_rows(steps, run, self._future(drivers, steps, run))
        return explain(self.model_, rows)

    def coverage(self, level: float = 0.9) -> Array:
        """Return the share of held-out values that intervals would have covered, for each step and variable.

        Parameters
        ----------
        level : float, default=0.9
            Probability with which intervals should cover them.

        Returns
        -------
        ndarray of shape (horizon, n_variables)
            Shares, between 0 and 1; NaN for steps without held-out values.
        """
        check_is_fitted(self, "model_")
        level = check_level(f"{_OWNER}.coverage", level)
        errors = np.concatenate(self.errors_)
        shares = []
        for v in range(errors.shape[2]):
            radii = forecast_radii(errors[:, :, v], level, errors.shape[1], self.growth_[v])
            counts = (~np.isnan(errors[:, :, v])).sum(axis=0)
            inside = (np.abs(errors[:, :, v]) <= radii).sum(axis=0)
            shares.append(np.where(counts > 0, inside / np.maximum(counts, 1), np.nan))
        return np.stack(shares, axis=1)

    def backtest(self, series: Any, drivers: Any = None, n_origins: int = 3, level: float = 0.9) -> dict[str, Any]:
        """Forecast the last part of a series from several origins, each by a map learned only from earlier values.

        Parameters
        ----------
        series : array-like, Series or DataFrame
            As in `fit`, but no panel.
        drivers : like `series`, default=None
            As in `fit`.
        n_origins : int, default=3
            Number of forecasts of `horizon` steps, half a horizon apart; fewer, and shorter ones, of short series.
        level : float, default=0.9
            Probability with which intervals should cover the values.

        Returns
        -------
        dict
            ``"errors"``: the mean absolute scaled error (MASE) of the map and of simple forecasts, by method;
            ``"coverage"``: the share of values within the intervals; ``"level"``, ``"steps"`` and ``"origins"``.
        """
        return backtest(self, series, drivers, n_origins, level)

    def _season(self, axis: TimeAxis) -> int:
        if isinstance(self.season, str) and self.season == "auto":
            return axis.period
        return check_integer(_OWNER, "season", self.season, low=1, high=_MAX_STEPS, cure='Or "auto".')

    def _horizon(self, season: int) -> int:
        if isinstance(self.horizon, str) and self.horizon == "auto":
            return int(np.clip(season if season > 4 else 2 * season, 6, 24))
        return check_integer(_OWNER, "horizon", self.horizon, low=1, high=_MAX_HORIZON, cure='Or "auto".')

    def _run_number(self, series: str | int) -> int:
        n = len(self.sequence_.ends)
        if isinstance(series, str):
            if series in self.labels_:
                return self.labels_.index(series)
            cure = suggestion(series, self.labels_)
            expected = f"one of {shown(self.labels_)}" if self.labels_ else "0: the forecaster learned from one series"
            raise param_error(f"{_OWNER}.forecast", "series", expected, series, cure)
        return check_integer(f"{_OWNER}.forecast", "series", series, low=0, high=n - 1)

    def _future(
        self, drivers: Any, steps: int, run: int, held: Collection[str] = (), fixed: Array | None = None
    ) -> Array | None:
        """Return the drivers of the next steps, see `future_drivers`."""
        if not self.drivers_:
            if drivers is not None:
                raise DataError(f"{_OWNER}.forecast: it was fitted without drivers, so that it takes none.")
            return None
        model = self.sequence_
        last = model.driver_center + model.driver_scale * model.ends[run].drivers
        label = self.labels_[run] if self.labels_ else None
        return future_drivers(drivers, self.drivers_, self.axes_[run], steps, label, last, held, fixed)

    def _interval(
        self, modelled: Array, values: Array, held: Array | None, level: float, run: int
    ) -> tuple[Array, Array]:
        """Return the bounds of intervals."""
        own = self.errors_[run] if (~np.isnan(self.errors_[run])).any() else np.concatenate(self.errors_)
        end, steps = self.sequence_.ends[run], len(modelled)
        radii = np.stack(
            [forecast_radii(own[:, :, v], level, steps, growth) for v, growth in enumerate(self.growth_)], axis=1
        )
        low, high = end.units(modelled - radii), end.units(modelled + radii)
        if held is not None:
            low, high = (np.where(np.isnan(held), bound, values) for bound in (low, high))
        return low, high
