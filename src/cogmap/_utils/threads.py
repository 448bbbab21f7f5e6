"""BLAS held to one thread, so that our own threads over blocks of rows do not fight with it.

Small products are slower with several BLAS threads, and their rounding depends on how many there are.
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
    """Return the loaded BLAS libraries: those that count threads for the process, and those that do for each thread."""
    # Finding them takes milliseconds: once a process is enough.
    found = [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
    local = [lib for lib in found if lib.internal_api == "mkl" or getattr(lib, "threading_layer", "") == "openmp"]
    return [library for library in found if library not in local], local


def _threads(library: Any) -> int:
    return int(library.get_num_threads())


def _set(libraries: list[Any], numbers: list[int]) -> None:
    for library, number in zip(libraries, numbers, strict=True):
        # New versions of threadpoolctl let only the thread that first set a limit set another.
        let_go = getattr(library, "clear_controlling_thread", lambda force: None)
        let_go(force=True)
        library.set_num_threads(number)
        let_go(force=True)


class _Process:
    """How many threads hold BLAS, and what the first of them found."""

    lock = threading.RLock()  # a signal may interrupt its holder, and what handles the signal may fork
    holders = 0
    before: list[int]

    @classmethod
    def let_go(cls) -> None:
        """Take the limit away, but not one that somebody else has set meanwhile."""
        shared, _ = _libraries()
        held = [(library, number) for library, number in zip(shared, cls.before, strict=True) if _threads(library) == 1]
        _set([library for library, _ in held], [number for _, number in held])


class _Thread(threading.local):
    holds = False


_this_thread = _Thread()


def _in_child() -> None:
    """Forget the threads that a forked process does not have: they would hold BLAS for ever."""
    others = _Process.holders - _this_thread.holds
    _Process.holders = int(_this_thread.holds)
    if others and not _this_thread.holds:
        _Process.let_go()
    _Process.lock.release()


if hasattr(os, "register_at_fork"):
    # A lock that another thread holds is never released in the child: so no fork while one does.
    os.register_at_fork(before=_Process.lock.acquire, after_in_parent=_Process.lock.release, after_in_child=_in_child)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread. Within another hold of the same thread it costs nothing.

    Where BLAS counts for the process, the first of all holders sets the limit and the last one takes it away, so that
    fits in several threads of a program do not disturb each other. Where it counts for each thread, each sets its own.
    A limit that somebody else sets meanwhile stays.
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
                _Process.let_go()


class ThreadTeam:
    """Threads that share pieces of work, and wait for more of it as long as somebody keeps the crew.

    The thread that asks works as well. Waiting threads are woken in a tenth of the time that new ones need: the pieces
    of a mini-batch take less than a millisecond.
    """

    def __init__(self, n_threads: int) -> None:
        self._others = n_threads - 1
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[int], T], n_pieces: int) -> list[T]:
        """Return what `work` makes of each number, in their order; BLAS is held to one thread in all of them."""
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
        finally:  # also if somebody interrupts: nobody is left working
            left.clear()
            wait(helpers)
        for helper in helpers:
            helper.result()
        return results
