"""What the paper concludes, as holding on these results or not, or as more than they can tell."""

import math
from collections.abc import Callable
from typing import Any

from cogmap.experiments.rivals import PAPER_RIVALS
from cogmap.report.results import AFTER_MAP, Results, clustering, nemenyi_of, votes

_FEWEST_DATASETS = 5  # 2 to the power of -4 is above 0.05: four that agree may do so by chance


def conclusions(results: Results, methods: list[str]) -> list[dict[str, Any]]:
    """Restate the conclusions of the paper, as far as these results speak of them."""
    checks: list[Callable[[], dict[str, Any] | None]] = [
        lambda: _first_group(results, methods),
        lambda: _clusters_improve(results),
        lambda: _rivals_improve(results),
        lambda: _better_than_map(results),
    ]
    return [found for found in (check() for check in checks) if found is not None]


def _conclusion(claim: str, holds: bool, evidence: str, unknown: str = "") -> dict[str, Any]:
    """Put a conclusion together; `unknown` says why these results cannot tell."""
    verdict = "cannot be told" if unknown else "holds" if holds else "fails"
    return {"claim": claim, "verdict": verdict, "evidence": f"{evidence} {unknown}".strip()}


def _too_few(n_datasets: int) -> str:
    if n_datasets >= _FEWEST_DATASETS:
        return ""
    chance = 0.5**n_datasets
    return (
        f"Too few datasets: that all {n_datasets} agree would happen by chance with probability {chance:.2f}; it takes "
        f"{_FEWEST_DATASETS} to be below 0.05."
    )


def _first_group(results: Results, methods: list[str]) -> dict[str, Any] | None:
    test = nemenyi_of(results, methods, "accuracy")
    if test is None or "fcm" not in methods:
        return None
    place = methods.index("fcm")
    rank = 1 + sum(other < test["mean_ranks"][place] for other in test["mean_ranks"])
    holds, unknown = place in test["groups"][0], ""
    # Who is not in the group is told apart by the test, however few the datasets are. Being in it says something only
    # if a method of no merit, in the middle behind one that always wins, would not be.
    middle = (len(methods) + 1) / 2
    if holds and test["critical_difference"] >= middle - 1:
        unknown = (
            f"Too few datasets: with this critical difference even a method of mean rank {middle:g} would be in the "
            "group of one that always wins."
        )
    evidence = (
        f"Mean rank {test['mean_ranks'][place]:.2f}, number {rank} of {len(methods)}; the best has "
        f"{min(test['mean_ranks']):.2f}, the critical difference is {test['critical_difference']:.2f} "
        f"({test['n_datasets']} datasets)."
    )
    return _conclusion("The map is in the first group of the Nemenyi test on accuracy.", holds, evidence, unknown)


def _clusters_improve(results: Results) -> dict[str, Any] | None:
    known = [d for d in results.datasets if clustering(results, d, "silhouette", "test_original") is not None]
    if not known:
        return None
    train, test = (sum(votes(results, dataset, part) >= 2 for dataset in known) for part in ("train", "test"))
    needed = math.ceil(15 / 21 * len(known))
    claim = "Transformation by the map makes classes more compact and separate, on at least 15 of 21 datasets."
    evidence = (
        f"By two of three clustering scores: {test} of {len(known)} datasets on test rows, {train} on training rows; "
        f"{needed} are needed."
    )
    return _conclusion(claim, test >= needed, evidence, _too_few(len(known)))


def _rivals_improve(results: Results) -> dict[str, Any] | None:
    better: list[str] = []
    worse: list[str] = []
    fewest = len(results.datasets)
    for second in (name for name in results.methods if name in AFTER_MAP):
        scores, _ = results.score_array([second.removeprefix("fcm_"), second], "accuracy", "datasets")
        if len(scores):
            (better if scores[:, 1].mean() > scores[:, 0].mean() else worse).append(second)
            fewest = min(fewest, len(scores))
    compared = len(better) + len(worse)
    if not compared:
        return None
    unknown = _too_few(fewest)
    if not unknown and compared < len(PAPER_RIVALS) and len(better) < 10 and len(worse) <= 2:
        unknown = f"Only {compared} of {len(PAPER_RIVALS)} rivals were run both alone and after the map."
    evidence = f"Mean accuracy is higher for {len(better)} of {compared}"
    evidence += f"; not for {', '.join(worse)}." if worse else "."
    claim = "A rival after the map is better than the rival alone, for at least 10 of 12."
    return _conclusion(claim, len(better) >= 10, evidence, unknown)


def _better_than_map(results: Results) -> dict[str, Any] | None:
    differences, fewest = {}, len(results.datasets)
    for second in ("fcm_svcrbf", "fcm_svclin", "fcm_logreg"):
        scores, _ = results.score_array(["fcm", second], "accuracy", "datasets")
        if len(scores):
            differences[second] = float((scores[:, 1] - scores[:, 0]).mean())
            fewest = min(fewest, len(scores))
    if not differences:
        return None
    holds = all(difference > 0 for difference in differences.values())
    unknown = _too_few(fewest)
    if not unknown and holds and len(differences) < 3:
        unknown = "Not all three were run."
    claim = "Support vector machines and logistic regression after the map are better than the map."
    words = ", ".join(f"{name} {difference:+.4f}" for name, difference in differences.items())
    return _conclusion(claim, holds, f"Mean accuracy over that of the map: {words}.", unknown)
