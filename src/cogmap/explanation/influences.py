"""What influences what in the whole map, on data: concepts on outputs, the edges that carry it, and features."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_integer
from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._answer import LINES_SHOWN, Answer, Drawn, frame, number, text_table
from cogmap.explanation._path import shares
from cogmap.explanation._reading import Reading, product
from cogmap.explanation._subject import Subject, opened_on_scale
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding
from cogmap.models.features import Array
from cogmap.models.model import MapModel, dense

_ROUGHLY = 1e-4  # exact enough for a mean over pairs of rows
_FEWEST_LINES = 500  # so that a mean over few rows does not depend on how they are paired
_ROWS_OF_FIT = 200  # by which a fit tells which features matter
_VALUES_OF_FIT = 2**21  # in fewer rows if they have many columns


@dataclass(frozen=True, eq=False)
class Influence(Drawn):
    """How much each concept influences each output, and how much of that each edge carries.

    Attributes
    ----------
    effect : ndarray of shape (n_concepts, n_outputs)
        Mean derivative of each output with respect to the first state of each concept, through all steps.
    magnitude : ndarray of shape (n_concepts, n_outputs)
        Mean of the absolute value of that derivative. Where it is much larger than the effect, the sign changes from
        row to row.
    flow : ndarray of shape (n_concepts, n_concepts, n_outputs)
        ``[i, j, k]``: how much of what changes output k between one row and another passes through the edge from
        concept j to concept i, on average and over all steps. Never negative.
    weights : ndarray of shape (n_concepts, n_concepts)
        Weights of the edges, as in the map: ``[i, j]`` is the influence of concept j on concept i.
    concepts : tuple of str
        Names of the concepts.
    kinds : tuple of {"feature", "hidden", "output"}
        What each concept is.
    output_names : tuple of str
        Names of the outputs.
    scale : {"probability", "decision", "value"}
        What outputs are.
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

    def to_frame(self) -> Any:
        """Return the influence of concepts on outputs as a data frame of pandas, the strongest first."""
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
        """Return the edges as a data frame of pandas, with the flow to all outputs together, the strongest first."""
        source, target, weight, flow = self._strongest_edges()
        return frame("Influence", {"source": source, "target": target, "weight": weight, "flow": flow})

    def _strongest_edges(self) -> tuple[list[str], list[str], Array, Array]:
        """Return source, target, weight and flow of the edges, those that carry most first."""
        total = self.flow.sum(axis=2)
        order = np.argsort(-total, axis=None, kind="stable")
        targets, sources = np.unravel_index(order[self.weights.ravel()[order] != 0.0], total.shape)
        names = self.concepts
        return (
            [names[j] for j in sources],
            [names[i] for i in targets],
            self.weights[targets, sources],
            total[targets, sources],
        )

    def __repr__(self) -> str:
        n_concepts, n_outputs = self.effect.shape
        head = f"Influence of {n_concepts} concepts on {n_outputs} outputs, scale {self.scale!r}"
        order = np.argsort(-self.magnitude.max(axis=1), kind="stable")[:LINES_SHOWN]
        concepts = [[self.concepts[j], *(number(effect, "+") for effect in self.effect[j])] for j in order]
        edges = [
            [source, target, f"{weight:+.2f}", number(flow)]
            for source, target, weight, flow in list(zip(*self._strongest_edges(), strict=True))[:LINES_SHOWN]
        ]
        lines = [
            *text_table(["effect of", *self.output_names], concepts),
            *text_table(["edge from", "to", "weight", "flow"], edges),
        ]
        return "\n".join([head, *lines])


@dataclass(frozen=True, eq=False)
class Importances(Answer):
    """How much each feature matters on data, with the names of scikit-learn's ``permutation_importance``.

    Attributes
    ----------
    importances_mean, importances_std : ndarray of shape (n_features,)
        Mean and standard deviation of `importances` over the repeats.
    importances : ndarray of shape (n_features, n_repeats)
        Mean absolute contribution of each feature to the difference between two rows; each repeat pairs the rows anew.
    feature_names : tuple of str
        Names of the columns of X.
    """

    importances_mean: Array
    importances_std: Array
    importances: Array
    feature_names: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        """Return an attribute by its name, as a Bunch of scikit-learn does."""
        if name not in {field.name for field in fields(self)}:
            raise KeyError(name)
        return getattr(self, name)

    def to_frame(self) -> Any:
        """Return the importances as a data frame of pandas, the largest first."""
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


def influence(model: Any, X: ArrayLike, scale: str = "probability") -> Influence:
    """Say how the whole map works on data: what influences the outputs, and which edges carry it.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Who is asked, fitted.
    X : array-like of shape (n_rows, n_features)
        Data on which the map works.
    scale : {"probability", "decision"}, default="probability"
        Whether outputs are probabilities, or what decides: log-odds or scores. Values are the same on both.

    Returns
    -------
    Influence

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, influence
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = influence(FCMClassifier(n_hidden=0, random_state=0).fit(X, y), X)
    >>> found.effect.shape  # four features and three classes are concepts; three classes are outputs
    (7, 3)
    >>> found.flow.shape
    (7, 7, 3)
    """
    subject, table, reading = opened_on_scale("influence", model, X, scale)
    rows = subject.model.first_states(table)
    effect, magnitude = _effects(reading, rows)
    return Influence(
        effect=effect,
        magnitude=magnitude,
        flow=_flow(reading, *_pairs(subject, rows, -(-_FEWEST_LINES // len(rows)))),
        weights=subject.model.map.weights,
        concepts=subject.model.map.concepts,
        kinds=subject.model.kinds,
        output_names=subject.output_names(scale),
        scale=subject.scale_name(scale),
    )


def feature_importances(model: Any, X: ArrayLike, scale: str = "probability", n_repeats: int = 5) -> Importances:
    """Say how much each feature matters on data: the mean absolute contribution to the difference between two rows.

    Rows are paired at random, each with another. A fitted estimator has the same of its training data, as shares of 1,
    as ``feature_importances_``.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Who is asked, fitted.
    X : array-like of shape (n_rows, n_features)
        Data.
    scale : {"probability", "decision"}, default="probability"
        Whether contributions are to probabilities, or to what decides: log-odds or scores. The mean over the outputs
        counts, values in their deviation.
    n_repeats : int, default=5
        How often rows are paired anew.

    Returns
    -------
    Importances

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, feature_importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = feature_importances(FCMClassifier(random_state=0).fit(X, y), X)
    >>> found.importances.shape
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
    """Return the importance of each feature as shares of 1, from rows that a model has learned from."""
    first, subject = model.first_states(rows).astype(np.float64), Subject(model, ())
    asked, by_column = model, subject.by_column
    if isinstance(model.map, StructuredMap):  # of many inputs only those that influence something are asked
        inputs = np.flatnonzero(model.map.influential)
        others = np.arange(model.n_inputs, model.map.n_concepts)
        asked = MapModel(model.map.narrowed(inputs), model.depth, Encoding(len(inputs), model.n_hidden), model.link)
        enough = max(_VALUES_OF_FIT // (asked.map.n_concepts * model.n_outputs), 20)
        first = first[:: -(-len(first) // enough), np.concatenate([inputs, others])]

        def by_column(of_concepts: Array) -> Array:
            of_inputs = np.zeros((*of_concepts.shape[:-1], model.n_inputs))
            of_inputs[..., inputs] = of_concepts[..., : len(inputs)]
            return model.encoding.by_column(of_inputs)

    start, end = _pairs(Subject(asked, ()), first, 1)
    importances = _importances(Reading(asked, "probability"), by_column, start, end).mean(axis=0)
    total = importances.sum()
    return np.asarray(importances / (total if total > 0.0 else 1.0))


def sample_of(X: Array, weight: NDArray[np.float64] | None) -> Array:
    """Take some rows at even distances, by their weights, so that rows that are repeated count like weighted ones."""
    if weight is None:
        weight = np.ones(X.shape[0])
    until = np.cumsum(weight / weight.sum())
    n_rows = min(X.shape[0], _ROWS_OF_FIT, max(_VALUES_OF_FIT // X.shape[1], 20))
    places = np.searchsorted(until, (np.arange(n_rows) + 0.5) / n_rows)
    return dense(X[np.minimum(places, X.shape[0] - 1)])


def _effects(reading: Reading, rows: Array) -> tuple[Array, Array]:
    """Return the mean derivative with respect to each first state, and the mean of its absolute value."""
    effect, magnitude = np.zeros((2, rows.shape[1], reading.n_columns))
    with one_blas_thread():
        for block in reading.blocks(rows):
            derivative = product(reading.pulls(reading.net(rows[block]))[0], reading.entries[0])
            effect += derivative.sum(axis=0).T
            magnitude += np.abs(derivative).sum(axis=0).T
    return effect / len(rows), magnitude / len(rows)


def _flow(reading: Reading, start: Array, end: Array) -> Array:
    """Return how much of the change along lines passes through each edge, at a random place of each line."""
    n_concepts = start.shape[1]
    flow = np.zeros((reading.n_columns, n_concepts, n_concepts))
    where = np.random.default_rng(0).random((len(start), 1))
    matrices = reading.matrices
    with one_blas_thread():
        for block in reading.blocks(start):
            change = end[block] - start[block]
            net = reading.net(start[block] + where[block] * change)
            states, pulls = reading.states(net), reading.pulls(net)
            for t, (entry, pull) in enumerate(zip(matrices, pulls, strict=True)):
                # What passes is pull times weight times change; the mean of a product of absolute values is a product
                # of matrices.
                passing = np.abs(pull).transpose(1, 2, 0) @ np.abs(change) * np.abs(entry)
                flow[:, -len(entry) :] += passing
                if t < len(states):
                    change = reading.model.map.sensitivity(states[t]) * (change @ entry.T)
    return (flow / len(start)).transpose(1, 2, 0)


def _importances(reading: Reading, by_column: Callable[[Array], Array], start: Array, end: Array) -> Array:
    """Return the absolute contribution of each feature to the difference between the ends of each line."""
    contributions = by_column(shares(reading, start, end, _ROUGHLY))
    unit = np.broadcast_to(reading.unit, reading.n_columns)[:, None]
    return np.asarray((np.abs(contributions) / unit).mean(axis=1))


def _pairs(subject: Subject, rows: Array, n_repeats: int) -> tuple[Array, Array]:
    """Pair each row with another, several times; the same pairs at every call. A row alone is paired with the mean."""
    if len(rows) == 1:
        mean = subject.model.first_states(subject.mean_row()[None])
        return np.repeat(mean, n_repeats, axis=0), np.repeat(rows, n_repeats, axis=0)
    random = np.random.default_rng(0)
    others = []
    for _ in range(n_repeats):
        around = random.permutation(len(rows))
        other = np.empty(len(rows), dtype=np.intp)
        other[around] = np.roll(around, 1)  # a way round all rows, so that none is paired with itself
        others.append(other)
    return rows[np.concatenate(others)], np.tile(rows, (n_repeats, 1))
