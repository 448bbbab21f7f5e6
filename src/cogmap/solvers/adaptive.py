"""Adam and RMSprop: a step a mini-batch, with a rate for each parameter."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.solvers.driver import Problem, Theta, Watch
from cogmap.solvers.outcomes import Outcome


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

    The running mean square starts at one, and epsilon stands inside the root.
    """

    learning_rate: float
    mean_square: Theta | None = None

    def __call__(self, gradient: Theta) -> tuple[Theta, Theta]:
        """Return the direction to go and the rate for each parameter."""
        if self.mean_square is None:
            self.mean_square = np.ones_like(gradient)
        scratch = _move_towards_square(self.mean_square, gradient, 0.1)
        np.add(self.mean_square, 1e-10, out=scratch)
        np.sqrt(scratch, out=scratch)
        return gradient, np.divide(self.learning_rate, scratch, out=scratch)


@dataclass
class Adam:
    """Adam with its usual constants (0.9, 0.999, 1e-8)."""

    learning_rate: float
    steps: int = 0
    mean: Theta | None = None
    mean_square: Theta | None = None

    def __call__(self, gradient: Theta) -> tuple[Theta, Theta]:
        """Return the direction to go and the rate for each parameter."""
        if self.mean is None or self.mean_square is None:
            self.mean, self.mean_square = np.zeros_like(gradient), np.zeros_like(gradient)
        self.steps += 1
        self.mean += 0.1 * (gradient - self.mean)
        scratch = _move_towards_square(self.mean_square, gradient, 0.001)
        np.sqrt(self.mean_square, out=scratch)
        scratch += 1e-8
        rate = self.learning_rate * np.sqrt(1.0 - 0.999**self.steps) / (1.0 - 0.9**self.steps)
        return self.mean, np.divide(rate, scratch, out=scratch)


Rule = Callable[[Theta], tuple[Theta, Theta]]
RULES: dict[str, Callable[[float], Rule]] = {"adam": Adam, "rmsprop": RMSprop}


def batches(n_rows: int, batch_size: int, random: np.random.RandomState) -> Iterator[NDArray[np.intp] | None]:
    """Divide the rows anew into ``n_rows // batch_size`` random batches; None stands for all rows.

    That many batches make the paper's number of steps. Where the paper leaves out the remaining rows, batches here are
    a little larger, so that every row is used in every epoch.
    """
    n_batches = n_rows // batch_size
    if n_batches <= 1:
        yield None
    else:
        yield from np.array_split(random.permutation(n_rows), n_batches)


def solve_adaptive(
    problem: Problem, theta: Theta, watch: Watch, rule: Rule, batch_size: int, random: np.random.RandomState
) -> tuple[Theta, Outcome]:
    """Minimise from `theta`, one epoch an iteration, until the watch says how it ends."""
    theta = theta.copy()
    while True:
        loss = one_epoch(problem, theta, rule, batch_size, random)
        outcome = watch(theta, loss, patient=True)
        if outcome is not None:
            problem.check_end(theta)  # the last step was not evaluated yet
            return theta, outcome


def one_epoch(problem: Problem, theta: Theta, rule: Rule, batch_size: int, random: np.random.RandomState) -> float:
    """Make one pass over the rows, changing `theta` in place; return the mean loss met on the way."""
    total = 0.0
    for rows in batches(problem.objective.n_rows, batch_size, random):
        loss, gradient = problem.smooth_value_and_gradient(theta, rows)
        loss += problem.penalty.absolute_part(theta)
        total += loss * (problem.objective.n_rows if rows is None else len(rows))
        with np.errstate(over="ignore", invalid="ignore"):  # told at the next evaluation, in words
            direction, rate = rule(gradient)
            theta -= rate * direction
        problem.penalty.shrink(theta, rate)
        if problem.bounds is not None:
            theta[:] = problem.clip(theta)
    return float(total / problem.objective.n_rows)
