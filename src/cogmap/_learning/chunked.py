"""Learning one map from rows that are not here: in a file, or on the workers of a cluster, chunk by chunk.

Who holds the rows adds their losses and gradients; only parameters and sums come and go. What needs rows at hand
(teachers, words, starts, effects of arrows) uses a sample of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.arrows import tied_to_effects
from cogmap._learning.learn import Learned, ended
from cogmap._learning.monitor import Monitor
from cogmap._learning.recipe import Recipe
from cogmap._learning.settings import Settings
from cogmap._learning.solvers import LBFGS, Objective, Theta, Watch
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher, learn_teachers, taught_targets
from cogmap._segments import SEGMENT, PairwiseSum
from cogmap._threads import one_blas_thread

Sums = tuple[float, NDArray[np.float64]]  # of the loss, and of its gradient; the latter is empty if not asked for

_SAMPLE = 2**18  # values: teachers learn from them in seconds


@dataclass(frozen=True)
class Prepared:
    """A chunk that is ready to be learned from."""

    recipe: Recipe
    table: Table  # its features are states
    mean_weight: float  # of all rows of all chunks
    taught: NDArray[np.floating] | None = None  # what the map learns instead of the targets

    @classmethod
    def of(cls, recipe: Recipe, table: Table, mean_weight: float, teachers: list[Teacher]) -> "Prepared":
        """Let the teachers say what they think of a chunk."""
        with one_blas_thread():
            taught = taught_targets(recipe, table, teachers) if teachers else None
        return cls(recipe, table, mean_weight, taught)

    def sums(self, theta: Theta, with_gradient: bool) -> Sums:
        """Return the sums over the rows of this chunk."""
        with one_blas_thread():
            objective = self.recipe.objective(self.table, self.taught, self.mean_weight)
            return objective.sums(theta)[:2] if with_gradient else (objective.summed_loss(theta), np.empty(0))


class Rows(Protocol):
    """What learning asks of rows that are somewhere else, in runs of segments."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def total_weight(self) -> float:
        """Sum of their weights."""
        ...

    @property
    def level(self) -> int:
        """Every chunk but the last has 2**level segments."""
        ...

    def prepare(self, recipe: Recipe, mean_weight: float, teachers: list[Teacher]) -> None:
        """Get ready for sums, with targets that teachers have a say in."""
        ...

    def sums(self, theta: Theta, with_gradient: bool) -> Iterable[Sums]:
        """Return the sums of each chunk, in their order."""
        ...


class ObjectiveOfRows:
    """The objective of rows that are somewhere else; to a solver it is like an `Objective` of them all.

    Parameters
    ----------
    rows : Rows
        Where they are.
    of_sample : Objective
        That of a sample of them, which is the same in all but sums.
    """

    def __init__(self, rows: Rows, of_sample: Objective) -> None:
        self._rows, self._of_sample = rows, of_sample
        self.n_rows, self.total_weight = rows.n_rows, rows.total_weight

        self.n_parameters, self.n_learned = of_sample.n_parameters, of_sample.n_learned
        self.dtype, self.loss = of_sample.dtype, of_sample.loss

    def largest(self) -> dict[str, float]:
        """Return the largest slope, gain and feature of the sample."""
        return self._of_sample.largest()

    def _sum(self, theta: Theta, with_gradient: bool) -> Sums:
        total: PairwiseSum[Sums] = PairwiseSum(lambda before, after: (before[0] + after[0], before[1] + after[1]))
        for sums in self._rows.sums(theta, with_gradient):
            total.add(sums, self._rows.level)
        return total.result()

    def sums(self, theta: Theta, rows: NDArray[np.integer] | None = None) -> tuple[float, NDArray[np.float64], float]:
        """Return the weighted sum of the losses, its gradient, and the sum of the weights."""
        loss, gradient = self._sum(theta, with_gradient=True)
        return loss, gradient.copy(), self.total_weight

    def value(self, theta: Theta) -> float:
        """Return the loss of the rows alone."""
        mean = self._sum(theta, with_gradient=False)[0] / self.total_weight
        return self.loss.overall(mean)[0]


def sample_rows(n_rows: int, n_columns: int) -> NDArray[np.intp]:
    """Return which rows the sample has: one at random of each stretch of equal length, the same whoever asks."""
    n_sample = min(n_rows, max(_SAMPLE // n_columns, 1))
    places = np.arange(n_sample) + np.random.default_rng(0).random(n_sample)
    return np.minimum(places * (n_rows / n_sample), n_rows - 1).astype(np.intp)


def level_for(n_rows: int, n_chunks: int) -> int:
    """Return the smallest level at which the rows make at most so many chunks."""
    n_segments = -(-n_rows // SEGMENT)
    return max(-(-n_segments // max(n_chunks, 1)) - 1, 0).bit_length()


def learn_chunked(
    rows: Rows,
    sample: Table,
    settings: Settings,
    random: np.random.RandomState,
    monitor: Monitor,
) -> Learned:
    """Learn a map, as `learn` does, from rows that are somewhere else and a sample of them.

    Parameters
    ----------
    rows : Rows
        Where they are.
    sample : Table
        Some of the rows, whose features are states.
    settings : Settings
        How to learn.
    random : RandomState
        Decides starts and parts.
    monitor : Monitor
        Who is told.
    """
    recipe = Recipe.for_table(sample, settings)

    def new_start() -> Theta:
        return recipe.start(sample, random)

    with one_blas_thread():
        monitor.begin(settings.n_teachers + 1)
        teachers = learn_teachers(recipe, sample, new_start, random, monitor)
        if teachers and isinstance(settings.prior, str) and settings.learn == "weights":
            recipe = tied_to_effects(recipe, sample, [teacher.theta for teacher in teachers])
        rows.prepare(recipe, rows.total_weight / rows.n_rows, teachers)
        objective = ObjectiveOfRows(rows, recipe.objective(sample))
        problem = recipe.penalized(objective, max(rows.n_rows, rows.total_weight))
        thetas = [problem.clip(teacher.theta) for teacher in teachers] or [problem.clip(new_start())]
        theta = min(thetas, key=problem.objective.value) if len(thetas) > 1 else thetas[0]
        with monitor.stage("map", settings.max_iter, recipe.model) as report:
            watch = Watch(settings.max_iter, settings.tol, settings.n_iter_no_change, None, report)
            theta, outcome = LBFGS()(problem, theta, watch, random)
        model = recipe.model(theta)
        outcome = ended(outcome, model, sample, settings)
    losses = [teacher.loss for teacher in teachers]
    return Learned(model, outcome, watch.loss_curve, [], losses, recipe.departures(model))
