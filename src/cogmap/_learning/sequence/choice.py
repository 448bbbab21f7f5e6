"""Choose how a variable is transformed, and which teachers its map has, by errors of held-out forecasts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.sequence.members import CAUTIOUS, MEMBERS, Member, penalty_of, ridge
from cogmap._learning.sequence.prepared import Prepared, Rows, Table, feature_bounds, prepare, rows_of, table_of
from cogmap.models.lags import Lags, VariableLags
from cogmap.models.recurrence import Recurrence
from cogmap.models.transforms import DIFFERENCE, INDEX, Transform, season_strength

Array = NDArray[np.float64]

_N_TEACHERS = 8
_POWER = 2.0  # the weight of a teacher falls with this power of its held-out error
_CAUTIOUS_SHARE = 0.4  # of the cautious teachers in the mean
_RICH_GAIN = 0.9  # error that a rich teacher must have, relative to others
_NO_SEASON, _SEASON = 0.3, 0.8  # strengths below and above which the choice is not left to the errors
_RATES = (0.0, 0.15, 0.3)
_MIN_RATIO = 1e-3  # of the smallest value to the median, for logarithms
_MIN_CHANGES, _DIFFERENCE_CHANGES = 8, 4
_MAX_ORIGINS = 300  # of forecasts within the steps learned from


@dataclass(frozen=True, eq=False)
class Choice:
    """Result of `choose` for one variable.

    Attributes
    ----------
    transform : Transform
        How the variable is transformed.
    lags : VariableLags
        Its features.
    teachers : tuple of (Member, float)
        Teachers with their shares, which add up to 1.
    error : float
        Mean held-out error, as a multiple of that of a (seasonal) naive forecast of one step.
    """

    transform: Transform
    lags: VariableLags
    teachers: tuple[tuple[Member, float], ...]
    error: float

    def skip(self) -> int:
        """Return how many first steps the teachers cannot learn from."""
        return skipped([member for member, _ in self.teachers], self.lags)


def n_held_out(n_steps: int, horizon: int) -> int:
    """Return how many of the last steps of a series are held out."""
    return min(max(horizon + 1, min(n_steps // 4, 3 * horizon)), n_steps // 2)


def origins_of(run: Prepared) -> NDArray[np.intp]:
    """Return the first steps of held-out forecasts."""
    return np.arange(run.n_known, run.n_steps)


def learned_origins(run: Prepared) -> NDArray[np.intp]:
    """Return first steps of forecasts within the steps that were learned from."""
    first, n = run.start + 2, run.n_known - run.start - 2
    return first + np.unique(np.linspace(0, n - 1, min(n, _MAX_ORIGINS)).astype(np.intp)) if n > 0 else np.arange(0)


def naive_scale(values: Array, period: int) -> float:
    """Return the mean absolute error of the (seasonal) naive forecast; 1 if it is 0."""
    changes = np.abs(values[period:] - values[:-period])
    changes = changes[~np.isnan(changes)]
    scale = float(changes.mean()) if changes.size else 0.0
    return scale if scale > 0.0 else 1.0


def forecast_errors(
    table: Table,
    lags: Lags,
    recurrence: Recurrence,
    horizon: int,
    bounds: tuple[Array, Array],
    origins: NDArray[np.intp],
) -> tuple[Array, Array]:
    """Return the errors of forecasts, as modelled and in units; both (n_origins, n_steps, n_variables)."""
    run = table.run
    inputs = None
    if run.drivers is not None and lags.drivers:
        whole = lags.inputs(np.concatenate([run.drivers, np.repeat(run.drivers[-1:], horizon, axis=0)]))
        inputs = None if whole is None else np.stack([whole[o - 1 : o - 1 + horizon] for o in origins])
    paths = recurrence.run(lags, table.memories[origins - 1], horizon, bounds, inputs)
    forecasts = run.restored(paths, origins)
    places = origins[:, None] + np.arange(horizon)
    inside = places < run.n_steps
    places = np.minimum(places, run.n_steps - 1)
    truth = np.where(inside[:, :, None] & run.known[places], run.values[places], np.nan)
    modelled = np.stack([run.modelled[v][places] for v in range(truth.shape[2])], axis=-1)
    return np.where(np.isnan(truth), np.nan, forecasts - modelled), run.units(forecasts) - truth


def choose(series: Sequence[Array], name: str, period: int, horizon: int, held_out: Sequence[int]) -> Choice:
    """Choose the transform and the teachers of one variable.

    Parameters
    ----------
    series : sequence of ndarray
        Values of the variable in each run, NaN if missing.
    name : str
        Name of the variable.
    period : int
        Number of steps in a season; 1 for none.
    horizon : int
        Number of steps to forecast.
    held_out : sequence of int
        Number of last steps of each run that are held out.
    """
    candidates = []
    for transform in _transforms(series, period):
        runs = [
            prepare(y[:, None], [transform], len(y) - out, horizon) for y, out in zip(series, held_out, strict=True)
        ]
        lags = Lags((_lags_of(name, transform, runs),))
        tables = [table_of(run, lags) for run in runs]
        scored = []
        memo: dict[int, Rows] = {}
        for member in dict.fromkeys((*MEMBERS, *CAUTIOUS)):  # one of them is in both
            rows = _rows(tables, lags, member, memo)
            n_used = int(member.used(lags, 0).sum())
            n_rows = int(rows.weight.sum())
            if n_rows < max(2 if n_used == 0 else 3, 1.5 * n_used) or (member.rich and n_rows < 3 * n_used):
                continue
            weights, bias = ridge(rows, 0, penalty_of(member, lags, 0), member.drift)
            error = mean_error(tables, lags, Recurrence.linear(weights[None], np.array([bias])), horizon, period)
            scored.append((member, error / (_RICH_GAIN if member.rich else 1.0)))
        chosen = [(member, error) for member, error in scored if member not in CAUTIOUS[:1]]
        if chosen:
            chosen.sort(key=lambda pair: pair[1])
            best = float(np.mean([error for _, error in chosen[:3]]))
            candidates.append((best, transform, lags.variables[0], chosen[:_N_TEACHERS]))
    if not candidates:  # too few values to learn from: the last value, without change
        still = Member((), 0, 1.0, drift=False)
        return Choice(Transform(), VariableLags(name, 1), ((still, 1.0),), np.nan)
    best, transform, variable_lags, chosen = min(candidates, key=lambda candidate: candidate[0])
    lowest = chosen[0][1]
    shares = [((lowest + 1e-300) / (error + 1e-300)) ** _POWER for _, error in chosen]
    teachers = {
        member: (1.0 - _CAUTIOUS_SHARE) * share / sum(shares) for (member, _), share in zip(chosen, shares, strict=True)
    }
    for member in CAUTIOUS:
        teachers[member] = teachers.get(member, 0.0) + _CAUTIOUS_SHARE / len(CAUTIOUS)
    return Choice(transform, variable_lags, tuple(teachers.items()), best)


def mean_error(tables: Sequence[Table], lags: Lags, recurrence: Recurrence, horizon: int, period: int) -> float:
    """Return the mean absolute held-out error, relative to naive forecasts."""
    total, count, bounds = 0.0, 0, feature_bounds(tables)
    for table in tables:
        run = table.run
        errors = np.abs(forecast_errors(table, lags, recurrence, horizon, bounds, origins_of(run))[1])
        for v in range(errors.shape[2]):
            scale = naive_scale(run.values[: run.n_known, v], period if run.n_known > period else 1)
            known = errors[:, :, v][~np.isnan(errors[:, :, v])]
            total, count = total + float(known.sum()) / scale, count + known.size
    return total / max(count, 1)


def _rows(tables: Sequence[Table], lags: Lags, member: Member, memo: dict[int, Rows]) -> Rows:
    """Return the rows to learn from, computed once for each number of skipped steps."""
    skip = skipped([member], lags.variables[0])
    if skip not in memo:
        memo[skip] = rows_of(tables, skip)
    return memo[skip]


def skipped(members: Sequence[Member], lags: VariableLags) -> int:
    """Return how many first steps have no complete features."""
    changes = max(min(member.n_changes, lags.n_changes) for member in members)
    season = lags.period if any("season" in member.kinds for member in members) else 0
    return max(1, changes, season)


def _transforms(series: Sequence[Array], period: int) -> list[Transform]:
    """Return the transforms to try."""
    known = [y[~np.isnan(y)] for y in series]
    positive = all(len(y) and y.min() > max(0.0, _MIN_RATIO * float(np.median(y))) for y in known)
    shortest = min(len(y) for y in known)
    logs = (False, True) if positive else (False,)
    plain = [Transform(log) for log in logs]
    if period < 2 or shortest < 2 * period + 4:
        return plain
    strength = max(season_strength(Transform(log).modelled(y), period) for y in series for log in logs)
    if strength < _NO_SEASON:
        return plain
    seasonal = [Transform(log, INDEX, period, rate) for log in logs for rate in _RATES]
    if shortest >= 3 * period + 8:
        seasonal += [Transform(log, DIFFERENCE, period) for log in logs]
    return seasonal if strength > _SEASON else plain + seasonal


def _lags_of(name: str, transform: Transform, runs: Sequence[Prepared]) -> VariableLags:
    """Return the features of a variable, given its transform."""
    shortest = min(run.n_known - run.start for run in runs)
    difference = transform.season == DIFFERENCE
    wanted = _DIFFERENCE_CHANGES if difference else max(_MIN_CHANGES, transform.period + 1)
    return VariableLags(name, max(1, min(wanted, shortest // 4)), transform.period if difference else 0)
