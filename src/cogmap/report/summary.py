"""From results to a summary: a plain dict that holds everything the report shows."""

from pathlib import Path
from typing import Any

import numpy as np

from cogmap.datasets import DATASETS
from cogmap.experiments.protocols import N_FOLDS, PROTOCOLS
from cogmap.experiments.published import author_results, fcm_parameters, paper_tables
from cogmap.experiments.rivals import title_of
from cogmap.experiments.tasks import CLUSTERING_SCORES
from cogmap.report.conclusions import conclusions
from cogmap.report.pictures import make_pictures
from cogmap.report.results import AFTER_MAP, METRICS, Results, clustering, improved, nemenyi_of, votes
from cogmap.statistics import (
    anova_one_way,
    anova_repeated_measures,
    friedman,
    holm,
    paired_tests,
    win_tie_loss,
)

Cell = dict[str, float | None]


def make_summary(folder: Path, data_dir: str | None = None) -> dict[str, Any]:
    """Return everything that the report shows: tables, tests, conclusions, errors, and what was run."""
    results = Results(folder, data_dir)
    bare = [method for method in results.methods if method not in AFTER_MAP]
    tables = [_method_table(results), _dataset_table(results), _parameter_table(results)]
    for metric, title in METRICS.items():
        tables.append(_score_table(results, bare, metric, f"{title} of the map and its rivals", metric))
    for metric, title in METRICS.items():
        after = [name for name in results.methods if name in AFTER_MAP]
        tables.append(_score_table(results, after, metric, f"{title} of rivals after the map", f"preprocess_{metric}"))
    tables += [
        _probability_table(results, bare),
        _clustering_table(results),
        _omnibus_table(results, bare),
        _ranks_table(results, bare),
        _sign_table(results, "rival", "Rival alone against rival after the map"),
        _sign_table(results, "fcm", "Map against rival after the map"),
        _time_table(results, bare),
    ]
    return {
        "protocol": {"name": results.protocol, "title": PROTOCOLS[results.protocol].title},
        "run": results.run,
        "datasets": results.datasets,
        "methods": {name: title_of(name) for name in results.methods},
        "published_source": _published_source(results),
        "tables": [table for table in tables if table["rows"]],
        "nemenyi": {metric: nemenyi_of(results, bare, metric) for metric in METRICS},
        "folds": {
            metric: {m: [v for d in results.datasets for v in results.folds(d, m, metric)] for m in bare}
            for metric in METRICS
        },
        "loss_curves": {d: results.row(d, "fcm", 0).get("loss_curve", []) for d in results.datasets},
        "conclusions": conclusions(results, bare),
        "missing": _missing(results),
        "pictures": {**make_pictures(), "maps": _maps(results)},
    }


def _maps(results: Results) -> dict[str, Any]:
    """Return what the pictures of learned maps show, one per dataset; results of older versions have none."""
    found = {dataset: results.row(dataset, "fcm", 0).get("map") for dataset in results.datasets}
    return {dataset: view for dataset, view in found.items() if view}


def _missing(results: Results) -> list[dict[str, Any]]:
    """Return which folds have no result, and why: means are not made without them."""
    folds: dict[tuple[str, str, str], list[int]] = {}
    for dataset in results.datasets:
        for method in results.methods:
            for fold in range(N_FOLDS):
                row = results.row(dataset, method, fold)
                why = row["error"] if row else "has not been run"
                if why:
                    folds.setdefault((dataset, method, why), []).append(fold)
    return [{"dataset": d, "method": m, "folds": found, "why": why} for (d, m, why), found in folds.items()]


def _published_source(results: Results) -> str:
    if results.protocol == "author" and author_results(results.data_dir) is not None:
        return "the author's results file, mean of its five folds"
    return "the tables printed in the paper, two digits"


def _table(id_: str, title: str, columns: list[str], rows: list[list[Any]], note: str = "") -> dict[str, Any]:
    return {"id": id_, "title": title, "columns": columns, "rows": rows, "note": note}


def _cell(ours: float | None, published: float | None, smaller_is_better: bool = False) -> Cell:
    """A figure of ours, the published one, the difference, and whether ours is better, None if that cannot be seen."""
    if ours is None or published is None:
        return {"ours": ours, "published": published, "difference": None, "better": None}
    difference = ours - published
    better = None if abs(difference) <= 0.0005 else (difference < 0) == smaller_is_better
    return {"ours": ours, "published": published, "difference": difference, "better": better}


def _method_table(results: Results) -> dict[str, Any]:
    rows: list[list[Any]] = [[name, title_of(name)] for name in results.methods if name not in AFTER_MAP]
    if any(name in AFTER_MAP for name in results.methods):
        rows.append(["fcm_...", "the method of that name, on the features that the map has transformed"])
    return _table("methods", "What the names of methods stand for", ["name", "method"], rows)


def _dataset_table(results: Results) -> dict[str, Any]:
    rows = []
    for name in results.datasets:
        facts = DATASETS[name]
        printed = paper_tables()["datasets"][facts.paper_name]
        rows.append(
            [name, facts.n_features, printed["attributes"], facts.n_classes, printed["classes"], facts.n_rows,
             printed["instances"], facts.paper_drops]
        )  # fmt: skip
    columns = [
        "dataset",
        "features",
        "in the paper",
        "classes",
        "in the paper",
        "rows",
        "in the paper",
        "left out by the author",
    ]
    note = "The paper counts unused outputs as classes, and its loader leaves out a genuine feature of eight datasets."
    return _table("datasets", "Datasets", columns, rows, note)


def _parameter_table(results: Results) -> dict[str, Any]:
    names = ["depth", "slope", "output", "loss", "solver", "learning_rate", "max_iter", "batch_size"]
    if not PROTOCOLS[results.protocol].published_fcm:
        fcm = PROTOCOLS[results.protocol].fcm(results.datasets[0], 0) if results.datasets else None
        values = [getattr(fcm, name, "") for name in names]
        return _table("parameters", "Parameters of the map", ["dataset", *names], [["all", *values]] if fcm else [])
    rows = []
    for dataset in results.datasets:
        used = fcm_parameters(dataset, PROTOCOLS[results.protocol].published_fcm)
        rows.append([dataset, *("all rows" if used[name] == 10**9 else used[name] for name in names)])
    return _table("parameters", "Parameters of the map", ["dataset", *names], rows)


def _score_table(results: Results, methods: list[str], metric: str, title: str, id_: str) -> dict[str, Any]:
    rows: list[list[Any]] = []
    for dataset in results.datasets:
        cells = [_cell(results.mean(dataset, m, metric), results.published(dataset, m, metric)) for m in methods]
        rows.append([dataset, *cells])
    if len(rows) > 1 and methods:
        rows.append(["mean", *(_mean_cell([row[i + 1] for row in rows]) for i in range(len(methods)))])
    note = f"Published: {_published_source(results)}."
    if any(cell["ours"] is None for row in rows for cell in row[1:]):
        note += " No mean is shown where a fold or a dataset is missing or failed: see What is missing."
    return _table(id_, title, ["dataset", *methods], rows if methods else [], note)


def _mean_cell(cells: list[Cell]) -> Cell:
    """Mean over all datasets of ours and of the published, each only if no dataset is missing."""

    def mean(name: str) -> float | None:
        values = [cell[name] for cell in cells]
        return None if None in values else float(np.mean(np.array(values)))

    return _cell(mean("ours"), mean("published"))


def _clustering_table(results: Results) -> dict[str, Any]:
    printed = paper_tables()["clustering_scores"]
    places = [f"{part}_{which}" for part in ("train", "test") for which in ("original", "transformed")]
    rows = []
    for dataset in results.datasets:
        for score in CLUSTERING_SCORES:
            published = printed.get(DATASETS[dataset].paper_name, {}).get(score, {})
            cells = [
                _cell(clustering(results, dataset, score, place), published.get(place), score == "davies_bouldin")
                for place in places
            ]
            better = ["yes" if improved(results, dataset, score, part) else "no" for part in ("train", "test")]
            of_three = [f"{votes(results, dataset, part)} of 3" for part in ("train", "test")]
            if cells[0]["ours"] is not None:
                rows.append([dataset, score.replace("_", " "), *cells, *better, *of_three])
    columns = ["dataset", "score", "train, before", "train, after", "test, before", "test, after", "train better",
               "test better", "train vote", "test vote"]  # fmt: skip
    note = "Davies-Bouldin is better when smaller, the others when larger. Published: the table printed in the paper."
    return _table("clustering", "Clusters before and after the map", columns, rows, note)


def _omnibus_table(results: Results, methods: list[str]) -> dict[str, Any]:
    rows: list[list[Any]] = []
    for metric in METRICS:
        for by in ("datasets", "folds"):
            scores, _ = results.score_array(methods, metric, by)
            if len(scores) < 2 or len(methods) < 2:
                continue
            printed = paper_tables()["omnibus_tests"][metric][by]
            anova, repeated, ranks = anova_one_way(scores), anova_repeated_measures(scores), friedman(scores)
            tests = [
                ("one-way ANOVA", "F", anova.F, anova.p, printed["anova_F"]["value"], printed["anova_p"]["value"]),
                ("repeated-measures ANOVA", "F", repeated.F, repeated.p, None, None),
                (
                    "Friedman",
                    "chi2",
                    ranks.chi2,
                    ranks.p,
                    printed["friedman_chi2"]["value"],
                    printed["friedman_p"]["value"],
                ),
                ("Iman-Davenport", "F", ranks.iman_davenport_F, ranks.iman_davenport_p, None, None),
            ]
            for test, statistic, value, p, value_printed, p_printed in tests:
                decision = "differ" if p < 0.05 else "no difference shown"
                rows.append([metric, by, len(scores), test, statistic, value, p, value_printed, p_printed, decision])
    columns = ["metric", "on", "n", "test", "statistic", "value", "p", "in the paper", "p in the paper", "methods"]
    return _table("omnibus", "Do the methods differ at all?", columns, rows)


def _ranks_table(results: Results, methods: list[str]) -> dict[str, Any]:
    rows = []
    for metric in METRICS:
        test = nemenyi_of(results, methods, metric)
        if test is None:
            continue
        for i in np.argsort(test["mean_ranks"], kind="stable"):
            groups = [str(number + 1) for number, group in enumerate(test["groups"]) if i in group]
            rows.append([metric, methods[i], test["mean_ranks"][i], ", ".join(groups), test["critical_difference"]])
    columns = ["metric", "method", "mean rank", "groups", "critical difference"]
    note = "Nemenyi test at 0.05 on dataset means; methods in one group are not told apart, group 1 is the best."
    return _table("ranks", "Mean ranks", columns, rows, note)


def _sign_table(results: Results, against: str, title: str) -> dict[str, Any]:
    printed = paper_tables()["sign_cls_vs_fcm_cls" if against == "rival" else "sign_fcm_vs_fcm_cls"]
    rows: list[list[Any]] = []
    for metric in METRICS:
        for by in ("datasets", "folds"):
            block = []
            for second in (name for name in results.methods if name in AFTER_MAP):
                first = second.removeprefix("fcm_") if against == "rival" else "fcm"
                scores, _ = results.score_array([first, second], metric, by)
                if first not in results.methods or len(scores) < 2:
                    continue
                test = paired_tests(scores[:, 0], scores[:, 1])
                wins = win_tie_loss(scores[:, 1], scores[:, 0])
                told = printed[second][metric][by]
                block.append([metric, by, first, second, test, wins, told])
            adjusted_t = holm([entry[4].t_p for entry in block])
            adjusted_w = holm([entry[4].wilcoxon_p for entry in block])
            for (name, on, first, second, test, wins, told), holm_t, holm_w in zip(
                block, adjusted_t, adjusted_w, strict=True
            ):
                rows.append(
                    [name, on, first, second, -test.mean_difference, "/".join(map(str, wins)),
                     test.t_p, float(holm_t), _decision(test.t_p, test.mean_difference), _words(told["t_test"]),
                     test.wilcoxon_p, float(holm_w), _decision(test.wilcoxon_p, test.mean_difference),
                     _words(told["wilcoxon"])]
                )  # fmt: skip
    columns = ["metric", "on", "first", "second", "second - first", "won/tied/lost", "t-test p", "p, Holm", "decision",
               "in the paper", "Wilcoxon p", "p, Holm", "decision", "in the paper"]  # fmt: skip
    return _table(f"sign_{against}", title, columns, rows, "Decisions at 0.05, without correction, as in the paper.")


def _decision(p: float, first_minus_second: float) -> str:
    if p >= 0.05:
        return "no difference"
    return "first better" if first_minus_second > 0 else "second better"


def _words(decision: str) -> str:
    return decision.replace("_", " ")


def _probability_table(results: Results, methods: list[str]) -> dict[str, Any]:
    """How good probabilities are, of the methods that give any; the best log loss first."""
    rows: list[list[Any]] = []
    for method in methods:
        means = []
        for metric in ("log_loss", "calibration_error"):
            values = [results.mean(dataset, method, metric) for dataset in results.datasets]
            known = [value for value in values if value is not None]
            means.append(float(np.mean(known)) if known and len(known) == len(values) else None)
        if means[0] is not None:
            rows.append([method, *means])
    columns = ["method", "mean log loss", "mean calibration error"]
    note = "Means over the datasets, lower is better. Support vector machines give no probabilities at these settings."
    return _table("probabilities", "Probabilities", columns, sorted(rows, key=lambda row: row[1]), note)


def _time_table(results: Results, methods: list[str]) -> dict[str, Any]:
    rows = []
    for dataset in results.datasets:
        rows.append([dataset, *(results.mean(dataset, method, "fit_seconds") for method in methods)])
    return _table("times", "Seconds to fit a fold", ["dataset", *methods], rows)
