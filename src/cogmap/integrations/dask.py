"""Fitting on a Dask cluster: partitions stay on their workers, which add losses and gradients; parameters come and go.

`DaskFCMClassifier` and `DaskFCMRegressor` have the parameters of `FCMClassifier` and `FCMRegressor`, take Dask arrays
and data frames, and learn the same model, bit by bit, for any number of workers and partitions.
"""

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cogmap._allowed import check_parameters
from cogmap._chunks import said_of
from cogmap._elsewhere import Chunk, ClassWeight, Encode, FitsElsewhere, Survey, check_alike, chosen, joined, surveyed
from cogmap._learning.chunked import Prepared, Sums, level_for
from cogmap._learning.recipe import Recipe
from cogmap._learning.solvers import Theta
from cogmap._learning.teachers import Teacher
from cogmap._optional import import_or_raise
from cogmap._params import Words, check_number, shown, wrong
from cogmap._segments import SEGMENT, PairwiseSum
from cogmap.classifier import FCMClassifier
from cogmap.exceptions import ClusterError, CogmapError, DataError
from cogmap.regressor import FCMRegressor

dask: Any = import_or_raise("dask", "cogmap.integrations.dask", "dask")
da: Any = import_or_raise("dask.array", "cogmap.integrations.dask", "dask")
dd: Any = import_or_raise("dask.dataframe", "cogmap.integrations.dask", "dask")
distributed: Any = import_or_raise("distributed", "cogmap.integrations.dask", "dask")

# So many chunks for each thread of the cluster: few enough that sending tasks costs little, and enough that all threads
# end at about the same time.
_CHUNKS_PER_THREAD = 8

_LOOK = 2.0  # seconds after which it is looked whether anybody is still at work
_MOVE = 60.0  # seconds in which results come from workers, or are asked for again


# What workers do.


class _Checked:
    """A partition as arrays, and what it is like."""

    def __init__(self, estimator: Any, number: int, X: Any, y: Any, weight: Any) -> None:
        self.chunk: Chunk | None = None
        self.names = self.about = None
        if len(X) != len(y) or (weight is not None and len(weight) != len(X)):
            sizes = f"{len(X)} rows of X, {len(y)} of y" + ("" if weight is None else f", {len(weight)} weights")
            raise DataError(f"In partition {number}: {sizes}. X, y and weights have to be divided alike.")
        if len(X) == 0 or (weight is not None and not np.any(weight)):
            return
        weight = None if weight is None else np.asarray(weight)
        with said_of(f"partition {number}"):
            self.chunk = estimator._validated(X, y, weight, reset=True)
        self.names = getattr(estimator, "feature_names_in_", None)
        self.about = vars(estimator)  # what a check of X and y leaves

    def rows(self, start: int, stop: int) -> Chunk:
        assert self.chunk is not None
        return chosen(self.chunk, slice(start, stop))


def _report(checked: _Checked) -> tuple[int, Chunk | None, Any, Any]:
    """Return what the one who leads has to know of a partition: no rows."""
    if checked.chunk is None:
        return 0, None, None, None
    return len(checked.chunk[0]), chosen(checked.chunk, slice(0)), checked.names, checked.about


def _encoded(chunk: Chunk, encode: Encode) -> Any:
    return encode(*chunk)


def _surveyed(chunk: Chunk, classes: bool, weigh: ClassWeight | None) -> Survey:
    return surveyed(*chunk, classes, weigh)


def _weighed(table: Any) -> tuple[int, float]:
    return table.n_rows, table.total_weight


def _summed(prepared: Prepared, theta: Theta, with_gradient: bool) -> Sums:
    return prepared.sums(theta, with_gradient)


def _prepared(table: Any, recipe: Recipe, mean_weight: float, teachers: list[Teacher]) -> Prepared:
    return Prepared.of(recipe, table, mean_weight, teachers)


class _Cluster:
    """A client that does not wait for ever, and says in one sentence what became of a cluster."""

    def __init__(self, owner: str, timeout: float) -> None:
        self._owner, self._timeout = owner, timeout
        try:
            self.client = distributed.get_client()
        except ValueError:
            raise ClusterError(
                f"`{owner}` needs a Dask cluster, and there is no client. Make one first: from dask.distributed import "
                "Client; client = Client()."
            ) from None
        self.n_threads = sum(self.client.nthreads().values())
        if not self.n_threads:
            self._wait_for_workers()

    def _wait_for_workers(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=self._timeout)
        except TimeoutError:
            raise self._gone("has no worker") from None
        self.n_threads = sum(self.client.nthreads().values())

    def _gone(self, what: str) -> ClusterError:
        return ClusterError(
            f"`{self._owner}`: the cluster {what}, and the fit was given up; an earlier fitted model stays as it was. "
            f"Nobody at work is waited for {self._timeout:g} seconds (timeout)."
        )

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have something computed."""
        try:
            return self.client.submit(function, *arguments, pure=False)
        except Exception:
            if self.client.status == "running":
                raise
            raise self._gone("has gone away") from None

    def results(self, futures: list[Any]) -> list[Any]:
        """Wait for results; a cluster without workers is given some time to come back."""
        alone_since: float | None = None
        while True:
            try:
                distributed.wait(futures, timeout=_LOOK)
                # Not `gather`, which would wait for ever for a result whose worker is lost just now.
                return list(self.client.sync(self.client._gather, futures, callback_timeout=_MOVE))
            except (TimeoutError, distributed.TimeoutError):
                pass
            except distributed.KilledWorker as error:
                raise self._gone(
                    f"lost a worker again and again at the same work, most probably for lack of memory ({error.task}); "
                    "make partitions smaller, or give workers more memory"
                ) from None
            except MemoryError:
                raise self._gone("has a worker without enough memory; make partitions smaller") from None
            except CogmapError:
                raise
            except (distributed.CancelledError, OSError) as error:
                if self.client.status == "running" and not isinstance(error, distributed.CancelledError):
                    raise  # the error of a task, such as a file that is not there
                raise self._gone("has gone away") from None
            if self.client.status == "running" and self.client.scheduler_info(n_workers=-1)["workers"]:
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if self.client.status in ("closed", "closing") or time.monotonic() - alone_since > self._timeout:
                raise self._gone("has gone away" if self.client.status != "running" else "has no worker left")


class _ClusterRows:
    """Tables of states on workers."""

    def __init__(self, cluster: _Cluster, tables: list[Any], level: int) -> None:
        self._cluster, self._tables, self.level = cluster, tables, level
        self._prepared: list[Any] = []
        sizes = cluster.results([cluster.submit(_weighed, table) for table in tables])
        weight: PairwiseSum[float] = PairwiseSum(lambda before, after: before + after)
        for _, of_chunk in sizes:
            weight.add(of_chunk, level)
        self.n_rows, self.total_weight = sum(n_rows for n_rows, _ in sizes), weight.result()

    def prepare(self, recipe: Recipe, mean_weight: float, teachers: list[Teacher]) -> None:
        """Let workers ask the teachers."""
        submit = self._cluster.submit
        self._prepared = [submit(_prepared, table, recipe, mean_weight, teachers) for table in self._tables]
        self._tables = []

    def sums(self, theta: Theta, with_gradient: bool) -> list[Sums]:
        """Return the sums of each chunk."""
        submit = self._cluster.submit
        return self._cluster.results([submit(_summed, each, theta, with_gradient) for each in self._prepared])


class _Partitions:
    """Rows in the partitions of Dask collections."""

    def __init__(self, estimator: Any, X: Any, y: Any, weight: Any, timeout: float) -> None:
        self._estimator = estimator
        self._owner = f"{estimator._owner}.fit"
        self._pieces = _divided_alike(self._owner, X, y, weight)
        self._cluster = _Cluster(self._owner, timeout)
        self._chunks: list[Any] = []

    def _align(self) -> None:
        """Check all partitions, and have rows that belong to one run of segments brought together."""
        bare = type(self._estimator)(**self._estimator.get_params(deep=False))
        tasks = [dask.delayed(_Checked)(bare, i, *piece) for i, piece in enumerate(self._pieces)]
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
                    parts.append(self._cluster.submit(_Checked.rows, checked[i], *here))
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
            with said_of(f"partition {i}"):
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

    def encoded(self, encode: Encode) -> _ClusterRows:
        """Return all rows as states."""
        tables = [self._cluster.submit(_encoded, chunk, encode) for chunk in self._chunks]
        rows = _ClusterRows(self._cluster, tables, self.level)
        self._chunks = []  # their memory is free; should a table be lost, they are computed again
        return rows


def _divided_alike(owner: str, X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return the partitions of features, targets and weights, which belong together."""
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise wrong(owner, "X", "a table, with rows and columns", Words(f"an array of shape {X.shape}"))
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    collections = {"X": X, "y": y} | ({} if weight is None else {"sample_weight": weight})
    divided: dict[str, list[Any]] = {}
    for name, collection in collections.items():
        if isinstance(collection, da.Array):
            rows = X.chunks[0] if isinstance(X, da.Array) else ()
            if collection.chunks[0] != rows and not np.isnan([*rows, *collection.chunks[0]]).any() and rows:
                if sum(rows) != sum(collection.chunks[0]):
                    expected = f"of {sum(rows)} rows, as X"
                    raise wrong(owner, name, expected, Words(f"{sum(collection.chunks[0])}"))
                collection = collection.rechunk({0: rows})
            if collection.ndim == 2 and collection.numblocks[1] > 1:
                collection = collection.rechunk({1: -1})
            blocks = collection.to_delayed()
        elif isinstance(collection, dd.DataFrame | dd.Series):
            # Optimized each for itself, X and y from the same files would be divided differently.
            blocks = collection.simplify().to_delayed(optimize_graph=False)
        else:
            cure = "FCMClassifier and FCMRegressor take tables that are in memory."
            raise wrong(owner, name, "a Dask array or data frame", Words(type(collection).__name__), cure)
        divided[name] = np.ravel(np.array(blocks, dtype=object)).tolist()
        if len(divided[name]) != len(divided["X"]):
            expected = f"of {len(divided['X'])} partitions, as X"
            cure = "Make it from the same data frame, or give both known chunks (compute_chunk_sizes)."
            raise wrong(owner, name, expected, Words(f"{len(divided[name])}"), cure)
    weights = divided.get("sample_weight", [None] * len(divided["X"]))
    return list(zip(divided["X"], divided["y"], weights, strict=True))


class _OnDask(FitsElsewhere):
    """What both estimators share."""

    _local: type[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, timeout: float = 300.0) -> Self:
        """Learn a map from Dask collections, on the cluster of the current client.

        Up to a million values are brought together and learned from here, which is faster than any round. With more,
        workers keep their rows, brought into runs of 65,536 rows: rows at the ends of partitions move once. Teachers
        learn from a sample of a quarter million values here, then the map learns from all rows by L-BFGS.

        The result equals that of `fit_chunks` on the same rows bit by bit, and that of `fit` if there are no more than
        a million values, or no teachers (``n_teachers=0``, ``solver="lbfgs"``).

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Chunk sizes may be unknown, and partitions may be empty.
        y : dask.array.Array, dask.dataframe.Series or dask.dataframe.DataFrame
            What to learn, divided as X.
        sample_weight : dask.array.Array or dask.dataframe.Series, default=None
            Weights of the rows, divided as X.
        timeout : float, default=300.0
            Seconds to wait for a cluster that has no worker left, or whose scheduler does not answer.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, an earlier fitted model stays as it was. A worker that is lost costs
            the time to compute its partitions again.
        """
        owner = f"{self._owner}.fit"
        check_parameters(self._owner, self.get_params(deep=False))
        check_number(owner, "timeout", timeout, low=0.0, low_included=False)
        self._check_elsewhere("fit")
        self._replace_learned(
            lambda fitted: fitted._fit_elsewhere(_Partitions(fitted, X, y, sample_weight, timeout), self)
        )
        self._warn_unless_converged()
        return self

    def fit_chunks(self, chunks: Any) -> Self:
        """Refuse: chunks on this machine are for the estimator that is not on Dask."""
        raise wrong(f"{self._owner}.fit_chunks", "self", f"a {self._local.__name__}", Words(self._owner))

    def to_local(self) -> Any:
        """Return the same model as an estimator that knows nothing of Dask."""
        local = self._local(**self.get_params(deep=False))
        local.__dict__.update(vars(self))
        return local

    def predict(self, X: Any) -> Any:
        """Return predictions, to be computed when they are asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. What is in memory is predicted at once.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("predict", X)

    def transform(self, X: Any) -> Any:
        """Return the learned features, to be computed when they are asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. What is in memory is transformed at once.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("transform", X)

    def _lazily(self, method: str, X: Any) -> Any:
        local = self.to_local()
        if not isinstance(X, da.Array | dd.DataFrame):
            return getattr(local, method)(X)
        # Two rows tell the kind of what will come, and whether the columns are right, before anything is computed.
        rows = X._meta_nonempty if isinstance(X, dd.DataFrame) else np.zeros((2, *X.shape[1:]), X.dtype)
        like = getattr(local, method)(rows)
        blocks = X.to_delayed() if isinstance(X, dd.DataFrame) else X.rechunk({1: -1}).to_delayed().ravel()
        sizes = [np.nan] * len(blocks) if isinstance(X, dd.DataFrame) else X.chunks[0]
        compute = dask.delayed(_said, pure=True)
        model = dask.delayed(local)
        return da.concatenate(
            [
                da.from_delayed(compute(model, method, block, like[:0]), (size, *like.shape[1:]), meta=like[:0])
                for block, size in zip(blocks, sizes, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )


def _said(local: Any, method: str, X: Any, nothing: Any) -> Any:
    return getattr(local, method)(X) if len(X) else nothing


class DaskFCMClassifier(_OnDask, FCMClassifier):
    """`FCMClassifier` that learns on a Dask cluster; it has the same parameters.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from cogmap.integrations.dask import DaskFCMClassifier
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     X = da.random.default_rng(0).random((400, 3), chunks=(100, 3))
    ...     fcm = DaskFCMClassifier(random_state=0).fit(X, (X[:, 0] > X[:, 1]).astype(int))
    ...     share = (fcm.predict(X) == (X[:, 0] > X[:, 1])).mean()  # nothing is computed yet
    ...     bool(share.compute() > 0.95)
    True
    >>> fcm.to_local()
    FCMClassifier(random_state=0)
    """

    _local = FCMClassifier

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, to be computed when it is asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("predict_proba", X)

    def decision_function(self, X: Any) -> Any:
        """Return what is compared to decide for a class, to be computed when it is asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("decision_function", X)


class DaskFCMRegressor(_OnDask, FCMRegressor):
    """`FCMRegressor` that learns on a Dask cluster; it has the same parameters."""

    _local = FCMRegressor
