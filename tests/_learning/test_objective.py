"""The objective: nothing but the numbers matters to its result."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from cogmap._learning.losses import LogLoss, SoftmaxCrossEntropy
from cogmap._learning.objective import DenseObjective
from cogmap._utils.threads import one_blas_thread


@pytest.fixture(scope="module")
def large(random_problem):
    """A problem of several blocks, with its parameters."""
    problem, W, b = random_problem(n_rows=3001, n_features=6, weighted=True)
    return problem, np.concatenate([W.ravel(), b])


def evaluate(problem, theta, **changes):
    """Return mean loss and gradient."""
    loss, gradient, weight = DenseObjective(**{**problem, **changes}).sums(theta)
    return loss / weight, gradient / weight


def assert_same(result, expected, tolerance):
    assert abs(result[0] - expected[0]) < tolerance
    np.testing.assert_allclose(result[1], expected[1], rtol=0, atol=tolerance)


@pytest.mark.parametrize("block_rows", [1, 7, 1000, 3001, 10_000])
def test_block_size_changes_nothing_but_rounding(large, block_rows):
    """Sums over blocks are sums over rows."""
    problem, theta = large
    assert_same(evaluate(problem, theta, block_rows=block_rows), evaluate(problem, theta), 1e-13)


@pytest.mark.parametrize("n_threads", [2, 3, 8, 20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thread_count_changes_not_a_bit(large, n_threads, dtype):
    """The order of the sums does not depend on who forms them."""
    problem, theta = large
    one = evaluate(problem, theta, block_rows=100, dtype=dtype)
    many = evaluate(problem, theta, block_rows=100, dtype=dtype, n_threads=n_threads)
    assert one[0] == many[0]
    assert np.array_equal(one[1], many[1])


@pytest.mark.parametrize("n_threads", [2, 3])
def test_mini_batches_are_shared_without_changing_a_bit(large, n_threads):
    """A batch that is large enough for two threads is cut in two for one as well."""
    problem, theta = large
    rows = np.random.default_rng(0).permutation(len(problem["X"]))[:1500]
    one, several = (DenseObjective(**problem, n_threads=n, block_rows=2000).sums(theta, rows) for n in (1, n_threads))
    assert one[0] == several[0]
    assert np.array_equal(one[1], several[1])


def test_memory_order_of_X_changes_nothing_but_rounding(large):
    """Rows together, columns together, every other column of a larger table: the same numbers."""
    problem, theta = large
    X = problem["X"]
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    expected = evaluate(problem, theta)
    for other in (np.asfortranarray(X), wide[:, ::2], X[::-1][::-1], X.tolist()):
        assert_same(evaluate(problem, theta, X=other), expected, 1e-13)


def test_integer_weights_equal_repeated_rows(large):
    """A weight of 3 is the row three times, 0 is no row."""
    problem, theta = large
    times = np.random.default_rng(0).integers(0, 4, len(problem["targets"]))
    weighted = evaluate(problem, theta, sample_weight=times)
    rows = np.repeat(np.arange(len(times)), times)
    repeated = evaluate(problem, theta, X=problem["X"][rows], targets=problem["targets"][rows], sample_weight=None)
    assert_same(weighted, repeated, 1e-12)


def test_only_the_ratio_of_weights_matters(large):
    """The loss is a weighted mean."""
    problem, theta = large
    assert_same(evaluate(problem, theta, sample_weight=7 * problem["sample_weight"]), evaluate(problem, theta), 1e-12)


def test_float32_is_close_and_returns_float64(large):
    """float32 data are computed in float32; loss and gradient are float64 all the same."""
    problem, theta = large
    objective = DenseObjective(**{**problem, "X": problem["X"].astype(np.float32)})
    assert objective.dtype == np.float32
    loss, gradient, weight = objective.sums(theta)
    assert gradient.dtype == np.float64
    assert_same((loss / weight, gradient / weight), evaluate(problem, theta), 1e-6)


def test_inputs_are_never_modified(large):
    """Data and parameters are read only: frozen arrays work and stay equal."""
    problem, theta = large
    frozen = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in problem.items()}
    for value in [*frozen.values(), theta := theta.copy()]:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    first = evaluate(frozen, theta)
    assert_same(first, evaluate(problem, theta), 0.5e-15)


def test_result_of_a_call_survives_the_next(large):
    """Buffers are made once, but what is returned belongs to the caller."""
    problem, theta = large
    objective = DenseObjective(**problem)
    _, gradient, _ = objective.sums(theta)
    kept = gradient.copy()
    objective.sums(theta + 1.0)
    assert np.array_equal(gradient, kept)


def test_value_is_the_value_without_gradient(large):
    """The cheaper call gives the same loss."""
    problem, theta = large
    objective = DenseObjective(**problem)
    loss, _, weight = objective.sums(theta)
    assert objective.value(theta) == loss / weight


@pytest.mark.parametrize("chosen_at", ["every call", "the beginning", "both"])
def test_chosen_rows_are_a_table_of_their_own(large, chosen_at, monkeypatch):
    """A mini-batch, or a part of a table, gives what the table of its rows gives, gathered or copied."""
    problem, theta = large
    rows = np.random.default_rng(0).permutation(3001)[:500]
    per_row = {name: problem[name][rows] for name in ("X", "targets", "sample_weight")}
    expected = DenseObjective(**{**problem, **per_row}).sums(theta)
    for copied_up_to in (0, 10**6):
        monkeypatch.setattr("cogmap._learning.objective._MAX_COPIED", copied_up_to)
        if chosen_at == "every call":
            result = DenseObjective(**problem).sums(theta, rows)
        elif chosen_at == "the beginning":
            result = DenseObjective(**{**problem, **per_row, "X": problem["X"]}, rows=rows).sums(theta)
        else:
            first = np.flatnonzero(np.isin(np.arange(3001), rows))
            of_first = {name: problem[name][first] for name in ("targets", "sample_weight")}
            objective = DenseObjective(**{**problem, **of_first}, rows=first)
            result = objective.sums(theta, np.random.default_rng(1).permutation(500))
        assert result[0] == pytest.approx(expected[0], rel=1e-12)
        np.testing.assert_allclose(result[1], expected[1], rtol=0, atol=1e-10)
        assert result[2] == pytest.approx(expected[2], rel=1e-12)


def test_sums_over_parts_add_up_to_the_whole(large):
    """Loss, gradient and weight of parts of a table, wherever they are, are those of the table."""
    problem, theta = large
    parts = np.array_split(np.random.default_rng(0).permutation(3001), 7)
    names = ("X", "targets", "sample_weight")
    sums = [
        DenseObjective(**{**problem, **{name: problem[name][rows] for name in names}}).sums(theta) for rows in parts
    ]
    whole = DenseObjective(**problem).sums(theta)
    assert sum(part[0] for part in sums) == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(sum(part[1] for part in sums), whole[1], rtol=0, atol=1e-9)
    assert sum(part[2] for part in sums) == pytest.approx(whole[2], rel=1e-12)


def test_other_rows_are_taken_into_the_same_buffers(large):
    """Fewer or more rows, weighted or not: the sums are those of an objective of their own."""
    problem, theta = large
    objective = DenseObjective(**problem)
    for n_rows, weighted in ((500, True), (3001, False), (20, True), (2000, True)):
        per_row = {name: problem[name][:n_rows] for name in ("X", "targets", "sample_weight")}
        if not weighted:
            per_row["sample_weight"] = None
        objective.set_rows(**per_row)
        expected = DenseObjective(**{**problem, **per_row})
        assert (objective.n_rows, objective.total_weight) == (n_rows, expected.total_weight)
        assert objective.sums(theta)[0] == expected.sums(theta)[0]
        assert np.array_equal(objective.sums(theta)[1], expected.sums(theta)[1])


def test_hidden_concepts_are_undecided_columns(random_problem):
    """A hidden concept is a feature that is always 0.5, but for the gradient of what nobody can change."""
    problem, W, b = random_problem(n_hidden=3, weighted=True)
    theta = np.concatenate([W.ravel(), b])
    columns = np.column_stack([problem["X"], np.full((7, 3), 0.5)])
    assert_same(evaluate(problem, theta), evaluate({**problem, "X": columns, "n_hidden": 0}, theta), 1e-13)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u8"])
def test_type_of_codes_does_not_matter(random_problem, dtype):
    """Narrow integers do not overflow where places are computed from them."""
    problem, W, b = random_problem(n_rows=1500, n_classes=60, depth=2)
    theta = np.concatenate([W.ravel(), b])
    expected = evaluate(problem, theta)
    result = evaluate({**problem, "targets": problem["targets"].astype(dtype)}, theta)
    assert result[0] == expected[0]
    assert np.array_equal(result[1], expected[1])


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_size_of_weights_does_not_matter_in_float32(large, size):
    """Weights beyond the range of float32 count by their ratios."""
    problem, theta = large
    expected = evaluate(problem, theta, dtype=np.float32)
    scaled = evaluate(problem, theta, dtype=np.float32, sample_weight=size * problem["sample_weight"])
    assert_same(scaled, expected, 1e-6)


def test_many_threads_share_few_buffers(random_problem):
    """There are no more buffers than runs of blocks."""
    problem, _, _ = random_problem(n_rows=30)
    assert DenseObjective(**problem, n_threads=64)._workspaces.qsize() == 1


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_is_held_to_one_thread_and_let_go():
    """However deep holds are nested, the old numbers come back, also after an error."""
    before = blas_threads()

    def hold_and_fail():
        with one_blas_thread():
            with one_blas_thread():
                assert set(blas_threads()) == {1}
            assert set(blas_threads()) == {1}
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        hold_and_fail()
    assert blas_threads() == before


def test_overlapping_holds_of_two_threads_do_not_disturb_each_other():
    """The hold lasts until the last of them leaves, and then the old numbers come back."""
    before = blas_threads()
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            entered.set()
            assert leave.wait(10)

    other = threading.Thread(target=hold)
    other.start()
    assert entered.wait(10)
    with one_blas_thread():
        leave.set()
        other.join(10)
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_threads_of_the_objective_let_blas_go(large):
    """Evaluating with threads leaves the number of BLAS threads as it was."""
    problem, theta = large
    before = blas_threads()
    evaluate(problem, theta, block_rows=100, n_threads=3)
    assert blas_threads() == before


@pytest.mark.parametrize("output", ["single", "one_hot"])
@pytest.mark.parametrize("weighted", [False, True])
def test_shares_are_weighted_rows(output, weighted):
    """A row that is partly of each class is the same as the row once per class, weighted by the shares."""
    rng = np.random.default_rng(0)
    k = 2 if output == "single" else 3
    X, shares = rng.random((20, 4)), rng.dirichlet(np.ones(k), 20)
    weight = rng.random(20) + 0.5 if weighted else np.ones(20)
    loss = LogLoss() if output == "single" else SoftmaxCrossEntropy(k, 4.0)
    settings = {"loss": loss, "depth": 3, "slope": 1.5}
    mixed = DenseObjective(X, shares, sample_weight=weight if weighted else None, **settings)
    theta = rng.normal(size=mixed.n_parameters)
    apart = DenseObjective(
        np.repeat(X, k, axis=0), np.tile(np.arange(k), 20), sample_weight=(shares * weight[:, None]).ravel(), **settings
    )
    for ours, expected in zip(mixed.sums(theta), apart.sums(theta), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-14)
