"""The story of one row: states step by step, the edges that moved it, and what each feature contributes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cogmap._utils.params import Literal, param_error
from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._answer import LINES_SHOWN, Drawn, frame, number, text_table
from cogmap.explanation._path import integrals, places
from cogmap.explanation._reading import Reading
from cogmap.explanation._subject import baseline_rows, one_row, opened_on_scale, output_index
from cogmap.models.features import Array


@dataclass(frozen=True, eq=False)
class Story(Drawn):
    """How a map gets from one row to one of its outputs, compared with a baseline.

    Attributes
    ----------
    states : ndarray of shape (depth + 1, n_concepts)
        States of the concepts at every step.
    baseline_states : ndarray of shape (depth + 1, n_concepts)
        The same for the baseline.
    flow : ndarray of shape (depth, n_concepts, n_concepts)
        ``[t, i, j]``: what the edge from concept j to concept i carries in step t + 1 of the difference between the row
        and the baseline. Each step carries all of it: ``flow[t].sum()`` is ``output - base_value``.
    contributions : ndarray of shape (n_features,)
        What each feature contributes. They too add up to ``output - base_value``.
    values : ndarray of shape (n_features,)
        The row.
    output, base_value : float
        What the map says about the row and about the baseline.
    output_name : str
        Which output the story is about.
    weights : ndarray of shape (n_concepts, n_concepts)
        Weights of the edges, as in the map.
    feature_names, concepts : tuple of str
        Names of the columns of X, and of the concepts.
    kinds : tuple of {"feature", "hidden", "output"}
        What each concept is.
    scale : {"probability", "decision", "value"}
        What the output is.
    """

    _picture = "plot_story"

    states: Array
    baseline_states: Array
    flow: Array
    contributions: Array
    values: Array
    output: float
    base_value: float
    output_name: str
    weights: Array
    feature_names: tuple[str, ...]
    concepts: tuple[str, ...]
    kinds: tuple[str, ...]
    scale: str

    def to_frame(self) -> Any:
        """Return each concept, its states and what its first state contributes, as a data frame of pandas."""
        columns: dict[str, Any] = {"concept": list(self.concepts), "kind": list(self.kinds)}
        columns |= {f"step {t}": states for t, states in enumerate(self.states)}
        columns["contribution"] = self.flow[0].sum(axis=0)
        return frame("Story", columns)

    def edges_to_frame(self) -> Any:
        """Return the edges that carried anything, step by step, the strongest first, as a data frame of pandas."""
        names = ["step", "source", "target", "weight", "carried"]
        return frame("Story", dict(zip(names, zip(*self._edges(), strict=True), strict=True)))

    def _edges(self) -> list[tuple[int, str, str, float, float]]:
        """Return step, source, target, weight and what was carried, step by step."""
        result = []
        for t, flow in enumerate(self.flow):
            order = np.argsort(-np.abs(flow), axis=None, kind="stable")
            for i, j in zip(*np.unravel_index(order[flow.ravel()[order] != 0.0], flow.shape), strict=True):
                result.append((t + 1, self.concepts[j], self.concepts[i], float(self.weights[i, j]), float(flow[i, j])))
        return result

    def __repr__(self) -> str:
        head = f"Story of {self.output_name}: {self.output:.4g}, baseline {self.base_value:.4g}, scale {self.scale!r}"
        order = np.argsort(-np.abs(self.contributions), kind="stable")[:LINES_SHOWN]
        features = [[self.feature_names[j], f"{self.values[j]:.4g}", number(self.contributions[j], "+")] for j in order]
        lines = text_table(["feature", "value", "contribution"], features)
        edges = self._edges()
        for t in range(len(self.flow)):
            strongest = [edge for edge in edges if edge[0] == t + 1][: LINES_SHOWN // 2]
            rows = [
                [source, target, f"{weight:+.2f}", number(carried, "+")]
                for _, source, target, weight, carried in strongest
            ]
            lines += text_table([f"step {t + 1}: edge from", "to", "weight", "carries"], rows)
        return "\n".join([head, *lines])


def story(
    model: Any, row: ArrayLike, output: Any = None, baseline: ArrayLike | None = None, scale: str = "probability"
) -> Story:
    """Tell how a map gets from one row to what it says.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Who is asked, fitted.
    row : array-like of shape (n_features,), or a table of one row
        The row. A missing value (NaN) is a state that is undecided.
    output : object, default=None
        Which output the story is about: a class, or the name of an output. None: the class that is most probable, or
        the first target.
    baseline : array-like of shape (n_features,), default=None
        With what the row is compared. None: the mean of the training data, as in `explain`.
    scale : {"probability", "decision"}, default="probability"
        Whether the output is a probability, or what decides: log-odds or a score. A value is the same on both.

    Returns
    -------
    Story

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, story
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> told = story(FCMClassifier(random_state=0).fit(X, y), X.iloc[0])
    >>> told.output_name
    'class=0'
    >>> bool(abs(told.flow.sum(axis=(1, 2)) - (told.output - told.base_value)).max() < 1e-9)
    True
    """
    subject, table, reading = opened_on_scale("story", model, one_row("story", row), scale)
    start_row = baseline_rows("story", model, subject, baseline)
    if len(start_row) > 1:
        raise param_error("story", "baseline", "one row", Literal(f"{len(start_row)} rows"), "`explain` takes several.")
    names = subject.output_names(scale)
    start, end = subject.model.first_states(start_row), subject.model.first_states(table)
    before, after = reading.value(reading.net(start))[0], reading.value(reading.net(end))[0]
    if output is not None:
        k = output_index("story", output, names)
    else:
        k = int(np.argmax(after)) if hasattr(subject.model.link, "classes") else 0
    flow = _flow(reading, start, end, k)
    return Story(
        states=subject.model.trajectory(table)[:, 0],
        baseline_states=subject.model.trajectory(start_row)[:, 0],
        flow=flow,
        contributions=subject.by_column(flow[0].sum(axis=0)),
        values=table[0],
        output=float(after[k]),
        base_value=float(before[k]),
        output_name=names[k],
        weights=subject.model.map.weights,
        feature_names=subject.feature_names,
        concepts=subject.model.map.concepts,
        kinds=subject.model.kinds,
        scale=subject.scale_name(scale),
    )


def _flow(reading: Reading, start: Array, end: Array, k: int) -> Array:
    """Return what each edge carries in each step of the difference between two rows, of shape (depth, to, from).

    On its way along the line from one to the other the change of the states before a step, times the weight, times the
    pull of what it enters, is what the edge carries; all edges of a step together carry the change of the output.
    """
    n_concepts = start.shape[1]
    matrices = reading.matrices
    flow = np.zeros((len(reading.entries), n_concepts, n_concepts))
    origin = reading.net(start)
    with one_blas_thread():
        for parts, _ in integrals(reading, start, end):
            for place, share in zip(*places(), strict=True):
                where = (parts.low + place * parts.width)[:, None]
                net = origin + where * (reading.net(end) - origin)
                change, states, pulls = end - start, reading.states(net), reading.pulls(net)
                for t, (entry, pull) in enumerate(zip(matrices, pulls, strict=True)):
                    weighted = (share * parts.width)[:, None] * pull[:, k]
                    flow[t, -len(entry) :] += (weighted.T @ np.broadcast_to(change, (len(pull), n_concepts))) * entry
                    if t < len(states):
                        change = reading.model.map.sensitivity(states[t]) * (change @ entry.T)
    return flow
