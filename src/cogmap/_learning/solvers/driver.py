"""The loop that all solvers share: what is minimised, what is watched, and when it ends.

A solver is called with a `Problem`, a start, a `StoppingRule` and a source of random numbers. It calls the rule after
every iteration and stops as soon as the rule returns an outcome. (It is not the other way round, a loop that asks a
solver for a step, because SciPy's L-BFGS-B keeps its loop to itself.)
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

_HUGE = 1e10  # nothing that is given is as large on purpose


class Objective(Protocol):
    """What solvers ask of an objective, wherever its rows are: the loss over rows, and its gradient, as sums."""

    n_rows: int
    total_weight: float  # of the rows
    n_parameters: int  # weights row by row, then biases
    n_learned: int  # concepts, the last ones, whose weights and bias are parameters
    dtype: np.dtype[Any]  # computation dtype, float32 or float64
    loss: Loss  # of a row

    def value(self, theta: Theta) -> float:
        """Return the loss of all rows."""
        ...

    def sums(self, theta: Theta, rows: NDArray[np.integer] | None = None) -> tuple[float, Theta, float]:
        """Return the weighted sum of the losses, its gradient, and the sum of the weights; of some rows or all."""
        ...

    def largest(self) -> dict[str, float]:
        """Return the largest slope, gain and feature, one of which may explain an infinite loss."""
        ...


class Solver(Protocol):
    """What learning asks of a solver."""

    @property
    def all_rows(self) -> bool:
        """Whether every iteration uses all rows, so that neither their order nor repetition need matter."""
        ...

    def __call__(
        self, problem: "Problem", theta: Theta, stopping: "StoppingRule", random: np.random.RandomState
    ) -> tuple[Theta, Outcome]:
        """Minimise from `theta` until the rule says how it ends."""
        ...


@dataclass(frozen=True)
class Problem:
    """The loss of a table, a penalty, and bounds on the parameters."""

    objective: Objective
    penalty: ElasticNet
    bounds: Bounds | None = None  # of the weights; the bias is always free
    unit_weight: float | None = None  # the weight that counts as one row; None takes the mean
    space: "ParameterSpace | None" = None  # the parameters to take steps in; None leaves it to the solver

    # Not cached: Python 3.11 does that under a lock, which a process forked meanwhile would wait for for ever.
    @property
    def _row(self) -> float:
        """By what the sum over one row is divided."""
        return self.unit_weight or self.objective.total_weight / self.objective.n_rows

    def smooth_value_and_gradient(self, theta: Theta, rows: NDArray[np.integer] | None = None) -> tuple[float, Theta]:
        """Return loss and gradient of everything but the absolute part of the penalty.

        Solvers let NumPy ignore overflow meanwhile: it is told here, in words.
        """
        loss, gradient, _ = self.objective.sums(theta, rows)
        count = self._row * (self.objective.n_rows if rows is None else len(rows))
        loss, factor = self.objective.loss.overall(loss / count)
        gradient *= factor / count
        loss += self.penalty.add_smooth_part(theta, gradient)
        self._check_finite(theta, loss + 0.0 * float(gradient.sum()))
        return loss, gradient

    def check_end(self, theta: Theta) -> None:
        """Complain if the loss of the parameters that a solver ends with is not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            self._check_finite(theta, self.objective.value(theta) + 0.0 * theta.sum())

    def _check_finite(self, theta: Theta, loss: float) -> None:
        if not math.isfinite(loss):
            raise NonFiniteLossError(f"The loss became {loss:g}. {self._cause(theta)}")

    def _cause(self, theta: Theta) -> str:
        """Say what probably made the loss infinite: the first of what can that is very large."""
        strength = max(self.penalty.l1, self.penalty.l2)
        largest = self.objective.largest()
        # A solver may have gone on from infinite gradients, so weights come last.
        suspects = [
            ("slope", largest["slope"], "Lower slope."),
            ("gain", largest["gain"], "Lower gain."),
            ("penalty of a weight", strength, "Lower alpha."),
            ("feature", largest["feature"], "Scale the features to [0, 1], or let `scale` do so."),
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
        """The smallest and the largest value of each parameter, or None if all are free."""
        if self.bounds is None:
            return None
        free = np.full(self.objective.n_learned, np.inf)
        low, high = self.bounds
        return np.concatenate([low.ravel(), -free]), np.concatenate([high.ravel(), free])

    def clip(self, theta: Theta) -> Theta:
        """Return the nearest parameters within the bounds."""
        bounds = self.theta_bounds
        return theta if bounds is None else np.clip(theta, *bounds)


Report = Callable[[Theta, int, float], bool]  # parameters, number of the iteration, loss; True asks to stop


class Monitor:
    """Receives progress reports: stages, each of some iterations. The base class ignores them."""

    def begin(self, n_stages: int) -> None:
        """Receive the largest number of stages."""

    @contextmanager
    def stage(self, name: str, n_iter: int, model: "Callable[[Theta], MapModel]") -> Iterator[Report]:
        """Open a stage of at most `n_iter` iterations; it gives a function to call after each of them.

        Parameters
        ----------
        name : str
            What is trained.
        n_iter : int
            Largest number of iterations.
        model : callable
            Makes a model of parameters.
        """
        yield lambda theta, number, loss: False


SILENT = Monitor()


@dataclass
class StoppingRule:
    """Keeps the loss curve and decides when learning ends.

    Parameters
    ----------
    max_iter : int
        Largest number of iterations.
    tol : float
        What counts as a fall of the loss. With 0 no lack of one ends learning.
    n_iter_no_change : int
        Over how many iterations the loss has to fall by `tol` for learning to go on.
    validation : callable, optional
        Loss of given parameters on rows kept aside. If given, it decides, and the best parameters are kept.
    after_iteration : callable, optional
        Called with parameters, number of the iteration and loss; returns True to stop.
    """

    max_iter: int
    tol: float
    n_iter_no_change: int
    validation: Callable[[Theta], float] | None = None
    after_iteration: Report | None = None
    loss_curve: list[float] = field(default_factory=list)
    validation_curve: list[float] = field(default_factory=list)
    best_theta: Theta | None = None
    _bests: list[float] = field(default_factory=list)  # the smallest loss so far, after each iteration

    @property
    def n_iter(self) -> int:
        """Number of iterations made."""
        return len(self.loss_curve)

    def __call__(self, theta: Theta, loss: float, *, patient: bool) -> Outcome | None:
        """Take note of an iteration and return how learning ends, or None if it goes on.

        A solver whose loss falls steadily has its own test of convergence. One that is not says ``patient=True`` and
        is ended when `n_iter_no_change` iterations have lowered the smallest loss by less than `tol`.
        """
        self.loss_curve.append(float(loss))
        watched = loss
        if self.validation is not None:
            watched = self.validation(theta)
            self.validation_curve.append(watched)
        best = min(self._bests[-1], watched) if self._bests else watched
        if self.validation is not None and watched == best:
            self.best_theta = theta.copy()
        self._bests.append(best)
        if self.after_iteration is not None and self.after_iteration(theta, self.n_iter, self.loss_curve[-1]):
            return Outcome.CALLBACK
        if self.tol > 0.0 and self.n_iter > self.n_iter_no_change:
            settled = self._bests[-1 - self.n_iter_no_change] - best < self.tol
            if settled and self.validation is not None:
                return Outcome.VALIDATION_SETTLED
            if settled and patient:
                return Outcome.LOSS_SETTLED
        if self.n_iter >= self.max_iter:
            return Outcome.MAX_ITER if self.tol > 0.0 else Outcome.ALL_ITERATIONS
        return None
