"""Adam and RMSprop: a step per mini-batch, with a rate for each parameter."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.solvers.driver import Problem, StoppingRule, Theta
from cogmap._learning.solvers.outcomes import Outcome
from cogmap._learning.solvers.spaces import Centred, ParameterSpace


def _move_towards_square(mean_square: Theta, gradient: Theta, share: float) -> Theta:
    """Move a running mean square towards the squared gradient; return an array of its size to compute in.

    Maps of hundreds of concepts have so many weights that every new array costs as much as the arithmetic.
    """
    scratch = gradient * gradient
    scratch -= mean_square
    scratch *= share
    mean_square += scratch
    return scratch


@dataclass
class RMSprop:
    """RMSprop as in TensorFlow 1, with which the paper was made.

    The running mean square starts at one, and epsilon stands inside the root. It takes its steps in the parameters of
    the map.
    """

    space = ParameterSpace

    learning_rate: float
    mean_square: Theta | None = None

    @staticmethod
    def usual_rate(n_concepts: int, batch_size: int, planned: bool = True) -> float:
        """Return a rate with which a step moves what enters a concept, over all its weights, by a little only."""
        return 0.05 / n_concepts

    def __call__(self, gradient: Theta) -> tuple[Theta, Theta]:
        """Return the direction to go and the rate for each parameter."""
        if self.mean_square is None:
            self.mean_square = np.ones_like(gradient)
        scratch = _move_towards_square(self.mean_square, gradient, 0.1)
        np.add(self.mean_square, 1e-10, out=scratch)
        np.sqrt(scratch, out=scratch)
        return gradient, np.divide(self.learning_rate, scratch, out=scratch)


# Where nobody knows how many steps there will be, Adam's rate falls as the root of their number once there were more
# than so many: the first steps are as long as they should be, and the last ones, each from a few rows, do not tear down
# what was learned.
_LONG_STEPS = 20

# Where it is known, no step goes further than so far at first: starts are wide, and a long step from there may drive
# concepts to where they are flat, for good. What rows in larger batches allow comes after this share of the steps.
_FIRST_RATE = 0.012
_RISING = 0.05
_USUAL_BATCH = 500

# A map that another solver has learned is as if Adam had made so many steps.
_OF_A_FIT = 500


@dataclass
class Adam:
    """Adam with its usual constants (0.9, 0.999, 1e-8), in centred parameters, and with a rate that falls.

    If it is known how many steps there will be, it falls to 0 as half a wave of the cosine does, after a short rise if
    it is a large one.
    """

    space = Centred

    learning_rate: float
    planned: int | None = None  # number of steps
    steps: int = 0
    mean: Theta | None = None
    mean_square: Theta | None = None
    resumed: bool = False  # from a map that another solver has learned

    @staticmethod
    def usual_rate(n_concepts: int, batch_size: int, planned: bool = True) -> float:
        """Return the largest rate: that of the first steps, or more for batches that tell more."""
        return _FIRST_RATE * max(batch_size / _USUAL_BATCH, 1.0) if planned else 0.05

    def _share(self) -> float:
        """Return what share of the largest rate this step has."""
        if self.planned is not None:
            first = min(_FIRST_RATE / self.learning_rate, 1.0)
            rising = _RISING * self.planned if first < 1.0 else 0.0
            if self.steps < rising:
                return first + (1.0 - first) * self.steps / rising
            fallen = (self.steps - 1 - rising) / (self.planned - rising)
            return 0.5 + 0.5 * math.cos(math.pi * min(fallen, 1.0))
        made = self.steps - 1 + _OF_A_FIT * self.resumed
        return 1.0 / math.sqrt(1.0 + made / _LONG_STEPS)

    def __call__(self, gradient: Theta) -> tuple[Theta, Theta]:
        """Return the direction to go and the rate for each parameter."""
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
    """Divide the rows anew into ``n_rows // batch_size`` random batches; None stands for all rows.

    That many batches make the paper's number of steps. Where the paper leaves out the remaining rows, batches here are
    a little larger, so that every row is used in every epoch.
    """
    number = n_batches(n_rows, batch_size)
    if number == 1:
        yield None
    else:
        # Small numbers, because there are as many of them as rows.
        yield from np.array_split(random.permutation(np.arange(n_rows, dtype=np.min_scalar_type(n_rows))), number)


def n_batches(n_rows: int, batch_size: int) -> int:
    """Return into how many batches the rows are divided."""
    return max(n_rows // batch_size, 1)


@dataclass(frozen=True)
class Adaptive:
    """Steps by a rule, one per mini-batch; an iteration is a pass over the rows."""

    rule: type[RMSprop] | type[Adam]
    learning_rate: float
    batch_size: int

    all_rows = False

    def __call__(
        self, problem: Problem, theta: Theta, stopping: StoppingRule, random: np.random.RandomState
    ) -> tuple[Theta, Outcome]:
        """Minimise from `theta` until the rule says how it ends."""
        theta, rule = theta.copy(), self.rule(self.learning_rate)
        if isinstance(rule, Adam):
            rule.planned = stopping.max_iter * n_batches(problem.objective.n_rows, self.batch_size)
        while True:
            loss = one_epoch(problem, theta, rule, self.batch_size, random)
            outcome = stopping(theta, loss, patient=True)
            if outcome is not None:
                problem.check_end(theta)  # the last step was not evaluated yet
                return theta, outcome


def one_epoch(problem: Problem, theta: Theta, rule: Rule, batch_size: int, random: np.random.RandomState) -> float:
    """Make one pass over the rows, changing `theta` in place; return the mean loss met on the way."""
    space = problem.space or rule.space(problem.objective.n_learned)
    bounds = problem.theta_bounds
    if bounds is not None:
        bounds = space.bound(bounds[0]), space.bound(bounds[1])
    n_rows, penalty = problem.objective.n_rows, problem.penalty
    x = space.from_theta(theta)
    total = 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # told at the next evaluation, in words
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
