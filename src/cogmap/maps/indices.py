"""Structural indices of a map (degrees, kinds of concepts, density, hierarchy), and distances between maps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap.maps._arguments import check_map
from cogmap.maps._text import concept_lines, count, number
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["Indices", "distance", "indices", "similarity", "similarity_matrix"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Indices:
    """Structural indices used in the literature to describe and compare maps.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    indegree, outdegree, centrality : ndarray of shape (n_concepts,)
        Sum of the absolute weights of the incoming edges, of the outgoing edges, and of both.
    kinds : tuple of str
        Kind of each concept: ``"transmitter"`` (only outgoing edges), ``"receiver"`` (only incoming edges),
        ``"ordinary"`` (both), or ``"isolated"`` (neither).
    n_edges : int
        Number of edges.
    density : float
        Number of edges divided by the number of possible edges. Self-loops are possible if the map has one.
    complexity : float or None
        Receivers per transmitter; None without transmitters.
    hierarchy : float
        Hierarchy index of MacDonald (1983), from the variance of the outdegrees: with weights of size 1, 0 if all
        outdegrees are equal and 1 in a strict hierarchy.

    See Also
    --------
    indices : Compute the structural indices of a map.
    cogmap.integrations.networkx.to_networkx : Convert a map to a directed graph.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.indices import indices
    >>> result = indices(FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)]))
    >>> result.number_of("transmitter"), result.to_dict()["density"]
    (2, 0.3333333333333333)
    >>> result.to_frame()
             indegree  outdegree  centrality         kind
    fishing       0.0        0.5         0.5  transmitter
    fish          1.3        0.0         1.3     receiver
    weed          0.0        0.8         0.8  transmitter
    """

    concepts: tuple[str, ...]
    indegree: Array
    outdegree: Array
    kinds: tuple[str, ...]
    n_edges: int
    density: float
    complexity: float | None
    hierarchy: float

    @property
    def centrality(self) -> Array:
        """Sum of indegree and outdegree of each concept."""
        return self.indegree + self.outdegree

    def number_of(self, kind: str) -> int:
        """Return the number of concepts of a kind.

        Parameters
        ----------
        kind : {"transmitter", "receiver", "ordinary", "isolated"}
            Kind of concept.

        Returns
        -------
        int
            Number of concepts of this kind.
        """
        return self.kinds.count(kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the indices as a JSON-compatible dict.

        Returns
        -------
        dict
            All indices, with lists instead of arrays.
        """
        return {
            "concepts": list(self.concepts),
            **{name: getattr(self, name).tolist() for name in _DEGREES},
            "kinds": list(self.kinds),
            **{name: getattr(self, name) for name in ("n_edges", "density", "complexity", "hierarchy")},
        }

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per concept: degrees, centrality, kind.

        Returns
        -------
        pandas.DataFrame
            One row per concept, with the columns `indegree`, `outdegree`, `centrality` and `kind`.
        """
        pandas = import_or_raise("pandas", "Indices.to_frame", "table")
        columns = {name: getattr(self, name) for name in _DEGREES}
        return pandas.DataFrame({**columns, "kind": self.kinds}, index=list(self.concepts))

    def __repr__(self) -> str:
        kinds = ", ".join(f"{self.number_of(kind)} {kind}" for kind in _KINDS.values() if self.number_of(kind))
        complexity = "none" if self.complexity is None else f"{self.complexity:.3g}"
        head = [
            f"{count(len(self.concepts), 'concept')} ({kinds}), {count(self.n_edges, 'edge')}",
            f"density {self.density:.3g}, complexity {complexity}, hierarchy {self.hierarchy:.3g}",
        ]
        columns = {name: [number(value) for value in getattr(self, name)] for name in _DEGREES}
        order = np.argsort(-self.centrality, kind="stable").tolist()
        return "\n".join([*head, *concept_lines(self.concepts, {**columns, "kind": self.kinds}, order)])


_DEGREES = ("indegree", "outdegree", "centrality")
# Whether a concept has incoming edges, and whether it has outgoing ones.
_KINDS = {(False, True): "transmitter", (True, False): "receiver", (True, True): "ordinary", (False, False): "isolated"}


def indices(fcm: FuzzyCognitiveMap) -> Indices:
    """Compute the structural indices of a map.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The original map, not one rewritten by `with_rule`.

    Returns
    -------
    Indices
        Indices of the map and of each of its concepts.

    See Also
    --------
    distance : Return the distance between two maps, from 0 (the same weights) to 1 (the largest possible distance).
    cogmap.maps.loops.feedback_loops : Find feedback loops, in order of length.
    cogmap.integrations.networkx.communities :
        Return groups of concepts that influence each other more than other concepts, largest first.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.indices import indices
    >>> indices(FuzzyCognitiveMap([[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], concepts=["fishing", "fish", "weed"]))
    3 concepts (1 transmitter, 2 ordinary), 3 edges
    density 0.5, complexity 0, hierarchy 0.0233
             indegree  outdegree  centrality         kind
    fish         1.30       0.60        1.90     ordinary
    weed         0.60       0.80        1.40     ordinary
    fishing      0.00       0.50        0.50  transmitter
    """
    check_map(fcm, "indices")
    absolute = np.abs(fcm.weights)
    with np.errstate(over="ignore", invalid="ignore"):  # sums of huge weights may overflow
        indegree, outdegree = absolute.sum(axis=1), absolute.sum(axis=0)
        spread = float(((outdegree - outdegree.mean()) ** 2).sum())
    kinds = tuple(_KINDS[bool(i), bool(o)] for i, o in zip(indegree, outdegree, strict=True))
    n, n_edges = fcm.n_concepts, int(np.count_nonzero(absolute))
    possible = n * n if np.diagonal(absolute).any() else n * (n - 1)
    transmitters, receivers = kinds.count("transmitter"), kinds.count("receiver")
    return Indices(
        fcm.concepts,
        indegree,
        outdegree,
        kinds,
        n_edges,
        n_edges / possible if possible else 0.0,
        receivers / transmitters if transmitters else None,
        12.0 * spread / ((n - 1) * n * (n + 1)) if n > 1 else 0.0,
    )


def stacked(maps: Iterable[FuzzyCognitiveMap]) -> tuple[tuple[str, ...], Array, NDArray[np.bool_]]:
    """Return the names of all concepts, the weights of each map over them, and a mask of the concepts of each map."""
    maps = list(maps)
    concepts = tuple(dict.fromkeys(name for fcm in maps for name in fcm.concepts))
    place = {name: i for i, name in enumerate(concepts)}
    weights = np.zeros((len(maps), len(concepts), len(concepts)))
    has = np.zeros((len(maps), len(concepts)), dtype=bool)
    for k, fcm in enumerate(maps):
        columns = [place[name] for name in fcm.concepts]
        weights[k][np.ix_(columns, columns)] = fcm.weights
        has[k, columns] = True
    return concepts, weights, has


def distance(a: FuzzyCognitiveMap, b: FuzzyCognitiveMap) -> float:
    """Return the distance between two maps, from 0 (the same weights) to 1 (the largest possible distance).

    This is the distance ratio of Langfield-Smith and Wirth as generalized by Markóczy and Goldberg (1995): the sum of
    the absolute differences of weights, divided by its largest possible value. An edge of a concept that only one of
    the maps has counts as a weight of full size, which is 1 or the largest absolute weight of both maps.

    Parameters
    ----------
    a, b : FuzzyCognitiveMap
        The maps. Concepts are matched by name.

    Returns
    -------
    float
        Distance from 0 to 1.

    See Also
    --------
    similarity : Return the cosine similarity of the weights of two maps.
    cogmap.maps.experts.disagreement : Measure how much experts disagree about each edge.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.indices import distance
    >>> one = FuzzyCognitiveMap([[0, 1], [1, 0]], concepts=["fish", "weed"])
    >>> distance(one, FuzzyCognitiveMap([[0, 1], [-1, 0]], concepts=["fish", "weed"]))
    0.5
    """
    check_map(a, "distance", "a")
    check_map(b, "distance", "b")
    _, weights, has = stacked([a, b])
    full = max(1.0, float(np.abs(weights).max()))
    loops = bool(np.diagonal(weights, axis1=1, axis2=2).any())
    shared = has[0] & has[1]
    both = np.outer(shared, shared)
    one = (np.outer(has[0], has[0]) | np.outer(has[1], has[1])) & ~both
    possible = both | one if loops else (both | one) & ~np.eye(len(shared), dtype=bool)
    difference = np.where(both, np.abs(weights[0] - weights[1]), np.where(weights.any(axis=0), full, 0.0))
    largest = 2.0 * full * np.count_nonzero(both & possible) + full * np.count_nonzero(one & possible)
    return float(difference[possible].sum() / largest) if largest else 0.0


def similarity(a: FuzzyCognitiveMap, b: FuzzyCognitiveMap) -> float:
    """Return the cosine similarity of the weights of two maps.

    1 means the same weights up to a factor, 0 nothing in common, -1 the same with opposite signs. Unlike `distance`, it
    ignores edges that neither map has.

    Parameters
    ----------
    a, b : FuzzyCognitiveMap
        The maps. Concepts are matched by name.

    Returns
    -------
    float
        0 if one of the maps has no edges, and 1 if both have none.

    See Also
    --------
    similarity_matrix : Return the pairwise similarity of maps.
    distance : Return the distance between two maps, from 0 (the same weights) to 1 (the largest possible distance).

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.indices import similarity
    >>> one = FuzzyCognitiveMap([[0, 1], [1, 0]], concepts=["fish", "weed"])
    >>> round(similarity(one, one.replace(weights=[[0, 1], [0, 0]])), 3)
    0.707
    """
    return float(similarity_matrix([check_map(a, "similarity", "a"), check_map(b, "similarity", "b")])[0, 1])


def similarity_matrix(maps: Sequence[FuzzyCognitiveMap]) -> Array:
    """Return the pairwise similarity of maps.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap
        The maps. Concepts are matched by name.

    Returns
    -------
    ndarray of shape (n_maps, n_maps)
        Entry ``[k, l]`` is the `similarity` of the maps k and l.

    See Also
    --------
    similarity : Return the cosine similarity of the weights of two maps.
    cogmap.maps.experts.clusters : Group people who think alike, by hierarchical clustering of their maps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.indices import similarity_matrix
    >>> one = FuzzyCognitiveMap([[0, 1], [1, 0]], concepts=["fish", "weed"])
    >>> similarity_matrix([one, one.replace(weights=[[0, 1], [0, 0]])]).round(2)
    array([[1.  , 0.71],
           [0.71, 1.  ]])
    """
    _, weights, _ = stacked([check_map(fcm, "similarity_matrix", "maps") for fcm in maps])
    flat = weights.reshape(len(weights), -1)
    size = np.abs(flat).max(axis=1, initial=0.0)
    flat = flat / np.where(size > 0.0, size, 1.0)[:, np.newaxis]
    length = np.sqrt((flat * flat).sum(axis=1))
    flat /= np.where(length > 0.0, length, 1.0)[:, np.newaxis]
    result = np.clip(flat @ flat.T, -1.0, 1.0)
    empty = length == 0.0
    result[np.outer(empty, empty)] = 1.0
    np.fill_diagonal(result, 1.0)
    return result
