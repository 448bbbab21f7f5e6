"""The objective of a structured map: features influence only themselves, hidden concepts and outputs.

With n features and m hidden concepts and outputs, such a map has m (n + m) trainable weights instead of (n + m)². The
self-influence of features is fixed, so their states at all steps follow from the table and are computed once. A step
then computes only the hidden concepts and outputs, in the form ``T = 2 A - 1`` of `objective`:

    T_m' = tanh(V_n T_n + V_m T_m + c)

with the same V and c at every step, because undecided states are 0 in this form. The cost is two products of
n_rows x n x m for every step except the last, and two of n_rows x n x n_outputs for the last.

An undecided feature stays undecided: its states are 0 at all steps. So a sparse table, whose values that are not stored
are undecided, stays sparse.

For time series, the states of the features can instead be given at each step, and outputs be compared with targets at
several steps.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from cogmap._learning.buffers import Array, Sums, aligned
from cogmap._learning.objective import DenseObjective, RowNumbers
from cogmap.models.encoding import UNDECIDED

# Blocks of this many values are read forward and backward, the second time from the cache.
_BLOCK_VALUES = 2**19
_MIN_BLOCK_ROWS = 128


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
    """Loss and gradient of a structured map.

    Parameters
    ----------
    X : array-like or sparse array of shape (n_samples, n_features), or (n_samples, depth, n_features)
        States of the features, at the first step or at each step. A sparse array holds states minus 0.5: values that
        are not stored are undecided.
    targets, loss, depth, slope, n_hidden, sample_weight, rows, dtype, n_threads, block_rows
        As in `DenseObjective`. `slope` is a number.
    memory : float, default=0.0
        Self-influence of a feature, if its states are given at the first step only.
    held : bool, default=False
        Whether features keep their first state exactly, whatever `memory` is.
    read_steps : tuple of int, default=()
        Steps, from 1 to `depth`, after which outputs are compared with targets; the second axis of `targets` then has
        an entry for each. The loss of a row is the mean over these steps. If empty, only the last step is compared.

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
        held: bool = False,
        read_steps: tuple[int, ...] = (),
        **options: Any,
    ) -> None:
        self._memory, self._held, self._read_steps = memory, held, read_steps
        if issparse(X) and not options.get("block_rows"):
            options["block_rows"] = max(_MIN_BLOCK_ROWS, _BLOCK_VALUES * X.shape[0] // max(X.nnz, 1))
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
        """Return the maximum number of rows in a block."""
        return max(_MIN_BLOCK_ROWS, _BLOCK_VALUES // n_features)

    def set_rows(
        self,
        X: Any,
        targets: ArrayLike,
        sample_weight: ArrayLike | None = None,
        rows: RowNumbers | None = None,
    ) -> None:
        """Replace the rows, and compute the states of their features at all steps."""
        table = self._as_table(X, self.dtype)
        table = table if rows is None else table[rows]
        self._is_sparse = issparse(table)
        first = 2.0 * table if self._is_sparse else 2.0 * table - 2.0 * UNDECIDED
        if first.ndim == 3:
            self._steps = [np.ascontiguousarray(first[:, t]) for t in range(self.depth)]
        elif self._held:
            self._steps = [first] * self.depth
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
        selected: Any = block if rows is None else rows[block]
        tables = [table[selected] for table in self._steps]
        targets = self._targets[selected]
        weight = None if self._weight is None else self._weight[selected]
        n, m = self.n_features, len(targets)
        outputs = slice(self.n_learned - self.loss.n_outputs, None)
        from_features, among = self._V[:, :n], self._V[:, n:]
        states = [state[:m] for state in workspace.states]

        # Forward.
        read: dict[int, Array] = {}  # net inputs of the outputs, later replaced by their gradients
        product: Array | None = None  # of held features: the same at every step
        for t, state in enumerate(states):
            if product is not None:
                state[:] = product
            elif self._is_sparse:
                state[:] = tables[t] @ from_features.T
            else:
                np.matmul(tables[t], from_features.T, out=state)
            if t == 0 and self._held and len(states) > 1:
                product = state.copy()
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

        # Backward. `error` is the gradient with respect to the argument of tanh.
        sums.weights[outputs, :n] += self._across(net, tables[-1])
        sums.bias[outputs] += net.sum(axis=1)
        if not states:
            return loss
        sums.weights[outputs, n:] += net @ states[-1]
        error = net.T @ among[outputs]
        for t in range(len(states) - 1, -1, -1):
            derivative = np.square(states[t], out=states[t])
            error *= np.subtract(1.0, derivative, out=derivative)
            if t in read:
                error[:, outputs] += read[t].T
            sums.weights[:, :n] += self._across(error.T, tables[t])
            sums.bias += error.sum(axis=0)
            if t:
                sums.weights[:, n:] += error.T @ states[t - 1]
                error = error @ among
        return loss

    def _across(self, errors: Array, table: Any) -> Array:
        """Return ``errors @ table``."""
        return np.asarray((table.T @ errors.T).T) if self._is_sparse else errors @ table

    def _read(self, read: dict[int, Array], last: Array, targets: NDArray[Any], weight: Array | None) -> float:
        """Return the mean loss over `read_steps`, and replace the net inputs by gradients."""
        loss, share = 0.0, 1.0 / len(self._read_steps)
        for k, step in enumerate(self._read_steps):
            net = last if step == self.depth else read[step - 1]
            loss += share * self.loss(net, targets[:, k], weight)
            net *= share
        if self.depth not in self._read_steps:
            last[:] = 0.0
        return loss

    def _fold(self, theta: NDArray[np.floating], n_rows: int) -> None:
        """Compute V and c from W and b: ``slope (W A + b - 0.5) / 2`` with ``A = (1 + T) / 2``."""
        W, b = self._split(np.asarray(theta))
        slope = float(self._slope)
        np.multiply(W, 0.25 * slope, out=self._V, casting="same_kind")
        self._c[:] = 0.5 * slope * (b - 0.5 + 0.5 * W.sum(axis=1))

    def _unfold(self, sums: Any) -> NDArray[np.float64]:
        """Return the gradient of W and b, given sums of gradients of V and c."""
        gradient = np.empty(self.n_parameters)
        dW, db = self._split(gradient)
        # In float64, because tiny row weights would underflow in float32.
        np.multiply(sums.bias, 0.5 * self._unit * float(self._slope), out=db, dtype=np.float64)
        np.multiply(sums.weights, 0.25 * self._unit * float(self._slope), out=dW, dtype=np.float64)
        dW += 0.5 * db[:, None]
        return gradient

    def _split(self, theta: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        n_weights = self.n_learned * self.n_concepts
        return theta[:n_weights].reshape(self.n_learned, self.n_concepts), theta[n_weights:]
