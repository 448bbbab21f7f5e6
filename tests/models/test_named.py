"""Small named maps: held features, columns without a concept, and hidden concepts with names."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogmap import explain, feature_importances, influence, story, what_if
from cogmap.exceptions import ParameterError
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.one_row import quick_way
from cogmap.models.terms import Terms


@pytest.fixture(
    params=[("log odds", "features"), ("softmax", "features"), ("values", "features"), ("softmax", "logarithms")],
    ids=", ".join,
)
def model(request, named_model):
    kind, inputs = request.param
    return named_model(kind, inputs=inputs)


@pytest.fixture
def rows(named_rows):
    return named_rows


def by_hand(model, X):
    """Outputs from the equations: features keep their states, the other concepts follow their arrows."""
    scaling = model.encoding.scaling
    Z = np.nan_to_num((X - scaling.mean) / scaling.deviation)[:, [0, 2, 3]]
    drivers = 1.0 / (1.0 + np.exp(-0.75 * Z))
    W, b, slope = model.map.weights, model.map.bias, np.broadcast_to(model.map.slope, model.map.n_concepts)
    others = np.full((len(X), len(W) - 3), 0.5)
    for _ in range(model.depth):
        net = np.hstack([drivers, others]) @ W[3:].T + b[3:]
        others = 1.0 / (1.0 + np.exp(-slope[3:] * (net - 0.5)))
    net = 0.5 * slope[3:] * (net - 0.5)
    return model.link.outputs(net[:, -model.n_outputs :].T)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("kind", ["log odds", "softmax", "values"])
def test_outputs_follow_from_the_equations(named_model, rows, kind, depth):
    """The model gives what its equations give, without its code."""
    model = named_model(kind, depth=depth)
    np.testing.assert_allclose(model.outputs(rows), by_hand(model, rows), rtol=1e-12, atol=1e-14)
    states = model.trajectory(rows)
    assert (states[:, :, :3] == states[0, :, :3]).all()
    np.testing.assert_array_equal(model.transformed(rows), states[-2])


@pytest.mark.parametrize("of", ["outputs", "decision", "transformed", "first_states", "trajectory"])
def test_derivatives_agree_with_central_differences(model, rows, of):
    """Also for held features; of columns without a concept the derivative is 0."""
    exact, h = model.derivative(rows, of), 1e-6
    method = getattr(model, of)
    for j in range(5):
        ends = [method(rows + sign * h * np.eye(5)[j]) for sign in (-1, 1)]
        numeric = (ends[1] - ends[0]) / (2 * h)
        numeric = np.nan_to_num(numeric).reshape(exact.shape[:-1])
        missing = np.isnan(rows[:, j])
        np.testing.assert_allclose(exact[..., j][..., ~missing, :], numeric[..., ~missing, :], atol=2e-7)
        assert (exact[..., j][..., missing, :] == 0.0).all()
    assert (exact[..., [1, 4]] == 0.0).all()


@pytest.mark.parametrize("kind", ["log odds", "softmax", "values"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_explanations_add_up(named_model, rows, kind, depth):
    """Contributions and flows of every step add up to the difference from the baseline."""
    model = named_model(kind, depth=depth)
    result = explain(model, rows)
    outputs = model.outputs(rows)
    total = result.base_values + result.contributions.sum(axis=1)
    np.testing.assert_allclose(total, outputs, atol=1e-8)
    assert (result.contributions[:, [1, 4]] == 0.0).all()
    assert result.feature_names == ("age", "x1", "glucose", "insulin", "x4")
    told = story(model, rows[0])
    np.testing.assert_allclose(told.flow.sum(axis=(1, 2)), told.output - told.base_value, atol=1e-8)
    np.testing.assert_allclose(told.contributions.sum(), told.output - told.base_value, atol=1e-8)
    assert all(weight != 0.0 for *_, weight, _ in told._edges())
    for earlier, later in pairwise(told.flow):  # what enters a concept leaves it in the next step
        np.testing.assert_allclose(earlier.sum(axis=1), later.sum(axis=0), atol=1e-8)


def test_influence_and_importances(model, rows):
    """Effects are mean derivatives by states; flows are only on arrows; unused columns have no importance."""
    result = influence(model, rows)
    through = model.encoding.derivative(rows)
    derivative = model.derivative(rows)[..., [0, 2, 3]]
    one = [influence(model, rows[[i]]).effect[:3].T * through[i] for i in range(len(rows))]
    np.testing.assert_allclose(one, derivative, atol=1e-10)
    assert (result.flow[model.map.weights == 0.0] == 0.0).all()
    importances = feature_importances(model, rows).importances_mean
    assert (importances[[1, 4]] == 0.0).all()
    assert (importances[[0, 2, 3]] > 0.0).all()


def test_a_changed_row_changes_only_columns_with_a_concept(named_model, rows):
    """The search for another class leaves columns without influence alone."""
    result = what_if(named_model("softmax"), rows[0])
    assert result.found
    before, after = rows[0], result.row
    np.testing.assert_array_equal(after[[1, 4]], before[[1, 4]])


def test_the_fast_path_agrees(model, rows):
    """The prediction of a single row is that of the model."""
    quick = quick_way(model)
    for row, expected in zip(rows, model.outputs(rows), strict=True):
        np.testing.assert_allclose(quick(row)[0], expected, rtol=1e-12, atol=1e-14)


def test_names_are_those_of_the_map(named_model):
    """Nothing rebuilds the names of concepts; names of columns come from `features` if it is given."""
    model = named_model("log odds")
    assert model.map.concepts[:5] == ("age", "glucose", "insulin", "glucose > 126 and age < 40", "not insulin")
    assert model.encoding.input_names(["age", "b", "glucose", "insulin", "e"]) == ["age", "glucose", "insulin"]
    named = named_model("log odds", features=("age", "bmi", "glucose", "insulin", "pulse"))
    assert explain(named, np.zeros((1, 5))).feature_names == ("age", "bmi", "glucose", "insulin", "pulse")


SOME = Terms((None, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0])), ((), ("low", "medium", "high"), ("low", "high")))
KNOWN = FeatureStatistics(np.ones(3), np.array([1.0, 0.0, 2.0]), np.ones(3), np.zeros(3), np.full(3, 4.0))


@pytest.mark.parametrize("terms", [None, SOME], ids=["features", "terms"])
@pytest.mark.parametrize(
    "scaling", [None, FeatureSpread(KNOWN), FeatureRange(KNOWN)], ids=["states", "spread", "range"]
)
def test_used_selects_from_all_inputs(terms, scaling):
    """Everything about the inputs is that of the full encoding, at the used positions."""
    X = np.random.default_rng(0).random((6, 3)) * 3.0
    X[1, 1] = np.nan
    full = Encoding(3, 1, scaling, terms)
    used = np.array([0, 2]) if terms is None else np.array([1, 3, 5])
    some = Encoding(3, 1, scaling, terms, used)
    assert some.n_inputs == len(used)
    np.testing.assert_array_equal(some.columns, full.columns[used])
    for method in ("inputs", "learned_from", "derivative"):
        np.testing.assert_array_equal(getattr(some, method)(X), getattr(full, method)(X)[:, used])
    assert some.inputs(X, np.float32).dtype == np.float32
    assert some.first_states(X, 2).shape == (6, len(used) + 3)
    values = np.arange(1.0, 1.0 + len(used))
    everywhere = np.zeros(full.n_inputs)
    everywhere[used] = values
    np.testing.assert_array_equal(some.by_column(values), full.by_column(everywhere))
    names = ["a", "b", "c"]
    assert some.input_names(names) == [full.input_names(names)[j] for j in used]
    expected = ["a", "x1", "c"] if terms is None else ["x0", "b", "c"]
    assert some.column_names(some.input_names(names)) == expected


def test_used_inputs_of_a_sparse_table():
    """Columns of sparse states are selected too."""
    scaling = FeatureSpread(FeatureStatistics(np.ones(3), np.zeros(3), np.ones(3), np.zeros(3), np.full(3, 4.0)))
    X = csr_array(np.array([[0.0, 2.0, 1.0], [3.0, 0.0, 0.0]]))
    full, some = Encoding(3, 0, scaling), Encoding(3, 0, scaling, used=[1, 2])
    np.testing.assert_array_equal(some.learned_from(X).toarray(), full.learned_from(X).toarray()[:, 1:])


def test_sparse_rows_give_the_same_outputs(model, rows):
    """Columns without a concept are left out before rows become dense."""
    rows = np.nan_to_num(rows)
    np.testing.assert_array_equal(model.outputs(csr_array(rows)), model.outputs(rows))
    np.testing.assert_array_equal(model.derivative(csr_array(rows)), model.derivative(rows))


@pytest.mark.parametrize("inputs", ["features", "terms", "logarithms"])
def test_an_encoding_of_fewer_columns_gives_the_same_states(named_model, rows, inputs):
    """Columns without a concept may be left out of the table."""
    encoding = named_model(inputs=inputs, features=("age", "bmi", "glucose", "insulin", "pulse")).encoding
    some = encoding.restricted(np.array([0, 2, 3]))
    assert some.features == ("age", "glucose", "insulin")
    assert (some.n_features, some.n_inputs, some.n_hidden) == (3, 3, 2)
    np.testing.assert_array_equal(some.inputs(rows[:, [0, 2, 3]]), encoding.inputs(rows))


@pytest.mark.parametrize("used", [[1, 0], [0, 0], [3], [-1], [0.5], [[0]], "ab"])
def test_invalid_positions_are_rejected(used):
    """Positions must be ascending, different, and those of inputs."""
    with pytest.raises(ParameterError, match="used"):
        Encoding(3, used=used)


@pytest.mark.parametrize("features", [("a",), ("a", "b", 3)])
def test_invalid_names_of_columns_are_rejected(features):
    """There must be one name per column."""
    with pytest.raises(ParameterError, match="features"):
        Encoding(3, features=features)


def test_a_map_without_inputs_predicts_a_constant(named_model, rows):
    """A map may have lost all features."""
    model = named_model("log odds", used=[])
    outputs = model.outputs(rows)
    assert (outputs == outputs[0]).all()
    assert (model.derivative(rows) == 0.0).all()
    assert (explain(model, rows).contributions == 0.0).all()
