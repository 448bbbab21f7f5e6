"""What is written comes back: names, weights, bias, slopes, activations, and details where a file has room for them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap, read_map, write_map
from cogmap.exceptions import DataError

KINDS = {
    "mmp": ("map.mmp", "matrix"),
    "json": ("map.json", "matrix"),
    "csv matrix": ("map.csv", "matrix"),
    "csv edges": ("map.csv", "edges"),
    "tsv": ("map.tsv", "matrix"),
    "xlsx matrix": ("map.xlsx", "matrix"),
    "xlsx edges": ("map.xlsx", "edges"),
    "dot": ("map.dot", "matrix"),
    "graphml": ("map.graphml", "matrix"),
}
ACTIVATIONS = ["sigmoid", "logistic", "tanh"]

weights = st.one_of(st.just(0.0), st.floats(-5, 5), st.sampled_from([-1.0, 0.5, 1 / 3, 1e-300, 1e15, 123456.0]))
plain_names = st.text(st.sampled_from("aAbB z0158.,;:'\"-+/()\\#=<>&%\t\näß漢"), min_size=1, max_size=8)
plain_text = st.text(st.sampled_from("aB 1.,;\"'<&>\\=\n漢"), min_size=1, max_size=12).filter(
    lambda text: text.strip() == text
)


@st.composite
def maps(draw, names=plain_names, details=False):
    n = draw(st.integers(1, 5))
    concepts = draw(st.lists(names, min_size=n, max_size=n, unique=True))
    W = [[draw(weights) for _ in range(n)] for _ in range(n)]
    bias = draw(st.one_of(st.none(), st.lists(weights, min_size=n, max_size=n)))
    slope = draw(st.one_of(st.floats(0.1, 9), st.lists(st.floats(0.1, 9), min_size=n, max_size=n)))
    activation = draw(st.sampled_from(ACTIVATIONS))
    said = {}
    if details:
        about = st.fixed_dictionaries(
            {},
            optional={
                "x": st.floats(-1e4, 1e4),
                "y": st.integers(-999, 999),
                "group": plain_text,
                "notes": plain_text,
                "units": plain_text,
                "external": st.just(True),
            },
        )
        said = {"concepts": {name: found for name in concepts if (found := draw(about))}}
        said = {key: value for key, value in said.items() if value}
    return FuzzyCognitiveMap(W, bias, slope, concepts, activation, said)


def back(fcm, folder, kind):
    file, table = KINDS[kind]
    write_map(fcm, folder / file, table=table)
    return read_map(folder / file)


def ordinary(name):
    """Whether a name could be that of a concept in any table."""
    return name.strip() == name and name.isprintable() and any(sign.isalpha() for sign in name)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(fcm=maps(plain_names.filter(ordinary)))
def test_maps_come_back_as_they_were(tmp_path_factory, kind, fcm):
    """Bit by bit, whatever signs the names have."""
    assert back(fcm, tmp_path_factory.mktemp("maps"), kind) == fcm


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(fcm=maps(st.one_of(plain_names, st.text(max_size=4))))
def test_what_cannot_come_back_is_refused(tmp_path_factory, kind, fcm):
    """Any name at all: either the file holds it exactly, or none is written; JSON holds all."""
    folder = tmp_path_factory.mktemp("maps")
    try:
        found = back(fcm, folder, kind)
    except DataError:
        assert kind != "json"
        assert list(folder.iterdir()) == []
    else:
        assert found == fcm


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None)
@given(fcm=maps(plain_names.filter(ordinary), details=True))
def test_what_the_author_says_about_concepts_comes_back(tmp_path_factory, kind, fcm):
    """Layout, groups, notes, units and drivers; Mental Modeler adds a place to concepts that have none."""
    found = back(fcm, tmp_path_factory.mktemp("maps"), kind)
    assert found == fcm
    for name, about in fcm.details.get("concepts", {}).items():
        if kind == "dot" and {"x", "y"} & set(about) and not {"x", "y"} <= set(about):
            about = {key: value for key, value in about.items() if key not in "xy"}
        known = found.details.get("concepts", {}).get(name, {})
        assert {key: known.get(key) for key in about} == about


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-99, 99), st.floats(allow_nan=False, allow_infinity=False), st.text()
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=6,
)


# Keys of details, among them the words of our own format.
OWN_WORDS = ["name", "slope", "bias", "activation", "details", "weight", "source", "target", "format", "version"]
keys = st.one_of(st.text(), st.sampled_from(OWN_WORDS))


@given(
    about_map=st.dictionaries(keys.filter(lambda key: key not in ("concepts", "edges")), json_values, max_size=3),
    about_concept=st.dictionaries(keys.filter(lambda key: key not in "xy"), json_values, min_size=1, max_size=3),
    about_edge=st.dictionaries(keys, json_values, max_size=3),
)
@settings(deadline=None)
def test_our_json_keeps_all_details(tmp_path_factory, about_map, about_concept, about_edge):
    """Anything that JSON can hold, about the map, a concept, and an edge, also one of weight 0."""
    details = about_map | {"concepts": {"a": about_concept}, "edges": {"a": {"b": about_edge}, "b": {"b": {"lag": 2}}}}
    fcm = FuzzyCognitiveMap([[0, 1], [0, 0.5]], concepts=["a", "b"], details=details)
    assert back(fcm, tmp_path_factory.mktemp("maps"), "json").details == details


@pytest.mark.parametrize("said", ["steep", 3.0, [1, 2], None])
@pytest.mark.parametrize("key", ["slope", "bias", "activation"])
def test_our_json_tells_details_from_parameters_of_the_same_name(tmp_path, key, said):
    """What an author calls slope is kept beside the slope of the concept, also if the file renames concepts."""
    details = {"concepts": {"a": {key: said}}}
    fcm = FuzzyCognitiveMap([[0, 1], [1, 0]], [0.5, 1], [2, 3], ["a", "b"], ["tanh", "sigmoid"], details)
    found = back(fcm, tmp_path, "json")
    assert found == fcm
    assert found.details == details
    renamed = read_map(tmp_path / "map.json", concepts=["a", "b"])
    assert renamed == fcm
    assert renamed.details == details


@pytest.mark.parametrize("kind", ["mmp", "json", "csv edges", "xlsx edges", "dot", "graphml"])
def test_edges_keep_what_is_said_about_them(tmp_path, kind):
    """Where edges are listed: notes, confidence, lags, and edges that were drawn and have weight 0."""
    said = {"a": {"b": {"notes": "strong", "confidence": 0.5, "lag": 2.0}, "a": {}}}
    fcm = FuzzyCognitiveMap([[0, 1], [0.5, 0]], concepts=["a", "b"], details={"edges": said})
    assert back(fcm, tmp_path, kind).details["edges"] == said


def test_activations_of_single_concepts_come_back(tmp_path):
    """One per concept, in every kind of file."""
    fcm = FuzzyCognitiveMap(np.eye(3), activation=["tanh", "bivalent", "saturation"])
    for kind in KINDS:
        assert back(fcm, tmp_path, kind) == fcm


WORDS = ["slope", "bias", "activation", "name", "weight", "concepts", "edges", "source", "target", "details", "format"]


@pytest.mark.parametrize("ending", ["json", "csv", "tsv", "xlsx", "dot", "graphml", "mmp"])
@pytest.mark.parametrize("word", WORDS)
def test_concepts_may_have_the_names_that_a_format_uses_itself(word, ending, tmp_path):
    """With a slope, a bias and an activation of their own."""
    fcm = FuzzyCognitiveMap([[0, 0.5], [0.25, 0]], [1, 2], [2, 3], concepts=[word, "b"], activation="tanh")
    write_map(fcm, tmp_path / f"map.{ending}")
    assert read_map(tmp_path / f"map.{ending}") == fcm


@pytest.mark.parametrize("name", ["=1+1", "+cmd|' /C calc'!A0", "-x", "@sum", "'=1", "''-", "-5", "'quoted'"])
@pytest.mark.parametrize("table", ["matrix", "edges"])
def test_concepts_named_like_formulas_are_harmless_and_come_back(name, table, tmp_path):
    """An apostrophe is written before them, and taken away again."""
    fcm = FuzzyCognitiveMap.from_edges([(name, "b", 0.5), ("b", "c", -0.5)])
    write_map(fcm, tmp_path / "map.csv", table=table)
    assert read_map(tmp_path / "map.csv") == fcm
    starts = {cell[:1] for line in (tmp_path / "map.csv").read_text().splitlines() for cell in line.split('"')[1::2]}
    assert name == "-5" or not starts & set("=+-@")
