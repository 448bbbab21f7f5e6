"""Rows in the partitions of Dask collections, and what workers do with them.

Partitions are brought into runs of whole segments, so that sums do not depend on how the table was divided.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.dataset import ChunkSums, SummedObjective, level_for
from cogmap._learning.solvers import Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.table import Table
from cogmap._utils.params import Literal, param_error, shown
from cogmap._utils.segments import SEGMENT, PairwiseSum
from cogmap._utils.threads import one_blas_thread
from cogmap.estimators._chunks import error_context
from cogmap.estimators._out_of_core import (
    Chunk,
    ChunkReader,
    ClassWeight,
    Survey,
    check_alike,
    chosen,
    joined,
    surveyed,
)
from cogmap.exceptions import CogmapError, DataError
from cogmap.integrations.dask.cluster import Cluster, da, dask, dd

# So many chunks for each thread of the cluster: few enough that sending tasks costs little, and enough that all threads
# end at about the same time.
_CHUNKS_PER_THREAD = 8


# What workers do.


Checked = tuple[Chunk | None, Any, Any]  # arrays, names of columns, and what a check of X and y leaves


def _checked(estimator: Any, number: int, X: Any, y: Any, weight: Any) -> Checked:
    """Return a partition as arrays, and what it is like; nothing of one without rows."""
    if len(X) != len(y) or (weight is not None and len(weight) != len(X)):
        sizes = f"{len(X)} rows of X, {len(y)} of y" + ("" if weight is None else f", {len(weight)} weights")
        raise DataError(f"In partition {number}: {sizes}. X, y and weights have to be divided alike.")
    if len(X) == 0 or (weight is not None and not np.any(weight)):
        return None, None, None
    weight = None if weight is None else np.asarray(weight)
    with error_context(f"partition {number}"):
        chunk = estimator._validated(X, y, weight, reset=True)
    return chunk, getattr(estimator, "feature_names_in_", None), vars(estimator)


def _rows(checked: Checked, start: int, stop: int) -> Chunk:
    return chosen(cast(Chunk, checked[0]), slice(start, stop))


def _report(checked: Checked) -> tuple[int, Chunk | None, Any, Any]:
    """Return what the one who leads has to know of a partition: no rows."""
    chunk, names, about = checked
    return (0, None, None, None) if chunk is None else (len(chunk[0]), chosen(chunk, slice(0)), names, about)


def _read(chunk: Chunk, read: ChunkReader) -> Table:
    return read(*chunk)


def _surveyed(chunk: Chunk, classes: bool, weigh: ClassWeight | None) -> Survey:
    return surveyed(*chunk, classes, weigh)


def _weighed(table: Table) -> tuple[int, float]:
    return table.n_rows, table.total_weight


class _Prepared:
    """A table with all that its sums need, kept on a worker, so that only parameters and sums come and go."""

    def __init__(self, table: Table, spec: ModelSpec, mean_weight: float, teachers: Sequence[Theta]) -> None:
        with one_blas_thread():
            targets = spec.distilled_targets(table, teachers) if teachers else None
        self._spec, self._arguments = spec, (table, targets, mean_weight)

    def sums(self, theta: Theta, with_gradient: bool) -> ChunkSums:
        with one_blas_thread():
            return self._spec.objective(*self._arguments).loss_sums(theta, with_gradient)


class ClusterRows:
    """Tables of states on workers."""

    def __init__(self, cluster: Cluster, tables: list[Any], level: int, sample: Table) -> None:
        self._cluster, self._tables, self._level, self._sample = cluster, tables, level, sample
        sizes = cluster.results([cluster.submit(_weighed, table) for table in tables])
        weight: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)
        for _, of_chunk in sizes:
            weight.add(of_chunk, level)
        self._n_rows, self._total_weight = sum(n_rows for n_rows, _ in sizes), weight.result()

    def sample(self) -> Table:
        """Return some of the rows."""
        return self._sample

    def objective(self, spec: ModelSpec, teachers: Sequence[Theta] = ()) -> SummedObjective:
        """Return the loss of a model on all rows; workers compute and keep what it learns from an ensemble."""
        submit, mean_weight = self._cluster.submit, self._total_weight / self._n_rows
        prepared = [submit(_Prepared, table, spec, mean_weight, teachers) for table in self._tables]

        def chunk_sums(theta: Theta, with_gradient: bool) -> list[ChunkSums]:
            return self._cluster.results([submit(_Prepared.sums, each, theta, with_gradient) for each in prepared])

        of_sample = spec.objective(self._sample)
        return SummedObjective(of_sample, self._n_rows, self._total_weight, chunk_sums, self._level)


class Partitions:
    """Rows in the partitions of Dask collections."""

    def __init__(self, estimator: Any, X: Any, y: Any, weight: Any, timeout: float) -> None:
        self._estimator = estimator
        self._owner = f"{estimator._owner}.fit"
        self._pieces = _divided_alike(self._owner, X, y, weight)
        self._cluster = Cluster(self._owner, timeout)
        self._chunks: list[Any] = []

    def _align(self) -> None:
        """Check all partitions, and have rows that belong to one run of segments brought together."""
        bare = type(self._estimator)(**self._estimator.get_params(deep=False))
        tasks = [dask.delayed(_checked)(bare, i, *piece) for i, piece in enumerate(self._pieces)]
        checked = self._cluster.client.compute(tasks)
        try:
            reports = self._cluster.results([self._cluster.submit(_report, each) for each in checked])
        except CogmapError:
            raise
        except Exception as error:
            raise DataError(f"`{self._owner}` cannot compute a partition: {type(error).__name__}: {error}") from error
        self._check_reports(reports)
        self._n_rows = sum(report[0] for report in reports)
        self.level = level_for(self._n_rows, _CHUNKS_PER_THREAD * self._cluster.n_threads)
        ends = np.cumsum([report[0] for report in reports])
        length = SEGMENT * 2**self.level
        self._starts = list(range(0, self._n_rows, length))
        for start in self._starts:
            stop = min(start + length, self._n_rows)
            parts = []
            for i in range(int(np.searchsorted(ends, start, side="right")), len(ends)):
                first = int(ends[i]) - reports[i][0]
                if first >= stop:
                    break
                if reports[i][0]:
                    here = max(start, first) - first, min(stop, int(ends[i])) - first
                    parts.append(self._cluster.submit(_rows, checked[i], *here))
            self._chunks.append(parts[0] if len(parts) == 1 else self._cluster.submit(joined, parts))

    def _check_reports(self, reports: list[Any]) -> None:
        """Complain about partitions that differ; the estimator takes over what the first one is like."""
        with_rows = [(i, report) for i, report in enumerate(reports) if report[0]]
        if not with_rows:
            raise DataError(f"`{self._owner}` needs rows to learn from, and no partition has any.")
        _, (_, first, names, about) = with_rows[0]
        for i, (_, other, its_names, _) in with_rows[1:]:
            if (names is None) != (its_names is None) or (names is not None and list(names) != list(its_names)):
                raise DataError(
                    f"In partition {i}: the columns {shown(its_names)}, but {shown(names)} in the first. Give all the "
                    "same columns in the same order."
                )
            with error_context(f"partition {i}"):
                check_alike(first, other)
        vars(self._estimator).update(about)

    def survey(self, weigh: ClassWeight | None = None) -> Survey:
        """Look at all rows."""
        if not self._chunks:
            self._align()
        classes = self._estimator._learns_classes
        summed: PairwiseSum[Survey] = PairwiseSum(Survey.merged)
        for survey in self._cluster.results(
            [self._cluster.submit(_surveyed, chunk, classes, weigh) for chunk in self._chunks]
        ):
            summed.add(survey, self.level)
        return summed.result()

    def some(self, rows: NDArray[np.intp] | None) -> Chunk:
        """Return some rows by their numbers, which rise; None: all."""
        if rows is None:
            return joined(self._cluster.results(self._chunks))
        found = []
        for chunk, start in zip(self._chunks, self._starts, strict=True):
            stop = start + SEGMENT * 2**self.level
            here = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start
            found.append(self._cluster.submit(chosen, chunk, here))
        return joined(self._cluster.results(found))

    def encoded(self, read: ChunkReader, sample: Table) -> ClusterRows:
        """Return all rows as states."""
        tables = [self._cluster.submit(_read, chunk, read) for chunk in self._chunks]
        rows = ClusterRows(self._cluster, tables, self.level, sample)
        self._chunks = []  # their memory is free; should a table be lost, they are computed again
        return rows


def _divided_alike(owner: str, X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return the partitions of features, targets and weights, which belong together."""
    if isinstance(X, da.Array) and X.ndim != 2:
        raise param_error(owner, "X", "a table, with rows and columns", Literal(f"an array of shape {X.shape}"))
    collections = {"X": X, "y": y} | ({} if weight is None else {"sample_weight": weight})
    divided: dict[str, list[Any]] = {}
    for name, collection in collections.items():
        if isinstance(collection, da.Array):
            rows = X.chunks[0] if isinstance(X, da.Array) else ()
            if collection.chunks[0] != rows and not np.isnan([*rows, *collection.chunks[0]]).any() and rows:
                if sum(rows) != sum(collection.chunks[0]):
                    expected = f"of {sum(rows)} rows, as X"
                    raise param_error(owner, name, expected, Literal(f"{sum(collection.chunks[0])}"))
                collection = collection.rechunk({0: rows})
            if collection.ndim == 2 and collection.numblocks[1] > 1:
                collection = collection.rechunk({1: -1})
            blocks = collection.to_delayed()
        elif isinstance(collection, dd.DataFrame | dd.Series):
            # Optimized each for itself, X and y from the same files would be divided differently.
            blocks = collection.simplify().to_delayed(optimize_graph=False)
        else:
            cure = "FCMClassifier and FCMRegressor take tables that are in memory."
            raise param_error(owner, name, "a Dask array or data frame", Literal(type(collection).__name__), cure)
        divided[name] = np.ravel(np.array(blocks, dtype=object)).tolist()
        if len(divided[name]) != len(divided["X"]):
            expected = f"of {len(divided['X'])} partitions, as X"
            cure = "Make it from the same data frame, or give both known chunks (compute_chunk_sizes)."
            raise param_error(owner, name, expected, Literal(f"{len(divided[name])}"), cure)
    weights = divided.get("sample_weight", [None] * len(divided["X"]))
    return list(zip(divided["X"], divided["y"], weights, strict=True))
