"""Edges and bounds that an expert fixes."""

import numpy as np
import pytest

from cogmap._learning.concepts import Concepts
from cogmap._learning.structure import weight_limits
from cogmap.exceptions import ParameterError

CONCEPTS = Concepts.of(["rain", "mood"], 0, ["class=yes"])
SELF = np.eye(3, dtype=bool)


def limits(edges=None, bounds=None):
    return weight_limits(edges, bounds, CONCEPTS, "FCMClassifier")


def test_nothing_fixed_is_no_limit():
    """None and None leave all weights free."""
    assert limits() is None


def test_named_edges_go_from_column_to_row():
    """(from, to) allows W[to, from]; and each concept may influence itself."""
    low, high = limits([("rain", "mood"), ("mood", "class=yes")])
    allowed = SELF.copy()
    allowed[1, 0] = allowed[2, 1] = True
    assert np.array_equal(low == -np.inf, allowed)
    assert np.array_equal(high == np.inf, allowed)
    assert not low[~allowed].any()
    assert not high[~allowed].any()


def test_edges_in_a_dict_say_of_which_sign_they_are():
    """Or in which range, or nothing; what is said of a concept's influence on itself holds too."""
    low, high = limits({("rain", "mood"): "+", ("mood", "class=yes"): (-3, None), ("rain", "rain"): "-"})
    assert low.tolist() == [[-np.inf, 0, 0], [0, -np.inf, 0], [0, -3, -np.inf]]
    assert high.tolist() == [[0, 0, 0], [np.inf, np.inf, 0], [0, np.inf, np.inf]]
    free = limits({("rain", "mood"): None}), limits([("rain", "mood")])
    assert all(np.array_equal(a, b) for a, b in zip(*free, strict=True))


def test_an_array_of_edges_is_read_like_weights():
    """edges[i, j] allows j to influence i, and nothing else is allowed; nested lists do too."""
    mask = np.eye(3, k=1, dtype=bool)
    for edges in (mask, mask.tolist()):
        low, high = limits(edges)
        assert np.array_equal(low == -np.inf, mask)
        assert np.array_equal(high == np.inf, mask)


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
    ("said", "expected"),
    [
        ("+", (0, np.inf)),
        ("-", (-np.inf, 0)),
        (None, (-np.inf, np.inf)),
        ((0, None), (0, np.inf)),
        ((None, -1.5), (-np.inf, -1.5)),
        ([-1, 1], (-1, 1)),
        (np.array([-1, 1]), (-1, 1)),
        ((0, 0), (0, 0)),
    ],
)
def test_bounds_by_name_leave_all_else_free(said, expected):
    """A sign, or a range in which None is no bound."""
    low, high = limits(bounds={("rain", "class=yes"): said})
    assert (low[2, 0], high[2, 0]) == expected
    elsewhere = np.ones((3, 3), dtype=bool)
    elsewhere[2, 0] = False
    assert (low[elsewhere] == -np.inf).all()
    assert (high[elsewhere] == np.inf).all()


def test_edges_and_bounds_hold_together():
    """An edge has its range in both; what is no edge has none."""
    low, high = limits({("rain", "mood"): "+"}, (-2, 3))
    assert (low[1, 0], high[1, 0]) == (0, 3)
    assert (low[0, 1], high[0, 1]) == (0, 0)
    assert (low[0, 0], high[0, 0]) == (-2, 3)


@pytest.mark.parametrize(
    ("edges", "bounds", "message"),
    [
        ([("rain", "moood")], None, "edges.*'moood'.*Did you mean 'mood'"),
        ([("rain", "xyz")], None, r"edges.*features are \['rain', 'mood'\], the outputs \['class=yes'\]"),
        ([("rain", "yes")], None, "edges.*got 'yes'. Did you mean 'class=yes'"),
        ([("rain",)], None, r"edges.*\(from, to\)"),
        (["rain"], None, r"edges.*\(from, to\)"),
        ([], None, "edges.*nothing to learn"),
        ({}, None, "edges.*nothing to learn"),
        (np.zeros((3, 3), dtype=bool), None, "edges.*nothing to learn"),
        (5, None, "edges.*got 5"),
        (True, None, "edges.*got True"),
        ("rain", None, "edges.*got 'rain'"),
        ([("rain", "mood"), ("rain",)], None, r"edges.*got \('rain',\)"),
        ([(["rain"], "mood")], None, "edges.*names of concepts"),
        (np.ones((3, 3), dtype=int), None, "edges.*needs .astype"),
        (np.ones((2, 2), dtype=bool), None, r"edges.*shape \(3, 3\)"),
        ({("rain", "moood"): "+"}, None, "edges.*'moood'.*Did you mean 'mood'"),
        ({"rain": "+"}, None, r"edges.*dict with such names as keys, got 'rain'"),
        ({("rain", "mood"): "++"}, None, r"edges.*'\+', '-' or \(low, high\).*'rain' -> 'mood', got '\+\+'"),
        (None, (1, -1), "weight_bounds.*low <= high"),
        (None, (0, np.nan), "weight_bounds"),
        (None, (np.inf, np.inf), "weight_bounds"),
        (None, 3, "weight_bounds"),
        (None, (1, 2, 3), "weight_bounds"),
        (None, ("a", "b"), "weight_bounds"),
        (None, (np.zeros((2, 2)), 1), r"weight_bounds.*\(3, 3\)"),
        (None, {("rain", "moood"): "+"}, "weight_bounds.*'moood'.*Did you mean 'mood'"),
        (None, {("rain", "sun"): "+"}, "weight_bounds.*The features are"),
        (None, {"rain": (0, 1)}, r"weight_bounds.*\(from, to\) names, got 'rain'"),
        (None, {("rain", "mood"): "up"}, "weight_bounds.*'rain' -> 'mood', got 'up'. Use None"),
        (None, {("rain", "mood"): (1, 0)}, r"weight_bounds.*low <= high for 'rain' -> 'mood', got \(1, 0\)"),
        (None, {("rain", "mood"): (0, np.nan)}, "weight_bounds.*low <= high"),
        (None, {("rain", "mood"): (np.inf, None)}, "weight_bounds.*low <= high"),
        (None, {("rain", "mood"): ("0", "1")}, "weight_bounds.*low <= high"),
        (None, {("rain", "mood"): (0, 1, 2)}, "weight_bounds.*low <= high"),
        (None, {("rain", "mood"): 1}, "weight_bounds.*low <= high"),
        ([("rain", "mood")], (1, 2), "weight_bounds.*compatible with `edges`, which allows no influence.*Change one"),
        ({("rain", "mood"): "-"}, {("rain", "mood"): (1, 2)}, r"allows \[-inf, 0\] there, got \[1, 2\] for 'rain' ->"),
    ],
)
def test_wrong_structure_is_told(edges, bounds, message):
    """Each mistake gets its own message."""
    with pytest.raises(ParameterError, match=message):
        limits(edges, bounds)
