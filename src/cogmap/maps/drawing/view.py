"""Selection of the concepts and edges to draw, as a plain dict."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps._text import count

View = dict[str, Any]  # JSON-compatible, so that it can be stored and drawn later
Array = NDArray[np.float64]
EdgeIndex = tuple[int, int]  # target and source

FEATURE, HIDDEN, OUTPUT = "feature", "hidden", "output"
ALL_DRAWN = "all of it is drawn"  # said of a map of which no arrow is left out

_COLUMNS = {FEATURE: 0, HIDDEN: 1, OUTPUT: 3}  # 2 for hidden concepts that combine others
_HEADINGS = ("features", "hidden", "combinations of these", "outputs")

_MAX_CONCEPTS = 100  # per picture; of larger maps only the concepts with the strongest edges are drawn
_ALL_CONCEPTS = 20  # up to this number, concepts whose edges are too weak to be drawn also have a box
_SHARE = 0.9  # fraction of the total strength that the drawn edges should have, unless that takes too many
_SMALL, _WITH_WEIGHTS = 150, 60  # edges up to which a layered map is drawn completely, and with its weights
_LEAST = 1e-9  # strength of an edge of a small map that carries nothing on the data
_NAMED_HEADING = "steps and combinations"


def graph_view(
    concepts: Sequence[str],
    weights: Array,
    kinds: Sequence[str] | None = None,
    strength: Array | None = None,
    positions: Array | None = None,
    n_edges: int | None = None,
    carried: Callable[[NDArray[np.bool_]], float] | None = None,
    uncertain: NDArray[np.bool_] | None = None,
) -> View:
    """Select the concepts and edges to draw.

    In a layered map features influence hidden concepts and outputs, hidden concepts influence outputs, and some of them
    (combinations) others. Its strongest 150 edges are drawn; a small one, which has no more, is drawn completely.

    Parameters
    ----------
    concepts : sequence of str
        Names of the concepts.
    weights : ndarray of shape (n_concepts, n_concepts)
        ``weights[i, j]`` is the influence of concept j on concept i.
    kinds : sequence of {"feature", "hidden", "output"}, default=None
        Kind of each concept, if known.
    strength : ndarray of shape (n_concepts, n_concepts), default=None
        Nonnegative strength of each edge, such as its flow on data. None means the absolute weight.
    positions : ndarray of shape (n_concepts, 2), default=None
        Position of each concept chosen by the author of the map, with y pointing down.
    n_edges : int, default=None
        Number of edges between different concepts to draw, strongest first. None draws all edges of a map with few
        edges or with positions; of other maps, edges with 90% of the total strength, up to 8 more than there are
        concepts. Outputs without a drawn edge get their strongest one in addition.
    carried : callable, default=None
        Called with a mask of the drawn edges if some are missing; returns the R² between the decisions of the map with
        only these edges and those of the whole map.
    uncertain : ndarray of bool of shape (n_concepts, n_concepts), default=None
        Edges to draw dashed, such as those whose interval contains zero.

    Returns
    -------
    dict
        ``names``, ``kinds``, ``columns`` and ``positions`` of the concepts; ``edges``, each with source, target, weight
        and strength in (0, 1], the strongest first; ``rings``, the same for self-loops; ``left_out``, names of concepts
        that are not drawn; ``small``, whether it is a small layered map; ``weights``, whether to write weights;
        ``share``, a sentence on what the drawn edges carry; and texts of the legend.
    """
    weights = np.asarray(weights, dtype=np.float64)
    columns = _columns(weights, kinds)
    layered = n_edges is None and _is_layered(weights, columns)
    small = layered and np.count_nonzero(weights) <= _SMALL
    n_edges = _SMALL if layered else n_edges
    strengths = np.abs(weights) if strength is None else strength
    if layered:
        strengths = (
            _of_layers(weights, columns) if strength is None else np.where(weights, np.maximum(strength, _LEAST), 0.0)
        )
    off_diagonal = np.where(np.eye(len(strengths), dtype=bool), 0.0, strengths)
    kept = list(range(len(weights))) if small else _strongest_concepts(off_diagonal, kinds)
    chosen = _strongest_edges(off_diagonal, kept, kinds, n_edges, positions is not None)
    if not small and len(kept) > _ALL_CONCEPTS and chosen:
        connected = {concept for edge in chosen for concept in edge}
        # Isolated concepts have a box, unless the map is too large to draw all concepts.
        isolated = np.asarray(~(off_diagonal.any(axis=0) | off_diagonal.any(axis=1)))
        isolated &= len(strengths) <= _MAX_CONCEPTS
        kept = [i for i in kept if i in connected or isolated[i]]
    place = {concept: number for number, concept in enumerate(kept)}
    largest = max((off_diagonal[edge] for edge in chosen), default=0.0) or float(strengths.max()) or 1.0
    n_all = int(np.count_nonzero(off_diagonal))
    smallest = min((off_diagonal[edge] for edge in chosen), default=0.0) if len(chosen) < n_all else 0.0

    def drawn_edge(target: int, source: int) -> dict[str, Any]:
        return {
            "source": place[source],
            "target": place[target],
            "weight": float(weights[target, source]),
            "strength": float(min(strengths[target, source] / largest, 1.0)),
            **({"dashed": True} if uncertain is not None and uncertain[target, source] else {}),
        }

    drawn_columns = None if columns is None else columns[kept].tolist()
    self_loops = [i for i in kept if strengths[i, i] > 0.0 and strengths[i, i] >= smallest]
    left_out = [concepts[i] for i in range(len(concepts)) if i not in place]
    note = _note("weight" if strength is None else "influence on the data", len(chosen), n_all)
    if layered and strength is None:
        note = note.replace("Width shows the weight.", "Width compares the weights into the same column.")
    if small:
        note = f"A map of {len(concepts)} concepts and {count(n_all, 'arrow')}; {ALL_DRAWN}. {note}"
    if uncertain is not None and any(uncertain[edge] for edge in chosen):
        note = f"{note} Dashed: the interval of the weight contains zero."
    share = ""
    if carried is not None and len(chosen) < n_all:
        drawn = np.zeros(weights.shape, dtype=bool)
        for edge in [*chosen, *((i, i) for i in self_loops)]:
            drawn[edge] = True
        r2 = carried(drawn)
        share = (
            f"Drawn influences alone reproduce its decisions with an R² {f'of {r2:.2f}' if r2 >= 0.0 else 'below 0'}."
        )
    headings = [_NAMED_HEADING if small and name == HIDDEN else name for name in _HEADINGS]
    return {
        "names": [concepts[i] for i in kept],
        "kinds": [kinds[i] if kinds else "" for i in kept],
        "columns": drawn_columns,
        "headings": [headings[column] for column in sorted(set(drawn_columns or ()))],
        "positions": None if positions is None else [[float(x), float(y)] for x, y in positions[kept]],
        "edges": [drawn_edge(*edge) for edge in chosen],
        "rings": [drawn_edge(i, i) for i in self_loops],
        "signs": ["positive influence", "negative influence"],
        "note": note,
        "share": share,
        "small": small,
        "weights": small and n_all <= _WITH_WEIGHTS,
        "left_out": left_out[:_MAX_CONCEPTS],
        "n_left_out": len(left_out),
    }


def _columns(weights: Array, kinds: Sequence[str] | None) -> NDArray[np.intp] | None:
    """Return the column of each concept by its kind; combinations of hidden concepts stand behind those."""
    if not kinds:
        return None
    columns = np.array([_COLUMNS[kind] for kind in kinds])
    hidden = columns == 1
    combines = hidden & (weights[:, hidden] != 0.0).any(axis=1)
    if not (weights[np.ix_(hidden, combines)] != 0.0).any():
        columns[combines] = 2
    return columns


def _is_layered(weights: Array, columns: NDArray[np.intp] | None) -> bool:
    """Return whether all edges go to a later column."""
    targets, sources = np.nonzero(weights)
    return columns is not None and bool((columns[sources] < columns[targets]).all())


def _of_layers(weights: Array, columns: NDArray[np.intp] | None) -> Array:
    """Return absolute weights relative to the largest into the same column; those into steps are much larger."""
    strength = np.abs(weights)
    for column in set(() if columns is None else columns.tolist()):
        rows = columns == column
        strength[rows] /= strength[rows].max() or 1.0
    return strength


def _note(quantity: str, n_drawn: int, n_all: int) -> str:
    """Return a note on the meaning of line widths and the number of drawn edges."""
    drawn = "" if n_drawn == n_all else f" Drawn are the strongest {n_drawn} of {n_all} influences between concepts."
    return f"Width shows the {quantity}.{drawn}"


def edge_strength(flow: NDArray[np.floating]) -> Array:
    """Return the flow through each edge summed over outputs, with equal weight for every output.

    `flow` has the shape (n_concepts, n_concepts, n_outputs), as in `Influence`.
    """
    of_output = flow.sum(axis=(0, 1))
    strength: Array = (flow / np.where(of_output > 0.0, of_output, 1.0)).sum(axis=2)
    return strength


def author_positions(concepts: Sequence[str], details: Mapping[str, Any]) -> Array | None:
    """Return the positions of the concepts in the details of a map, or None if there are none.

    Concepts without a position are placed in a row below the others.
    """
    position_of = {
        name: (detail["x"], detail["y"])
        for name, detail in details.get("concepts", {}).items()
        if "x" in detail and "y" in detail
    }
    if not position_of:
        return None
    positions = np.array(list(position_of.values()), dtype=np.float64)
    (left, top), (right, bottom) = positions.min(axis=0), positions.max(axis=0)
    others = [name for name in concepts if name not in position_of]
    extent = max(right - left, bottom - top, 1.0)
    for number, name in enumerate(others):
        position_of[name] = (left + extent * (number + 0.5) / len(others), bottom + 0.2 * extent)
    return np.array([position_of[name] for name in concepts], dtype=np.float64)


def _strongest_concepts(strength: Array, kinds: Sequence[str] | None) -> list[int]:
    """Return the concepts that may be drawn, in order: all outputs, then those with the strongest edges."""
    if len(strength) <= _MAX_CONCEPTS:
        return list(range(len(strength)))
    strongest = np.maximum(strength.max(axis=0), strength.max(axis=1))
    is_output = np.array([kind == OUTPUT for kind in kinds]) if kinds else np.zeros(len(strength), dtype=bool)
    return sorted(np.lexsort((-strongest, ~is_output))[:_MAX_CONCEPTS].tolist())


def _strongest_edges(
    strength: Array, kept: list[int], kinds: Sequence[str] | None, n_edges: int | None, laid_out: bool
) -> list[EdgeIndex]:
    """Return the edges to draw, the strongest first."""
    among = strength[np.ix_(kept, kept)]
    order = np.argsort(-among, axis=None, kind="stable")[: np.count_nonzero(among)]
    count = _default_n_edges(among.ravel()[order], len(kept), laid_out) if n_edges is None else n_edges
    edges = [(kept[i], kept[j]) for i, j in (divmod(int(place), len(kept)) for place in order)]
    chosen = edges[:count]
    if n_edges is None and kinds:  # every output has at least one incoming edge
        targets = {target for target, _ in chosen}
        for output in (i for i in kept if kinds[i] == OUTPUT and i not in targets):
            chosen += [edge for edge in edges if edge[0] == output][:1]
    return chosen


def _default_n_edges(ordered: Array, n_concepts: int, laid_out: bool) -> int:
    """Return the default number of edges to draw, from their strengths in decreasing order."""
    if laid_out or len(ordered) <= 3 * n_concepts:
        return len(ordered)
    with_share = int(np.searchsorted(np.cumsum(ordered), _SHARE * ordered.sum())) + 1
    return min(with_share, 8 + n_concepts)
