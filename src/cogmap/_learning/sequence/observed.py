"""Learn the weights of a map from observed states, by gradients through the steps between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.optimize
from numpy.typing import NDArray
from scipy.special import expit

from cogmap._learning.solvers import Outcome
from cogmap._learning.structure import Bounds
from cogmap.models.encoding import UNDECIDED

Array = NDArray[np.float64]

_MAX_PRUNINGS = 20


@dataclass(frozen=True, eq=False)
class ObservedSteps:
    """Squared errors of the states that a map predicts from observed ones.

    Attributes
    ----------
    start : ndarray of shape (n_starts, n_concepts)
        States from which the map runs.
    targets : ndarray of shape (n_starts, n_steps, n_concepts)
        Observed states after each step.
    weight : ndarray of the shape of `targets`
        Weight of each; 0 where it is missing or that of a driver.
    slope : float
        Steepness of the logistic function.
    drivers : ndarray of int
        Concepts whose states are those observed.
    """

    start: Array
    targets: Array
    weight: Array
    slope: float
    drivers: NDArray[np.intp]

    @classmethod
    def of(
        cls, runs: Sequence[Array], n_steps: int, slope: float, drivers: NDArray[np.intp], skip: bool = False
    ) -> "ObservedSteps":
        """Return the steps from each observed state to the next `n_steps`.

        Missing states are undecided; or, with `skip`, steps that start from one, or need one of a driver, do not
        count.
        """
        starts, targets = [], []
        for run in runs:
            padded = np.concatenate([run, np.full((n_steps, run.shape[1]), np.nan)])
            for t in range(len(run) - 1):
                starts.append(run[t])
                targets.append(padded[t + 1 : t + 1 + n_steps])
        later = np.array(targets)
        weight = (~np.isnan(later)).astype(np.float64)
        weight[:, :, drivers] = 0.0
        weight[np.isnan(starts).all(axis=1)] = 0.0  # from nothing, nothing is learned
        if skip:
            weight[np.isnan(starts).any(axis=1)] = 0.0
            weight *= np.cumprod(~np.isnan(later[:, :, drivers]).any(axis=2), axis=1)[:, :, None]
        weight /= max(float(weight.sum()), 1.0)
        return cls(
            np.nan_to_num(np.array(starts), nan=UNDECIDED), np.nan_to_num(later, nan=UNDECIDED), weight, slope, drivers
        )

    def loss_and_gradient(self, W: Array, b: Array) -> tuple[float, Array, Array]:
        """Return the mean squared error, and its gradient with respect to weights and biases."""
        states, n_steps = [self.start], self.targets.shape[1]
        for k in range(n_steps):
            after = expit(self.slope * (states[-1] @ W.T + b))
            after[:, self.drivers] = self.targets[:, k][:, self.drivers]
            states.append(after)
        loss, dW, db = 0.0, np.zeros_like(W), np.zeros_like(b)
        upstream = np.zeros_like(self.start)
        for k in range(n_steps - 1, -1, -1):
            error = states[k + 1] - self.targets[:, k]
            weighted = self.weight[:, k] * error
            loss += float((weighted * error).sum())
            upstream += 2.0 * weighted
            upstream[:, self.drivers] = 0.0
            net = self.slope * upstream * states[k + 1] * (1.0 - states[k + 1])
            dW += net.T @ states[k]
            db += net.sum(axis=0)
            upstream = net @ W
        return loss, dW, db

    def residuals(self, W: Array, b: Array) -> tuple[Array, Array, Array]:
        """Return states before, states after, and errors of one step."""
        after = expit(self.slope * (self.start @ W.T + b))
        return self.start, after, np.where(self.weight[:, 0] > 0.0, after - self.targets[:, 0], np.nan)


@dataclass(frozen=True, eq=False)
class Learned:
    """Result of `learn_weights`."""

    weights: Array
    bias: Array
    errors: Array  # standard errors of the weights, NaN where they are fixed
    loss: float
    n_evaluations: int
    outcome: Outcome


def learn_weights(
    steps: ObservedSteps,
    bounds: Bounds,
    with_bias: bool,
    prior: Array,
    alpha: float,
    cutoff: float,
    max_iter: int,
) -> Learned:
    """Learn weights, and remove those that are not significant.

    Parameters
    ----------
    steps : ObservedSteps
        What was observed.
    bounds : tuple of two ndarrays of shape (n_concepts, n_concepts)
        Smallest and largest weights; equal where they are fixed.
    with_bias : bool
        Whether concepts have a bias.
    prior : ndarray of shape (n_concepts, n_concepts)
        Weights towards which the penalty pulls.
    alpha : float
        Strength of the penalty, ``alpha / n * sum (W - prior)²``, n being the number of observed steps.
    cutoff : float
        Weights closer to 0 than this many standard errors become 0; the others are then learned again.
    max_iter : int
        Maximum number of iterations.
    """
    low, high = (bound.copy() for bound in bounds)
    W, b = np.clip(prior, low, high), np.zeros(len(prior))
    total = 0
    for _ in range(_MAX_PRUNINGS):
        W, b, loss, n_evaluations, outcome = _minimized(steps, W, b, low, high, with_bias, prior, alpha, max_iter)
        total += n_evaluations
        errors = _standard_errors(steps, W, b, low < high, with_bias, alpha)
        weak = (np.abs(W) < cutoff * errors) & (low <= 0.0) & (high >= 0.0) & (low < high) & (prior == 0.0)
        if not weak.any():
            break
        # The weakest third first: when they are gone, others may be significant.
        ratio = np.where(weak, np.abs(W) / errors, np.inf)
        limit = np.sort(ratio[weak])[int(weak.sum()) // 3]
        low[ratio <= limit] = high[ratio <= limit] = 0.0
        W = np.clip(W, low, high)
    return Learned(W, b, errors, loss, total, outcome)


def _minimized(
    steps: ObservedSteps, W: Array, b: Array, low: Array, high: Array, with_bias: bool, prior: Array, alpha: float,
    max_iter: int,
) -> tuple[Array, Array, float, int, Outcome]:  # fmt: skip
    """Return the weights and biases with the smallest error."""
    free = low < high
    n, n_rows = int(free.sum()), len(steps.start)
    updated = np.setdiff1d(np.arange(len(b)), steps.drivers)
    W = np.where(free, W, low)

    def unpacked(theta: Array) -> tuple[Array, Array]:
        weights, bias = W.copy(), np.zeros_like(b)
        weights[free] = theta[:n]
        bias[updated] = theta[n:] if with_bias else 0.0
        return weights, bias

    def objective(theta: Array) -> tuple[float, Array]:
        weights, bias = unpacked(theta)
        loss, dW, db = steps.loss_and_gradient(weights, bias)
        distance = np.where(free, weights - prior, 0.0)
        # Errors are those of states: the scale makes the penalty one of net inputs.
        strength = alpha / n_rows * 1e-3
        loss += strength * float(np.square(distance).sum())
        return loss, np.concatenate([(dW + 2.0 * strength * distance)[free], db[updated] if with_bias else db[:0]])

    start = np.concatenate([W[free], b[updated] if with_bias else b[:0]])
    everywhere = np.full(len(start) - n, np.inf)
    limits = scipy.optimize.Bounds(np.concatenate([low[free], -everywhere]), np.concatenate([high[free], everywhere]))
    result = scipy.optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=limits,
        options={"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 1e-13, "gtol": 1e-9},
    )  # fmt: skip
    weights, bias = unpacked(result.x)
    outcome = Outcome.MAX_ITER if result.nit >= max_iter else Outcome.LOSS_SETTLED
    return weights, bias, float(steps.loss_and_gradient(weights, bias)[0]), int(result.nfev), outcome


def _standard_errors(
    steps: ObservedSteps, W: Array, b: Array, free: NDArray[np.bool_], with_bias: bool, alpha: float
) -> Array:
    """Return the standard errors of the free weights, from the linearized errors of one step."""
    before, after, errors = steps.residuals(W, b)
    result = np.full(W.shape, np.nan)
    for i in np.setdiff1d(np.arange(len(b)), steps.drivers):
        places, rows = np.flatnonzero(free[i]), ~np.isnan(errors[:, i])
        n_parameters = len(places) + with_bias
        if not places.size or rows.sum() <= n_parameters:
            continue
        slopes = steps.slope * after[rows, i] * (1.0 - after[rows, i])
        table = before[rows][:, places]
        if with_bias:
            table = np.concatenate([table, np.ones((len(table), 1))], axis=1)
        table = table * slopes[:, None]
        gram = table.T @ table + 1e-3 * max(alpha, 1e-6) * np.eye(table.shape[1])
        variance = float(np.square(errors[rows, i]).sum()) / (int(rows.sum()) - n_parameters)
        covariance = variance * np.linalg.pinv(gram)
        result[i, places] = np.sqrt(np.maximum(np.diag(covariance)[: len(places)], 1e-30))
    return result
