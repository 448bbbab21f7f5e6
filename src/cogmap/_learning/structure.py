"""What an expert fixes before learning: which concepts may influence which, and how."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._params import Words, shown, suggestion, wrong

Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]


def weight_limits(edges: Any, weight_bounds: Any, concepts: Sequence[str], owner: str) -> Bounds | None:
    """Return the smallest and the largest weight allowed at each place of W, or None if all are free.

    Parameters
    ----------
    edges : None, bool array of shape (n_concepts, n_concepts), or list of (from, to) names
        Where influence is allowed. In an array, ``edges[i, j]`` allows concept j to influence concept i.
    weight_bounds : None or (low, high)
        Two numbers, or two arrays of shape (n_concepts, n_concepts).
    concepts : sequence of str
        Names of the concepts.
    owner : str
        Whose parameters these are, for messages.
    """
    if edges is None and weight_bounds is None:
        return None
    shape = (len(concepts), len(concepts))
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    if weight_bounds is not None:
        low, high = _bounds(weight_bounds, shape, owner)
    if edges is not None:
        allowed = _allowed(edges, concepts, owner)
        contradicted = np.argwhere(~allowed & ((low > 0.0) | (high < 0.0)))
        if contradicted.size:
            i, j = contradicted[0]
            raise wrong(
                owner,
                "weight_bounds",
                "a range with 0 in it wherever `edges` allows no influence",
                Words(f"[{low[i, j]:g}, {high[i, j]:g}] for {concepts[j]!r} -> {concepts[i]!r}"),
                "Allow that edge or widen its range.",
            )
        low[~allowed] = 0.0
        high[~allowed] = 0.0
    return low, high


def _bounds(weight_bounds: Any, shape: tuple[int, int], owner: str) -> Bounds:
    expected = f"(low, high): two numbers, or two arrays of shape {shape}, with low <= high"
    try:
        low, high = (np.broadcast_to(np.asarray(bound, dtype=np.float64), shape).copy() for bound in weight_bounds)
    except (TypeError, ValueError):
        raise wrong(owner, "weight_bounds", expected, weight_bounds) from None
    if not (low <= high).all() or (low == np.inf).any() or (high == -np.inf).any():
        raise wrong(owner, "weight_bounds", expected, weight_bounds, "Use -inf and inf where there is no bound.")
    return low, high


def _allowed(edges: Any, concepts: Sequence[str], owner: str) -> NDArray[np.bool_]:
    n_concepts = len(concepts)
    expected = f"a boolean array of shape {(n_concepts, n_concepts)}, or a list of (from, to) names"
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise wrong(owner, "edges", expected, edges)
    edges = edges if isinstance(edges, np.ndarray) else list(edges)
    allowed = _mask(edges)
    if allowed is None:
        allowed = np.zeros((n_concepts, n_concepts), dtype=bool)
        for edge in edges:
            source, target = _ends(edge, concepts, owner, expected)
            allowed[target, source] = True
    elif allowed.shape != (n_concepts, n_concepts):
        raise wrong(owner, "edges", expected, Words(f"an array of shape {allowed.shape}"))
    if not allowed.any():
        cure = "Without any edge there is nothing to learn; None allows all."
        raise wrong(owner, "edges", expected, Words("no edge at all"), cure)
    return allowed


def _mask(edges: Any) -> NDArray[np.bool_] | None:
    """Return the array that was given, or None if it was a list of edges."""
    try:
        array = np.array(edges)
    except ValueError:  # rows of different lengths
        return None
    return array if array.dtype == np.bool_ else None


def _ends(edge: Any, concepts: Sequence[str], owner: str, expected: str) -> tuple[int, int]:
    """Return the numbers of the concepts that an edge goes from and to."""
    if not isinstance(edge, tuple | list | np.ndarray) or len(edge) != 2:
        cure = "An array of 0 and 1 needs .astype(bool)." if isinstance(edge, list | np.ndarray) else ""
        raise wrong(owner, "edges", expected, edge, cure)
    places = []
    for name in edge:
        if not isinstance(name, str) or name not in concepts:
            cure = suggestion(name, concepts) or f"The concepts are {shown(concepts)}."
            raise wrong(owner, "edges", "made of names of concepts", name, cure)
        places.append(list(concepts).index(name))
    return places[0], places[1]
