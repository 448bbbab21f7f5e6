"""Pruning: remove the edges with the least flow on the data and refit the map."""

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
from cogmap.explanation._answer import Block, Drawn, frame
from cogmap.explanation._subject import learnable_rows, opened, table_parts
from cogmap.explanation.influences import Influence, influence
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.features import Array


@dataclass(frozen=True, eq=False, repr=False)
class PruningCurve(Drawn):
    """Held-out scores of maps with fewer and fewer edges.

    Attributes
    ----------
    keep : ndarray of shape (n_sizes,)
        Shares of the edges that are kept. The first is 1: the map with all edges.
    n_edges : ndarray of shape (n_sizes,)
        Number of edges, averaged over the folds.
    scores : ndarray of shape (n_folds, n_sizes)
        Score of each map on the rows of its fold.
    metric : str
        Name of the score: ``"accuracy"``, or ``"R²"`` of a regressor.

    See Also
    --------
    cogmap.pruning_curve : Compute cross-validated scores of maps with fewer and fewer edges.
    cogmap.plotting.plot_pruning : Plot the held-out score of maps with fewer and fewer edges.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, pruning_curve
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0, random_state=0)
    >>> curve = pruning_curve(fcm, X, y, keep=[0.5], n_folds=2)
    >>> curve.to_frame()[["keep", "edges"]]
       keep  edges
    0   1.0   37.0
    1   0.5   18.0
    >>> curve.smallest(share=0.9)
    0.5
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
        """Scores of the maps with all edges."""
        return np.asarray(self.scores[:, 0])

    def smallest(self, share: float = 0.99) -> float:
        """Return the smallest share of edges whose mean score is at least `share` of the score of the full map.

        Parameters
        ----------
        share : float, default=0.99
            Share of the mean score of the full map, from 0 to 1.

        Returns
        -------
        float
            Share of the edges, one of `keep`.
        """
        share = check_number("PruningCurve.smallest", "share", share, low=0, high=1)
        return float(self.keep[self.mean_scores >= share * self.mean_scores[0]].min())

    def to_frame(self) -> Any:
        """Return the curve as a pandas data frame, one row per size.

        Returns
        -------
        pandas.DataFrame
            One row per size: share and number of edges, mean and standard deviation of the scores.
        """
        columns = {"keep": self.keep, "edges": self.n_edges, self.metric: self.mean_scores}
        return frame("PruningCurve", columns | {"std": self.scores.std(axis=0)})

    def _blocks(self) -> list[Block]:
        rows = [
            [f"{keep:.0%}", f"{edges:.0f}", f"{score:.4f}", f"{score / self.mean_scores[0]:.1%}"]
            for keep, edges, score in zip(self.keep, self.n_edges, self.mean_scores, strict=True)
        ]
        head = f"PruningCurve over {len(self.scores)} folds"
        return [head, (["edges kept", "edges", self.metric, "of the full map"], rows)]


def prune(estimator: Any, X: ArrayLike, y: ArrayLike, keep: float = 0.1) -> Any:
    """Remove the edges with the least flow on the data and refit the map.

    The flow of an edge is that of `influence`: a large weight from a concept that never changes carries nothing. An
    additive or named map is instead refitted with fewer arrows (`max_arrows`), at least one per output.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
        A fitted estimator. It is not modified.
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Labels or target values.
    keep : float, default=0.1
        Largest share of the edges to keep, greater than 0 and at most 1. Edges on no path from a feature to an output
        carry nothing and are removed too; at least one path is kept.

    Returns
    -------
    estimator
        A new fitted estimator with the same parameters, except for `edges` (and `weight_bounds`, if `edges` set more
        than which edges are allowed), or for `structure` and `max_arrows`, and with the depth of the given one. Hidden
        concepts without an edge are removed unless `prior` or `init` is a map. Edges whose bounds exclude 0 are kept.

    See Also
    --------
    pruning_curve : Compute cross-validated scores of maps with fewer and fewer edges.
    influence : Compute the influence of each concept on each output on data, and the edges that carry it.

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
    parts = table_parts(estimator)
    if parts is not None:
        preparer, last = parts
        pruned = prune(last, *learnable_rows(estimator, preparer, X, y)[:2], keep)
        if hasattr(estimator, "steps"):
            return type(estimator)(
                [(name, step) for (name, _), step in zip(estimator.steps, (preparer, pruned), strict=True)]
            )
        return estimator.with_estimator(pruned)
    _check_estimator("prune", estimator)
    opened("prune", estimator, X)
    return _pruned(estimator, X, y, keep)


def pruning_curve(
    estimator: Any, X: ArrayLike, y: ArrayLike, keep: Sequence[float] = (0.5, 0.25, 0.1, 0.05, 0.02), n_folds: int = 5
) -> PruningCurve:
    """Compute cross-validated scores of maps with fewer and fewer edges.

    For each fold, a map is trained on the other rows, pruned to each size, and scored on the rows of the fold.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
        Fitted or unfitted estimator; only its parameters are used.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        Labels or target values.
    keep : sequence of float, default=(0.5, 0.25, 0.1, 0.05, 0.02)
        Shares of the edges to keep, each greater than 0 and at most 1. The full map is always scored too.
    n_folds : int, default=5
        Number of folds, at least 2. Folds are stratified by class.

    Returns
    -------
    PruningCurve
        Scores of each fold and size.

    See Also
    --------
    prune : Remove the edges with the least flow on the data and refit the map.
    cogmap.plotting.plot_pruning : Plot the held-out score of maps with fewer and fewer edges.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, pruning_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0)
    >>> curve = pruning_curve(fcm, X, y, keep=(0.5, 0.25), n_folds=2)
    >>> curve.scores.shape  # two folds; all edges, half and a quarter of them
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
        X_train, y_train = _rows(X, others), _rows(y, others)
        full = _clone(estimator).fit(X_train, y_train)
        estimators = [full, *(_pruned(full, X_train, y_train, share) for share in sizes)]
        scores.append([fitted.score(_rows(X, fold), _rows(y, fold)) for fitted in estimators])
        n_edges.append([np.count_nonzero(fitted.map_.weights) for fitted in estimators])
    metric = "accuracy" if classifies else "R²"
    return PruningCurve(np.array([1.0, *sizes]), np.mean(n_edges, axis=0), np.array(scores), metric)


def _pruned(estimator: Any, X: Any, y: Any, keep: float) -> Any:
    """Refit the estimator with the edges of largest flow, keeping the bounds set on them."""
    if (structure := getattr(estimator, "structure_", "full")) != "full":  # older files do not have it
        n_arrows = max(round(keep * estimator.map_.n_arrows), estimator.model_.n_outputs)
        return _clone(estimator, structure=structure, max_arrows=n_arrows).fit(X, y)
    low, high = _limits(estimator)
    holding = estimator.map_.step_matrix != estimator.map_.weights
    edges = _strongest(influence(estimator, X), estimator.depth_, keep, holding) | (low > 0.0) | (high < 0.0)
    low, high = np.where(edges, low, -np.inf), np.where(edges, high, np.inf)
    kept = _with_edges(estimator, edges)
    edges, low, high = edges[kept][:, kept], low[kept][:, kept], high[kept][:, kept]
    bounded = np.isfinite([low, high]).any()
    changes = {
        "edges": edges,
        "weight_bounds": (low, high) if bounded else None,
        "n_hidden": estimator.n_hidden_ - int((~kept).sum()),
        "depth": estimator.depth_,
    }
    params = estimator.get_params(deep=False)
    changes["depths"] = [estimator.depth_]  # parameter of FCMClassifierCV instead of `depth`
    if params["terms"] == "auto":
        changes["terms"] = estimator.model_.encoding.most_words
    return _clone(estimator, **{name: value for name, value in changes.items() if name in params}).fit(X, y)


def _with_edges(estimator: Any, edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the concepts to keep: all but hidden ones without an edge, unless `prior` or `init` is a map."""
    kept: NDArray[np.bool_] = np.any(edges | edges.T, axis=0)
    model = estimator.model_
    kept[: model.n_inputs] = kept[model.n_inputs + model.n_hidden :] = True
    has_map = any(isinstance(param, FuzzyCognitiveMap) for param in (estimator.prior, estimator.init))
    return np.ones_like(kept) if has_map else kept


def _limits(estimator: Any) -> Bounds:
    """Return the lower and upper weight bounds that the parameters of an estimator set for each edge."""
    model = estimator.model_
    names = list(model.map.concepts)
    concepts = Concepts(names, model.n_inputs, model.n_hidden, model.n_outputs)
    limits = weight_limits(estimator.edges, estimator.weight_bounds, concepts, type(estimator).__name__)
    return free((len(names), len(names))) if limits is None else limits


def _strongest(influences: Influence, depth: int, keep: float, holding: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the edges with the largest flow, without those on no path from a feature to an output.

    `holding` has True on the diagonal for held concepts, whose state is there in every step.
    """
    flow = influences.flow.sum(axis=2)
    order = np.argsort(-np.where(influences.weights != 0.0, flow, -1.0), axis=None, kind="stable")
    n_edges = np.count_nonzero(influences.weights)
    n_kept = max(round(keep * n_edges), 1)

    def leading(n_taken: int) -> NDArray[np.bool_]:
        taken = np.zeros(flow.shape, dtype=bool)
        taken.flat[order[:n_taken]] = True
        return _on_paths(taken | holding, influences.kinds, depth) & ~holding

    # The number of edges on paths grows with the number of selected edges: select as many as possible while at most
    # `n_kept` edges lie on paths, but enough for at least one path.
    n_taken = bisect_right(range(n_edges + 1), n_kept, key=lambda n: int(leading(n).sum())) - 1
    edges = leading(n_taken)
    return edges if edges.any() else leading(n_taken + 1)


def _on_paths(edges: NDArray[np.bool_], kinds: tuple[str, ...], depth: int) -> NDArray[np.bool_]:
    """Return the edges that, in one of the steps, lie on a path of `depth` steps from a feature to an output."""
    forward = [np.array([kind == "feature" for kind in kinds])]
    backward = [np.array([kind == "output" for kind in kinds])]
    for _ in range(depth - 1):
        forward.append((edges & forward[-1]).any(axis=1))
        backward.append((edges & backward[-1][:, None]).any(axis=0))
    used = [before & after[:, None] for before, after in zip(forward, backward[::-1], strict=True)]
    return np.asarray(edges & np.any(used, axis=0))


def _clone(estimator: Any, **changes: Any) -> Any:
    """Return an unfitted copy of an estimator with some parameters replaced."""
    return type(estimator)(**deepcopy(estimator.get_params(deep=False)) | changes)


def _folds(y: Any, n_folds: int, classifies: bool) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return (training rows, held-out rows) of each fold, stratified by class for classifiers."""
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
    """Select rows of an array, a data frame or a list."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "shape") else np.asarray(table)[rows]


def _check_estimator(owner: str, estimator: Any) -> None:
    """Raise an error if the argument is not an estimator of cogmap."""
    if isinstance(estimator, type) or not (hasattr(estimator, "_fitted_model") and hasattr(estimator, "get_params")):
        cure = "A model alone cannot be refitted: pass the estimator." if hasattr(estimator, "encoding") else ""
        raise param_error(owner, "estimator", "an estimator of cogmap", estimator, cure)


def _share(owner: str, name: str, value: Any) -> float:
    return check_number(owner, name, value, low=0, high=1, low_included=False)
