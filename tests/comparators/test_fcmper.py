"""FCMper: gradient, map and decision rules against independent computations."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.optimize import approx_fprime, lsq_linear
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler

from cogmap._learning.solvers import Outcome
from cogmap.comparators import FCMperClassifier
from cogmap.comparators._decision import Intervals, NearestMean
from cogmap.comparators._unrolled import UnrolledMap
from cogmap.comparators.fcmper import _edges
from cogmap.maps.rewriting import with_rule


@pytest.mark.parametrize("rule", ["kosko", "modified", "rescaled"])
@pytest.mark.parametrize("structure", [1, 2, 3])
@pytest.mark.parametrize("bias", [False, True])
def test_the_gradient_is_that_of_finite_differences(rule, structure, bias):
    """For every rule and structure, over three steps."""
    rng = np.random.default_rng(0)
    unrolled = UnrolledMap(_edges(structure, 3, 2), 3, slice(3, None), rule, 3, 2.0, bias)
    theta = rng.uniform(-1, 1, unrolled.n_parameters)
    data = rng.random((6, 3)), rng.random((6, 2)), np.full(6, 1 / 6)
    loss, gradient = unrolled.loss_and_gradient(theta, *data)
    assert loss == pytest.approx(unrolled.loss(theta, *data))
    np.testing.assert_allclose(gradient, approx_fprime(theta, unrolled.loss, 1e-7, *data), atol=1e-6)


@pytest.mark.parametrize("rule", ["kosko", "modified", "rescaled"])
@pytest.mark.parametrize("structure", [1, 2, 3])
def test_the_map_says_what_the_classifier_says(iris, rule, structure):
    """Run by its rule from outputs at 0, with inputs without incoming edges held; the largest output decides."""
    X, y = iris
    X = MinMaxScaler().fit_transform(X)
    fcmper = FCMperClassifier(structure, reading="argmax", rule=rule, bias=True, depth=3).fit(X, y)
    inputs = fcmper.map_.concepts[:4]
    start = np.column_stack([X, np.zeros((len(X), 3))])
    states = with_rule(fcmper.map_, rule).run(start, 3, keep=inputs if structure == 1 else ())[-1]
    np.testing.assert_allclose(fcmper.decision_function(X), states[:, 4:], atol=1e-12)
    assert np.abs(fcmper.map_.weights).max() <= 1.0
    assert not fcmper.map_.weights.diagonal().any()


def test_one_step_with_a_small_slope_is_least_squares_with_bounds(wine):
    """The logistic function is then a straight line; SciPy's bounded least squares has the same weights."""
    X, y = wine
    X = MinMaxScaler().fit_transform(X)
    slope = 1e-3
    fcmper = FCMperClassifier(slope=slope, reading="argmax").fit(X, 1.0 * (y == 1))
    # 0.5 + slope / 4 * x: targets far outside the line push weights to their bounds.
    expected = lsq_linear(slope / 4 * X, (y == 1) - 0.5, (-1, 1)).x
    np.testing.assert_allclose(fcmper.map_.weights[-1, :13], expected, atol=1e-3)


def test_thresholds_have_the_fewest_errors_of_all():
    """Compared with a brute-force search over all cuts between values."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        values = rng.integers(0, 12, 25) / 10
        codes, weight = rng.integers(0, 4, 25), rng.integers(1, 4, 25).astype(float)
        found = Intervals.of(values[:, None], codes, weight, 4)

        def errors(cuts, values=values, codes=codes, weight=weight):
            return weight[np.searchsorted(cuts, values) != codes].sum()

        cuts = np.concatenate([[-1.0], np.unique(values) + 0.05])
        fewest = min(errors(np.array(three)) for three in combinations_with_replacement(cuts, 3))
        answers = found.scores(values[:, None]).argmax(axis=1)
        assert weight[answers != codes].sum() == fewest
        assert errors(found.thresholds) == fewest


def test_class_of_minimum_distance_is_the_nearest_mean(iris):
    """Of the outputs of the training rows."""
    X, y = iris
    means = NearestMean.of(X, y, np.ones(len(y)), 3)
    np.testing.assert_allclose(means.means, [X[y == k].mean(axis=0) for k in range(3)])
    distances = np.array([[np.linalg.norm(row - mean) for mean in means.means] for row in X])
    np.testing.assert_array_equal(means.scores(X).argmax(axis=1), distances.argmin(axis=1))


def test_a_bias_is_what_such_maps_lacked(iris):
    """On iris it removes more than half of the errors."""
    X, y = iris
    without, with_bias = FCMperClassifier().fit(X, y), FCMperClassifier(bias=True).fit(X, y)
    assert with_bias.score(X, y) > 0.95
    assert 1 - with_bias.score(X, y) < 0.5 * (1 - without.score(X, y))


@pytest.mark.parametrize("solver", ["rcga", "pso", "de", "cma"])
def test_populations_come_near_to_the_gradient_but_not_below(iris, solver):
    """With few weights: no loss is far above what the gradient finds, and none is below."""
    if solver == "cma":
        pytest.importorskip("cma", reason="the package cma comes with cogmap[cma]")
    X, y = iris
    settings = {"output": "single", "max_evaluations": 4000, "random_state": 0}
    best = FCMperClassifier(**settings).fit(X, y)
    found = FCMperClassifier(solver=solver, **settings).fit(X, y)
    assert found.loss_ == pytest.approx(best.loss_, rel=0.1)
    assert found.loss_ > best.loss_ - 1e-7
    assert found.n_evaluations_ == 4000
    again = FCMperClassifier(solver=solver, **settings).fit(X, y)
    assert again.map_ == found.map_


@pytest.mark.parametrize("solver", ["lbfgs", "rcga", "pso", "de", "cma"])
def test_more_evaluations_than_time_keep_the_best_map_and_say_so(wine, solver):
    """A limit of a moment: something was learned, and the warning has the cure."""
    if solver == "cma":
        pytest.importorskip("cma", reason="the package cma comes with cogmap[cma]")
    fcmper = FCMperClassifier(solver=solver, max_evaluations=10**9, max_seconds=1e-3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_seconds passed before max_evaluations.*Raise max_seconds or"):
        fcmper.fit(*wine)
    assert fcmper.outcome_ is Outcome.TIME_LIMIT
    assert fcmper.predict_proba(wine[0]).shape == (178, 3)


def test_too_few_evaluations_of_the_gradient_are_told(wine):
    """The loss still falls."""
    with pytest.warns(ConvergenceWarning, match="were not enough: the loss still falls. Raise max_evaluations"):
        FCMperClassifier(max_evaluations=3).fit(*wine)
