"""Rows in chunks on this machine: gone through one after the other, their states kept in a temporary file."""

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
    """Chunks that a user gives, as an iterable or as a function that opens one.

    Parameters
    ----------
    given : iterable or callable
        Of (X, y) or (X, y, sample_weight). It is gone through several times.
    estimator : BaseFCM
        Who checks them, and is told in messages.
    """

    def __init__(self, given: Any, estimator: Any) -> None:
        self._given, self._estimator = given, estimator
        self._owner = f"{type(estimator).__name__}.fit_chunks"
        self._n_rows: int | None = None
        if not callable(given) and (not hasattr(given, "__iter__") or iter(given) is given):
            cure = "What can be read once only, such as a generator, is not enough: give the function that makes it."
            raise param_error(self._owner, "chunks", "an iterable that can be read again, or a function", given, cure)

    def _checked(self) -> Iterator[Chunk]:
        """Return the chunks that have rows, as arrays."""
        first: Chunk | None = None
        for number, given in enumerate(self._given() if callable(self._given) else self._given):
            if not isinstance(given, list | tuple) or len(given) not in (2, 3):
                raise param_error(self._owner, "chunks", "made of (X, y) or (X, y, sample_weight)", given)
            X, y, weight = (*given, None)[:3]
            if not np.shape(X)[0] or (weight is not None and not np.any(weight)):
                continue
            with said_of(f"chunk {number}"):
                chunk = self._estimator._validated(X, y, weight, reset=first is None, method="fit_chunks")
                first = first or chunk
                check_alike(first, chunk)
            yield chunk

    def segments(self) -> Iterator[Chunk]:
        """Return the rows in segments, wherever chunks begin and end."""
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
                # What is left of a long chunk is copied, so that its memory is free before the next one comes.
                left = _cut(chunk, start, stop)
                waiting.append(_copied(left) if start else left)
                n_waiting += stop - start
        n_rows += n_waiting
        if n_waiting:
            yield joined(waiting)
        if self._n_rows not in (None, n_rows):
            raise DataError(
                f"`{self._owner}` read {n_rows} rows where it had read {self._n_rows} before. Chunks have to stay as "
                "they are while they are learned from."
            )
        self._n_rows = n_rows

    def survey(self, weigh: ClassWeight | None = None) -> Survey:
        """Go through all rows once."""
        summed: PairwiseSum[Survey] = PairwiseSum(Survey.merged)
        for chunk in self.segments():
            summed.add(surveyed(*chunk, self._estimator._learns_classes, weigh))
        if not self._n_rows:
            raise DataError(f"`{self._owner}` needs rows to learn from, and there is no chunk with any.")
        return summed.result()

    def some(self, rows: NDArray[np.intp] | None) -> Chunk:
        """Return some rows by their numbers, which rise; None: all."""
        found, start = [], 0
        for chunk in self.segments():
            stop = start + len(chunk[0])
            if rows is None:
                found.append(chunk)
            else:
                here = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start
                found.append(chosen(chunk, here))
            start = stop
        return joined(found)

    def encoded(self, read: ChunkReader, sample: Table) -> "SpilledRows":
        """Return the rows as states."""
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
def said_of(where: str) -> Iterator[None]:
    """Say where something was wrong."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise DataError(f"In {where}: {error}") from None


class SpillFile:
    """Arrays in a temporary file without a name, which is gone with the process."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="cogmap-", buffering=0)  # noqa: SIM115 - closed with us
        self._end = 0

    def __del__(self) -> None:
        self._file.close()

    def put(self, array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        """Keep an array; the function that is returned reads it."""
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
                f"`{self._owner}` keeps states in a temporary file, and after {place / 1e9:.3g} GB there is no room "
                f"left in {tempfile.gettempdir()}. Free some, or name another folder in TMPDIR."
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
    targets: Callable[[], NDArray[Any]]  # what targets have an entry of for each row
    weight: Callable[[], NDArray[Any]] | None
    distilled: Callable[[], NDArray[Any]] | None = None


class SpilledRows:
    """Rows as states in a temporary file, segment by segment."""

    def __init__(self, file: SpillFile, sample: Table) -> None:
        self._file, self._sample, self._segments = file, sample, list[_Segment]()
        self._n_rows = 0
        self._weight: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)

    def add(self, table: Table) -> None:
        """Take the next segment."""
        targets = getattr(table.targets, table.targets.per_row)
        weight = None if table.weight is None else self._file.put(table.weight)
        self._segments.append(_Segment(self._file.put(table.X), self._file.put(targets), weight))
        self._n_rows += table.n_rows
        self._weight.add(table.total_weight)

    def sample(self) -> Table:
        """Return some of the rows."""
        return self._sample

    def objective(self, spec: ModelSpec, teachers: Sequence[Theta] = ()) -> SummedObjective:
        """Return the loss of a model on all rows; what it learns from an ensemble is computed once and kept."""
        total_weight = self._weight.result()
        for segment in self._segments if teachers else []:
            segment.distilled = self._file.put(spec.distilled_targets(self._table(segment), teachers))
        # One objective, whose buffers serve all segments.
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


class FitsChunks(OutOfCoreMixin):
    """What estimators share that can learn from a table that this machine has no room for."""

    @with_callbacks
    def fit_chunks(self, chunks: Any) -> Self:
        """Learn a map from a table that comes in chunks, of which one at a time is in memory.

        The result is that of `fit`, bit by bit, if there are no more than a million values, or if there are at most
        100 columns and no teachers (``n_teachers=0``, ``solver="lbfgs"``). It never depends on how the rows are divided
        into chunks. With more values, teachers learn from a sample of a quarter million of them, words are found in it
        and, of more than 100 columns, those that matter; then the map learns from all rows by L-BFGS. Their states (4
        bytes for each concept of a feature) are kept in a temporary file.

        Parameters
        ----------
        chunks : iterable or callable
            Chunks ``(X, y)`` or ``(X, y, sample_weight)``, each as `fit` takes them; what can be read again, such as a
            list, or a function that returns an iterator, such as a generator function. `cogmap.integrations.chunks`
            makes them of files and of memory-mapped arrays. `early_stopping`, `warm_start`, ``terms="auto"`` and
            solvers with mini-batches need all rows at hand and are refused.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, an earlier fitted model stays as it was.
        """
        check_parameters(self._owner, self.get_params(deep=False))
        self._check_elsewhere("fit_chunks")
        self._replace_learned(lambda fitted: fitted._fit_elsewhere(Chunks(chunks, fitted), self))
        self._warn_unless_converged()
        return self
