"""The limits of the weights that make effects monotone, and that they are enough."""

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import monotone_limits
from cogmap.exceptions import ParameterError
from cogmap.models.encoding import Encoding
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel

FEATURES = ["mass", "age", "color"]
LINKS = {
    "two classes, one output": LogOddsLink(np.array(["a", "b"])),
    "two classes, two outputs": SoftmaxLink(np.array(["a", "b"]), 10.0),
    "three classes": SoftmaxLink(np.array(["a", "b", "c"]), 10.0),
    "one target": ValueLink(("target",), np.zeros(1), np.ones(1), True),
    "two targets": ValueLink(("u", "v"), np.zeros(2), np.array([1.0, 3.0]), False),
}
ASKED = {"mass": 1, "age": -1}
ASKED_OF_C = {("mass", "class=c"): 1, ("age", "class=c"): -1}


def limits(asked, link, n_hidden=0):
    return monotone_limits(asked, Concepts.of(FEATURES, n_hidden, link.names), link, "FCMClassifier")


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_nothing_asked_is_no_limit(link):
    """None, or 0 for every feature."""
    assert limits(None, link) is None
    assert limits({}, link) is None
    if link.n_outputs < 3:
        assert limits([0, 0, 0], link) is None


def test_what_the_limits_are():
    """A feature that must raise the output, one that must lower it, one that is free, a hidden concept, the output."""
    low, high = limits(ASKED, LINKS["two classes, one output"], 1)
    signs = np.where(low == 0.0, np.where(high == 0.0, "0", "+"), np.where(high == 0.0, "-", "?"))
    assert ["".join(row) for row in signs] == [
        "+-?++",
        "-+?--",
        "00?00",
        "+-?++",
        "+-?++",
    ]


@pytest.mark.parametrize("asked", [[1, -1, 0], (1.0, -1.0, 0.0), np.array([1, -1, 0]), {"mass": 1, "age": -1}])
def test_a_list_and_a_dict_say_the_same(asked):
    """One number per feature, or only those that are not free."""
    expected = limits({"age": np.int64(-1), "color": 0, "mass": 1.0}, LINKS["one target"], 2)
    assert all(map(np.array_equal, limits(asked, LINKS["one target"], 2), expected))


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
@pytest.mark.parametrize("name", LINKS)
def test_any_map_within_the_limits_is_monotone(name, depth):
    """Of 40 maps drawn at random within them, with large and small weights, none has an effect of the wrong sign."""
    link, rng = LINKS[name], np.random.default_rng(depth)
    n_hidden = 4
    low, high = limits(ASKED_OF_C if name == "three classes" else ASKED, link, n_hidden)
    column = 2 if name == "three classes" else -1
    of_free = []
    for scale in np.repeat([0.3, 1.0, 3.0, 10.0], 10):
        W = np.clip(rng.normal(scale=scale, size=low.shape), low, high)
        fcm = FuzzyCognitiveMap(W, rng.normal(scale=scale, size=len(W)), 2.0)
        effects = MapModel(fcm, depth, Encoding(3, n_hidden), link).derivative(rng.random((100, 3)))
        if link.output != "values":
            effects = effects[:, [column]]
        assert (effects[:, :, 0] >= -1e-12).all()
        assert (effects[:, :, 1] <= 1e-12).all()
        of_free.append(effects[:, :, 2])
    assert np.min(of_free) < -1e-3
    assert np.max(of_free) > 1e-3


def test_half_the_limits_would_not_be_enough():
    """Signs of the arrows to the output alone leave effects of the wrong sign."""
    link, rng = LINKS["two classes, one output"], np.random.default_rng(0)
    low, high = limits(ASKED, link, 4)
    low[:-1], high[:-1] = -np.inf, np.inf
    effects = []
    for _ in range(10):
        W = np.clip(rng.normal(scale=3.0, size=low.shape), low, high)
        model = MapModel(FuzzyCognitiveMap(W, 0.5 - 0.5 * W.sum(axis=1), 2.0), 3, Encoding(3, 4), link)
        effects.append(model.derivative(rng.random((100, 3)))[:, 1, 0].min())
    assert min(effects) < -1e-2


@pytest.mark.parametrize(
    ("asked", "name", "message"),
    [
        ([1, 0], "one target", r"3 numbers, one per feature, each -1, 0 or 1.*got \[1, 0\]"),
        (1, "one target", "3 numbers, one per feature"),
        ("mass", "one target", "3 numbers, one per feature.*got 'mass'"),
        ([1, 2, 0], "one target", "-1, 0 or 1 for 'age', got 2"),
        ([1, np.nan, 0], "one target", "-1, 0 or 1 for 'age', got nan"),
        ([1, True, 0], "one target", "-1, 0 or 1 for 'age', got True"),
        ([1, "+", 0], "one target", r"-1, 0 or 1 for 'age', got '\+'"),
        ([1, None, 0], "one target", "-1, 0 or 1 for 'age', got None"),
        (np.array([True, False, False]), "one target", "-1, 0 or 1 for 'mass', got .*True"),
        ({"mass": 0.5}, "one target", "-1, 0 or 1 for 'mass', got 0.5"),
        ({"mass": [1]}, "one target", r"-1, 0 or 1 for 'mass', got \[1\]"),
        ({"mass": np.array([1, 1])}, "one target", "-1, 0 or 1 for 'mass'"),
        ({"mas": 1}, "one target", "names of features, got 'mas'. Did you mean 'mass'"),
        ({"target": 1}, "one target", "names of features, got 'target'"),
        ({0: 1}, "one target", "names of features, got 0"),
        ({("mass", "target"): 1}, "one target", r"names of features as keys, got \('mass', 'target'\)"),
        ({("mass", "class=b"): 1}, "two classes, one output", "names of features as keys"),
        ([1, 0, 0], "three classes", r"a dict \{\(feature, class\): .*more than two classes, got \[1, 0, 0\]"),
        ({"mass": 1}, "three classes", r"\(feature, class\).*got 'mass' alone"),
        ({("mass", "class=d"): 1}, "three classes", "names of concepts, got 'class=d'"),
        ({("mass", "c"): 1}, "three classes", "got 'c'. Did you mean 'class=c'"),
        ({("mass", "age"): 1}, "three classes", r"\(feature, class\)"),
        ({("mas", "class=c"): 1}, "three classes", "got 'mas'. Did you mean 'mass'"),
        ({("mass", "class=c", 1): 1}, "three classes", r"\(feature, class\).*got \('mass', 'class=c', 1\)"),
        ({("mass", "class=c"): 1, ("age", "class=b"): 1}, "three classes", "the same class throughout"),
    ],
)
def test_what_cannot_be_meant_is_told(asked, name, message):
    """What was expected, what was got, and the nearest name."""
    with pytest.raises(ParameterError, match=rf"`FCMClassifier\(monotonic_cst=...\)` must be .*{message}"):
        limits(asked, LINKS[name])
