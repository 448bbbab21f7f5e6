"""Interfaces shared by all solvers: the problem to minimize, progress reporting, and the stopping rule.

A solver is called with a `Problem`, initial parameters, a `StoppingRule` and a random state. It calls the rule after
every iteration and stops when the rule returns an outcome. (A common loop that calls solvers for single steps is not
possible, because SciPy's L-BFGS-B runs its own loop.)
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.losses import Loss
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.solvers.outcomes import Outcome
from cogmap._learning.structure import Bounds
from cogmap.exceptions import NonFiniteLossError

if TYPE_CHECKING:
    from cogmap._learning.solvers.spaces import ParameterSpace
    from cogmap.models.model import MapModel

Theta = NDArray[np.float64]

_HUGE = 1e10  # larger parameters or features are probably mistakes


class Objective(Protocol):
    """Interface of an objective: loss and gradient as sums over rows, which may be in memory or not."""

    n_rows: int
    total_weight: float  # of the rows
    n_parameters: int  # weights row by row, then biases
    n_learned: int  # number of (last) concepts whose weights and bias are parameters
    dtype: np.dtype[Any]  # computation dtype, float32 or float64
    loss: Loss  # of a row

    def value(self, theta: Theta) -> float:
        """Return the loss of all rows."""
        ...

    def sums(self, theta: Theta, rows: NDArray[np.integer] | None = None) -> tuple[float, Theta, float]:
        """Return the weighted sum of the losses, its gradient, and the sum of the weights, of some or all rows."""
        ...

    def largest(self) -> dict[str, float]:
        """Return the largest slope, gain and feature, to explain an infinite loss."""
        ...


class Solver(Protocol):
    """Interface of a solver."""

    @property
    def all_rows(self) -> bool:
        """Whether every iteration uses all rows, so that the order and repetition of rows need not matter."""
        ...

    def __call__(
        self, problem: "Problem", theta: Theta, stopping: "StoppingRule", random: np.random.RandomState
    ) -> tuple[Theta, Outcome]:
        """Minimize from `theta` until the stopping rule returns an outcome."""
        ...


@dataclass(frozen=True)
class Problem:
    """The loss of a table, a penalty, and bounds on the parameters."""

    objective: Objective
    penalty: ElasticNet
    bounds: Bounds | None = None  # of the weights; the bias is always free
    unit_weight: float | None = None  # weight that counts as one row; None means the mean
    space: "ParameterSpace | None" = None  # parametrization of the steps; None means the solver's own

    # Not a cached_property: in Python 3.11 it takes a lock, on which a process forked meanwhile would wait forever.
    @property
    def _row(self) -> float:
        """Divisor of the sum over one row."""
        return self.unit_weight or self.objective.total_weight / self.objective.n_rows

    def smooth_value_and_gradient(self, theta: Theta, rows: NDArray[np.integer] | None = None) -> tuple[float, Theta]:
        """Return value and gradient of the objective without the L1 penalty.

        Solvers silence NumPy's overflow warnings: an infinite loss raises an error here.
        """
        loss, gradient, _ = self.objective.sums(theta, rows)
        count = self._row * (self.objective.n_rows if rows is None else len(rows))
        loss, factor = self.objective.loss.overall(loss / count)
        gradient *= factor / count
        loss += self.penalty.add_smooth_part(theta, gradient)
        self._check_finite(theta, loss + 0.0 * float(gradient.sum()))
        return loss, gradient

    def check_end(self, theta: Theta) -> None:
        """Raise if the loss at the final parameters is not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            self._check_finite(theta, self.objective.value(theta) + 0.0 * theta.sum())

    def _check_finite(self, theta: Theta, loss: float) -> None:
        if not math.isfinite(loss):
            raise NonFiniteLossError(f"The loss became {loss:g}. {self._cause(theta)}")

    def _cause(self, theta: Theta) -> str:
        """Return the probable cause of an infinite loss: the first suspect that is very large."""
        strength = max(self.penalty.l1, self.penalty.l2)
        largest = self.objective.largest()
        # Infinite gradients also make weights large, so weights come last.
        suspects = [
            ("slope", largest["slope"], "Lower slope."),
            ("gain", largest["gain"], "Lower gain."),
            ("penalty of a weight", strength, "Lower alpha."),
            ("feature", largest["feature"], "Scale the features to [0, 1], or set `scale`."),
        ]
        for name, value, cure in suspects:
            if value > _HUGE:
                return f"The largest {name} is {value:.3g}. {cure}"
        return (
            f"The largest weight is {np.abs(theta).max():.3g}. Lower learning_rate (solver='adam' or 'rmsprop'), set "
            "weight_bounds, start from another `init`, or scale the features to [0, 1]."
        )

    @property
    def theta_bounds(self) -> tuple[Theta, Theta] | None:
        """Lower and upper bounds of all parameters, or None if all are free."""
        if self.bounds is None:
            return None
        free = np.full(self.objective.n_learned, np.inf)
        low, high = self.bounds
        return np.concatenate([low.ravel(), -free]), np.concatenate([high.ravel(), free])

    def clip(self, theta: Theta) -> Theta:
        """Return the nearest parameters within the bounds."""
        bounds = self.theta_bounds
        return theta if bounds is None else np.clip(theta, *bounds)


Report = Callable[[Theta, int, float], bool]  # called with parameters, iteration and loss; returns True to stop


class Monitor:
    """Receiver of progress reports, in stages of iterations. This base class ignores them."""

    def begin(self, n_stages: int) -> None:
        """Start the fit, with at most `n_stages` stages."""

    @contextmanager
    def stage(self, name: str, n_iter: int, model: "Callable[[Theta], MapModel]") -> Iterator[Report]:
        """Open a stage of at most `n_iter` iterations; yield a function to call after each of them.

        Parameters
        ----------
        name : str
            Name of the stage.
        n_iter : int
            Maximum number of iterations.
        model : callable
            Returns the model for given parameters.
        """
        yield lambda theta, number, loss: False


SILENT = Monitor()


@dataclass
class StoppingRule:
    """Records the loss curve and decides when training stops.

    Parameters
    ----------
    max_iter : int
        Maximum number of iterations.
    tol : float
        Smallest decrease of the loss that counts. With 0, training does not stop for lack of progress.
    n_iter_no_change : int
        Number of iterations within which the loss must fall by `tol` for training to continue.
    validation : callable, optional
        Held-out loss of given parameters. If set, it replaces the training loss, and the best parameters are kept.
    after_iteration : callable, optional
        Called with parameters, iteration and loss; returns True to stop.
    every : int, default=1
        Number of iterations from one held-out loss to the next.
    """

    max_iter: int
    tol: float
    n_iter_no_change: int
    validation: Callable[[Theta], float] | None = None
    after_iteration: Report | None = None
    every: int = 1
    loss_curve: list[float] = field(default_factory=list)
    validation_curve: list[float] = field(default_factory=list)
    best_theta: Theta | None = None
    _best_curve: list[float] = field(default_factory=list)  # smallest loss so far, after each iteration

    @property
    def n_iter(self) -> int:
        """Number of iterations run."""
        return len(self.loss_curve)

    def __call__(self, theta: Theta, loss: float, *, patient: bool) -> Outcome | None:
        """Record an iteration and return the outcome, or None to continue.

        A solver whose loss falls steadily has its own convergence test. Others pass ``patient=True`` and are stopped
        when `n_iter_no_change` iterations have reduced the smallest loss by less than `tol`.
        """
        self.loss_curve.append(float(loss))
        monitored, is_new = loss, (self.n_iter - 1) % self.every == 0
        if self.validation is not None:
            monitored = self.validation(theta) if is_new else self.validation_curve[-1]
            self.validation_curve.append(monitored)
        best = min(self._best_curve[-1], monitored) if self._best_curve else monitored
        if self.validation is not None and is_new and monitored == best:
            self.best_theta = theta.copy()
        self._best_curve.append(best)
        if self.after_iteration is not None and self.after_iteration(theta, self.n_iter, self.loss_curve[-1]):
            return Outcome.CALLBACK
        if self.tol > 0.0 and self.n_iter > self.n_iter_no_change:
            converged = self._best_curve[-1 - self.n_iter_no_change] - best < self.tol
            if converged and self.validation is not None:
                return Outcome.VALIDATION_SETTLED
            if converged and patient:
                return Outcome.LOSS_SETTLED
        if self.n_iter >= self.max_iter:
            return Outcome.MAX_ITER if self.tol > 0.0 else Outcome.ALL_ITERATIONS
        return None
