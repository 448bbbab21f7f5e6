"""The runner: tasks in parallel, every result on disk at once, what is there already is not done again."""

from collections.abc import Callable

from joblib import Parallel, delayed

from cogmap.experiments.store import ResultStore
from cogmap.experiments.tasks import Row, Task, run_task


def run_tasks(
    store: ResultStore,
    tasks: list[Task],
    n_jobs: int | None = None,
    after_task: Callable[[Task, list[Row]], None] | None = None,
) -> int:
    """Do all tasks whose results are not in the store yet; return how many were done.

    The work is spread by joblib, so that within ``joblib.parallel_config(backend="dask")``, or another backend, it is
    done on a cluster.

    Parameters
    ----------
    store : ResultStore
        Where results go, entered.
    tasks : list of Task
        What to do.
    n_jobs : int, default=None
        Number of processes. None means what joblib's configuration says, 1 without any.
    after_task : callable, default=None
        Called with each task that is done and its rows.
    """
    missing = store.missing(tasks)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    for task, rows in parallel(delayed(_run)(task) for task in missing):
        store.append(rows)
        if after_task is not None:
            after_task(task, rows)
    return len(missing)


def _run(task: Task) -> tuple[Task, list[Row]]:
    return task, run_task(task)
