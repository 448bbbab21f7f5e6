"""The fitted model: states, outputs and their derivatives, without an estimator."""

import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel

KNOWN = FeatureStatistics(
    weight=np.ones(3),
    mean=np.array([1.0, -2.0, 0.5]),
    deviation=np.array([2.0, 0.7, 1.0]),
    low=np.array([-1.0, -3.0, 0.0]),
    high=np.array([4.0, 1.0, 1.0]),
)
SPREAD, RANGE = FeatureSpread(KNOWN), FeatureRange(KNOWN)
LINKS = {
    "one output": LogOddsLink(np.array(["no", "yes"])),
    "two outputs": SoftmaxLink(np.array(["no", "yes"]), 10.0),
    "three outputs": SoftmaxLink(np.arange(3), 4.0),
    "values": ValueLink(("height", "weight"), np.array([1.0, -5.0]), np.array([3.0, 40.0]), one_dimensional=False),
}


def make_model(link, depth=3, n_hidden=2, scaling=SPREAD, seed=0):
    rng = np.random.default_rng(seed)
    r = 3 + n_hidden + link.n_outputs
    W = rng.normal(size=(r, r))
    fcm = FuzzyCognitiveMap(W, 0.5 - 0.5 * W.sum(axis=1), slope=rng.uniform(0.5, 2.0, r))
    return MapModel(fcm, depth, Encoding(3, n_hidden, scaling), link)


X = np.random.default_rng(1).normal(size=(6, 3)) * [2.0, 0.7, 1.0] + [1.0, -2.0, 0.5]


@pytest.mark.parametrize("of", ["outputs", "decision", "transformed", "first_states", "trajectory"])
@pytest.mark.parametrize("scaling", [SPREAD, RANGE, None], ids=["spread", "range", "as they are"])
@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("link", LINKS)
def test_derivatives_equal_finite_differences(link, depth, scaling, of):
    """Of everything that a model computes, with respect to every feature."""
    model = make_model(LINKS[link], depth, scaling=scaling)
    derivative = model.derivative(X, of)
    h = 1e-6
    for k in range(3):
        moved = [getattr(model, of)(X + sign * h * np.eye(3)[k]) for sign in (1, -1)]
        expected = (moved[0] - moved[1]) / (2 * h)
        expected = expected[:, None] if expected.ndim == 1 else expected
        np.testing.assert_allclose(derivative[..., k], expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("link", LINKS)
def test_what_a_model_computes_fits_together(link):
    """First states, trajectory, transformed features and outputs are one run of the map."""
    model = make_model(LINKS[link])
    trajectory = model.trajectory(X)
    assert trajectory.shape == (4, 6, model.map.n_concepts)
    np.testing.assert_array_equal(model.first_states(X), trajectory[0])
    np.testing.assert_array_equal(model.transformed(X), trajectory[2])
    states = trajectory[3][:, -model.n_outputs :]
    outputs = model.outputs(X)
    if link == "values":
        np.testing.assert_allclose(outputs, [1.0, -5.0] + [3.0, 40.0] * np.arctanh(2 * states - 1))
    elif link == "one output":
        np.testing.assert_allclose(outputs, np.hstack([1 - states, states]))
        np.testing.assert_allclose(model.decision(X), np.log(states[:, 0] / (1 - states[:, 0])))
    else:
        scores = np.exp(LINKS[link].gain * states)
        np.testing.assert_allclose(outputs, scores / scores.sum(axis=1, keepdims=True))


def test_a_missing_value_is_undecided_and_has_no_derivative():
    """NaN is the state 0.5, whatever the scaling; a little more of nothing changes nothing."""
    missing = X.copy()
    missing[0, 1] = np.nan
    for scaling in (SPREAD, RANGE, None):
        model = make_model(LINKS["three outputs"], scaling=scaling)
        assert model.first_states(missing)[0, 1] == 0.5
        derivative = model.derivative(missing)
        assert (derivative[0, :, 1] == 0.0).all()
        assert derivative[1:].all()
        np.testing.assert_array_equal(derivative[1:], model.derivative(X)[1:])


def test_many_rows_are_computed_as_one_by_one():
    """Blocks do not show."""
    model = make_model(LINKS["values"])
    many = np.tile(X, (1500, 1))
    for of in ("outputs", "transformed"):
        np.testing.assert_allclose(getattr(model, of)(many)[8990:], np.tile(getattr(model, of)(X), (1500, 1))[8990:])
    np.testing.assert_allclose(model.derivative(many)[-6:], model.derivative(X))
    assert model.trajectory(many).shape == (4, 9000, model.map.n_concepts)


def test_a_model_never_changes():
    """Neither the model nor what it is made of."""
    model = make_model(LINKS["values"])
    with pytest.raises(FrozenInstanceError):
        model.depth = 5
    with pytest.raises(FrozenInstanceError):
        model.encoding.n_hidden = 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.outputs(X[:, :2]), r"MapModel\(X=.*3 columns, one per feature, got shape \(6, 2\)"),
        (lambda model: model.outputs([["a", "b", "c"]]), "a table of numbers"),
        (lambda model: model.derivative(X, of="output"), "Did you mean 'outputs'"),
        (lambda model: MapModel(model.map, 2, Encoding(2), model.link), "a map of 4 concepts: 2 inputs, 0 hidden"),
    ],
)
def test_what_does_not_fit_is_told(call, message):
    """Another number of columns, text, a method that does not exist, a map of other concepts."""
    with pytest.raises(ParameterError, match=message):
        call(make_model(LINKS["values"]))


@pytest.mark.parametrize("estimator", [FCMClassifier, FCMRegressor])
def test_estimators_say_what_their_model_says(wine, estimator):
    """Fitted attributes are read from the model, and predictions are its outputs."""
    X, y = wine
    fcm = estimator(random_state=0).fit(X, y)
    model = fcm.model_
    assert fcm.map_ is model.map
    assert (fcm.depth_, fcm.n_hidden_, fcm.scaling_) == (model.depth, model.n_hidden, model.encoding.scaling)
    outputs = model.outputs(X)
    if estimator is FCMClassifier:
        assert (fcm.output_, fcm.gain_) == ("one_hot", model.link.gain)
        np.testing.assert_array_equal(fcm.predict_proba(X), outputs)
        np.testing.assert_array_equal(fcm.predict(X), outputs.argmax(axis=1))
    else:
        np.testing.assert_array_equal(fcm.predict(X), outputs[:, 0])


def test_a_model_needs_neither_scikit_learn_nor_a_solver():
    """Loading and running one imports nothing of learning."""
    code = (
        "import sys, cogmap.models.model, cogmap.models.links, cogmap.models.encoding\n"
        "heavy = [name for name in sys.modules if name.startswith(('sklearn', 'cogmap._learning', 'scipy.optimize'))]\n"
        "print(*heavy)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize("n_hidden", [0, 2])
def test_every_concept_is_of_a_kind(n_hidden):
    """Features first, then hidden ones, then outputs."""
    kinds = make_model(LINKS["three outputs"], n_hidden=n_hidden).kinds
    assert kinds == ("feature",) * 3 + ("hidden",) * n_hidden + ("output",) * 3
