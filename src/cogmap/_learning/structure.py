"""Constraints on edges: allowed edges, signs and bounds of weights."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.concepts import Concepts
from cogmap._utils.params import Literal, param_error

Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]

_SIGNS = {"+": (0.0, np.inf), "-": (-np.inf, 0.0)}


def free(shape: tuple[int, ...]) -> Bounds:
    """Return infinite bounds for weights of the given shape."""
    return np.full(shape, -np.inf), np.full(shape, np.inf)


def weight_limits(
    edges: Any, weight_bounds: Any, concepts: Concepts, owner: str, parameter: str = "weight_bounds"
) -> Bounds | None:
    """Return the lower and upper bound of each entry of W, or None if all are free.

    Parameters
    ----------
    edges : None, bool array of shape (n_concepts, n_concepts), list of (from, to) names, or dict
        Allowed edges. In an array, ``edges[i, j]`` allows concept j to influence concept i. With named edges, each
        concept may also influence itself. The values of a dict are ``"+"``, ``"-"``, (low, high), or None.
    weight_bounds : None, (low, high) or dict of (from, to) names
        Two numbers, two arrays of shape (n_concepts, n_concepts), or for each edge one of the values above.
    concepts : Concepts
        Names of the concepts.
    owner : str
        Estimator named in messages.
    parameter : str, default="weight_bounds"
        Name of the parameter of bounds in messages.
    """
    limits = None
    if weight_bounds is not None:
        limits = _bounds(weight_bounds, concepts, owner, parameter)
    if edges is not None:
        limits = intersected(limits, _of_edges(edges, concepts, owner), parameter, "edges", concepts, owner)
    return limits


def intersected(
    limits: Bounds | None, others: Bounds | None, name: str, other_name: str, concepts: Concepts, owner: str
) -> Bounds | None:
    """Return the intersection of two sets of bounds; raise if it is empty for an edge."""
    if limits is None or others is None:
        return others if limits is None else limits
    low, high = np.maximum(limits[0], others[0]), np.minimum(limits[1], others[1])
    contradicted = np.argwhere(low > high)
    if contradicted.size:
        i, j = contradicted[0]
        raise param_error(
            owner,
            name,
            f"compatible with `{other_name}`, which allows {range_at(others, i, j)} there",
            Literal(f"{range_at(limits, i, j)} for {concepts.names[j]!r} -> {concepts.names[i]!r}"),
            "Change one of the two parameters.",
        )
    return low, high


def range_at(bounds: Bounds, i: int, j: int) -> str:
    """Return the allowed range of an entry of W as text."""
    low, high = bounds[0][i, j], bounds[1][i, j]
    return "no influence" if low == high == 0.0 else f"[{low:g}, {high:g}]"


def _bounds(weight_bounds: Any, concepts: Concepts, owner: str, parameter: str) -> Bounds:
    if isinstance(weight_bounds, Mapping):
        return _named(weight_bounds, free((len(concepts), len(concepts))), concepts, owner, parameter)
    shape = (len(concepts), len(concepts))
    expected = (
        f"(low, high): two numbers, or two arrays of shape {shape}, with low <= high; "
        "or a dict {(from, to): '+', '-' or (low, high)} of names"
    )
    try:
        low, high = (np.broadcast_to(np.asarray(bound, dtype=np.float64), shape).copy() for bound in weight_bounds)
    except (TypeError, ValueError):
        raise param_error(owner, parameter, expected, weight_bounds) from None
    if not (low <= high).all() or (low == np.inf).any() or (high == -np.inf).any():
        raise param_error(owner, parameter, expected, weight_bounds, "Use -inf and inf where there is no bound.")
    return low, high


def _of_edges(edges: Any, concepts: Concepts, owner: str) -> Bounds:
    """Return bounds that fix the weights of all other edges to 0."""
    shape = (len(concepts), len(concepts))
    expected = f"a boolean array of shape {shape}, a list of (from, to) names, or a dict with such names as keys"
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise param_error(owner, "edges", expected, edges)
    if not isinstance(edges, np.ndarray | Mapping):
        edges = list(edges)
    mask = None if isinstance(edges, Mapping) else _mask(edges)
    if mask is not None and mask.shape != shape:
        raise param_error(owner, "edges", expected, Literal(f"an array of shape {mask.shape}"))
    if not (len(edges) if mask is None else mask.any()):
        cure = "Without any edge there is nothing to learn; None allows all."
        raise param_error(owner, "edges", expected, Literal("no edge at all"), cure)
    if mask is None:
        # Self-influence is allowed: it adds no edge between concepts, and without it features are lost after one step.
        diagonal = np.zeros(shape)
        np.fill_diagonal(diagonal, np.inf)
        named = edges if isinstance(edges, Mapping) else [(edge, None) for edge in edges]
        return _named(named, (-diagonal, diagonal), concepts, owner, "edges", expected)
    return np.where(mask, -np.inf, 0.0), np.where(mask, np.inf, 0.0)


def _mask(edges: Any) -> NDArray[np.bool_] | None:
    """Convert `edges` to a boolean array; None if it is a list of edges."""
    try:
        array = np.array(edges)
    except ValueError:  # rows of different lengths
        return None
    return array if array.dtype == np.bool_ else None


def _named(edges: Any, limits: Bounds, concepts: Concepts, owner: str, parameter: str, expected: str = "") -> Bounds:
    """Set the bounds of the named edges."""
    low, high = limits
    expected = expected or "a dict whose keys are edges, (from, to) names"
    for edge, value in edges.items() if isinstance(edges, Mapping) else edges:
        if not isinstance(edge, tuple | list | np.ndarray) or len(edge) != 2:
            cure = "An array of 0 and 1 needs .astype(bool)." if isinstance(edge, list | np.ndarray) else ""
            raise param_error(owner, parameter, expected, edge, cure)
        source, target = (concepts.position(name, owner, parameter) for name in edge)
        low[target, source], high[target, source] = edge_bounds(value, tuple(edge), owner, parameter)
    return low, high


def edge_bounds(value: Any, edge: tuple[str, str], owner: str, parameter: str) -> tuple[float, float]:
    """Return the bounds of an edge, given as "+", "-", (low, high) or None."""
    if value is None:
        return -np.inf, np.inf
    if isinstance(value, str) and value in _SIGNS:
        return _SIGNS[value]
    try:
        low, high = (np.nan if isinstance(bound, str) else bound for bound in value)
        low, high = -np.inf if low is None else float(low), np.inf if high is None else float(high)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low <= high or low == np.inf or high == -np.inf:
        expected = f"'+', '-' or (low, high) with low <= high for {edge[0]!r} -> {edge[1]!r}"
        raise param_error(owner, parameter, expected, value, "Use None instead of a number for no bound.")
    return low, high
