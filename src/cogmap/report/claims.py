"""The claims that the paper makes about its experiment, each judged on the results of a run.

A claim holds, does not hold, or cannot be told from these results, and a figure says why. It is judged as strictly as
the paper states it, for the paper's map and its 12 rivals, on however many of the 21 datasets there are results.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogmap.experiments.rivals import PAPER_RIVALS
from cogmap.report.results import BLOCKS, METRICS, Results, clustering, nemenyi_of, votes
from cogmap.report.significance import ALPHA, compare_pipelines, omnibus_tests

_FEWEST_DATASETS = 5  # 2 to the power of -4 is above 0.05: four that agree may do so by chance
_CLEARLY_WORSE = 0.05  # below the best method by this much is a failure; scores as near as this are close

Verdict = tuple[bool, str] | None  # whether the claim holds, and the figure; None if these results say nothing


@dataclass(frozen=True)
class _Claim:
    text: str
    section: str
    judge: Callable[[Results], Verdict]


_CLAIMS: list[_Claim] = []


def _claim(text: str, section: str) -> Callable[[Callable[[Results], Verdict]], Callable[[Results], Verdict]]:
    """Register a function that judges a claim."""

    def register(judge: Callable[[Results], Verdict]) -> Callable[[Results], Verdict]:
        _CLAIMS.append(_Claim(text, section, judge))
        return judge

    return register


def judge_claims(results: Results) -> list[dict[str, Any]]:
    """Return every claim with its section in the paper, its verdict and the figure behind it."""
    return [_judged(claim, results) for claim in _CLAIMS]


def _judged(claim: _Claim, results: Results) -> dict[str, Any]:
    n_datasets = len(results.datasets)
    found = claim.judge(results)
    if found is None:
        verdict, evidence = "cannot be told", "These results lack the methods or datasets that the claim is about."
    elif n_datasets < _FEWEST_DATASETS:
        verdict = "cannot be told"
        evidence = (
            f"{found[1]} Too few datasets: that all {n_datasets} agree would happen by chance with probability "
            f"{0.5**n_datasets:.2f}; it takes {_FEWEST_DATASETS} to be below 0.05."
        )
    else:
        verdict, evidence = "holds" if found[0] else "does not hold", found[1]
    return {"claim": claim.text, "section": claim.section, "verdict": verdict, "evidence": evidence}


def _methods(results: Results) -> list[str] | None:
    """Return the map and the paper's rivals, or None if one of them was not run."""
    wanted = ["fcm", *PAPER_RIVALS]
    return wanted if all(method in results.methods for method in wanted) else None


def _fold_scores(results: Results, metric: str) -> dict[str, Any] | None:
    """Return the scores of each method over all folds."""
    methods = _methods(results)
    if methods is None:
        return None
    values, _ = results.score_array(methods, metric, "folds")
    return dict(zip(methods, values.T, strict=True)) if len(values) else None


@_claim("The map has the best mean accuracy on 4 of 21 datasets and the best mean F1 on 3.", "5.1")
def _best_means(results: Results) -> Verdict:
    methods = _methods(results)
    if methods is None:
        return None
    counts = []
    for metric in METRICS:
        values, datasets = results.score_array(methods, metric, "datasets")
        if not len(values):
            return None
        counts.append(int((values[:, 0] >= values.max(axis=1) - 1e-12).sum()))
    needed = [math.ceil(count / 21 * len(datasets)) for count in (4, 3)]
    text = f"Best, or equal to the best, on {counts[0]} (accuracy) and {counts[1]} (F1) of {len(datasets)} datasets."
    return counts[0] >= needed[0] and counts[1] >= needed[1], text


@_claim("On yeast the map fails.", "5.1")
def _fails_on_yeast(results: Results) -> Verdict:
    compared = _against_best(results, "yeast")
    if compared is None:
        return None
    ours, best, name = compared
    text = f"Accuracy {ours:.3f}, the best method {best:.3f} ({name}); failing is to be worse by {_CLEARLY_WORSE}."
    return best - ours > _CLEARLY_WORSE, text


def _against_best(results: Results, dataset: str) -> tuple[float, float, str] | None:
    """Return the accuracy of the map, that of the best method, and its name."""
    methods = _methods(results)
    if methods is None or dataset not in results.datasets:
        return None
    means = {method: results.mean(dataset, method, "accuracy") for method in methods}
    known = {method: mean for method, mean in means.items() if mean is not None}
    if len(known) < len(methods):
        return None
    best = max(known, key=lambda method: known[method])
    return known["fcm"], known[best], best


@_claim("The medians over folds of accuracy and of F1 are higher for the map than for any other method.", "5.1")
def _highest_medians(results: Results) -> Verdict:
    holds, words = True, []
    for metric, title in METRICS.items():
        scores = _fold_scores(results, metric)
        if scores is None:
            return None
        medians = {method: float(np.median(values)) for method, values in scores.items()}
        best = max((method for method in medians if method != "fcm"), key=lambda method: medians[method])
        holds &= medians["fcm"] > medians[best]
        words.append(f"{title}: {medians['fcm']:.3f}, the best rival {medians[best]:.3f} ({best}).")
    return holds, " ".join(words)


@_claim("The third quartiles of accuracy of svclin, logreg and gmc_1f are higher than that of the map.", "5.1")
def _third_quartiles(results: Results) -> Verdict:
    scores = _fold_scores(results, "accuracy")
    if scores is None:
        return None
    quartiles = {m: float(np.quantile(scores[m], 0.75)) for m in ("fcm", "svclin", "logreg", "gmc_1f")}
    text = "Third quartiles: " + ", ".join(f"{method} {value:.3f}" for method, value in quartiles.items()) + "."
    return min(quartiles[method] for method in quartiles if method != "fcm") > quartiles["fcm"], text


@_claim("In F1 only the map has an outlier: a fold of olivetti_faces_28 near 0, where the others are near .9.", "5.1")
def _only_outlier(results: Results) -> Verdict:
    scores = _fold_scores(results, "f1_macro")
    folds = results.folds("olivetti_faces_28", "fcm", "f1_macro") if "olivetti_faces_28" in results.datasets else []
    if scores is None or not folds:
        return None
    counts = {}
    for method, values in scores.items():
        low, high = np.quantile(values, [0.25, 0.75])
        reach = 1.5 * (high - low)
        counts[method] = int(((values < low - reach) | (values > high + reach)).sum())
    outliers = ", ".join(f"{method} {count}" for method, count in counts.items() if count) or "none"
    text = f"Outliers: {outliers}. Folds of olivetti_faces_28: {', '.join(f'{value:.2f}' for value in sorted(folds))}."
    only_the_map = [method for method, count in counts.items() if count] == ["fcm"]
    return only_the_map and min(folds) < 0.1 < 0.8 < sorted(folds)[1], text


def _omnibus_p(results: Results, test: str, by: str) -> dict[str, float] | None:
    """Return the p of a test for each metric."""
    methods = _methods(results)
    if methods is None:
        return None
    p = {}
    for metric in METRICS:
        values, datasets = results.score_array(methods, metric, by)
        if len(datasets) < 2:
            return None
        p[metric] = omnibus_tests(values)[test][2]
    return p


def _p_words(p: dict[str, float]) -> str:
    return ", ".join(f"{METRICS[metric]} p = {value:.2g}" for metric, value in p.items())


@_claim("ANOVA finds no difference between the methods on dataset means.", "5.1")
def _anova_on_datasets(results: Results) -> Verdict:
    one_way = _omnibus_p(results, "one-way ANOVA", "datasets")
    repeated = _omnibus_p(results, "repeated-measures ANOVA", "datasets")
    if one_way is None or repeated is None:
        return None
    text = (
        f"One-way, whose F the paper prints: {_p_words(one_way)}. Repeated measures, as it says: {_p_words(repeated)}."
    )
    return min(one_way.values()) >= ALPHA, text


@_claim("ANOVA finds a difference on folds.", "5.1")
def _anova_on_folds(results: Results) -> Verdict:
    p = _omnibus_p(results, "one-way ANOVA", "folds")
    return None if p is None else (max(p.values()) < ALPHA, f"One-way: {_p_words(p)}.")


@_claim("The Friedman test finds a difference on dataset means and on folds.", "5.1")
def _friedman(results: Results) -> Verdict:
    found = {by: _omnibus_p(results, "Friedman", by) for by in BLOCKS}
    known = {by: p for by, p in found.items() if p is not None}
    if len(known) < len(BLOCKS):
        return None
    text = " ".join(f"{BLOCKS[by].capitalize()}: {_p_words(p)}." for by, p in known.items())
    return max(max(p.values()) for p in known.values()) < ALPHA, text


def _ranked(results: Results, metric: str, by: str) -> dict[str, Any] | None:
    """Return the Nemenyi test, with the rank of the map and the members of the first group by name."""
    methods = _methods(results)
    test = None if methods is None else nemenyi_of(results, methods, metric, by)
    if test is None or methods is None:
        return None
    place = methods.index("fcm")
    ranks = test["mean_ranks"]
    return {
        **test,
        "rank": ranks[place],
        "number": 1 + sum(other < ranks[place] for other in ranks),
        "first_group": [methods[i] for i in test["groups"][0]],
    }


@_claim("The mean ranks over folds of accuracy and of F1 are best for the map.", "5.1")
def _best_ranks(results: Results) -> Verdict:
    tests = [_ranked(results, metric, "folds") for metric in METRICS]
    if None in tests:
        return None
    known = [test for test in tests if test is not None]
    words = [
        f"{title}: mean rank {test['rank']:.2f}, number {test['number']}; the best has {min(test['mean_ranks']):.2f}."
        for title, test in zip(METRICS.values(), known, strict=True)
    ]
    return all(test["number"] == 1 for test in known), " ".join(words)


@_claim("In accuracy on folds, the first group of the Nemenyi test is the map and the two SVMs.", "5.1")
def _group_with_svm(results: Results) -> Verdict:
    test = _ranked(results, "accuracy", "folds")
    if test is None:
        return None
    text = f"First group: {', '.join(test['first_group'])}; critical difference {test['critical_difference']:.2f}."
    return set(test["first_group"]) == {"fcm", "svcrbf", "svclin"}, text


@_claim("In F1 on folds, the map cannot be told from Gaussian mixtures, kNN, SVM and random forest.", "5.1")
def _larger_group(results: Results) -> Verdict:
    test = _ranked(results, "f1_macro", "folds")
    if test is None:
        return None
    kinds = [("gmc_1f", "gmc_3f", "gmc_3d"), ("knn3", "knn5"), ("svcrbf", "svclin"), ("rforest",)]
    near = [
        method
        for method, rank in zip(test["methods"], test["mean_ranks"], strict=True)
        if method != "fcm" and abs(rank - test["rank"]) < test["critical_difference"]
    ]
    text = f"Not told from the map: {', '.join(near) or 'none'}; critical difference {test['critical_difference']:.2f}."
    return all(any(method in near for method in kind) for kind in kinds), text


@_claim("The map belongs to the group of methods with the highest scores.", "6")
def _first_group(results: Results) -> Verdict:
    tests = {by: _ranked(results, "accuracy", by) for by in BLOCKS}
    known = {by: test for by, test in tests.items() if test is not None}
    if len(known) < len(BLOCKS):
        return None
    words = [
        f"{BLOCKS[by].capitalize()}: mean rank {test['rank']:.2f}, number {test['number']}; the best has "
        f"{min(test['mean_ranks']):.2f}, the critical difference is {test['critical_difference']:.2f}."
        for by, test in known.items()
    ]
    return all("fcm" in test["first_group"] for test in known.values()), " ".join(words)


def _votes(results: Results, part: str = "test") -> dict[str, int] | None:
    """Return how many clustering scores the map improved on each dataset."""
    known = [d for d in results.datasets if clustering(results, d, "silhouette", f"{part}_original") is not None]
    return {dataset: votes(results, dataset, part) for dataset in known} or None


@_claim("On 15 of 21 datasets all three clustering scores are better after transformation by the map.", "5.2")
def _unanimous(results: Results) -> Verdict:
    test, train = _votes(results), _votes(results, "train")
    if test is None or train is None:
        return None
    counts = [sum(vote == 3 for vote in found.values()) for found in (test, train)]
    needed = math.ceil(15 / 21 * len(test))
    text = (
        f"Unanimous on {counts[0]} of {len(test)} datasets on test rows, {counts[1]} on training rows; {needed} needed."
    )
    return counts[0] >= needed, text


@_claim("Two of three are better on german_credit, blood_transfusion and ecoli, fewer on glass and yeast only.", "5.2")
def _other_votes(results: Results) -> Verdict:
    found = _votes(results)
    if found is None or len(found) < 21:
        return None
    two = [dataset for dataset, vote in found.items() if vote == 2]
    fewer = [dataset for dataset, vote in found.items() if vote < 2]
    text = f"Two of three: {', '.join(two) or 'none'}. Fewer: {', '.join(fewer) or 'none'}."
    return set(two) == {"german_credit", "blood_transfusion", "ecoli"} and set(fewer) == {"glass", "yeast"}, text


@_claim(
    "Where clusters do not improve, on glass and yeast, the map is poor and its training scores are no better.", "5.2"
)
def _poor_where_clusters_are(results: Results) -> Verdict:
    holds, words = True, []
    for dataset in ("glass", "yeast"):
        compared = _against_best(results, dataset)
        train = results.mean(dataset, "fcm", "train_accuracy")
        if compared is None or train is None:
            return None
        ours, best, _ = compared
        holds &= best - ours > _CLEARLY_WORSE and train - ours < _CLEARLY_WORSE
        words.append(f"{dataset}: accuracy {ours:.3f}, on training rows {train:.3f}, the best method {best:.3f}.")
    return holds, " ".join([*words, f"Poor and close are judged at {_CLEARLY_WORSE}."])


def _better_by_both(results: Results, against: str, metric: str, by: str) -> dict[str, str] | None:
    """Return what both tests decide about each pipeline; "mixed" where they disagree."""
    if len(results.pipelines) < len(PAPER_RIVALS) or _methods(results) is None:
        return None
    compared = compare_pipelines(results, results.pipelines, against, metric, by)
    decided = {}
    for pair in compared:
        outcomes = set(pair.decisions.values())
        decided[pair.second.removeprefix("fcm_")] = outcomes.pop() if len(outcomes) == 1 else "mixed"
    return decided if len(decided) == len(PAPER_RIVALS) else None


@_claim("On folds, all rivals but rforest and gmc_1f are significantly better after the map.", "5.3")
def _rivals_improve(results: Results) -> Verdict:
    holds, words = True, []
    for metric, title in METRICS.items():
        decided = _better_by_both(results, "rival", metric, "folds")
        if decided is None:
            return None
        others = [name for name, decision in decided.items() if decision != "second_better"]
        holds &= set(others) <= {"rforest", "gmc_1f"}
        worse = [name for name in others if decided[name] == "first_better"]
        words.append(f"{title}: better by both tests {12 - len(others)} of 12, not {', '.join(others) or 'none'}")
        words[-1] += f" (worse: {', '.join(worse)})." if worse else "."
    return holds, " ".join(words)


@_claim("The t-test and the Wilcoxon test agree about rivals after the map in all cases but one.", "5.3")
def _tests_agree(results: Results) -> Verdict:
    mixed, n_cases = [], 0
    for metric in METRICS:
        for by in BLOCKS:
            decided = _better_by_both(results, "rival", metric, by)
            if decided is None:
                return None
            n_cases += len(decided)
            mixed += [f"{name} ({metric}, {by})" for name, decision in decided.items() if decision == "mixed"]
    return len(mixed) <= 1, f"They disagree in {len(mixed)} of {n_cases} cases: {', '.join(mixed) or 'none'}."


@_claim("A rival after the map is better than the map only if it is svcrbf, svclin or logreg, and then it is.", "5.3")
def _better_than_map(results: Results) -> Verdict:
    decided = _better_by_both(results, "fcm", "accuracy", "folds")
    if decided is None:
        return None
    better = [name for name, decision in decided.items() if decision == "second_better"]
    text = f"Accuracy on folds, by both tests: better than the map after it: {', '.join(better) or 'none'}."
    return set(better) == {"svcrbf", "svclin", "logreg"}, text
