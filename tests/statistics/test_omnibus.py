"""ANOVA and Friedman against SciPy and statsmodels, and what must not change them."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cogmap.statistics import anova_one_way, anova_repeated_measures, friedman

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("COGMAP_DATA", ROOT.parent / "shared" / "datasets"))

SHAPES = st.tuples(st.integers(2, 8), st.integers(2, 6))
# Few levels, so that ties are common.
TIED_SCORES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4).map(float)))


def random_scores(seed, n_blocks, n_methods):
    """Blocks of different difficulty, and methods that differ a little."""
    rng = np.random.default_rng(seed)
    difficulty, quality = rng.normal(size=(n_blocks, 1)), rng.normal(scale=0.3, size=n_methods)
    return 0.7 + 0.1 * (difficulty + quality + rng.normal(scale=0.5, size=(n_blocks, n_methods)))


@pytest.mark.parametrize(("n_blocks", "n_methods"), [(2, 2), (5, 3), (10, 13), (100, 2)])
def test_one_way_anova_is_that_of_scipy(n_blocks, n_methods):
    """F and p are those of f_oneway."""
    scores = random_scores(0, n_blocks, n_methods)
    result, expected = anova_one_way(scores), stats.f_oneway(*scores.T)
    np.testing.assert_allclose([result.F, result.p], [expected.statistic, expected.pvalue], rtol=1e-9)
    assert (result.df_between, result.df_within) == (n_methods - 1, n_methods * (n_blocks - 1))


@pytest.mark.parametrize(("n_blocks", "n_methods"), [(2, 2), (5, 3), (10, 5)])
@pytest.mark.filterwarnings("default")  # statsmodels and pandas may warn each other
def test_repeated_measures_anova_is_that_of_statsmodels(n_blocks, n_methods):
    """F, p and the degrees of freedom are those of AnovaRM, with the blocks as subjects."""
    pd = pytest.importorskip("pandas")
    anova = pytest.importorskip("statsmodels.stats.anova")
    scores = random_scores(1, n_blocks, n_methods)
    block, method = (index.ravel() for index in np.indices(scores.shape))
    table = pd.DataFrame({"block": block, "method": method, "score": scores.ravel()})
    expected = anova.AnovaRM(table, "score", "block", within=["method"]).fit().anova_table.iloc[0]
    result = anova_repeated_measures(scores)
    np.testing.assert_allclose([result.F, result.p], [expected["F Value"], expected["Pr > F"]], rtol=1e-8)
    assert (result.df_between, result.df_within) == (expected["Num DF"], expected["Den DF"])


def test_repeated_measures_anova_ignores_what_a_block_adds_to_all_methods():
    """A constant added to each row changes nothing, but changes the one-way ANOVA."""
    scores = random_scores(2, 6, 4)
    shifted = scores + np.arange(6.0)[:, None]
    np.testing.assert_allclose(anova_repeated_measures(shifted).F, anova_repeated_measures(scores).F, rtol=1e-9)
    assert anova_one_way(shifted).F < anova_one_way(scores).F


@pytest.mark.parametrize("anova", [anova_one_way, anova_repeated_measures])
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, -7e5])
def test_anova_of_constant_scores_finds_nothing(anova, value):
    """All scores equal: F is 0 and p is 1, whatever the means round to."""
    result = anova(np.full((7, 3), value))
    assert (result.F, result.p) == (0.0, 1.0)


@pytest.mark.parametrize("anova", [anova_one_way, anova_repeated_measures])
def test_anova_of_constant_differences_is_certain(anova):
    """Methods that differ, and never vary: F is infinite and p is 0."""
    result = anova(np.tile([0.1, 0.2, 0.7], (7, 1)))
    assert (result.F, result.p) == (math.inf, 0.0)


@given(SHAPES, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_anova_does_not_depend_on_the_order_of_blocks_and_methods(shape, random):
    """Rows and columns can be permuted."""
    scores = random_scores(random.randrange(1000), *shape)
    rows, columns = random.sample(range(shape[0]), shape[0]), random.sample(range(shape[1]), shape[1])
    for anova in (anova_one_way, anova_repeated_measures):
        permuted = anova(scores[rows][:, columns])
        np.testing.assert_allclose(permuted.F, anova(scores).F, rtol=1e-7, atol=1e-12)


@given(TIED_SCORES.filter(lambda scores: scores.shape[1] >= 3 and np.ptp(scores, axis=1).any()))
@settings(max_examples=50, deadline=None)
def test_friedman_is_that_of_scipy(scores):
    """Statistic and p-value are those of friedmanchisquare, ties and all."""
    result, expected = friedman(scores), stats.friedmanchisquare(*scores.T)
    assert result.chi2 == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-9)


def test_friedman_of_two_methods_is_the_sign_test():
    """8 wins, 2 losses: the chi-squared form of the sign test, (8 - 2)^2 / 10; a tie counts for nothing."""
    scores = np.array([[1, 0]] * 8 + [[0, 1]] * 2)
    assert friedman(scores).chi2 == pytest.approx(3.6)
    assert friedman(np.vstack([scores, [[1, 1]]])).chi2 == pytest.approx(3.6)


@given(TIED_SCORES)
@settings(max_examples=50, deadline=None)
def test_iman_davenport_is_the_anova_of_the_ranks(scores):
    """It is the F of repeated measures on the ranks, which also settles what it is in the presence of ties."""
    result, expected = friedman(scores), anova_repeated_measures(stats.rankdata(-scores, axis=1))
    assert result.iman_davenport_F == pytest.approx(expected.F, rel=1e-9)
    assert result.iman_davenport_p == pytest.approx(expected.p, rel=1e-9)


def test_iman_davenport_is_that_computed_in_r():
    """Nine methods on two datasets, for which R says 11.733 (0.1635), corrected 2.75 (0.08697)."""
    ranks = np.array([[1, 8, 6, 4, 7, 2, 5, 3, 9], [1, 6, 3, 9, 7, 2, 8, 4, 5]])
    result = friedman(-ranks)
    np.testing.assert_array_equal(result.mean_ranks, ranks.mean(axis=0))
    assert result.chi2 == pytest.approx(11.733, abs=5e-4)
    assert result.p == pytest.approx(0.1635, abs=5e-5)
    assert result.iman_davenport_F == pytest.approx(2.75, abs=5e-4)
    assert result.iman_davenport_p == pytest.approx(0.08697, abs=5e-6)


@given(TIED_SCORES)
@settings(max_examples=50, deadline=None)
def test_mean_ranks_sum_to_that_of_the_numbers_from_1(scores):
    """Every block hands out the ranks 1 to k, ties share theirs."""
    k = scores.shape[1]
    assert friedman(scores).mean_ranks.sum() == pytest.approx(k * (k + 1) / 2)


def test_rank_1_is_the_highest_score():
    """Higher is better."""
    assert friedman([[0.9, 0.5, 0.5], [0.8, 0.1, 0.3]]).mean_ranks.tolist() == [1.0, 2.75, 2.25]


@given(TIED_SCORES, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_friedman_does_not_depend_on_the_order_of_blocks_and_methods(scores, random):
    """Permuted blocks change nothing; permuted methods permute the mean ranks."""
    rows = random.sample(range(scores.shape[0]), scores.shape[0])
    columns = random.sample(range(scores.shape[1]), scores.shape[1])
    result, permuted = friedman(scores), friedman(scores[rows][:, columns])
    assert permuted.chi2 == result.chi2
    assert permuted.iman_davenport_F == result.iman_davenport_F
    np.testing.assert_array_equal(permuted.mean_ranks, result.mean_ranks[columns])


@given(TIED_SCORES)
@settings(max_examples=50, deadline=None)
def test_friedman_uses_only_the_order_in_each_block(scores):
    """A growing function of the scores, another one for each block, changes nothing."""
    blocks = np.arange(1.0, len(scores) + 1)[:, None]
    result, changed = friedman(scores), friedman(np.exp(scores / blocks) * blocks - 3)
    assert changed.chi2 == result.chi2
    np.testing.assert_array_equal(changed.mean_ranks, result.mean_ranks)


@pytest.mark.parametrize("n_methods", [2, 3, 7])
def test_friedman_of_ties_only_finds_nothing(n_methods):
    """Both statistics are 0, both p-values 1."""
    result = friedman(np.tile([[0.1], [0.7], [0.3]], n_methods))
    assert (result.chi2, result.p) == (0.0, 1.0)
    assert (result.iman_davenport_F, result.iman_davenport_p) == (0.0, 1.0)


@pytest.mark.parametrize("row", [[0, 1], [0.3, 0.1, 0.2], [1, 1, 2, 3]])
def test_friedman_of_perfect_agreement_is_the_largest(row):
    """All blocks rank alike: chi2 is n (k - 1), that of Iman and Davenport infinite with p 0."""
    result = friedman([row] * 5)
    assert result.chi2 == pytest.approx(5 * (len(row) - 1))
    assert (result.iman_davenport_F, result.iman_davenport_p) == (math.inf, 0.0)


def test_friedman_rejects_equality_of_the_papers_methods():
    """The author's own folds: 13 methods on 21 datasets differ, and SciPy finds the same statistic."""
    path = DATA / "paper_results.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    datasets = json.loads(path.read_text())["datasets"]
    scores = [
        [np.mean(folds["test_accuracy"]) for method, folds in table["methods"].items() if not method.startswith("fcm_")]
        for name, table in datasets.items()
        if name != "fashion2000"
    ]
    assert np.shape(scores) == (21, 13)
    result, expected = friedman(scores), stats.friedmanchisquare(*np.transpose(scores))
    assert result.chi2 == pytest.approx(expected.statistic, rel=1e-9)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.p < 0.05
    assert result.iman_davenport_p < 0.05
