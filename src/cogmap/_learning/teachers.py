"""Teachers: an ensemble of maps with early stopping, from which the final map is distilled.

A single map trained to convergence overfits: it is overconfident, and depends on its initial weights. An ensemble of
maps with early stopping is better, but not interpretable. So each teacher is trained without a subset of the rows,
until its loss on that held-out subset no longer falls, and one map is then trained on all rows, on a mixture of the
labels and the teachers' mean prediction.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from threading import Event

import numpy as np

from cogmap._learning.held_out import MAX_ROWS, HeldOut
from cogmap._learning.solvers import Monitor, Report, StoppingRule, Theta, make_solver
from cogmap._learning.spec import ModelSpec
from cogmap._learning.splits import Split, make_splits
from cogmap._learning.table import Table
from cogmap._utils.threads import one_blas_thread

# A teacher stops when `_PATIENCE` iterations have reduced its held-out loss by less than `_TOL`.
_PATIENCE = 20
_TOL = 1e-4

# Even with few teachers, each is trained on at least three quarters of the rows.
_MIN_FOLDS = 4


@dataclass(frozen=True)
class Teacher:
    """Parameters of a map trained with early stopping, its held-out loss and its held-out predictions."""

    theta: Theta
    loss: float
    held_out: HeldOut


def train_teachers(
    spec: ModelSpec, table: Table, start: Callable[[], Theta], random: np.random.RandomState, monitor: Monitor
) -> list[Teacher]:
    """Train the teachers, each with its own held-out rows; fewer if there are not enough rows."""
    settings = spec.settings
    n_teachers = settings.n_teachers
    if not n_teachers:
        return []
    all_splits = islice(make_splits(table, max(n_teachers, _MIN_FOLDS), random), n_teachers)
    if not make_solver(settings).all_rows:
        return _train_in_threads(spec, all_splits, start, random, monitor)
    teachers: list[Teacher] = []
    for split in all_splits:
        name = f"teacher {len(teachers) + 1} of {n_teachers}"
        with monitor.stage(name, settings.teacher_iter, spec.finished) as report:
            teachers.append(train_teacher(spec, split, start(), report=report))
    return teachers


def _train_in_threads(
    spec: ModelSpec,
    all_splits: Iterator[Split],
    start: Callable[[], Theta],
    random: np.random.RandomState,
    monitor: Monitor,
) -> list[Teacher]:
    """Train teachers in parallel threads, which is faster than sharing mini-batches between threads."""
    n_threads, n_teachers = spec.settings.n_threads, spec.settings.n_teachers
    spec = replace(spec, plan=spec.plan.with_settings(n_threads=max(n_threads // n_teachers, 1)))
    tasks = ((split, start(), np.random.RandomState(random.randint(2**31))) for split in all_splits)
    stopped = Event()

    def train_one(task: tuple[Split, Theta, np.random.RandomState]) -> Teacher:
        split, theta, own_random = task
        with one_blas_thread():  # the limit may be per thread
            return train_teacher(spec, split, theta, own_random, lambda *_: stopped.is_set())

    teachers: list[Teacher] = []
    with (
        monitor.stage("teachers", n_teachers, spec.finished) as report,
        ThreadPoolExecutor(n_threads) as pool,
    ):
        # A pool takes all splits at once; a single thread makes one at a time, to reuse its memory.
        trained = pool.map(train_one, tasks) if n_threads > 1 else map(train_one, tasks)
        try:
            for teacher in trained:
                teachers.append(teacher)
                if report(teacher.theta, len(teachers), teacher.loss):
                    break
        finally:  # on interruption too: the pool waits for running teachers
            stopped.set()
    return teachers


def train_teacher(
    spec: ModelSpec,
    split: Split,
    theta: Theta,
    random: np.random.RandomState | None = None,
    report: Report | None = None,
) -> Teacher:
    """Train until the held-out loss no longer falls; in mini-batches, for the planned number of passes."""
    train_rows, held_out = split
    validation = spec.objective(held_out).value
    tol = _TOL if make_solver(spec.settings).all_rows else 0.0
    stopping = StoppingRule(spec.settings.teacher_iter, tol, _PATIENCE, validation, report)
    theta, _ = spec.fit(train_rows.objective(spec), [theta], stopping, random or np.random.RandomState(0))
    return Teacher(theta, validation(theta), _held_out(spec, held_out, theta))


def _held_out(spec: ModelSpec, rows: Table, theta: Theta) -> HeldOut:
    """Return the predictions of a teacher for rows that it left out; of many rows, for some of them."""
    some, model = rows.subsample(MAX_ROWS), spec.model(theta)
    net = np.concatenate([model.net(X) for _, X in some.blocks()], axis=1)
    return replace(HeldOut.of(some, net), part_rows=max(rows.n_rows, rows.total_weight))
