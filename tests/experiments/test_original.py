"""Tests of the author's way of learning."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from cogmap._learning.losses import LogLoss, SoftmaxCrossEntropy
from cogmap._learning.objective import DenseObjective
from cogmap.experiments.original import OriginalFCM
from cogmap.experiments.published import fcm_parameters

ROWS, FEATURES = 7, 3


def model(output, loss="softmax", depth=3, **changes):
    settings = {"solver": "rmsprop", "learning_rate": 0.01, "batch_size": 10**9, "max_iter": 50, **changes}
    fcm = OriginalFCM(depth=depth, slope=1.5, output=output, loss=loss, **settings)
    fcm.n_features_in_ = FEATURES
    return fcm


@pytest.fixture
def problem():
    random = np.random.RandomState(0)
    return random.uniform(size=(ROWS, FEATURES)), random.randint(0, 2, ROWS), random.normal(size=100)


@pytest.mark.parametrize("output", ["single", "one_hot"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_with_undecided_outputs_it_is_the_sum_of_the_papers_losses(problem, output, depth):
    """The same sums of losses and gradients as the learning core."""
    X, y, numbers = problem
    targets = np.eye(2)[y][:, 1:] if output == "single" else np.eye(2)[y]
    r = FEATURES + targets.shape[1]
    W, b = numbers[: r * r].reshape(r, r), numbers[-r:]
    loss, gradient = model(output, depth=depth)._sum(W, b, np.hstack([X, np.full_like(targets, 0.5)]), targets)
    of_paper = LogLoss() if output == "single" else SoftmaxCrossEntropy(2)
    objective = DenseObjective(X, y, of_paper, depth=depth, slope=1.5)
    expected, expected_gradient, _ = objective.sums(np.concatenate([W.ravel(), b]))
    np.testing.assert_allclose(loss, expected)
    np.testing.assert_allclose(gradient, expected_gradient, atol=1e-12)


def test_gradient_of_the_log_loss_of_each_output(problem):
    """Equal to finite differences, from outputs that start anywhere."""
    X, y, numbers = problem
    fcm, r = model("one_hot", "logloss"), FEATURES + 2
    first = np.hstack([X, np.random.RandomState(1).uniform(size=(ROWS, 2))])

    def part(number):
        return lambda theta: fcm._sum(theta[: r * r].reshape(r, r), theta[r * r :], first, np.eye(2)[y])[number]

    assert check_grad(part(0), part(1), numbers[: r * r + r]) < 1e-5


def test_labels_that_do_not_occur_have_an_output():
    """As in the author's program: labels 1, 2, 3 make four outputs, the first of which is never chosen."""
    X, y = load_iris(return_X_y=True)
    fcm = OriginalFCM(**fcm_parameters("iris", "author")).fit(minmax_scale(X), y + 1)
    assert fcm.map_.n_concepts == 4 + 4
    assert set(fcm.predict(minmax_scale(X))) <= {1, 2, 3}
    assert fcm.score(minmax_scale(X), y + 1) > 0.9
    assert fcm.predict_proba(minmax_scale(X)).shape == (150, 4)
    names = ["x0", "x1", "x2", "x3", "class=0", "class=1", "class=2", "class=3"]
    assert fcm.get_feature_names_out().tolist() == list(fcm.map_.concepts) == names


def test_the_same_seed_gives_the_same_map_in_batches_too():
    """The start, the batches and the random outputs all follow the seed."""
    X, y = load_iris(return_X_y=True)
    maps = [model("one_hot", batch_size=20, max_iter=3, random_state=seed).fit(X / 8, y).map_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(maps[0].weights, maps[1].weights)
    assert not np.array_equal(maps[0].weights, maps[2].weights)
