"""Summary of results: a plain dict with everything that the report shows."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from cogmap.research.datasets import DATASETS
from cogmap.research.datasets.classes import class_name
from cogmap.research.experiments.protocols import N_FOLDS, PROTOCOLS
from cogmap.research.experiments.published import fcm_parameters, paper_tables, published_clustering
from cogmap.research.experiments.rivals import title_of
from cogmap.research.experiments.tasks import CLUSTERING_SCORES
from cogmap.research.report.claims import judge_claims
from cogmap.research.report.pictures import make_pictures
from cogmap.research.report.results import BLOCKS, METRICS, Results, clustering, improved, nemenyi_of, votes
from cogmap.research.report.significance import omnibus_table, ranks_table, sign_table
from cogmap.research.report.tables import new_table

Cell = dict[str, float | None]


def make_summary(folder: Path, data_dir: str | None = None) -> dict[str, Any]:
    """Return everything that the report shows: tables, tests, claims, errors, and the run.

    Parameters
    ----------
    folder : Path
        Folder of `cogmap reproduce`.
    data_dir : str, default=None
        Folder with the data files, from which the author's published results are read.

    Returns
    -------
    dict
        The content of ``summary.json``.

    See Also
    --------
    write_report : Write the report.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from cogmap.research.experiments.store import ResultStore
    >>> from cogmap.research.report import make_summary
    >>> row = {"dataset": "iris", "protocol": "strict", "seed": 1, "method": "fcm", "error": None, "f1_macro": 0.9}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ResultStore(Path(folder), "strict", 1) as store:
    ...         store.append([row | {"fold": fold, "accuracy": 0.9, "fit_seconds": 1.0} for fold in range(5)])
    ...     list(make_summary(Path(folder))["datasets"])
    ['iris']
    """
    results = Results(folder, data_dir)
    bare, after, claims = results.bare, results.pipelines, judge_claims(results)
    tables = [_method_table(results), _dataset_table(results), _parameter_table(results)]
    for metric, title in METRICS.items():
        tables.append(_score_table(results, bare, metric, f"{title} of the map and its rivals", metric))
    for metric, title in METRICS.items():
        tables.append(_score_table(results, after, metric, f"{title} of rivals after the map", f"preprocess_{metric}"))
    for metric, title in METRICS.items():
        tables.append(_score_table(results, bare, f"train_{metric}", f"{title} on training rows", f"train_{metric}"))
    tables += [
        _probability_table(results, bare),
        _clustering_table(results),
        omnibus_table(results),
        ranks_table(results),
        sign_table(results, "rival", "Rival alone against rival after the map"),
        sign_table(results, "fcm", "Map against rival after the map"),
        _notes_table(results),
        _time_table(results, bare),
    ]
    return {
        "protocol": {"name": results.protocol, "title": PROTOCOLS[results.protocol].title},
        "run": results.run,
        "datasets": results.datasets,
        "methods": {name: title_of(name) for name in results.methods},
        "published_source": _published_source(results),
        "tables": [table for table in tables if table["rows"]],
        "nemenyi": {metric: {by: nemenyi_of(results, bare, metric, by) for by in BLOCKS} for metric in METRICS},
        "folds": {
            metric: {m: [v for d in results.datasets for v in results.folds(d, m, metric)] for m in bare}
            for metric in METRICS
        },
        "loss_curves": {d: results.row(d, "fcm", 0).get("loss_curve", []) for d in results.datasets},
        "claims": claims,
        "found": _found(results, claims),
        "missing": _missing(results),
        "pictures": {**make_pictures(), "maps": _maps(results)},
    }


def _maps(results: Results) -> dict[str, Any]:
    """Return the views of learned maps, one per dataset; results of older versions have none."""
    views = {dataset: results.row(dataset, "fcm", 0).get("map") for dataset in results.datasets}
    coded = PROTOCOLS[results.protocol].form == "paper"
    return {dataset: _with_class_names(view, dataset, coded) for dataset, view in views.items() if view}


def _with_class_names(view: dict[str, Any], dataset: str, coded: bool) -> dict[str, Any]:
    """Return the view of a map in which classes have names instead of codes."""
    names = [
        class_name(dataset, name.removeprefix("class="), coded) if name.startswith("class=") else name
        for name in view["names"]
    ]
    return view | {"names": names if len(set(names)) == len(names) else view["names"]}


def _found(results: Results, claims: list[dict[str, Any]]) -> list[str]:
    """Return what was found, in sentences."""
    sentences = []
    for metric, title in METRICS.items():
        values, datasets = results.score_array(results.bare, metric, "datasets")
        if not len(values) or "fcm" not in results.bare:
            continue
        means = dict(zip(results.bare, values.mean(axis=0).tolist(), strict=True))
        order = sorted(means, key=lambda method: -means[method])
        place = order.index("fcm") + 1
        on = f"{len(datasets)} dataset{'s' * (len(datasets) > 1)}"
        best = "" if place == 1 else f" The best is {title_of(order[0])} with {means[order[0]]:.3f}."
        of = f"place {place} of {len(order)} methods" if len(order) > 1 else "the only method"
        sentences.append(f"{title}: the map has a mean of {means['fcm']:.3f} on {on}, {of}.{best}")
    verdicts = [claim["verdict"] for claim in claims]
    words = {"holds": ("holds", "hold"), "does not hold": ("does not hold", "do not hold")}
    counts = {word: verdicts.count(word) for word in ("holds", "does not hold", "undecided")}
    parts = [f"{number} {words.get(word, (word, word))[number > 1]}" for word, number in counts.items() if number]
    sentences.append(f"Of the {len(claims)} claims of the paper: {', '.join(parts)}, on these results.")
    return sentences


def _folds_by_message(
    results: Results, messages: Callable[[dict[str, Any]], Iterable[str]]
) -> dict[tuple[str, str, str], list[int]]:
    """Return the folds with each message, keyed by dataset, method and message."""
    folds: dict[tuple[str, str, str], list[int]] = {}
    for dataset in results.datasets:
        for method in results.methods:
            for fold in range(N_FOLDS):
                for message in messages(results.row(dataset, method, fold)):
                    folds.setdefault((dataset, method, message), []).append(fold)
    return folds


def _missing(results: Results) -> list[dict[str, Any]]:
    """Return the folds without a result, and the reason; no mean is computed without them."""

    def reasons(row: dict[str, Any]) -> list[str]:
        reason = row["error"] if row else "has not been run"
        return [reason] if reason else []

    folds_by_message = _folds_by_message(results, reasons)
    return [
        {"dataset": d, "method": m, "folds": folds, "why": reason} for (d, m, reason), folds in folds_by_message.items()
    ]


def _published_source(results: Results) -> str:
    if results.author is not None:
        return "the author's results file, mean of its five folds"
    return "the tables printed in the paper, two digits"


def _cell(ours: float | None, published: float | None, smaller_is_better: bool = False) -> Cell:
    """Return our number, the published one, the difference, and whether ours is better (None if equal when rounded)."""
    if ours is None or published is None:
        return {"ours": ours, "published": published, "difference": None, "better": None}
    difference = ours - published
    better = None if abs(difference) <= 0.0005 else (difference < 0) == smaller_is_better
    return {"ours": ours, "published": published, "difference": difference, "better": better}


def _method_table(results: Results) -> dict[str, Any]:
    rows: list[list[Any]] = [[name, title_of(name)] for name in results.bare]
    if results.pipelines:
        rows.append(["fcm_...", "the method of that name, on features transformed by the map"])
    return new_table("methods", "Names of the methods", ["name", "method"], rows)


def _dataset_table(results: Results) -> dict[str, Any]:
    rows = []
    for name in results.datasets:
        dataset = DATASETS[name]
        printed = paper_tables()["datasets"][dataset.paper_name]
        rows.append(
            [name, dataset.n_features, printed["attributes"], dataset.n_classes, printed["classes"], dataset.n_rows,
             printed["instances"], dataset.paper_drops]
        )  # fmt: skip
    columns = [
        "dataset",
        "features",
        "in the paper",
        "classes",
        "in the paper",
        "rows",
        "in the paper",
        "omitted by the author",
    ]
    notes = []
    if any(row[3] != row[4] for row in rows):
        notes.append("The paper counts unused outputs as classes.")
    if omitted := sum(bool(row[-1]) for row in rows):
        notes.append(f"Its loader omits a genuine feature of {omitted} of these datasets.")
    note = " ".join(notes)
    return new_table("datasets", "Datasets", columns, rows, note)


def _parameter_table(results: Results) -> dict[str, Any]:
    names = ["depth", "slope", "output", "loss", "solver", "learning_rate", "max_iter", "batch_size"]
    protocol, rows = PROTOCOLS[results.protocol], []
    if protocol.published_fcm:
        for dataset in results.datasets:
            used = fcm_parameters(dataset, protocol.published_fcm)
            rows.append([dataset, *("all rows" if used[name] == 10**9 else used[name] for name in names)])
    elif results.datasets:
        fcm = protocol.fcm(results.datasets[0], 0)
        rows.append(["all", *(getattr(fcm, name, "") for name in names)])
    return new_table("parameters", "Parameters of the map", ["dataset", *names], rows)


def _score_table(results: Results, methods: list[str], metric: str, title: str, id_: str) -> dict[str, Any]:
    rows: list[list[Any]] = []
    for dataset in results.datasets:
        cells = [_cell(results.mean(dataset, m, metric), results.published(dataset, m, metric)) for m in methods]
        rows.append([dataset, *cells])
    if len(rows) > 1 and methods:
        rows.append(["mean", *(_mean_cell([row[i + 1] for row in rows]) for i in range(len(methods)))])
    note = f"Published: {_published_source(results)}."
    if metric.startswith("train_"):
        note = "Scores on the training rows." + (f" {note}" if results.author else "")
    if any(cell["ours"] is None for row in rows for cell in row[1:]):
        note += " No mean is shown where a fold or a dataset is missing or failed: see Missing results."
    return new_table(id_, title, ["dataset", *methods], rows if methods else [], note)


def _mean_cell(cells: list[Cell]) -> Cell:
    """Return the mean cell over all datasets."""
    ours, published = (_mean([cell[name] for cell in cells]) for name in ("ours", "published"))
    return _cell(ours, published)


def _mean(values: list[float | None]) -> float | None:
    """Return the mean over all datasets, or None if one is missing."""
    return None if None in values or not values else float(np.mean(np.array(values)))


def _clustering_table(results: Results) -> dict[str, Any]:
    places = [f"{part}_{which}" for part in ("train", "test") for which in ("original", "transformed")]
    rows = []
    for dataset in results.datasets:
        for score in CLUSTERING_SCORES:
            cells = [
                _cell(
                    clustering(results, dataset, score, place),
                    published_clustering(dataset, score, place, results.protocol, results.data_dir),
                    score == "davies_bouldin",
                )
                for place in places
            ]
            better = ["yes" if improved(results, dataset, score, part) else "no" for part in ("train", "test")]
            of_three = [f"{votes(results, dataset, part)} of 3" for part in ("train", "test")]
            if cells[0]["ours"] is not None:
                rows.append([dataset, score.replace("_", " "), *cells, *better, *of_three])
    columns = ["dataset", "score", "train, before", "train, after", "test, before", "test, after", "train better",
               "test better", "train vote", "test vote"]  # fmt: skip
    note = f"Davies-Bouldin is better when smaller, the others when larger. Published: {_published_source(results)}."
    return new_table("clustering", "Clusters before and after the map", columns, rows, note)


def _probability_table(results: Results, methods: list[str]) -> dict[str, Any]:
    """Return the quality of the probabilities of methods that provide them, best log loss first."""
    rows: list[list[Any]] = []
    for method in methods:
        means = [
            _mean([results.mean(dataset, method, metric) for dataset in results.datasets])
            for metric in ("log_loss", "calibration_error")
        ]
        if means[0] is not None:
            rows.append([method, *means])
    columns = ["method", "mean log loss", "mean calibration error"]
    note = "Means over the datasets; lower is better. Support vector machines have no probabilities at these settings."
    return new_table("probabilities", "Probabilities", columns, sorted(rows, key=lambda row: row[1]), note)


def _notes_table(results: Results) -> dict[str, Any]:
    """Return where methods had to adapt because a class had too few rows."""
    folds_by_message = _folds_by_message(results, lambda row: row.get("notes", []))
    rows = [[*place, ", ".join(map(str, folds))] for place, folds in folds_by_message.items()]
    return new_table("notes", "Classes with too few rows", ["dataset", "method", "adaptation", "folds"], rows)


def _time_table(results: Results, methods: list[str]) -> dict[str, Any]:
    rows = [[d, *(results.mean(d, method, "fit_seconds") for method in methods)] for d in results.datasets]
    return new_table("times", "Seconds to fit a fold", ["dataset", *methods], rows)
