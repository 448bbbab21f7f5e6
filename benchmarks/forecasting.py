"""Maps in time: accuracy, CPU time and coverage of `FCMForecaster`, and arrows found by `learn_map`.

It needs an environment of its own (`make bench-forecasting`), because statsforecast needs an older pandas. Sections:
``series`` (one series, against seven rivals), ``coverage`` (of intervals, by step), ``tables`` (several series),
``planted`` (maps found again), ``driver`` (signs of effects). Every result is a line of ``results.jsonl``, kept
under the version of its method: an interrupted run resumes, and a second run measures only what has changed.
``summary.json`` and ``summary.md`` are written from them. A complete first run takes about an hour.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.forecasting_data import Series, choosing, confirming, tables, untouched
from benchmarks.forecasting_rivals import rivals_of_series, rivals_of_tables
from benchmarks.forecasting_summary import write_summary
from benchmarks.kept_rows import KeptRows, Row, source_version
from cogmap import FCMForecaster, FuzzyCognitiveMap, learn_map

SOURCE = Path(__file__).parents[1] / "src" / "cogmap"
LEVEL = 0.9
COVERED_STEPS = 12
MOST_ORIGINS = 10  # of a series, for coverage


OBSERVED = SOURCE / "_learning" / "sequence" / "observed.py"  # the training of `learn_map`


def our_version() -> str:
    """Return the version of everything that forecasts depend on."""
    names = ("lags", "transforms", "recurrence", "sequence")
    return source_version(
        *sorted(set((SOURCE / "_learning" / "sequence").glob("*.py")) - {OBSERVED}),
        *(SOURCE / "models" / f"{name}.py" for name in names),
        SOURCE / "statistics" / "forecasts.py",
        SOURCE / "estimators" / "forecaster.py",
    )


def groups() -> dict[str, list[Series]]:
    """Return the series on which defaults were chosen, and those on which they are confirmed."""
    return {"confirming": confirming(), "choosing": choosing()}


def series_section(kept: KeptRows, ours: str) -> list[Row]:
    """Compare forecasts of single series, from three origins each."""
    rivals = rivals_of_series(ours)
    tasks = []
    for group, members in groups().items():
        for s in members:
            if s.origins[0] > s.season + 4:
                key = {"section": "series", "group": group, "source": s.source, "series": s.name}
                tasks += [(s, name, {**key, "method": name, "version": rivals[name][0]}) for name in rivals]
    warm = np.sin(np.arange(60.0)) + np.random.default_rng(0).normal(size=60) + 5
    for name, (_, rival) in rivals.items():
        if kept.missing(key for _, method, key in tasks if method == name):
            for season in (1, 4, 12):
                rival(warm, season, 3)  # compiles

    def measure(s: Series, name: str) -> Row:
        start = time.process_time()
        errors = [s.mase(o, rivals[name][1](s.values[:o], s.season, s.horizon)) for o in s.origins]
        return {"mase": float(np.mean(errors)), "cpu": time.process_time() - start}

    return [kept.row(key, lambda s=s, name=name: measure(s, name)) for s, name, key in tasks]


def coverage_section(kept: KeptRows, ours: str) -> list[Row]:
    """Count values within intervals, of forecasts of 12 steps from ten origins in the second half of each series."""

    def measure(s: Series, origin: int) -> Row:
        forecaster = FCMForecaster(season=s.season, horizon=COVERED_STEPS).fit(s.values[:origin])
        forecast = forecaster.forecast(COVERED_STEPS, level=LEVEL)
        truth = s.values[origin : origin + COVERED_STEPS]
        inside = (truth >= forecast.low[:, 0]) & (truth <= forecast.high[:, 0])
        unit = np.abs(np.diff(s.values[:origin])).mean()
        return {"inside": inside.astype(int).tolist(), "width": float((forecast.high - forecast.low).mean() / unit)}

    rows = []
    for group, members in {**groups(), "untouched": untouched()}.items():
        for s in members:
            first, last = max(3 * s.season + 8, 30, len(s.values) // 2), len(s.values) - COVERED_STEPS
            for origin in sorted({int(o) for o in np.linspace(first, last, MOST_ORIGINS)} if first <= last else ()):
                key = {"section": "coverage", "group": group, "series": s.name, "origin": origin, "version": ours}
                rows.append(kept.row(key, lambda s=s, origin=origin: measure(s, origin)))
    return rows


def tables_section(kept: KeptRows, ours: str) -> list[Row]:
    """Compare forecasts of several series by the mean squared error, in units of the deviation of changes."""
    rivals, rows = rivals_of_tables(ours), []

    def measure(y: np.ndarray, season: int, name: str) -> Row:
        errors, unit = [], np.diff(y, axis=0).std(axis=0)
        for origin in (len(y) - 8 - 4 * k for k in (4, 3, 2, 1, 0)):
            wrong = (rivals[name][1](y[:origin], season, 8) - y[origin : origin + 8]) / unit
            errors.append(float(np.square(wrong).mean()))
        return {"rmse": float(np.sqrt(np.mean(errors)))}

    for table, (season, frame) in tables().items():
        y = frame.to_numpy(dtype=float)
        for name, (version, _) in rivals.items():
            key = {"section": "tables", "table": table, "method": name, "version": version}
            rows.append(kept.row(key, lambda y=y, season=season, name=name: measure(y, season, name)))
    return rows


def planted_section(kept: KeptRows, ours: str, n_maps: int = 5, evaluations: int = 20_000) -> list[Row]:
    """Find planted maps again, by gradients and, one of them, by populations."""
    from cogmap.comparators import search_map

    def measure(seed: int, method: str) -> Row:
        rng = np.random.default_rng(seed)
        arrows = (rng.random((20, 20)) < 0.3) & ~np.eye(20, dtype=bool)
        weights = np.where(arrows, rng.uniform(0.2, 1.0, (20, 20)) * rng.choice([-1, 1], (20, 20)), 0.0)
        fcm, runs = FuzzyCognitiveMap(weights, activation="logistic"), []
        for _ in range(40):
            states = [rng.random(20)]
            for _ in range(5):
                states.append(np.clip(fcm.step(states[-1]) + 0.02 * rng.normal(size=20), 0, 1))
            runs.append(np.array(states))
        if method == "learn_map":
            found = learn_map(runs).map.weights
            kept_arrows = found != 0
        else:
            found = search_map(runs, method, slope=1.0, max_evaluations=evaluations, random_state=0).map.weights
            kept_arrows = np.abs(found) > np.quantile(np.abs(found), 0.7)  # populations are told the density
        score = 2 * (kept_arrows & arrows).sum() / (kept_arrows.sum() + arrows.sum())
        return {"f1": float(score), "signs": float((np.sign(found) == np.sign(weights))[arrows].mean())}

    search = source_version(SOURCE / "comparators")
    learning = source_version(OBSERVED, SOURCE / "estimators" / "learn_map.py")
    tasks = [(seed, "learn_map", learning) for seed in range(n_maps)] + [
        (0, name, search) for name in ("rcga", "pso", "de")
    ]
    return [
        kept.row(
            {"section": "planted", "seed": seed, "method": method, "version": version},
            lambda seed=seed, method=method: measure(seed, method),
        )
        for seed, method, version in tasks
    ]


def driver_section(kept: KeptRows, ours: str, n_systems: int = 100) -> list[Row]:
    """Count the simulated systems in which a scenario has the right sign of a driver's effect on every variable."""

    def measure(seed: int) -> Row:
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
        return {"right": bool((np.sign(change) == np.sign(np.linalg.solve(np.eye(k) - A, b))).all())}

    keys = [{"section": "driver", "seed": seed, "version": ours} for seed in range(n_systems)]
    return [kept.row(key, lambda seed=key["seed"]: measure(seed)) for key in keys]


SECTIONS: dict[str, Any] = {
    "series": series_section,
    "coverage": coverage_section,
    "tables": tables_section,
    "planted": planted_section,
    "driver": driver_section,
}


def main() -> None:
    """Run the sections named on the command line, by default all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--out", type=Path, default=Path("results/forecasting"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    kept, ours = KeptRows(arguments.out), our_version()
    rows = {section: SECTIONS[section](kept, ours) for section in arguments.sections}
    kept.forget_others(rows)
    write_summary(arguments.out, rows)
    print((arguments.out / "summary.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
