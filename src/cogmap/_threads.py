"""BLAS held to one thread, so that our own threads over blocks of rows do not fight with it.

Small products are slower with several BLAS threads, and their rounding depends on how many there are.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    # Finding the loaded BLAS libraries takes milliseconds: once a process is enough.
    return ThreadpoolController()


_lock = threading.Lock()
_holders = 0
_limit: AbstractContextManager[Any] | None = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread until the last of all nested or concurrent holders has left.

    The number of BLAS threads belongs to the whole process, so it is given back only when nobody needs it:
    two fits in two threads of a program do not disturb each other.
    """
    global _holders, _limit
    with _lock:
        if _holders == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0 and _limit is not None:
                _limit.__exit__(None, None, None)
                _limit = None
