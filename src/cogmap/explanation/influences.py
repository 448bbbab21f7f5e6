"""Global explanations on data: effects of concepts on outputs, flow through edges, and feature importances."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer, param_error
from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._answer import LINES_SHOWN, Answer, Block, Drawn, frame, number, text_table
from cogmap.explanation._path import integrated_gradients
from cogmap.explanation._reading import Reading, product
from cogmap.explanation._subject import Subject, opened_on_scale
from cogmap.explanation.intervals import ArrowIntervals
from cogmap.maps._text import count
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding
from cogmap.models.features import Array
from cogmap.models.model import MapModel, dense

_TOLERANCE = 1e-4  # accurate enough for a mean over pairs of rows
_MIN_PAIRS = 500  # so that a mean over few rows does not depend on their pairing
_FIT_ROWS = 200  # rows from which a fit computes `feature_importances_`
_FIT_VALUES = 2**21  # upper limit of rows times columns; rows are subsampled beyond it


@dataclass(frozen=True, eq=False, repr=False)
class Influence(Drawn):
    """Effects of concepts on outputs, and the flow through each edge.

    Attributes
    ----------
    effect : ndarray of shape (n_concepts, n_outputs)
        Mean derivative of each output with respect to the initial state of each concept, through all steps.
    magnitude : ndarray of shape (n_concepts, n_outputs)
        Mean absolute value of that derivative. If it is much larger than the effect, the sign changes from row to
        row.
    flow : ndarray of shape (n_concepts, n_concepts, n_outputs)
        ``[i, j, k]``: how much of the change of output k between two rows passes through the edge from concept j to
        concept i, on average and summed over all steps. Never negative.
    weights : ndarray of shape (n_concepts, n_concepts)
        Weights of the edges, as in the map: ``[i, j]`` is the influence of concept j on concept i.
    concepts : tuple of str
        Names of the concepts.
    kinds : tuple of {"feature", "hidden", "output"}
        Kind of each concept.
    output_names : tuple of str
        Names of the outputs.
    scale : {"probability", "decision", "value"}
        Scale of the outputs.
    intervals : ArrowIntervals or None
        Intervals of the weights, if they were given.

    See Also
    --------
    cogmap.influence : Compute the influence of each concept on each output on data, and the edges that carry it.
    cogmap.plotting.plot_influence :
        Plot the influence of each feature on the outputs of a map through all steps, the largest on top.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, influence
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = influence(FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y), X)
    >>> list(result.to_frame())
    ['concept', 'kind', 'output', 'effect', 'magnitude']
    >>> list(result.edges_to_frame())
    ['source', 'target', 'weight', 'flow']
    """

    _picture = "plot_influence"

    effect: Array
    magnitude: Array
    flow: Array
    weights: Array
    concepts: tuple[str, ...]
    kinds: tuple[str, ...]
    output_names: tuple[str, ...]
    scale: str
    intervals: ArrowIntervals | None = None

    def to_frame(self) -> Any:
        """Return the influence of concepts on outputs as a pandas data frame, strongest first.

        Returns
        -------
        pandas.DataFrame
            One row per concept and output.
        """
        order = np.argsort(-self.magnitude.max(axis=1), kind="stable")
        n_outputs = len(self.output_names)
        return frame(
            "Influence",
            {
                "concept": np.repeat(np.array(self.concepts, dtype=object)[order], n_outputs),
                "kind": np.repeat(np.array(self.kinds, dtype=object)[order], n_outputs),
                "output": np.tile(np.array(self.output_names, dtype=object), len(order)),
                "effect": self.effect[order].ravel(),
                "magnitude": self.magnitude[order].ravel(),
            },
        )

    def edges_to_frame(self) -> Any:
        """Return the edges as a pandas data frame, with the flow summed over outputs, strongest first.

        With intervals, ``low`` and ``high`` are the ends of the interval of the weight.

        Returns
        -------
        pandas.DataFrame
            One row per edge.
        """
        return frame("Influence", self._strongest_edges())

    def _strongest_edges(self) -> dict[str, Any]:
        """Return source, target, weight, flow and interval of the edges, in decreasing order of flow."""
        total = self.flow.sum(axis=2)
        order = np.argsort(-total, axis=None, kind="stable")
        targets, sources = np.unravel_index(order[self.weights.ravel()[order] != 0.0], total.shape)
        places = targets, sources
        known = self.intervals
        return {
            "source": [self.concepts[j] for j in sources],
            "target": [self.concepts[i] for i in targets],
            "weight": self.weights[places],
            "flow": total[places],
            **({} if known is None else {"low": known.low[places], "high": known.high[places]}),
        }

    def _blocks(self) -> list[Block]:
        n_concepts, n_outputs = self.effect.shape
        head = f"Influence of {n_concepts} concepts on {count(n_outputs, 'output')}, scale {self.scale!r}"
        order = np.argsort(-self.magnitude.max(axis=1), kind="stable")[:LINES_SHOWN]
        concepts = [[self.concepts[j], *(number(effect, "+") for effect in self.effect[j])] for j in order]
        strongest = self._strongest_edges()
        edges = [
            [source, target, f"{weight:+.2f}", number(flow), *(f"{end:+.2f}" for end in ends)]
            for source, target, weight, flow, *ends in list(zip(*strongest.values(), strict=True))[:LINES_SHOWN]
        ]
        edge_names = ["edge from", "to", *list(strongest)[2:]]
        return [head, (["effect of", *self.output_names], concepts), (edge_names, edges)]


@dataclass(frozen=True, eq=False)
class Importances(Answer):
    """Importance of each feature on data, with the field names of scikit-learn's ``permutation_importance``.

    Attributes
    ----------
    importances_mean, importances_std : ndarray of shape (n_features,)
        Mean and standard deviation of `importances` over the repeats.
    importances : ndarray of shape (n_features, n_repeats)
        Mean absolute contribution of each feature to the difference between two rows; each repeat draws new pairs.
    feature_names : tuple of str
        Names of the columns of X.

    See Also
    --------
    cogmap.feature_importances :
        Compute the mean absolute contribution of each feature to the difference between two rows.
    cogmap.explain : Compute the contribution of each feature to the outputs of each row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, feature_importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = feature_importances(FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y), X)
    >>> result["importances"].shape
    (4, 5)
    >>> list(result.to_frame())
    ['feature', 'importance', 'std']
    """

    importances_mean: Array
    importances_std: Array
    importances: Array
    feature_names: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        """Return an attribute by name, like a scikit-learn Bunch."""
        if name not in {field.name for field in fields(self)}:
            raise KeyError(name)
        return getattr(self, name)

    def to_frame(self) -> Any:
        """Return the importances as a pandas data frame, largest first.

        Returns
        -------
        pandas.DataFrame
            One row per feature.
        """
        order = np.argsort(-self.importances_mean, kind="stable")
        columns = {"importance": self.importances_mean[order], "std": self.importances_std[order]}
        return frame("Importances", {"feature": [self.feature_names[j] for j in order], **columns})

    def __repr__(self) -> str:
        order = np.argsort(-self.importances_mean, kind="stable")[:LINES_SHOWN]
        rows = [
            [self.feature_names[j], number(self.importances_mean[j]), number(self.importances_std[j])] for j in order
        ]
        head = f"Importances of {len(self.feature_names)} features"
        return "\n".join([head, *text_table(["feature", "mean", "std"], rows)])


def influence(
    model: Any, X: ArrayLike, scale: str = "probability", intervals: ArrowIntervals | None = None
) -> Influence:
    """Compute the influence of each concept on each output on data, and the edges that carry it.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Fitted estimator or `MapModel`.
    X : array-like of shape (n_rows, n_features)
        Data over which effects and flows are averaged.
    scale : {"probability", "decision"}, default="probability"
        Explain probabilities or decision values (log-odds or scores). Has no effect on regressors.
    intervals : ArrowIntervals, default=None
        Result of `arrow_intervals`, to be shown with the edges.

    Returns
    -------
    Influence
        Effects of concepts, and flows through edges.

    See Also
    --------
    arrow_intervals : Compute an interval for each arrow of a learned map, and for the mean effect of each feature.
    feature_importances : Compute the mean absolute contribution of each feature to the difference between two rows.
    to_rules : Return a map as sentences, one per arrow, ordered by strength.
    cogmap.plotting.plot_influence :
        Plot the influence of each feature on the outputs of a map through all steps, the largest on top.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, influence
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = influence(FCMClassifier(n_hidden=0, random_state=0).fit(X, y), X)
    >>> result.effect.shape  # concepts: four features and three classes; outputs: three classes
    (7, 3)
    >>> result.flow.shape
    (7, 7, 3)
    """
    subject, table, reading = opened_on_scale("influence", model, X, scale)
    if intervals is not None and getattr(intervals, "concepts", None) != subject.model.map.concepts:
        raise param_error("influence", "intervals", "the ArrowIntervals of this map", intervals)
    rows = subject.model.first_states(table)
    effect, magnitude = _effects(reading, rows)
    return Influence(
        effect=effect,
        magnitude=magnitude,
        flow=_flow(reading, *_pairs(subject, rows, -(-_MIN_PAIRS // len(rows)))),
        weights=subject.model.map.weights,
        concepts=subject.model.map.concepts,
        kinds=subject.model.kinds,
        output_names=subject.output_names(scale),
        scale=subject.scale_name(scale),
        intervals=intervals,
    )


def feature_importances(model: Any, X: ArrayLike, scale: str = "probability", n_repeats: int = 5) -> Importances:
    """Compute the mean absolute contribution of each feature to the difference between two rows.

    Rows are paired at random, each with another. ``feature_importances_`` of a fitted estimator holds the same for its
    training data, normalized to sum to 1.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Fitted estimator or `MapModel`.
    X : array-like of shape (n_rows, n_features)
        Data from which pairs are drawn.
    scale : {"probability", "decision"}, default="probability"
        Measure contributions to probabilities or to decision values (log-odds or scores). Contributions are averaged
        over the outputs; those of a regressor are in standard deviations of the targets.
    n_repeats : int, default=5
        Number of random pairings.

    Returns
    -------
    Importances
        Importance of each feature in each repeat.

    See Also
    --------
    explain : Compute the contribution of each feature to the outputs of each row.
    influence : Compute the influence of each concept on each output on data, and the edges that carry it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, feature_importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = feature_importances(FCMClassifier(random_state=0).fit(X, y), X)
    >>> result.importances.shape
    (4, 5)
    """
    n_repeats = check_integer("feature_importances", "n_repeats", n_repeats, low=1)
    subject, table, reading = opened_on_scale("feature_importances", model, X, scale)
    rows = subject.model.first_states(table)
    start, end = _pairs(subject, rows, n_repeats)
    each = _importances(reading, subject.by_column, start, end).reshape(n_repeats, len(rows), -1)
    importances = each.mean(axis=1).T
    return Importances(importances.mean(axis=1), importances.std(axis=1), importances, subject.feature_names)


def learned_importances(model: MapModel, rows: Array) -> Array:
    """Return the importance of each feature, normalized to sum to 1, on a sample of the training rows."""
    first, subject = model.first_states(rows).astype(np.float64), Subject(model, ())
    reduced, by_column = model, subject.by_column
    if isinstance(model.map, StructuredMap):  # drop the inputs without influence
        inputs = np.flatnonzero(model.map.influential)
        others = np.arange(model.n_inputs, model.map.n_concepts)
        reduced = MapModel(model.map.narrowed(inputs), model.depth, Encoding(len(inputs), model.n_hidden), model.link)
        max_rows = max(_FIT_VALUES // (reduced.map.n_concepts * model.n_outputs), 20)
        first = first[:: -(-len(first) // max_rows), np.concatenate([inputs, others])]

        def by_column(of_concepts: Array) -> Array:
            of_inputs = np.zeros((*of_concepts.shape[:-1], model.n_inputs))
            of_inputs[..., inputs] = of_concepts[..., : len(inputs)]
            return model.encoding.by_column(of_inputs)

    start, end = _pairs(Subject(reduced, ()), first, 1)
    importances = _importances(Reading(reduced, "probability"), by_column, start, end).mean(axis=0)
    total = importances.sum()
    return np.asarray(importances / (total if total > 0.0 else 1.0))


def sample_of(X: Array, weight: NDArray[np.float64] | None) -> Array:
    """Return rows at even distances in cumulative weight, so that a repeated row counts like a weighted one."""
    if weight is None:
        weight = np.ones(X.shape[0])
    cumulative = np.cumsum(weight / weight.sum())
    n_rows = min(X.shape[0], _FIT_ROWS, max(_FIT_VALUES // X.shape[1], 20))
    rows = np.searchsorted(cumulative, (np.arange(n_rows) + 0.5) / n_rows)
    return dense(X[np.minimum(rows, X.shape[0] - 1)])


def _effects(reading: Reading, rows: Array) -> tuple[Array, Array]:
    """Return the mean derivative with respect to each initial state, and its mean absolute value."""
    effect, magnitude = np.zeros((2, rows.shape[1], reading.n_columns))
    with one_blas_thread():
        for block in reading.blocks(rows):
            derivative = product(reading.net_gradients(reading.net(rows[block]))[0], reading.step_weights[0])
            effect += derivative.sum(axis=0).T
            magnitude += np.abs(derivative).sum(axis=0).T
    return effect / len(rows), magnitude / len(rows)


def _flow(reading: Reading, start: Array, end: Array) -> Array:
    """Return how much of the change along each line passes through each edge, at a random point of the line."""
    n_concepts = start.shape[1]
    flow = np.zeros((reading.n_columns, n_concepts, n_concepts))
    position = np.random.default_rng(0).random((len(start), 1))
    matrices = reading.matrices
    with one_blas_thread():
        for block in reading.blocks(start):
            change = end[block] - start[block]
            net = reading.net(start[block] + position[block] * change)
            states, gradients = reading.states(net), reading.net_gradients(net)
            for t, (weights, gradient) in enumerate(zip(matrices, gradients, strict=True)):
                # The flow is gradient times weight times change; summing the product of absolute values over rows is
                # a matrix product.
                flow[:, -len(weights) :] += np.abs(gradient).transpose(1, 2, 0) @ np.abs(change) * np.abs(weights)
                if t < len(states):
                    change = reading.model.map.sensitivity(states[t]) * (change @ weights.T)
    held = reading.model.map._held
    flow[:, held, held] = 0.0  # what a held concept keeps passes through no edge
    return (flow / len(start)).transpose(1, 2, 0)


def _importances(reading: Reading, by_column: Callable[[Array], Array], start: Array, end: Array) -> Array:
    """Return the absolute contribution of each feature to the difference between the ends of each line."""
    contributions = by_column(integrated_gradients(reading, start, end, _TOLERANCE))
    unit = np.broadcast_to(reading.unit, reading.n_columns)[:, None]
    return np.asarray((np.abs(contributions) / unit).mean(axis=1))


def _pairs(subject: Subject, rows: Array, n_repeats: int) -> tuple[Array, Array]:
    """Pair each row with another, `n_repeats` times, the same way in every call; a single row with a typical one."""
    if len(rows) == 1:
        typical = subject.model.first_states(subject.typical_row()[None])
        return np.repeat(typical, n_repeats, axis=0), np.repeat(rows, n_repeats, axis=0)
    random = np.random.default_rng(0)
    others = []
    for _ in range(n_repeats):
        cycle = random.permutation(len(rows))
        other = np.empty(len(rows), dtype=np.intp)
        other[cycle] = np.roll(cycle, 1)  # one cycle through all rows, so that none is paired with itself
        others.append(other)
    return rows[np.concatenate(others)], np.tile(rows, (n_repeats, 1))
