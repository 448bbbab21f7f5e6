"""Groups of people who think alike, found by clustering their maps."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_integer
from cogmap.maps._arguments import check_maps
from cogmap.maps.indices import similarity_matrix
from cogmap.maps.map import FuzzyCognitiveMap

Array = NDArray[np.float64]

_APART = 0.5 + 1e-9  # mean distance above which clusters are not joined


@dataclass(frozen=True, eq=False)
class Clusters:
    """Groups of people whose maps are similar.

    Attributes
    ----------
    labels : ndarray of int, of shape (n_maps,)
        Cluster of each map: 1, 2, ... in order of first appearance.
    merges : ndarray of shape (n_maps - 1, 4)
        The hierarchy, as `scipy.cluster.hierarchy.linkage` returns it: in each row the two clusters joined, the
        distance at which they are joined, and the number of maps.
    similarity : ndarray of shape (n_maps, n_maps)
        Pairwise similarity of the maps.

    See Also
    --------
    clusters : Group people who think alike, by hierarchical clustering of their maps.
    cogmap.maps.indices.similarity_matrix : Return the pairwise similarity of maps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import clusters
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> clusters([one, one.replace(weights=[[0, 0], [-0.8, 0]]), one]).groups()
    [[0, 2], [1]]
    """

    labels: NDArray[np.intp]
    merges: Array
    similarity: Array

    def groups(self) -> list[list[int]]:
        """Return the indices of the maps of each cluster.

        Returns
        -------
        list of list of int
            Positions of the maps of each cluster, counted from 0.
        """
        return [np.flatnonzero(self.labels == label).tolist() for label in range(1, int(self.labels.max()) + 1)]


def clusters(maps: Iterable[FuzzyCognitiveMap], n_clusters: int | None = None) -> Clusters:
    """Group people who think alike, by hierarchical clustering of their maps.

    The distance of two maps is 1 minus their `similarity`; that of two clusters is the mean distance of their maps.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap
        The maps.
    n_clusters : int, default=None
        Number of clusters. None joins clusters while their mean similarity is at least 0.5.

    Returns
    -------
    Clusters
        Cluster of each map, and the hierarchy.

    See Also
    --------
    cogmap.maps.indices.similarity_matrix : Return the pairwise similarity of maps.
    disagreement : Measure how much experts disagree about each edge.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import clusters
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> clusters([one, one.replace(weights=[[0, 0], [-0.8, 0]]), one]).labels
    array([1, 2, 1])
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # here, because it is slow to import
    from scipy.spatial.distance import squareform

    maps = check_maps(maps, "clusters")
    if n_clusters is not None:
        n_clusters = check_integer("clusters", "n_clusters", n_clusters, low=1)
    similar = similarity_matrix(maps)
    if len(maps) == 1:
        return Clusters(np.ones(1, dtype=np.intp), np.empty((0, 4)), similar)
    apart = 1.0 - similar
    merges = linkage(squareform(apart, checks=False), "average")
    found = fcluster(merges, _APART, "distance") if n_clusters is None else fcluster(merges, n_clusters, "maxclust")
    order = list(dict.fromkeys(found.tolist()))
    return Clusters(np.array([order.index(label) + 1 for label in found], dtype=np.intp), merges, similar)
