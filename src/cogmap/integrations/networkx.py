"""Conversion between maps and networkx graphs, and community detection."""

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import check_integer, param_error
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError, ParameterError
from cogmap.maps._arguments import check_map
from cogmap.maps._checks import json_copy
from cogmap.maps.formats.drawing import PARAMETERS, Drawing, Edge, edges_of, said_about
from cogmap.maps.formats.words import as_number
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["communities", "from_networkx", "to_networkx"]

nx = import_or_raise("networkx", "cogmap.integrations.networkx", "networkx")


def to_networkx(fcm: FuzzyCognitiveMap) -> Any:
    """Convert a map to a directed graph.

    An edge points from the influencing to the influenced concept and has the attribute ``weight``. The adjacency
    matrix of the graph, whose rows are sources, is therefore the transpose of `FuzzyCognitiveMap.weights`. Details of
    concepts, and their bias, slope and activation unless these are the default, become node attributes; that of a held
    concept is ``held=True``.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.

    Returns
    -------
    networkx.DiGraph
        A graph with one node per concept.

    See Also
    --------
    from_networkx : Convert a directed graph to a map.
    communities : Return groups of concepts that influence each other more than other concepts, largest first.
    cogmap.FuzzyCognitiveMap.to_edges : Return the edges, the nonzero weights; the inverse of `from_edges`.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.integrations.networkx import to_networkx
    >>> graph = to_networkx(FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 0.8), ("sun", "umbrellas", -0.5)]))
    >>> list(graph.edges(data="weight"))
    [('rain', 'umbrellas', 0.8), ('sun', 'umbrellas', -0.5)]
    """
    check_map(fcm, "to_networkx")
    details, about = fcm.details, said_about(fcm)
    graph = nx.DiGraph()
    graph.graph.update({key: value for key, value in details.items() if key not in ("concepts", "edges")})
    for name in fcm.concepts:
        graph.add_node(name, **about.get(name, {}) | ({"held": True} if name in fcm.held else {}))
    for source, target, weight, attributes in edges_of(fcm):
        graph.add_edge(source, target, **attributes | {"weight": weight})
    return graph


def from_networkx(graph: Any) -> FuzzyCognitiveMap:
    """Convert a directed graph to a map.

    The ``weight`` of an edge from a to b is the influence of a on b; edges without a weight have weight 1, as is usual
    in networkx. Attributes of nodes and edges become details of the map if a map file can store them.

    Parameters
    ----------
    graph : networkx.DiGraph
        The graph. Nodes that are not strings are named by ``str(node)``.

    Returns
    -------
    FuzzyCognitiveMap
        A map with one concept per node.

    See Also
    --------
    to_networkx : Convert a map to a directed graph.
    cogmap.FuzzyCognitiveMap.from_edges : Return a map with the given edges.

    Examples
    --------
    >>> import networkx as nx
    >>> from cogmap.integrations.networkx import from_networkx
    >>> graph = nx.DiGraph()
    >>> graph.add_edge("rain", "umbrellas", weight=0.8)
    >>> from_networkx(graph).to_edges()
    [('rain', 'umbrellas', 0.8)]
    """
    if not isinstance(graph, nx.Graph):
        raise param_error("from_networkx", "graph", "a directed networkx graph", graph)
    if not graph.is_directed():
        raise param_error("from_networkx", "graph", "a directed graph", graph, "The edges of a map have a direction.")
    drawing = Drawing(
        details={key: value for key, value in _storable(graph.graph).items() if key not in ("concepts", "edges")}
    )
    names = {node: str(node) for node in graph.nodes}
    for node, attributes in graph.nodes(data=True):
        about = _storable({key: value for key, value in attributes.items() if key not in PARAMETERS})
        about |= {key: value for key, value in attributes.items() if key in PARAMETERS}
        if attributes.get("held") is True:
            del about["held"]
            drawing.held.append(names[node])
        drawing.add(names[node], "the nodes of the graph", about)
    for source, target, attributes in graph.edges(data=True):
        where = f"the edge from {quoted(source)} to {quoted(target)}"
        weight = attributes.get("weight", 1.0)
        weight = weight.item() if hasattr(weight, "item") else weight
        if as_number(weight) is None or isinstance(weight, str):
            raise DataError(f"{where} has the weight {quoted(weight)}, which is not a number.")
        about = _storable({key: value for key, value in attributes.items() if key != "weight"})
        drawing.edges.append(Edge(names[source], names[target], float(weight), partial(str, where), about))
    return drawing.to_map()


def _storable(attributes: dict[Any, Any]) -> dict[str, Any]:
    """Return the attributes that map details can store."""
    storable: dict[str, Any] = {}
    for key, value in attributes.items():
        with suppress(ParameterError):
            storable |= json_copy({key: value}, "details")
    return storable


def communities(fcm: FuzzyCognitiveMap, seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """Return groups of concepts that influence each other more than other concepts, largest first.

    Uses the Louvain method on the absolute weights, ignoring direction.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    seed : int, default=0
        Seed of the order in which concepts are visited.

    Returns
    -------
    tuple of tuple of str
        Concept names of each group.

    See Also
    --------
    to_networkx : Convert a map to a directed graph.
    cogmap.maps.indices.indices : Compute the structural indices of a map.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.integrations.networkx import communities
    >>> edges = [("rain", "river", 1), ("river", "fish", 1), ("fish", "river", -0.5), ("jobs", "taxes", 0.7)]
    >>> communities(FuzzyCognitiveMap.from_edges(edges))
    (('rain', 'river', 'fish'), ('jobs', 'taxes'))
    """
    check_map(fcm, "communities")
    sizes = np.abs(fcm.weights) + np.abs(fcm.weights).T
    seed = check_integer("communities", "seed", seed, low=0)
    groups = nx.community.louvain_communities(nx.from_numpy_array(sizes), seed=seed)
    ordered = sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))
    return tuple(tuple(fcm.concepts[i] for i in group) for group in ordered)
