"""Nemenyi's test against the published table and scikit-posthocs, and its groups against their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cogmap.statistics import friedman, nemenyi

# Critical values at alpha 0.05 of two to ten methods, printed by Demsar (2006).
PUBLISHED = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}

SHAPES = st.tuples(st.integers(2, 30), st.integers(2, 6))
# Few levels, so that ties are common.
TIED_SCORES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4).map(float)))


def noisy_scores(seed, n_blocks, n_methods, noise=1.0):
    """Methods of growing quality, the last one best."""
    return np.arange(n_methods) + noise * np.random.default_rng(seed).normal(size=(n_blocks, n_methods))


@pytest.mark.parametrize("n_methods", PUBLISHED)
def test_critical_difference_is_the_published_one(n_methods):
    """It is q sqrt(k (k + 1) / 6n) with the printed q, which has three digits."""
    n_blocks = 14
    result = nemenyi(noisy_scores(0, n_blocks, n_methods))
    q = result.critical_difference / np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))
    assert q == pytest.approx(PUBLISHED[n_methods], abs=1e-3)


def test_critical_difference_of_two_methods_is_the_normal_quantile():
    """With two methods there is one comparison: q is the two-sided normal quantile, at any alpha."""
    for alpha in (0.001, 0.05, 0.1, 0.5):
        q = nemenyi(noisy_scores(0, 9, 2), alpha).critical_difference / np.sqrt(1 / 9)
        assert q == pytest.approx(stats.norm.isf(alpha / 2), rel=1e-6)


@pytest.mark.parametrize(("n_blocks", "n_methods"), [(5, 3), (10, 6), (21, 13)])
@pytest.mark.filterwarnings("default")  # what it imports may warn
def test_p_values_are_those_of_scikit_posthocs(n_blocks, n_methods):
    """Every pair has the p-value of posthoc_nemenyi_friedman."""
    posthocs = pytest.importorskip("scikit_posthocs")
    scores = noisy_scores(1, n_blocks, n_methods, noise=3.0).round()
    expected = np.asarray(posthocs.posthoc_nemenyi_friedman(scores))
    np.testing.assert_allclose(nemenyi(scores).p_values, expected, atol=1e-6)


@given(TIED_SCORES)
@settings(max_examples=30, deadline=None)
def test_p_values_are_symmetric_probabilities(scores):
    """The order of two methods does not matter, and a method does not differ from itself."""
    p = nemenyi(scores).p_values
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1.0)
    assert ((p >= 0) & (p <= 1)).all()


@given(TIED_SCORES, st.sampled_from([0.01, 0.05, 0.1, 0.5]))
@settings(max_examples=30, deadline=None)
def test_p_values_and_critical_difference_agree(scores, alpha):
    """A pair is within the critical difference if its p-value is above alpha, and the other way round."""
    result = nemenyi(scores, alpha)
    differences = np.abs(np.subtract.outer(result.mean_ranks, result.mean_ranks))
    np.testing.assert_array_equal(result.p_values > alpha, differences < result.critical_difference)


@given(TIED_SCORES, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_nemenyi_follows_the_order_of_the_methods_and_not_that_of_the_blocks(scores, random):
    """Permuted blocks change nothing; permuted methods permute the ranks and p-values."""
    rows = random.sample(range(scores.shape[0]), scores.shape[0])
    columns = random.sample(range(scores.shape[1]), scores.shape[1])
    result, permuted = nemenyi(scores), nemenyi(scores[rows][:, columns])
    np.testing.assert_array_equal(permuted.mean_ranks, result.mean_ranks[columns])
    np.testing.assert_allclose(permuted.p_values, result.p_values[np.ix_(columns, columns)], atol=1e-12)
    assert permuted.critical_difference == result.critical_difference


def test_mean_ranks_are_those_of_friedman():
    """Both tests stand on the same ranks."""
    scores = noisy_scores(2, 8, 5)
    np.testing.assert_array_equal(nemenyi(scores).mean_ranks, friedman(scores).mean_ranks)


@given(TIED_SCORES, st.sampled_from([0.05, 0.5, 0.95]))
@settings(max_examples=50, deadline=None)
def test_groups_are_the_maximal_runs(scores, alpha):
    """All runs within the critical difference that are part of no other one, found by trying all."""
    result = nemenyi(scores, alpha)
    ranks = result.mean_ranks
    order = np.argsort(ranks, kind="stable").tolist()
    runs = [tuple(order[i:j]) for i in range(len(order)) for j in range(i + 1, len(order) + 1)]
    near = [run for run in runs if ranks[run[-1]] - ranks[run[0]] < result.critical_difference]
    assert result.groups == [run for run in near if not any(set(run) < set(other) for other in near)]
    assert set().union(*result.groups) == set(order)


# Scores of one block, how many blocks like it, and the groups: mean ranks are then 1, 2, 3, ...
GROUPS = [
    ([4, 3, 2, 1], 2, [(0, 1, 2, 3)]),  # critical difference 3.3
    ([4, 3, 2, 1], 4, [(0, 1, 2), (1, 2, 3)]),  # 2.3
    ([1, 2, 4, 3], 4, [(2, 3, 1), (3, 1, 0)]),
    ([4, 3, 2, 1], 14, [(0, 1), (1, 2), (2, 3)]),  # 1.25
    ([4, 3, 2, 1], 30, [(0,), (1,), (2,), (3,)]),  # 0.86
    ([4, 2, 2, 1], 30, [(0,), (1, 2), (3,)]),
    ([0, 0], 5, [(0, 1)]),
]


@pytest.mark.parametrize(("row", "n_blocks", "groups"), GROUPS)
def test_groups_are_the_bars_of_the_diagram(row, n_blocks, groups):
    """Overlapping runs best first, and a method that differs from all others on its own."""
    assert nemenyi([row] * n_blocks).groups == groups


@pytest.mark.parametrize(("alpha", "groups"), [(1e-300, [(1, 0)]), (1 - 1e-16, [(1,), (0,)])])
def test_every_method_is_in_a_group_at_extreme_alpha(alpha, groups):
    """The critical difference becomes infinite or 0 by rounding, and the groups are still right."""
    assert nemenyi([[0, 1]] * 9, alpha).groups == groups
