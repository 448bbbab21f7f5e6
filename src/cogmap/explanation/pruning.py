"""Sparse maps: leave out the edges that carry least on the data, and learn the rest anew."""

from bisect import bisect_right
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._learning.concepts import Concepts
from cogmap._learning.structure import Bounds, free, weight_limits
from cogmap._utils.params import check_integer, check_number, param_error
from cogmap.explanation._answer import Drawn, frame, text_table
from cogmap.explanation._subject import opened
from cogmap.explanation.influences import Influence, influence
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.features import Array


@dataclass(frozen=True, eq=False)
class PruningCurve(Drawn):
    """Scores of maps with fewer and fewer edges, on rows that they did not learn from.

    Attributes
    ----------
    keep : ndarray of shape (n_sizes,)
        Shares of the edges that are kept. The first is 1: the map with all its edges.
    n_edges : ndarray of shape (n_sizes,)
        How many edges that is, the mean over the folds.
    scores : ndarray of shape (n_folds, n_sizes)
        Score of each map on the rows of its fold.
    metric : str
        What a score is: ``"accuracy"``, or ``"R²"`` of a regressor.
    """

    _picture = "plot_pruning"

    keep: Array
    n_edges: Array
    scores: Array
    metric: str

    @property
    def mean_scores(self) -> Array:
        """Mean score of each size over the folds."""
        return np.asarray(self.scores.mean(axis=0))

    @property
    def full_scores(self) -> Array:
        """Scores of the maps with all their edges."""
        return np.asarray(self.scores[:, 0])

    def smallest(self, share: float = 0.99) -> float:
        """Return the smallest share of the edges with which the mean score is still this share of the full map's."""
        share = check_number("PruningCurve.smallest", "share", share, low=0, high=1)
        return float(self.keep[self.mean_scores >= share * self.mean_scores[0]].min())

    def to_frame(self) -> Any:
        """Return the curve as a data frame of pandas, one row per size."""
        columns = {"keep": self.keep, "edges": self.n_edges, self.metric: self.mean_scores}
        return frame("PruningCurve", columns | {"std": self.scores.std(axis=0)})

    def __repr__(self) -> str:
        rows = [
            [f"{keep:.0%}", f"{edges:.0f}", f"{score:.4f}", f"{score / self.mean_scores[0]:.1%}"]
            for keep, edges, score in zip(self.keep, self.n_edges, self.mean_scores, strict=True)
        ]
        head = f"PruningCurve over {len(self.scores)} folds"
        return "\n".join([head, *text_table(["edges kept", "edges", self.metric, "of the full map"], rows)])


def prune(estimator: Any, X: ArrayLike, y: ArrayLike, keep: float = 0.1) -> Any:
    """Leave out the edges that carry least on the data, and learn the rest anew.

    What an edge carries is the `flow` of `influence`: a large weight from a concept that never changes carries nothing.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
        A fitted estimator. It is not changed.
    X : array-like of shape (n_samples, n_features)
        Data to learn from.
    y : array-like of shape (n_samples,)
        Labels or values.
    keep : float, default=0.1
        Largest share of the edges to keep, greater than 0 and at most 1. Edges that lie on no way from a feature to an
        output carry nothing and are left out too; one such way is always kept.

    Returns
    -------
    estimator
        A new one, fitted, with the same parameters but for `edges` (and `weight_bounds`, if `edges` said more than
        where influence is allowed), and with the depth that the given one has settled on. Hidden concepts without an
        edge are left out, unless `prior` or `init` is a map. An edge whose bounds do not allow 0 stays.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from cogmap import FCMClassifier, prune
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> sparse = prune(FCMClassifier(n_hidden=0, random_state=0).fit(X, y), X, y, keep=0.1)
    >>> bool((sparse.map_.weights != 0).mean() <= 0.102)  # 26 of 256
    True
    >>> bool(sparse.score(X, y) > 0.95)
    True
    """
    keep = _share("prune", "keep", keep)
    _check_estimator("prune", estimator)
    opened("prune", estimator, X)
    return _pruned(estimator, X, y, keep)


def pruning_curve(
    estimator: Any, X: ArrayLike, y: ArrayLike, keep: Sequence[float] = (0.5, 0.25, 0.1, 0.05, 0.02), n_folds: int = 5
) -> PruningCurve:
    """Say how well maps with fewer and fewer edges do on new rows.

    In each fold a map learns from the other rows, is pruned to each size, and is judged on the rows of the fold.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
        An estimator, fitted or not: only its parameters are used.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        Labels or values.
    keep : sequence of float, default=(0.5, 0.25, 0.1, 0.05, 0.02)
        Shares of the edges to keep, each greater than 0 and at most 1. The full map is always judged too.
    n_folds : int, default=5
        Number of folds, at least 2. Each has about the same share of each class.

    Returns
    -------
    PruningCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, pruning_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = pruning_curve(FCMClassifier(random_state=0), X, y, keep=(0.5, 0.25), n_folds=2)
    >>> curve.scores.shape  # two folds; all edges, a half and a quarter of them
    (2, 3)
    """
    n_folds = check_integer("pruning_curve", "n_folds", n_folds, low=2)
    _check_estimator("pruning_curve", estimator)
    if not isinstance(keep, Sequence | np.ndarray) or isinstance(keep, str) or not len(keep):
        raise param_error("pruning_curve", "keep", "a sequence of shares of the edges", keep)
    sizes = sorted({_share("pruning_curve", "keep", share) for share in keep} - {1.0}, reverse=True)
    classifies = hasattr(estimator, "predict_proba")
    scores, n_edges = [], []
    for others, fold in _folds(y, n_folds, classifies):
        full = _again(estimator).fit(_rows(X, others), _rows(y, others))
        maps = [full, *(_pruned(full, _rows(X, others), _rows(y, others), share) for share in sizes)]
        scores.append([made.score(_rows(X, fold), _rows(y, fold)) for made in maps])
        n_edges.append([np.count_nonzero(made.map_.weights) for made in maps])
    metric = "accuracy" if classifies else "R²"
    return PruningCurve(np.array([1.0, *sizes]), np.mean(n_edges, axis=0), np.array(scores), metric)


def _pruned(estimator: Any, X: Any, y: Any, keep: float) -> Any:
    """Return a new estimator with the edges that carry most, and what an expert has fixed about them."""
    low, high = _limits(estimator)
    edges = _strongest(influence(estimator, X), estimator.depth_, keep) | (low > 0.0) | (high < 0.0)
    low, high = np.where(edges, low, -np.inf), np.where(edges, high, np.inf)
    kept = _with_edges(estimator, edges)
    edges, low, high = edges[kept][:, kept], low[kept][:, kept], high[kept][:, kept]
    bounded = np.isfinite([low, high]).any()
    settled = {
        "edges": edges,
        "weight_bounds": (low, high) if bounded else None,
        "n_hidden": estimator.n_hidden_ - int((~kept).sum()),
        "depth": estimator.depth_,
    }
    has = estimator.get_params(deep=False)
    settled["depths"] = [estimator.depth_]  # what FCMClassifierCV has instead
    if has["terms"] == "auto":
        settled["terms"] = estimator.model_.encoding.most_words
    return _again(estimator, **{name: value for name, value in settled.items() if name in has}).fit(X, y)


def _with_edges(estimator: Any, edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the concepts to keep: all but hidden ones without an edge, unless a given map names them."""
    kept: NDArray[np.bool_] = np.any(edges | edges.T, axis=0)
    model = estimator.model_
    kept[: model.n_inputs] = kept[model.n_inputs + model.n_hidden :] = True
    named = any(isinstance(given, FuzzyCognitiveMap) for given in (estimator.prior, estimator.init))
    return np.ones_like(kept) if named else kept


def _limits(estimator: Any) -> Bounds:
    """Return the smallest and the largest weight of each edge that the parameters of an estimator allow."""
    model = estimator.model_
    names = list(model.map.concepts)
    concepts = Concepts(names, model.n_inputs, model.n_hidden, model.n_outputs)
    given = weight_limits(estimator.edges, estimator.weight_bounds, concepts, type(estimator).__name__)
    return free((len(names), len(names))) if given is None else given


def _strongest(found: Influence, depth: int, keep: float) -> NDArray[np.bool_]:
    """Return a mask of the edges that carry most, without those that lie on no way from a feature to an output."""
    carried = found.flow.sum(axis=2)
    order = np.argsort(-np.where(found.weights != 0.0, carried, -1.0), axis=None, kind="stable")
    n_edges = np.count_nonzero(found.weights)
    n_kept = max(round(keep * n_edges), 1)

    def leading(n_taken: int) -> NDArray[np.bool_]:
        taken = np.zeros(carried.shape, dtype=bool)
        taken.flat[order[:n_taken]] = True
        return _on_ways(taken, found.kinds, depth)

    # The more edges are taken, the more are on a way: as many as leave no more than are to be kept, but at least a way.
    taken = bisect_right(range(n_edges + 1), n_kept, key=lambda n: int(leading(n).sum())) - 1
    edges = leading(taken)
    return edges if edges.any() else leading(taken + 1)


def _on_ways(edges: NDArray[np.bool_], kinds: tuple[str, ...], depth: int) -> NDArray[np.bool_]:
    """Return those edges by which, in one of the steps, something from a feature passes that gets to an output."""
    forward = [np.array([kind == "feature" for kind in kinds])]
    backward = [np.array([kind == "output" for kind in kinds])]
    for _ in range(depth - 1):
        forward.append((edges & forward[-1]).any(axis=1))
        backward.append((edges & backward[-1][:, None]).any(axis=0))
    used = [before & after[:, None] for before, after in zip(forward, backward[::-1], strict=True)]
    return np.asarray(edges & np.any(used, axis=0))


def _again(estimator: Any, **changes: Any) -> Any:
    """Return a new estimator with the same parameters but for some."""
    return type(estimator)(**deepcopy(estimator.get_params(deep=False)) | changes)


def _folds(y: Any, n_folds: int, classifies: bool) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Deal the rows to folds, class by class; return the rows outside of each, and those in it."""
    labels = np.asarray(y)
    n_rows = len(labels)
    if n_rows < n_folds:
        raise param_error("pruning_curve", "n_folds", f"at most the number of rows, {n_rows}", n_folds)
    order = np.random.default_rng(0).permutation(n_rows)
    if classifies:
        order = order[np.argsort(np.unique(labels, return_inverse=True)[1][order], kind="stable")]
    fold_of = np.empty(n_rows, dtype=np.intp)
    fold_of[order] = np.arange(n_rows) % n_folds
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(n_folds)]


def _rows(table: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of an array, a data frame or a list."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "shape") else np.asarray(table)[rows]


def _check_estimator(owner: str, estimator: Any) -> None:
    """Complain about what cannot learn anew."""
    if isinstance(estimator, type) or not (hasattr(estimator, "_fitted_model") and hasattr(estimator, "get_params")):
        cure = "A model alone cannot learn." if hasattr(estimator, "encoding") else ""
        raise param_error(owner, "estimator", "an estimator of cogmap", estimator, cure)


def _share(owner: str, name: str, value: Any) -> float:
    return check_number(owner, name, value, low=0, high=1, low_included=False)
