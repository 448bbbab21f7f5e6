"""The unrolled map and its gradient over blocks of rows: the hot loop of training.

Algorithm 2 of the paper backpropagates through the states of all rows and sums a gradient for each step. This module
computes the same sums with less work:

- States are stored as ``T = 2 A - 1``. The paper's sigmoid is then ``T' = tanh(V T + c)``, with slope, the 0.5 inside
  the sigmoid and the change of variable folded into ``V`` and ``c`` once per call. Undecided states (hidden concepts
  and outputs at the start) are 0 in this form.
- The first step uses only the features (undecided states are part of its bias), and needs no gradient with respect to
  them. The last step computes only the outputs. This leaves 3 depth - 4 products of n_rows x n_concepts x n_concepts.
- Rows are processed in blocks that fit the cache, with buffers allocated once. Memory does not grow with the rows.
- Blocks are summed in runs that do not depend on the number of threads, the runs of a segment are added in order, and
  segments in pairs. The result is thus bitwise independent of the number of threads and of partitioning.
"""

from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from cogmap._learning.blocks import segment_runs, usual_block_rows
from cogmap._learning.buffers import Sums, Workspace, aligned
from cogmap._learning.losses import Loss
from cogmap._utils.segments import PairwiseSum
from cogmap._utils.segments import total as rows_total
from cogmap._utils.threads import ThreadTeam
from cogmap.models.encoding import UNDECIDED

Array = NDArray[np.floating]
RowNumbers = NDArray[np.integer]

_BROADCAST_FROM = 128  # from this number of concepts on, broadcasting the bias is as fast as adding a block
_MIN_SHARED_ROWS = 500  # of a mini-batch; with fewer rows, waking another thread is not worthwhile
_MAX_COPIED = 2**20  # selected rows with at most this many values are copied once; more are gathered block by block


class DenseObjective:
    """Loss of an unrolled map and its gradient, as sums over rows that can be added over tables.

    Callers should limit BLAS to one thread (`one_blas_thread`); with ``n_threads > 1`` the objective does so itself.
    Arguments are not validated.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        States of the features. Never modified.
    targets : array-like of shape (n_rows,) or (n_rows, ...)
        Targets of the loss: class codes, or columns of class probabilities or values.
    loss : Loss
        Loss; it determines the number of outputs.
    depth : int
        Number of steps, at least 1.
    slope : float or array-like of shape (n_concepts,)
        Steepness of the sigmoid.
    n_hidden : int, default=0
        Number of hidden concepts. They and the outputs start undecided.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows; None means 1.
    rows : ndarray of int, default=None
        Rows of `X` to use; None means all. Targets and weights are those of the rows used.
    dtype : dtype, default=None
        Computation dtype, float32 or float64. If None, that of `X` if it is one of them, otherwise float64. Loss and
        gradient are always float64.
    n_threads : int, default=1
        Number of threads that process blocks of rows.
    block_rows : int, default=None
        Maximum number of rows in a block. If None, a number that fits the cache.
    mean_weight : float, default=None
        Mean weight of the rows of all tables whose sums will be added, for the same rounding in each. If None, that of
        these rows.

    Attributes
    ----------
    n_rows, n_features, n_concepts, n_learned, n_parameters : int
        Sizes of the problem. The weights and biases of the last `n_learned` concepts are the parameters.
    total_weight : float
        Sum of the weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap._learning.losses import LogLoss
    >>> from cogmap._learning.objective import DenseObjective
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    >>> objective = DenseObjective(X, y, LogLoss(), depth=1, slope=1.0)
    >>> loss, gradient, weight = objective.sums(np.zeros(objective.n_parameters))
    >>> round(loss / weight, 4)
    0.7241
    """

    def __init__(
        self,
        X: Any,
        targets: ArrayLike,
        loss: Loss,
        *,
        depth: int,
        slope: float | ArrayLike,
        n_hidden: int = 0,
        sample_weight: ArrayLike | None = None,
        rows: RowNumbers | None = None,
        dtype: DTypeLike | None = None,
        n_threads: int = 1,
        block_rows: int | None = None,
        mean_weight: float | None = None,
    ) -> None:
        X = self._as_table(X, dtype)
        self.dtype: np.dtype[Any] = X.dtype
        self.depth, self.loss, self._n_threads, self._mean_weight = depth, loss, n_threads, mean_weight
        self.n_features = int(X.shape[-1])
        self._n_decided = self.n_features + n_hidden  # concepts before the outputs
        self.n_concepts = self._n_decided + loss.n_outputs
        self.n_learned = self._count_learned()
        self.n_parameters = self.n_learned * (self.n_concepts + 1)
        self._slope = np.asarray(slope, dtype=np.float64)
        self._block_rows = block_rows or self.usual_block_rows(self.n_concepts)
        self._buffer_rows = 0
        self._sums: dict[int, Any] = {}
        self._team = ThreadTeam(n_threads)
        self.set_rows(X, targets, sample_weight, rows)

    def set_rows(
        self,
        X: Any,
        targets: ArrayLike,
        sample_weight: ArrayLike | None = None,
        rows: RowNumbers | None = None,
    ) -> None:
        """Replace the rows by others with the same columns; buffers are reallocated only for longer blocks."""
        self._X: Any = self._as_table(X, self.dtype)
        self._rows = rows
        if rows is not None and len(rows) * self.n_features <= _MAX_COPIED:
            self._X, self._rows = self._X[rows], None
        self.n_rows: int = self._X.shape[0] if self._rows is None else len(self._rows)
        self._targets = np.asarray(targets)
        codes = self._targets.dtype.kind in "iu"
        with np.errstate(over="ignore"):  # an infinite loss raises an error later
            # Small integer types would overflow in index arithmetic.
            self._targets = self._targets.astype(np.intp if codes else self.dtype, copy=False)
        self._weight, self._unit, self.total_weight = None, 1.0, float(self.n_rows)
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64)
            self.total_weight = rows_total(weight)
            # Divided before the conversion to float32, whose range they may exceed.
            self._unit = self._mean_weight or self.total_weight / self.n_rows
            self._weight = (weight / self._unit).astype(self.dtype)
        self._all_segments = segment_runs(self.n_rows, self._block_rows)
        longest = min(self._block_rows, self.n_rows)
        if longest > self._buffer_rows:
            self._buffer_rows = longest
            self._make_arrays(longest)
            self._workspaces: SimpleQueue[Any] = SimpleQueue()
            for _ in range(min(self._n_threads, len(self._all_segments[0]))):
                self._workspaces.put(self._new_workspace(longest))

    @staticmethod
    def _as_table(X: Any, dtype: DTypeLike | None) -> Any:
        """Return a float32 or float64 table in a layout that BLAS can use."""
        table = np.asarray(X)
        table = table.astype(dtype or (table.dtype if table.dtype == np.float32 else np.float64), copy=False)
        # Tables with neither contiguous rows nor columns would be copied for every product.
        return table if table.flags.c_contiguous or table.flags.f_contiguous else np.ascontiguousarray(table)

    @staticmethod
    def usual_block_rows(n_concepts: int) -> int:
        """Return the maximum number of rows in a block."""
        return usual_block_rows(n_concepts)

    def _make_arrays(self, rows: int) -> None:
        """Allocate the folded weights and biases."""
        dtype, r = self._X.dtype, self.n_concepts
        self._first, self._later = aligned((r, self.n_features), dtype), aligned((r, r), dtype)
        # Adding a block of copies of a short row is faster than broadcasting the row.
        copies = 1 if r >= _BROADCAST_FROM else rows
        self._first_bias, self._later_bias = aligned((copies, r), dtype), aligned((copies, r), dtype)

    def _new_workspace(self, rows: int) -> Any:
        return Workspace(rows, self.n_features, self.n_concepts, self.depth, self._X.dtype)

    def _new_sums(self) -> Any:
        return Sums(self.n_features, self.n_concepts, self._X.dtype)

    def _zero_sums(self, number: int) -> Any:
        """Return the buffer with a given number, set to 0."""
        if number not in self._sums:
            self._sums[number] = self._new_sums()
        return self._sums[number].clear()

    def _count_learned(self) -> int:
        """Return the number of concepts whose weights and bias are parameters: here all."""
        return self.n_concepts

    def largest(self) -> dict[str, float]:
        """Return the largest slope, gain and feature, to explain an infinite loss."""
        feature = float(max(self._X.max(), -self._X.min()))
        return {"slope": float(self._slope.max()), "gain": getattr(self.loss, "gain", 1.0), "feature": feature}

    def sums(self, theta: Array, rows: RowNumbers | None = None) -> tuple[float, NDArray[np.float64], float]:
        """Return the weighted sum of the losses, its gradient, and the sum of the weights.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
            W row by row, then b.
        rows : ndarray of int, default=None
            Rows to use; None means all.

        Returns
        -------
        loss : float
        gradient : ndarray of shape (n_parameters,), float64
        weight : float
        """
        with np.errstate(over="ignore", invalid="ignore"):  # the caller checks the loss for overflow
            loss, gradient = self._sum(theta, rows, with_gradient=True)
            return loss, gradient, self._weight_of(rows)

    def value(self, theta: Array) -> float:
        """Return the loss of the table, without penalty."""
        return self.loss.overall(self.loss_sums(theta, with_gradient=False)[0] / self.total_weight)[0]

    def loss_sums(self, theta: Array, with_gradient: bool) -> tuple[float, NDArray[np.float64]]:
        """Return the weighted sum of the losses of all rows, and its gradient, which is empty if not requested."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._sum(theta, None, with_gradient)

    def _weight_of(self, rows: RowNumbers | None) -> float:
        if rows is None:
            return self.total_weight
        return float(len(rows) if self._weight is None else self._unit * self._weight[rows].sum(dtype=np.float64))

    def _sum(self, theta: Array, rows: RowNumbers | None, with_gradient: bool) -> tuple[float, NDArray[np.float64]]:
        """Return the sum of the losses and its gradient, which is empty if not requested."""
        all_segments = self._all_segments if rows is None else self._segments_of(len(rows))
        self._fold(theta, max(block.stop - block.start for runs in all_segments for run in runs for block in run))
        total = PairwiseSum(lambda before, after: (before[0] + after[0], before[1] + after[1]))
        for segment in all_segments:
            loss, sums = self._sum_segment(segment, rows, with_gradient)
            total.add((self._unit * loss, self._unfold(sums) if with_gradient else np.empty(0)))
        return total.result()

    def _segments_of(self, n_rows: int) -> list[list[list[slice]]]:
        """Return the segments of a mini-batch, with at least two runs if it has enough rows for two threads."""
        return segment_runs(n_rows, min(self._block_rows, max(_MIN_SHARED_ROWS, -(-n_rows // 2))))

    def _sum_segment(self, runs: list[list[slice]], rows: RowNumbers | None, with_gradient: bool) -> tuple[float, Sums]:
        """Return the sum of the losses, and the sums of the gradients of the folded weights."""
        total = self._zero_sums(0)
        if self._n_threads > 1 and len(runs) > 1:
            return self._sum_in_threads(runs, rows, with_gradient)
        workspace = self._workspaces.get()
        try:
            loss = sum(self._block(workspace, block, rows, total, with_gradient) for block in runs[0])
            for run in runs[1:]:
                sums = self._zero_sums(1)
                loss += sum(self._block(workspace, block, rows, sums, with_gradient) for block in run)
                total.add(sums)
        finally:
            self._workspaces.put(workspace)
        return loss, total

    def _sum_in_threads(
        self, runs: list[list[slice]], rows: RowNumbers | None, with_gradient: bool
    ) -> tuple[float, Sums]:
        def evaluate(number: int) -> tuple[float, Sums]:
            sums = self._zero_sums(number)
            workspace = self._workspaces.get()
            try:
                with np.errstate(over="ignore", invalid="ignore"):  # the setting is per thread
                    return sum(self._block(workspace, block, rows, sums, with_gradient) for block in runs[number]), sums
            finally:
                self._workspaces.put(workspace)

        results = self._team.each(evaluate, len(runs))
        loss, total = results[0]
        for part, sums in results[1:]:
            loss += part
            if with_gradient:
                total.add(sums)
        return loss, total

    def _block(
        self, workspace: Workspace, block: slice, rows: RowNumbers | None, sums: Sums, with_gradient: bool
    ) -> float:
        """Return the loss of a block of rows and add its gradient to `sums`."""
        selected: Any = block if rows is None else rows[block]
        X = self._X[selected if self._rows is None else self._rows[selected]]
        targets = self._targets[selected]
        weight = None if self._weight is None else self._weight[selected]
        m = len(targets)
        states = [state[:m] for state in workspace.states]
        outputs = slice(self._n_decided, self.n_concepts)

        # Forward.
        if self.depth == 1:
            net = self._first[outputs] @ X.T
            net += self._first_bias[0, outputs, None]
        else:
            state = states[0]
            np.matmul(X, self._first.T, out=state)
            state += self._first_bias[:m]
            np.tanh(state, out=state)
            for before, state in pairwise(states):
                np.matmul(before, self._later.T, out=state)
                state += self._later_bias[:m]
                np.tanh(state, out=state)
            net = self._later[outputs] @ state.T
            net += self._later_bias[0, outputs, None]
        loss = self.loss(net, targets, weight)
        if not with_gradient:
            return loss

        # Backward. `error` is the gradient with respect to the argument of tanh.
        if self.depth == 1:
            sums.first[outputs] += net @ X
            sums.first_bias[outputs] += net.sum(axis=1)
            return loss
        sums.later[outputs] += net @ states[-1]
        sums.later_bias[outputs] += net.sum(axis=1)
        error, spare, ones = workspace.error[:m], workspace.spare[:m], workspace.ones[:m]
        np.matmul(net.T, self._later[outputs], out=error)
        for t in range(self.depth - 2, -1, -1):
            state = states[t]
            np.square(state, out=state)
            np.subtract(1.0, state, out=state)
            error *= state
            if t:
                sums.later += np.matmul(error.T, states[t - 1], out=workspace.product)
                sums.later_bias += ones @ error
                np.matmul(error, self._later, out=spare)
                error, spare = spare, error
        sums.first += np.matmul(error.T, X, out=workspace.first_product)
        sums.first_bias += ones @ error
        return loss

    def _fold(self, theta: Array, n_rows: int) -> None:
        """Compute the weights and biases of steps between states ``T = 2 A - 1``, for blocks of `n_rows` rows."""
        r, n = self.n_concepts, self.n_features
        W, b = theta[: r * r].reshape(r, r), theta[r * r :]
        half = 0.5 * self._slope
        column = half[..., None]
        # slope (W A + b - 0.5) / 2, once with A = (X, undecided), once with A = (1 + T) / 2
        np.multiply(W[:, :n], column, out=self._first, casting="same_kind")
        np.multiply(W, 0.5 * column, out=self._later, casting="same_kind")
        centred = b - 0.5
        self._first_bias[:n_rows] = half * (centred + UNDECIDED * W[:, n:].sum(axis=1))
        self._later_bias[:n_rows] = half * (centred + 0.5 * W.sum(axis=1))

    def _unfold(self, sums: Sums) -> NDArray[np.float64]:
        """Return the gradient of W and b, given sums of gradients of the folded weights and biases."""
        r, n = self.n_concepts, self.n_features
        half = (0.5 * self._unit) * self._slope
        gradient = np.empty(self.n_parameters)
        dW, db = gradient[: r * r].reshape(r, r), gradient[r * r :]
        np.add(sums.later, sums.later_bias[:, None], out=dW)
        dW *= 0.5
        dW[:, :n] += sums.first
        dW[:, n:] += UNDECIDED * sums.first_bias[:, None]
        dW *= half[..., None]
        # In float64, because tiny row weights would underflow in float32.
        np.multiply(half, sums.first_bias + sums.later_bias, out=db, dtype=np.float64)
        return gradient
