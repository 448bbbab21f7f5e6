"""BLAS held to one thread, so that our own threads over blocks of rows do not fight with it.

Small products are slower with several BLAS threads, and their rounding depends on how many there are.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> tuple[list[Any], list[Any]]:
    """Return the loaded BLAS libraries: those that count threads for the process, and those that do for each thread."""
    # Finding them takes milliseconds: once a process is enough.
    found = [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
    local = [lib for lib in found if lib.internal_api == "mkl" or getattr(lib, "threading_layer", "") == "openmp"]
    return [library for library in found if library not in local], local


def _set(libraries: list[Any], numbers: list[int]) -> None:
    for library, number in zip(libraries, numbers, strict=True):
        # New versions of threadpoolctl let only the thread that first set a limit set another.
        let_go = getattr(library, "clear_controlling_thread", lambda force: None)
        let_go(force=True)
        library.set_num_threads(number)
        let_go(force=True)


class _Process:
    """How many threads hold BLAS, and what the first of them found."""

    lock = threading.Lock()
    holders = 0
    before: list[int]


class _Thread(threading.local):
    holds = False


_this_thread = _Thread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread. Within another hold of the same thread it costs nothing.

    Where BLAS counts for the process, the first of all holders sets the limit and the last one takes it away, so that
    fits in several threads of a program do not disturb each other. Where it counts for each thread, each sets its own.
    """
    if _this_thread.holds:
        yield
        return
    shared, local = _libraries()
    local_before = [library.get_num_threads() for library in local]
    with _Process.lock:
        if _Process.holders == 0:
            _Process.before = [library.get_num_threads() for library in shared]
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
                _set(shared, _Process.before)
