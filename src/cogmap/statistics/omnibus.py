"""Omnibus tests: do any of several methods differ?"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from cogmap.statistics.checks import check_scores


@dataclass(frozen=True)
class Anova:
    """Result of an analysis of variance.

    Attributes
    ----------
    F : float
        Variance between methods divided by variance within them; infinite if there is no variance within.
    p : float
        The p-value of F under the hypothesis that all methods have the same mean.
    df_between, df_within : int
        Degrees of freedom of the two variances.

    See Also
    --------
    anova_one_way : One-way ANOVA, for independent scores.
    anova_repeated_measures : Repeated-measures ANOVA, for methods that share their blocks.

    Examples
    --------
    >>> from cogmap.statistics import anova_one_way
    >>> result = anova_one_way([[1, 2], [2, 3], [3, 4]])
    >>> result.F, round(result.p, 3), result.df_between, result.df_within
    (1.5, 0.288, 1, 4)
    """

    F: float
    p: float
    df_between: int
    df_within: int


@dataclass(frozen=True)
class Friedman:
    """Result of the Friedman test.

    Attributes
    ----------
    chi2 : float
        Friedman's statistic, corrected for ties.
    p : float
        Its p-value, from the chi-squared distribution with n_methods - 1 degrees of freedom.
    iman_davenport_F : float
        The statistic of Iman and Davenport, computed from `chi2`; infinite if all blocks rank the methods identically.
    iman_davenport_p : float
        Its p-value, from the F distribution; less conservative than `p`.
    mean_ranks : ndarray of shape (n_methods,)
        Mean rank of each method over the blocks; rank 1 is best.

    See Also
    --------
    friedman : Friedman test: test whether all methods have the same mean rank.
    nemenyi : Nemenyi test: compare all pairs of methods by their mean ranks.

    Examples
    --------
    >>> from cogmap.statistics import friedman
    >>> result = friedman([[0.7, 0.9, 0.8]] * 6)
    >>> result.mean_ranks.tolist(), round(result.p, 4)
    ([3.0, 1.0, 2.0], 0.0025)
    """

    chi2: float
    p: float
    iman_davenport_F: float
    iman_davenport_p: float
    mean_ranks: NDArray[np.float64]


def anova_one_way(scores: ArrayLike) -> Anova:
    """One-way ANOVA: test whether all methods have the same mean score, assuming independent scores.

    If all methods have the same mean, F is 0 and p is 1, even if the scores of each method are constant.

    Parameters
    ----------
    scores : array-like of shape (n_blocks, n_methods)
        Scores, one column per method.

    Returns
    -------
    Anova
        F, its p-value and the degrees of freedom.

    See Also
    --------
    anova_repeated_measures : Repeated-measures ANOVA, for methods that share their blocks.
    friedman : Friedman test: test whether all methods have the same mean rank.

    Examples
    --------
    >>> result = anova_one_way([[1, 2], [2, 3], [3, 4]])
    >>> round(result.F, 3), round(result.p, 3), result.df_between, result.df_within
    (1.5, 0.288, 1, 4)
    """
    values = check_scores("anova_one_way", scores)
    n_blocks, n_methods = values.shape
    residuals = values - values.mean(axis=0)
    return _anova(values, residuals, n_methods - 1, n_methods * (n_blocks - 1))


def anova_repeated_measures(scores: ArrayLike) -> Anova:
    """Repeated-measures ANOVA: test whether all methods have the same mean score, allowing for an effect of each block.

    The blocks correspond to the subjects of the classical test. Sphericity is assumed; no correction is applied.
    If all methods have the same mean, F is 0 and p is 1, even if all scores of a block are equal.

    Parameters
    ----------
    scores : array-like of shape (n_blocks, n_methods)
        Scores, one row per block, one column per method.

    Returns
    -------
    Anova
        F, its p-value and the degrees of freedom.

    See Also
    --------
    anova_one_way : One-way ANOVA: test whether all methods have the same mean score, assuming independent scores.
    friedman : Friedman test: test whether all methods have the same mean rank.
    paired_tests :
        Test whether two methods differ on the same blocks, by Student's t-test and by Wilcoxon's signed-rank test.

    Examples
    --------
    >>> result = anova_repeated_measures([[1, 2], [2, 3], [3, 6]])
    >>> round(result.F, 3), round(result.p, 3), result.df_between, result.df_within
    (6.25, 0.13, 1, 2)
    """
    values = check_scores("anova_repeated_measures", scores)
    n_blocks, n_methods = values.shape
    without_blocks = values - values.mean(axis=1, keepdims=True)
    residuals = without_blocks - without_blocks.mean(axis=0)
    return _anova(values, residuals, n_methods - 1, (n_methods - 1) * (n_blocks - 1))


def friedman(scores: ArrayLike) -> Friedman:
    """Friedman test: test whether all methods have the same mean rank.

    Ties share the mean of their ranks. If all methods tie in every block, both statistics are 0 and both p-values 1.

    Parameters
    ----------
    scores : array-like of shape (n_blocks, n_methods)
        Scores, one row per block, one column per method; higher is better.

    Returns
    -------
    Friedman
        The statistics of Friedman and of Iman and Davenport, their p-values, and the mean ranks.

    See Also
    --------
    nemenyi : Nemenyi test: compare all pairs of methods by their mean ranks.
    anova_repeated_measures : Repeated-measures ANOVA, for methods that share their blocks.
    cogmap.plotting.plot_critical_difference : Plot a critical difference diagram of mean ranks.

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.6, 0.7], [0.7, 0.6, 0.5], [0.9, 0.7, 0.8]])
    >>> result.mean_ranks.tolist()
    [1.0, 2.5, 2.5]
    >>> round(result.chi2, 3), round(result.p, 3)
    (6.0, 0.05)
    >>> round(result.iman_davenport_F, 3), round(result.iman_davenport_p, 3)
    (9.0, 0.016)
    """
    ranks = ranks_in_blocks(check_scores("friedman", scores))
    n_blocks, n_methods = ranks.shape
    # Ranks are multiples of 1/2, so these sums have no rounding error and the comparisons with 0 are exact.
    centered = ranks - (n_methods + 1) / 2
    between = float(np.square(centered.sum(axis=0)).sum())
    total = float(np.square(centered).sum())
    chi2 = (n_methods - 1) * between / total if total else 0.0
    # n_blocks * total is the value of `between` if all blocks rank the methods identically.
    F = _ratio((n_blocks - 1) * between, n_blocks * total - between)
    return Friedman(
        chi2=chi2,
        p=float(stats.chi2.sf(chi2, n_methods - 1)),
        iman_davenport_F=F,
        iman_davenport_p=float(stats.f.sf(F, n_methods - 1, (n_methods - 1) * (n_blocks - 1))),
        mean_ranks=ranks.mean(axis=0),
    )


def ranks_in_blocks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank the methods of each block: 1 is best, ties share the mean of their ranks."""
    ranks: NDArray[np.float64] = stats.rankdata(-scores, axis=1)
    return ranks


def _anova(values: NDArray[np.float64], residuals: NDArray[np.float64], df_between: int, df_within: int) -> Anova:
    effects = values.mean(axis=0) - values.mean()
    # The mean of equal numbers can differ from them in the last digits; do not count that as variance.
    negligible = values.size * np.square(16 * np.finfo(np.float64).eps * np.abs(values).max())
    between, within = (
        0.0 if square_sum <= negligible else float(square_sum)
        for square_sum in (len(values) * np.square(effects).sum(), np.square(residuals).sum())
    )
    F = _ratio(between / df_between, within / df_within)
    return Anova(F, float(stats.f.sf(F, df_between, df_within)), df_between, df_within)


def _ratio(between: float, within: float) -> float:
    if between == 0:
        return 0.0
    return between / within if within else math.inf
