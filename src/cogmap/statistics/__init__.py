"""Statistics: whether methods differ by more than chance, from a plain array of their scores.

The input of most functions is `scores`, one row per block (a dataset, or a fold of one dataset), one column per method,
higher is better; give ``-errors`` if lower is better.

Several methods, many datasets: ask `friedman` whether any of them differ. It uses only the order of the methods on each
dataset, so it does not matter that accuracies of different datasets are not comparable, or not normally distributed.
Its Iman-Davenport form is the less conservative one. If it rejects, `nemenyi` says which pairs differ, and which
groups of methods cannot be told apart.

Several methods, the folds of one dataset: `anova_repeated_measures`, as the folds are the same for all methods and some
folds are harder than others. It assumes normal residuals of equal variance. `anova_one_way` is for independent rows,
where nothing connects the scores in a row; on shared folds it has less power. The training parts of folds overlap, so
the p-values of both are too small there: read them as a description.

Two methods: `paired_tests`. Over datasets trust the Wilcoxon test, which one dataset with a large difference cannot
decide; the t-test needs comparable and nearly normal differences. `win_tie_loss` counts, and tests nothing. When one
method is compared with several others in this way, pass all the p-values through `holm`.

The advice on datasets is that of J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
Journal of Machine Learning Research 7 (2006), 1-30.
"""

from cogmap.statistics.calibration import expected_calibration_error
from cogmap.statistics.omnibus import Anova, Friedman, anova_one_way, anova_repeated_measures, friedman
from cogmap.statistics.paired import Paired, holm, paired_tests, win_tie_loss
from cogmap.statistics.posthoc import Nemenyi, nemenyi

__all__ = [
    "Anova",
    "Friedman",
    "Nemenyi",
    "Paired",
    "anova_one_way",
    "anova_repeated_measures",
    "expected_calibration_error",
    "friedman",
    "holm",
    "nemenyi",
    "paired_tests",
    "win_tie_loss",
]
