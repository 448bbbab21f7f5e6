"""A table of problems times a table of solvers, and how learning ends."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from cogmap._learning.losses import LogLoss, SquaredLoss
from cogmap._learning.objective import DenseObjective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.solvers import LBFGS, RULES, Adaptive, Outcome, Problem, StoppingRule
from cogmap._learning.solvers.adaptive import Adam, RMSprop, batches
from cogmap.exceptions import NonFiniteLossError

NOWHERE, ALIKE = np.zeros(16), np.ones(16)


def make_problem(l1=0.0, l2=0.01, bounds=None, depth=1, seed=0, prior=NOWHERE, pull=ALIKE):
    """A logistic regression, or a deeper map, on random rows of two classes."""
    rng = np.random.default_rng(seed)
    X = rng.random((60, 3))
    y = (X @ [2.0, -1.0, 0.1] + 0.3 * rng.normal(size=60) > 0.5).astype(int)
    objective = DenseObjective(X, y, LogLoss(), depth=depth, slope=1.0)
    return Problem(objective, ElasticNet(l1, l2, prior, pull), bounds)


def solve(solver, problem, max_iter=5000, tol=1e-9, batch_size=60, rate=0.02, **watching):
    theta = problem.clip(np.random.default_rng(1).normal(scale=0.1, size=problem.objective.n_parameters))
    stopping = StoppingRule(max_iter, tol, 10, **watching)
    minimise = LBFGS() if solver == "lbfgs" else Adaptive(RULES[solver], rate, batch_size)
    theta, outcome = minimise(problem, theta, stopping, np.random.RandomState(0))
    return theta, outcome, stopping


def total_loss(problem, theta):
    loss, _ = problem.smooth_value_and_gradient(theta)
    return loss + problem.penalty.absolute_part(theta)


BOUNDS = np.full((4, 4), -0.3), np.full((4, 4), 0.5)
AROUND = {"prior": np.linspace(-0.4, 0.8, 16), "pull": np.linspace(0.5, 3.0, 16)}
PROBLEMS = {
    "square penalty": {},
    "absolute penalty": {"l1": 0.02, "l2": 0.0},
    "both penalties": {"l1": 0.01, "l2": 0.01},
    "bounds": {"bounds": BOUNDS},
    "absolute penalty and bounds": {"l1": 0.005, "l2": 0.0, "bounds": BOUNDS},
    "square penalty around a prior": AROUND,
    "absolute penalty around a prior": {"l1": 0.02, "l2": 0.0, **AROUND},
    "both penalties around a prior, and bounds": {"l1": 0.01, "l2": 0.01, "bounds": BOUNDS, **AROUND},
}


@pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_solver_finds_the_minimum_of_every_convex_problem(solver, name):
    """All end at the loss of SciPy's trust-region method on the same problem, and within the bounds."""
    problem = make_problem(**PROBLEMS[name])
    # Adam and RMSprop circle around a minimum at the distance of their rate: a small one, and no stop on the way. That
    # of Adam becomes small by itself.
    settings = {} if solver == "lbfgs" else {"tol": 0.0, "max_iter": 12_000, "rate": {"adam": 0.1}.get(solver, 0.005)}
    theta, _, _ = solve(solver, problem, **settings)
    prior, l1, n = problem.penalty.prior, problem.penalty.l1 * problem.penalty.pull, problem.penalty.n_weights
    low, high = (np.full(16, -10.0), np.full(16, 10.0))
    if problem.bounds is not None:
        low, high = (b.ravel() for b in problem.bounds)
    low, high = low - prior, high - prior

    def split_loss(parts):  # weights as prior plus positive minus negative parts, which makes |W - prior| smooth
        joined = np.concatenate([prior + parts[:n] - parts[n : 2 * n], parts[2 * n :]])
        return problem.smooth_value_and_gradient(joined)[0] + l1 @ (parts[:n] + parts[n : 2 * n])

    ranges = [(max(a, 0), max(b, 0)) for a, b in zip(low, high, strict=True)]
    ranges += [(max(-b, 0), max(-a, 0)) for a, b in zip(low, high, strict=True)]
    ranges += [(-10, 10)] * 4
    start = np.clip(np.zeros(36), [r[0] for r in ranges], [r[1] for r in ranges])
    best = minimize(split_loss, start, bounds=ranges, method="SLSQP", options={"maxiter": 500, "ftol": 1e-12}).fun
    assert total_loss(problem, theta) == pytest.approx(best, abs=2e-5)
    if problem.bounds is not None:
        W = theta[:16].reshape(4, 4)
        assert (problem.bounds[0] <= W).all()
        assert (problem.bounds[1] >= W).all()


@pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
def test_absolute_penalty_makes_exact_zeros(solver):
    """The weights that do not matter are 0, not small."""
    theta, _, _ = solve(solver, make_problem(l1=0.02, l2=0.0), rate=0.002)
    W = theta[:16].reshape(4, 4)
    assert not W[:3].any()  # the features are not read after one step
    assert W[3, 0] > 0.1
    assert W[3, 2] == 0.0


@pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
@pytest.mark.parametrize("depth", [1, 3])
def test_a_strong_absolute_penalty_gives_exactly_the_prior(solver, depth):
    """Every weight is that of the prior, to the last bit; the bias is still learned."""
    problem = make_problem(l1=50.0, l2=0.0, depth=depth, **AROUND)
    theta, _, _ = solve(solver, problem, max_iter=300, tol=1e-6)
    assert np.array_equal(theta[:16], AROUND["prior"])
    assert np.abs(problem.smooth_value_and_gradient(theta)[1][16:]).max() < 0.05


def test_one_step_is_logistic_regression():
    """L-BFGS on depth 1 ends where scikit-learn's logistic regression ends."""
    problem = make_problem(l2=0.01)
    theta, outcome, _ = solve("lbfgs", problem)
    assert outcome.converged
    expected = LogisticRegression(C=1 / (0.01 * 60), tol=1e-10, max_iter=1000).fit(
        problem.objective._X, problem.objective._targets
    )
    np.testing.assert_allclose(theta[:16].reshape(4, 4)[3, :3], expected.coef_[0], atol=1e-4)


def test_rmsprop_is_that_of_tensorflow_1():
    """Three steps by hand: mean square from one, decay 0.9, epsilon 1e-10 inside the root."""
    rule = RMSprop(0.1)
    mean_square = np.ones(2)
    for gradient in (np.array([1.0, -2.0]), np.array([0.5, 0.0]), np.array([3.0, 1e-6])):
        mean_square = 0.9 * mean_square + 0.1 * gradient**2
        direction, rate = rule(gradient)
        np.testing.assert_allclose(rate * direction, 0.1 * gradient / np.sqrt(mean_square + 1e-10), rtol=1e-12)


def test_adam_is_the_published_algorithm_with_a_falling_rate():
    """Three steps by hand, with the corrected means of the paper by Kingma and Ba; the rate falls as a root."""
    rule = Adam(0.1)
    m, v = np.zeros(2), np.zeros(2)
    for t, gradient in enumerate((np.array([1.0, -2.0]), np.array([0.5, 0.1]), np.array([3.0, 1e-3])), start=1):
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        rate = 0.1 / np.sqrt(1 + (t - 1) / 20)
        expected = rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        direction, rate = rule(gradient)
        np.testing.assert_allclose(rate * direction, expected, rtol=1e-5)


@pytest.mark.parametrize(("largest", "first", "when"), [(0.006, 0.006, 1), (0.012, 0.012, 1), (0.048, 0.012, 50)])
def test_rate_of_adam_rises_if_it_is_large_and_falls_to_nothing(largest, first, when):
    """It never begins with more than 0.012, reaches the largest rate after a twentieth of the steps, and ends at 0."""
    rule = Adam(largest, planned=1000)
    rates = []
    for _ in range(1000):
        direction, rate = rule(np.ones(1))
        rates.append((rate * direction).item())  # the corrected mean over the corrected root is 1
    assert rates[0] == pytest.approx(first, rel=0.1)
    assert max(rates) == pytest.approx(largest, rel=0.01)
    assert np.argmax(rates) == pytest.approx(when - 1, abs=1)
    assert rates[-1] < 1e-5 * largest
    assert rates[(1000 + when) // 2] == pytest.approx(largest / 2, rel=0.05)


@pytest.mark.parametrize(("n_rows", "batch_size"), [(100, 10), (105, 10), (109, 50), (7, 1)])
def test_batches_use_every_row_once_in_the_papers_number_of_steps(n_rows, batch_size):
    """As many batches as fit, none smaller than asked for."""
    parts = list(batches(n_rows, batch_size, np.random.RandomState(0)))
    assert len(parts) == n_rows // batch_size
    assert min(map(len, parts)) >= batch_size
    assert sorted(np.concatenate(parts)) == list(range(n_rows))


@pytest.mark.parametrize("batch_size", [60, 61, 1000])
def test_a_batch_of_all_rows_is_not_shuffled(batch_size):
    """One batch is the whole table, as it is."""
    assert list(batches(60, batch_size, np.random.RandomState(0))) == [None]


def test_mini_batches_learn():
    """Small batches get near the minimum too."""
    problem = make_problem()
    best = total_loss(problem, solve("lbfgs", problem)[0])
    theta, _, _ = solve("adam", problem, batch_size=10, tol=0.0, max_iter=300)
    assert total_loss(problem, theta) == pytest.approx(best, abs=2e-3)


class TestOutcomes:
    """Every end of learning has its own outcome."""

    @pytest.mark.parametrize("solver", ["lbfgs", "adam"])
    def test_max_iter(self, solver):
        """Too few iterations are told as not converged, with a cure."""
        _, outcome, stopping = solve(solver, make_problem(), max_iter=3)
        assert outcome is Outcome.MAX_ITER
        assert not outcome.converged
        assert stopping.n_iter == len(stopping.loss_curve) == 3

    @pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
    def test_tol_zero_makes_all_iterations(self, solver):
        """Who asks for a number of iterations gets it, and no complaint."""
        _, outcome, stopping = solve(solver, make_problem(depth=3, l2=0.0), max_iter=25, tol=0.0)
        assert outcome is Outcome.ALL_ITERATIONS
        assert outcome.converged
        assert stopping.n_iter == 25

    def test_vanished_gradient(self):
        """L-BFGS ends when the gradient is small, and it is."""
        problem = make_problem()
        theta, outcome, _ = solve("lbfgs", problem, tol=1e-5)
        assert outcome is Outcome.GRADIENT_VANISHED
        assert np.abs(problem.smooth_value_and_gradient(theta)[1]).max() <= 1e-5

    def test_vanished_gradient_on_a_bound(self):
        """What points out of the bounds does not count."""
        problem = make_problem(bounds=BOUNDS)
        theta, outcome, _ = solve("lbfgs", problem, tol=1e-5)
        assert outcome is Outcome.GRADIENT_VANISHED
        assert np.abs(problem.smooth_value_and_gradient(theta)[1]).max() > 1e-3

    def test_settled_loss(self):
        """Adam ends when the loss has settled."""
        _, outcome, stopping = solve("adam", make_problem(), tol=1e-4)
        assert outcome is Outcome.LOSS_SETTLED
        assert stopping.loss_curve[-11] - stopping.loss_curve[-1] < 1e-4

    @pytest.mark.parametrize("solver", ["lbfgs", "adam"])
    def test_settled_validation_keeps_the_best(self, solver):
        """A validation loss that rises from iteration 5 on ends learning 10 iterations later."""
        seen = []

        def validation(theta):
            seen.append(theta.copy())
            return abs(len(seen) - 5.0)

        _, outcome, stopping = solve(solver, make_problem(depth=3, l2=0.0), tol=1e-9, validation=validation)
        assert outcome is Outcome.VALIDATION_SETTLED
        assert stopping.n_iter == 15
        assert np.array_equal(stopping.best_theta, seen[4])
        assert stopping.validation_curve[4] == 0.0

    @pytest.mark.parametrize("solver", ["lbfgs", "adam"])
    def test_callback_stops(self, solver):
        """Who watches can stop."""
        _, outcome, stopping = solve(solver, make_problem(), after_iteration=lambda theta, number, loss: number == 2)
        assert outcome is Outcome.CALLBACK
        assert stopping.n_iter == 2

    def test_start_at_the_minimum(self):
        """A start that is a solution is one, and has a loss."""
        problem = make_problem()
        theta, _, _ = solve("lbfgs", problem)
        stopping = StoppingRule(100, 1e-3, 10)
        _, outcome = LBFGS()(problem, theta, stopping)
        assert outcome is Outcome.GRADIENT_VANISHED
        assert stopping.loss_curve == [pytest.approx(total_loss(problem, theta))]

    @pytest.mark.parametrize("solver", ["adam", "rmsprop"])
    def test_non_finite_loss_is_an_error_that_says_why(self, solver):
        """A rate beyond all measure is told, never a silent NaN."""
        with pytest.raises(NonFiniteLossError, match="Lower learning_rate"):
            solve(solver, make_problem(depth=2), rate=1e200)

    def test_sentences_are_for_people(self):
        """Each outcome says what happened in a sentence; one that is not good says what to do in another."""
        good = {"GRADIENT_VANISHED", "LOSS_SETTLED", "VALIDATION_SETTLED", "ALL_ITERATIONS", "ENOUGH", "ONE_PASS"}
        good |= {"ALL_EVALUATIONS", "RANGE_REACHED", "CALLBACK"}
        assert {outcome.name for outcome in Outcome if outcome.converged} == good
        for outcome in Outcome:
            sentences = [outcome.sentence] if outcome.converged else [outcome.sentence, outcome.cure]
            for sentence in sentences:
                assert sentence[0].isupper() or sentence.startswith("max_")
                assert sentence.endswith(".")
                assert len(sentence.split()) >= 2
            assert str(outcome) == outcome.sentence
        assert len({outcome.sentence for outcome in Outcome}) == len(Outcome)


def test_batches_of_a_weighted_table_average_to_the_whole():
    """Mini-batch gradients are unbiased, whatever weight falls into which batch."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.random((301, 3)), rng.integers(0, 2, 301), rng.random(301)
    objective = DenseObjective(X, y, LogLoss(), depth=2, slope=1.0, sample_weight=weight)
    penalty = ElasticNet(0.0, 0.0, NOWHERE, ALIKE)
    problem, theta = Problem(objective, penalty), rng.normal(size=20)
    parts = np.array_split(rng.permutation(301), 7)
    values = [problem.smooth_value_and_gradient(theta, rows) for rows in parts]
    whole = problem.smooth_value_and_gradient(theta)
    shares = [len(rows) / 301 for rows in parts]
    assert sum(share * value[0] for share, value in zip(shares, values, strict=True)) == pytest.approx(whole[0])
    gradient = sum(share * value[1] for share, value in zip(shares, values, strict=True))
    np.testing.assert_allclose(gradient, whole[1], rtol=0, atol=1e-12)
    unit = Problem(objective, penalty, unit_weight=0.25).smooth_value_and_gradient(theta)
    assert unit[0] == pytest.approx(whole[0] * weight.mean() / 0.25)


def test_squared_loss_is_the_likelihood_of_noise_of_unknown_size():
    """Half the logarithm of the mean square; its gradient is the difference quotient, with the penalty beside it."""
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)), rng.normal(size=(40, 2))
    objective = DenseObjective(X, y, SquaredLoss(2), depth=2, slope=1.0, n_hidden=1)
    problem, theta = Problem(objective, ElasticNet(0.0, 0.1, np.zeros(36), np.ones(36))), rng.normal(size=42)
    value, gradient = problem.smooth_value_and_gradient(theta)
    sums = objective.sums(theta)
    assert value == pytest.approx(0.5 * np.log(sums[0] / sums[2] + 1e-6) + 0.05 * (theta[:36] ** 2).sum())
    assert objective.value(theta) == pytest.approx(0.5 * np.log(sums[0] / sums[2] + 1e-6))
    for k in range(42):
        moved = [problem.smooth_value_and_gradient(theta + sign * 1e-6 * np.eye(42)[k])[0] for sign in (1, -1)]
        assert gradient[k] == pytest.approx((moved[0] - moved[1]) / 2e-6, abs=1e-6)
