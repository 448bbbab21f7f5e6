"""Names that mean the same, clusters of people, and weights as linguistic terms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import DataError, ParameterError
from cogmap.maps.experts import clusters, combine, match_names, unify_names
from cogmap.maps.indices import similarity_matrix
from cogmap.maps.matching import likeness

SAME = [
    (["Rainfall", "rain fall"], "spelling"),
    (["Pollution", "polution"], "spelling"),
    (["fertilizer", "Fertiliser"], "spelling"),
    (["Natural Beauty", "natural  beauty "], "spelling"),
    (["Café", "cafe"], "spelling"),
    (["city", "Cities"], "plural"),
    (["fish", "Fishes"], "plural"),
    (["box", "boxes"], "plural"),
    (["雨量", " 雨量"], "spelling"),
]
APART = [["Practice 1: logging", "Practice 2: logging"], ["gas", "bus"], ["C1", "C2"], ["fish", "fishing boats"]]


@pytest.mark.parametrize(("names", "why"), SAME)
def test_names_that_mean_the_same(names, why):
    """Case, accents, blanks, a letter, a plural."""
    assert match_names([[name] for name in names]) == [(tuple(names), why)]


@pytest.mark.parametrize("names", APART)
def test_names_that_do_not(names):
    """Other numbers, short names, other words."""
    assert match_names([[name] for name in names]) == []


def test_concepts_of_one_map_never_match():
    """Their author distinguishes them, as in a file of Mental Modeler with "Natural Beauty" twice."""
    assert match_names([["Natural Beauty", "Natural Beauty "]]) == []
    (match,) = match_names([["Natural Beauty", "Natural Beauty "], ["natural beauty"]])
    assert match.names == ("Natural Beauty", "natural beauty")


def test_translations():
    """A table of the user, whatever the case; a table that is none is refused."""
    (match,) = match_names([["Regen"], ["rain"]], {"regen": "Rain"})
    assert match == (("Regen", "rain"), "translation")
    with pytest.raises(ParameterError, match="translations"):
        match_names([["a"]], ["Regen"])


def test_unified_maps_combine():
    """After confirmation the maps share the concept; details and weights follow the name."""
    one = FuzzyCognitiveMap.from_edges([("rain", "fish", 0.5)], details={"concepts": {"fish": {"x": 1, "y": 2}}})
    two = FuzzyCognitiveMap.from_edges([("Rain ", "Fishes", 1.0)], details={"concepts": {"Fishes": {"notes": "n"}}})
    maps = unify_names([one, two], match_names([one, two]))
    merged = combine(maps)
    assert merged.concepts == ("rain", "fish")
    assert merged.weights[1, 0] == 0.75
    assert merged.details["concepts"]["fish"] == {"x": 1, "y": 2, "notes": "n"}


def test_bad_matches_are_refused():
    """A name in two matches, and a match that joins two concepts of one map."""
    fcm = FuzzyCognitiveMap.from_edges([("a", "b", 1.0)])
    with pytest.raises(DataError, match="'a' in two matches"):
        unify_names([fcm], [("x", "a"), ("y", "a")])
    with pytest.raises(DataError, match="Two concepts of one map would be named 'a'"):
        unify_names([fcm], [("a", "b")])


@settings(max_examples=60, deadline=None)
@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_likeness_is_a_similarity(a, b):
    """Symmetric, 1 for equal strings only, and one swap or letter costs one edit."""
    assert likeness(a, b) == likeness(b, a)
    assert (likeness(a, b) == 1.0) == (a == b)
    assert likeness(a + "xy", a + "yx") == 1 - 1 / (len(a) + 2)
    assert likeness(a, a + "x") == 1 - 1 / (len(a) + 1)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 7))
def test_clusters_are_those_of_scipy(seed, k):
    """Average linkage of 1 - similarity, with labels in order of appearance."""
    random = np.random.default_rng(seed)
    maps = [FuzzyCognitiveMap(random.normal(size=(3, 3))) for _ in range(k)]
    found = clusters(maps)
    merges = linkage(squareform(1 - similarity_matrix(maps), checks=False), "average")
    expected = fcluster(merges, 0.5, "distance")
    np.testing.assert_array_equal(found.labels[:, None] == found.labels, expected[:, None] == expected)
    assert found.labels[0] == 1
    assert set(found.labels) == set(range(1, found.labels.max() + 1))
    assert sorted(k for group in found.groups() for k in group) == list(range(k))
    assert len(clusters(maps, n_clusters=2).groups()) <= 2


def test_one_map_is_one_cluster():
    """And a number of clusters must be positive."""
    fcm = FuzzyCognitiveMap([[0.0]])
    assert clusters([fcm]).groups() == [[0]]
    with pytest.raises(ParameterError, match="n_clusters"):
        clusters([fcm], n_clusters=0)


def test_terms_are_aggregated_by_membership():
    """All experts choose a term: the centroid of its triangle; two terms: in between, nearer to the more frequent."""
    high = FuzzyCognitiveMap([[0, 0], [0.75, 0]])
    medium = FuzzyCognitiveMap([[0, 0], [0.5, 0]])
    opposite = FuzzyCognitiveMap([[0, 0], [-0.75, 0]])

    def weight(*maps, **options):
        return combine(maps, "fuzzy", **options).weights[1, 0]

    assert weight(high, high) == pytest.approx(0.75)
    assert weight(high, opposite) == pytest.approx(0.0, abs=1e-12)
    assert 0.5 < weight(high, medium, medium) < weight(high, high, medium) < 0.75
    assert weight(high, medium, weights=[3, 0]) == pytest.approx(0.75)
    empty = FuzzyCognitiveMap(np.zeros((2, 2)))
    assert weight(high, empty, only_drawn=True) == pytest.approx(0.75)
    assert weight(empty, empty) == 0.0


def test_terms_against_an_integral():
    """The centroid of min(triangle, share), joined by maximum, integrated on a fine grid."""
    x = np.linspace(-1, 1, 200_001)

    def triangle(low, peak, high):
        return np.clip(np.minimum((x - low) / (peak - low), (high - x) / (high - peak)), 0, 1)

    joined = np.maximum(np.minimum(triangle(0.25, 0.5, 0.75), 2 / 3), np.minimum(triangle(-0.5, -0.25, 0), 1 / 3))
    expected = (x * joined).sum() / joined.sum()
    maps = [FuzzyCognitiveMap([[0, 0], [weight, 0]]) for weight in (0.5, 0.5, -0.25)]
    assert combine(maps, "fuzzy").weights[1, 0] == pytest.approx(expected, abs=1e-3)
