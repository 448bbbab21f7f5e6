"""Comparisons of two methods on the same blocks, and adjustment of p-values for multiple comparisons."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from cogmap._utils.params import check_number
from cogmap.statistics.checks import check_p_values, check_pair
from cogmap.statistics.omnibus import anova_repeated_measures

# float64 can count up to 2**53 sign assignments without error. SciPy switches to the normal approximation at the same
# number of blocks.
MOST_BLOCKS_FOR_EXACT_P = 50


@dataclass(frozen=True)
class Paired:
    """Result of the two-sided paired tests.

    Attributes
    ----------
    t : float
        Student's statistic; positive if the first method is better, infinite if it is better by a constant.
    t_p : float
        Its p-value, with n_blocks - 1 degrees of freedom.
    wilcoxon : float
        The smaller of the rank sums of wins and of losses; equal scores count for neither.
    wilcoxon_p : float
        Its p-value: exact for up to 50 unequal scores, even with ties among the differences, otherwise from the normal
        approximation.
    mean_difference : float
        Mean of first - second.

    See Also
    --------
    paired_tests :
        Test whether two methods differ on the same blocks, by Student's t-test and by Wilcoxon's signed-rank test.
    holm : Adjust p-values for multiple comparisons, by the step-down method of Holm.

    Examples
    --------
    >>> from cogmap.statistics import paired_tests
    >>> result = paired_tests([3, 5, 4, 6, 9], [1, 4, 4, 3, 5])
    >>> round(result.t_p, 3), result.wilcoxon_p, result.mean_difference
    (0.047, 0.125, 2.0)
    """

    t: float
    t_p: float
    wilcoxon: float
    wilcoxon_p: float
    mean_difference: float


def paired_tests(first: ArrayLike, second: ArrayLike) -> Paired:
    """Test whether two methods differ on the same blocks, by Student's t-test and by Wilcoxon's signed-rank test.

    Equal arrays have statistics 0 and p-values 1. Wilcoxon's test compares the differences exactly: round the scores
    first if differences that are equal up to rounding should count as ties.

    Parameters
    ----------
    first, second : array-like of shape (n_blocks,)
        Scores of the two methods, in the same order of blocks.

    Returns
    -------
    Paired
        Both statistics, their two-sided p-values and the mean difference.

    See Also
    --------
    win_tie_loss : Count the blocks in which the first method is better, as good, and worse.
    holm : Adjust p-values for multiple comparisons, by the step-down method of Holm.
    friedman : Friedman test: test whether all methods have the same mean rank.

    Examples
    --------
    >>> result = paired_tests([3, 5, 4, 6, 9], [1, 4, 4, 3, 5])
    >>> round(result.t, 3), round(result.t_p, 3)
    (2.828, 0.047)
    >>> result.wilcoxon, result.wilcoxon_p
    (0.0, 0.125)
    >>> result.mean_difference
    2.0
    """
    one, other = check_pair("paired_tests", first, second, at_least=2)
    difference = one - other
    mean_difference = float(difference.mean())
    # With two methods, the F of repeated measures is the square of the paired t.
    anova = anova_repeated_measures(np.column_stack([one, other]))
    t = math.copysign(math.sqrt(anova.F), mean_difference)
    return Paired(t, anova.p, *_signed_rank_test(difference), mean_difference)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values for multiple comparisons, by the step-down method of Holm.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        The p-values of the tests of one family.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted p-values, in the same order. Those below alpha are significant, with a family-wise error rate of at
        most alpha.

    See Also
    --------
    paired_tests :
        Test whether two methods differ on the same blocks, by Student's t-test and by Wilcoxon's signed-rank test.
    nemenyi : Nemenyi test: compare all pairs of methods by their mean ranks.

    Examples
    --------
    >>> holm([0.5, 0.25, 0.0625]).tolist()
    [0.5, 0.5, 0.1875]
    """
    values = check_p_values("holm", p_values)
    order = np.argsort(values)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1.0)
    return adjusted


def win_tie_loss(first: ArrayLike, second: ArrayLike, tolerance: float = 0.0) -> tuple[int, int, int]:
    """Count the blocks in which the first method is better, as good, and worse.

    Parameters
    ----------
    first, second : array-like of shape (n_blocks,)
        Scores of the two methods, in the same order of blocks; higher is better.
    tolerance : float, default=0.0
        Scores that differ by this much or less are ties.

    Returns
    -------
    tuple of int
        Wins, ties and losses of the first method.

    See Also
    --------
    paired_tests :
        Test whether two methods differ on the same blocks, by Student's t-test and by Wilcoxon's signed-rank test.
    friedman : Friedman test: test whether all methods have the same mean rank.

    Examples
    --------
    >>> win_tie_loss([5, 3, 4, 4], [1, 2, 4, 5], tolerance=1)
    (1, 3, 0)
    """
    one, other = check_pair("win_tie_loss", first, second, at_least=1)
    check_number("win_tie_loss", "tolerance", tolerance, low=0)
    difference = one - other
    wins = int(np.count_nonzero(difference > tolerance))
    losses = int(np.count_nonzero(difference < -tolerance))
    return wins, len(difference) - wins - losses, losses


def _signed_rank_test(difference: NDArray[np.float64]) -> tuple[float, float]:
    """Return Wilcoxon's statistic and its two-sided p-value.

    SciPy is not used because its p-values of small samples with ties depend on its version, and some come with a
    warning. Ties are common with folds and small datasets.
    """
    unequal = difference[difference != 0]
    if not len(unequal):
        return 0.0, 1.0
    ranks = stats.rankdata(np.abs(unequal))
    statistic = float(min(ranks[unequal > 0].sum(), ranks[unequal < 0].sum()))
    lower_tail = _exact_lower_tail if len(ranks) <= MOST_BLOCKS_FOR_EXACT_P else _normal_lower_tail
    return statistic, min(2 * lower_tail(statistic, ranks), 1.0)


def _exact_lower_tail(statistic: float, ranks: NDArray[np.float64]) -> float:
    """Return the fraction of sign assignments whose positive ranks sum to at most `statistic`."""
    doubled = np.rint(2 * ranks).astype(int)  # tied ranks are multiples of 1/2
    counts = np.zeros(doubled.sum() + 1)  # number of sign assignments with each sum
    counts[0] = 1
    for rank in doubled.tolist():
        counts[rank:] = counts[rank:] + counts[:-rank]
    return float(counts[: round(2 * statistic) + 1].sum() / 2.0 ** len(ranks))


def _normal_lower_tail(statistic: float, ranks: NDArray[np.float64]) -> float:
    """Approximate the result of `_exact_lower_tail` by the normal distribution, corrected for ties."""
    deviation = math.sqrt(float(np.square(ranks).sum())) / 2
    return float(stats.norm.cdf((statistic - ranks.sum() / 2) / deviation))
