"""The objective of wide maps: the same numbers as the full objective has for the same map, at less cost."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array

from cogmap._learning.losses import LogLoss, SoftmaxCrossEntropy, SquaredLoss
from cogmap._learning.objective import DenseObjective
from cogmap._learning.structured import StructuredObjective

N_ROWS, N_FEATURES, N_HIDDEN, MEMORY, SLOPE = 40, 7, 3, 3.0, 1.7


def a_problem(loss, seed=0):
    """Return states of which some are undecided, targets for a loss, and weights of the rows."""
    random = np.random.default_rng(seed)
    X = random.random((N_ROWS, N_FEATURES))
    X[X < 0.4] = 0.5
    if isinstance(loss, SquaredLoss):
        return X, random.normal(size=(N_ROWS, loss.n_outputs)), random.random(N_ROWS)
    return X, random.integers(0, max(loss.n_outputs, 2), N_ROWS), random.random(N_ROWS)


LOSSES = [LogLoss(), SoftmaxCrossEntropy(3, 10.0), SquaredLoss(2)]


def structured(loss, depth, sparse=False, **options):
    """Return the objective of a problem."""
    X, y, weight = a_problem(loss)
    X = csr_array(X - 0.5) if sparse else X
    options = {"sample_weight": weight, "n_hidden": N_HIDDEN} | options
    return StructuredObjective(X, y, loss, depth=depth, slope=SLOPE, memory=MEMORY, **options)


def full_map(theta, objective):
    """Return W and b of all concepts: those of features are their memory."""
    r, n, m = objective.n_concepts, objective.n_features, objective.n_learned
    W, b = np.zeros((r, r)), np.full(r, 0.5 - 0.5 * MEMORY)
    np.fill_diagonal(W[:n, :n], MEMORY)
    W[n:], b[n:] = theta[: m * r].reshape(m, r), theta[m * r :]
    return W, b


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("loss", LOSSES)
def test_loss_and_gradient_are_those_of_the_full_map(loss, depth, sparse):
    """The weights that a structured map does not have are 0 there, and memory is fixed."""
    objective = structured(loss, depth, sparse)
    theta = np.random.default_rng(1).normal(size=objective.n_parameters)
    W, b = full_map(theta, objective)
    X, y, weight = a_problem(loss)
    full = DenseObjective(X, y, loss, depth=depth, slope=SLOPE, n_hidden=N_HIDDEN, sample_weight=weight)
    value, gradient, total = objective.sums(theta)
    expected, of_all, total_of_full = full.sums(np.concatenate([W.ravel(), b]))
    dW, db = of_all[: W.size].reshape(W.shape)[N_FEATURES:], of_all[W.size :][N_FEATURES:]
    assert value == pytest.approx(expected, rel=1e-12)
    assert total == total_of_full
    np.testing.assert_allclose(gradient, np.concatenate([dW.ravel(), db]), atol=1e-11)
    assert objective.value(theta) == pytest.approx(full.value(np.concatenate([W.ravel(), b])), rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_equals_difference_quotients(loss):
    """By SciPy's finite differences."""
    objective = structured(loss, 3)
    theta = 0.5 * np.random.default_rng(2).normal(size=objective.n_parameters)
    numeric = approx_fprime(theta, lambda at: objective.sums(at)[0], 1e-7)
    np.testing.assert_allclose(objective.sums(theta)[1], numeric, atol=1e-4)


@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_threads_and_chosen_rows_do_not_matter(sparse):
    """Sums over blocks are the sum; rows of a table are the table of the rows; threads change no bit."""
    loss = LogLoss()
    whole = structured(loss, 2, sparse)
    theta = np.random.default_rng(3).normal(size=whole.n_parameters)
    value, gradient, _ = whole.sums(theta)
    for options in ({"block_rows": 7}, {"block_rows": 7, "n_threads": 2}):
        blocks = structured(loss, 2, sparse, **options)
        assert blocks.sums(theta)[0] == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(blocks.sums(theta)[1], gradient, atol=1e-12)
    rows = np.arange(0, N_ROWS, 3)
    X, y, weight = a_problem(loss)
    X = csr_array(X - 0.5) if sparse else X
    options = {"depth": 2, "slope": SLOPE, "memory": MEMORY, "n_hidden": N_HIDDEN, "sample_weight": weight[rows]}
    chosen = StructuredObjective(X, y[rows], loss, rows=rows, **options)
    taken = StructuredObjective(X[rows], y[rows], loss, **options)
    assert chosen.sums(theta)[0] == taken.sums(theta)[0]
    np.testing.assert_allclose(whole.sums(theta, rows)[1], taken.sums(theta)[1], atol=1e-12)


def test_float32_is_near_float64():
    """The sums are float64 in any case."""
    exact, rough = structured(LogLoss(), 2), structured(LogLoss(), 2, dtype=np.float32)
    theta = np.random.default_rng(4).normal(size=exact.n_parameters)
    assert rough.sums(theta)[1].dtype == np.float64
    np.testing.assert_allclose(rough.sums(theta)[1], exact.sums(theta)[1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_size_of_weights_does_not_matter_in_float32(size):
    """Weights of rows beyond the range of float32 count by their ratios."""
    weight = a_problem(LOSSES[0])[2]
    one, scaled = (structured(LOSSES[0], 3, dtype=np.float32, sample_weight=by * weight) for by in (1.0, size))
    theta = np.random.default_rng(3).normal(size=one.n_parameters)
    (value, gradient, _), (scaled_value, scaled_gradient, _) = one.sums(theta), scaled.sums(theta)
    assert scaled_value / size == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(scaled_gradient / size, gradient, atol=1e-5)
    assert np.abs(gradient).max() > 0.01


def series(loss, depth, read_steps, seed=5):
    """Return an objective of windows, their states at each step, targets, and parameters."""
    random = np.random.default_rng(seed)
    X = random.random((N_ROWS, depth, N_FEATURES))
    shape = (N_ROWS, len(read_steps))
    if isinstance(loss, SquaredLoss):
        targets = random.normal(size=(*shape, loss.n_outputs))
    else:
        targets = random.integers(0, max(loss.n_outputs, 2), shape)
    options = {"depth": depth, "slope": SLOPE, "n_hidden": N_HIDDEN, "sample_weight": random.random(N_ROWS)}
    objective = StructuredObjective(X, targets, loss, read_steps=read_steps, **options)
    return objective, X, targets, 0.5 * random.normal(size=objective.n_parameters)


READ = [(3,), (1, 2, 3), (2,), (1, 3)]


@pytest.mark.parametrize("read_steps", READ)
@pytest.mark.parametrize("loss", LOSSES)
def test_inputs_at_each_step_and_several_readings_are_those_of_the_map(loss, read_steps):
    """The loss is the mean over the steps that are read of a map whose features are set anew before each step."""
    objective, X, targets, theta = series(loss, 3, read_steps)
    W, b = full_map(theta, objective)
    states, expected = np.full((N_ROWS, len(b)), 0.5), 0.0
    for t in range(3):
        states[:, :N_FEATURES] = X[:, t]
        net = 0.5 * SLOPE * (states @ W.T + b - 0.5)
        if t + 1 in read_steps:
            of_outputs = np.ascontiguousarray(net[:, -loss.n_outputs :].T)
            expected += loss(of_outputs, targets[:, read_steps.index(t + 1)], objective._weight) / len(read_steps)
        states = 0.5 + 0.5 * np.tanh(net)
    assert objective.sums(theta)[0] == pytest.approx(objective._unit * expected, rel=1e-12)


@pytest.mark.parametrize("read_steps", READ)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_of_several_readings_equals_difference_quotients(loss, read_steps):
    """By SciPy's finite differences; blocks and chosen rows change nothing but rounding."""
    objective, _, _, theta = series(loss, 3, read_steps)
    numeric = approx_fprime(theta, lambda at: objective.sums(at)[0], 1e-7)
    gradient = objective.sums(theta)[1]
    np.testing.assert_allclose(gradient, numeric, atol=1e-4)
    halves = [objective.sums(theta, rows)[1] for rows in np.array_split(np.arange(N_ROWS), 2)]
    np.testing.assert_allclose(sum(halves), gradient, atol=1e-11)


def test_states_that_follow_from_the_first_may_be_given_at_each_step():
    """A series of what features remember, read at the end, is the table of the first states."""
    loss = LogLoss()
    objective = structured(loss, 3)
    X, y, weight = a_problem(loss)
    steps = [X]
    for _ in range(2):
        steps.append(0.5 + 0.5 * np.tanh(0.25 * SLOPE * MEMORY * (2.0 * steps[-1] - 1.0)))
    options = {"depth": 3, "slope": SLOPE, "n_hidden": N_HIDDEN, "sample_weight": weight}
    given = StructuredObjective(np.stack(steps, axis=1), y[:, None], loss, read_steps=(3,), **options)
    theta = np.random.default_rng(6).normal(size=objective.n_parameters)
    for ours, expected in zip(given.sums(theta), objective.sums(theta), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)
