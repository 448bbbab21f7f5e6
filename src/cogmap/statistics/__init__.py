"""Statistical tests for comparing methods, on plain arrays of scores.

Most functions take `scores`, with one row per block (a dataset, or a fold of one dataset) and one column per method.
Higher is better; pass ``-errors`` if lower is better.

Several methods, many datasets: `friedman` tests whether any of them differ. It uses only the ranks of the methods on
each dataset, so accuracies of different datasets need be neither comparable nor normally distributed. Its
Iman-Davenport form is less conservative. If it rejects, `nemenyi` shows which pairs differ, and which groups of methods
do not differ significantly.

Several methods, the folds of one dataset: `anova_repeated_measures`, because all methods share the folds and some folds
are harder than others. It assumes normal residuals of equal variance. `anova_one_way` is for independent rows; on
shared folds it has less power. The training sets of folds overlap, so the p-values of both are too small there: treat
them as descriptive.

Two methods: `paired_tests`. Over datasets prefer the Wilcoxon test, which a single large difference cannot decide; the
t-test needs comparable and nearly normal differences. `win_tie_loss` only counts. To compare one method with several
others, adjust all the p-values with `holm`.

The advice on datasets follows J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
Journal of Machine Learning Research 7 (2006), 1-30.
"""

from cogmap.statistics.calibration import confidence_factor, expected_calibration_error
from cogmap.statistics.conformal import HeldOutErrors
from cogmap.statistics.novelty import RowDistances
from cogmap.statistics.omnibus import Anova, Friedman, anova_one_way, anova_repeated_measures, friedman
from cogmap.statistics.paired import Paired, holm, paired_tests, win_tie_loss
from cogmap.statistics.posthoc import Nemenyi, nemenyi

__all__ = [
    "Anova",
    "Friedman",
    "HeldOutErrors",
    "Nemenyi",
    "Paired",
    "RowDistances",
    "anova_one_way",
    "anova_repeated_measures",
    "confidence_factor",
    "expected_calibration_error",
    "friedman",
    "holm",
    "nemenyi",
    "paired_tests",
    "win_tie_loss",
]
