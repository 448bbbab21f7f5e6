"""Rivals of `FCMForecaster` in `benchmarks.forecasting`, each with the version that its results are kept under."""

from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from cogmap import FCMForecaster

Rival = Callable[[np.ndarray, int, int], np.ndarray]  # values, steps in a season, steps to forecast
MAP = "FCMForecaster"
_OWN = "1"  # of the rivals in this file; increase it when one of them changes


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


def var(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    """Forecast several series by a vector autoregression of their changes."""
    from statsmodels.tsa.api import VAR

    fitted = VAR(np.diff(y, axis=0)).fit(maxlags=max(1, min(4, len(y) // (5 * y.shape[1]))), ic="aic")
    changes = fitted.forecast(np.diff(y, axis=0)[-max(fitted.k_ar, 1) :], steps)
    return y[-1] + np.cumsum(changes, axis=0)


def ridge(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    """Forecast several series by a ridge regression of their changes on past changes of all."""
    from sklearn.linear_model import RidgeCV

    d = np.diff(y, axis=0)
    scale = d.std(axis=0)
    d, p = d / scale, max(1, min(season + 1, 5))
    X = np.stack([d[t : t + p].ravel() for t in range(len(d) - p)])
    model, path = RidgeCV(np.logspace(-3, 4, 15)).fit(X, d[p:]), list(d)
    for _ in range(steps):
        path.append(model.predict(np.array(path[-p:]).ravel()[None])[0])
    return y[-1] + np.cumsum(np.array(path[len(d) :]) * scale, axis=0)


def naive(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    """Forecast the values of the last season."""
    return y[-season:][np.arange(steps) % season]


def our_map(y: np.ndarray, season: int, steps: int) -> np.ndarray:
    """Forecast by the map, untuned."""
    values = FCMForecaster(season=season, horizon=steps).fit(y).forecast(steps).values
    return values[:, 0] if y.ndim == 1 else values


def rivals_of_series(ours: str) -> dict[str, tuple[str, Rival]]:
    """Return the version and the function of each method for one series; `ours` is the version of the map."""
    auto = f"statsforecast {version('statsforecast')}"
    sklearn, lightgbm = f"scikit-learn {version('scikit-learn')}", f"lightgbm {version('lightgbm')}"
    return {
        MAP: (ours, our_map),
        **{name: (auto, _statsforecast(name)) for name in ("AutoARIMA", "AutoETS", "AutoTheta")},
        "ridge on lags": (f"{_OWN}, {sklearn}", _on_lags(_ridge)),
        "LightGBM on lags": (f"{_OWN}, {lightgbm}", _on_lags(_lightgbm)),
        "LSTCN": (_OWN, lstcn),
        "seasonal naive": (_OWN, naive),
    }


def rivals_of_tables(ours: str) -> dict[str, tuple[str, Rival]]:
    """Return the version and the function of each method for several series."""
    return {
        MAP: (ours, our_map),
        "VAR": (f"{_OWN}, statsmodels {version('statsmodels')}", var),
        "ridge on lags": (f"{_OWN}, scikit-learn {version('scikit-learn')}", ridge),
        "LSTCN": (_OWN, lstcn),
    }
