"""The gradient against outside oracles: TensorFlow's figures, finite differences, PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FuzzyCognitiveMap
from cogmap._learning.losses import (
    DevianceLoss,
    HuberLoss,
    LabelsLoss,
    LogLoss,
    OrderedLoss,
    SoftmaxCrossEntropy,
    SquaredLoss,
)
from cogmap._learning.objective import DenseObjective
from cogmap.models.links import OrderedLink


def loss_and_gradient(W, b, **problem):
    """Return the mean loss, and its gradient with respect to the weights and the bias."""
    loss, gradient, weight = DenseObjective(**problem).sums(np.concatenate([np.ravel(W), b]))
    return loss / weight, gradient[: np.size(W)].reshape(np.shape(W)) / weight, gradient[np.size(W) :] / weight


def test_gradient_equals_the_reference(reference):
    """Loss and gradient equal TensorFlow's to 1e-10."""
    assert len(reference) == 8
    for case in reference:
        of_case = LogLoss() if case["output"] == "single" else SoftmaxCrossEntropy(case["n_classes"])
        loss, dW, db = loss_and_gradient(
            case["W"],
            case["b"],
            X=case["X"],
            targets=case["y"],
            loss=of_case,
            depth=case["depth"],
            slope=case["slope"],
        )
        assert abs(loss - case["loss"]) < 1e-10
        np.testing.assert_allclose(dW, case["grad_W"], rtol=0, atol=1e-10)
        np.testing.assert_allclose(db, case["grad_b"], rtol=0, atol=1e-10)


def plain_loss(problem, W, b):
    """The loss from its definition: run the map, take the outputs, take logarithms."""
    X, y, loss = problem["X"], problem["targets"], problem["loss"]
    states = np.hstack([X, np.full((len(X), len(b) - X.shape[1]), 0.5)])
    *_, before, after = FuzzyCognitiveMap(W, b, problem["slope"]).run(states, problem["depth"])
    outputs = after[:, -loss.n_outputs :]
    # From the step before: a state near 1 has lost most digits of what it is far from 1.
    net = (problem["slope"] / 2 * (before @ W.T + b - 0.5))[:, -loss.n_outputs :]
    np.testing.assert_allclose(outputs, 0.5 + 0.5 * np.tanh(net), rtol=0, atol=1e-14)
    if isinstance(loss, LogLoss):
        losses = np.logaddexp(0.0, np.where(y == 1, -2, 2) * net[:, 0])
    elif isinstance(loss, SquaredLoss):
        losses = 0.5 * ((net - y) ** 2).sum(axis=1)
    else:
        scores = loss.gain * outputs
        losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]
    return np.average(losses, weights=problem["sample_weight"])


problems = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "n_rows": st.integers(1, 12),
        "n_features": st.integers(1, 5),
        "n_hidden": st.integers(0, 3),
        "depth": st.integers(1, 6),
        "slope": st.floats(0.3, 3.0),
        "gain": st.floats(0.5, 10.0),
        "weighted": st.booleans(),
    }
)
outputs = st.sampled_from([("single", 2), ("one_hot", 2), ("one_hot", 3), ("one_hot", 5), ("values", 1), ("values", 3)])


@given(problems, outputs)
@settings(max_examples=60, deadline=None)  # a busy machine is no reason to fail
def test_gradient_equals_finite_differences(random_problem, shape, output):
    """On random problems the loss is the definition's, and the gradient its difference quotient."""
    problem, W, b = random_problem(**shape, output=output[0], n_classes=output[1])
    loss, dW, db = loss_and_gradient(W, b, **problem)
    assert abs(loss - plain_loss(problem, W, b)) < 1e-10
    theta, gradient = np.concatenate([W.ravel(), b]), np.concatenate([dW.ravel(), db])
    h = 1e-5
    for k in range(len(theta)):
        losses = []
        for steps in (2, 1, -1, -2):
            moved = theta.copy()
            moved[k] += steps * h
            losses.append(plain_loss(problem, moved[: W.size].reshape(W.shape), moved[W.size :]))
        # Of the fourth order: where a loss bends much, one of the second is off by more than the gradient may be.
        quotient = (8 * (losses[1] - losses[2]) - (losses[0] - losses[3])) / (12 * h)
        assert abs(quotient - gradient[k]) < 1e-6


@pytest.mark.parametrize("output", [("single", 2), ("one_hot", 4), ("values", 2)])
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_gradient_equals_pytorch_autograd(random_problem, output, depth):
    """The gradient equals what PyTorch finds by itself, to 1e-10."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (make bench installs it)")
    problem, W, b = random_problem(
        n_rows=50, n_hidden=2, output=output[0], n_classes=output[1], depth=depth, weighted=True
    )
    weights, bias = (torch.tensor(array, requires_grad=True) for array in (W, b))
    states = torch.tensor(np.hstack([problem["X"], np.full((50, len(b) - 4), 0.5)]))
    for _ in range(depth):
        states = torch.sigmoid(problem["slope"] * (states @ weights.T + bias - 0.5))
    targets = torch.tensor(problem["targets"])
    if output[0] == "single":
        losses = torch.nn.functional.binary_cross_entropy(states[:, 6], targets.double(), reduction="none")
    elif output[0] == "values":
        losses = 0.5 * ((torch.atanh(2 * states[:, 6:] - 1) - targets) ** 2).sum(axis=1)
    else:
        losses = torch.nn.functional.cross_entropy(problem["loss"].gain * states[:, 6:], targets, reduction="none")
    row_weight = torch.tensor(problem["sample_weight"])
    expected = (losses * row_weight).sum() / row_weight.sum()
    expected.backward()
    loss, dW, db = loss_and_gradient(W, b, **problem)
    assert abs(loss - expected.item()) < 1e-10
    np.testing.assert_allclose(dW, weights.grad.numpy(), rtol=0, atol=1e-10)
    np.testing.assert_allclose(db, bias.grad.numpy(), rtol=0, atol=1e-10)


def torch_losses(torch, name, net, targets):
    """The losses of counts, amounts, quantiles, labels and ordered classes by what PyTorch has, else by definition."""
    functional, up = torch.nn.functional, 2.0 - 1.3
    if name == "labels":
        return functional.binary_cross_entropy_with_logits(2 * net, targets, reduction="none").sum(axis=1)
    if name == "ordered":
        above = torch.sigmoid(2 * (net - torch.tensor([-0.4, 0.7], dtype=torch.double)))
        ends = torch.ones_like(net)
        p = torch.cat([ends, above], 1) - torch.cat([above, 0 * ends], 1)
        return functional.nll_loss(torch.log(p), targets, reduction="none")
    if name == "Huber":
        return functional.huber_loss(net, targets, reduction="none", delta=0.5).sum(axis=1)
    mu = torch.exp(net * torch.tensor([0.7, 1.2], dtype=torch.double))
    if name == "Poisson":
        losses = functional.poisson_nll_loss(torch.log(mu), targets, reduction="none")
        losses = losses - functional.poisson_nll_loss(torch.log(targets), targets, reduction="none")
    else:
        t = targets
        losses = t**up / ((up - 1) * up) - t * mu ** (up - 1) / (up - 1) + mu**up / up
    return (losses / torch.tensor([0.7, 1.2], dtype=torch.double) ** 2).sum(axis=1)


ORDERED = OrderedLoss(OrderedLink(np.arange(3), np.arange(3), np.array([-0.4, 0.7])))
MORE_LOSSES = {
    "labels": (LabelsLoss(2), lambda rng: rng.integers(0, 2, (50, 2)).astype(float)),
    "ordered": (ORDERED, lambda rng: rng.integers(0, 3, 50)),
    "Huber": (HuberLoss(2), lambda rng: rng.normal(size=(50, 2))),
    "Poisson": (DevianceLoss(2, 1.0, (0.7, 1.2)), lambda rng: rng.integers(1, 5, (50, 2)) / 2.5),
    "Tweedie": (DevianceLoss(2, 1.3, (0.7, 1.2)), lambda rng: rng.gamma(1.0, size=(50, 2))),
}


@pytest.mark.parametrize("name", MORE_LOSSES)
def test_gradient_of_other_losses_equals_pytorch_autograd(random_problem, name):
    """Through three steps of a map with hidden concepts, to 1e-10."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (make bench installs it)")
    loss, make_targets = MORE_LOSSES[name]
    problem, W, b = random_problem(n_rows=50, n_hidden=2, output="values", n_classes=loss.n_outputs, weighted=True)
    problem |= {"loss": loss, "targets": make_targets(np.random.default_rng(5))}
    weights, bias = (torch.tensor(array, requires_grad=True) for array in (W, b))
    states = torch.tensor(np.hstack([problem["X"], np.full((50, len(b) - 4), 0.5)]))
    for _ in range(2):
        states = torch.sigmoid(2.0 * (states @ weights.T + bias - 0.5))
    net = (states @ weights.T + bias - 0.5)[:, 6:]
    row_weight = torch.tensor(problem["sample_weight"])
    losses = torch_losses(torch, name, net, torch.tensor(problem["targets"]))
    expected = (losses * row_weight).sum() / row_weight.sum()
    expected.backward()
    value, dW, db = loss_and_gradient(W, b, **problem)
    assert abs(value - expected.item()) < 1e-10
    np.testing.assert_allclose(dW, weights.grad.numpy(), rtol=0, atol=1e-10)
    np.testing.assert_allclose(db, bias.grad.numpy(), rtol=0, atol=1e-10)


def test_slope_may_differ_between_concepts(random_problem):
    """One slope per concept: the loss is the definition's, and a slope can move into the weights."""
    problem, W, b = random_problem()
    slopes = np.linspace(0.5, 3.0, len(b))
    problem["slope"] = slopes
    loss, dW, _ = loss_and_gradient(W, b, **problem)
    assert abs(loss - plain_loss(problem, W, b)) < 1e-12
    problem["slope"] = 1.0
    moved = slopes[:, None] * W, slopes * (b - 0.5) + 0.5
    same, dW_moved, _ = loss_and_gradient(*moved, **problem)
    assert abs(loss - same) < 1e-12
    np.testing.assert_allclose(dW, slopes[:, None] * dW_moved, rtol=0, atol=1e-12)


@pytest.mark.parametrize("output", [("single", 2), ("one_hot", 3), ("values", 2)])
@pytest.mark.parametrize("size", [1e3, 1e150])
def test_huge_weights_saturate_without_overflow(random_problem, output, size):
    """Weights far beyond anything learned give a finite loss and gradient, and no warning."""
    problem, W, b = random_problem(output=output[0], n_classes=output[1])
    loss, dW, db = loss_and_gradient(size * W, size * b, **problem)
    assert np.isfinite(loss)
    assert np.isfinite(dW).all()
    assert np.isfinite(db).all()


def test_a_surely_wrong_prediction_still_has_a_gradient():
    """Log loss far in the wrong tail grows with the margin and pulls back with full force."""
    theta = np.array([0.0, 0.0, 400.0, 0.0, 0.0, 0.0])  # two concepts: the feature pushes the output to class 1
    loss, gradient, _ = DenseObjective([[1.0]], [0], LogLoss(), depth=1, slope=1.0).sums(theta)
    assert loss == pytest.approx(399.5)
    assert gradient[2] == pytest.approx(1.0)
