"""Buffers of the unrolled map and its gradient, allocated once and reused for every block of rows."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

_CACHE_LINE = 64


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array aligned to a cache line: elementwise operations on it are up to twice as fast."""
    n_bytes = math.prod(shape) * dtype.itemsize
    buffer = np.empty(n_bytes + _CACHE_LINE, dtype=np.uint8)
    start = -buffer.ctypes.data % _CACHE_LINE
    return buffer[start : start + n_bytes].view(dtype).reshape(shape)


class Sums:
    """Sums of the gradients of the folded weights of one run of blocks."""

    def __init__(self, n_features: int, n_concepts: int, dtype: np.dtype[Any]) -> None:
        # One array, so that clearing and adding take one call; first step, then later steps.
        n_first, n_later = n_concepts * n_features, n_concepts * n_concepts
        self._all = aligned((n_first + n_later + 2 * n_concepts,), dtype)
        first, later, biases = np.split(self._all, [n_first, n_first + n_later])
        self.first, self.later = first.reshape(n_concepts, n_features), later.reshape(n_concepts, n_concepts)
        self.first_bias, self.later_bias = np.split(biases, 2)

    def clear(self) -> "Sums":
        self._all.fill(0.0)
        return self

    def add(self, other: "Sums") -> None:
        self._all += other._all


class Workspace:
    """Buffers of one thread for one block of rows."""

    def __init__(self, rows: int, n_features: int, n_concepts: int, depth: int, dtype: np.dtype[Any]) -> None:
        self.states = [aligned((rows, n_concepts), dtype) for _ in range(depth - 1)]
        self.error = aligned((rows, n_concepts), dtype)
        self.spare = aligned((rows, n_concepts), dtype)
        self.product = aligned((n_concepts, n_concepts), dtype)
        self.first_product = aligned((n_concepts, n_features), dtype)
        self.ones = np.ones(rows, dtype)
