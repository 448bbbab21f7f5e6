"""Maps of several experts: names that mean the same, combination, credibility, disagreement and clusters.

Concepts are matched by name; a map without some concept counts as one without edges of that concept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, check_boolean, check_choice, numbers, param_error
from cogmap.maps._arguments import check_maps
from cogmap.maps._clusters import Clusters, clusters
from cogmap.maps._text import aligned, count, number, short
from cogmap.maps.fuzzy_terms import fuzzy_mean
from cogmap.maps.indices import similarity, stacked
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.matching import Match, match_names, unify_names

__all__ = [
    "Clusters",
    "Disagreement",
    "Match",
    "clusters",
    "combine",
    "credibility",
    "disagreement",
    "match_names",
    "unify_names",
]

Array = NDArray[np.float64]

_SHOWN = 12


def combine(
    maps: Iterable[FuzzyCognitiveMap],
    how: str = "mean",
    weights: ArrayLike | str | None = None,
    only_drawn: bool = False,
) -> FuzzyCognitiveMap:
    """Combine several maps into one.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap
        The maps, with the same slope and activation where they have the same concepts.
    how : {"mean", "median", "fuzzy"}, default="mean"
        How to aggregate the weights of an edge over the maps. ``"fuzzy"`` reads each weight as the nearest linguistic
        term (very low 0.1, low 0.25, medium 0.5, high 0.75, very high 1, or none), cuts its triangular membership
        function off at the share of the maps that chose it, joins the terms by their maximum and takes the centroid,
        as FCMpy does. Biases are averaged.
    weights : array-like of shape (n_maps,), or "credibility", default=None
        Weight of each map. ``"credibility"`` uses the result of `credibility`; None means equal weights.
    only_drawn : bool, default=False
        Whether to aggregate only over the maps that have the edge. Otherwise a missing edge counts as weight 0.

    Returns
    -------
    FuzzyCognitiveMap
        A map of all concepts, in order of first appearance. Biases are aggregated in the same way over the maps that
        have the concept; each detail comes from the first map that has it. A concept is held if all maps that have it
        hold it.

    See Also
    --------
    credibility : Return the credibility of each expert: the similarity of a map to the mean map, normalized to sum 1.
    disagreement : Measure how much experts disagree about each edge.
    match_names : Propose which names of concepts mean the same.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import combine
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> two = FuzzyCognitiveMap([[0, 0.5, 0], [0.8, 0, 0], [0, 0, 0]], concepts=["rain", "fish", "weed"])
    >>> combine([one, two])
    FuzzyCognitiveMap: 3 concepts, sigmoid, slope 1
    influence on  of rain  of fish  of weed  bias
    rain             0.00     0.25     0.00  0.00
    fish             0.60     0.00     0.00  0.00
    weed             0.00     0.00     0.00  0.00
    """
    maps = check_maps(maps, "combine")
    how = check_choice("combine", "how", how, ("mean", "median", "fuzzy"))
    only_drawn = check_boolean("combine", "only_drawn", only_drawn)
    map_weights = _check_map_weights(maps, weights)
    concepts, W, has = stacked(maps)
    shares = np.broadcast_to(map_weights[:, np.newaxis, np.newaxis], W.shape) * (W != 0.0 if only_drawn else 1.0)
    biases = np.zeros(has.shape)
    for k, fcm in enumerate(maps):
        biases[k, [concepts.index(name) for name in fcm.concepts]] = fcm.bias
    aggregate = {"mean": _mean, "median": _median, "fuzzy": fuzzy_mean}[how]
    aggregate_bias = _median if how == "median" else _mean
    return FuzzyCognitiveMap(
        aggregate(W, shares),
        aggregate_bias(biases, map_weights[:, np.newaxis] * has),
        _shared(maps, concepts, "slope"),
        concepts,
        _shared(maps, concepts, "activation"),
        _details(maps),
        held=[name for name in concepts if all(name in fcm.held for fcm in maps if name in fcm.concepts)],
    )


def _check_map_weights(maps: Sequence[FuzzyCognitiveMap], weights: ArrayLike | str | None) -> Array:
    """Return the weight of each map."""
    if weights is None:
        return np.ones(len(maps))
    if isinstance(weights, str) and weights == "credibility":
        return credibility(maps)
    values = numbers(weights)
    if values.shape != (len(maps),) or not np.isfinite(values).all() or (values < 0).any() or not values.any():
        expected = f"'credibility' or {len(maps)} numbers >= 0 that are not all 0, one per map"
        raise param_error("combine", "weights", expected, weights)
    result: Array = values / values.max()
    return result


def _mean(values: Array, shares: Array) -> Array:
    total = shares.sum(axis=0)
    # Dividing the shares first avoids overflow in sums of huge weights.
    result: Array = (values * (shares / np.where(total > 0.0, total, 1.0))).sum(axis=0)
    return result


def _median(values: Array, shares: Array) -> Array:
    """Return the weighted median, or the mean of the two middle values."""
    order = np.argsort(values, axis=0, kind="stable")
    values, shares = np.take_along_axis(values, order, axis=0), np.take_along_axis(shares, order, axis=0)
    below = np.cumsum(shares, axis=0)
    half, rounding = below[-1] / 2, 1e-12 * below[-1]
    low = np.argmax(below >= half - rounding, axis=0)
    high = np.argmax(below > half + rounding, axis=0)
    two = [np.take_along_axis(values, place[np.newaxis], axis=0)[0] for place in (low, high)]
    return np.where(below[-1] > 0.0, two[0] / 2 + two[1] / 2, 0.0)


def _shared(maps: Sequence[FuzzyCognitiveMap], concepts: Sequence[str], part: str) -> Any:
    """Return the slope or the activation that all maps share, one per concept if concepts differ."""
    by_concept: dict[str, Any] = {}
    for fcm in maps:
        values = getattr(fcm, part)
        values = values if isinstance(values, tuple | np.ndarray) else [values] * fcm.n_concepts
        for name, value in zip(fcm.concepts, values, strict=True):
            if by_concept.setdefault(name, value) != value:
                got = Literal(f"{by_concept[name]} and {value} for {short(name)}")
                cure = f"Use fcm.replace({part}=...)."
                raise param_error("combine", "maps", f"maps with the same {part} for the same concept", got, cure)
    if len(set(by_concept.values())) == 1:
        return by_concept[concepts[0]]
    return [by_concept[name] for name in concepts]


def _details(maps: Sequence[FuzzyCognitiveMap]) -> dict[str, Any]:
    """Merge the details of all maps; the first map takes precedence."""
    merged: dict[str, Any] = {}
    for fcm in maps:
        details = fcm.details
        for part in ("concepts", "edges"):
            for name, detail in details.pop(part, {}).items():
                present = merged.setdefault(part, {}).setdefault(name, {})
                present.update({key: value for key, value in detail.items() if key not in present})
        merged = {**details, **merged}
    return merged


def credibility(maps: Iterable[FuzzyCognitiveMap]) -> Array:
    """Return the credibility of each expert: the similarity of a map to the mean map, normalized to sum 1.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap
        The maps.

    Returns
    -------
    ndarray of shape (n_maps,)
        Numbers that add up to 1. A map with a negative similarity to the mean gets 0; if no map has a positive one, all
        get the same.

    See Also
    --------
    combine : Combine several maps into one.
    cogmap.maps.indices.similarity : Return the cosine similarity of the weights of two maps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import credibility
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> credibility([one, one, one.replace(weights=[[0, 0], [-0.4, 0]])])
    array([0.5, 0.5, 0. ])
    """
    maps = check_maps(maps, "credibility")
    concepts, W, _ = stacked(maps)
    mean = FuzzyCognitiveMap((W / len(maps)).sum(axis=0), concepts=concepts)
    agreement = np.array([max(similarity(fcm, mean), 0.0) for fcm in maps])
    return agreement / agreement.sum() if agreement.any() else np.full(len(maps), 1.0 / len(maps))


@dataclass(frozen=True, eq=False)
class Disagreement:
    """Disagreement between experts about the weight of each edge.

    All arrays have the shape (n_concepts, n_concepts), laid out as the weights of a map: ``[i, j]`` is the edge from
    concept j to concept i.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    n_maps : int
        Number of experts.
    n_drawn : ndarray of int
        Number of experts who drew the edge.
    mean, deviation, low, high : ndarray
        Mean, standard deviation, minimum and maximum of the weights of all experts; a missing edge has weight 0.
    opposed : ndarray of bool
        Whether the edge has positive and negative weights.

    See Also
    --------
    disagreement : Measure how much experts disagree about each edge.
    cogmap.plotting.plot_disagreement : Plot the weights of the edges about which experts disagree most.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import disagreement
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> result = disagreement([one, one.replace(weights=[[0, 0], [0.8, 0]])])
    >>> [(edge["source"], edge["target"], edge["low"], edge["high"]) for edge in result.edges()]
    [('rain', 'fish', 0.4, 0.8)]
    >>> result.to_frame()[["source", "target", "n_drawn"]]
      source target  n_drawn
    0   rain   fish        2
    """

    concepts: tuple[str, ...]
    n_maps: int
    n_drawn: NDArray[np.intp]
    mean: Array
    deviation: Array
    low: Array
    high: Array
    opposed: NDArray[np.bool_]

    def edges(self) -> list[dict[str, Any]]:
        """Return a plain dict for each edge that an expert drew, sorted by decreasing deviation.

        Returns
        -------
        list of dict
            Source and target of each edge, the number of experts who drew it, and its weights.
        """
        order = np.argsort(-self.deviation, axis=None, kind="stable")
        places = zip(*np.unravel_index(order, self.deviation.shape), strict=True)
        names = ("n_drawn", "mean", "deviation", "low", "high", "opposed")
        return [
            {"source": self.concepts[j], "target": self.concepts[i]}
            | {name: getattr(self, name)[i, j].item() for name in names}
            for i, j in places
            if self.n_drawn[i, j]
        ]

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per edge that an expert drew.

        Returns
        -------
        pandas.DataFrame
            One row per edge, with the entries of `edges` as columns.
        """
        return import_or_raise("pandas", "Disagreement.to_frame", "table").DataFrame(self.edges())

    def __repr__(self) -> str:
        edges = self.edges()
        rows = [
            [
                f"{short(edge['source'])} -> {short(edge['target'])}",
                number(edge["deviation"]),
                f"{number(edge['low'], '+')} to {number(edge['high'], '+')}",
                f"{edge['n_drawn']} of {self.n_maps}",
                "opposed" if edge["opposed"] else "",
            ]
            for edge in edges[:_SHOWN]
        ]
        opposed = int(self.opposed.sum())
        head = f"{count(self.n_maps, 'map')}, {count(len(edges), 'edge')}, {opposed} with opposed signs."
        lines = [line.rstrip() for line in aligned([["", "deviation", "weights", "drawn by", ""], *rows])]
        more = [f"... and {len(edges) - len(rows)} more"] if len(edges) > len(rows) else []
        return "\n".join([head, *lines, *more])


def disagreement(maps: Iterable[FuzzyCognitiveMap]) -> Disagreement:
    """Measure how much experts disagree about each edge.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap
        The maps.

    Returns
    -------
    Disagreement
        Mean, range and spread of each weight over the maps.

    See Also
    --------
    combine : Combine several maps into one.
    clusters : Group people who think alike, by hierarchical clustering of their maps.
    cogmap.plotting.plot_disagreement : Plot the weights of the edges about which experts disagree most.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import disagreement
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> disagreement([one, one.replace(weights=[[0, 0.5], [-0.8, 0]])])
    2 maps, 2 edges, 1 with opposed signs.
                  deviation         weights  drawn by
    rain -> fish       0.60  -0.80 to +0.40    2 of 2  opposed
    fish -> rain       0.25  +0.00 to +0.50    1 of 2
    """
    maps = check_maps(maps, "disagreement")
    concepts, W, _ = stacked(maps)
    with np.errstate(over="ignore", invalid="ignore"):  # sums of huge weights may overflow
        mean, deviation = W.mean(axis=0), W.std(axis=0)
    return Disagreement(
        concepts,
        len(maps),
        np.count_nonzero(W, axis=0),
        mean,
        deviation,
        W.min(axis=0),
        W.max(axis=0),
        np.asarray((W > 0).any(axis=0) & (W < 0).any(axis=0)),
    )
