"""The paper's claims about its experiment, each judged on the results of a run.

A claim holds, does not hold, or is undecided, with numbers as evidence. It is judged as strictly as the paper states
it, for the paper's map and the 12 other methods, on all datasets (of 21) that have results.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.research.experiments.rivals import PAPER_RIVALS
from cogmap.research.report.results import BLOCKS, METRICS, Results, clustering, nemenyi_of, votes
from cogmap.research.report.significance import ALPHA, compare_pipelines, omnibus_tests

_MIN_DATASETS = 5  # four datasets agree by chance with probability 2**-4 > 0.05
_CLEARLY_WORSE = 0.05  # scores within this distance count as close; a larger deficit to the best method is a failure

Verdict = tuple[bool, str]  # whether the claim holds, and the evidence
Judge = Callable[[Results], Verdict]

_CLAIMS: list[tuple[str, str, Judge]] = []  # text, section of the paper, and judging function


class _MissingResultsError(Exception):
    """The results lack methods or datasets of a claim."""


def _claim(text: str, section: str) -> Callable[[Judge], Judge]:
    """Register a function that judges a claim."""

    def register(judge: Judge) -> Judge:
        _CLAIMS.append((text, section, judge))
        return judge

    return register


def judge_claims(results: Results) -> list[dict[str, Any]]:
    """Return every claim with its section in the paper, its verdict and the evidence."""
    judged = []
    for text, section, judge in _CLAIMS:
        verdict, evidence = _judge_claim(judge, results)
        judged.append({"claim": text, "section": section, "verdict": verdict, "evidence": evidence})
    return judged


def _judge_claim(judge: Judge, results: Results) -> tuple[str, str]:
    n_datasets = len(results.datasets)
    try:
        holds, evidence = judge(results)
    except _MissingResultsError:
        return "undecided", "These results lack methods or datasets of the claim."
    if n_datasets < _MIN_DATASETS:
        return "undecided", (
            f"{evidence} Too few datasets: all {n_datasets} agree by chance with probability {0.5**n_datasets:.2f}; at "
            f"least {_MIN_DATASETS} are needed for a probability below 0.05."
        )
    return "holds" if holds else "does not hold", evidence


def _required(value: Any) -> Any:
    """Return a value, or raise an error if the results lack it."""
    if value is None:
        raise _MissingResultsError
    return value


def _methods(results: Results) -> list[str]:
    """Return the names of the map and the paper's other methods; the results must contain all of them."""
    methods = ["fcm", *PAPER_RIVALS]
    if not all(method in results.methods for method in methods):
        raise _MissingResultsError
    return methods


def _scores(results: Results, metric: str, by: str, min_datasets: int = 1) -> NDArray[np.float64]:
    """Return the scores, one column per method, on at least `min_datasets` datasets."""
    values, datasets = results.score_array(_methods(results), metric, by)
    if len(datasets) < min_datasets:
        raise _MissingResultsError
    return values


def _fold_scores(results: Results, metric: str) -> dict[str, NDArray[np.float64]]:
    """Return the scores of each method over all folds."""
    return dict(zip(_methods(results), _scores(results, metric, "folds").T, strict=True))


@_claim("The map has the best mean accuracy on 4 of 21 datasets and the best mean F1 on 3.", "5.1")
def _best_means(results: Results) -> Verdict:
    counts = []
    for metric in METRICS:
        values = _scores(results, metric, "datasets")
        counts.append(int((values[:, 0] >= values.max(axis=1) - 1e-12).sum()))
    needed = [math.ceil(count / 21 * len(values)) for count in (4, 3)]
    text = f"Best, or equal to the best, on {counts[0]} (accuracy) and {counts[1]} (F1) of {len(values)} datasets."
    return counts[0] >= needed[0] and counts[1] >= needed[1], text


@_claim("On yeast the map fails.", "5.1")
def _fails_on_yeast(results: Results) -> Verdict:
    ours, best, name = _against_best(results, "yeast")
    text = f"Accuracy {ours:.3f}, the best method {best:.3f} ({name}); failing is to be worse by {_CLEARLY_WORSE}."
    return best - ours > _CLEARLY_WORSE, text


def _against_best(results: Results, dataset: str) -> tuple[float, float, str]:
    """Return the accuracy of the map, that of the best method, and its name."""
    means = {method: _required(results.mean(dataset, method, "accuracy")) for method in _methods(results)}
    best = max(means, key=lambda method: means[method])
    return means["fcm"], means[best], best


@_claim("The medians over folds of accuracy and of F1 are higher for the map than for any other method.", "5.1")
def _highest_medians(results: Results) -> Verdict:
    holds, sentences = True, []
    for metric, title in METRICS.items():
        medians = {method: float(np.median(values)) for method, values in _fold_scores(results, metric).items()}
        best = max((method for method in medians if method != "fcm"), key=lambda method: medians[method])
        holds &= medians["fcm"] > medians[best]
        sentences.append(f"{title}: {medians['fcm']:.3f}, the best rival {medians[best]:.3f} ({best}).")
    return holds, " ".join(sentences)


@_claim("The third quartiles of accuracy of svclin, logreg and gmc_1f are higher than that of the map.", "5.1")
def _third_quartiles(results: Results) -> Verdict:
    scores = _fold_scores(results, "accuracy")
    quartiles = {m: float(np.quantile(scores[m], 0.75)) for m in ("fcm", "svclin", "logreg", "gmc_1f")}
    text = "Third quartiles: " + ", ".join(f"{method} {value:.3f}" for method, value in quartiles.items()) + "."
    return min(quartiles[method] for method in quartiles if method != "fcm") > quartiles["fcm"], text


@_claim("In F1 only the map has an outlier: a fold of olivetti_faces_28 near 0, where the others are near .9.", "5.1")
def _only_outlier(results: Results) -> Verdict:
    scores = _fold_scores(results, "f1_macro")
    folds = _required(results.folds("olivetti_faces_28", "fcm", "f1_macro") or None)
    counts = {}
    for method, values in scores.items():
        low, high = np.quantile(values, [0.25, 0.75])
        reach = 1.5 * (high - low)
        counts[method] = int(((values < low - reach) | (values > high + reach)).sum())
    outliers = ", ".join(f"{method} {count}" for method, count in counts.items() if count) or "none"
    text = f"Outliers: {outliers}. Folds of olivetti_faces_28: {', '.join(f'{value:.2f}' for value in sorted(folds))}."
    only_the_map = [method for method, count in counts.items() if count] == ["fcm"]
    return only_the_map and min(folds) < 0.1 < 0.8 < sorted(folds)[1], text


def _omnibus_p(results: Results, test: str, by: str) -> dict[str, float]:
    """Return the p-value of a test for each metric."""
    return {metric: omnibus_tests(_scores(results, metric, by, min_datasets=2))[test][2] for metric in METRICS}


def p_words(value: float) -> str:
    """Format a p-value without an exponent."""
    return f"p = {value:.2g}" if value >= 1e-4 else "p < 0.0001"


def _p_text(p: dict[str, float]) -> str:
    return ", ".join(f"{METRICS[metric]} {p_words(value)}" for metric, value in p.items())


@_claim("ANOVA finds no difference between the methods on dataset means.", "5.1")
def _anova_on_datasets(results: Results) -> Verdict:
    one_way = _omnibus_p(results, "one-way ANOVA", "datasets")
    repeated = _omnibus_p(results, "repeated-measures ANOVA", "datasets")
    text = f"One-way, whose F the paper prints: {_p_text(one_way)}. Repeated measures, as it says: {_p_text(repeated)}."
    return min(one_way.values()) >= ALPHA, text


@_claim("ANOVA finds a difference on folds.", "5.1")
def _anova_on_folds(results: Results) -> Verdict:
    p = _omnibus_p(results, "one-way ANOVA", "folds")
    return max(p.values()) < ALPHA, f"One-way: {_p_text(p)}."


@_claim("The Friedman test finds a difference on dataset means and on folds.", "5.1")
def _friedman(results: Results) -> Verdict:
    p_values = {by: _omnibus_p(results, "Friedman", by) for by in BLOCKS}
    text = " ".join(f"{BLOCKS[by].capitalize()}: {_p_text(p)}." for by, p in p_values.items())
    return max(max(p.values()) for p in p_values.values()) < ALPHA, text


def _ranked(results: Results, metric: str, by: str) -> dict[str, Any]:
    """Return the Nemenyi test, with the mean rank and position of the map and the methods of the first group."""
    methods = _methods(results)
    test = _required(nemenyi_of(results, methods, metric, by))
    ranks = test["mean_ranks"]
    return {
        **test,
        "rank": ranks[0],
        "number": 1 + sum(other < ranks[0] for other in ranks),
        "first_group": [methods[i] for i in test["groups"][0]],
    }


@_claim("The mean ranks over folds of accuracy and of F1 are best for the map.", "5.1")
def _best_ranks(results: Results) -> Verdict:
    tests = [_ranked(results, metric, "folds") for metric in METRICS]
    sentences = [
        f"{title}: mean rank {test['rank']:.2f}, number {test['number']}; the best has {min(test['mean_ranks']):.2f}."
        for title, test in zip(METRICS.values(), tests, strict=True)
    ]
    return all(test["number"] == 1 for test in tests), " ".join(sentences)


@_claim("In accuracy on folds, the first group of the Nemenyi test is the map and the two SVMs.", "5.1")
def _group_with_svm(results: Results) -> Verdict:
    test = _ranked(results, "accuracy", "folds")
    text = f"First group: {', '.join(test['first_group'])}; critical difference {test['critical_difference']:.2f}."
    return set(test["first_group"]) == {"fcm", "svcrbf", "svclin"}, text


@_claim("In F1 on folds, the map is indistinguishable from Gaussian mixtures, kNN, SVM and random forest.", "5.1")
def _larger_group(results: Results) -> Verdict:
    test = _ranked(results, "f1_macro", "folds")
    kinds = [("gmc_1f", "gmc_3f", "gmc_3d"), ("knn3", "knn5"), ("svcrbf", "svclin"), ("rforest",)]
    near = [
        method
        for method, rank in zip(test["methods"], test["mean_ranks"], strict=True)
        if method != "fcm" and abs(rank - test["rank"]) < test["critical_difference"]
    ]
    text = f"Not distinguishable: {', '.join(near) or 'none'}; critical difference {test['critical_difference']:.2f}."
    return all(any(method in near for method in kind) for kind in kinds), text


@_claim("The map belongs to the group of methods with the highest scores.", "6")
def _first_group(results: Results) -> Verdict:
    tests = {by: _ranked(results, "accuracy", by) for by in BLOCKS}
    sentences = [
        f"{BLOCKS[by].capitalize()}: mean rank {test['rank']:.2f}, number {test['number']}; the best has "
        f"{min(test['mean_ranks']):.2f}, the critical difference is {test['critical_difference']:.2f}."
        for by, test in tests.items()
    ]
    return all("fcm" in test["first_group"] for test in tests.values()), " ".join(sentences)


def _votes(results: Results, part: str = "test") -> dict[str, int]:
    """Return the number of clustering scores that the map improved on each dataset."""
    scored = [d for d in results.datasets if clustering(results, d, "silhouette", f"{part}_original") is not None]
    return _required({dataset: votes(results, dataset, part) for dataset in scored} or None)


@_claim("On 15 of 21 datasets all three clustering scores are better after transformation by the map.", "5.2")
def _unanimous(results: Results) -> Verdict:
    test, train = _votes(results), _votes(results, "train")
    counts = [sum(vote == 3 for vote in part.values()) for part in (test, train)]
    needed = math.ceil(15 / 21 * len(test))
    text = (
        f"Unanimous on {counts[0]} of {len(test)} datasets on test rows, {counts[1]} on training rows; {needed} needed."
    )
    return counts[0] >= needed, text


@_claim("Two of three are better on german_credit, blood_transfusion and ecoli, fewer on glass and yeast only.", "5.2")
def _other_votes(results: Results) -> Verdict:
    improved = _votes(results)
    if len(improved) < 21:
        raise _MissingResultsError
    two = [dataset for dataset, vote in improved.items() if vote == 2]
    fewer = [dataset for dataset, vote in improved.items() if vote < 2]
    text = f"Two of three: {', '.join(two) or 'none'}. Fewer: {', '.join(fewer) or 'none'}."
    return set(two) == {"german_credit", "blood_transfusion", "ecoli"} and set(fewer) == {"glass", "yeast"}, text


@_claim(
    "Where clusters do not improve, on glass and yeast, the map is poor and its training scores are no better.", "5.2"
)
def _poor_where_clusters_are(results: Results) -> Verdict:
    holds, sentences = True, []
    for dataset in ("glass", "yeast"):
        ours, best, _ = _against_best(results, dataset)
        train = _required(results.mean(dataset, "fcm", "train_accuracy"))
        holds &= best - ours > _CLEARLY_WORSE and train - ours < _CLEARLY_WORSE
        sentences.append(f"{dataset}: accuracy {ours:.3f}, on training rows {train:.3f}, the best method {best:.3f}.")
    return holds, " ".join([*sentences, f"Poor and close are judged at {_CLEARLY_WORSE}."])


def _better_by_both(results: Results, against: str, metric: str, by: str) -> dict[str, str]:
    """Return the common decision of both tests about each pipeline; "mixed" where they disagree."""
    _methods(results)
    decisions = {}
    for pair in compare_pipelines(results, results.pipelines, against, metric, by):
        outcomes = set(pair.decisions.values())
        decisions[pair.second.removeprefix("fcm_")] = outcomes.pop() if len(outcomes) == 1 else "mixed"
    if len(decisions) < len(PAPER_RIVALS):
        raise _MissingResultsError
    return decisions


@_claim("On folds, all rivals but rforest and gmc_1f are significantly better after the map.", "5.3")
def _rivals_improve(results: Results) -> Verdict:
    holds, sentences = True, []
    for metric, title in METRICS.items():
        decisions = _better_by_both(results, "rival", metric, "folds")
        others = [name for name, decision in decisions.items() if decision != "second_better"]
        holds &= set(others) <= {"rforest", "gmc_1f"}
        worse = [name for name in others if decisions[name] == "first_better"]
        sentences.append(f"{title}: better by both tests {12 - len(others)} of 12, not {', '.join(others) or 'none'}")
        sentences[-1] += f" (worse: {', '.join(worse)})." if worse else "."
    return holds, " ".join(sentences)


@_claim("The t-test and the Wilcoxon test agree about rivals after the map in all cases but one.", "5.3")
def _tests_agree(results: Results) -> Verdict:
    mixed, n_cases = [], 0
    for metric in METRICS:
        for by in BLOCKS:
            decisions = _better_by_both(results, "rival", metric, by)
            n_cases += len(decisions)
            mixed += [f"{name} ({metric}, {by})" for name, decision in decisions.items() if decision == "mixed"]
    return len(mixed) <= 1, f"They disagree in {len(mixed)} of {n_cases} cases: {', '.join(mixed) or 'none'}."


@_claim("A rival after the map is better than the map only if it is svcrbf, svclin or logreg, and then it is.", "5.3")
def _better_than_map(results: Results) -> Verdict:
    decisions = _better_by_both(results, "fcm", "accuracy", "folds")
    better = [name for name, decision in decisions.items() if decision == "second_better"]
    text = f"Accuracy on folds, by both tests: better than the map after it: {', '.join(better) or 'none'}."
    return set(better) == {"svcrbf", "svclin", "logreg"}, text
