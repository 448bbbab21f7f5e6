"""Rows in the partitions of Dask collections, and the tasks that run on workers.

Partitions are realigned to whole segments, so that sums are bitwise independent of the partitioning.
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

# Few enough that sending tasks is cheap, and enough that all threads finish at about the same time.
_CHUNKS_PER_THREAD = 8


# --- tasks on workers


ValidatedPartition = tuple[Chunk | None, Any, Any]  # arrays, column names, and attributes set by the validation


def _validate(estimator: Any, number: int, X: Any, y: Any, weight: Any) -> ValidatedPartition:
    """Validate a partition and convert it to arrays; return None values for an empty one."""
    if len(X) != len(y) or (weight is not None and len(weight) != len(X)):
        sizes = f"{len(X)} rows of X, {len(y)} of y" + ("" if weight is None else f", {len(weight)} weights")
        raise DataError(f"In partition {number}: {sizes}. X, y and weights must be partitioned alike.")
    if len(X) == 0 or (weight is not None and not np.any(weight)):
        return None, None, None
    weight = None if weight is None else np.asarray(weight)
    with error_context(f"partition {number}"):
        chunk = estimator._validated(X, y, weight, reset=True)
    return chunk, getattr(estimator, "feature_names_in_", None), vars(estimator)


def _rows(partition: ValidatedPartition, start: int, stop: int) -> Chunk:
    return chosen(cast(Chunk, partition[0]), slice(start, stop))


def _metadata(partition: ValidatedPartition) -> tuple[int, Chunk | None, Any, Any]:
    """Return what the client needs to know of a partition: its length, types and attributes, but no rows."""
    chunk, names, attributes = partition
    return (0, None, None, None) if chunk is None else (len(chunk[0]), chosen(chunk, slice(0)), names, attributes)


def _read(chunk: Chunk, read: ChunkReader) -> Table:
    return read(*chunk)


def _surveyed(chunk: Chunk, classes: bool, weigh: ClassWeight | None) -> Survey:
    return surveyed(*chunk, classes, weigh)


def _total_weight(table: Table) -> tuple[int, float]:
    return table.n_rows, table.total_weight


class _WorkerObjective:
    """Objective of one table, kept on a worker, so that only parameters and sums are transferred."""

    def __init__(self, table: Table, spec: ModelSpec, mean_weight: float, teachers: Sequence[Theta]) -> None:
        with one_blas_thread():
            targets = spec.distilled_targets(table, teachers) if teachers else None
        self._spec, self._arguments = spec, (table, targets, mean_weight)

    def sums(self, theta: Theta, with_gradient: bool) -> ChunkSums:
        with one_blas_thread():
            return self._spec.objective(*self._arguments).loss_sums(theta, with_gradient)


class ClusterRows:
    """Dataset of tables on workers."""

    def __init__(self, cluster: Cluster, tables: list[Any], level: int, sample: Table) -> None:
        self._cluster, self._tables, self._level, self._sample = cluster, tables, level, sample
        sizes = cluster.results([cluster.submit(_total_weight, table) for table in tables])
        weight: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)
        for _, chunk_weight in sizes:
            weight.add(chunk_weight, level)
        self._n_rows, self._total_weight = sum(n_rows for n_rows, _ in sizes), weight.result()

    def sample(self) -> Table:
        """Return the sample of rows."""
        return self._sample

    def objective(self, spec: ModelSpec, teachers: Sequence[Theta] = ()) -> SummedObjective:
        """Return the loss of a model on all rows; workers compute and keep the distillation targets."""
        submit, mean_weight = self._cluster.submit, self._total_weight / self._n_rows
        objectives = [submit(_WorkerObjective, table, spec, mean_weight, teachers) for table in self._tables]

        def chunk_sums(theta: Theta, with_gradient: bool) -> list[ChunkSums]:
            futures = [submit(_WorkerObjective.sums, each, theta, with_gradient) for each in objectives]
            return self._cluster.results(futures)

        sample_objective = spec.objective(self._sample)
        return SummedObjective(sample_objective, self._n_rows, self._total_weight, chunk_sums, self._level)


class Partitions:
    """Data source of the rows in Dask collections."""

    def __init__(self, estimator: Any, X: Any, y: Any, weight: Any, timeout: float) -> None:
        self._estimator = estimator
        self._owner = f"{estimator._owner}.fit"
        self._delayed = _aligned_partitions(self._owner, X, y, weight)
        self._cluster = Cluster(self._owner, timeout)
        self._chunks: list[Any] = []

    def _align(self) -> None:
        """Validate all partitions and regroup their rows into chunks of whole segments."""
        bare = type(self._estimator)(**self._estimator.get_params(deep=False))
        tasks = [dask.delayed(_validate)(bare, i, *delayed) for i, delayed in enumerate(self._delayed)]
        validated = self._cluster.client.compute(tasks)
        try:
            metadata = self._cluster.results([self._cluster.submit(_metadata, each) for each in validated])
        except CogmapError:
            raise
        except Exception as error:
            raise DataError(f"`{self._owner}` cannot compute a partition: {type(error).__name__}: {error}") from error
        self._check_metadata(metadata)
        lengths = [each[0] for each in metadata]
        self._n_rows = sum(lengths)
        self.level = level_for(self._n_rows, _CHUNKS_PER_THREAD * self._cluster.n_threads)
        ends = np.cumsum(lengths)
        length = SEGMENT * 2**self.level
        self._starts = list(range(0, self._n_rows, length))
        for start in self._starts:
            stop = min(start + length, self._n_rows)
            parts = []
            for i in range(int(np.searchsorted(ends, start, side="right")), len(ends)):
                first = int(ends[i]) - lengths[i]
                if first >= stop:
                    break
                if lengths[i]:
                    here = max(start, first) - first, min(stop, int(ends[i])) - first
                    parts.append(self._cluster.submit(_rows, validated[i], *here))
            self._chunks.append(parts[0] if len(parts) == 1 else self._cluster.submit(joined, parts))

    def _check_metadata(self, metadata: list[Any]) -> None:
        """Raise an error if partitions differ; the estimator takes over the attributes of the first one."""
        with_rows = [(i, each) for i, each in enumerate(metadata) if each[0]]
        if not with_rows:
            raise DataError(f"`{self._owner}` needs at least one row, but all partitions are empty.")
        _, (_, first, names, attributes) = with_rows[0]
        for i, (_, other, its_names, _) in with_rows[1:]:
            if (names is None) != (its_names is None) or (names is not None and list(names) != list(its_names)):
                raise DataError(
                    f"In partition {i}: the columns {shown(its_names)}, but {shown(names)} in the first. Give all "
                    "partitions the same columns in the same order."
                )
            with error_context(f"partition {i}"):
                check_alike(first, other)
        vars(self._estimator).update(attributes)

    def survey(self, weigh: ClassWeight | None = None) -> Survey:
        """Compute the statistics of all rows."""
        if not self._chunks:
            self._align()
        classes = self._estimator._learns_classes
        summed: PairwiseSum[Survey] = PairwiseSum(Survey.merged)
        futures = [self._cluster.submit(_surveyed, chunk, classes, weigh) for chunk in self._chunks]
        for survey in self._cluster.results(futures):
            summed.add(survey, self.level)
        return summed.result()

    def some(self, rows: NDArray[np.intp] | None) -> Chunk:
        """Return the rows with the given sorted indices; None: all rows."""
        if rows is None:
            return joined(self._cluster.results(self._chunks))
        futures = []
        for chunk, start in zip(self._chunks, self._starts, strict=True):
            stop = start + SEGMENT * 2**self.level
            here = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start
            futures.append(self._cluster.submit(chosen, chunk, here))
        return joined(self._cluster.results(futures))

    def encoded(self, read: ChunkReader, sample: Table) -> ClusterRows:
        """Return all rows encoded as states."""
        tables = [self._cluster.submit(_read, chunk, read) for chunk in self._chunks]
        rows = ClusterRows(self._cluster, tables, self.level, sample)
        self._chunks = []  # frees their memory; Dask recomputes them if a table is lost
        return rows


def _aligned_partitions(owner: str, X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return matching delayed partitions of features, targets and weights."""
    if isinstance(X, da.Array) and X.ndim != 2:
        raise param_error(owner, "X", "two-dimensional", Literal(f"an array of shape {X.shape}"))
    collections = {"X": X, "y": y} | ({} if weight is None else {"sample_weight": weight})
    partitions: dict[str, list[Any]] = {}
    for name, collection in collections.items():
        if isinstance(collection, da.Array):
            rows = X.chunks[0] if isinstance(X, da.Array) else ()
            if collection.chunks[0] != rows and not np.isnan([*rows, *collection.chunks[0]]).any() and rows:
                if sum(rows) != sum(collection.chunks[0]):
                    expected = f"of length {sum(rows)}, as X"
                    raise param_error(owner, name, expected, Literal(f"{sum(collection.chunks[0])}"))
                collection = collection.rechunk({0: rows})
            if collection.ndim == 2 and collection.numblocks[1] > 1:
                collection = collection.rechunk({1: -1})
            blocks = collection.to_delayed()
        elif isinstance(collection, dd.DataFrame | dd.Series):
            # Optimized separately, X and y from the same files could be partitioned differently.
            blocks = collection.simplify().to_delayed(optimize_graph=False)
        else:
            cure = "For tables in memory, use FCMClassifier or FCMRegressor."
            raise param_error(owner, name, "a Dask array or data frame", Literal(type(collection).__name__), cure)
        partitions[name] = np.ravel(np.array(blocks, dtype=object)).tolist()
        if len(partitions[name]) != len(partitions["X"]):
            expected = f"of {len(partitions['X'])} partitions, as X"
            cure = "Derive both from the same data frame, or compute their chunk sizes (compute_chunk_sizes)."
            raise param_error(owner, name, expected, Literal(f"{len(partitions[name])}"), cure)
    weights = partitions.get("sample_weight", [None] * len(partitions["X"]))
    return list(zip(partitions["X"], partitions["y"], weights, strict=True))
