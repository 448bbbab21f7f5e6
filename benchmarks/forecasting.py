"""Maps in time: accuracy, CPU time and coverage of `FCMForecaster`, and arrows found by `learn_map`.

It needs an environment of its own (`make bench-forecasting`), because statsforecast needs an older pandas. Sections:
``series`` (one series, against seven rivals), ``tables`` (several series), ``planted`` (maps found again), ``driver``
(signs of effects). ``--group`` selects the series on which defaults were chosen, or those on which they are confirmed.
Every result of ``series`` and ``tables`` is stored at once, and the same command resumes an interrupted run.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import cached
from benchmarks.forecasting_data import Series, choosing, confirming, tables
from cogmap import FCMForecaster, FuzzyCognitiveMap, learn_map

Rival = Callable[[np.ndarray, int, int], np.ndarray]
MAP = "FCMForecaster"


def _statsforecast(name: str) -> Rival:
    from statsforecast import models

    def forecast(y: np.ndarray, season: int, steps: int) -> np.ndarray:
        return np.asarray(getattr(models, name)(season_length=season).forecast(y=y, h=steps)["mean"])

    return forecast


def _on_lags(make: Callable[[], object]) -> Rival:
    """Return recursive forecasts of differences, of logarithms if values are positive, by a regressor on lags."""

    def forecast(y: np.ndarray, season: int, steps: int) -> np.ndarray:
        log = bool((y > 0).all())
        z = np.log(y) if log else y
        d = np.diff(z)
        p = max(1, min(max(season + 1, 8), len(d) // 3))
        X = np.lib.stride_tricks.sliding_window_view(d, p)[:-1]
        model = make().fit(X, d[p:])
        path = list(d)
        for _ in range(steps):
            path.append(float(model.predict(np.array(path[-p:])[None])[0]))
        result = z[-1] + np.cumsum(path[len(d) :])
        return np.exp(np.clip(result, -600, 600)) if log else result

    return forecast


def lstcn(y: np.ndarray, season: int, steps: int, n_blocks: int = 3) -> np.ndarray:
    """Forecast one or several series by a long short-term cognitive network (Nápoles and others, 2022).

    Blocks of patches are learned one after the other: the weights from inputs to the hidden state are those that the
    block before learned for its output, the weights of the output are a ridge regression.
    """
    values = y.reshape(len(y), -1)
    low, high = values.min(axis=0), values.max(axis=0)
    unit = np.where(high > low, high - low, 1.0)
    x = 0.1 + 0.8 * (values - low) / unit
    k, n = x.shape[1], len(x)
    length = max(1, min(steps, n // 6))
    starts = np.arange(n - 2 * length + 1)
    inputs = np.stack([x[t : t + length].ravel() for t in starts])
    outputs = np.stack([x[t + length : t + 2 * length].ravel() for t in starts])
    squash = lambda net: 1.0 / (1.0 + np.exp(-np.clip(net, -30, 30)))  # noqa: E731
    logit = lambda state: np.log(np.clip(state, 1e-3, 1 - 1e-3) / (1 - np.clip(state, 1e-3, 1 - 1e-3)))  # noqa: E731

    def ridge(H: np.ndarray, T: np.ndarray) -> np.ndarray:
        H = np.column_stack([H, np.ones(len(H))])
        return np.linalg.solve(H.T @ H + 0.1 * np.eye(H.shape[1]), H.T @ logit(T))

    weights = ridge(inputs, outputs)  # prior of the first block
    for rows in np.array_split(np.arange(len(inputs)), n_blocks):
        hidden = squash(np.column_stack([inputs[rows], np.ones(len(rows))]) @ weights)
        before, weights = weights, ridge(hidden, outputs[rows])
    path, last = [], x[-length:].ravel()
    while len(path) < steps:
        hidden = squash(np.append(last, 1.0) @ before)
        last = squash(np.append(hidden, 1.0) @ weights)
        path.extend(last.reshape(length, k))
    result = low + unit * (np.array(path[:steps]) - 0.1) / 0.8
    return result[:, 0] if y.ndim == 1 else result


def _lightgbm() -> object:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_estimators=100, min_child_samples=5, num_leaves=8, learning_rate=0.1, n_jobs=1, verbose=-1)


def _ridge() -> object:
    from sklearn.linear_model import RidgeCV

    return RidgeCV(np.logspace(-4, 2, 13))


def _map_forecast(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    values = FCMForecaster(season=season, horizon=steps).fit(y).forecast(steps).values
    return values[:, 0] if y.ndim == 1 else values


def _var(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    from statsmodels.tsa.api import VAR

    fitted = VAR(np.diff(y, axis=0)).fit(maxlags=max(1, min(4, len(y) // (5 * y.shape[1]))), ic="aic")
    changes = fitted.forecast(np.diff(y, axis=0)[-max(fitted.k_ar, 1) :], steps)
    return y[-1] + np.cumsum(changes, axis=0)


def _ridge_of_several(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    from sklearn.linear_model import RidgeCV

    d = np.diff(y, axis=0)
    scale = d.std(axis=0)
    d, p = d / scale, max(1, min(season + 1, 5))
    X = np.stack([d[t : t + p].ravel() for t in range(len(d) - p)])
    model, path = RidgeCV(np.logspace(-3, 4, 15)).fit(X, d[p:]), list(d)
    for _ in range(steps):
        path.append(model.predict(np.array(path[-p:]).ravel()[None])[0])
    return y[-1] + np.cumsum(np.array(path[len(d) :]) * scale, axis=0)


RIVALS: dict[str, Callable[[], Rival]] = {
    MAP: lambda: _map_forecast,
    "AutoARIMA": lambda: _statsforecast("AutoARIMA"),
    "AutoETS": lambda: _statsforecast("AutoETS"),
    "AutoTheta": lambda: _statsforecast("AutoTheta"),
    "ridge on lags": lambda: _on_lags(_ridge),
    "LightGBM on lags": lambda: _on_lags(_lightgbm),
    "LSTCN": lambda: lstcn,
    "seasonal naive": lambda: lambda y, season, steps: y[-season:][np.arange(steps) % season],
}
RIVALS_OF_SEVERAL: dict[str, Rival] = {
    MAP: _map_forecast,
    "VAR": _var,
    "ridge on lags": _ridge_of_several,
    "LSTCN": lstcn,
}
SERIES = {"choosing": choosing, "confirming": confirming}
MOST_MASE = 100.0  # a series on which every method is worse (hyperinflation) would decide the means alone
N_ORIGINS, ORIGINS_OF_SEVERAL = 3, (4, 3, 2, 1, 0)


@cache
def _series(group: str) -> dict[str, Series]:
    return {s.name: s for s in SERIES[group]() if s.origins[0] > s.season + 4}


@cache
def _ready(rival: str) -> Rival:
    """Return a rival after a first forecast of each kind of season, in which it compiles."""
    forecast = RIVALS[rival]()
    warm = np.sin(np.arange(60.0)) + np.random.default_rng(0).normal(size=60) + 5
    for season in (1, 4, 12):
        forecast(warm, season, 3)
    return forecast


def measure_series(dataset: str, fold: int, method: str) -> dict[str, Any]:
    """Return the scaled error of forecasts from one origin, and for the map which values are within 90 % intervals."""
    warnings.simplefilter("ignore")
    group, _, name = dataset.partition("/")
    s, forecast = _series(group)[name], _ready(method)
    origin = s.origins[fold]
    start = time.process_time()
    values = forecast(s.values[:origin], s.season, s.horizon)
    row = {"fit_seconds": time.process_time() - start, "score": float(s.mase(origin, values))}
    if method == MAP:
        fitted = FCMForecaster(season=s.season, horizon=s.horizon).fit(s.values[:origin])
        interval, truth = fitted.forecast(s.horizon, level=0.9), s.values[origin : origin + s.horizon]
        row["inside"] = [int(v) for v in (truth >= interval.low[:, 0]) & (truth <= interval.high[:, 0])]
    return row


def measure_table(dataset: str, fold: int, method: str) -> dict[str, Any]:
    """Return the mean squared error of forecasts of several series, in units of the deviation of changes."""
    warnings.simplefilter("ignore")
    season, frame = tables()[dataset.partition("/")[2]]
    y = frame.to_numpy(dtype=float)
    origin = len(y) - 8 - 4 * ORIGINS_OF_SEVERAL[fold]
    wrong = RIVALS_OF_SEVERAL[method](y[:origin], season, 8) - y[origin : origin + 8]
    return {"score": float(np.square(wrong / np.diff(y, axis=0).std(axis=0)).mean())}


def _series_pieces(group: str) -> list[cached.Piece]:
    return [
        cached.Piece("forecasting", f"{group}/{name}", fold, method, measure_series)
        for name in _series(group)
        for fold in range(N_ORIGINS)
        for method in RIVALS
    ]


def _table_pieces() -> list[cached.Piece]:
    return [
        cached.Piece("forecasting", f"tables/{name}", fold, method, measure_table)
        for name in tables()
        for fold in range(len(ORIGINS_OF_SEVERAL))
        for method in RIVALS_OF_SEVERAL
    ]


def _ranks(scores: np.ndarray) -> np.ndarray:
    return np.asarray((1 + (scores[:, None, :] < scores[:, :, None]).sum(axis=2)).mean(axis=0))


def _finished(rows: dict[Any, Any], names: list[str], n_folds: int, methods: list[str]) -> list[str]:
    return [name for name in names if all((name, fold, m) in rows for fold in range(n_folds) for m in methods)]


def summarize_series(rows: dict[Any, Any], group: str) -> dict[str, Any] | None:
    """Return mean and median scaled errors, ranks, CPU times beside AutoARIMA's, and the coverage of intervals."""
    methods = list(RIVALS)
    names = _finished(rows, [f"{group}/{name}" for name in _series(group)], N_ORIGINS, methods)
    names = [n for n in names if min(rows[n, 0, m]["score"] for m in methods) < MOST_MASE]
    if not names:
        return None
    scores, cpu = (
        np.array([[np.mean([rows[n, f, m][key] for f in range(N_ORIGINS)]) for m in methods] for n in names])
        for key in ("score", "fit_seconds")
    )
    arima, ranks = methods.index("AutoARIMA"), _ranks(scores)
    inside = [rows[n, f, MAP]["inside"] for n in names for f in range(N_ORIGINS)]
    longest = max(map(len, inside))
    return {
        "n_series": len(names),
        "n_planned": len(_series(group)),
        "methods": {
            method: {
                "mase": float(scores[:, j].mean()),
                "median": float(np.median(scores[:, j])),
                "ratio": float(scores[:, j].mean() / scores[:, arima].mean()),
                "rank": float(ranks[j]),
                "cpu_ratio": float(cpu[:, j].sum() / cpu[:, arima].sum()),
            }
            for j, method in sorted(enumerate(methods), key=lambda item: scores[:, item[0]].mean())
        },
        "coverage": float(np.mean([hit for hits in inside for hit in hits])),
        "coverage_by_step": [float(np.mean([h[step] for h in inside if len(h) > step])) for step in range(longest)],
    }


def summarize_tables(rows: dict[Any, Any]) -> dict[str, Any] | None:
    """Return the root mean squared errors of each table, and mean ranks."""
    methods, n_folds = list(RIVALS_OF_SEVERAL), len(ORIGINS_OF_SEVERAL)
    names = _finished(rows, [f"tables/{name}" for name in tables()], n_folds, methods)
    if not names:
        return None
    errors = np.sqrt([[np.mean([rows[n, f, m]["score"] for f in range(n_folds)]) for m in methods] for n in names])
    return {
        "n_planned": len(tables()),
        "rmse": {
            n.partition("/")[2]: dict(zip(methods, map(float, e), strict=True))
            for n, e in zip(names, errors, strict=True)
        },
        "rank": dict(zip(methods, map(float, _ranks(errors)), strict=True)),
    }


def planted_section(n_maps: int = 5, evaluations: int = 20_000) -> dict[str, Any]:
    """Find planted maps again, by gradients and by populations."""
    from cogmap.comparators import search_map

    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(n_maps):
        rng = np.random.default_rng(seed)
        arrows = (rng.random((20, 20)) < 0.3) & ~np.eye(20, dtype=bool)
        weights = np.where(arrows, rng.uniform(0.2, 1.0, (20, 20)) * rng.choice([-1, 1], (20, 20)), 0.0)
        fcm, runs = FuzzyCognitiveMap(weights, activation="logistic"), []
        for _ in range(40):
            states = [rng.random(20)]
            for _ in range(5):
                states.append(np.clip(fcm.step(states[-1]) + 0.02 * rng.normal(size=20), 0, 1))
            runs.append(np.array(states))
        learned = {"learn_map": learn_map(runs).map.weights}
        for solver in ("rcga", "pso", "de") if seed == 0 else ():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                learned[solver] = search_map(
                    runs, solver, slope=1.0, max_evaluations=evaluations, random_state=0
                ).map.weights
        for name, W in learned.items():
            size = np.abs(W)
            kept = size > (0 if name == "learn_map" else np.quantile(size, 0.7))  # populations are told the density
            score = 2 * (kept & arrows).sum() / (kept.sum() + arrows.sum())
            found.setdefault(name, []).append((score, (np.sign(W) == np.sign(weights))[arrows].mean()))
    means = {name: np.mean(results, axis=0) for name, results in found.items()}
    return {name: {"f1": float(score), "signs": float(signs)} for name, (score, signs) in means.items()}


def driver_section(n_systems: int = 100) -> dict[str, Any]:
    """Count the simulated systems in which a scenario has the right sign of a driver's effect on every variable."""
    right = 0
    for seed in range(n_systems):
        rng = np.random.default_rng(seed)
        k, n = 4, 200
        A, b = np.diag(rng.uniform(0.3, 0.7, k)), np.zeros(k)
        for i in range(1, k):
            A[i, i - 1] = rng.choice([-1, 1]) * rng.uniform(0.2, 0.5)
        b[0] = rng.choice([-1, 1]) * rng.uniform(0.5, 1.0)
        u, x = np.zeros(n), np.zeros((n, k))
        for t in range(1, n):
            u[t] = 0.8 * u[t - 1] + 0.6 * rng.normal()
            x[t] = A @ x[t - 1] + b * u[t] + 0.2 * rng.normal(size=k)
        forecaster = FCMForecaster(horizon=12).fit(x, u)
        change = forecaster.forecast(24, np.zeros(24), {"driver": 2.0}).change[-1]
        right += bool((np.sign(change) == np.sign(np.linalg.solve(np.eye(k) - A, b))).all())
    return {"right": right, "systems": n_systems}


def main() -> None:
    """Run the missing results of the sections named on the command line, by default all, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=["series", "tables", "planted", "driver"])
    parser.add_argument("--group", choices=list(SERIES), default="confirming")
    parser.add_argument("--out", type=Path, default=Path("results/forecasting"), help="folder for the results")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    path = arguments.out / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if "note" in summary:  # figures of another run
        summary = {}
    for section in arguments.sections:
        if section == "series":
            cached.run(arguments.out, _series_pieces(arguments.group), arguments.jobs)
            summary[arguments.group] = summarize_series(cached.read_rows(arguments.out), arguments.group)
        elif section == "tables":
            cached.run(arguments.out, _table_pieces(), arguments.jobs)
            summary["tables"] = summarize_tables(cached.read_rows(arguments.out))
        elif section not in summary:  # planted and driver take minutes: delete summary.json to repeat them
            summary[section] = {"planted": planted_section, "driver": driver_section}[section]()
        cached.write_summary(arguments.out, summary)
    print(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
