"""Maps in time: accuracy, CPU time and coverage of `FCMForecaster`, and arrows found by `learn_map`.

It needs an environment of its own (`make bench-forecasting`), because statsforecast needs an older pandas. Sections:
``series`` (one series, against seven rivals), ``tables`` (several series), ``planted`` (maps found again), ``driver``
(signs of effects). ``--group`` selects the series on which defaults were chosen, or those on which they are confirmed.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

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


def series_section(group: list[Series]) -> None:
    """Compare forecasts of single series."""
    covered: dict[int, list[bool]] = {}

    def ours(y: np.ndarray, season: int, steps: int) -> np.ndarray:
        return FCMForecaster(season=season, horizon=steps).fit(y).forecast(steps).values[:, 0]

    rivals: dict[str, Rival] = {
        MAP: ours,
        "AutoARIMA": _statsforecast("AutoARIMA"),
        "AutoETS": _statsforecast("AutoETS"),
        "AutoTheta": _statsforecast("AutoTheta"),
        "ridge on lags": _on_lags(_ridge),
        "LightGBM on lags": _on_lags(_lightgbm),
        "LSTCN": lstcn,
        "seasonal naive": lambda y, season, steps: y[-season:][np.arange(steps) % season],
    }
    usable = [s for s in group if s.origins[0] > s.season + 4]
    scores, cpu = np.empty((len(usable), len(rivals))), np.zeros(len(rivals))
    warm = np.sin(np.arange(60.0)) + np.random.default_rng(0).normal(size=60) + 5
    for rival in rivals.values():
        for season in (1, 4, 12):
            rival(warm, season, 3)  # compiles
    for i, s in enumerate(usable):
        for j, rival in enumerate(rivals.values()):
            start = time.process_time()
            scores[i, j] = np.mean([s.mase(o, rival(s.values[:o], s.season, s.horizon)) for o in s.origins])
            cpu[j] += time.process_time() - start
        for o in s.origins:
            forecast = (
                FCMForecaster(season=s.season, horizon=s.horizon).fit(s.values[:o]).forecast(s.horizon, level=0.9)
            )
            truth = s.values[o : o + s.horizon]
            inside = (truth >= forecast.low[:, 0]) & (truth <= forecast.high[:, 0])
            for step, hit in enumerate(inside):
                covered.setdefault(step + 1, []).append(bool(hit))
    ranks = (1 + (scores[:, None, :] < scores[:, :, None]).sum(axis=2)).mean(axis=0)
    arima = list(rivals).index("AutoARIMA")
    print(
        f"{len(usable)} series, three origins\n{'':18}{'MASE':>8}{'median':>8}{'ratio':>8}{'rank':>7}{'CPU ratio':>11}"
    )
    for j in np.argsort(scores.mean(axis=0)):
        ratio, spent = scores[:, j].mean() / scores[:, arima].mean(), cpu[j] / cpu[arima]
        mean, median = scores[:, j].mean(), np.median(scores[:, j])
        print(f"{list(rivals)[j]:18}{mean:8.3f}{median:8.3f}{ratio:8.3f}{ranks[j]:7.2f}{spent:11.3f}")
    hits = [hit for step in covered.values() for hit in step]
    by_step = " ".join(f"{np.mean(covered[step]):.2f}" for step in sorted(covered))
    print(f"coverage at 90 %: {np.mean(hits):.3f}; by step {by_step}")


def tables_section() -> None:
    """Compare forecasts of several series by the root mean squared error, in units of the deviation of changes."""
    from sklearn.linear_model import RidgeCV
    from statsmodels.tsa.api import VAR

    def var(y: np.ndarray, season: int, steps: int) -> np.ndarray:
        fitted = VAR(np.diff(y, axis=0)).fit(maxlags=max(1, min(4, len(y) // (5 * y.shape[1]))), ic="aic")
        changes = fitted.forecast(np.diff(y, axis=0)[-max(fitted.k_ar, 1) :], steps)
        return y[-1] + np.cumsum(changes, axis=0)

    def ridge(y: np.ndarray, season: int, steps: int) -> np.ndarray:
        d = np.diff(y, axis=0)
        scale = d.std(axis=0)
        d, p = d / scale, max(1, min(season + 1, 5))
        X = np.stack([d[t : t + p].ravel() for t in range(len(d) - p)])
        model, path = RidgeCV(np.logspace(-3, 4, 15)).fit(X, d[p:]), list(d)
        for _ in range(steps):
            path.append(model.predict(np.array(path[-p:]).ravel()[None])[0])
        return y[-1] + np.cumsum(np.array(path[len(d) :]) * scale, axis=0)

    def ours(y: np.ndarray, season: int, steps: int) -> np.ndarray:
        return FCMForecaster(season=season, horizon=steps).fit(y).forecast(steps).values

    rivals = {MAP: ours, "VAR": var, "ridge on lags": ridge, "LSTCN": lstcn}
    print(f"{'RMSE':18}" + "".join(f"{name:>16}" for name in rivals))
    ranks = []
    for name, (season, frame) in tables().items():
        y, errors = frame.to_numpy(dtype=float), dict.fromkeys(rivals, 0.0)
        unit = np.diff(y, axis=0).std(axis=0)
        for k in (4, 3, 2, 1, 0):
            origin = len(y) - 8 - 4 * k
            for rival, forecast in rivals.items():
                wrong = (forecast(y[:origin], season, 8) - y[origin : origin + 8]) / unit
                errors[rival] += float(np.square(wrong).mean())
        found = np.sqrt(np.array(list(errors.values())) / 5)
        ranks.append(1 + (found[None] < found[:, None]).sum(axis=1))
        print(f"{name:18}" + "".join(f"{error:16.3f}" for error in found))
    print(f"{'mean rank':18}" + "".join(f"{rank:16.2f}" for rank in np.mean(ranks, axis=0)))


def planted_section(n_maps: int = 5, evaluations: int = 20_000) -> None:
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
    print(f"{'planted maps':18}{'F1':>8}{'signs':>8}")
    for name, results in found.items():
        print(f"{name:18}" + "".join(f"{value:8.3f}" for value in np.mean(results, axis=0)))


def driver_section(n_systems: int = 100) -> None:
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
    print(f"a held driver: signs of all effects right in {right} of {n_systems} systems")


def main() -> None:
    """Run the sections named on the command line, by default all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=["series", "tables", "planted", "driver"])
    parser.add_argument("--group", choices=["choosing", "confirming"], default="confirming")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for section in arguments.sections:
        if section == "series":
            series_section(choosing() if arguments.group == "choosing" else confirming())
        else:
            {"tables": tables_section, "planted": planted_section, "driver": driver_section}[section]()


if __name__ == "__main__":
    main()
