"""Weights to start from."""

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap._learning.initialization import balanced, correlation, from_map, uniform
from cogmap.exceptions import ParameterError


def test_uniform_is_the_papers():
    """Weights and bias fill [-1, 1]."""
    W, b = uniform(50, np.random.RandomState(0))
    assert W.shape == (50, 50)
    for values in (W, b):
        assert -1 <= values.min() < -0.8
        assert 0.8 < values.max() <= 1


@pytest.mark.parametrize("n_concepts", [3, 30, 300])
def test_balanced_starts_every_concept_in_the_middle(n_concepts):
    """Undecided states stay undecided, however many concepts there are."""
    W, b = balanced(n_concepts, np.random.RandomState(0), None)
    middle = np.full(n_concepts, 0.5)
    np.testing.assert_allclose(FuzzyCognitiveMap(W, b, slope=2).step(middle), middle, atol=1e-12)


def test_balanced_stays_balanced_within_limits():
    """Edges that are not allowed are left out before the bias is set."""
    allowed = np.tri(5, dtype=bool)
    limits = np.where(allowed, -0.1, 0.0), np.where(allowed, np.inf, 0.0)
    W, b = balanced(5, np.random.RandomState(0), limits)
    assert not W[~allowed].any()
    assert W.min() >= -0.1
    np.testing.assert_allclose(b + W @ np.full(5, 0.5), 0.5)


def test_correlation_is_numpys():
    """Weights are the correlations over the root of their number, and the mean row stays in the middle."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 3))
    targets = (X[:, :1] > 0.5).astype(float)
    W, b = correlation(X, targets, None, None)
    np.testing.assert_allclose(W, np.corrcoef(np.hstack([X, targets]).T) / 2, atol=1e-12)
    np.testing.assert_allclose(W @ [*X.mean(axis=0), 0.5] + b, 0.5)


def test_correlation_with_a_constant_feature_is_zero():
    """No NaN from a division by no deviation; weights count as repeated rows."""
    X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.5]])
    targets = np.array([[0.0], [1.0], [1.0]])
    W, _ = correlation(X, targets, np.array([1.0, 2.0, 1.0]), None)
    assert not W[0].any()
    rows = [0, 1, 1, 2]
    np.testing.assert_allclose(W, correlation(X[rows], targets[rows], None, None)[0], atol=1e-15)


@pytest.mark.parametrize("activation", ["sigmoid", "logistic"])
def test_an_experts_map_keeps_its_trajectories_at_our_slope(activation):
    """Concepts in any order, slopes of any size, either sigmoid."""
    rng = np.random.default_rng(0)
    expert = FuzzyCognitiveMap(
        rng.normal(size=(3, 3)), rng.normal(size=3), [0.5, 1.0, 4.0], ["c", "a", "b"], activation
    )
    W, b = from_map(expert, ["a", "b", "c"], 2.0, "owner")
    ours = FuzzyCognitiveMap(W, b, 2.0, ["a", "b", "c"])
    start = rng.random((5, 3))
    order = [1, 2, 0]  # where a, b, c are in the expert's map
    theirs = expert.run(start[:, np.argsort(order)], 3)[:, :, order]
    np.testing.assert_allclose(ours.run(start, 3), theirs, atol=1e-12)


def test_a_map_without_names_is_taken_in_our_order():
    """C1, C2 means the first and the second concept."""
    W, _ = from_map(FuzzyCognitiveMap([[1, 2], [3, 4]]), ["x0", "class=1"], 1.0, "owner")
    assert np.array_equal(W, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("expert", "message"),
    [
        (
            FuzzyCognitiveMap(np.eye(2), concepts=["a", "bb"]),
            r"init.*without \['b', 'c'\], with \['bb'\].*Did you mean 'b'",
        ),
        (FuzzyCognitiveMap(np.eye(2)), "init.*a map of the 3 concepts"),
        (FuzzyCognitiveMap(np.eye(3), concepts=["a", "b", "c"], activation="tanh"), r"init.*states in \[0, 1\]"),
    ],
)
def test_a_map_of_other_concepts_is_told(expert, message):
    """What is missing, what is not known, and what may have been meant."""
    with pytest.raises(ParameterError, match=message):
        from_map(expert, ["a", "b", "c"], 1.0, "FCMClassifier")
