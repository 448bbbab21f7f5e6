"""SciPy's L-BFGS-B: all rows in every iteration, bounds on the weights, few iterations."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from cogmap._learning.solvers.driver import Problem, StoppingRule, Theta
from cogmap._learning.solvers.outcomes import Outcome
from cogmap._learning.solvers.spaces import Centred

_MANY_PARAMETERS = 200 * 201  # of a map of 200 concepts


def steps_remembered(n_parameters: int) -> int:
    """Return the length of SciPy's L-BFGS history.

    SciPy's own work grows with it, and exceeds that of the evaluations for maps of hundreds of concepts.
    """
    return 10 if n_parameters <= _MANY_PARAMETERS else 3


class _Signs:
    """Parametrization for the L1 penalty: weights are the prior plus a positive minus a negative part.

    The penalty is then linear, hence smooth, and a weight that should equal the prior has both parts at a bound, so it
    is exactly equal.
    """

    def __init__(self, prior: Theta) -> None:
        self.prior = prior
        self.n_weights = len(prior)

    def split(self, theta: Theta) -> Theta:
        deviation, b = theta[: self.n_weights] - self.prior, theta[self.n_weights :]
        return np.concatenate([np.maximum(deviation, 0.0), np.maximum(-deviation, 0.0), b])

    def join(self, parts: Theta) -> Theta:
        n = self.n_weights
        return np.concatenate([self.prior + (parts[:n] - parts[n : 2 * n]), parts[2 * n :]])

    def split_gradient(self, gradient: Theta, l1: Theta) -> Theta:
        dW, db = gradient[: self.n_weights], gradient[self.n_weights :]
        return np.concatenate([dW + l1, l1 - dW, db])

    def split_bounds(self, low: Theta, high: Theta) -> tuple[Theta, Theta]:
        W, b = slice(0, self.n_weights), slice(self.n_weights, None)
        below, above = low[W] - self.prior, high[W] - self.prior
        return (
            np.concatenate([np.maximum(below, 0.0), np.maximum(-above, 0.0), low[b]]),
            np.concatenate([np.maximum(above, 0.0), np.maximum(-below, 0.0), high[b]]),
        )


class _Evaluated(NamedTuple):
    """Loss and gradient at parameters of the map, and their bytes in SciPy's parametrization."""

    x: bytes
    theta: Theta
    loss: float
    gradient: Theta


@dataclass(frozen=True)
class LBFGS:
    """L-BFGS-B in the parametrization of the problem, by default centred; `tol` bounds the entries of the gradient."""

    all_rows = True

    def __call__(
        self, problem: Problem, theta: Theta, stopping: StoppingRule, random: np.random.RandomState | None = None
    ) -> tuple[Theta, Outcome]:
        """Minimize from `theta` until the stopping rule returns an outcome."""
        with np.errstate(over="ignore", invalid="ignore"):
            return _solve(problem, theta, stopping)


def _solve(problem: Problem, theta: Theta, stopping: StoppingRule) -> tuple[Theta, Outcome]:
    penalty = problem.penalty
    space = problem.space or Centred(problem.objective.n_learned)
    signs = _Signs(penalty.prior / space.weight_scale) if penalty.l1 else None
    l1 = space.weight_scale * penalty.l1 * penalty.pull
    bounds = problem.theta_bounds
    if bounds is not None:
        bounds = space.bound(bounds[0]), space.bound(bounds[1])
    if signs is not None:
        free = np.full(len(theta), np.inf)
        bounds = signs.split_bounds(*(bounds or (-free, free)))

    def from_scipy(x: Theta) -> Theta:
        return space.to_theta(x if signs is None else signs.join(x))

    def evaluate(x: Theta) -> _Evaluated:
        theta = from_scipy(x)
        loss, gradient = problem.smooth_value_and_gradient(theta)
        gradient = space.gradient(gradient, x if signs is None else signs.join(x))
        if signs is None:
            return _Evaluated(x.tobytes(), theta, loss, gradient)
        # Linear in the parts; equal to |W - prior| wherever one of the two is 0, as at the solution.
        n = penalty.n_weights
        loss += float(l1 @ x[:n]) + float(l1 @ x[n : 2 * n])
        return _Evaluated(x.tobytes(), theta, loss, signs.split_gradient(gradient, l1))

    latest: _Evaluated | None = None

    def at(x: Theta) -> _Evaluated:
        """Return the latest evaluation if it was at `x`, otherwise a new one.

        SciPy asks for the loss at a point, its gradient, and calls back: mostly for the same point.
        """
        nonlocal latest
        if latest is None or x.tobytes() != latest.x:
            latest = evaluate(x)
        return latest

    outcome: Outcome | None = None

    def after_iteration(intermediate_result: Any) -> None:
        nonlocal outcome
        outcome = stopping(at(intermediate_result.x).theta, intermediate_result.fun, patient=False)
        if outcome is not None:
            raise StopIteration

    rounding = np.finfo(problem.objective.dtype).eps
    result = scipy.optimize.minimize(
        lambda x: at(x).loss,
        space.from_theta(theta) if signs is None else signs.split(space.from_theta(theta)),
        jac=lambda x: at(x).gradient,
        method="L-BFGS-B",
        bounds=None if bounds is None else scipy.optimize.Bounds(*bounds),
        callback=after_iteration,
        options={
            # The stopping rule counts the iterations. Evaluations are limited in case a line search does not end.
            "maxiter": stopping.max_iter + 1,
            "maxfun": 20 * (stopping.max_iter + 1),
            "maxls": 50,
            "maxcor": steps_remembered(problem.objective.n_parameters),
            "gtol": stopping.tol,
            "ftol": 0.0 if stopping.tol == 0.0 else 8.0 * rounding,
        },
    )
    if stopping.n_iter == 0:  # the initial parameters were a solution
        stopping.loss_curve.append(float(result.fun))
    if outcome is None:
        if _projected_gradient(result.x, result.jac, bounds) <= stopping.tol:
            outcome = Outcome.GRADIENT_VANISHED
        else:
            outcome = Outcome.LOSS_SETTLED if result.status == 0 else Outcome.NO_STEP
    return from_scipy(result.x), outcome


def _projected_gradient(x: Theta, gradient: Theta, bounds: tuple[Theta, Theta] | None) -> float:
    """Return the largest absolute entry of the gradient projected onto the bounds."""
    if bounds is not None:
        gradient = x - np.clip(x - gradient, *bounds)
    return float(np.abs(gradient).max())
