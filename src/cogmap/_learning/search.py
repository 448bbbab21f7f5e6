"""Selection of a plan by the held-out losses of its teachers (cross-validation)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from cogmap._learning.plan import Plan
from cogmap._learning.settings import CLASSIFICATION
from cogmap._learning.solvers import SILENT, Monitor, Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.splits import Split, make_splits
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher, train_teacher
from cogmap._utils.threads import one_blas_thread
from cogmap.models.model import MapModel

# Terms must reduce the held-out loss by this fraction to justify the larger map.
MIN_TERMS_GAIN = 0.03

MAX_SEARCH_INPUTS = 2 * CLASSIFICATION.max_taught  # larger maps are too slow to train several times


@dataclass(frozen=True)
class Choice:
    """The selected plan, its teachers, and the losses of all plans."""

    number: int  # index of the selected plan
    teachers: list[Teacher]
    losses: NDArray[np.float64]  # one row per plan, one column per split
    mean_loss: NDArray[np.float64]


def choose(
    plans: Sequence[Plan],
    tables: Sequence[Table],
    n_folds: int,
    random: np.random.RandomState,
    monitor: Monitor = SILENT,
    n_jobs: int | None = None,
) -> Choice:
    """Train teachers for each plan and select a plan by their held-out losses.

    The first plan is preferred: another plan with the same encoding is selected only if it is better by more than one
    standard error, and one with terms only if it is better by a further `MIN_TERMS_GAIN`. If no row can be held out,
    the first plan is selected.

    Parameters
    ----------
    plans : sequence of Plan
        Candidate plans, the preferred one first.
    tables : sequence of Table
        The rows, encoded by each plan.
    n_folds : int
        Number of folds, each of which is held out once.
    random : RandomState
        Determines splits and initial weights.
    monitor : Monitor, default=SILENT
        Receives progress reports.
    n_jobs : int, default=None
        Number of processes.
    """
    specs = [ModelSpec.for_table(table, plan) for table, plan in zip(tables, plans, strict=True)]
    max_inputs = max(spec.concepts.n_inputs for spec in specs)
    splits = list(make_splits(tables[0], n_folds, random))[: None if max_inputs <= MAX_SEARCH_INPUTS else 1]
    monitor.begin(2)
    if not splits:
        return Choice(0, [], np.empty((len(plans), 0)), np.full(len(plans), np.nan))
    # Plans with the same concepts share initial weights, so that only the settings differ.
    starts: dict[int, list[Theta]] = {}
    for spec, table in zip(specs, tables, strict=True):
        if len(spec.concepts) not in starts:
            starts[len(spec.concepts)] = [spec.start(table, random) for _ in splits]
    # One thread per process: each process would otherwise start its own threads for blocks of rows.
    tasks = [
        (replace(spec, plan=spec.plan.with_settings(n_threads=1)), _same_split(table, split), theta)
        for spec, table in zip(specs, tables, strict=True)
        for split, theta in zip(splits, starts[len(spec.concepts)], strict=True)
    ]
    trained: list[Teacher] = []

    def model(theta: Theta) -> MapModel:  # of the teacher that was trained last
        return specs[(len(trained) - 1) // len(splits)].finished(theta)

    parallel = Parallel(n_jobs=min(effective_n_jobs(n_jobs), len(tasks)), return_as="generator")
    with monitor.stage("choosing", len(tasks), model) as report:
        for teacher in parallel(delayed(_train_teacher)(*task) for task in tasks):
            trained.append(teacher)
            report(teacher.theta, len(trained), teacher.loss)
    teachers = [trained[i : i + len(splits)] for i in range(0, len(trained), len(splits))]
    losses = np.array([[teacher.loss for teacher in of_plan] for of_plan in teachers])
    mean = np.average(losses, axis=1, weights=[held_out.total_weight for _, held_out in splits])
    number = _best(plans, losses, mean, tables[0].targets.loss.is_mean)
    return Choice(number, teachers[number] if len(splits) > 1 else [], losses, mean)


def _same_split(table: Table, split: Split) -> Split:
    """Return the same split of another encoding of the same rows."""
    train_rows, held_out = (replace(part, X=table.X, features=table.features) for part in split)
    return train_rows, held_out


def _train_teacher(spec: ModelSpec, split: Split, theta: Theta) -> Teacher:
    """Train a teacher in a separate process."""
    with one_blas_thread():
        return train_teacher(spec, split, theta)


def _best(plans: Sequence[Plan], losses: NDArray[np.float64], mean: NDArray[np.float64], is_mean: bool) -> int:
    """Return the index of the plan to select; `is_mean` is False if losses are logarithms of a mean."""
    alike = [i for i, plan in enumerate(plans) if plan.encoding is plans[0].encoding]
    number = alike[_clearly_best(losses[alike], mean[alike])]
    rest = [i for i in range(len(plans)) if i not in alike]
    if not rest:
        return number
    other = min(rest, key=lambda i: mean[i])
    needed = MIN_TERMS_GAIN * (abs(mean[number]) if is_mean else 1.0)
    return other if mean[number] - mean[other] > needed else number


def _clearly_best(losses: NDArray[np.float64], mean: NDArray[np.float64]) -> int:
    """Return the plan with the smallest mean loss, or the first plan if it is within one standard error of that.

    With few folds of few rows losses differ by chance, and a plan selected by chance is worse than the preferred one.
    """
    best = int(mean.argmin())
    return best if mean[0] - mean[best] > _standard_error(losses[0] - losses[best]) else 0


def _standard_error(differences: NDArray[np.float64]) -> float:
    """Return the standard error of a mean; 0 for a single difference, which has no estimate."""
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0
