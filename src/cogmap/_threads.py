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
def _controller() -> Any:
    # Finding the loaded BLAS libraries takes milliseconds: once a process is enough.
    return ThreadpoolController()


class _Holder(threading.local):
    holds = False


_this_thread = _Holder()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, for what the current thread computes.

    Some BLAS libraries count for each thread, others for the process, so threads that share work hold it each. Within
    another hold of the same thread it costs nothing.
    """
    if _this_thread.holds:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        _this_thread.holds = True
        try:
            yield
        finally:
            _this_thread.holds = False
