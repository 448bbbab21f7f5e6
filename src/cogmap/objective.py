"""The unrolled map and its gradient, over blocks of rows: the one hot loop of the project.

The paper's Algorithm 2 walks back through the states of all rows and sums a gradient for each step. The same sums are
formed here with less work:

- A state is kept as ``T = 2 A - 1``. The paper's sigmoid is then ``T' = tanh(V T + c)`` with slope, the 0.5 inside the
  sigmoid and the change of variable all folded into ``V`` and ``c`` once a call. Undecided outputs are 0 in this form.
- The first step reads the features only (undecided outputs are part of its bias), and needs no gradient of them. The
  last step computes the output concepts only. What is left is 3 depth - 4 products of n_rows x n_concepts x n_concepts.
- Rows are taken in blocks that stay in the cache, through buffers made once. Memory does not grow with the rows.
- Blocks are summed in runs that do not depend on the number of threads, and the runs are added in their order, so the
  result is the same to the last bit for any number of threads.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from cogmap._params import Words, check_integer, check_number, wrong
from cogmap._threads import one_blas_thread
from cogmap.encoding import UNDECIDED
from cogmap.losses import Classes, make_loss

Array = NDArray[np.floating]

# A block has about this many states, to stay in the cache, and not fewer rows than a product needs to be efficient.
# Smaller blocks would be a little faster on one thread but spend most of their time waiting for Python's lock on two.
_BLOCK_STATES = 2**19
_BLOCK_ROWS_AT_LEAST = 1024
_RUNS = 8
_CACHE_LINE = 64
_WIDE = 128  # from so many concepts on, adding a row to each row is as fast as adding whole blocks


def _aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array that starts on a cache line: elementwise operations on it are up to twice as fast."""
    n_bytes = int(np.prod(shape)) * dtype.itemsize
    buffer = np.empty(n_bytes + _CACHE_LINE, dtype=np.uint8)
    start = -buffer.ctypes.data % _CACHE_LINE
    return buffer[start : start + n_bytes].view(dtype).reshape(shape)


@dataclass
class _Affine:
    """Weights and bias of one kind of step, or sums of their gradients."""

    weights: Array
    bias: Array

    def add(self, other: "_Affine") -> None:
        self.weights += other.weights
        self.bias += other.bias

    def clear(self) -> None:
        self.weights[:] = 0.0
        self.bias[:] = 0.0


class _Workspace:
    """Buffers of one thread for one block of rows."""

    def __init__(self, rows: int, n_features: int, n_concepts: int, depth: int, dtype: np.dtype[Any]) -> None:
        self.states = [_aligned((rows, n_concepts), dtype) for _ in range(depth - 1)]
        self.error = _aligned((rows, n_concepts), dtype)
        self.spare = _aligned((rows, n_concepts), dtype)
        self.product = _aligned((n_concepts, n_concepts), dtype)
        self.first_product = _aligned((n_concepts, n_features), dtype)
        self.ones = np.ones(rows, dtype)


class Objective:
    """Mean loss of an unrolled map over the rows of a table, and its gradient.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, scaled to [0, 1]. Never modified.
    y : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class codes 0 .. n_classes - 1; or the share of each class in each row, which sum to 1.
    n_classes : int
        Number of classes.
    output : {"single", "one_hot"}
        One output concept for two classes, or one a class.
    depth : int
        Number of steps, at least 1.
    slope : float or array-like of shape (n_concepts,)
        Steepness of the sigmoid.
    gain : float, default=1.0
        Factor on the outputs before the softmax of ``"one_hot"``; 1 is the paper. ``"single"`` has no softmax, and no
        use for it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    unit_weight : float, default=None
        The weight that counts as one row. None takes the mean, so that the loss is a weighted mean.
    dtype : dtype, default=None
        float32 or float64, for the computation. None takes that of `X` if it is one of them, else float64. The loss
        and the gradient are float64 in any case.
    n_threads : int, default=1
        Number of threads that take blocks of rows. BLAS is held to one thread meanwhile.
    block_rows : int, default=None
        Largest number of rows in a block. None takes a number that suits the cache.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap.objective import Objective
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    >>> objective = Objective(X, y, 2, output="single", depth=1, slope=1.0)
    >>> loss, gradient = objective.value_and_gradient(np.zeros(objective.n_parameters))
    >>> round(loss, 4)
    0.7241
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        n_classes: int,
        *,
        output: str,
        depth: int,
        slope: float | ArrayLike,
        gain: float = 1.0,
        sample_weight: ArrayLike | None = None,
        unit_weight: float | None = None,
        dtype: DTypeLike | None = None,
        n_threads: int = 1,
        block_rows: int | None = None,
    ) -> None:
        owner = "Objective"
        self.depth = check_integer(owner, "depth", depth, low=1)
        gain = check_number(owner, "gain", gain, low=0.0, low_included=False)
        self._loss = make_loss(output, n_classes, gain, owner)
        self._n_threads = check_integer(owner, "n_threads", n_threads, low=1)
        self._X = _check_table(X, dtype, owner)
        n_rows, self.n_features = self._X.shape
        self.n_rows = n_rows
        self.n_concepts = self.n_features + self._loss.n_outputs
        self.n_parameters = self.n_concepts * (self.n_concepts + 1)
        if block_rows is None:
            block_rows = max(_BLOCK_ROWS_AT_LEAST, _BLOCK_STATES // self.n_concepts)
        self._block_rows = check_integer(owner, "block_rows", block_rows, low=1)
        self._classes = _check_classes(y, n_rows, n_classes, self._X.dtype, owner)
        self._slope = _numbers(slope)
        if (
            self._slope.shape not in ((), (self.n_concepts,))
            or not ((self._slope > 0) & np.isfinite(self._slope)).all()
        ):
            raise wrong(owner, "slope", f"a number > 0, or {self.n_concepts} of them, one a concept", slope)
        self._weight = None
        if sample_weight is not None:
            weight = _numbers(sample_weight)
            if weight.shape != (n_rows,) or not (weight >= 0).all() or not 0 < weight.sum() < np.inf:
                raise wrong(owner, "sample_weight", f"{n_rows} numbers >= 0, not all 0", sample_weight)
            # Divided before they are made float32, whose range they may exceed.
            self._weight = (weight / (unit_weight or weight.mean())).astype(self._X.dtype)
        self._make_buffers()

    def _make_buffers(self) -> None:
        dtype = self._X.dtype
        rows = min(self._block_rows, self.n_rows)
        self._all_runs = _runs(self.n_rows, self._block_rows)
        self._workspaces: SimpleQueue[_Workspace] = SimpleQueue()
        for _ in range(min(self._n_threads, len(self._all_runs))):
            self._workspaces.put(_Workspace(rows, self.n_features, self.n_concepts, self.depth, dtype))
        # Adding a block of copies of a short row is faster than adding the row many times.
        copies = 1 if self.n_concepts >= _WIDE else rows
        self._first, self._later = (
            _Affine(_aligned((self.n_concepts, columns), dtype), _aligned((copies, self.n_concepts), dtype))
            for columns in (self.n_features, self.n_concepts)
        )
        self._sums: dict[str | int, tuple[_Affine, _Affine]] = {}

    def _zero_sums(self, key: str | int) -> tuple[_Affine, _Affine]:
        """Return the sums for the first and the later steps that are kept under `key`, set to 0."""
        if key not in self._sums:
            r, n, dtype = self.n_concepts, self.n_features, self._X.dtype
            self._sums[key] = (
                _Affine(_aligned((r, n), dtype), _aligned((r,), dtype)),
                _Affine(_aligned((r, r), dtype), _aligned((r,), dtype)),
            )
        for sums in self._sums[key]:
            sums.clear()
        return self._sums[key]

    @property
    def dtype(self) -> np.dtype[Any]:
        """In what the states are computed: float32 or float64."""
        return self._X.dtype

    def value_and_gradient(
        self, theta: NDArray[np.floating], rows: NDArray[np.integer] | None = None
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the mean loss and its gradient.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
            W row by row, then b.
        rows : ndarray of int, default=None
            Which rows to use. None uses all.

        Returns
        -------
        loss : float
        gradient : ndarray of shape (n_parameters,), float64
        """
        count = self.n_rows if rows is None else len(rows)
        loss, sums = self._sum(theta, rows, with_gradient=True)
        return loss / count, self._unfold(*sums, count)

    def value(self, theta: NDArray[np.floating]) -> float:
        """Return the mean loss alone."""
        return float(self._sum(theta, None, with_gradient=False)[0] / self.n_rows)

    def _sum(
        self, theta: NDArray[np.floating], rows: NDArray[np.integer] | None, with_gradient: bool
    ) -> tuple[float, tuple[_Affine, _Affine]]:
        """Return the sum of the losses, and the sums of the gradients of the folded weights."""
        self._fold(theta)
        total = self._zero_sums("total")
        runs = self._all_runs if rows is None else _runs(len(rows), self._block_rows)

        def evaluate(number: int) -> tuple[float, tuple[_Affine, _Affine]]:
            sums = self._zero_sums(number if threaded else 0)
            workspace = self._workspaces.get()
            try:
                # An overflow shows in the loss, which the caller looks at. Other threads need to be told so too.
                with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
                    return sum(self._block(workspace, block, rows, sums, with_gradient) for block in runs[number]), sums
            finally:
                self._workspaces.put(workspace)

        threaded = self._n_threads > 1 and len(runs) > 1
        loss = 0.0
        with one_blas_thread(), _threads(self._n_threads if threaded else 1) as map_in_order:
            for part, sums in map_in_order(evaluate, range(len(runs))):
                loss += part
                if with_gradient:
                    for whole, partial in zip(total, sums, strict=True):
                        whole.add(partial)
        return loss, total

    def _block(
        self,
        workspace: _Workspace,
        block: slice,
        rows: NDArray[np.integer] | None,
        sums: tuple[_Affine, _Affine],
        with_gradient: bool,
    ) -> float:
        """Return the loss of a block of rows and add its gradient to `sums`."""
        n, later = self.n_features, self._later
        picked: Any = block if rows is None else rows[block]
        X, classes = self._X[picked], self._classes[picked]
        weight = None if self._weight is None else self._weight[picked]
        m = len(classes)
        states = [state[:m] for state in workspace.states]

        # Forward. `source` is what the next step reads, `step` the weights it uses.
        source, step, step_sums = X, self._first, sums[0]
        for state in states:
            np.matmul(source, step.weights.T, out=state)
            state += step.bias[:m]
            np.tanh(state, out=state)
            source, step, step_sums = state, later, sums[1]
        net = np.ascontiguousarray((source @ step.weights[n:].T).T)
        net += step.bias[0, n:, None]
        loss = self._loss(net, classes, weight)
        if not with_gradient:
            return loss

        # Backward. `error` is the gradient with respect to what enters the tanh.
        step_sums.weights[n:] += net @ source
        step_sums.bias[n:] += net.sum(axis=1)
        error, spare, ones = workspace.error[:m], workspace.spare[:m], workspace.ones[:m]
        for t in range(self.depth - 2, -1, -1):
            if t == self.depth - 2:
                np.matmul(net.T, later.weights[n:], out=error)
            else:
                np.matmul(error, later.weights, out=spare)
                error, spare = spare, error
            state = states[t]
            np.square(state, out=state)
            np.subtract(1.0, state, out=state)
            error *= state
            if t:
                sums[1].weights += np.matmul(error.T, states[t - 1], out=workspace.product)
                sums[1].bias += ones @ error
            else:
                sums[0].weights += np.matmul(error.T, X, out=workspace.first_product)
                sums[0].bias += ones @ error
        return loss

    def _fold(self, theta: NDArray[np.floating]) -> None:
        """Write W and b as the weights and biases of steps between states ``T = 2 A - 1``."""
        r, n = self.n_concepts, self.n_features
        theta = np.asarray(theta)
        if theta.shape != (self.n_parameters,):
            raise wrong(
                "Objective.value_and_gradient",
                "theta",
                f"W row by row, then b: {self.n_parameters} numbers",
                theta.shape,
            )
        W, b = theta[: r * r].reshape(r, r), theta[r * r :]
        half = 0.5 * self._slope
        column = half[..., None]
        # slope (W A + b - 0.5) / 2, once with A = (X, undecided), once with A = (1 + T) / 2
        np.multiply(W[:, :n], column, out=self._first.weights, casting="same_kind")
        np.multiply(W, 0.5 * column, out=self._later.weights, casting="same_kind")
        outputs = W[:, n:].sum(axis=1)
        dtype = self._X.dtype
        self._first.bias[:] = (half * (b - 0.5 + UNDECIDED * outputs)).astype(dtype)
        self._later.bias[:] = (half * (b - 0.5 + 0.5 * (W[:, :n].sum(axis=1) + outputs))).astype(dtype)

    def _unfold(self, first: _Affine, later: _Affine, count: int) -> NDArray[np.float64]:
        """Turn sums of gradients of the folded weights and biases into the mean gradient of W and b."""
        r, n = self.n_concepts, self.n_features
        half = 0.5 * self._slope / count
        column = half[..., None]
        gradient = np.empty(self.n_parameters)
        dW, db = gradient[: r * r].reshape(r, r), gradient[r * r :]
        np.add(later.weights, later.bias[:, None], out=dW)
        dW *= 0.5
        dW[:, :n] += first.weights
        dW[:, n:] += UNDECIDED * first.bias[:, None]
        dW *= column
        np.multiply(half, first.bias + later.bias, out=db)
        return gradient


class _threads:
    """A ``map`` that keeps the order: over a few threads, or the built-in one for a single thread."""

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Any:
        return self._pool.map if self._pool else map

    def __exit__(self, *exception: object) -> None:
        if self._pool:
            self._pool.shutdown()


def _runs(n_rows: int, block_rows: int) -> list[list[slice]]:
    """Cut rows into runs of equal length, and each run into blocks of nearly equal length."""
    n_blocks = -(-n_rows // block_rows)
    n_runs = min(_RUNS, 2 ** (n_blocks - 1).bit_length())  # a power of two shares well between threads
    a_run = -(-n_blocks // n_runs)
    edges = [i * n_rows // (n_runs * a_run) for i in range(n_runs * a_run + 1)]
    blocks = [slice(start, stop) for start, stop in pairwise(edges)]
    return [blocks[i : i + a_run] for i in range(0, len(blocks), a_run)]


def _numbers(values: float | ArrayLike) -> NDArray[np.float64]:
    """Return an array of numbers, or of NaN if it has anything else in it."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array(np.nan)


def _check_table(X: ArrayLike, dtype: DTypeLike | None, owner: str) -> Array:
    table = np.asarray(X)
    if dtype is None:
        dtype = table.dtype if table.dtype in (np.float32, np.float64) else np.float64
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise wrong(owner, "dtype", "float32 or float64", dtype)
    if table.ndim != 2 or 0 in table.shape:
        raise wrong(owner, "X", "a table with at least one row and one column", Words(f"shape {table.shape}"))
    try:
        table = table.astype(dtype, copy=False)
    except (TypeError, ValueError):
        raise wrong(owner, "X", "a table of numbers", X) from None
    # BLAS reads rows or columns that lie together; anything else would be copied at every product.
    return table if table.flags.c_contiguous or table.flags.f_contiguous else np.ascontiguousarray(table)


def _check_classes(y: ArrayLike, n_rows: int, n_classes: int, dtype: np.dtype[Any], owner: str) -> Classes:
    classes = np.asarray(y)
    if classes.shape == (n_rows, n_classes):
        shares = _numbers(classes)
        if not (shares >= 0.0).all() or not np.allclose(shares.sum(axis=1), 1.0):
            raise wrong(owner, "y", "shares of the classes >= 0 that sum to 1 in every row", y)
        return shares.astype(dtype)
    if classes.shape != (n_rows,):
        raise wrong(owner, "y", f"{n_rows} class codes, one a row of X", Words(f"shape {classes.shape}"))
    if not np.issubdtype(classes.dtype, np.integer) or classes.min() < 0 or classes.max() >= n_classes:
        raise wrong(owner, "y", f"integer class codes 0 .. {n_classes - 1}", classes)
    return classes.astype(np.intp, copy=False)  # narrow integers would overflow when places are computed from them


def loss_and_gradient(
    W: ArrayLike,
    b: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_classes: int,
    output: str,
    depth: int,
    slope: float | ArrayLike,
    gain: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean loss of a map and its gradient with respect to the weights and the bias.

    For many calls on the same data make an `Objective`, which keeps its buffers.

    Parameters
    ----------
    W : array-like of shape (n_concepts, n_concepts)
        Influence of concept j (column) on concept i (row).
    b : array-like of shape (n_concepts,)
        Bias of each concept.
    X, y, n_classes, output, depth, slope, gain, sample_weight
        As for `Objective`.

    Returns
    -------
    loss : float
    dW : ndarray of shape (n_concepts, n_concepts)
    db : ndarray of shape (n_concepts,)
    """
    objective = Objective(
        X, y, n_classes, output=output, depth=depth, slope=slope, gain=gain, sample_weight=sample_weight
    )
    r = objective.n_concepts
    weights, bias = np.asarray(W, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if weights.shape != (r, r) or bias.shape != (r,):
        raise wrong(
            "loss_and_gradient", "W, b", f"of shapes {(r, r)} and {(r,)}", Words(f"{weights.shape} and {bias.shape}")
        )
    loss, gradient = objective.value_and_gradient(np.concatenate([weights.ravel(), bias]))
    return loss, gradient[: r * r].reshape(r, r), gradient[r * r :]
