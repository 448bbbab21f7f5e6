"""Edges and bounds that an expert fixes."""

import numpy as np
import pytest

from cogmap._learning.structure import weight_limits
from cogmap.exceptions import ParameterError

CONCEPTS = ["rain", "mood", "class=yes"]


def limits(edges=None, bounds=None):
    return weight_limits(edges, bounds, CONCEPTS, "FCMClassifier")


def test_nothing_fixed_is_no_limit():
    """None and None leave all weights free."""
    assert limits() is None


def test_named_edges_go_from_column_to_row():
    """(from, to) allows W[to, from] alone."""
    low, high = limits([("rain", "mood"), ("mood", "class=yes")])
    allowed = np.zeros((3, 3), dtype=bool)
    allowed[1, 0] = allowed[2, 1] = True
    assert np.array_equal(low == -np.inf, allowed)
    assert np.array_equal(high == np.inf, allowed)
    assert not low[~allowed].any()
    assert not high[~allowed].any()


def test_an_array_of_edges_is_read_like_weights():
    """edges[i, j] allows j to influence i; nested lists do too."""
    mask = np.eye(3, dtype=bool)
    for edges in (mask, mask.tolist()):
        low, _ = limits(edges)
        assert np.array_equal(low == -np.inf, mask)


def test_bounds_of_numbers_and_of_arrays():
    """One pair for all, or one for each, with edges on top."""
    low, high = limits(bounds=(-1, 2))
    assert (low == -1).all()
    assert (high == 2).all()
    sign = np.zeros((3, 3))
    sign[0, 1] = -np.inf
    low, high = limits(edges=np.ones((3, 3), dtype=bool), bounds=(sign, np.inf))
    assert low[0, 1] == -np.inf
    assert low[1, 0] == 0


@pytest.mark.parametrize(
    ("edges", "bounds", "message"),
    [
        ([("rain", "moood")], None, "edges.*'moood'.*Did you mean 'mood'"),
        ([("rain", "xyz")], None, "edges.*The concepts are"),
        ([("rain",)], None, r"edges.*\(from, to\)"),
        (["rain"], None, r"edges.*\(from, to\)"),
        ([], None, "edges.*nothing to learn"),
        (np.zeros((3, 3), dtype=bool), None, "edges.*nothing to learn"),
        (5, None, "edges.*got 5"),
        (True, None, "edges.*got True"),
        ("rain", None, "edges.*got 'rain'"),
        ([("rain", "mood"), ("rain",)], None, r"edges.*got \('rain',\)"),
        ([(["rain"], "mood")], None, "edges.*names of concepts"),
        (np.ones((3, 3), dtype=int), None, "edges.*needs .astype"),
        (np.ones((2, 2), dtype=bool), None, r"edges.*shape \(3, 3\)"),
        (None, (1, -1), "weight_bounds.*low <= high"),
        (None, (0, np.nan), "weight_bounds"),
        (None, (np.inf, np.inf), "weight_bounds"),
        (None, 3, "weight_bounds"),
        (None, (1, 2, 3), "weight_bounds"),
        (None, ("a", "b"), "weight_bounds"),
        (None, (np.zeros((2, 2)), 1), r"weight_bounds.*\(3, 3\)"),
        ([("rain", "mood")], (1, 2), "weight_bounds.*with 0 in it"),
    ],
)
def test_wrong_structure_is_told(edges, bounds, message):
    """Each mistake gets its own message."""
    with pytest.raises(ParameterError, match=message):
        limits(edges, bounds)
