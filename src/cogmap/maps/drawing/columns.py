"""Assignment of concepts to columns, and their order within each, so that few edges cross."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.view import View

Columns = list[list[int]]

_SWEEPS = 12
_MAX_COLUMNS = 6
_WITHIN = 0.5  # weight of edges within a column relative to edges between columns


def columns_of(view: View) -> Columns:
    """Return the concepts of each column, columns from left to right and concepts from top to bottom."""
    column = _by_level(_matrix(view)) if view["columns"] is None else np.array(view["columns"])
    columns = [np.flatnonzero(column == number).tolist() for number in np.unique(column)]
    return _ordered(columns, view)


def _matrix(view: View) -> NDArray[np.float64]:
    """Return the strengths of the drawn edges as a matrix, with targets in rows."""
    n_concepts = len(view["names"])
    strength = np.zeros((n_concepts, n_concepts))
    for edge in view["edges"]:
        strength[edge["target"], edge["source"]] = edge["strength"]
    return strength


def _by_level(strength: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return a column for each concept, about one to the right of its sources.

    The levels h minimize the sum of strength * (h[target] - h[source] - 1)²: the trophic levels of MacKay, Johnson and
    Sansom (How directed is a directed network?, 2020), which need no removal of cycles.
    """
    indegree, outdegree = strength.sum(axis=1), strength.sum(axis=0)
    laplacian = np.diag(indegree + outdegree) - strength - strength.T
    level = np.linalg.lstsq(laplacian, indegree - outdegree, rcond=None)[0]
    isolated = indegree + outdegree == 0.0
    level[~isolated] -= level[~isolated].min(initial=0.0)
    level[isolated] = 0.0
    highest = level.max()
    if highest > _MAX_COLUMNS - 1:
        level *= (_MAX_COLUMNS - 1) / highest
    column: NDArray[np.intp] = np.rint(level).astype(np.intp)
    return column


def _ordered(columns: Columns, view: View) -> Columns:
    """Order each column by the mean position of the neighbors of its concepts, and keep the order with least crossings.

    Concepts without drawn edges come last.
    """
    strength = _matrix(view)
    adjacency = strength + strength.T
    isolated = (adjacency.sum(axis=0) == 0.0).tolist()
    columns = [sorted(column, key=isolated.__getitem__) for column in columns]
    best, least = columns, _disorder(columns, view)
    for sweep in range(_SWEEPS):
        numbers = range(1, len(columns)) if sweep % 2 == 0 else range(len(columns) - 2, -1, -1)
        columns = [list(column) for column in columns]
        for number in numbers:
            columns[number] = _by_barycenter(columns, number, adjacency)
        disorder = _disorder(columns, view)
        if disorder < least:
            best, least = columns, disorder
    return best


def _by_barycenter(columns: Columns, number: int, adjacency: NDArray[np.float64]) -> list[int]:
    column = columns[number]
    height = _relative_heights(columns)
    weights = adjacency[column]
    weights[:, column] *= _WITHIN
    total = weights.sum(axis=1)
    # Isolated concepts remain last.
    mean = np.where(total > 0.0, weights @ height / np.where(total > 0.0, total, 1.0), 2.0)
    return [column[i] for i in np.argsort(mean, kind="stable")]


def _relative_heights(columns: Columns) -> NDArray[np.float64]:
    """Return the height of each concept in its column, between 0 and 1."""
    height = np.empty(sum(map(len, columns)))
    for column in columns:
        height[column] = (np.arange(len(column)) + 0.5) / len(column)
    return height


def _disorder(columns: Columns, view: View) -> float:
    """Return the strength-weighted number of edge crossings, plus the weighted length of edges within columns."""
    column_of = {i: number for number, column in enumerate(columns) for i in column}
    height = _relative_heights(columns)
    within = [edge for edge in view["edges"] if column_of[edge["source"]] == column_of[edge["target"]]]
    between = [edge for edge in view["edges"] if column_of[edge["source"]] != column_of[edge["target"]]]
    length = sum(edge["strength"] * abs(height[edge["source"]] - height[edge["target"]]) for edge in within)
    return _WITHIN * float(length) + _crossings(between, column_of, height)


def _crossings(edges: list[dict[str, Any]], column_of: dict[int, int], height: NDArray[np.float64]) -> float:
    ends = np.array([sorted((column_of[i], height[i]) for i in (e["source"], e["target"])) for e in edges])
    if not len(ends):
        return 0.0
    strength = np.array([edge["strength"] for edge in edges])
    (left, left_height), (right, right_height) = ends[:, 0].T, ends[:, 1].T
    slope = (right_height - left_height) / (right - left)
    start, end = np.maximum.outer(left, left), np.minimum.outer(right, right)

    def difference(at: NDArray[np.float64]) -> NDArray[np.float64]:
        first = left_height[:, None] + slope[:, None] * (at - left[:, None])
        result: NDArray[np.float64] = first - (left_height[None, :] + slope[None, :] * (at - left[None, :]))
        return result

    crossed = (start < end) & (difference(start) * difference(end) < -1e-12)
    return float((crossed * np.minimum.outer(strength, strength)).sum() / 2)
