"""Fitting to rows that are not here: what an estimator has to know of them, and how it learns from that.

Where the rows are is the business of a `Source`: chunks on this machine (`_chunks`), or a cluster
(`integrations.dask`).
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning.dataset import Dataset, sample_rows
from cogmap._learning.plan import Plan
from cogmap._learning.settings import LARGE
from cogmap._learning.solvers import SOLVERS
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets, Targets, ValueTargets
from cogmap._utils.params import param_error
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._validation import check_products, input_names
from cogmap.exceptions import DataError
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import ClassLink, Link, ValueLink

Chunk = tuple[NDArray[np.floating], NDArray[Any], NDArray[np.float64] | None]  # features, targets, weights


def chosen(chunk: Chunk, rows: Any) -> Chunk:
    """Return some rows of a chunk."""
    X, y, weight = chunk
    return X[rows], y[rows], None if weight is None else weight[rows]


def joined(chunks: list[Chunk]) -> Chunk:
    """Return the rows of several chunks, one after the other; those of a single chunk are not copied."""
    if len(chunks) == 1:
        return chunks[0]
    X, y, weight = zip(*chunks, strict=True)
    return np.concatenate(X), np.concatenate(y), None if weight[0] is None else np.concatenate(weight)


@dataclass(frozen=True)
class Labels:
    """The labels that occur, and the weight of the rows of each."""

    labels: NDArray[Any]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, y: NDArray[Any], weight: NDArray[np.float64] | None) -> "Labels":
        """Look at the labels of some rows."""
        labels, codes = np.unique(y, return_inverse=True)
        return cls(labels, np.bincount(codes, weight, minlength=len(labels)).astype(np.float64))

    def merged(self, other: "Labels") -> "Labels":
        """Return the labels of both parts together."""
        labels = np.union1d(self.labels, other.labels)
        weights = np.zeros(len(labels))
        for part in (self, other):
            weights[np.searchsorted(labels, part.labels)] += part.weights
        return Labels(labels, weights)


@dataclass(frozen=True)
class Survey:
    """What has to be known of all rows before learning."""

    n_rows: int
    features: FeatureStatistics
    targets: Labels | FeatureStatistics

    def merged(self, other: "Survey") -> "Survey":
        """Return what is known of both parts together."""
        targets: Any = self.targets
        return Survey(self.n_rows + other.n_rows, self.features.merged(other.features), targets.merged(other.targets))


@dataclass(frozen=True)
class ClassWeight:
    """Multiplies the weights of rows by those of their classes."""

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
    """Look at some rows, whose targets are classes or values."""
    if weigh is not None:
        weight = weigh(y, weight)
    targets = Labels.of(y, weight) if classes else FeatureStatistics.of(y.reshape(len(y), -1), weight)
    return Survey(len(y), FeatureStatistics.of(X, weight), targets)


def check_alike(first: Chunk, other: Chunk) -> None:
    """Complain about a chunk whose columns, targets or weights are of another kind than those of the first."""
    if issparse(other[0]):
        raise DataError("X is sparse and too large for an ordinary table. Choose columns, or make chunks smaller.")
    if first[0].shape[1] != other[0].shape[1]:
        raise DataError(f"X has {other[0].shape[1]} columns, but {first[0].shape[1]} in the first chunk.")
    if first[1].shape[1:] != other[1].shape[1:]:
        raise DataError("y has another number of columns than in the first chunk.")
    if _is_text(first[1]) != _is_text(other[1]):
        now, before = ("text", "numbers")[:: 1 if _is_text(other[1]) else -1]
        raise DataError(f"y holds {now}, but {before} in the first chunk. Convert all labels to one type.")
    if (first[2] is None) != (other[2] is None):
        raise DataError("rows have weights in some chunks and none in others. Give weights for all, or for none.")


def _is_text(y: NDArray[Any]) -> bool:
    return y.dtype.kind in "OUST"


@dataclass(frozen=True)
class ChunkReader:
    """Makes a table of rows: of features as they were given, or of states if there is a plan."""

    link: Link
    features: tuple[str, ...]
    weigh: ClassWeight | None
    plan: Plan | None = None

    def __call__(self, X: NDArray[Any], y: NDArray[Any], weight: NDArray[np.float64] | None) -> Table:
        """Return the table."""
        targets: Targets
        if isinstance(self.link, ValueLink):
            targets = ValueTargets(y.reshape(len(y), -1), self.link)
        else:
            link = cast(ClassLink, self.link)
            targets = ClassTargets(np.searchsorted(link.classes, y), link)
        if self.weigh is not None:
            weight = self.weigh(y, weight)
        table = Table(X, targets, weight, self.features)
        return table if self.plan is None else self.plan.encoded(table)


class Source(Protocol):
    """Where rows are."""

    def survey(self, weigh: ClassWeight | None = None) -> Survey:
        """Look at all rows, perhaps with the weights of classes; the estimator then knows the names of the features."""
        ...

    def some(self, rows: NDArray[np.intp] | None) -> Chunk:
        """Return some rows by their numbers, which rise; None: all."""
        ...

    def encoded(self, read: ChunkReader, sample: Table) -> Dataset:
        """Return all rows as states, with a sample of them."""
        ...


class OutOfCoreMixin(BaseFCM):
    """What estimators share that can learn from rows in chunks."""

    _learns_classes = True

    @abstractmethod
    def _surveyed_link(self, survey: Survey) -> tuple[Link, ClassWeight | None]:
        """Return what the outputs mean, and the weights of the classes, if there are any."""

    def _check_elsewhere(self, method: str) -> None:
        """Complain about parameters that need all rows at hand."""
        owner = f"{self._owner}.{method}"
        for name in ("early_stopping", "warm_start"):
            if getattr(self, name):
                raise param_error(owner, name, "False for rows in chunks", True)
        if isinstance(self.terms, str):
            cure = "How to read features is chosen with all rows at hand: say a number of words."
            raise param_error(owner, "terms", "None, a number or a dict for rows in chunks", self.terms, cure)
        solver = self._parameters()["solver"]
        if solver in SOLVERS and not SOLVERS[solver].all_rows:
            cure = "Mini-batches come from rows that are at hand; partial_fit takes them one after the other."
            raise param_error(owner, "solver", "'lbfgs' for rows in chunks", solver, cure)

    def _fit_elsewhere(self, source: Source, shown_as: Self) -> None:
        """Learn from rows that are somewhere else; few of them are brought here."""
        self._forget()
        survey = source.survey()
        n_columns = len(survey.features.mean)
        if survey.n_rows * n_columns <= LARGE:
            self._fit_table(source.some(None), shown_as)
            return
        link, weigh = self._surveyed_link(survey)
        if weigh is not None:  # scaling follows the weights of the classes, which are known only now
            survey = source.survey(weigh)
        given = source.some(sample_rows(survey.n_rows, n_columns))
        read = ChunkReader(link, tuple(input_names(self)), weigh)
        sample = replace(read(*given), n_values=survey.n_rows * n_columns)

        def encoded(plan: Plan) -> Dataset:
            return source.encoded(replace(read, plan=plan), plan.encoded(sample))

        scaling = self._scaling_by(survey.features)
        self._train(sample, scaling, survey.n_rows, encoded, given, shown_as, solver="lbfgs")
