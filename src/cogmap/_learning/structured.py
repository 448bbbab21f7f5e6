"""The objective of a wide map: features remember themselves, and influence hidden concepts and outputs only.

With n features and m hidden concepts and outputs, such a map has m (n + m) weights to learn instead of (n + m)². How a
feature remembers itself is fixed, so its states at all steps follow from the table alone and are computed once. What is
left of a step is what the hidden concepts and the outputs get, in the form ``T = 2 A - 1`` of `objective`:

    T_m' = tanh(V_n T_n + V_m T_m + c)

with the same V and c at every step, because what starts undecided is 0 in this form. The floor is two products of
n_rows x n x m for every step but the last, and two of n_rows x n x n_outputs for that.

A feature that is undecided stays so: its states are 0 at all steps. So a sparse table, whose empty places are
undecided, stays sparse.

The states of the features need not follow from the first ones: they may be given at each step, and outputs be compared
with targets at several steps, as series need it.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from cogmap._learning.buffers import Array, Sums, aligned
from cogmap._learning.objective import DenseObjective, RowNumbers
from cogmap.models.encoding import UNDECIDED

# So many values of a block of rows are read twice, forward and backward, the second time from the cache.
_BLOCK_VALUES = 2**19
_FEWEST_ROWS = 128


class _StructuredSums(Sums):
    """Sums of the gradients of V and c of one run of blocks."""

    def __init__(self, n_learned: int, n_concepts: int, dtype: np.dtype[Any]) -> None:
        self._all = aligned((n_learned * (n_concepts + 1),), dtype)
        self.weights = self._all[: n_learned * n_concepts].reshape(n_learned, n_concepts)
        self.bias = self._all[n_learned * n_concepts :]


class _StructuredWorkspace:
    """Buffers of one thread for one block of rows."""

    def __init__(self, rows: int, n_learned: int, depth: int, dtype: np.dtype[Any]) -> None:
        self.states = [aligned((rows, n_learned), dtype) for _ in range(depth - 1)]


class StructuredObjective(DenseObjective):
    """Loss and gradient of a map whose features remember themselves and influence hidden concepts and outputs only.

    Parameters
    ----------
    X : array-like or sparse array of shape (n_samples, n_features), or (n_samples, depth, n_features)
        States of the features, at the first step or at each. A sparse array holds states minus 0.5: what is not stored
        is undecided.
    targets, loss, depth, slope, n_hidden, sample_weight, rows, dtype, n_threads, block_rows
        As in `DenseObjective`. `slope` is a number.
    memory : float, default=0.0
        Influence of a feature on itself, if its states are given at the first step only.
    read_steps : tuple of int, default=()
        Steps, from 1 to `depth`, after which outputs are compared with targets; these then have an axis more, the
        second, with an entry for each. The loss of a row is the mean over these steps. Empty: the last step only.

    Attributes
    ----------
    n_learned : int
        Number of hidden concepts and outputs, whose weights and biases are the parameters.
    """

    _sums: dict[int, Any]

    def __init__(
        self,
        X: Any,
        targets: Any,
        loss: Any,
        *,
        memory: float = 0.0,
        read_steps: tuple[int, ...] = (),
        **options: Any,
    ) -> None:
        self._memory, self._read_steps = memory, read_steps
        if issparse(X) and not options.get("block_rows"):
            options["block_rows"] = max(_FEWEST_ROWS, _BLOCK_VALUES * X.shape[0] // max(X.nnz, 1))
        super().__init__(X, targets, loss, **options)

    def _count_learned(self) -> int:
        return self.n_concepts - self.n_features

    @staticmethod
    def _as_table(X: Any, dtype: DTypeLike | None) -> Any:
        if issparse(X):
            return csr_array(X, dtype=dtype or (X.dtype if X.dtype == np.float32 else np.float64))
        return DenseObjective._as_table(X, dtype)

    @staticmethod
    def usual_block_rows(n_features: int) -> int:
        """Return how many rows a block has at the most."""
        return max(_FEWEST_ROWS, _BLOCK_VALUES // n_features)

    def set_rows(
        self,
        X: Any,
        targets: ArrayLike,
        sample_weight: ArrayLike | None = None,
        rows: RowNumbers | None = None,
    ) -> None:
        """Take other rows, and compute the states of their features at all steps."""
        table = self._as_table(X, self.dtype)
        table = table if rows is None else table[rows]
        first = 2.0 * table if issparse(table) else 2.0 * table - 2.0 * UNDECIDED
        if first.ndim == 3:
            self._steps = [np.ascontiguousarray(first[:, t]) for t in range(self.depth)]
        else:
            kept = 0.25 * float(self._slope) * self._memory
            self._steps = [first]
            for _ in range(self.depth - 1):
                self._steps.append(np.tanh(kept * self._steps[-1]))
        super().set_rows(self._steps[0], targets, sample_weight)

    def _make_arrays(self, rows: int) -> None:
        dtype = self.dtype
        self._V = aligned((self.n_learned, self.n_concepts), dtype)
        self._c = aligned((self.n_learned,), dtype)

    def _new_workspace(self, rows: int) -> Any:
        return _StructuredWorkspace(rows, self.n_learned, self.depth, self.dtype)

    def _new_sums(self) -> Any:
        return _StructuredSums(self.n_learned, self.n_concepts, self.dtype)

    def _block(self, workspace: Any, block: slice, rows: RowNumbers | None, sums: Any, with_gradient: bool) -> float:
        """Return the loss of a block of rows and add its gradient to `sums`."""
        picked: Any = block if rows is None else rows[block]
        tables = [table[picked] for table in self._steps]
        targets = self._targets[picked]
        weight = None if self._weight is None else self._weight[picked]
        n, m = self.n_features, len(targets)
        outputs = slice(self.n_learned - self.loss.n_outputs, None)
        from_features, among = self._V[:, :n], self._V[:, n:]
        states = [state[:m] for state in workspace.states]

        # Forward.
        read: dict[int, Array] = {}  # what enters the outputs, and the gradient with respect to that
        for t, state in enumerate(states):
            if issparse(tables[t]):
                state[:] = tables[t] @ from_features.T
            else:
                np.matmul(tables[t], from_features.T, out=state)
            if t:
                state += states[t - 1] @ among.T
            state += self._c
            if t + 1 in self._read_steps:
                read[t] = np.ascontiguousarray(state[:, outputs].T)
            np.tanh(state, out=state)
        net: Array = np.ascontiguousarray((tables[-1] @ from_features[outputs].T).T)
        if states:
            net += among[outputs] @ states[-1].T
        net += self._c[outputs, None]
        loss = self._read(read, net, targets, weight) if self._read_steps else self.loss(net, targets, weight)
        if not with_gradient:
            return loss

        # Backward. `error` is the gradient with respect to what enters the tanh.
        sums.weights[outputs, :n] += _across(net, tables[-1])
        sums.bias[outputs] += net.sum(axis=1)
        if not states:
            return loss
        sums.weights[outputs, n:] += net @ states[-1]
        error = net.T @ among[outputs]
        for t in range(len(states) - 1, -1, -1):
            error *= 1.0 - np.square(states[t])
            if t in read:
                error[:, outputs] += read[t].T
            sums.weights[:, :n] += _across(error.T, tables[t])
            sums.bias += error.sum(axis=0)
            if t:
                sums.weights[:, n:] += error.T @ states[t - 1]
                error = error @ among
        return loss

    def _read(self, read: dict[int, Array], last: Array, targets: NDArray[Any], weight: Array | None) -> float:
        """Return the mean loss over the steps at which outputs are read, and turn all that is read into gradients."""
        loss, share = 0.0, 1.0 / len(self._read_steps)
        for k, step in enumerate(self._read_steps):
            net = last if step == self.depth else read[step - 1]
            loss += share * self.loss(net, targets[:, k], weight)
            net *= share
        if self.depth not in self._read_steps:
            last[:] = 0.0
        return loss

    def _fold(self, theta: NDArray[np.floating], n_rows: int) -> None:
        """Write W and b as V and c: ``slope (W A + b - 0.5) / 2`` with ``A = (1 + T) / 2``."""
        W, b = self._split(np.asarray(theta))
        slope = float(self._slope)
        np.multiply(W, 0.25 * slope, out=self._V, casting="same_kind")
        self._c[:] = 0.5 * slope * (b - 0.5 + 0.5 * W.sum(axis=1))

    def _unfold(self, sums: Any) -> NDArray[np.float64]:
        """Turn sums of gradients of V and c into the gradient of W and b."""
        gradient = np.empty(self.n_parameters)
        dW, db = self._split(gradient)
        # In float64, because tiny weights of rows are none in float32.
        np.multiply(sums.bias, 0.5 * self._unit * float(self._slope), out=db, dtype=np.float64)
        np.multiply(sums.weights, 0.25 * self._unit * float(self._slope), out=dW, dtype=np.float64)
        dW += 0.5 * db[:, None]
        return gradient

    def _split(self, theta: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        n_weights = self.n_learned * self.n_concepts
        return theta[:n_weights].reshape(self.n_learned, self.n_concepts), theta[n_weights:]


def _across(errors: Array, table: Any) -> Array:
    """Return ``errors @ table``, also for a sparse table."""
    return np.asarray((table.T @ errors.T).T if issparse(table) else errors @ table)
