"""Simple forecasts with which a map is compared: naive ones, exponential smoothing, autoregression."""

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

Array = NDArray[np.float64]


def naive(y: Array, period: int, n_steps: int) -> Array:
    """Return the value one season before, or the last one if `period` is 1."""
    return y[-period:][np.arange(n_steps) % period]


def smoothing(y: Array, period: int, n_steps: int) -> Array:
    """Return additive exponential smoothing with a damped trend and season, its rates fitted by least squares.

    Logarithms are smoothed if all values are positive.
    """
    log = bool((y > 0.0).all())
    z = np.log(y) if log else y
    m = period if len(z) >= 2 * period and period > 1 else 1
    first = z[:m].mean()
    start = z[:m] - first if m > 1 else np.zeros(1)

    def run(rates: Array) -> tuple[float, Array]:
        level, trend, season = first, 0.0, start.copy()
        alpha, beta, gamma, damping = rates
        total = 0.0
        for t, value in enumerate(z):
            error = value - level - damping * trend - season[t % m]
            total += error * error
            level += damping * trend + alpha * error
            trend = damping * trend + alpha * beta * error
            if m > 1:
                season[t % m] += gamma * (1.0 - alpha) * error
        steps = np.arange(1, n_steps + 1)
        path = level + trend * np.cumsum(damping**steps) + season[(len(z) + steps - 1) % m]
        return total, path

    bounds = [(0.01, 0.99), (0.001, 0.5), (0.001, 0.9), (0.8, 0.98)]
    best = scipy.optimize.minimize(
        lambda rates: run(rates)[0], [0.3, 0.05, 0.1, 0.95], method="L-BFGS-B", bounds=bounds, options={"maxiter": 30}
    )
    path = run(best.x)[1]
    return np.exp(path) if log else path


def autoregression(y: Array, period: int, n_steps: int) -> Array:
    """Return an autoregression of (seasonal) differences, of an order chosen by the Akaike criterion."""
    log = bool((y > 0.0).all())
    z = np.log(y) if log else y
    m = period if len(z) >= 3 * period else 1
    x = z[m:] - z[:-m]
    best, chosen = np.inf, np.zeros(1)
    longest = max(1, min(m + 1 if m > 1 else 8, len(x) // 4))
    for order in range(longest + 1):
        table = np.column_stack(
            [np.ones(len(x) - longest)] + [x[longest - k : len(x) - k] for k in range(1, order + 1)]
        )
        weights, *_ = np.linalg.lstsq(table, x[longest:], rcond=None)
        error = max(float(np.square(table @ weights - x[longest:]).mean()), 1e-300)
        criterion = len(table) * np.log(error) + 2.0 * (order + 1)
        if criterion < best:
            best, chosen = criterion, weights
    path, whole = list(x), list(z)
    low, high = x.min() - np.ptp(x), x.max() + np.ptp(x)
    for _ in range(n_steps):
        past = path[: -len(chosen) : -1]
        path.append(float(np.clip(chosen[0] + np.dot(chosen[1:], past), low, high)))
        whole.append(path[-1] + whole[-m])
    result = np.array(whole[len(z) :])
    return np.exp(np.minimum(result, 600.0)) if log else result


RIVALS = {
    "exponential smoothing (as ETS)": smoothing,
    "autoregression (as ARIMA)": autoregression,
    "one season before": naive,
    "last value": lambda y, period, n_steps: naive(y, 1, n_steps),
}
