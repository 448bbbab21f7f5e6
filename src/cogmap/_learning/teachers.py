"""Teachers: maps that stop in time, and from which one map learns (an ensemble, and its distillation).

A single map that learns until its loss settles knows its training rows too well: it is too sure, and another start
would have given other answers. An ensemble of maps that stop in time is better, but nobody can look at an ensemble. So
the ensemble teaches: each teacher learns without a part of the rows, and stops when its loss on that held-out part no
longer falls. Then one map learns, from all rows, a mixture of the labels and of the teachers' mean prediction.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.monitor import Monitor, Report
from cogmap._learning.parts import Division, divisions
from cogmap._learning.recipe import Recipe
from cogmap._learning.solvers import Theta, Watch, make_solver
from cogmap._learning.table import Table
from cogmap._threads import Crew, one_blas_thread

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
    settings = recipe.settings
    n_teachers = settings.n_teachers
    if not n_teachers:
        return []
    all_divisions = islice(divisions(table, max(n_teachers, _FEWEST_PARTS), random), n_teachers)
    if not make_solver(settings).all_rows:
        return _learn_side_by_side(recipe, all_divisions, start, random, monitor)
    teachers: list[Teacher] = []
    for division in all_divisions:
        name = f"teacher {len(teachers) + 1} of {n_teachers}"
        with monitor.stage(name, settings.teacher_iter, recipe.model) as report:
            teachers.append(learn_teacher(recipe, division, start(), report=report))
    return teachers


def _learn_side_by_side(
    recipe: Recipe,
    all_divisions: Iterator[Division],
    start: Callable[[], Theta],
    random: np.random.RandomState,
    monitor: Monitor,
) -> list[Teacher]:
    """Let teachers learn in threads, which pays more than sharing mini-batches among them."""
    n_threads, n_teachers = recipe.settings.n_threads, recipe.settings.n_teachers
    recipe = replace(recipe, settings=replace(recipe.settings, n_threads=max(n_threads // n_teachers, 1)))
    work = ((division, start(), np.random.RandomState(random.randint(2**31))) for division in all_divisions)
    stopped = Event()

    def learn_one(given: tuple[Division, Theta, np.random.RandomState]) -> Teacher:
        division, theta, own_random = given
        with one_blas_thread():  # other threads need to be told so too
            return learn_teacher(recipe, division, theta, own_random, lambda *_: stopped.is_set())

    teachers: list[Teacher] = []
    with (
        monitor.stage("teachers", n_teachers, recipe.model) as report,
        ThreadPoolExecutor(n_threads) as pool,
    ):
        # A pool takes all divisions at once; alone, one after the other, each in the memory of the one before.
        learned = pool.map(learn_one, work) if n_threads > 1 else map(learn_one, work)
        try:
            for teacher in learned:
                teachers.append(teacher)
                if report(teacher.theta, len(teachers), teacher.loss):
                    break
        finally:  # also if somebody interrupts: the pool waits for those who still learn
            stopped.set()
    return teachers


def learn_teacher(
    recipe: Recipe,
    division: Division,
    theta: Theta,
    random: np.random.RandomState | None = None,
    report: Report | None = None,
) -> Teacher:
    """Learn from a table until the loss on the part kept aside no longer falls; in mini-batches, as long as planned."""
    learning, aside = division
    problem = recipe.problem(learning)
    validation = recipe.objective(aside).value
    solver = make_solver(recipe.settings)
    least_fall = _LEAST_FALL if solver.all_rows else 0.0
    watch = Watch(recipe.settings.teacher_iter, least_fall, _PATIENCE, validation, report)
    theta, _ = solver(problem, problem.clip(theta), watch, random or np.random.RandomState(0))
    if watch.best_theta is not None:
        theta = watch.best_theta
    return Teacher(theta, validation(theta))


def taught_targets(recipe: Recipe, table: Table, teachers: list[Teacher]) -> NDArray[np.floating]:
    """Return what the map learns: partly the labels, partly the mean prediction of the teachers."""
    targets = table.targets.mixture(_LABELS, table.X.dtype)
    models = [recipe.model(teacher.theta) for teacher in teachers]
    crew = Crew(recipe.settings.n_threads)
    for rows, X in table.blocks():

        def predictions(number: int, X: Any = X) -> NDArray[np.floating]:
            return table.targets.predictions(models[number].outputs(X))

        targets[rows] += (1.0 - _LABELS) * np.mean(crew.each(predictions, len(models)), axis=0)
    return targets
