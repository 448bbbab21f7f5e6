"""How one map is learned: from the labels alone, or from the labels and from what several teachers predict.

A single map that learns until its loss settles knows its training rows too well: it is too sure, and another start
would have given other answers. A committee of maps that stop in time is better, but nobody can look at a committee. So
the committee teaches: each teacher learns without a part of the rows, and stops when its loss on that part no longer
falls. Then one map learns, from all rows, a mixture of the labels and of the teachers' mean prediction.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.encoding import first_states
from cogmap.losses import make_loss
from cogmap.map import FuzzyCognitiveMap
from cogmap.objective import Objective
from cogmap.penalties import ElasticNet
from cogmap.solvers import Problem, Watch, solve_lbfgs
from cogmap.structure import Bounds
from cogmap.table import Table

Theta = NDArray[np.float64]
Start = Callable[[], Theta]
Division = tuple[Table, Table]  # rows to learn from, rows kept aside

# A teacher stops when so many iterations have lowered its loss on the rows kept aside by less than this.
_PATIENCE = 20
_LEAST_FALL = 1e-4

# However few teachers there are, each learns from three quarters of the rows at least.
_FEWEST_PARTS = 4

# A map of more concepts than this is wide: it is learned in float32, without teachers and in few iterations, which for
# so many weights are already long.
_WIDE = 200

# What the taught map learns from is so much the labels; the rest is what the teachers say.
_LABELS = 0.5


@dataclass(frozen=True)
class Recipe:
    """What is learned from a table: the kind of map, the penalty and the limits of its weights."""

    depth: int
    slope: float
    gain: float
    alpha: float
    l1_ratio: float
    limits: Bounds | None
    n_threads: int

    def objective(
        self, table: Table, shares: NDArray[np.float64] | None = None, unit_weight: float | None = None
    ) -> Objective:
        """Return the mean loss on a table; with `shares`, rows are partly of each class."""
        return Objective(
            table.X,
            table.codes if shares is None else shares,
            len(table.classes),
            output=table.output,
            depth=self.depth,
            slope=self.slope,
            gain=self.gain,
            sample_weight=table.weight,
            unit_weight=unit_weight,
            n_threads=self.n_threads,
        )

    def problem(
        self, table: Table, shares: NDArray[np.float64] | None = None, unit_weight: float | None = None
    ) -> Problem:
        """Return what a solver minimises on a table."""
        n_rows = max(table.n_rows, table.total_weight)
        penalty = ElasticNet.from_alpha(self.alpha, self.l1_ratio, n_rows, len(table.concepts) ** 2)
        return Problem(self.objective(table, shares, unit_weight), penalty, self.limits)

    def map(self, theta: Theta, table: Table) -> FuzzyCognitiveMap:
        """Return the map with these parameters."""
        r = len(table.concepts)
        return FuzzyCognitiveMap(theta[: r * r].reshape(r, r), theta[r * r :], self.slope, table.concepts)

    def probabilities(self, theta: Theta, table: Table) -> NDArray[np.float64]:
        """Return the probability of each class for each row of the table."""
        loss = make_loss(table.output, len(table.classes), self.gain)
        states = first_states(table.X, loss.n_outputs)
        net = outputs_net(self.map(theta, table), self.depth, loss.n_outputs, states)
        return loss.probabilities(net).astype(np.float64, copy=False)


def before_last(fcm: FuzzyCognitiveMap, depth: int, states: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the states before the last of `depth` steps."""
    for _ in range(depth - 1):
        states = fcm.step(states)
    return states


def outputs_net(
    fcm: FuzzyCognitiveMap, depth: int, n_outputs: int, states: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Return what enters the outputs, the last concepts, in the last step, in the form in which a loss wants it."""
    states = before_last(fcm, depth, states)
    net: NDArray[np.floating] = 0.5 * fcm.slope * (fcm.net_input(states, slice(-n_outputs, None)).T - 0.5)
    return net


@dataclass(frozen=True)
class Teacher:
    """Parameters of a map that stopped in time, and its loss on the rows that it never saw."""

    theta: Theta
    loss: float


def affords_teachers(table: Table) -> bool:
    """Whether the maps of two teachers are not too many concepts to learn."""
    return 2 * len(table.concepts) <= _WIDE


def is_wide(table: Table) -> bool:
    """Whether the map of a table has so many concepts that iterations are dear."""
    return len(table.concepts) > _WIDE


def longest(table: Table, n_iter: int) -> int:
    """Return how many iterations usually pay: `n_iter`, but for a wide map one for 200 rows, from 10 to 50."""
    return min(max(table.n_rows // 200, 10), 50) if is_wide(table) else n_iter


def learn_teachers(
    recipe: Recipe, table: Table, n_teachers: int, start: Start, random: np.random.RandomState
) -> list[Teacher]:
    """Let teachers learn, each without another part of the rows; fewer of them if there are not enough rows."""
    parts = divisions(table, max(n_teachers, _FEWEST_PARTS), random)[:n_teachers]
    return [learn_teacher(recipe, part, start()) for part in parts]


def divisions(table: Table, n_parts: int, random: np.random.RandomState) -> list[Division]:
    """Divide a table in several ways into rows to learn from and a part kept aside."""
    parts = [aside for aside in table.parts(n_parts, random) if aside.any()]
    return [(table.weighted(np.maximum(table.row_weights - aside, 0.0)), table.weighted(aside)) for aside in parts]


def learn_teacher(recipe: Recipe, division: Division, theta: Theta) -> Teacher:
    """Learn from a table until the loss on the part kept aside no longer falls."""
    learning, aside = division
    problem = recipe.problem(learning)
    validation = recipe.objective(aside).value
    watch = Watch(longest(learning, 200), _LEAST_FALL, _PATIENCE, validation)
    theta, _ = solve_lbfgs(problem, problem.clip(theta), watch)
    if watch.best_theta is not None:
        theta = watch.best_theta
    return Teacher(theta, validation(theta))


def taught_shares(recipe: Recipe, table: Table, teachers: list[Teacher]) -> NDArray[np.float64]:
    """Return the share of each class in each row: partly the labels, partly the mean prediction of the teachers."""
    predicted = np.mean([recipe.probabilities(teacher.theta, table) for teacher in teachers], axis=0)
    result: NDArray[np.float64] = (1.0 - _LABELS) * predicted + _LABELS * np.eye(len(table.classes))[table.codes]
    return result
