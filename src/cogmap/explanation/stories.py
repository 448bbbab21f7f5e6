"""Trace one row through the map: states, flow through edges at each step, and feature contributions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.numbers import readable
from cogmap._utils.params import Literal, param_error
from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._answer import LINES_SHOWN, Block, Drawn, frame, number, value_text
from cogmap.explanation._path import adaptive_quadrature, quadrature_rule
from cogmap.explanation._reading import Reading
from cogmap.explanation._subject import baseline_rows, one_row, opened_on_scale, output_index
from cogmap.models.features import Array


@dataclass(frozen=True, eq=False, repr=False)
class Story(Drawn):
    """How a map computes one output of one row, compared with a baseline.

    Attributes
    ----------
    states : ndarray of shape (depth + 1, n_concepts)
        States of the concepts at every step.
    baseline_states : ndarray of shape (depth + 1, n_concepts)
        States for the baseline.
    flow : ndarray of shape (depth, n_concepts, n_concepts)
        ``[t, i, j]``: the part of the difference between row and baseline that the edge from concept j to concept i
        carries in step t + 1. Each step carries the whole difference: ``flow[t].sum()`` is ``output - base_value``.
        ``[t, i, i]`` of a held concept i, which has no edge to itself, is what it keeps for later steps.
    contributions : ndarray of shape (n_features,)
        Contribution of each feature. They also add up to ``output - base_value``.
    values : ndarray of shape (n_features,)
        The explained row.
    output, base_value : float
        Output of the row and of the baseline.
    output_name : str
        Name of the explained output.
    weights : ndarray of shape (n_concepts, n_concepts)
        Weights of the edges, as in the map.
    feature_names, concepts : tuple of str
        Names of the columns of X, and of the concepts.
    kinds : tuple of {"feature", "hidden", "output"}
        Kind of each concept.
    scale : {"probability", "decision", "value"}
        Scale of the output.

    See Also
    --------
    cogmap.story : Trace how a map computes the output of one row.
    cogmap.plotting.plot_story : Plot how a map computes one output of one row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, story
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0, depth=2).fit(X, y)
    >>> result = story(fcm, X.iloc[[0]])
    >>> list(result.to_frame())
    ['concept', 'kind', 'step 0', 'step 1', 'step 2', 'contribution']
    >>> list(result.edges_to_frame())
    ['step', 'source', 'target', 'weight', 'carried']
    """

    _picture = "plot_story"

    states: Array
    baseline_states: Array
    flow: Array
    contributions: Array
    values: NDArray[Any]
    output: float
    base_value: float
    output_name: str
    weights: Array
    feature_names: tuple[str, ...]
    concepts: tuple[str, ...]
    kinds: tuple[str, ...]
    scale: str

    def to_frame(self) -> Any:
        """Return the states of each concept and the contribution of its initial state as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per concept.
        """
        columns: dict[str, Any] = {"concept": list(self.concepts), "kind": list(self.kinds)}
        columns |= {f"step {t}": states for t, states in enumerate(self.states)}
        columns["contribution"] = self.flow[0].sum(axis=0)
        return frame("Story", columns)

    def edges_to_frame(self) -> Any:
        """Return the edges with nonzero flow as a pandas data frame, step by step, strongest first.

        Returns
        -------
        pandas.DataFrame
            One row per step and edge.
        """
        names = ["step", "source", "target", "weight", "carried"]
        return frame("Story", dict(zip(names, zip(*self._edges(), strict=True), strict=True)))

    def _edges(self) -> list[tuple[int, str, str, float, float]]:
        """Return step, source, target, weight and flow of the edges, step by step, strongest first."""
        result = []
        for t, flow in enumerate(self.flow):
            order = np.argsort(-np.abs(flow), axis=None, kind="stable")
            carries = (flow != 0.0) & (self.weights != 0.0)  # what a held concept keeps is in no edge
            for i, j in zip(*np.unravel_index(order[carries.ravel()[order]], flow.shape), strict=True):
                result.append((t + 1, self.concepts[j], self.concepts[i], float(self.weights[i, j]), float(flow[i, j])))
        return result

    def _blocks(self) -> list[Block]:
        values = f"{readable(self.output, 4)}, baseline {readable(self.base_value, 4)}"
        head = f"Story of {self.output_name}: {values}, scale {self.scale!r}"
        order = np.argsort(-np.abs(self.contributions), kind="stable")[:LINES_SHOWN]
        features = [
            [self.feature_names[j], value_text(self.values[j], 4), number(self.contributions[j], "+")] for j in order
        ]
        blocks: list[Block] = [head, (["feature", "value", "contribution"], features)]
        edges = self._edges()
        for t in range(len(self.flow)):
            strongest = [edge for edge in edges if edge[0] == t + 1][: LINES_SHOWN // 2]
            rows = [
                [source, target, f"{weight:+.2f}", number(carried, "+")]
                for _, source, target, weight, carried in strongest
            ]
            blocks.append(([f"step {t + 1}: edge from", "to", "weight", "carries"], rows))
        return blocks


def story(
    model: Any, row: ArrayLike, output: Any = None, baseline: ArrayLike | None = None, scale: str = "probability"
) -> Story:
    """Trace how a map computes the output of one row.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Fitted estimator or `MapModel`.
    row : array-like of shape (n_features,), or a table of one row
        Row to explain. A missing value (NaN) becomes the undecided state.
    output : object, default=None
        Output to explain: a class, or the name of an output. If None, the most probable class, or the first target.
    baseline : array-like of shape (n_features,), default=None
        Row to compare with. If None, the mean of the training data, as in `explain`.
    scale : {"probability", "decision"}, default="probability"
        Explain a probability or a decision value (log-odds or score). Has no effect on regressors.

    Returns
    -------
    Story
        States and flows of each step, and the contributions of the features.

    See Also
    --------
    explain : Compute the contribution of each feature to the outputs of each row.
    what_if : Find the smallest change of a row that changes the prediction: a counterfactual.
    cogmap.plotting.plot_story : Plot how a map computes one output of one row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, story
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = story(FCMClassifier(random_state=0).fit(X, y), X.iloc[0])
    >>> result.output_name
    'class=0'
    >>> bool(abs(result.flow.sum(axis=(1, 2)) - (result.output - result.base_value)).max() < 1e-9)
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
        values=subject.labels(table)[0],
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
    """Return the part of the difference between two rows carried by each edge at each step, of shape (depth, to, from).

    The flow through an edge is the change of its source state along the line, times the weight, times the gradient with
    respect to the net input of its target, integrated over the line. The flows of each step add up to the whole change.
    """
    n_concepts = start.shape[1]
    matrices = reading.matrices
    flow = np.zeros((len(reading.step_weights), n_concepts, n_concepts))
    origin = reading.net(start)
    with one_blas_thread():
        for intervals, _ in adaptive_quadrature(reading, start, end):
            for node, node_weight in zip(*quadrature_rule(), strict=True):
                position = (intervals.low + node * intervals.width)[:, None]
                net = origin + position * (reading.net(end) - origin)
                change, states, gradients = end - start, reading.states(net), reading.net_gradients(net)
                for t, (weights, gradient) in enumerate(zip(matrices, gradients, strict=True)):
                    weighted = (node_weight * intervals.width)[:, None] * gradient[:, k]
                    changes = np.broadcast_to(change, (len(gradient), n_concepts))
                    flow[t, -len(weights) :] += (weighted.T @ changes) * weights
                    if t < len(states):
                        change = reading.model.map.sensitivity(states[t]) * (change @ weights.T)
    return flow
