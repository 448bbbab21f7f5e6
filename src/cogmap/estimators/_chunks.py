"""Fitting to chunks on this machine: streamed sequentially, with their states in a temporary file."""

import errno
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.dataset import ChunkSums, SummedObjective
from cogmap._learning.solvers import Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.table import Table
from cogmap._utils.params import param_error
from cogmap._utils.segments import SEGMENT, PairwiseSum
from cogmap.estimators._callbacks import with_callbacks
from cogmap.estimators._out_of_core import (
    Chunk,
    ChunkReader,
    ClassWeight,
    OutOfCoreMixin,
    Survey,
    check_alike,
    chosen,
    joined,
    surveyed,
)
from cogmap.estimators._param_checks import check_parameters
from cogmap.exceptions import DataError


class Chunks:
    """Source of rows from user-supplied chunks.

    Parameters
    ----------
    chunks : iterable or callable
        Chunks (X, y) or (X, y, sample_weight), or a function that returns an iterator of them. They are read several
        times.
    estimator : BaseFCM
        Validates the chunks, and is named in messages.
    """

    def __init__(self, chunks: Any, estimator: Any) -> None:
        self._chunks, self._estimator = chunks, estimator
        self._owner = f"{type(estimator).__name__}.fit_chunks"
        self._n_rows: int | None = None
        if not callable(chunks) and (not hasattr(chunks, "__iter__") or iter(chunks) is chunks):
            cure = "A generator can be read only once: pass the generator function instead."
            raise param_error(self._owner, "chunks", "an iterable that can be read again, or a function", chunks, cure)

    def _checked(self) -> Iterator[Chunk]:
        """Yield the non-empty chunks as validated arrays."""
        first: Chunk | None = None
        for number, item in enumerate(self._chunks() if callable(self._chunks) else self._chunks):
            if not isinstance(item, list | tuple) or len(item) not in (2, 3):
                raise param_error(self._owner, "chunks", "made of (X, y) or (X, y, sample_weight)", item)
            X, y, weight = (*item, None)[:3]
            if not np.shape(X)[0] or (weight is not None and not np.any(weight)):
                continue
            with error_context(f"chunk {number}"):
                chunk = self._estimator._validated(X, y, weight, reset=first is None, method="fit_chunks")
                first = first or chunk
                check_alike(first, chunk)
            yield chunk

    def segments(self) -> Iterator[Chunk]:
        """Yield the rows in segments, regardless of chunk boundaries."""
        waiting: list[Chunk] = []
        n_waiting = n_rows = 0
        for chunk in self._checked():
            start, stop = 0, len(chunk[0])
            while n_waiting + stop - start >= SEGMENT:
                end = start + SEGMENT - n_waiting
                yield joined([*waiting, _cut(chunk, start, end)])
                waiting, n_waiting, start = [], 0, end
                n_rows += SEGMENT
            if start < stop:
                # Copy the rest of a long chunk, so that its memory is freed before the next one is read.
                left = _cut(chunk, start, stop)
                waiting.append(_copied(left) if start else left)
                n_waiting += stop - start
        n_rows += n_waiting
        if n_waiting:
            yield joined(waiting)
        if self._n_rows not in (None, n_rows):
            raise DataError(
                f"`{self._owner}` read {n_rows} rows where it had read {self._n_rows} before. Chunks must not change "
                "during fit_chunks."
            )
        self._n_rows = n_rows

    def survey(self, weigh: ClassWeight | None = None) -> Survey:
        """Return statistics of all rows."""
        summed: PairwiseSum[Survey] = PairwiseSum(Survey.merged)
        for chunk in self.segments():
            summed.add(surveyed(*chunk, self._estimator._learns_classes, weigh))
        if not self._n_rows:
            raise DataError(f"`{self._owner}` got no rows: `chunks` is empty, or all its chunks are.")
        return summed.result()

    def some(self, rows: NDArray[np.intp] | None) -> Chunk:
        """Return the rows with the given numbers, which must be ascending; None returns all."""
        parts, start = [], 0
        for chunk in self.segments():
            stop = start + len(chunk[0])
            if rows is None:
                parts.append(chunk)
            else:
                here = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start
                parts.append(chosen(chunk, here))
            start = stop
        return joined(parts)

    def encoded(self, read: ChunkReader, sample: Table) -> "SpilledRows":
        """Return all rows as states in a temporary file."""
        spilled = SpilledRows(SpillFile(self._owner), sample)
        for chunk in self.segments():
            spilled.add(read(*chunk))
        return spilled


def _cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    return chosen(chunk, slice(start, stop))


def _copied(chunk: Chunk) -> Chunk:
    X, y, weight = chunk
    return X.copy(), y.copy(), None if weight is None else weight.copy()


@contextmanager
def error_context(where: str) -> Iterator[None]:
    """Prefix error messages with their location."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise DataError(f"In {where}: {error}") from None


class SpillFile:
    """Arrays in an unnamed temporary file, which is deleted with the process."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="cogmap-", buffering=0)  # noqa: SIM115 - closed with us
        self._end = 0

    def __del__(self) -> None:
        self._file.close()

    def put(self, array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        """Store an array and return a function that reads it back."""
        array = np.ascontiguousarray(array)
        place, dtype, shape = self._end, array.dtype, array.shape
        view = memoryview(cast(Any, array)).cast("B")
        try:
            self._file.seek(place)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise DataError(
                f"`{self._owner}` stores states in a temporary file, and after {place / 1e9:.3g} GB there is no space "
                f"left in {tempfile.gettempdir()}. Free some space, or set TMPDIR to another folder."
            ) from None
        self._end += array.nbytes

        def read() -> NDArray[Any]:
            result = np.empty(shape, dtype)
            left = memoryview(cast(Any, result)).cast("B")
            self._file.seek(place)
            while left:
                left = left[self._file.readinto(left) :]  # type: ignore[attr-defined]
            return result

        return read


@dataclass
class _Segment:
    """A segment of rows: functions that read its arrays from a file."""

    states: Callable[[], NDArray[Any]]
    targets: Callable[[], NDArray[Any]]  # the per-row array of the targets
    weight: Callable[[], NDArray[Any]] | None
    distilled: Callable[[], NDArray[Any]] | None = None


class SpilledRows:
    """Rows as states in a temporary file, segment by segment."""

    def __init__(self, file: SpillFile, sample: Table) -> None:
        self._file, self._sample, self._segments = file, sample, list[_Segment]()
        self._n_rows = 0
        self._weight: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)

    def add(self, table: Table) -> None:
        """Store the next segment."""
        targets = getattr(table.targets, table.targets.per_row)
        weight = None if table.weight is None else self._file.put(table.weight)
        self._segments.append(_Segment(self._file.put(table.X), self._file.put(targets), weight))
        self._n_rows += table.n_rows
        self._weight.add(table.total_weight)

    def sample(self) -> Table:
        """Return a sample of the rows."""
        return self._sample

    def objective(self, spec: ModelSpec, teachers: Sequence[Theta] = ()) -> SummedObjective:
        """Return the loss of a model on all rows; distillation targets are computed once and stored."""
        total_weight = self._weight.result()
        for segment in self._segments if teachers else []:
            segment.distilled = self._file.put(spec.distilled_targets(self._table(segment), teachers))
        # One objective, whose buffers are reused for all segments.
        of_segment = spec.objective(self._table(self._segments[0]), mean_weight=total_weight / self._n_rows)

        def segment_sums(theta: Theta, with_gradient: bool) -> Iterator[ChunkSums]:
            for segment in self._segments:
                table = self._table(segment)
                targets = table.targets.array if segment.distilled is None else segment.distilled()
                of_segment.set_rows(table.X, targets, table.weight)
                yield of_segment.loss_sums(theta, with_gradient)

        return SummedObjective(spec.objective(self._sample), self._n_rows, total_weight, segment_sums)

    def _table(self, segment: _Segment) -> Table:
        like: Any = self._sample.targets
        targets = replace(like, **{like.per_row: segment.targets()})
        return replace(self._sample, X=segment.states(), targets=targets, weight=segment.weight and segment.weight())


class FitChunksMixin(OutOfCoreMixin):
    """Base class of estimators with `fit_chunks`."""

    @with_callbacks
    def fit_chunks(self, chunks: Any) -> Self:
        """Fit the map to a table in chunks, with one chunk in memory at a time.

        The result is bitwise equal to that of `fit` for up to about a million values (2²⁰), or with at most 100 columns
        and no teachers (``n_teachers=0``, ``solver="lbfgs"``). It never depends on how rows are divided into chunks.
        With more values, a sample of a quarter million values is used to train teachers, to find terms and, with more
        than 100 columns, to select features; the map is then trained on all rows by L-BFGS. The states of the rows (4
        bytes per row and feature concept) are stored in a temporary file.

        Parameters
        ----------
        chunks : iterable or callable
            Chunks ``(X, y)`` or ``(X, y, sample_weight)``, with types as in `fit`: an iterable that can be read again,
            such as a list, or a function that returns an iterator, such as a generator function.
            `cogmap.integrations.chunks` makes chunks from files and memory-mapped arrays. `early_stopping`,
            `warm_start`, ``terms="auto"`` and solvers with mini-batches need all rows in memory and raise an error.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, an earlier fitted model is unchanged.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> chunks = [(X[rows::3], y[rows::3]) for rows in range(3)]
        >>> fcm = FCMClassifier(structure="additive", random_state=0)
        >>> fcm.fit_chunks(chunks).map_ == fcm.fit(X, y).map_
        True
        """
        check_parameters(self._owner, self.get_params(deep=False))
        self._check_out_of_core("fit_chunks")
        self._replace_learned(lambda fitted: fitted._fit_out_of_core(Chunks(chunks, fitted), self))
        self._warn_unless_converged()
        return self
