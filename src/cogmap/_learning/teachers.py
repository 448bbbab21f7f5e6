"""Teachers: maps that stop in time, and from which one map learns (an ensemble, and its distillation).

A single map that learns until its loss settles knows its training rows too well: it is too sure, and another start
would have given other answers. An ensemble of maps that stop in time is better, but nobody can look at an ensemble. So
the ensemble teaches: each teacher learns without a part of the rows, and stops when its loss on that held-out part no
longer falls. Then one map learns, from all rows, a mixture of the labels and of the teachers' mean prediction.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.monitor import Monitor, Report
from cogmap._learning.parts import Division, divisions
from cogmap._learning.recipe import Recipe
from cogmap._learning.solvers import LBFGS, Theta, Watch
from cogmap._learning.table import Table

# A teacher stops when so many iterations have lowered its loss on the rows kept aside by less than this.
_PATIENCE = 20
_LEAST_FALL = 1e-4

# However few teachers there are, each learns from three quarters of the rows at least.
_FEWEST_PARTS = 4

# What the taught map learns from is so much the labels; the rest is what the teachers say.
_LABELS = 0.5


@dataclass(frozen=True)
class Teacher:
    """Parameters of a map that stopped in time, and its loss on the rows that it never saw."""

    theta: Theta
    loss: float


def learn_teachers(
    recipe: Recipe, table: Table, start: Callable[[], Theta], random: np.random.RandomState, monitor: Monitor
) -> list[Teacher]:
    """Let teachers learn, each without another part of the rows; fewer of them if there are not enough rows."""
    n_teachers = recipe.settings.n_teachers
    if not n_teachers:
        return []
    teachers: list[Teacher] = []
    for division in divisions(table, max(n_teachers, _FEWEST_PARTS), random):
        name = f"teacher {len(teachers) + 1} of {n_teachers}"
        with monitor.stage(name, recipe.settings.teacher_iter, recipe.model) as report:
            teachers.append(learn_teacher(recipe, division, start(), report))
        if len(teachers) == n_teachers:
            break
    return teachers


def learn_teacher(recipe: Recipe, division: Division, theta: Theta, report: Report | None = None) -> Teacher:
    """Learn from a table until the loss on the part kept aside no longer falls."""
    learning, aside = division
    problem = recipe.problem(learning)
    validation = recipe.objective(aside).value
    watch = Watch(recipe.settings.teacher_iter, _LEAST_FALL, _PATIENCE, validation, report)
    theta, _ = LBFGS()(problem, problem.clip(theta), watch)
    if watch.best_theta is not None:
        theta = watch.best_theta
    return Teacher(theta, validation(theta))


def taught_targets(recipe: Recipe, table: Table, teachers: list[Teacher]) -> NDArray[np.floating]:
    """Return what the map learns: partly the labels, partly the mean prediction of the teachers."""
    targets = table.targets.mixture(_LABELS, table.X.dtype)
    models = [recipe.model(teacher.theta) for teacher in teachers]
    for rows, X in table.blocks():
        predicted = np.mean([table.targets.predictions(model.outputs(X)) for model in models], axis=0)
        targets[rows] += (1.0 - _LABELS) * predicted
    return targets
