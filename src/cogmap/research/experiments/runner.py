"""The runner: tasks in parallel, every result on disk at once, what is there already is not done again."""

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
from cogmap.research.experiments.store import AnyWork, ResultStore, Row


class WorkerError(CogmapError):
    """A process that did tasks was ended from outside."""


def run_tasks(
    store: ResultStore,
    tasks: list[AnyWork],
    n_jobs: int | None = None,
    after_task: Callable[[AnyWork, list[Row]], None] | None = None,
) -> int:
    """Do all tasks whose results are not in the store yet, or failed; return how many were done.

    The work is spread by joblib, so that within ``joblib.parallel_config(backend="dask")``, or another backend, it is
    done on a cluster.

    Parameters
    ----------
    store : ResultStore
        Where results go, entered.
    tasks : list of Task
        What to do, or other work with ``keys`` and ``run()``.
    n_jobs : int, default=None
        Number of processes. None means what joblib's configuration says, 1 without any.
    after_task : callable, default=None
        Called with each task that is done and its rows.
    """
    missing = store.missing(tasks)
    if n_jobs is not None and n_jobs > 1:
        n_jobs = max(1, min(n_jobs, len(missing)))  # no process without a task
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    results = None
    try:
        with nullcontext() if n_jobs == 1 else _interrupts_held_back():
            results = parallel(delayed(_run)(task, os.getpid()) for task in missing)
        for task, rows in results:
            store.append(rows)
            if after_task is not None:
                after_task(task, rows)
    except BrokenProcessPool as problem:
        raise WorkerError(
            "A process that did a part of the work was ended from outside, probably because memory ran out. Finished "
            "results are kept, and the same command goes on from there; fewer processes (--jobs) need less memory."
        ) from problem
    finally:
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that not all results were fetched: we know
                results.close()  # if we were stopped, joblib ends its processes
    return len(missing)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait for a moment; processes that are started meanwhile never notice it.

    A terminal sends it to all processes. This one ends the others; by themselves they would print a traceback each.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The helpers of multiprocessing and joblib that watch shared memory let interrupts through when they start.
    multiprocessing.resource_tracker.ensure_running()
    joblib_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run(task: AnyWork, parent: int) -> tuple[AnyWork, list[Row]]:
    _end_with(parent)
    return task, task.run()


_watched: list[int] = []


def _end_with(parent: int) -> None:
    """If this is a process that joblib started, end it soon after the one that gave the task, even if that was killed.

    It would otherwise finish its task for nobody, which may take minutes, and then wait for the next.
    """
    if parent in _watched or not multiprocessing.current_process().name.startswith("LokyProcess"):
        return
    _watched.append(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
