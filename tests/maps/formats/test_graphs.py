"""DOT, GraphML and networkx: graphs of other programs, and ours for them."""

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap, read_map, write_map
from cogmap.exceptions import DataError, ParameterError
from cogmap.integrations.networkx import from_networkx, to_networkx

EDGES = [("laws", "pollution", -0.5), ("pollution", "fish stock", -1.0), ("fish stock", "laws", 0.25)]
DETAILS = {
    "author": "us",
    "concepts": {"laws": {"x": 10.5, "y": -20.0, "external": True}, "fish stock": {"notes": "a <lake> & 'more'"}},
    "edges": {"laws": {"pollution": {"lag": 2.0}, "laws": {}}},
}
MAP = FuzzyCognitiveMap.from_edges(EDGES, bias=[0.1, 0, 0], slope=5, details=DETAILS)


def test_networkx_there_and_back():
    """With bias, slope and all details; the adjacency matrix of networkx has sources as rows."""
    graph = to_networkx(MAP)
    assert np.array_equal(nx.to_numpy_array(graph, nodelist=MAP.concepts), MAP.weights.T)
    assert graph.nodes["laws"] == {"x": 10.5, "y": -20.0, "external": True, "bias": 0.1, "slope": 5.0}
    assert from_networkx(graph) == MAP
    assert from_networkx(graph).details == DETAILS
    held = FuzzyCognitiveMap([[0, 0], [1, 0]], concepts=["rain", "fish"], held=["rain"])
    assert to_networkx(held).nodes["rain"] == {"held": True}
    assert from_networkx(to_networkx(held)) == held


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6))
def test_random_graphs_keep_their_edges(seed, n):
    """Nodes that are numbers, edges without a weight, attributes that no file could keep."""
    graph = nx.gnp_random_graph(n, 0.4, seed, directed=True)
    nx.set_node_attributes(graph, {node: object() for node in graph}, "what")
    fcm = from_networkx(graph)
    assert fcm.concepts == tuple(map(str, range(n)))
    assert np.array_equal(fcm.weights, nx.to_numpy_array(graph).T)


def test_graphs_that_are_no_maps():
    """No direction, no graph, nodes of the same name, weights that are no numbers."""
    with pytest.raises(ParameterError, match="must be a directed graph"):
        from_networkx(nx.path_graph(3))
    with pytest.raises(ParameterError, match="must be a directed networkx graph, got 3"):
        from_networkx(3)
    with pytest.raises(ParameterError, match="must be a FuzzyCognitiveMap, got 3"):
        to_networkx(3)
    with pytest.raises(DataError, match="already a concept named '1'"):
        from_networkx(nx.DiGraph([(1, "1")]))
    with pytest.raises(DataError, match="the edge from 1 to 2 has the weight 'high', which is not a number"):
        from_networkx(nx.DiGraph([(1, 2, {"weight": "high"})]))
    parallel = nx.MultiDiGraph([("a", "b", {"weight": 1}), ("a", "b", {"weight": 2})])
    with pytest.raises(DataError, match="the edge from 'a' to 'b' has two weights, 1 and 2"):
        from_networkx(parallel)


def test_networkx_reads_our_graphml(tmp_path):
    """Names are nodes, weights are numbers, drivers are booleans."""
    write_map(MAP, tmp_path / "map.graphml")
    graph = nx.read_graphml(tmp_path / "map.graphml")
    assert {(s, t): w for s, t, w in graph.edges(data="weight") if w} == {(s, t): w for s, t, w in EDGES}
    assert graph.nodes["laws"]["external"] is True
    assert graph.nodes["laws"]["x"] == 10.5
    assert from_networkx(graph) == MAP


def test_we_read_the_graphml_and_json_of_networkx(tmp_path):
    """Arrows, weights and attributes."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(EDGES)
    graph.nodes["laws"]["group"] = "policy"
    nx.write_graphml(graph, tmp_path / "map.graphml")
    (tmp_path / "map.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    for name in ("map.graphml", "map.json"):
        fcm = read_map(tmp_path / name)
        assert fcm == FuzzyCognitiveMap.from_edges(EDGES)
        assert fcm.details["concepts"]["laws"]["group"] == "policy"


YED = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key for="node" id="d6" yfiles.type="nodegraphics"/><key for="edge" id="d10" yfiles.type="edgegraphics"/>
<graph edgedefault="directed" id="G">
<node id="n0"><data key="d6"><y:ShapeNode><y:Geometry height="30" x="100.5" y="-20"/><y:NodeLabel>laws</y:NodeLabel>
</y:ShapeNode></data></node>
<node id="n1"><data key="d6"><y:ShapeNode><y:NodeLabel>fish</y:NodeLabel></y:ShapeNode></data></node>
<edge id="e0" source="n0" target="n1"><data key="d10"><y:PolyLineEdge><y:EdgeLabel>-0.5<y:LabelModel/></y:EdgeLabel>
</y:PolyLineEdge></data></edge></graph></graphml>"""


def test_graphml_of_yed(tmp_path):
    """Names and weights are labels there; places are kept."""
    (tmp_path / "map.graphml").write_text(YED)
    fcm = read_map(tmp_path / "map.graphml")
    assert fcm == FuzzyCognitiveMap.from_edges([("laws", "fish", -0.5)])
    assert fcm.details["concepts"] == {"laws": {"x": 100.5, "y": -20}}


def test_defaults_of_graphml(tmp_path):
    """A key may have a value for all edges that say none."""
    (tmp_path / "map.graphml").write_text(
        '<graphml><key id="w" for="edge" attr.name="weight"><default>0.5</default></key><graph edgedefault="directed">'
        '<node id="a"/><node id="b"/><edge source="a" target="b"/><edge source="b" target="a"><data key="w">-1</data>'
        "</edge></graph></graphml>"
    )
    assert read_map(tmp_path / "map.graphml") == FuzzyCognitiveMap.from_edges([("a", "b", 0.5), ("b", "a", -1)])


DOTS = {
    "weights": "digraph { a -> b [weight=0.5]; b -> c [weight=-1] }",
    "labels": 'digraph { a -> b [label="+0.5"]; b -> c [label="\N{MINUS SIGN}1"] }',
    "words": 'digraph { a -> b [label="medium"]; b -> c [label="very strong negative"] }',
    "influence before others": "digraph { a -> b [weight=9 label=7 influence=.5] b -> c [influence=-1, weight=2] }",
    "ids and labels": "strict digraph G {1[label=a] 2[label=b]; n3[label=<<b>c</b>>]\n1->2[label=.5]\n2->n3[label=-1]}",
    "comments": '// one\n# two\ndigraph /* three\n four */ "x" { a -> b [weight=".5"] // five\n b -> c [weight=-1]}',
    "defaults": "digraph { edge [weight=0.5 color=red]; node [shape=box] a -> b; edge [weight=-1] b -> c }",
    "defaults of a subgraph": "digraph { subgraph cluster_1 { edge [weight=.5]; a -> b } b -> c [weight=-1] }",
    "ports": "digraph { a:n -> b:p1:sw [weight=.5]; b:e -> c [weight=-1]; rankdir=LR; graph [bgcolor=white] }",
    "broken lines": 'digraph { a -> "b" [weight="0\\\n.5"] ; b -> "c" + "" [weight=-1] }',
    "keywords as names": 'DIGRAPH { a -> b [weight=.5]; b -> c [weight=-1]; "node"; "node" -> "node" [weight=0] }',
}


@pytest.mark.parametrize("layout", DOTS)
def test_dot(tmp_path, layout):
    """As people and programs write it."""
    (tmp_path / "map.dot").write_text(DOTS[layout], encoding="utf-8")
    fcm = read_map(tmp_path / "map.dot")
    found = {(fcm.concepts[j], fcm.concepts[i]): w for (i, j), w in np.ndenumerate(fcm.weights) if w}
    assert found == {("a", "b"): 0.5, ("b", "c"): -1.0}


def test_chains_and_groups_of_dot(tmp_path):
    """As in ``a -> b -> c`` and ``{a b} -> {c d}``."""
    (tmp_path / "map.gv").write_text("digraph { a -> b -> c [weight=1]; {a b} -> {c; d} [weight=-.5] }")
    with pytest.raises(DataError, match="the edge from 'b' to 'c' has two weights"):
        read_map(tmp_path / "map.gv")
    (tmp_path / "map.gv").write_text("digraph { a -> b -> c [weight=1]; {a b} -> {d e} [weight=-.5] }")
    fcm = read_map(tmp_path / "map.gv")
    assert fcm.concepts == ("a", "b", "c", "d", "e")
    assert np.array_equal(fcm.weights[:, 0], [0, 1, 0, -0.5, -0.5])


def test_places_in_dot_grow_upwards(tmp_path):
    """In Graphviz y does; in details it grows downwards, as on a screen."""
    (tmp_path / "map.dot").write_text('digraph { a [pos="10.5,20!"]; a -> a [weight=1] }')
    assert read_map(tmp_path / "map.dot").details["concepts"]["a"] == {"x": 10.5, "y": -20}
    write_map(MAP, tmp_path / "map.dot")
    assert 'pos="10.5,20!"' in (tmp_path / "map.dot").read_text()
