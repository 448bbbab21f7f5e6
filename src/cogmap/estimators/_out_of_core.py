"""Out-of-core and distributed fitting.

A `Source` provides the rows: chunks on this machine (`_chunks`), or partitions on a cluster (`integrations.dask`).
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning.dataset import Dataset, sample_rows
from cogmap._learning.plan import Plan
from cogmap._learning.settings import LARGE
from cogmap._learning.solvers import SOLVERS
from cogmap._learning.table import Table
from cogmap._learning.targets import Targets
from cogmap._utils.params import param_error
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._validation import check_products, input_names
from cogmap.exceptions import DataError
from cogmap.models.features import FeatureStatistics

Chunk = tuple[NDArray[np.floating], NDArray[Any], NDArray[np.float64] | None]  # features, targets, weights


def chosen(chunk: Chunk, rows: Any) -> Chunk:
    """Return some rows of a chunk."""
    X, y, weight = chunk
    return X[rows], y[rows], None if weight is None else weight[rows]


def joined(chunks: list[Chunk]) -> Chunk:
    """Concatenate chunks; a single chunk is not copied."""
    if len(chunks) == 1:
        return chunks[0]
    X, y, weight = zip(*chunks, strict=True)
    return np.concatenate(X), np.concatenate(y), None if weight[0] is None else np.concatenate(weight)


@dataclass(frozen=True)
class Labels:
    """The distinct labels, and the total weight of the rows with each."""

    labels: NDArray[Any]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, y: NDArray[Any], weight: NDArray[np.float64] | None) -> "Labels":
        """Count the labels of some rows."""
        labels, codes = np.unique(y, return_inverse=True)
        return cls(labels, np.bincount(codes, weight, minlength=len(labels)).astype(np.float64))

    def merged(self, other: "Labels") -> "Labels":
        """Return the labels of both sets of rows."""
        labels = np.union1d(self.labels, other.labels)
        weights = np.zeros(len(labels))
        for part in (self, other):
            weights[np.searchsorted(labels, part.labels)] += part.weights
        return Labels(labels, weights)


@dataclass(frozen=True)
class Survey:
    """Statistics of all rows that training needs in advance."""

    n_rows: int
    features: FeatureStatistics
    targets: Labels | FeatureStatistics

    def merged(self, other: "Survey") -> "Survey":
        """Return the statistics of both sets of rows."""
        targets: Any = self.targets
        return Survey(self.n_rows + other.n_rows, self.features.merged(other.features), targets.merged(other.targets))


@dataclass(frozen=True)
class ClassWeight:
    """Multiply row weights by class weights."""

    classes: NDArray[Any]
    weights: NDArray[np.float64]
    owner: str

    def __call__(self, y: NDArray[Any], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the weights of some rows."""
        of_rows = self.weights[np.searchsorted(self.classes, y)]
        if weight is not None:
            with np.errstate(over="ignore", under="ignore"):
                of_rows *= weight
        check_products(of_rows, self.owner)
        return of_rows


def surveyed(
    X: NDArray[Any],
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    classes: bool,
    weigh: ClassWeight | None = None,
) -> Survey:
    """Return the statistics of some rows, with classes or values as targets."""
    if weigh is not None:
        weight = weigh(y, weight)
    of_classes = classes and y.ndim == 1
    targets = Labels.of(y, weight) if of_classes else FeatureStatistics.of(y.reshape(len(y), -1), weight)
    return Survey(len(y), FeatureStatistics.of(X, weight), targets)


def check_alike(first: Chunk, other: Chunk) -> None:
    """Raise if columns, targets or weights of a chunk do not match those of the first chunk."""
    if issparse(other[0]):
        raise DataError("X is sparse and too large to make dense. Select columns, or use smaller chunks.")
    if first[0].shape[1] != other[0].shape[1]:
        raise DataError(f"X has {other[0].shape[1]} columns, but {first[0].shape[1]} in the first chunk.")
    if first[1].shape[1:] != other[1].shape[1:]:
        raise DataError("y has a different number of columns than in the first chunk.")
    if _is_text(first[1]) != _is_text(other[1]):
        now, before = ("text", "numbers")[:: 1 if _is_text(other[1]) else -1]
        raise DataError(f"y holds {now}, but {before} in the first chunk. Convert all labels to one type.")
    if (first[2] is None) != (other[2] is None):
        raise DataError("some chunks have sample weights and others do not. Pass weights for all chunks or for none.")


def _is_text(y: NDArray[Any]) -> bool:
    return y.dtype.kind in "OUST"


@dataclass(frozen=True)
class ChunkReader:
    """Turn a chunk into a `Table`: of features, or with a plan, of states."""

    targets: Targets  # of no rows
    features: tuple[str, ...]
    weigh: ClassWeight | None
    plan: Plan | None = None

    def __call__(self, X: NDArray[Any], y: NDArray[Any], weight: NDArray[np.float64] | None) -> Table:
        """Return the table."""
        if self.weigh is not None:
            weight = self.weigh(y, weight)
        table = Table(X, self.targets.of(y), weight, self.features)
        return table if self.plan is None else self.plan.encoded(table)


class Source(Protocol):
    """Provider of rows that are not all in memory."""

    def survey(self, weigh: ClassWeight | None = None) -> Survey:
        """Return statistics of all rows, optionally with class weights; sets the feature names of the estimator."""
        ...

    def some(self, rows: NDArray[np.intp] | None) -> Chunk:
        """Return the rows with the given numbers, which must be ascending; None returns all."""
        ...

    def encoded(self, read: ChunkReader, sample: Table) -> Dataset:
        """Return all rows as states; `sample` is a sample of them."""
        ...


class OutOfCoreMixin(BaseFCM):
    """Base class of estimators that support out-of-core fitting."""

    _learns_classes = True

    @abstractmethod
    def _surveyed_targets(self, survey: Survey, sample: Chunk) -> tuple[Targets, ClassWeight | None]:
        """Return targets of no rows with their link, and the class weights if there are any."""

    def _check_out_of_core(self, method: str) -> None:
        """Raise if a parameter needs all rows in memory."""
        owner = f"{self._owner}.{method}"
        for name in ("early_stopping", "warm_start"):
            if getattr(self, name):
                raise param_error(owner, name, "False for rows in chunks", True)
        if isinstance(self.terms, str):
            cure = "'auto' needs all rows in memory: set the number of terms."
            raise param_error(owner, "terms", "None, a number or a dict for rows in chunks", self.terms, cure)
        solver = self._parameters()["solver"]
        if solver in SOLVERS and not SOLVERS[solver].all_rows:
            cure = "Mini-batches need all rows in memory; use partial_fit for chunk after chunk."
            raise param_error(owner, "solver", "'lbfgs' for rows in chunks", solver, cure)

    def _fit_out_of_core(self, source: Source, shown_as: Self) -> None:
        """Fit to the rows of a source; only a sample is loaded if there are many."""
        self._forget()
        survey = source.survey()
        n_columns = len(survey.features.mean)
        if survey.n_rows * n_columns <= LARGE:
            self._fit_table(source.some(None), shown_as)
            return
        given = source.some(sample_rows(survey.n_rows, n_columns))
        targets, weigh = self._surveyed_targets(survey, given)
        if weigh is not None:  # the scaling depends on class weights, which are known only now
            survey = source.survey(weigh)
        read = ChunkReader(targets, tuple(input_names(self)), weigh)
        sample = replace(read(*given), n_values=survey.n_rows * n_columns)

        def encoded(plan: Plan) -> Dataset:
            return source.encoded(replace(read, plan=plan), plan.encoded(sample))

        scaling = self._scaling_by(survey.features)
        self._train(sample, scaling, survey.n_rows, encoded, given, shown_as, solver="lbfgs")
