"""Post-hoc tests: which methods differ, after an omnibus test has rejected."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from cogmap._utils.params import check_number
from cogmap.statistics.checks import check_scores
from cogmap.statistics.omnibus import ranks_in_blocks


@dataclass(frozen=True)
class Nemenyi:
    """Result of the Nemenyi test.

    Attributes
    ----------
    mean_ranks : ndarray of shape (n_methods,)
        Mean rank of each method over the blocks; rank 1 is best.
    critical_difference : float
        Two methods whose mean ranks differ by at least this much differ significantly.
    p_values : ndarray of shape (n_methods, n_methods)
        The p-value of each pair, adjusted for the number of pairs; 1 on the diagonal.
    groups : list of tuple of int
        The bars of a critical-difference diagram, as column numbers of `scores`: the longest runs of methods, in the
        order of their ranks, that do not differ significantly. Runs and the methods in them are sorted best first. A
        method may be in several runs; one that differs from all others forms its own run.

    See Also
    --------
    nemenyi : Nemenyi test: compare all pairs of methods by their mean ranks.
    Friedman : Result of the Friedman test.

    Examples
    --------
    >>> from cogmap.statistics import nemenyi
    >>> result = nemenyi([[0.7, 0.9, 0.8]] * 6)
    >>> result.groups, round(result.critical_difference, 2)
    ([(1, 2), (2, 0)], 1.35)
    """

    mean_ranks: NDArray[np.float64]
    critical_difference: float
    p_values: NDArray[np.float64]
    groups: list[tuple[int, ...]]


def nemenyi(scores: ArrayLike, alpha: float = 0.05) -> Nemenyi:
    """Nemenyi test: compare all pairs of methods by their mean ranks.

    Parameters
    ----------
    scores : array-like of shape (n_blocks, n_methods)
        Scores, one row per block, one column per method; higher is better.
    alpha : float, default=0.05
        Family-wise error rate: the probability of any rejection if no methods differ.

    Returns
    -------
    Nemenyi
        The mean ranks, the critical difference, the p-values of the pairs and the groups.

    See Also
    --------
    friedman : Friedman test: test whether all methods have the same mean rank.
    cogmap.plotting.plot_critical_difference : Plot a critical difference diagram of mean ranks.

    Examples
    --------
    >>> result = nemenyi([[0.7, 0.9, 0.8]] * 6)
    >>> result.mean_ranks.tolist()
    [3.0, 1.0, 2.0]
    >>> round(result.critical_difference, 3)
    1.353
    >>> result.groups
    [(1, 2), (2, 0)]
    """
    values = check_scores("nemenyi", scores)
    check_number("nemenyi", "alpha", alpha, low=0, high=1, low_included=False, high_included=False)
    n_blocks, n_methods = values.shape
    mean_ranks = ranks_in_blocks(values).mean(axis=0)
    # The difference of two mean ranks has variance k (k + 1) / 6n. The studentized range is in units of the standard
    # deviation of a single value, whose variance is half of that.
    deviation = math.sqrt(n_methods * (n_methods + 1) / (12 * n_blocks))
    critical_difference = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) * deviation
    differences = np.abs(mean_ranks[:, None] - mean_ranks)
    p_values = np.clip(stats.studentized_range.sf(differences / deviation, n_methods, np.inf), 0.0, 1.0)
    return Nemenyi(mean_ranks, critical_difference, p_values, _runs(mean_ranks, critical_difference))


def _runs(mean_ranks: NDArray[np.float64], critical_difference: float) -> list[tuple[int, ...]]:
    """Return the maximal runs of methods within the critical difference."""
    order = np.argsort(mean_ranks, kind="stable")
    ranks = mean_ranks[order]
    runs, end_of_previous = [], 0
    for start in range(len(order)):
        n_near = int(np.count_nonzero(ranks[start:] - ranks[start] < critical_difference))
        end = start + max(n_near, 1)  # for alpha near 1 the critical difference may round to 0
        if end > end_of_previous:
            runs.append(tuple(order[start:end].tolist()))
            end_of_previous = end
    return runs
