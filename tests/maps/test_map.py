"""The map: steps, trajectories, normalization and immutability."""

import copy
import pickle
import unicodedata
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_moons

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError

ACTIVATIONS = ["sigmoid", "logistic", "tanh"]

# Weights printed in the paper for make_moons, two features first, outputs last.
MOONS_SINGLE = FuzzyCognitiveMap(
    [[0.28, -0.31, -0.09], [1.17, 0.45, -0.66], [-2.43, 3.65, -1.92]], [0.28, 0.57, -1.62], slope=5
)
MOONS_ONE_HOT = FuzzyCognitiveMap(
    [[2.89, -1.5, -0.29, -1.01], [5.77, -1.43, 5.61, -4.42], [3.31, -6.8, 0.96, 0.75], [5.03, 6.75, -1.02, -0.46]],
    [-3.14, -1.38, 3.01, -2.18],
    slope=2,
)


def random_map(seed, n_concepts=5, activation="sigmoid", scale=3.0, slope=1.5):
    rng = np.random.default_rng(seed)
    W = rng.normal(scale=scale, size=(n_concepts, n_concepts))
    return FuzzyCognitiveMap(W, rng.normal(size=n_concepts), slope, activation=activation)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_step_is_the_textbook_formula(activation):
    """A step is f(A W' + b), computed here with loops and exponentials."""
    fcm = random_map(0, activation=activation)
    A = np.random.default_rng(1).random((4, 5))
    formula = {
        "sigmoid": lambda x: 1 / (1 + np.exp(-1.5 * (x - 0.5))),
        "logistic": lambda x: 1 / (1 + np.exp(-1.5 * x)),
        "tanh": lambda x: np.tanh(1.5 * x),
    }[activation]
    expected = np.empty_like(A)
    for row in range(4):
        for i in range(5):
            expected[row, i] = formula(sum(fcm.weights[i, j] * A[row, j] for j in range(5)) + fcm.bias[i])
    np.testing.assert_allclose(fcm.step(A), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(fcm.step(A[2]), expected[2], rtol=0, atol=1e-14)


def test_run_matches_the_reference_trajectories(reference):
    """Trajectories equal those computed by TensorFlow."""
    for case in reference:
        fcm = FuzzyCognitiveMap(case["W"], case["b"], case["slope"])
        expected = np.array(case["trajectory"])
        np.testing.assert_allclose(fcm.run(expected[0], case["depth"]), expected, rtol=0, atol=1e-12)


def test_run_of_depth_zero_is_the_start():
    """No step, no change."""
    fcm = random_map(0)
    start = np.random.default_rng(0).random((3, 5))
    assert np.array_equal(fcm.run(start, 0), start[None])


def test_states_are_not_modified_and_float32_is_kept():
    """Input arrays are not modified; float32 in gives float32 out."""
    fcm = random_map(0)
    start = np.random.default_rng(0).random((3, 5)).astype(np.float32)
    before = start.copy()
    assert fcm.step(start).dtype == np.float32
    assert fcm.run(start, 2).dtype == np.float32
    assert np.array_equal(start, before)


@given(st.integers(0, 10_000), st.sampled_from(ACTIVATIONS), st.floats(0.01, 20.0), st.booleans())
def test_normalized_map_has_the_same_trajectories(seed, activation, scale, slopes):
    """Weights are in [-1, 1], and trajectories agree to 1e-12."""
    slope = np.random.default_rng(seed + 1).uniform(0.5, 2.0, 5) if slopes else 1.5
    fcm = random_map(seed, activation=activation, scale=scale, slope=slope)
    normal = fcm.normalized()
    np.testing.assert_allclose(np.abs(normal.weights).max(axis=1), 1.0, rtol=0, atol=1e-15)
    start = np.random.default_rng(seed).random((6, 5))
    np.testing.assert_allclose(normal.run(start, 4), fcm.run(start, 4), rtol=0, atol=1e-12)
    assert normal.concepts == fcm.concepts


def test_normalized_leaves_rows_of_zeros():
    """A concept without incoming edges has nothing to scale."""
    fcm = FuzzyCognitiveMap([[0, 0], [4, 0]], [0.3, 0.1])
    assert np.array_equal(fcm.normalized().weights, [[0, 0], [1, 0]])
    np.testing.assert_allclose(fcm.normalized().run([0.2, 0.7], 3), fcm.run([0.2, 0.7], 3), rtol=0, atol=1e-14)


@pytest.mark.parametrize(("fcm", "n_outputs"), [(MOONS_SINGLE, 1), (MOONS_ONE_HOT, 2)])
def test_the_papers_moons_maps_classify_make_moons(fcm, n_outputs):
    """The weights printed in the paper separate the moons. They were learned on unscaled coordinates."""
    X, y = make_moons(500, noise=0.05, random_state=0)
    states = np.hstack([X, np.full((len(X), n_outputs), 0.5)])
    outputs = fcm.run(states, 3)[-1][:, 2:]
    predicted = outputs[:, 0] >= 0.5 if n_outputs == 1 else outputs.argmax(axis=1)
    assert (predicted == y).mean() > 0.95


def test_equality_compares_everything():
    """Equal maps are equal and hash alike; a change anywhere makes them different."""
    a = random_map(0)
    same = FuzzyCognitiveMap(a.weights, a.bias, np.full(5, 1.5), a.concepts)
    assert a == same
    assert hash(a) == hash(same)
    assert a != FuzzyCognitiveMap(a.weights + 1e-9, a.bias, a.slope)
    assert a != FuzzyCognitiveMap(a.weights, a.bias + 1e-9, a.slope)
    assert a != FuzzyCognitiveMap(a.weights, a.bias, 2.0)
    assert a != FuzzyCognitiveMap(a.weights, a.bias, a.slope, ["a", "b", "c", "d", "e"])
    assert a != FuzzyCognitiveMap(a.weights, a.bias, a.slope, activation="tanh")
    assert a != "map"


def test_maps_are_immutable():
    """Neither attributes nor arrays can be written, and input arrays are copied."""
    W = np.eye(2)
    fcm = FuzzyCognitiveMap(W, slope=[1.0, 2.0])
    W[0, 0] = 5
    assert fcm.weights[0, 0] == 1
    for name in ("weights", "bias", "slope", "concepts", "_weights"):
        with pytest.raises(AttributeError):
            setattr(fcm, name, None)
    with pytest.raises(AttributeError, match="immutable"):
        del fcm._weights
    for array in (fcm.weights, fcm.bias, fcm.slope):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_map_survives_pickle_and_copy():
    """Copies are equal and immutable."""
    fcm = FuzzyCognitiveMap(np.eye(2), slope=[1.0, 2.0], concepts=["a", "b"], activation="tanh")
    for other in (pickle.loads(pickle.dumps(fcm)), copy.copy(fcm), copy.deepcopy(fcm)):
        assert other == fcm
        assert not other.weights.flags.writeable


def test_repr_of_a_small_map_is_a_table():
    """The table names sources and targets."""
    fcm = FuzzyCognitiveMap([[0, -1.5], [2, 0]], [0.25, 0], concepts=["rain", "umbrellas"])
    assert repr(fcm).splitlines() == [
        "FuzzyCognitiveMap: 2 concepts, sigmoid, slope 1",
        "influence on  of rain  of umbrellas  bias",
        "rain             0.00         -1.50  0.25",
        "umbrellas        2.00          0.00  0.00",
    ]


def test_repr_of_a_large_map_names_the_strongest_influences():
    """A table of hundreds of columns would be unreadable."""
    W = np.zeros((30, 30))
    W[3, 7] = -9.0
    lines = repr(FuzzyCognitiveMap(W, slope=np.arange(1, 31))).splitlines()
    assert lines[0] == "FuzzyCognitiveMap: 30 concepts, sigmoid, slopes 1 to 30"
    assert lines[2].strip() == "C8 -> C4  -9.00"
    assert len(lines) < 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": [[1, 2]]}, "weights.*square"),
        ({"weights": []}, "weights.*square"),
        ({"weights": [[1, np.nan], [0, 0]]}, "weights.*finite"),
        ({"weights": [["a", "b"], ["c", "d"]]}, "weights.*numbers"),
        ({"weights": [[1, 2], [3]]}, "weights.*square"),
        ({"weights": np.eye(2), "concepts": 5}, "concepts.*2 names"),
        ({"weights": np.eye(2), "bias": [1]}, r"bias.*\(2,\)"),
        ({"weights": np.eye(2), "bias": [1, np.inf]}, "bias.*finite"),
        ({"weights": np.eye(2), "slope": 0}, "slope.*greater than 0"),
        ({"weights": np.eye(2), "slope": -1}, "slope.*greater than 0"),
        ({"weights": np.eye(2), "slope": [1, 2, 3]}, "slope.*shape"),
        ({"weights": np.eye(2), "slope": "steep"}, "slope"),
        ({"weights": np.eye(2), "concepts": ["a"]}, "concepts.*2 strings"),
        ({"weights": np.eye(2), "concepts": "ab"}, "concepts.*2 names"),
        ({"weights": np.eye(2), "concepts": ["a", "a"]}, "concepts.*unique names.*'a'"),
        ({"weights": np.eye(2), "concepts": [1, 2]}, "concepts.*2 strings"),
        ({"weights": np.eye(2), "activation": "sigmoyd"}, "activation.*Did you mean 'sigmoid'"),
        ({"weights": np.eye(2), "activation": None}, "activation"),
        ({"weights": np.eye(2), "concepts": {"a", "b"}}, "concepts.*2 names.*unordered"),
        ({"weights": np.eye(2) * 1j}, "weights.*numbers"),
        ({"weights": np.eye(2), "bias": [1j, 0]}, "bias.*numbers"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    """Each error names the parameter and the expected value."""
    with pytest.raises(ParameterError, match=message) as caught:
        FuzzyCognitiveMap(**arguments)
    assert str(caught.value).startswith("`FuzzyCognitiveMap(")


def test_invalid_states_and_depth_raise():
    """States need one number per concept, and the depth must be 0 or more."""
    fcm = FuzzyCognitiveMap(np.eye(2))
    for states in ([1.0], [[1.0, 2.0, 3.0]], np.zeros((2, 2, 2)), 0.5):
        with pytest.raises(ParameterError, match=r"states.*\(2,\) or \(n_samples, 2\)"):
            fcm.step(states)
        with pytest.raises(ParameterError, match=r"run\(start=.*\(2,\) or \(n_samples, 2\)"):
            fcm.run(states, 0)
    for depth in (-1, 1.5, True, "2"):
        with pytest.raises(ParameterError, match=r"depth.*integer >= 0"):
            fcm.run([0.5, 0.5], depth)


@pytest.mark.parametrize("method", ["step", "net_input", "excitation", "run"])
@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([0.0, np.nan], "finite numbers, got nan for concept 'b'. Replace"),
        ([[0.0, 0.0], [np.inf, 0.0]], "finite numbers, got inf for concept 'a' in row 2. Replace"),
        (np.array([np.nan, 0.0], dtype=np.float32), "got nan for concept 'a'"),
        ([1j, 0.0], "of numbers, got"),
        (["x", "y"], "of numbers, got"),
        ([None, {}], "of numbers, got"),
        ([[0.0, 1.0], [2.0]], "of numbers, got"),
    ],
)
def test_nonfinite_and_nonnumeric_states_raise(method, states, message):
    """The error gives the location."""
    fcm = FuzzyCognitiveMap(np.eye(2), concepts=["a", "b"])
    with pytest.raises(ParameterError, match=message) as caught:
        getattr(fcm, method)(states, *[2][: method == "run"])
    name = "start" if method == "run" else "states"
    assert str(caught.value).startswith(f"`FuzzyCognitiveMap.{method}({name}=...)`")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("weights", "bias", "slope"),
    [
        ([[1e300, -1e300], [-1e300, 1e300]], [0.0, 0.0], 1.0),
        ([[1e308, 1e308], [1e308, 1e308]], [-1e308, 1e308], 1.0),
        ([[1.0, 0.0], [0.0, 1.0]], [0.0, 1e300], 1.0),
        ([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], 1e300),
        ([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [1e300, 1e-300]),
        ([[1e308, -1e308], [3.0, -1e-300]], [1e300, 0.5], 1e308),
    ],
)
def test_huge_weights_give_states_within_range(weights, bias, slope, activation, dtype):
    """Without a warning, and near the result of exact arithmetic."""
    fcm = FuzzyCognitiveMap(weights, bias, slope, activation=activation)
    start = np.array([[0.0, 0.0], [1.0, 0.5], [0.25, 0.75], [1.0, 1.0]], dtype=dtype)
    states = fcm.run(start, 3)
    assert states.dtype == dtype
    assert np.isfinite(states).all()
    assert np.isfinite(fcm.excitation(start)).all()
    center, steepness = (0.5, 0.5) if activation == "sigmoid" else (0.0, 0.5 if activation == "logistic" else 1.0)
    for first, second in zip(start, states[1], strict=True):
        for i in range(2):
            net = sum(Fraction(weights[i][j]) * Fraction(float(first[j])) for j in range(2)) + Fraction(bias[i])
            exact = Fraction(steepness) * Fraction(float(np.broadcast_to(slope, 2)[i])) * (net - Fraction(center))
            tanh = np.tanh(float(min(max(exact, -50), 50)))
            assert second[i] == pytest.approx(tanh if activation == "tanh" else 0.5 + 0.5 * tanh, abs=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("size", [1e-300, 1e-20, 1e-6, 1e6, 1e12, 1e100, 1e300])
@pytest.mark.parametrize("slope", [1.0, 1e-10, 1e100])
def test_normalized_keeps_trajectories_or_raises(activation, size, slope):
    """For weights of any size."""
    fcm = FuzzyCognitiveMap([[size, 0.0], [0.0, 1.0]], [0.25, 0.0], slope, activation=activation)
    try:
        normal = fcm.normalized()
    except ParameterError as error:
        assert "Use the map without normalizing it" in str(error)  # noqa: PT017 - one of two good ends
        assert not 1e-9 < size * slope < 1e9
        return
    start = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(normal.run(start, 3), fcm.run(start, 3), rtol=0, atol=1e-6)


@pytest.mark.parametrize("n_concepts", [1, 2, 7, 10, 11, 60])
@pytest.mark.parametrize("name", ["x" * 300, "a\nb", "naïve", "long name of a concept", "長い名前" * 10])
@pytest.mark.parametrize("size", [1.0, 1e300])
def test_repr_is_short_for_any_names(n_concepts, name, size):
    """No line is wider than 100 columns, and there are few lines."""
    names = [f"{i} {name}" for i in range(n_concepts)]
    fcm = FuzzyCognitiveMap(np.full((n_concepts, n_concepts), size), concepts=names, slope=size)
    lines = repr(fcm).splitlines()
    wide = [sum(unicodedata.east_asian_width(letter) in "WF" for letter in line) for line in lines]
    assert max(len(line) + more for line, more in zip(lines, wide, strict=True)) <= 100
    assert len(lines) <= 12


DETAILS = {
    "author": "us",
    "concepts": {"rain": {"x": 1.5, "y": 20, "group": "weather", "external": True}},
    "edges": {"rain": {"umbrellas": {"notes": "people open them"}}},
}
RAIN = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5, details=DETAILS)


def test_details_are_kept_and_do_not_affect_equality():
    """Copies, pickles and replaced maps keep them; equality ignores them."""
    for fcm in (RAIN, copy.deepcopy(RAIN), pickle.loads(pickle.dumps(RAIN)), RAIN.normalized(), RAIN.replace(slope=2)):
        assert fcm.details == DETAILS
    assert RAIN.replace(details=None) == RAIN
    assert RAIN.replace(details=None).details == {}
    RAIN.details["concepts"]["rain"]["x"] = 7
    assert RAIN.details == DETAILS


def test_replace_changes_only_the_given_parameters():
    """All other parameters are kept."""
    other = RAIN.replace(activation="tanh", bias=[1, 2])
    assert other == FuzzyCognitiveMap([[0, 0], [2, 0]], [1, 2], 5, ["rain", "umbrellas"], "tanh")


def test_details_follow_concepts_to_new_names():
    """A translated map keeps its layout."""
    details = RAIN.replace(concepts=["Regen", "Schirme"]).details
    assert details["concepts"] == {"Regen": DETAILS["concepts"]["rain"]}
    assert details["edges"] == {"Regen": {"Schirme": DETAILS["edges"]["rain"]["umbrellas"]}}
    with pytest.raises(ParameterError, match="a sequence of 2 strings"):
        RAIN.replace(concepts=["Regen"])


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ("rain", "must be a mapping such as"),
        ({1: "a"}, r"details is a mapping with string keys, got \[1\]"),
        ({"concepts": ["rain"]}, r"details\['concepts'\] is a mapping keyed by concept names"),
        ({"concepts": {"rian": {}}}, "keyed by concepts of the map, got 'rian'. Did you mean 'rain'"),
        ({"concepts": {"rain": {"x": "left"}}}, r"details\['concepts'\]\['rain'\]\['x'\] is a number, got 'left'"),
        ({"edges": {"rain": {"sun": {}}}}, r"details\['edges'\]\['rain'\] is keyed by concepts of the map, got 'sun'"),
        ({"edges": {"rain": {"umbrellas": 2}}}, r"\['umbrellas'\] is a mapping, got 2"),
        ({"when": np.nan}, r"details\['when'\] is a string, a finite number"),
        ({"when": [0, object()]}, r"details\['when'\]\[1\] is a string, a finite number"),
    ],
)
def test_invalid_details_raise(details, message):
    """The error gives the location in the details."""
    with pytest.raises(ParameterError, match=message):
        RAIN.replace(details=details)


def test_names_are_found_without_their_blanks():
    """Files of other tools have such names; an exact name goes first, and ambiguous ones are unknown."""
    fcm = FuzzyCognitiveMap([[0, 1, 0], [0, 0, 0], [1, 0, 0]], concepts=["laws ", " fish", "men"])
    np.testing.assert_array_equal(fcm.run({"laws": 1, "fish": 0}, 1), fcm.run({"laws ": 1, " fish": 0}, 1))
    np.testing.assert_array_equal(fcm.settle(clamp={"laws": 1}).states, fcm.settle(clamp={"laws ": 1}).states)
    np.testing.assert_array_equal(fcm.run({}, 1, keep=["fish"]), fcm.run({}, 1, keep=[" fish"]))
    twins = FuzzyCognitiveMap(np.zeros((2, 2)), concepts=["fish", "fish "])
    assert twins.run({"fish": 1}, 0)[0].tolist() == [1.0, 0.5]
    with pytest.raises(ParameterError, match="Did you mean"):
        FuzzyCognitiveMap(np.zeros((2, 2)), concepts=[" fish", "fish "]).run({"fish": 1}, 0)
