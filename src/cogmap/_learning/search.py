"""Choosing among plans by the losses of teachers on held-out rows (cross-validation)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from cogmap._learning.plan import Plan
from cogmap._learning.settings import CLASSES
from cogmap._learning.solvers import SILENT, Monitor, Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.splits import Split, make_splits
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher, train_teacher
from cogmap._utils.threads import one_blas_thread
from cogmap.models.model import MapModel

# Words have to lower the loss on the rows kept aside by this share to be worth the longer map.
WORDS_GAIN = 0.03

MOST_INPUTS = 2 * CLASSES.teachers_up_to  # of a map of which several teachers can be afforded


@dataclass(frozen=True)
class Choice:
    """Which plan was chosen, its teachers, and the losses of all."""

    number: int
    teachers: list[Teacher]
    losses: NDArray[np.float64]  # one row per plan, one column per split
    mean_loss: NDArray[np.float64]


def choose(
    plans: Sequence[Plan],
    tables: Sequence[Table],
    n_parts: int,
    random: np.random.RandomState,
    monitor: Monitor = SILENT,
    n_jobs: int | None = None,
) -> Choice:
    """Train teachers for each plan and choose by their losses on held-out rows.

    The first plan is preferred: another one that reads features as it does is taken only if better by more than one
    standard error, one that reads them as words only if it is clearly better than that, and none if no row can be held
    out.

    Parameters
    ----------
    plans : sequence of Plan
        What to choose from, the preferred one first.
    tables : sequence of Table
        The same rows as each plan encodes them.
    n_parts : int
        Number of parts of the rows, each of which is held out once.
    random : RandomState
        Decides splits and starts.
    monitor : Monitor, default=SILENT
        Receives progress reports.
    n_jobs : int, default=None
        Number of processes.
    """
    specs = [ModelSpec.for_table(table, plan) for table, plan in zip(tables, plans, strict=True)]
    widest = max(spec.concepts.n_inputs for spec in specs)
    splits = list(make_splits(tables[0], n_parts, random))[: None if widest <= MOST_INPUTS else 1]
    monitor.begin(2)
    if not splits:
        return Choice(0, [], np.empty((len(plans), 0)), np.full(len(plans), np.nan))
    # The same starts for every plan that has the same concepts, so that only the plans differ.
    starts: dict[int, list[Theta]] = {}
    for spec, table in zip(specs, tables, strict=True):
        if len(spec.concepts) not in starts:
            starts[len(spec.concepts)] = [spec.start(table, random) for _ in splits]
    # Threads for the blocks of rows would be as many again in each of the processes.
    work = [
        (replace(spec, plan=spec.plan.changed(n_threads=1)), _split_alike(table, split), theta)
        for spec, table in zip(specs, tables, strict=True)
        for split, theta in zip(splits, starts[len(spec.concepts)], strict=True)
    ]
    trained: list[Teacher] = []

    def model(theta: Theta) -> MapModel:  # of the teacher that was trained last
        return specs[(len(trained) - 1) // len(splits)].finished(theta)

    parallel = Parallel(n_jobs=min(effective_n_jobs(n_jobs), len(work)), return_as="generator")
    with monitor.stage("choosing", len(work), model) as report:
        for teacher in parallel(delayed(_train_teacher)(*piece) for piece in work):
            trained.append(teacher)
            report(teacher.theta, len(trained), teacher.loss)
    teachers = [trained[i : i + len(splits)] for i in range(0, len(trained), len(splits))]
    losses = np.array([[teacher.loss for teacher in of_plan] for of_plan in teachers])
    mean = np.average(losses, axis=1, weights=[held_out.total_weight for _, held_out in splits])
    number = _best(plans, losses, mean, tables[0].targets.loss.is_mean)
    return Choice(number, teachers[number] if len(splits) > 1 else [], losses, mean)


def _split_alike(table: Table, split: Split) -> Split:
    """Return the same split of another table of the same rows."""
    learning, held_out = (replace(part, X=table.X, features=table.features) for part in split)
    return learning, held_out


def _train_teacher(spec: ModelSpec, split: Split, theta: Theta) -> Teacher:
    """Train a teacher in a process of its own."""
    with one_blas_thread():
        return train_teacher(spec, split, theta)


def _best(plans: Sequence[Plan], losses: NDArray[np.float64], mean: NDArray[np.float64], is_mean: bool) -> int:
    """Return the number of the plan to take; a loss is a mean over rows, or the logarithm of one."""
    alike = [i for i, plan in enumerate(plans) if plan.encoding is plans[0].encoding]
    number = alike[_clearly_best(losses[alike], mean[alike])]
    rest = [i for i in range(len(plans)) if i not in alike]
    if not rest:
        return number
    other = min(rest, key=lambda i: mean[i])
    needed = WORDS_GAIN * (abs(mean[number]) if is_mean else 1.0)
    return other if mean[number] - mean[other] > needed else number


def _clearly_best(losses: NDArray[np.float64], mean: NDArray[np.float64]) -> int:
    """Return the plan with the smallest mean loss, but the first if it is within one standard error of that.

    Few parts of few rows make losses that differ by chance, and what is chosen by chance is worse than what was
    preferred for a reason.
    """
    best = int(mean.argmin())
    return best if mean[0] - mean[best] > _standard_error(losses[0] - losses[best]) else 0


def _standard_error(differences: NDArray[np.float64]) -> float:
    """Return the standard error of a mean; 0 if there is one difference only, which says nothing about it."""
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0
