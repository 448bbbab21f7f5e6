"""Statistical tests of differences between methods, beside the published ones."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.research.experiments.published import paper_tables
from cogmap.research.report.results import BLOCKS, METRICS, Results, Scores, nemenyi_of
from cogmap.research.report.tables import new_table
from cogmap.statistics import (
    Paired,
    anova_one_way,
    anova_repeated_measures,
    friedman,
    holm,
    paired_tests,
    win_tie_loss,
)

ALPHA = 0.05


@dataclass(frozen=True)
class Comparison:
    """Comparison of a method with a pipeline, a method fitted to the features transformed by the map."""

    first: str
    second: str
    test: Paired
    wins: tuple[int, int, int]  # wins, ties and losses of the second method

    @property
    def decisions(self) -> dict[str, str]:
        """Decision of each test, as named in the paper's tables."""
        return {"t_test": self._decision(self.test.t_p), "wilcoxon": self._decision(self.test.wilcoxon_p)}

    def _decision(self, p: float) -> str:
        if p >= ALPHA:
            return "no_difference"
        return "first_better" if self.test.mean_difference > 0 else "second_better"


def compare_pipelines(scores: Scores, pipelines: list[str], against: str, metric: str, by: str) -> list[Comparison]:
    """Compare each pipeline, a method fitted to the features of the map, with the method alone or with the map.

    `against` is ``"rival"`` for the method alone, or ``"fcm"`` for the map.
    """
    comparisons = []
    for second in pipelines:
        first = second.removeprefix("fcm_") if against == "rival" else "fcm"
        values, _ = scores.score_array([first, second], metric, by)
        if len(values) >= 2:
            test = paired_tests(values[:, 0], values[:, 1])
            comparisons.append(Comparison(first, second, test, win_tie_loss(values[:, 1], values[:, 0])))
    return comparisons


def omnibus_tests(values: NDArray[np.float64]) -> dict[str, tuple[str, float, float]]:
    """Return the name of the statistic, its value and the p-value of each omnibus test."""
    one_way, repeated, ranks = anova_one_way(values), anova_repeated_measures(values), friedman(values)
    return {
        "one-way ANOVA": ("F", one_way.F, one_way.p),
        "repeated-measures ANOVA": ("F", repeated.F, repeated.p),
        "Friedman": ("chi2", ranks.chi2, ranks.p),
        "Iman-Davenport": ("F", ranks.iman_davenport_F, ranks.iman_davenport_p),
    }


def omnibus_table(results: Results) -> dict[str, Any]:
    """Return the table of omnibus tests."""
    rows: list[list[Any]] = []
    for metric, by in product(METRICS, BLOCKS):
        values, _ = results.score_array(results.bare, metric, by)
        if len(values) < 2 or len(results.bare) < 2:
            continue
        published = _published_omnibus(results, metric, by)
        for name, (statistic, value, p) in omnibus_tests(values).items():
            decision = "differ" if p < ALPHA else "no significant difference"
            value_published, p_published = published.get(name, (None, None))
            rows.append(
                [
                    METRICS[metric],
                    BLOCKS[by],
                    len(values),
                    name,
                    statistic,
                    value,
                    p,
                    value_published,
                    p_published,
                    decision,
                ]
            )
    columns = ["metric", "on", "n", "test", "statistic", "value", "p", "published", "p published", "methods"]
    note = (
        f"{_source(results)} The paper announces a repeated-measures ANOVA, but prints the F of a one-way ANOVA, which "
        "ignores that all methods used the same folds."
    )
    return new_table("omnibus", "Do the methods differ at all?", columns, rows, note)


def _source(results: Results) -> str:
    if results.author is not None:
        return "Published: computed here from the folds in the author's results file."
    if results.protocol == "printed" and results.is_whole:
        return "Published: as printed in the paper."
    return "Nothing is published for this protocol, these datasets and these methods."


def _published_omnibus(results: Results, metric: str, by: str) -> dict[str, tuple[float, float]]:
    if results.author is not None:
        values, datasets = results.author.score_array(results.bare, metric, by)
        if len(datasets) < 2:
            return {}
        return {name: (value, p) for name, (_, value, p) in omnibus_tests(values).items()}
    if results.protocol != "printed" or not results.is_whole:
        return {}
    printed = paper_tables()["omnibus_tests"][metric][by]
    return {
        "one-way ANOVA": (printed["anova_F"]["value"], printed["anova_p"]["value"]),
        "Friedman": (printed["friedman_chi2"]["value"], printed["friedman_p"]["value"]),
    }


def ranks_table(results: Results) -> dict[str, Any]:
    """Return the table of mean ranks on dataset means and folds, with the groups of the Nemenyi test."""
    rows = []
    for metric, by in product(METRICS, BLOCKS):
        test = nemenyi_of(results, results.bare, metric, by)
        if test is None:
            continue
        published = nemenyi_of(results.author, results.bare, metric, by) if results.author is not None else None
        for i in np.argsort(test["mean_ranks"], kind="stable"):
            groups = [str(number + 1) for number, group in enumerate(test["groups"]) if i in group]
            published_rank = published["mean_ranks"][i] if published else None
            rows.append(
                [METRICS[metric], BLOCKS[by], test["methods"][i], test["mean_ranks"][i], published_rank,
                 ", ".join(groups), test["critical_difference"]]
            )  # fmt: skip
    columns = ["metric", "on", "method", "mean rank", "published", "groups", "critical difference"]
    note = (
        "Nemenyi test at 0.05; methods in one group do not differ significantly, group 1 is the best. The paper ranks "
        "folds; ranks of dataset means assume less, because folds of one dataset are not independent."
    )
    return new_table("ranks", "Mean ranks", columns, rows, note)


def sign_table(results: Results, against: str, title: str) -> dict[str, Any]:
    """Return the table of paired tests of pipelines, against their methods alone or against the map."""
    rows: list[list[Any]] = []
    for metric, by in product(METRICS, BLOCKS):
        compared = compare_pipelines(results, results.pipelines, against, metric, by)
        published = _published_decisions(results, against, metric, by)
        adjusted_t = holm([pair.test.t_p for pair in compared])
        adjusted_w = holm([pair.test.wilcoxon_p for pair in compared])
        for pair, holm_t, holm_w in zip(compared, adjusted_t, adjusted_w, strict=True):
            ours, printed = pair.decisions, published.get(pair.second, {})
            rows.append(
                [METRICS[metric], BLOCKS[by], pair.first, pair.second, -pair.test.mean_difference,
                 "/".join(map(str, pair.wins)), pair.test.t_p, float(holm_t), _words(ours["t_test"]),
                 _words(printed.get("t_test", "")), pair.test.wilcoxon_p, float(holm_w), _words(ours["wilcoxon"]),
                 _words(printed.get("wilcoxon", ""))]
            )  # fmt: skip
    columns = ["metric", "on", "first", "second", "second - first", "won/tied/lost", "t-test p", "p, Holm", "decision",
               "published", "Wilcoxon p", "p, Holm", "decision", "published"]  # fmt: skip
    note = f"Decisions at 0.05, without correction, as in the paper. {_source(results)}"
    return new_table(f"sign_{against}", title, columns, rows, note)


def _published_decisions(results: Results, against: str, metric: str, by: str) -> dict[str, dict[str, str]]:
    if results.author is not None:
        compared = compare_pipelines(results.author, results.pipelines, against, metric, by)
        return {pair.second: pair.decisions for pair in compared}
    if results.protocol != "printed" or not results.is_whole:
        return {}
    printed = paper_tables()["sign_cls_vs_fcm_cls" if against == "rival" else "sign_fcm_vs_fcm_cls"]
    return {second: decisions[metric][by] for second, decisions in printed.items()}


def _words(decision: str) -> str:
    return decision.replace("_", " ")
