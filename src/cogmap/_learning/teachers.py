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

import numpy as np

from cogmap._learning.solvers import Monitor, Report, StoppingRule, Theta, make_solver
from cogmap._learning.spec import ModelSpec
from cogmap._learning.splits import Split, make_splits
from cogmap._learning.table import Table
from cogmap._utils.threads import one_blas_thread

# A teacher stops when so many iterations have lowered its loss on the rows kept aside by less than this.
_PATIENCE = 20
_LEAST_FALL = 1e-4

# However few teachers there are, each learns from three quarters of the rows at least.
_FEWEST_PARTS = 4


@dataclass(frozen=True)
class Teacher:
    """Parameters of a map that stopped in time, and its loss on the rows that it never saw."""

    theta: Theta
    loss: float


def train_teachers(
    spec: ModelSpec, table: Table, start: Callable[[], Theta], random: np.random.RandomState, monitor: Monitor
) -> list[Teacher]:
    """Let teachers learn, each without another part of the rows; fewer of them if there are not enough rows."""
    settings = spec.settings
    n_teachers = settings.n_teachers
    if not n_teachers:
        return []
    all_splits = islice(make_splits(table, max(n_teachers, _FEWEST_PARTS), random), n_teachers)
    if not make_solver(settings).all_rows:
        return _train_side_by_side(spec, all_splits, start, random, monitor)
    teachers: list[Teacher] = []
    for split in all_splits:
        name = f"teacher {len(teachers) + 1} of {n_teachers}"
        with monitor.stage(name, settings.teacher_iter, spec.finished) as report:
            teachers.append(train_teacher(spec, split, start(), report=report))
    return teachers


def _train_side_by_side(
    spec: ModelSpec,
    all_splits: Iterator[Split],
    start: Callable[[], Theta],
    random: np.random.RandomState,
    monitor: Monitor,
) -> list[Teacher]:
    """Let teachers learn in threads, which pays more than sharing mini-batches among them."""
    n_threads, n_teachers = spec.settings.n_threads, spec.settings.n_teachers
    spec = replace(spec, plan=spec.plan.changed(n_threads=max(n_threads // n_teachers, 1)))
    work = ((split, start(), np.random.RandomState(random.randint(2**31))) for split in all_splits)
    stopped = Event()

    def train_one(given: tuple[Split, Theta, np.random.RandomState]) -> Teacher:
        split, theta, own_random = given
        with one_blas_thread():  # other threads need to be told so too
            return train_teacher(spec, split, theta, own_random, lambda *_: stopped.is_set())

    teachers: list[Teacher] = []
    with (
        monitor.stage("teachers", n_teachers, spec.finished) as report,
        ThreadPoolExecutor(n_threads) as pool,
    ):
        # A pool takes all divisions at once; alone, one after the other, each in the memory of the one before.
        learned = pool.map(train_one, work) if n_threads > 1 else map(train_one, work)
        try:
            for teacher in learned:
                teachers.append(teacher)
                if report(teacher.theta, len(teachers), teacher.loss):
                    break
        finally:  # also if somebody interrupts: the pool waits for those who still learn
            stopped.set()
    return teachers


def train_teacher(
    spec: ModelSpec,
    split: Split,
    theta: Theta,
    random: np.random.RandomState | None = None,
    report: Report | None = None,
) -> Teacher:
    """Train until the loss on the held-out rows no longer falls; in mini-batches, as long as planned."""
    learning, held_out = split
    validation = spec.objective(held_out).value
    least_fall = _LEAST_FALL if make_solver(spec.settings).all_rows else 0.0
    stopping = StoppingRule(spec.settings.teacher_iter, least_fall, _PATIENCE, validation, report)
    theta, _ = spec.fit(learning.objective(spec), [theta], stopping, random or np.random.RandomState(0))
    return Teacher(theta, validation(theta))
