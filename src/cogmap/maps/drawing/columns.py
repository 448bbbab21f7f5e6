"""Which column a concept stands in, and its place there, so that few influences cross."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.view import View

Columns = list[list[int]]

_SWEEPS = 12
_MOST_COLUMNS = 6
_ALONG = 0.5  # how much influences along a column count beside those between columns


def columns_of(view: View) -> Columns:
    """Return the concepts of each column from left to right, each from top to bottom."""
    column = _by_level(_matrix(view)) if view["columns"] is None else np.array(view["columns"])
    columns = [np.flatnonzero(column == number).tolist() for number in np.unique(column)]
    return _ordered(columns, view)


def _matrix(view: View) -> NDArray[np.float64]:
    """Return the strengths that are drawn, rows being targets."""
    n_concepts = len(view["names"])
    strength = np.zeros((n_concepts, n_concepts))
    for edge in view["edges"]:
        strength[edge["target"], edge["source"]] = edge["strength"]
    return strength


def _by_level(strength: NDArray[np.float64]) -> NDArray[np.intp]:
    """Put each concept about one column to the right of those that influence it.

    The levels h minimise the sum of strength * (h[target] - h[source] - 1)², the trophic levels of MacKay, Johnson and
    Sansom (How directed is a directed network?, 2020): cycles need no cutting.
    """
    into, out_of = strength.sum(axis=1), strength.sum(axis=0)
    laplacian = np.diag(into + out_of) - strength - strength.T
    level = np.linalg.lstsq(laplacian, into - out_of, rcond=None)[0]
    alone = into + out_of == 0.0
    level[~alone] -= level[~alone].min(initial=0.0)
    level[alone] = 0.0
    highest = level.max()
    if highest > _MOST_COLUMNS - 1:
        level *= (_MOST_COLUMNS - 1) / highest
    column: NDArray[np.intp] = np.rint(level).astype(np.intp)
    return column


def _ordered(columns: Columns, view: View) -> Columns:
    """Order each column by the mean place of what its concepts are joined with; keep what crosses least.

    Concepts that nothing is drawn of come last.
    """
    strength = _matrix(view)
    joined = strength + strength.T
    alone = (joined.sum(axis=0) == 0.0).tolist()
    columns = [sorted(column, key=alone.__getitem__) for column in columns]
    best, least = columns, _disorder(columns, view)
    for sweep in range(_SWEEPS):
        numbers = range(1, len(columns)) if sweep % 2 == 0 else range(len(columns) - 2, -1, -1)
        columns = [list(column) for column in columns]
        for number in numbers:
            columns[number] = _by_barycentre(columns, number, joined)
        disorder = _disorder(columns, view)
        if disorder < least:
            best, least = columns, disorder
    return best


def _by_barycentre(columns: Columns, number: int, joined: NDArray[np.float64]) -> list[int]:
    column = columns[number]
    place = _places(columns)
    weights = joined[column]
    weights[:, column] *= _ALONG
    total = weights.sum(axis=1)
    # What is joined with nothing stays last.
    mean = np.where(total > 0.0, weights @ place / np.where(total > 0.0, total, 1.0), 2.0)
    return [column[i] for i in np.argsort(mean, kind="stable")]


def _places(columns: Columns) -> NDArray[np.float64]:
    """Return the height of each concept between 0 and 1."""
    place = np.empty(sum(map(len, columns)))
    for column in columns:
        place[column] = (np.arange(len(column)) + 0.5) / len(column)
    return place


def _disorder(columns: Columns, view: View) -> float:
    """Return how many pairs of influences cross, strong ones counting more, and how far they go along columns."""
    column_of = {i: number for number, column in enumerate(columns) for i in column}
    place = _places(columns)
    along = [edge for edge in view["edges"] if column_of[edge["source"]] == column_of[edge["target"]]]
    edges = [edge for edge in view["edges"] if column_of[edge["source"]] != column_of[edge["target"]]]
    far = sum(edge["strength"] * abs(place[edge["source"]] - place[edge["target"]]) for edge in along)
    return _ALONG * float(far) + _crossings(edges, column_of, place)


def _crossings(edges: list[dict[str, Any]], column_of: dict[int, int], place: NDArray[np.float64]) -> float:
    ends = np.array([sorted((column_of[i], place[i]) for i in (e["source"], e["target"])) for e in edges])
    if not len(ends):
        return 0.0
    strength = np.array([edge["strength"] for edge in edges])
    (left, left_height), (right, right_height) = ends[:, 0].T, ends[:, 1].T
    slope = (right_height - left_height) / (right - left)
    start, end = np.maximum.outer(left, left), np.minimum.outer(right, right)

    def above(at: NDArray[np.float64]) -> NDArray[np.float64]:
        height = left_height[:, None] + slope[:, None] * (at - left[:, None])
        difference: NDArray[np.float64] = height - (left_height[None, :] + slope[None, :] * (at - left[None, :]))
        return difference

    crossed = (start < end) & (above(start) * above(end) < -1e-12)
    return float((crossed * np.minimum.outer(strength, strength)).sum() / 2)
