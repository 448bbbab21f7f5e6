"""Learn one map of all variables of time series.

1. `choose` finds for each variable a transform and linear teachers, by errors of held-out forecasts.
2. The teachers' mean, with arrows from drivers and, if held-out errors fall, from other variables, is a linear map.
3. The map is trained by gradients through the steps of a forecast, towards the data and its teachers, with and without
   hidden concepts of at most three inputs. Each is kept if held-out errors fall clearly.

What was chosen is then learned again from all values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.network import MAX_INPUTS
from cogmap._learning.sequence.choice import (
    Choice,
    choose,
    forecast_errors,
    learned_origins,
    mean_error,
    n_held_out,
    origins_of,
    skipped,
)
from cogmap._learning.sequence.members import penalty_of, ridge
from cogmap._learning.sequence.prepared import Prepared, Rows, Table, feature_bounds, prepare, rows_of, table_of
from cogmap._learning.sequence.rollout import Rollout, train
from cogmap.models.lags import AVERAGE, CHANGE, LEVEL, Lags
from cogmap.models.recurrence import Recurrence
from cogmap.models.transforms import DIFFERENCE, INDEX
from cogmap.statistics.forecasts import error_growth

Array = NDArray[np.float64]

_CROSS = (10.0, 1.0, 0.1)  # penalties of arrows between variables that are tried
_DRIVERS = (1.0, 0.1, 0.01)  # of arrows from drivers
_CROSS_GAIN, _TRAINED_GAIN = 0.99, 0.75  # held-out errors that justify more arrows, and training, relative to before
_TRAINED_SHARE = 0.5  # of the trained map in its mean with its teachers, which follow trends less far
_N_HIDDEN = 4
_MIN_ROWS = 40  # to train through several steps
_MIN_ROWS_HIDDEN = 60
_MAX_TRAINED_STEPS = 6
_MAX_ORIGINS = 400
_PULL, _HIDDEN_PULL = 1.0, 0.1
_START_DEVIATION = 0.4  # of the net input of hidden concepts


@dataclass(frozen=True, eq=False)
class SequenceData:
    """What is learned from.

    Attributes
    ----------
    runs : list of ndarray of shape (n_steps, n_variables)
        Values of each run, NaN if missing.
    drivers : list of ndarray of shape (n_steps, n_drivers) or None
        Standardized values of the drivers in each run.
    names, driver_names : list of str
        Names of variables and drivers.
    period, horizon : int
        Steps in a season, and steps to forecast.
    unit : str
        Unit of time.
    allowed : ndarray of shape (2, n_variables, n_variables + n_drivers), optional
        Smallest and largest weight of arrows between variables, and from drivers; None if all are free.
    prior : ndarray of shape (n_variables, n_variables + n_drivers), optional
        Weights towards which those arrows are pulled.
    """

    runs: list[Array]
    drivers: list[Array] | None
    names: list[str]
    driver_names: list[str]
    period: int
    horizon: int
    unit: str
    allowed: Array | None = None
    prior: Array | None = None


@dataclass(frozen=True, eq=False)
class SequenceFit:
    """Result of `fit_sequence`.

    Attributes
    ----------
    lags, recurrence, bounds
        The map, see `Recurrence.run`.
    runs : list of Prepared
        The runs, from whose ends forecasts start.
    tables : list of Table
        Their memories and features.
    errors : list of ndarray of shape (n_origins, n_steps, n_variables)
        Errors of held-out forecasts of each run, as modelled: relative for logarithms. NaN where unknown.
    growth : ndarray of shape (n_variables,)
        Power of the step with which errors grow.
    choices : list of Choice
        Transform and teachers of each variable.
    error : float
        Mean absolute held-out error relative to the (seasonal) naive forecast of one step.
    steps : list of str
        What was kept: "arrows between variables", "training", "hidden concepts".
    """

    lags: Lags
    recurrence: Recurrence
    bounds: tuple[Array, Array]
    runs: list[Prepared]
    tables: list[Table]
    errors: list[Array]
    growth: Array
    choices: list[Choice]
    error: float
    steps: list[str]


@dataclass(frozen=True)
class _Settings:
    """What is decided by held-out errors."""

    cross: float | None = None
    drivers: float = 1.0
    trained: bool = False
    n_hidden: int = 0


def _label(choice: Choice, unit: str) -> str:
    """Return what the features of a variable are called, given its transform."""
    name, transform = choice.lags.name, choice.transform
    if transform.season == DIFFERENCE:
        return f"{'growth' if transform.log else 'increase'} of {name} over {transform.period} {unit}s"
    return f"{name} without season" if transform.season == INDEX else name


class _Learner:
    """Learns maps of the same data with different settings."""

    def __init__(self, data: SequenceData, choices: list[Choice]) -> None:
        self.data, self.choices = data, choices
        variables = [replace(choice.lags, name=_label(choice, data.unit)) for choice in choices]
        self.lags = Lags(tuple(variables), tuple(data.driver_names), data.unit)

    def tables(self, n_out: Sequence[int]) -> list[Table]:
        """Return the runs, of which the last `n_out` steps are held out."""
        transforms = [choice.transform for choice in self.choices]
        drivers: Sequence[Array | None] = self.data.drivers or [None] * len(self.data.runs)
        runs = [
            prepare(values, transforms, len(values) - out, max(self.data.horizon, self.data.period), inputs)
            for values, out, inputs in zip(self.data.runs, n_out, drivers, strict=True)
        ]
        return [table_of(run, self.lags) for run in runs]

    def learn(self, tables: list[Table], settings: _Settings) -> Recurrence:
        """Return the map learned with some settings."""
        linear = self._linear(tables, settings)
        if not settings.trained:
            return linear
        n_hidden = settings.n_hidden
        trained = self._with_hidden(tables, linear, n_hidden) if n_hidden else self._trained(tables, linear, linear)
        return linear.blended(trained, _TRAINED_SHARE)

    def error(self, tables: list[Table], recurrence: Recurrence) -> float:
        """Return the held-out error."""
        return mean_error(tables, self.lags, recurrence, self.data.horizon, self.data.period)

    def _source_features(self, target: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the features of other variables and drivers that may influence a variable, and their sources."""
        lags, k = self.lags, len(self.choices)
        first = np.zeros(lags.n_features, dtype=bool)
        for v in range(k):
            own = lags.owners == v
            first[np.flatnonzero(own & (lags.kinds == CHANGE))[:1]] = True
            first[np.flatnonzero(own & (lags.kinds == AVERAGE))[1:2]] = True
        sources = np.where(lags.owners >= 0, lags.owners, 0)
        driver = np.flatnonzero(lags.owners < 0)
        sources[driver] = k + np.arange(len(driver)) // 2
        used = ((lags.owners != target) & (first | (lags.kinds == LEVEL))) | (lags.owners < 0)
        if self.data.allowed is not None:
            low, high = self.data.allowed[:, target]
            limited = np.isfinite(low) | np.isfinite(high)
            used &= ~(limited[sources] & (lags.kinds != LEVEL))  # a bound is one of the value itself
            used &= ~((low == 0.0) & (high == 0.0))[sources]
        places = np.flatnonzero(used)
        return places, sources[places]

    def _linear(self, tables: list[Table], settings: _Settings) -> Recurrence:
        """Return the mean of the teachers, with arrows from drivers and other variables."""
        k, n = len(self.choices), self.lags.n_features
        direct, bias = np.zeros((k, n)), np.zeros(k)
        for v, choice in enumerate(self.choices):
            places, sources = self._source_features(v)
            alpha = np.where(sources >= k, settings.drivers, np.inf if settings.cross is None else settings.cross)
            prior = np.zeros(n)
            if self.data.prior is not None:
                levels = self.lags.kinds[places] == LEVEL
                prior[places[levels]] = self.data.prior[v, sources[levels]]
            for member, share in choice.teachers:
                rows = rows_of(tables, skipped([member], choice.lags))
                penalty = penalty_of(member, self.lags, v)
                penalty[places] = np.where(np.isfinite(penalty[places]), penalty[places], alpha)
                rows = Rows(rows.features, rows.changes - (rows.features @ prior)[:, None], rows.weight)
                weights, offset = self._bounded_ridge(rows, v, penalty, prior, places, sources, member.drift)
                direct[v] += share * weights
                bias[v] += share * offset
        return Recurrence.linear(direct, bias)

    def _bounded_ridge(
        self,
        rows: Rows,
        v: int,
        penalty: Array,
        prior: Array,
        places: NDArray[np.intp],
        sources: NDArray[np.intp],
        drift: bool,
    ) -> tuple[Array, float]:
        """Return a ridge regression in which weights beyond a bound are set to it."""
        weights, offset = ridge(rows, v, penalty, drift)
        weights = weights + prior
        if self.data.allowed is None:
            return weights, offset
        low, high = (bound[v, sources] for bound in self.data.allowed)
        clipped = np.clip(weights[places], low, high)
        changed = clipped != weights[places]
        if changed.any():
            fixed = np.zeros(len(prior))
            fixed[places[changed]] = clipped[changed]
            penalty = penalty.copy()
            penalty[places[changed]] = np.inf
            rows = Rows(
                rows.features, rows.changes - (rows.features @ (fixed - prior * (fixed != 0)))[:, None], rows.weight
            )
            weights, offset = ridge(rows, v, penalty, drift)
            free = ~np.isin(np.arange(len(prior)), places[changed])
            weights = weights + np.where(free, prior, 0.0) + fixed
            weights[places] = np.clip(weights[places], low, high)
        return weights, offset

    def _rollout(self, tables: list[Table]) -> tuple[Rollout, Array]:
        """Return the error of forecasts of a few steps, and the deviation of each feature."""
        n_steps = min(self.data.horizon, _MAX_TRAINED_STEPS)
        skip = max(choice.skip() for choice in self.choices)
        memory, targets, weight, inputs, seen = [], [], [], [], []
        for table in tables:
            run = table.run
            origins = np.arange(run.start + skip, run.n_known - 1)
            origins = origins[-_MAX_ORIGINS:]
            places = origins[:, None] + 1 + np.arange(n_steps)
            inside = np.minimum(places, run.n_known - 1)
            memory.append(table.memories[origins])
            targets.append(run.x[inside])
            known = run.known[inside] & (places < run.n_known)[:, :, None]
            weight.append(known / np.arange(1.0, n_steps + 1.0)[:, None])
            seen.append(table.features[run.start + skip : run.n_known])
            whole = self.lags.inputs(run.drivers)
            if whole is not None:
                inputs.append(whole[np.minimum(places, run.n_known - 1) - 1])
        all_weights = np.concatenate(weight)
        scale = np.concatenate([np.diff(table.run.x[: table.run.n_known], axis=0) for table in tables]).std(axis=0)
        scale[scale < 1e-9] = 1.0
        all_weights /= np.square(scale) * max(float(all_weights.sum()), 1e-9)
        rollout = Rollout(
            self.lags,
            np.concatenate(memory),
            np.concatenate(targets),
            all_weights,
            np.concatenate(inputs) if inputs else None,
        )
        return rollout, np.maximum(np.concatenate(seen).std(axis=0), 1e-6)

    def _weight_bounds(self, recurrence: Recurrence) -> tuple[Array, Array] | None:
        """Return bounds of all parameters, or None if all are free."""
        if self.data.allowed is None:
            return None
        low, high = np.full(recurrence.direct.shape, -np.inf), np.full(recurrence.direct.shape, np.inf)
        for v in range(len(self.choices)):
            places, sources = self._source_features(v)
            low[v, places], high[v, places] = (bound[v, sources] for bound in self.data.allowed)
        free = np.full(len(recurrence.theta) - low.size, np.inf)
        return np.concatenate([low.ravel(), -free]), np.concatenate([high.ravel(), free])

    def _trained(self, tables: list[Table], start: Recurrence, anchor: Recurrence) -> Recurrence:
        """Return a map trained through several steps."""
        rollout, deviation = self._rollout(tables)
        unit = np.sqrt(self._unit_squares(tables))
        pull = Recurrence(
            _PULL * np.square(deviation / unit[:, None]),
            np.full(len(unit), _PULL) / np.square(unit),
            np.broadcast_to(_HIDDEN_PULL * np.square(deviation) * 0.1, start.into_hidden.shape),
            np.full(start.n_hidden, 0.1 * _HIDDEN_PULL),
            np.broadcast_to((_HIDDEN_PULL / np.square(unit))[:, None], start.from_hidden.shape),
        )
        if start.n_hidden:
            pull.direct[:] *= _HIDDEN_PULL
            pull.bias[:] *= _HIDDEN_PULL
        free = Recurrence(
            start.direct != 0.0,
            np.ones(len(unit)),
            start.into_hidden != 0.0,
            np.ones(start.n_hidden),
            np.ones(start.from_hidden.shape),
        ).theta.astype(bool)
        return train(rollout, start, anchor, pull.theta, free, self._weight_bounds(start))

    def _unit_squares(self, tables: list[Table]) -> Array:
        changes = np.concatenate([np.diff(table.run.x[: table.run.n_known], axis=0) for table in tables])
        squares: Array = np.square(changes).mean(axis=0)
        return np.maximum(squares, 1e-12)

    def _with_hidden(self, tables: list[Table], linear: Recurrence, n_hidden: int) -> Recurrence:
        """Return a map with hidden concepts of few inputs, trained through several steps."""
        _, deviation = self._rollout(tables)
        seen = np.concatenate([table.features[table.run.start : table.run.n_known] for table in tables])
        random = np.random.RandomState(0)
        used = linear.direct.any(axis=0) & (deviation > 1e-5)
        into = np.where(used, random.normal(size=(n_hidden, len(used))), 0.0)
        into *= _START_DEVIATION / deviation
        unit = np.sqrt(self._unit_squares(tables))
        start = linear.with_hidden(
            into, -into @ seen.mean(axis=0), 0.05 * unit[:, None] * random.normal(size=(len(unit), n_hidden))
        )
        anchor = start.with_hidden(start.into_hidden, start.hidden_bias, np.zeros_like(start.from_hidden))
        dense = self._trained(tables, start, anchor)
        strength = np.abs(dense.into_hidden) * deviation
        kept = np.zeros(strength.shape, dtype=bool)
        np.put_along_axis(kept, np.argsort(-strength, axis=1, kind="stable")[:, :MAX_INPUTS], True, axis=1)
        few = dense.with_hidden(np.where(kept, dense.into_hidden, 0.0), dense.hidden_bias, dense.from_hidden)
        anchor = few.with_hidden(few.into_hidden, few.hidden_bias, np.zeros_like(few.from_hidden))
        anchor = Recurrence(linear.direct, linear.bias, anchor.into_hidden, anchor.hidden_bias, anchor.from_hidden)
        return self._trained(tables, few, anchor)


def fit_sequence(data: SequenceData, hidden: bool = True) -> SequenceFit:
    """Learn a map of time series.

    Parameters
    ----------
    data : SequenceData
        What to learn from.
    hidden : bool, default=True
        Whether hidden concepts are tried.
    """
    n_out = [n_held_out(len(values), data.horizon) for values in data.runs]
    choices = [
        choose([values[:, v] for values in data.runs], name, data.period, data.horizon, n_out)
        for v, name in enumerate(data.names)
    ]
    learner = _Learner(data, choices)
    tables = learner.tables(n_out)
    settings = _Settings()
    best = learner.learn(tables, settings)
    error = learner.error(tables, best)
    candidates: list[tuple[_Settings, float]] = [
        (_Settings(drivers=alpha), 1.0) for alpha in (_DRIVERS[1:] if data.driver_names else ())
    ]

    def try_all(candidates: list[tuple[_Settings, float]]) -> bool:
        nonlocal settings, best, error
        before = error
        for candidate, gain in candidates:
            recurrence = learner.learn(tables, candidate)
            found = learner.error(tables, recurrence)
            if found < min(gain * before, error):
                settings, best, error = candidate, recurrence, found
        return error < before

    steps = []
    try_all(candidates)
    if len(choices) > 1 and try_all([(_Settings(cross, settings.drivers), _CROSS_GAIN) for cross in _CROSS]):
        steps.append("arrows between variables")
    n_rows = sum(max(0, table.run.n_known - table.run.start - max(c.skip() for c in choices)) for table in tables)
    more = []
    if n_rows >= _MIN_ROWS:
        more.append((_Settings(settings.cross, settings.drivers, trained=True), _TRAINED_GAIN))
    if hidden and n_rows >= _MIN_ROWS_HIDDEN:
        more.append((_Settings(settings.cross, settings.drivers, True, _N_HIDDEN), _TRAINED_GAIN))
    if more and try_all(more):
        steps.append("hidden concepts" if settings.n_hidden else "training through several steps")
    bounds = feature_bounds(tables)

    def errors_from(origins: Callable[[Prepared], NDArray[np.intp]]) -> list[Array]:
        return [
            forecast_errors(table, learner.lags, best, data.horizon, bounds, origins(table.run))[0] for table in tables
        ]

    errors = errors_from(origins_of)
    # Held-out forecasts overlap and are few: their last steps say little about how errors grow.
    growth = error_growth(np.concatenate(errors_from(learned_origins)))
    tables = learner.tables([0] * len(data.runs))
    recurrence = learner.learn(tables, settings)
    runs = [table.run for table in tables]
    bounds = feature_bounds(tables)
    return SequenceFit(learner.lags, recurrence, bounds, runs, tables, errors, growth, choices, error, steps)
