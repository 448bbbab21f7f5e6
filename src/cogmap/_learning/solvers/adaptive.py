"""Adam and RMSprop: one step per mini-batch, with a learning rate for each parameter."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.solvers.driver import Problem, StoppingRule, Theta
from cogmap._learning.solvers.outcomes import Outcome
from cogmap._learning.solvers.spaces import Centred, ParameterSpace


def _move_towards_square(mean_square: Theta, gradient: Theta, share: float) -> Theta:
    """Move a running mean square towards the squared gradient; return a scratch array of its size.

    Maps of hundreds of concepts have so many weights that allocating an array costs as much as the arithmetic.
    """
    scratch = gradient * gradient
    scratch -= mean_square
    scratch *= share
    mean_square += scratch
    return scratch


@dataclass
class RMSprop:
    """RMSprop as in TensorFlow 1, which the paper used.

    The running mean square starts at one, and epsilon is inside the root. Steps are in the parameters of the map.
    """

    space = ParameterSpace

    learning_rate: float
    mean_square: Theta | None = None

    @staticmethod
    def usual_rate(n_concepts: int, batch_size: int, planned: bool = True) -> float:
        """Return a rate at which a step changes the net input of a concept, over all its weights, only a little."""
        return 0.05 / n_concepts

    def __call__(self, gradient: Theta) -> tuple[Theta, Theta]:
        """Return the direction of the step and the rate of each parameter."""
        if self.mean_square is None:
            self.mean_square = np.ones_like(gradient)
        scratch = _move_towards_square(self.mean_square, gradient, 0.1)
        np.add(self.mean_square, 1e-10, out=scratch)
        np.sqrt(scratch, out=scratch)
        return gradient, np.divide(self.learning_rate, scratch, out=scratch)


# If the number of steps is unknown, Adam's rate decays with the square root of their number after about this many
# steps: the first steps are long enough, and later ones, each from a few rows, do not undo earlier training.
_LONG_STEPS = 20

# If it is known, the rate starts at this value: initial weights are large, and a long first step may saturate concepts
# for good. The higher rates that large batches allow are reached after a warm-up of this fraction of the steps.
_FIRST_RATE = 0.012
_WARM_UP = 0.05
_USUAL_BATCH = 500

# A map trained by another solver counts as this many steps of Adam.
_STEPS_OF_A_FIT = 500


@dataclass
class Adam:
    """Adam with its usual constants (0.9, 0.999, 1e-8), in centred parameters, with a decaying rate.

    If the number of steps is known, the rate decays to 0 by a cosine schedule, after a short warm-up if it is large.
    """

    space = Centred

    learning_rate: float
    planned: int | None = None  # number of steps
    steps: int = 0
    mean: Theta | None = None
    mean_square: Theta | None = None
    resumed: bool = False  # whether it starts from a map trained by another solver

    @staticmethod
    def usual_rate(n_concepts: int, batch_size: int, planned: bool = True) -> float:
        """Return the largest rate: that of the first steps, or more for large batches, which have less noise."""
        return _FIRST_RATE * max(batch_size / _USUAL_BATCH, 1.0) if planned else 0.05

    def _share(self) -> float:
        """Return the rate of this step as a fraction of the largest rate."""
        if self.planned is not None:
            first = min(_FIRST_RATE / self.learning_rate, 1.0)
            warm_up = _WARM_UP * self.planned if first < 1.0 else 0.0
            if self.steps < warm_up:
                return first + (1.0 - first) * self.steps / warm_up
            progress = (self.steps - 1 - warm_up) / (self.planned - warm_up)
            return 0.5 + 0.5 * math.cos(math.pi * min(progress, 1.0))
        n_before = self.steps - 1 + _STEPS_OF_A_FIT * self.resumed
        return 1.0 / math.sqrt(1.0 + n_before / _LONG_STEPS)

    def __call__(self, gradient: Theta) -> tuple[Theta, Theta]:
        """Return the direction of the step and the rate of each parameter."""
        if self.mean is None or self.mean_square is None:
            self.mean, self.mean_square = np.zeros_like(gradient), np.zeros_like(gradient)
        self.steps += 1
        self.mean += 0.1 * (gradient - self.mean)
        scratch = _move_towards_square(self.mean_square, gradient, 0.001)
        np.sqrt(self.mean_square, out=scratch)
        scratch += 1e-8
        rate = self.learning_rate * self._share() * math.sqrt(1.0 - 0.999**self.steps) / (1.0 - 0.9**self.steps)
        return self.mean, np.divide(rate, scratch, out=scratch)


Rule = RMSprop | Adam
RULES: dict[str, type[RMSprop] | type[Adam]] = {"adam": Adam, "rmsprop": RMSprop}


def batches(n_rows: int, batch_size: int, random: np.random.RandomState) -> Iterator[NDArray[np.intp] | None]:
    """Yield ``n_rows // batch_size`` random batches; a single batch is None, which means all rows.

    The number of steps is that of the paper. Instead of leaving out the remaining rows, as the paper does, batches are
    slightly larger, so that every epoch uses every row.
    """
    number = n_batches(n_rows, batch_size)
    if number == 1:
        yield None
    else:
        # The smallest integer type, because there is one integer per row.
        yield from np.array_split(random.permutation(np.arange(n_rows, dtype=np.min_scalar_type(n_rows))), number)


def n_batches(n_rows: int, batch_size: int) -> int:
    """Return the number of batches of an epoch."""
    return max(n_rows // batch_size, 1)


@dataclass(frozen=True)
class Adaptive:
    """Solver with one step of an update rule per mini-batch; an iteration is a pass over the rows."""

    rule: type[RMSprop] | type[Adam]
    learning_rate: float
    batch_size: int

    all_rows = False

    def __call__(
        self, problem: Problem, theta: Theta, stopping: StoppingRule, random: np.random.RandomState
    ) -> tuple[Theta, Outcome]:
        """Minimize from `theta` until the stopping rule returns an outcome."""
        theta, rule = theta.copy(), self.rule(self.learning_rate)
        if isinstance(rule, Adam):
            rule.planned = stopping.max_iter * n_batches(problem.objective.n_rows, self.batch_size)
        while True:
            loss = one_epoch(problem, theta, rule, self.batch_size, random)
            outcome = stopping(theta, loss, patient=True)
            if outcome is not None:
                problem.check_end(theta)  # the parameters after the last step have not been evaluated yet
                return theta, outcome


def one_epoch(problem: Problem, theta: Theta, rule: Rule, batch_size: int, random: np.random.RandomState) -> float:
    """Make one pass over the rows, updating `theta` in place; return the mean loss over the batches."""
    space = problem.space or rule.space(problem.objective.n_learned)
    bounds = problem.theta_bounds
    if bounds is not None:
        bounds = space.bound(bounds[0]), space.bound(bounds[1])
    n_rows, penalty = problem.objective.n_rows, problem.penalty
    x = space.from_theta(theta)
    total = 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # the next evaluation checks for overflow
        for rows in batches(n_rows, batch_size, random):
            loss, gradient = problem.smooth_value_and_gradient(theta, rows)
            loss += penalty.absolute_part(theta)
            total += loss * (n_rows if rows is None else len(rows))
            direction, rate = rule(space.gradient(gradient, x))
            x -= rate * direction
            if penalty.l1:
                W = slice(0, penalty.n_weights)
                penalty.shrink(x[W], penalty.prior / space.weight_scale, space.weight_scale * rate[W])
            if bounds is not None:
                np.clip(x, *bounds, out=x)
            theta[:] = space.to_theta(x)
    return total / n_rows
