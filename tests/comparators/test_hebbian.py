"""Hebbian learning against a plain implementation of its rule."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler

from cogmap import FuzzyCognitiveMap
from cogmap._learning.solvers import Outcome
from cogmap.comparators import HebbianFCMClassifier
from cogmap.exceptions import ParameterError
from cogmap.maps.rewriting import with_rule


def written_out(W, rows, n_steps, follow):
    """Apply the rule pair by pair; `W[i][j]` is from i to j, as in the papers."""
    eta, gamma = 0.04, 0.98
    n = len(W)
    states = [list(row) for row in rows]
    for _ in range(n_steps):
        new = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                if W[i][j] != 0:
                    change = np.mean([A[j] * (A[i] - abs(W[i][j]) * A[j]) for A in states])
                    new[i][j] = min(max(gamma * W[i][j] + eta * change, -1), 1)
        W = new
        if follow:
            states = [
                [1 / (1 + np.exp(-(A[j] + sum(A[i] * W[i][j] for i in range(n))))) for j in range(n)] for A in states
            ]
    return np.array(W)


@pytest.mark.parametrize("learning", ["nhl", "dd_nhl"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_follow_the_rule(iris, learning):
    """From an expert map with a zero weight, which remains 0."""
    X, y = iris
    X, y = MinMaxScaler().fit_transform(X[::15, :2]), (y[::15] > 0).astype(int)
    weights = np.random.default_rng(0).uniform(-1, 1, (4, 4))
    weights[1, 2] = 0.0
    expert = FuzzyCognitiveMap(weights, concepts=["x0", "x1", "class=0", "class=1"])
    hebbian = HebbianFCMClassifier(learning, init=expert, tol=0, max_iter=5).fit(X, y)
    outputs = np.zeros((len(X), 2)) if learning == "nhl" else np.eye(2)[y]
    expected = written_out(weights.T.tolist(), np.column_stack([X, outputs]), 5, learning == "nhl")
    np.testing.assert_allclose(hebbian.map_.weights.T, expected, atol=1e-12)
    assert hebbian.n_iter_ == 5


def test_an_expert_is_understood_by_name(iris):
    """Whatever the order of the concepts in the map."""
    X, y = iris
    names = ["x0", "x1", "x2", "x3", "class=0", "class=1", "class=2"]
    weights = np.random.default_rng(0).uniform(-1, 1, (7, 7))
    order = [6, 2, 0, 5, 1, 4, 3]
    expert = FuzzyCognitiveMap(weights, concepts=names)
    shuffled = FuzzyCognitiveMap(weights[np.ix_(order, order)], concepts=[names[i] for i in order])
    assert HebbianFCMClassifier(init=expert).fit(X, y).map_ == HebbianFCMClassifier(init=shuffled).fit(X, y).map_


def test_the_map_says_what_is_read(iris):
    """Run by the rule with self-memory from outputs at 0, the nearest mean of outputs is the answer."""
    X, y = iris
    X = MinMaxScaler().fit_transform(X)
    hebbian = HebbianFCMClassifier(depth=2).fit(X, y)
    start = np.column_stack([X, np.zeros((len(X), 3))])
    outputs = with_rule(hebbian.map_, "modified").run(start, 2)[-1][:, 4:]
    means = np.array([outputs[y == k].mean(axis=0) for k in range(3)])
    nearest = np.square(outputs[:, None] - means).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(hebbian.predict(X), nearest)


@pytest.mark.parametrize("desired", [(1.0, 2.0), (-1.0, 0.0), (1.5, 1.6)])
def test_a_range_that_no_state_can_reach_is_told(iris, desired):
    """States are between 0 and 1."""
    with pytest.raises(ParameterError, match=r"desired=.*low < 1 and high > 0.*no output can reach this range"):
        HebbianFCMClassifier(desired=desired).fit(*iris)


@pytest.mark.parametrize("learning", ["nhl", "dd_nhl"])
def test_a_range_that_is_not_reached_is_told(iris, learning):
    """Outputs go elsewhere, and learning ends after max_iter iterations with a sentence."""
    hebbian = HebbianFCMClassifier(learning, desired=(0.01, 0.02), max_iter=50)
    with pytest.warns(ConvergenceWarning, match="did not settle in the desired range in max_iter.*Widen desired"):
        hebbian.fit(*iris)
    assert hebbian.outcome_ is Outcome.RANGE_MISSED
    assert hebbian.n_iter_ == 50


def test_an_expert_map_of_other_concepts_is_told(iris):
    """The message has the unknown names with the nearest valid one, or the number of concepts."""
    cases = {
        "Did you mean 'x0'": FuzzyCognitiveMap(np.eye(7), concepts=["X0", *"abcdef"]),
        "got one of 2": FuzzyCognitiveMap(np.eye(2), concepts=["x0", "x1"]),
        r"weights in \[-1, 1\], got 3": FuzzyCognitiveMap(
            3 * np.eye(7), concepts=["x0", "x1", "x2", "x3", "class=0", "class=1", "class=2"]
        ),
    }
    for message, expert in cases.items():
        with pytest.raises(ParameterError, match=message):
            HebbianFCMClassifier(init=expert).fit(*iris)
