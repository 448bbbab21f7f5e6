"""Parallel runner of tasks, which stores each result immediately and skips results already in the store."""

import multiprocessing.resource_tracker
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext

from joblib import Parallel, delayed
from joblib.externals.loky.backend import resource_tracker as joblib_tracker

from cogmap.exceptions import CogmapError
from cogmap.research.experiments.store import AnyTask, ResultStore, Row


class WorkerError(CogmapError):
    """A worker process was terminated from outside."""


def run_tasks(
    store: ResultStore,
    tasks: list[AnyTask],
    n_jobs: int | None = None,
    after_task: Callable[[AnyTask, list[Row]], None] | None = None,
) -> int:
    """Run all tasks whose results are missing from the store or failed; return the number of tasks run.

    Tasks run in parallel with joblib; within ``joblib.parallel_config(backend="dask")``, or another distributed
    backend, they run on a cluster.

    Parameters
    ----------
    store : ResultStore
        Store for the results, already entered.
    tasks : list of Task
        Tasks, or other objects with ``keys`` and ``run()``.
    n_jobs : int, default=None
        Number of processes. Defaults to the joblib configuration, which is 1 by default.
    after_task : callable, default=None
        Called with each finished task and its rows.

    Returns
    -------
    int
    """
    missing = store.missing(tasks)
    if n_jobs is not None and n_jobs > 1:
        n_jobs = max(1, min(n_jobs, len(missing)))  # no idle processes
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    results = None
    try:
        with nullcontext() if n_jobs == 1 else _interrupts_blocked():
            results = parallel(delayed(_run)(task, os.getpid()) for task in missing)
        for task, rows in results:
            store.append(rows)
            if after_task is not None:
                after_task(task, rows)
    except BrokenProcessPool as problem:
        raise WorkerError(
            "A worker process was terminated from outside, probably because memory ran out. Finished results are kept, "
            "and the same command resumes from there; fewer processes (--jobs) need less memory."
        ) from problem
    finally:
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns if not all results were fetched
                results.close()  # after an interrupt, joblib terminates its processes
    return len(missing)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block SIGINT, so that processes started meanwhile inherit the block and ignore Ctrl-C.

    A terminal sends SIGINT to all processes. The parent terminates the workers, which would otherwise each print a
    traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The resource trackers of multiprocessing and joblib unblock SIGINT when they start, so start them first.
    multiprocessing.resource_tracker.ensure_running()
    joblib_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run(task: AnyTask, parent: int) -> tuple[AnyTask, list[Row]]:
    _exit_with_parent(parent)
    return task, task.run()


_watched: list[int] = []


def _exit_with_parent(parent: int) -> None:
    """In a joblib worker, start a thread that exits the process soon after its parent ends, even if killed.

    The worker would otherwise finish its task, which may take minutes, and then wait for the next.
    """
    if parent in _watched or not multiprocessing.current_process().name.startswith("LokyProcess"):
        return
    _watched.append(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
