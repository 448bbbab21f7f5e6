"""Paired tests against SciPy, Holm's method against statsmodels, and counts against their definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cogmap.statistics import holm, paired_tests, win_tie_loss

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)
# Few levels, so that ties are common.
PAIRS = st.integers(2, 10).flatmap(lambda n: arrays(np.float64, (2, n), elements=st.integers(0, 6).map(float)))


def random_pair(n_blocks, seed=0):
    rng = np.random.default_rng(seed)
    first = 0.8 + 0.1 * rng.normal(size=n_blocks)
    return first, first + 0.02 * rng.normal(size=n_blocks) - 0.01


def all_signs(n):
    """Every choice of n signs, one per row."""
    return 1 - 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)


@pytest.mark.parametrize("n_blocks", [2, 5, 21, 200])
def test_t_test_is_that_of_scipy(n_blocks):
    """Statistic and p-value are those of ttest_rel."""
    first, second = random_pair(n_blocks)
    result, expected = paired_tests(first, second), stats.ttest_rel(first, second)
    assert result.t == pytest.approx(expected.statistic, rel=1e-9)
    assert result.t_p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.mean_difference == pytest.approx(np.mean(first - second))


@pytest.mark.parametrize("n_blocks", [2, 5, 21, 50, 51, 200])
def test_wilcoxon_without_ties_is_that_of_scipy(n_blocks):
    """Exact p-values up to 50 blocks, the normal distribution from there on."""
    first, second = random_pair(n_blocks)
    result, expected = paired_tests(first, second), stats.wilcoxon(first, second)
    assert result.wilcoxon == pytest.approx(expected.statistic)
    assert result.wilcoxon_p == pytest.approx(expected.pvalue, rel=1e-9)


def test_wilcoxon_of_many_blocks_with_ties_is_that_of_scipy():
    """The normal distribution is corrected for ties among the differences and without the equal scores."""
    first, second = np.random.default_rng(0).integers(0, 8, (2, 150)).astype(float)
    result, expected = paired_tests(first, second), stats.wilcoxon(first, second)
    assert result.wilcoxon == pytest.approx(expected.statistic)
    assert result.wilcoxon_p == pytest.approx(expected.pvalue, rel=1e-9)


@given(PAIRS.filter(lambda pair: (pair[0] != pair[1]).any()))
@settings(max_examples=50, deadline=None)
def test_wilcoxon_of_few_blocks_with_ties_is_exact(pair):
    """The p-value is twice the share of all choices of signs with such a rank sum or a smaller one."""
    difference = pair[0] - pair[1]
    ranks = stats.rankdata(np.abs(difference[difference != 0]))
    sums = (all_signs(len(ranks)) > 0) @ ranks
    result = paired_tests(*pair)
    assert result.wilcoxon_p == pytest.approx(min(1.0, 2 * np.mean(sums <= result.wilcoxon)))


@given(PAIRS)
@settings(max_examples=50, deadline=None)
def test_exchanged_methods_change_only_signs(pair):
    """The tests are two-sided."""
    result, exchanged = paired_tests(*pair), paired_tests(*pair[::-1])
    assert (exchanged.t, exchanged.mean_difference) == (-result.t, -result.mean_difference)
    assert (exchanged.t_p, exchanged.wilcoxon_p) == (result.t_p, result.wilcoxon_p)
    assert exchanged.wilcoxon == result.wilcoxon


@given(PAIRS, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_paired_tests_do_not_depend_on_the_order_of_blocks(pair, random):
    """Both arrays can be permuted together."""
    order = random.sample(range(pair.shape[1]), pair.shape[1])
    result, permuted = paired_tests(*pair), paired_tests(*pair[:, order])
    assert permuted.t == pytest.approx(result.t, rel=1e-9, abs=1e-12)
    assert (permuted.wilcoxon, permuted.wilcoxon_p) == (result.wilcoxon, result.wilcoxon_p)


@pytest.mark.parametrize("scores", [[0.1, 0.1, 0.1], [0.3, 0.7, 0.9], [0, 0], [1e6, -1e-6, 3.0]])
def test_identical_arrays_do_not_differ(scores):
    """All statistics are 0 and all p-values 1, without a warning."""
    result = paired_tests(scores, scores)
    assert (result.t, result.wilcoxon, result.mean_difference) == (0.0, 0.0, 0.0)
    assert (result.t_p, result.wilcoxon_p) == (1.0, 1.0)


@pytest.mark.parametrize("step", [0.1, -0.1, 3.0])
def test_constant_difference_is_certain_to_the_t_test_only(step):
    """The statistic is infinite with the sign of the difference, without a warning; the ranks know 5 wins or losses."""
    second = np.array([0.1, 0.2, 0.35, 0.7, 0.9])
    result = paired_tests(second + step, second)
    assert result.t == math.copysign(math.inf, step)
    assert result.t_p == 0.0
    assert result.wilcoxon_p == 2 / 2**5


@given(P_VALUES)
@settings(max_examples=50, deadline=None)
@pytest.mark.filterwarnings("default")  # what it imports may warn
def test_holm_is_that_of_statsmodels(p_values):
    """The adjusted p-values are those of multipletests."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    expected = multitest.multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(holm(p_values), expected, rtol=1e-9, atol=1e-12)


@given(P_VALUES)
@settings(max_examples=50, deadline=None)
def test_holm_keeps_the_order_and_lowers_nothing(p_values):
    """Adjusted p-values are probabilities, none smaller than given, in the same order, equal ones equal."""
    adjusted = holm(p_values)
    assert (adjusted >= p_values).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p_values)]) >= 0).all()
    assert len({*zip(p_values, adjusted.tolist(), strict=True)}) == len(set(p_values))


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.25], [0.25]),
        ([0.0, 1.0], [0.0, 1.0]),
        ([0.75, 0.5], [1.0, 1.0]),
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
    ],
)
def test_holm_by_hand(p_values, adjusted):
    """The smallest is multiplied by the number of tests, the next by one less, and none gets below the one before."""
    np.testing.assert_allclose(holm(p_values), adjusted)


def test_win_tie_loss_counts():
    """A difference of the tolerance is a tie."""
    first, second = [1, 2, 3, 4, 5], [3, 2, 2, 2, 2]
    assert win_tie_loss(first, second) == (3, 1, 1)
    assert win_tie_loss(first, second, tolerance=1) == (2, 2, 1)
    assert win_tie_loss(first, second, tolerance=3.0) == (0, 5, 0)
    assert win_tie_loss([1], [0]) == (1, 0, 0)


@given(PAIRS, st.floats(0, 5))
@settings(max_examples=50, deadline=None)
def test_win_tie_loss_counts_every_block_once(pair, tolerance):
    """Exchanged methods exchange wins and losses."""
    wins, ties, losses = win_tie_loss(*pair, tolerance)
    assert wins + ties + losses == pair.shape[1]
    assert win_tie_loss(*pair[::-1], tolerance) == (losses, ties, wins)
