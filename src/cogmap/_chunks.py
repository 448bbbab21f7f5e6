"""Rows in chunks on this machine: gone through one after the other, their states kept in a temporary file."""

import errno
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._allowed import check_parameters
from cogmap._callbacks import with_callbacks
from cogmap._elsewhere import Chunk, ClassWeight, Encode, FitsElsewhere, Survey, check_alike, chosen, joined, surveyed
from cogmap._learning.chunked import Prepared, Sums
from cogmap._learning.recipe import Recipe
from cogmap._learning.solvers import Theta
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher
from cogmap._params import wrong
from cogmap._segments import SEGMENT, PairwiseSum, total
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
            raise wrong(self._owner, "chunks", "an iterable that can be read again, or a function", given, cure)

    def _checked(self) -> Iterator[Chunk]:
        """Return the chunks that have rows, as arrays."""
        first: Chunk | None = None
        for number, given in enumerate(self._given() if callable(self._given) else self._given):
            if not isinstance(given, list | tuple) or len(given) not in (2, 3):
                raise wrong(self._owner, "chunks", "made of (X, y) or (X, y, sample_weight)", given)
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

    def encoded(self, encode: Encode) -> "KeptRows":
        """Return the rows as states."""
        kept = KeptRows(_Shelf(self._owner))
        for chunk in self.segments():
            kept.add(encode(*chunk))
        return kept


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


class _Shelf:
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
class _Kept:
    """A segment of which the arrays are on a shelf."""

    like: Table  # without rows
    states: Callable[[], NDArray[Any]]
    targets: Callable[[], NDArray[Any]]
    weight: Callable[[], NDArray[Any]] | None
    taught: Callable[[], NDArray[Any]] | None = None

    def table(self) -> Table:
        like: Any = self.like.targets
        targets = replace(like, **{like.per_row: self.targets()})
        return replace(self.like, X=self.states(), targets=targets, weight=self.weight and self.weight())


class KeptRows:
    """Rows as states, segment by segment on a shelf."""

    level = 0

    def __init__(self, shelf: _Shelf) -> None:
        self._shelf, self._segments = shelf, list[_Kept]()
        self.n_rows = 0
        self._weight: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)

    def add(self, table: Table) -> None:
        """Take the next segment."""
        targets = getattr(table.targets, table.targets.per_row)
        weight = None if table.weight is None else self._shelf.put(table.weight)
        nothing = np.empty(0, dtype=np.intp)  # a slice of the states would keep all of them in memory
        like = replace(table, X=table.X[nothing], targets=table.targets.take(nothing), weight=None)
        self._segments.append(_Kept(like, self._shelf.put(table.X), self._shelf.put(targets), weight))
        self.n_rows += table.n_rows
        self._weight.add(float(table.n_rows) if table.weight is None else total(table.weight))

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the rows."""
        return self._weight.result()

    def prepare(self, recipe: Recipe, mean_weight: float, teachers: list[Teacher]) -> None:
        """Keep what teachers say."""
        self._recipe, self._mean_weight = recipe, mean_weight
        for kept in self._segments if teachers else []:
            taught = Prepared.of(recipe, kept.table(), mean_weight, teachers).taught
            assert taught is not None
            kept.taught = self._shelf.put(taught)

    def sums(self, theta: Theta, with_gradient: bool) -> Iterator[Sums]:
        """Return the sums of each segment."""
        for kept in self._segments:
            taught = None if kept.taught is None else kept.taught()
            yield Prepared(self._recipe, kept.table(), self._mean_weight, taught).sums(theta, with_gradient)


class FitsChunks(FitsElsewhere):
    """What estimators share that can learn from a table that this machine has no room for."""

    @with_callbacks
    def fit_chunks(self, chunks: Any) -> Self:
        """Learn a map from a table that comes in chunks, of which one at a time is in memory.

        The result is that of `fit`, bit by bit, if there are no more than a million values, or no teachers
        (``n_teachers=0``, ``solver="lbfgs"``). It never depends on how the rows are divided into chunks. With more
        values, teachers learn from a sample of a quarter million of them, words are found in it, and then the map
        learns from all rows by L-BFGS. Their states (4 bytes for each concept of a feature) are kept in a
        temporary file.

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
