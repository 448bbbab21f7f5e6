"""The parameters in which solvers take their steps: there and back, and their gradients."""

import numpy as np
import pytest

from cogmap._learning.losses import LogLoss, SquaredLoss
from cogmap._learning.objective import DenseObjective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.solvers import LBFGS, RULES, Adaptive, Problem, Slopes, StoppingRule
from cogmap._learning.solvers.spaces import Centred, ParameterSpace

GIVEN = np.random.default_rng(0).normal(size=(5, 5))
GIVEN[1] = 0.0  # nothing influences this concept
SPACES = {"plain": ParameterSpace(5), "centred": Centred(5), "slopes": Slopes(GIVEN)}


def make_problem(space=None, depth=3, values=False):
    """Rows of three features, one hidden concept and one output, with both kinds of loss."""
    rng = np.random.default_rng(1)
    X = rng.random((40, 3))
    targets = X @ [[2.0], [-1.0], [0.5]] if values else (X[:, 0] > X[:, 1]).astype(int)
    objective = DenseObjective(X, targets, SquaredLoss(1) if values else LogLoss(), depth=depth, slope=2.0, n_hidden=1)
    penalty = ElasticNet(0.0, 0.02, GIVEN.ravel(), np.linspace(0.5, 3.0, 25))
    return Problem(objective, penalty, space=space)


def start(space, rng):
    """Parameters of a space, and those of the map."""
    x = rng.normal(scale=0.5, size=len(space.from_theta(np.concatenate([GIVEN.ravel(), np.zeros(5)]))))
    return x, space.to_theta(x)


@pytest.mark.parametrize("name", SPACES)
def test_there_and_back_are_the_same_parameters(name):
    """Whatever they are; a concept that nothing influences has no slope that anybody could know."""
    space, rng = SPACES[name], np.random.default_rng(2)
    x, theta = start(space, rng)
    if name == "slopes":
        x[1] = 0.0
    np.testing.assert_allclose(space.from_theta(theta), x, atol=1e-12)
    np.testing.assert_allclose(space.to_theta(space.from_theta(theta)), theta, atol=1e-12)


@pytest.mark.parametrize("values", [False, True], ids=["classes", "values"])
@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("name", SPACES)
def test_the_gradient_is_the_difference_quotient(name, depth, values):
    """Of loss and penalty, in the parameters of the space."""
    space, problem = SPACES[name], make_problem(depth=depth, values=values)
    x, theta = start(space, np.random.default_rng(3))
    gradient = space.gradient(problem.smooth_value_and_gradient(theta)[1], x)
    assert gradient.shape == x.shape
    for k, unit in enumerate(np.eye(len(x))):
        ends = [problem.smooth_value_and_gradient(space.to_theta(x + step * unit))[0] for step in (1e-6, -1e-6)]
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=2e-7)


def test_slopes_keep_the_proportions_of_the_weights():
    """Each row of W is that given times a factor > 0, which is the logarithm's inverse."""
    x, theta = start(SPACES["slopes"], np.random.default_rng(4))
    np.testing.assert_allclose(theta[:25].reshape(5, 5), np.exp(x[:5])[:, None] * GIVEN, rtol=1e-15)


@pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
def test_every_solver_learns_slopes(solver):
    """The loss falls, and the weights stay in proportion."""
    problem = make_problem(SPACES["slopes"], depth=2)
    theta = np.concatenate([GIVEN.ravel(), 0.5 - 0.5 * GIVEN.sum(axis=1)])
    minimise = LBFGS() if solver == "lbfgs" else Adaptive(RULES[solver], 0.02, 40)
    before = problem.smooth_value_and_gradient(theta)[0]
    learned, _ = minimise(problem, theta, StoppingRule(100, 0.0, 10), np.random.RandomState(0))
    assert problem.smooth_value_and_gradient(learned)[0] < before - 0.03
    factors = learned[:25].reshape(5, 5)[[0, 2, 3, 4]] / GIVEN[[0, 2, 3, 4]]
    assert (factors > 0).all()
    np.testing.assert_allclose(factors, factors[:, :1] * np.ones(5), rtol=1e-12)
