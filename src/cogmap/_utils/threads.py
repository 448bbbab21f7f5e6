"""Limit BLAS to one thread, and run work in threads over blocks of rows.

Small matrix products are slower with several BLAS threads, and their rounding depends on the number of threads.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")


@cache
def _libraries() -> tuple[list[Any], list[Any]]:
    """Return the loaded BLAS libraries: those with a limit per process, and those with a limit per thread."""
    # Cached, because finding them takes milliseconds.
    libraries = [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
    local = [lib for lib in libraries if lib.internal_api == "mkl" or getattr(lib, "threading_layer", "") == "openmp"]
    return [library for library in libraries if library not in local], local


def _threads(library: Any) -> int:
    return int(library.get_num_threads())


def _set(libraries: list[Any], numbers: list[int]) -> None:
    for library, number in zip(libraries, numbers, strict=True):
        # New versions of threadpoolctl let only the thread that first set a limit change it.
        release = getattr(library, "clear_controlling_thread", lambda force: None)
        release(force=True)
        library.set_num_threads(number)
        release(force=True)


class _Process:
    """Number of threads that limit BLAS, and the limits before the first of them."""

    lock = threading.RLock()  # reentrant: a signal may interrupt the holder, and its handler may fork
    holders = 0
    before: list[int]

    @classmethod
    def restore(cls) -> None:
        """Restore the earlier limits, except where other code has changed the limit meanwhile."""
        shared, _ = _libraries()
        held = [(library, number) for library, number in zip(shared, cls.before, strict=True) if _threads(library) == 1]
        _set([library for library, _ in held], [number for _, number in held])


class _Thread(threading.local):
    holds = False


_this_thread = _Thread()


def _in_child() -> None:
    """Discard the other threads' limits in a forked process, which does not have these threads."""
    others = _Process.holders - _this_thread.holds
    _Process.holders = int(_this_thread.holds)
    if others and not _this_thread.holds:
        _Process.restore()
    _Process.lock.release()


if hasattr(os, "register_at_fork"):
    # A lock held by another thread would never be released in the child, so a fork waits for it.
    os.register_at_fork(before=_Process.lock.acquire, after_in_parent=_Process.lock.release, after_in_child=_in_child)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread. Nested calls in the same thread cost nothing.

    If the limit is per process, the first holder sets it and the last one restores it, so that concurrent fits in
    several threads do not interfere. If it is per thread, each thread sets its own. Limits that other code sets
    meanwhile are kept.
    """
    if _this_thread.holds:
        yield
        return
    with _Process.lock:
        shared, local = _libraries()
        local_before = [_threads(library) for library in local]
        if _Process.holders == 0:
            _Process.before = [_threads(library) for library in shared]
            _set(shared, [1] * len(shared))
        _Process.holders += 1
    _set(local, [1] * len(local))
    _this_thread.holds = True
    try:
        yield
    finally:
        _this_thread.holds = False
        _set(local, local_before)
        with _Process.lock:
            _Process.holders -= 1
            if _Process.holders == 0:
                _Process.restore()


class ThreadTeam:
    """Pool of threads that is reused between calls.

    The calling thread works as well. Waking a thread takes a tenth of the time of starting one, which matters because
    the pieces of a mini-batch take less than a millisecond.
    """

    def __init__(self, n_threads: int) -> None:
        self._others = n_threads - 1
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[int], T], n_pieces: int) -> list[T]:
        """Return ``work(i)`` for i from 0 to `n_pieces` - 1, in order, with BLAS limited to one thread."""
        left = deque(range(n_pieces))
        results: list[Any] = [None] * n_pieces

        def take() -> None:
            with one_blas_thread():
                while left:
                    try:
                        number = left.popleft()
                    except IndexError:  # another thread was faster
                        return
                    results[number] = work(number)

        if self._others and self._pool is None:
            self._pool = ThreadPoolExecutor(self._others)
        helpers = [self._pool.submit(take) for _ in range(min(self._others, n_pieces - 1))] if self._pool else []
        try:
            take()
        finally:  # on interruption too, wait until no thread is working
            left.clear()
            wait(helpers)
        for helper in helpers:
            helper.result()
        return results
