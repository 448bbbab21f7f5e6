"""Interface of datasets, and objectives summed over chunks.

A dataset is a `Table` in memory, or rows in a temporary file or on the workers of a cluster, for which losses and
gradients are summed chunk by chunk. Computations that need rows in memory (teachers, initial weights, effects) use the
sample.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.solvers import Objective, Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.table import Table
from cogmap._utils.segments import SEGMENT, PairwiseSum

ChunkSums = tuple[float, Theta]  # loss and its gradient, which is empty if not requested

_SAMPLE = 2**18  # values: enough for teachers that are trained in seconds


class Dataset(Protocol):
    """Interface of rows for training, in memory or not."""

    def sample(self) -> Table:
        """Return rows in memory: all, or a representative sample."""
        ...

    def objective(self, spec: ModelSpec, teachers: Sequence[Theta] = ()) -> Objective:
        """Return the loss of a model on all rows; with teachers, on distillation targets."""
        ...


class SummedObjective:
    """Objective of rows in chunks: adds the sums over the rows of each chunk.

    Parameters
    ----------
    of_sample : Objective
        Objective of a sample of the rows, with the same number and dtype of parameters.
    n_rows : int
        Number of rows.
    total_weight : float
        Sum of their weights.
    chunk_sums : callable
        Called with parameters and whether the gradient is needed; returns the sums of each chunk, in order.
    level : int, default=0
        Every chunk except the last has ``2**level`` segments.
    """

    def __init__(
        self,
        of_sample: Objective,
        n_rows: int,
        total_weight: float,
        chunk_sums: Callable[[Theta, bool], Iterable[ChunkSums]],
        level: int = 0,
    ) -> None:
        self.n_rows, self.total_weight = n_rows, total_weight
        self.n_parameters, self.n_learned = of_sample.n_parameters, of_sample.n_learned
        self.dtype, self.loss, self.largest = of_sample.dtype, of_sample.loss, of_sample.largest
        self._chunk_sums, self._level = chunk_sums, level

    def _sum(self, theta: Theta, with_gradient: bool) -> ChunkSums:
        total: PairwiseSum[ChunkSums] = PairwiseSum(lambda before, after: (before[0] + after[0], before[1] + after[1]))
        for sums in self._chunk_sums(theta, with_gradient):
            total.add(sums, self._level)
        return total.result()

    def sums(self, theta: Theta, rows: NDArray[np.integer] | None = None) -> tuple[float, Theta, float]:
        """Return the weighted sum of the losses of all rows, its gradient, and the sum of the weights."""
        loss, gradient = self._sum(theta, with_gradient=True)
        return loss, gradient.copy(), self.total_weight

    def value(self, theta: Theta) -> float:
        """Return the loss without penalty."""
        return self.loss.overall(self._sum(theta, with_gradient=False)[0] / self.total_weight)[0]


def sample_rows(n_rows: int, n_columns: int) -> NDArray[np.intp]:
    """Return the rows of the sample: a random one from each stretch of equal length, the same in every call."""
    n_sample = min(n_rows, max(_SAMPLE // n_columns, 1))
    places = np.arange(n_sample) + np.random.default_rng(0).random(n_sample)
    return np.minimum(places * (n_rows / n_sample), n_rows - 1).astype(np.intp)


def level_for(n_rows: int, n_chunks: int) -> int:
    """Return the smallest level at which the rows form at most `n_chunks` chunks."""
    n_segments = -(-n_rows // SEGMENT)
    return max(-(-n_segments // max(n_chunks, 1)) - 1, 0).bit_length()
