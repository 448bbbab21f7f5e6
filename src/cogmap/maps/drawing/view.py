"""What the picture of a map shows: its concepts and its strongest influences, as a plain dict."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Plain numbers and words, so that it can be kept in a file and drawn from there.
View = dict[str, Any]
Array = NDArray[np.float64]
Edge = tuple[int, int]  # target and source

FEATURE, HIDDEN, OUTPUT = "feature", "hidden", "output"
_COLUMNS = {FEATURE: 0, HIDDEN: 1, OUTPUT: 2}
_HEADINGS = ("features", "hidden", "outputs")

_MOST_CONCEPTS = 100  # in a picture; of a larger map the strongest ones
_ALL_CONCEPTS = 20  # up to here those whose influences are too weak to be drawn have a box all the same
_SHARE = 0.9  # of the strength of all influences, which those that are drawn have together, unless that takes too many


def graph_view(
    concepts: Sequence[str],
    weights: Array,
    kinds: Sequence[str] | None = None,
    strength: Array | None = None,
    positions: Array | None = None,
    n_edges: int | None = None,
) -> View:
    """Choose what is drawn of a map.

    Parameters
    ----------
    concepts : sequence of str
        Names.
    weights : ndarray of shape (n_concepts, n_concepts)
        ``weights[i, j]`` is the influence of concept j on concept i.
    kinds : sequence of {"feature", "hidden", "output"}, default=None
        What each concept is, if that is known.
    strength : ndarray of shape (n_concepts, n_concepts), default=None
        How much each influence carries on data, without sign. None means the weight without its sign.
    positions : ndarray of shape (n_concepts, 2), default=None
        Where the author of the map has placed each concept; y grows downwards.
    n_edges : int, default=None
        How many of the strongest influences of one concept on another are drawn. None draws all of a map that has few
        or was laid out by its author; of others those that have nine tenths of the strength of all together, and not
        many more than there are concepts.

    Returns
    -------
    dict
        ``names``, ``kinds``, ``columns`` and ``positions`` of the concepts; ``edges``, each with source, target, weight
        and strength in (0, 1], the strongest first; ``rings``, the same for influences on oneself; ``left_out``, names
        of concepts that are not drawn; and words for the legend.
    """
    weights = np.asarray(weights, dtype=np.float64)
    given = np.abs(weights) if strength is None else strength
    of_others = np.where(np.eye(len(given), dtype=bool), 0.0, given)
    kept = _strongest_concepts(of_others, kinds)
    chosen = _strongest_edges(of_others, kept, kinds, n_edges, positions is not None)
    if len(kept) > _ALL_CONCEPTS and chosen:
        touched = {concept for edge in chosen for concept in edge}
        # What nothing influences and what influences nothing has a box of its own, unless there are too many for all.
        alone = np.asarray(~(of_others.any(axis=0) | of_others.any(axis=1))) & (len(given) <= _MOST_CONCEPTS)
        kept = [i for i in kept if i in touched or alone[i]]
    place = {concept: number for number, concept in enumerate(kept)}
    most = max((of_others[edge] for edge in chosen), default=0.0) or float(given.max()) or 1.0
    n_all = int(np.count_nonzero(of_others))
    faintest = min((of_others[edge] for edge in chosen), default=0.0) if len(chosen) < n_all else 0.0

    def shown(target: int, source: int) -> dict[str, Any]:
        return {
            "source": place[source],
            "target": place[target],
            "weight": float(weights[target, source]),
            "strength": float(min(given[target, source] / most, 1.0)),
        }

    columns = [_COLUMNS[kinds[i]] for i in kept] if kinds else None
    own = [i for i in kept if given[i, i] > 0.0 and given[i, i] >= faintest]
    left_out = [concepts[i] for i in range(len(concepts)) if i not in place]
    return {
        "names": [concepts[i] for i in kept],
        "kinds": [kinds[i] if kinds else "" for i in kept],
        "columns": columns,
        "headings": [_HEADINGS[column] for column in sorted(set(columns))] if columns else [],
        "positions": None if positions is None else [[float(x), float(y)] for x, y in positions[kept]],
        "edges": [shown(*edge) for edge in chosen],
        "rings": [shown(i, i) for i in own],
        "signs": ["positive influence", "negative influence"],
        "note": _note("weight" if strength is None else "influence on the data", len(chosen), n_all),
        "left_out": left_out[:_MOST_CONCEPTS],
        "n_left_out": len(left_out),
    }


def _note(what: str, n_drawn: int, n_all: int) -> str:
    """Say what widths mean and how many influences are not drawn."""
    drawn = "" if n_drawn == n_all else f" Drawn are the strongest {n_drawn} of {n_all} influences between concepts."
    return f"Width shows the {what}.{drawn}"


def edge_strength(flow: NDArray[np.floating]) -> Array:
    """Return how much each influence carries in all, every output counting the same, whatever its unit.

    `flow` has the shape (n_concepts, n_concepts, n_outputs), as an `Influence` has it.
    """
    of_output = flow.sum(axis=(0, 1))
    strength: Array = (flow / np.where(of_output > 0.0, of_output, 1.0)).sum(axis=2)
    return strength


def author_positions(concepts: Sequence[str], details: Mapping[str, Any]) -> Array | None:
    """Return where the author of a map has placed its concepts, None if nothing is said about that.

    Concepts of which it is not said come in a row below the others.
    """
    said = details.get("concepts", {})
    known = {name: (about["x"], about["y"]) for name, about in said.items() if "x" in about and "y" in about}
    if not known:
        return None
    places = np.array(list(known.values()), dtype=np.float64)
    (left, _), (right, bottom) = places.min(axis=0), places.max(axis=0)
    others = [name for name in concepts if name not in known]
    reach = max(right - left, bottom - places[:, 1].min(), 1.0)
    for number, name in enumerate(others):
        known[name] = (left + reach * (number + 0.5) / len(others), bottom + 0.2 * reach)
    return np.array([known[name] for name in concepts], dtype=np.float64)


def _strongest_concepts(strength: Array, kinds: Sequence[str] | None) -> list[int]:
    """Return which concepts may be drawn, in their order: outputs first of all, then those of strong influences."""
    if len(strength) <= _MOST_CONCEPTS:
        return list(range(len(strength)))
    touched = np.maximum(strength.max(axis=0), strength.max(axis=1))
    last = np.array([kind == OUTPUT for kind in kinds]) if kinds else np.zeros(len(strength), dtype=bool)
    return sorted(np.lexsort((-touched, ~last))[:_MOST_CONCEPTS].tolist())


def _strongest_edges(
    strength: Array, kept: list[int], kinds: Sequence[str] | None, n_edges: int | None, laid_out: bool
) -> list[Edge]:
    """Return the influences that are drawn, the strongest first."""
    among = strength[np.ix_(kept, kept)]
    order = np.argsort(-among, axis=None, kind="stable")[: np.count_nonzero(among)]
    count = _count(among.ravel()[order], len(kept), laid_out) if n_edges is None else n_edges
    edges = [(kept[i], kept[j]) for i, j in (divmod(int(place), len(kept)) for place in order)]
    chosen = edges[:count]
    if n_edges is None and kinds:  # no output without a word about what moves it
        moved = {target for target, _ in chosen}
        for output in (i for i in kept if kinds[i] == OUTPUT and i not in moved):
            chosen += [edge for edge in edges if edge[0] == output][:1]
    return chosen


def _count(ordered: Array, n_concepts: int, laid_out: bool) -> int:
    """Return how many influences are drawn if nobody says how many."""
    if laid_out or len(ordered) <= 3 * n_concepts:
        return len(ordered)
    enough = int(np.searchsorted(np.cumsum(ordered), _SHARE * ordered.sum())) + 1
    return min(enough, 8 + n_concepts)
