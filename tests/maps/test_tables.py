"""Maps from and to lists of edges and data frames."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError

EDGES = [("rain", "umbrellas", 0.8), ("sun", "umbrellas", -0.5), ("sun", "rain", -1), ("umbrellas", "umbrellas", 0.1)]
MAP = FuzzyCognitiveMap.from_edges(EDGES)


def test_edges_point_from_source_to_target():
    """weights[target, source], with concepts in order of appearance or in the given order."""
    assert MAP.concepts == ("rain", "umbrellas", "sun")
    assert np.array_equal(MAP.weights, [[0, 0, -1], [0.8, 0.1, -0.5], [0, 0, 0]])
    other = FuzzyCognitiveMap.from_edges(iter(EDGES), ["sun", "snow", "rain", "umbrellas"], slope=3, activation="tanh")
    assert other.weights[3, 0] == -0.5
    assert (other.n_concepts, other.slope, other.activation) == (4, 3, "tanh")


def test_rows_determines_the_direction_of_edges():
    """The adjacency matrix of networkx, whose rows are sources, is the outside oracle."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(EDGES)
    frame = nx.to_pandas_adjacency(graph)
    assert FuzzyCognitiveMap.from_frame(frame, rows="source") == MAP
    assert FuzzyCognitiveMap.from_frame(frame.T, rows="target") == MAP
    pd.testing.assert_frame_equal(MAP.to_frame(rows="source"), frame)
    pd.testing.assert_frame_equal(MAP.to_frame(rows="target"), frame.T)


@given(arrays(float, (4, 4), elements=st.floats(-5, 5)), st.sampled_from(["source", "target"]))
def test_frames_round_trip(weights, rows):
    """The round trip returns the same map for either meaning of rows."""
    fcm = FuzzyCognitiveMap(weights)
    assert FuzzyCognitiveMap.from_frame(fcm.to_frame(rows), rows) == fcm


def test_names_of_rows_may_be_the_index_or_the_first_column_in_any_order():
    """As a frame comes from a CSV file, from pandas or polars."""
    frame = MAP.to_frame("source")
    shuffled = frame.loc[["sun", "rain", "umbrellas"]]
    assert FuzzyCognitiveMap.from_frame(shuffled, "source") == MAP
    assert FuzzyCognitiveMap.from_frame(shuffled.reset_index(), "source") == MAP
    assert FuzzyCognitiveMap.from_frame(pl.DataFrame(shuffled.reset_index().to_dict("list")), "source") == MAP
    assert FuzzyCognitiveMap.from_frame(frame.reset_index(drop=True), "source") == MAP
    assert FuzzyCognitiveMap.from_frame(pl.DataFrame(frame.to_dict("list")), "source") == MAP


FRAME = MAP.to_frame("source")
WRONG = {
    "no triples": (lambda: FuzzyCognitiveMap.from_edges([("a", "b")]), r"\('a', 'b'\) as edge 0"),
    "not even edges": (lambda: FuzzyCognitiveMap.from_edges(3), "a sequence of triples"),
    "text as edge": (lambda: FuzzyCognitiveMap.from_edges(["abc"]), "'abc' as edge 0"),
    "numbers as names": (lambda: FuzzyCognitiveMap.from_edges([(1, 2, 0.5)]), "concept names as strings"),
    "unknown concept": (
        lambda: FuzzyCognitiveMap.from_edges(EDGES, ["rain", "umbrella", "sun"]),
        "got 'umbrellas'. Did you mean 'umbrella'?",
    ),
    "text as weight": (lambda: FuzzyCognitiveMap.from_edges([("a", "b", "high")]), "with numeric weights"),
    "NaN as weight": (lambda: FuzzyCognitiveMap.from_edges([("a", "b", np.nan)]), "finite numbers"),
    "two weights": (
        lambda: FuzzyCognitiveMap.from_edges([*EDGES, ("sun", "rain", 2)]),
        "-1 and 2 from 'sun' to 'rain'",
    ),
    "no edges": (lambda: FuzzyCognitiveMap.from_edges([]), r"got shape \(0, 0\)"),
    "no frame": (lambda: FuzzyCognitiveMap.from_frame([[1]], "source"), "a data frame"),
    "no rows": (lambda: FuzzyCognitiveMap.from_frame(FRAME, "sources"), "Did you mean 'source'?"),
    "no rows out": (lambda: MAP.to_frame("column"), "one of 'source', 'target'"),
    "missing row": (lambda: FuzzyCognitiveMap.from_frame(FRAME.iloc[1:], "source"), "no row for 'rain'"),
    "missing column": (lambda: FuzzyCognitiveMap.from_frame(FRAME.iloc[:, 1:], "source"), "no column for 'rain'"),
    "two rows": (lambda: FuzzyCognitiveMap.from_frame(pd.concat([FRAME, FRAME]), "source"), "two of row 'rain'"),
    "not square": (lambda: FuzzyCognitiveMap.from_frame(pd.DataFrame({"a": [1, 2, 3]}), "source"), "3 rows and 1"),
    "text": (
        lambda: FuzzyCognitiveMap.from_frame(FRAME.map(lambda value: "x" if value == 0.8 else value), "source"),
        "with text cells",
    ),
}


@pytest.mark.parametrize("call", WRONG)
def test_invalid_tables_raise(call):
    """Each error names the problem."""
    make, message = WRONG[call]
    with pytest.raises(ParameterError, match=message):
        make()


def test_rows_has_no_default():
    """A wrong guess would reverse all edges."""
    with pytest.raises(TypeError, match="rows"):
        FuzzyCognitiveMap.from_frame(FRAME)
    with pytest.raises(TypeError, match="rows"):
        MAP.to_frame()
