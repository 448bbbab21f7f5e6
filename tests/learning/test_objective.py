"""The objective: nothing but the numbers matters to its result."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from cogmap._learning.losses import LogLoss, SoftmaxCrossEntropy
from cogmap._learning.objective import Objective
from cogmap._threads import one_blas_thread
from cogmap.exceptions import ParameterError


@pytest.fixture(scope="module")
def large(random_problem):
    """A problem of several blocks, with its parameters."""
    problem, W, b = random_problem(n_rows=3001, n_features=6, weighted=True)
    return problem, np.concatenate([W.ravel(), b])


def evaluate(problem, theta, **changes):
    """Return mean loss and gradient."""
    loss, gradient, weight = Objective(**{**problem, **changes}).sums(theta)
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
    one, several = (Objective(**problem, n_threads=n, block_rows=2000).sums(theta, rows) for n in (1, n_threads))
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
    objective = Objective(**{**problem, "X": problem["X"].astype(np.float32)})
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
    objective = Objective(**problem)
    _, gradient, _ = objective.sums(theta)
    kept = gradient.copy()
    objective.sums(theta + 1.0)
    assert np.array_equal(gradient, kept)


def test_value_is_the_value_without_gradient(large):
    """The cheaper call gives the same loss."""
    problem, theta = large
    objective = Objective(**problem)
    loss, _, weight = objective.sums(theta)
    assert objective.value(theta) == loss / weight


@pytest.mark.parametrize("chosen_at", ["every call", "the beginning", "both"])
def test_chosen_rows_are_a_table_of_their_own(large, chosen_at, monkeypatch):
    """A mini-batch, or a part of a table, gives what the table of its rows gives, gathered or copied."""
    problem, theta = large
    rows = np.random.default_rng(0).permutation(3001)[:500]
    per_row = {name: problem[name][rows] for name in ("X", "targets", "sample_weight")}
    expected = Objective(**{**problem, **per_row}).sums(theta)
    for copied_up_to in (0, 10**6):
        monkeypatch.setattr("cogmap._learning.objective._COPIED", copied_up_to)
        if chosen_at == "every call":
            result = Objective(**problem).sums(theta, rows)
        elif chosen_at == "the beginning":
            result = Objective(**{**problem, **per_row, "X": problem["X"]}, rows=rows).sums(theta)
        else:
            first = np.flatnonzero(np.isin(np.arange(3001), rows))
            of_first = {name: problem[name][first] for name in ("targets", "sample_weight")}
            objective = Objective(**{**problem, **of_first}, rows=first)
            result = objective.sums(theta, np.random.default_rng(1).permutation(500))
        assert result[0] == pytest.approx(expected[0], rel=1e-12)
        np.testing.assert_allclose(result[1], expected[1], rtol=0, atol=1e-10)
        assert result[2] == pytest.approx(expected[2], rel=1e-12)


def test_sums_over_parts_add_up_to_the_whole(large):
    """Loss, gradient and weight of parts of a table, wherever they are, are those of the table."""
    problem, theta = large
    parts = np.array_split(np.random.default_rng(0).permutation(3001), 7)
    names = ("X", "targets", "sample_weight")
    sums = [Objective(**{**problem, **{name: problem[name][rows] for name in names}}).sums(theta) for rows in parts]
    whole = Objective(**problem).sums(theta)
    assert sum(part[0] for part in sums) == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(sum(part[1] for part in sums), whole[1], rtol=0, atol=1e-9)
    assert sum(part[2] for part in sums) == pytest.approx(whole[2], rel=1e-12)


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
    assert Objective(**problem, n_threads=64)._workspaces.qsize() == 1


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"depth": 0}, "depth.*integer >= 1, got 0"),
        ({"depth": 1.0}, "depth.*integer"),
        ({"slope": 0.0}, "slope"),
        ({"slope": [1.0, 2.0]}, "slope.*one per concept"),
        ({"slope": np.inf}, "slope"),
        ({"slope": "steep"}, "slope.*got 'steep'"),
        ({"X": [["a"]]}, "X.*table of numbers"),
        ({"sample_weight": ["a"] * 7}, "sample_weight"),
        ({"n_hidden": -1}, "n_hidden.*integer >= 0"),
        ({"targets": [0, 1]}, "targets.*class codes"),
        ({"targets": np.full(7, 3)}, "codes 0 .. 2"),
        ({"targets": np.full(7, -1)}, "codes 0 .. 2"),
        ({"targets": np.full(7, 0.5)}, "integer class codes"),
        ({"X": np.zeros((0, 3))}, "X.*at least one row"),
        ({"X": np.zeros(3)}, "X.*table"),
        ({"sample_weight": np.zeros(7)}, "sample_weight.*not all 0"),
        ({"sample_weight": -np.ones(7)}, "sample_weight.*>= 0"),
        ({"sample_weight": [1.0]}, "sample_weight.*7 numbers"),
        ({"dtype": np.float16}, "dtype.*float32 or float64"),
        ({"dtype": "abc"}, "dtype.*float32 or float64, got 'abc'"),
        ({"dtype": [1]}, "dtype.*float32 or float64"),
        ({"X": np.full((7, 4), 1j)}, "X.*table of numbers"),
        ({"sample_weight": np.full(7, 1e308)}, "sample_weight.*finite sum"),
        ({"sample_weight": np.full(7, 1j)}, "sample_weight.*7 numbers"),
        ({"rows": [0.5]}, "rows.*0 to 6"),
        ({"rows": [7]}, "rows.*0 to 6.*got 7"),
        ({"rows": [-1]}, "rows.*0 to 6.*got -1"),
        ({"rows": []}, "rows.*at least one"),
        ({"rows": [[0, 1]]}, "rows.*0 to 6"),
        ({"rows": "abc"}, "rows.*0 to 6"),
        ({"n_threads": 0}, "n_threads"),
        ({"block_rows": 0}, "block_rows"),
    ],
)
def test_wrong_arguments_are_told(random_problem, changes, message):
    """Each wrong argument is named, with what was expected."""
    problem, _, _ = random_problem()
    with pytest.raises(ParameterError, match=message):
        Objective(**{**problem, **changes})


def test_a_wrong_number_of_parameters_is_told(random_problem):
    """Parameters of another number of concepts are told apart."""
    problem, _, _ = random_problem()
    with pytest.raises(ParameterError, match=r"theta.*56 numbers, got shape \(3,\)"):
        Objective(**problem).sums(np.zeros(3))


@pytest.mark.parametrize("targets", [np.zeros(7), np.zeros((7, 3)), np.full((7, 2), np.nan)])
def test_values_of_a_wrong_kind_are_told(random_problem, targets):
    """One column per output, finite."""
    problem, _, _ = random_problem(output="values", n_classes=2)
    with pytest.raises(ParameterError, match=r"targets.*values for the outputs"):
        Objective(**{**problem, "targets": targets})


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
    mixed = Objective(X, shares, sample_weight=weight if weighted else None, **settings)
    theta = rng.normal(size=mixed.n_parameters)
    apart = Objective(
        np.repeat(X, k, axis=0), np.tile(np.arange(k), 20), sample_weight=(shares * weight[:, None]).ravel(), **settings
    )
    for ours, expected in zip(mixed.sums(theta), apart.sums(theta), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-14)


def test_shares_must_sum_to_one():
    """A table of something else is refused."""
    with pytest.raises(ParameterError, match="sum to 1 in every row"):
        Objective(np.ones((2, 1)), np.ones((2, 3)), SoftmaxCrossEntropy(3), depth=1, slope=1.0)
