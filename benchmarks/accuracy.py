"""Accuracy, probabilities and fit time of maps and of rivals with default parameters.

``python -m benchmarks.accuracy --out results/accuracy`` runs 21 datasets in their full form, shuffled stratified folds,
scaling inside the fold. Each result is stored immediately; the same command resumes an interrupted run and
writes the tables at the end. ``--tables-only`` only writes the tables.

A fit may take 10 minutes of CPU time. One that takes longer is recorded as not finished, and the other folds of that
dataset are not tried with that method. EBM, RealMLP-TD and TabM run two folds of the tables without images: on images
they would need hours. Tables with them compare the folds that all methods have.
"""

import argparse
import json
import os
import signal
import sys
import time
import warnings
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler

from cogmap import FCMClassifier
from cogmap._utils.files import write_whole
from cogmap.exceptions import CogmapError
from cogmap.plotting import plot_critical_difference
from cogmap.research.datasets import DATASETS, get_dataset, load_dataset
from cogmap.research.experiments.rivals import FAMILY_RIVALS, PAPER_RIVALS, RIVALS, RivalOptions
from cogmap.research.experiments.runner import run_tasks
from cogmap.research.experiments.store import ResultStore, read_results
from cogmap.research.experiments.tasks import evaluate
from cogmap.statistics import friedman, nemenyi

PROTOCOL, SEED = "benchmark", 123
N_FOLDS = 5
REPEATS = 3
# Images take minutes per fit: one repeat. CatBoost takes 5 to 50 minutes per fit on the faces, so it is omitted for
# faces and clothes.
IMAGE_REPEATS = 1
TIME_LIMIT = 600.0
METRICS = ("accuracy", "f1_macro", "log_loss", "calibration_error", "fit_seconds")


def _xgboost(seed):
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1)


def _lightgbm(seed):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _catboost(seed):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False)


def _ebm(seed):
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


def _pytabkit(name, seed):
    import logging

    import pytabkit

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    return getattr(pytabkit, name)(random_state=seed, device="cpu", n_threads=1)


METHODS = {
    "fcm_named": lambda seed, X: FCMClassifier(random_state=seed),
    "fcm": lambda seed, X: FCMClassifier(structure="full", random_state=seed),
    **{name: lambda seed, X, make=make: make(RivalOptions(seed), X) for name, make in RIVALS.items()},
    "xgboost": lambda seed, X: _xgboost(seed),
    "lightgbm": lambda seed, X: _lightgbm(seed),
    "catboost": lambda seed, X: _catboost(seed),
    "ebm": lambda seed, X: _ebm(seed),
    "realmlp": lambda seed, X: _pytabkit("RealMLP_TD_Classifier", seed),
    "tabm": lambda seed, X: _pytabkit("TabM_D_Classifier", seed),
}
TITLES = {
    "fcm_named": "small map (default)",
    "fcm": "full map",
    "catboost": "CatBoost",
    "ebm": "EBM",
    "hgb": "histogram boosting",
    "lightgbm": "LightGBM",
    "logreg": "logistic regression",
    "ltcn": "LTCN",
    "mlp": "MLP",
    "realmlp": "RealMLP-TD",
    "rforest": "random forest",
    "extratrees": "extra trees",
    "svcrbf": "SVM, radial",
    "svclin": "SVM, linear",
    "tabm": "TabM",
    "xgboost": "XGBoost",
}
SLOW, SLOW_FOLDS = ["ebm", "realmlp", "tabm"], 2  # minutes per fit: tables without images only
MOST_COLUMNS = 300  # up to which the default may be a small map
# Other FCM classifiers: one repeat and a separate table, except for the best one, which is a regular rival.
FAMILY = [method for method in FAMILY_RIVALS if method != "ltcn"]
COMPARED = [method for method in METHODS if method not in FAMILY]


class NotFinishedError(Exception):
    """A fit took longer than the limit."""


@contextmanager
def cpu_limit(seconds):
    """Raise `NotFinishedError` after this much CPU time; compiled code is interrupted when it returns to Python."""

    def stop(*_):
        raise NotFinishedError(f"no result after {seconds:.0f} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Piece:
    """One method on one fold of a dataset; folds 0 to 4 are the first repeat, 5 to 9 the second."""

    dataset: str
    fold: int
    method: str

    @property
    def keys(self):
        return [(self.dataset, self.fold, self.method)]

    def run(self):
        repeat, number = divmod(self.fold, N_FOLDS)
        rows = load_dataset(self.dataset, "uci")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rivals that do not converge, folds without a rare class
            labels = np.unique(rows.y, return_inverse=True)[1]  # XGBoost requires 0, 1, ...
            splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED + repeat).split(rows.X, labels)
            train, test = list(splits)[number]
            scaler = MinMaxScaler(clip=True).fit(rows.X[train])  # clipped: naive Bayes rejects negative values
            X_train, X_test = scaler.transform(rows.X[train]), scaler.transform(rows.X[test])
            model = METHODS[self.method](repeat, X_train)
            seconds = []

            def fit(X, y):
                begin = time.process_time()  # of one thread: other work on the machine does not count
                with cpu_limit(TIME_LIMIT):
                    model.fit(X, y)
                seconds.append(round(time.process_time() - begin, 6))
                return model

            row, fitted = evaluate(self.method, fit, X_train, X_test, labels[train], labels[test])
        row.update(fit_seconds=seconds[0] if seconds else None, n_edges=n_edges(fitted))
        return [{"dataset": self.dataset, "fold": self.fold, **row, "protocol": PROTOCOL, "seed": SEED}]


def n_edges(model):
    """Return the number of weights of a map and of a regression on its states; None if there is no map."""
    if not hasattr(model, "map_"):
        return None
    return int(np.count_nonzero(model.map_.weights)) + int(getattr(model, "coef_", np.empty(0)).size)


def pieces():
    """Return all pieces of the comparison: images last, and of the others fold by fold, small datasets first.

    An interrupted run has therefore the same folds of many datasets, not all folds of a few.
    """
    result = []
    for dataset in DATASETS:
        size = get_dataset(dataset).size
        for fold in range(N_FOLDS * (IMAGE_REPEATS if size else REPEATS)):
            methods = [method for method in METHODS if not (size and method in ("catboost", *SLOW))]
            if fold >= N_FOLDS:
                methods = [method for method in methods if method not in FAMILY]
            if fold >= SLOW_FOLDS:
                methods = [method for method in methods if method not in SLOW]
            result += [Piece(dataset, fold, method) for method in methods]
    return sorted(result, key=_order)


def _order(piece):
    dataset = get_dataset(piece.dataset)
    return bool(dataset.size), piece.fold, dataset.n_rows * dataset.n_features


def read_rows(folder):
    """Return the rows by (dataset, fold, method)."""
    return {(row["dataset"], row["fold"], row["method"]): row for row in read_results(folder)}


def not_finished(rows):
    """Return the (dataset, method) with a fit that reached the limit."""
    return {(row["dataset"], row["method"]) for row in rows if (row["error"] or "").startswith("NotFinishedError")}


def run(folder, n_jobs, datasets, methods=tuple(METHODS)):
    """Run all pieces of these datasets and methods that have no results yet."""
    # One thread per method and one process per core, so that times are comparable.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    with ResultStore(folder, PROTOCOL, SEED) as store:
        given_up = not_finished(read_results(folder))

        def after_task(piece, rows):
            given_up.update(not_finished(rows))

        selected = [piece for piece in pieces() if piece.dataset in datasets and piece.method in methods]
        for fold in range(N_FOLDS * REPEATS):
            chosen = [p for p in selected if p.fold == fold and (p.dataset, p.method) not in given_up]
            n_run = run_tasks(store, chosen, n_jobs, after_task)
            print(f"fold {fold}: {n_run} fits", flush=True)


def means(rows, metric):
    """Return {dataset: {method: mean over folds}}, without methods that failed or lack the metric."""
    values = defaultdict(lambda: defaultdict(list))
    for row in rows.values():
        values[row["dataset"]][row["method"]].append(row.get(metric))
    return {
        dataset: {method: float(np.mean(folds)) for method, folds in of_dataset.items() if None not in folds}
        for dataset, of_dataset in values.items()
    }


def planned(methods):
    """Return {dataset: folds} that all these methods are to run."""
    runs = defaultdict(lambda: defaultdict(set))
    for piece in pieces():
        runs[piece.dataset][piece.method].add(piece.fold)
    shared = {name: set.intersection(*(of_dataset[m] for m in methods)) for name, of_dataset in runs.items()}
    return {name: folds for name, folds in shared.items() if folds}


def comparison(rows, title, required, datasets):
    """Compare all methods that have the folds which the required methods share; None if there are fewer than two.

    A dataset takes part with the folds on which every required method finished.
    """
    plan = {name: folds for name, folds in planned(required).items() if name in datasets}
    places = [(name, fold) for name, folds in plan.items() for fold in sorted(folds)]
    shared = [place for place in places if all(_finished(rows.get((*place, method))) for method in required)]
    names = [name for name in datasets if any(place[0] == name for place in shared)]
    methods = [m for m in COMPARED if all(_finished(rows.get((*place, m))) for place in shared)]
    if len(names) < 2 or len(methods) < 2:
        return None
    chosen = {(*place, method): rows[(*place, method)] for place in shared for method in methods}
    tables = {metric: means(chosen, metric) for metric in METRICS}
    scores = np.array([[tables["accuracy"][name][method] for method in methods] for name in names])
    test = nemenyi(scores)
    with_loss = [m for m in methods if all(m in tables["log_loss"][name] for name in names)]
    losses = np.array([[tables["log_loss"][name][method] for method in with_loss] for name in names])
    loss_ranks = dict(zip(with_loss, nemenyi(-losses).mean_ranks, strict=True))
    entries = [
        {
            "method": methods[i],
            "title": TITLES.get(methods[i], methods[i]),
            "rank": float(test.mean_ranks[i]),
            "log_loss_rank": float(loss_ranks[methods[i]]) if methods[i] in loss_ranks else None,
            **{metric: _mean(tables[metric], names, methods[i]) for metric in METRICS},
        }
        for i in np.argsort(test.mean_ranks, kind="stable")
    ]
    return {
        "title": title,
        "datasets": names,
        "folds": {name: sum(place[0] == name for place in shared) for name in names},
        "n_planned": {"datasets": len(plan), "folds": len(places)},
        "methods": entries,
        "friedman_p": float(friedman(scores).iman_davenport_p),
        "critical_difference": float(test.critical_difference),
        "groups": [[methods[i] for i in group] for group in test.groups],
        "accuracy": {name: tables["accuracy"][name] for name in names},
    }


def _finished(row):
    return row is not None and row["accuracy"] is not None


def _not_run(piece):
    is_full = piece.method == "fcm_named" and get_dataset(piece.dataset).n_features > MOST_COLUMNS
    return f"the same as the full map above {MOST_COLUMNS} columns" if is_full else "not run"


def _mean(table, datasets, method):
    values = [table[dataset].get(method) for dataset in datasets]
    return None if None in values else float(np.mean(values))


def summarize(folder):
    """Return the comparisons, and which fits are missing, as a dict for JSON."""
    rows = read_rows(folder)
    small = [name for name in DATASETS if not get_dataset(name).size]
    earlier = ["fcm", "hgb", "mlp", "extratrees", "xgboost", "lightgbm", *PAPER_RIVALS]
    earlier = [method for method in earlier if method not in ("gmc_3f", "gmc_3d")]  # minutes per fit of images
    comparisons = {
        "all": comparison(rows, "All datasets", earlier, list(DATASETS)),
        "catboost": comparison(rows, "Without images, with CatBoost", [*earlier, "fcm_named", "catboost"], small),
        "slow": comparison(rows, "With EBM, RealMLP-TD and TabM", [*earlier, "fcm_named", "catboost", *SLOW], small),
    }
    missing = defaultdict(lambda: defaultdict(list))
    for piece in pieces():
        row = rows.get(piece.keys[0])
        if not _finished(row):
            missing[piece.method][piece.dataset].append(_not_run(piece) if row is None else row["error"])
    return {
        "n_fits": len(rows),
        "titles": TITLES,
        "comparisons": {name: entry for name, entry in comparisons.items() if entry is not None},
        "missing": {
            method: {name: {"folds": len(reasons), "why": sorted(set(reasons))} for name, reasons in of_method.items()}
            for method, of_method in missing.items()
        },
    }


def write_tables(folder):
    """Write summary.json, summary.md, datasets.md and the critical-difference diagrams."""
    summary = summarize(folder)
    write_whole(folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    text = ["# Accuracy of untuned maps and their rivals", ""]
    text += [f"Written by `python -m benchmarks.accuracy` from {summary['n_fits']} fits; means over the datasets.", ""]
    for name, entry in summary["comparisons"].items():
        text += comparison_text(entry)
        methods, ranks = zip(*((row["method"], row["rank"]) for row in entry["methods"]), strict=True)
        groups = [[methods.index(method) for method in group] for group in entry["groups"]]
        ax = plot_critical_difference(ranks, methods, entry["critical_difference"], groups)
        with mpl.rc_context({"svg.hashsalt": "cogmap"}):  # the same results give the same file
            picture = "critical_difference.svg" if name == "all" else f"critical_difference_{name}.svg"
            ax.figure.savefig(folder / picture, bbox_inches="tight", metadata={"Date": None})
    text += ["## Fits that are missing", ""]
    for method, of_method in summary["missing"].items():
        n_folds = sum(entry["folds"] for entry in of_method.values())
        reasons = sorted({why for entry in of_method.values() for why in entry["why"]})
        names = "all datasets" if len(of_method) == len(DATASETS) else ", ".join(of_method)
        text.append(f"- {TITLES.get(method, method)}, {n_folds} fits ({'; '.join(reasons)}): {names}")
    write_whole(folder / "summary.md", "\n".join(text) + "\n")
    lines = ["# Mean accuracy on each dataset", ""]
    for entry in summary["comparisons"].values():
        methods = [row["method"] for row in entry["methods"]]
        lines += [f"## {entry['title']}", "", "| dataset | folds | " + " | ".join(methods) + " |"]
        lines += ["| --- | " + " | ".join(["---:"] * (1 + len(methods))) + " |"]
        for name, scores in entry["accuracy"].items():
            cells = [f"{scores[method]:.3f}" for method in methods]
            lines.append(f"| {name} | {entry['folds'][name]} | " + " | ".join(cells) + " |")
        lines.append("")
    write_whole(folder / "datasets.md", "\n".join(lines).rstrip() + "\n")
    print("\n".join(text))


def comparison_text(entry):
    """Return a comparison as lines of Markdown."""
    n_folds, n_datasets = sum(entry["folds"].values()), len(entry["datasets"])
    planned_folds, planned_datasets = entry["n_planned"]["folds"], entry["n_planned"]["datasets"]
    text = [f"## {entry['title']}: {n_datasets} datasets, {len(entry['methods'])} methods", ""]
    text.append(
        f"{n_folds} folds that every method finished, of {planned_folds} on {planned_datasets} datasets. Friedman test "
        f"(Iman-Davenport) p = {entry['friedman_p']:.1e}; critical difference {entry['critical_difference']:.2f}."
    )
    text += ["", "| method | rank | accuracy | macro F1 | log loss rank | log loss | calibration error | CPU seconds |"]
    text += ["| --- | " + " | ".join(["---:"] * 7) + " |"]
    for row in entry["methods"]:
        keys = ("accuracy", "f1_macro", "log_loss_rank", "log_loss", "calibration_error", "fit_seconds")
        cells = ["" if row[key] is None else f"{row[key]:.3f}" for key in keys]
        text.append(f"| {row['title']} | {row['rank']:.2f} | {' | '.join(cells)} |")
    return [*text, ""]


def main():
    """Run the comparison and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/accuracy"))
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS), choices=list(DATASETS), metavar="NAME")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS), metavar="METHOD")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tables-only", action="store_true")
    arguments = parser.parse_args()
    try:
        if not arguments.tables_only:
            run(arguments.out, arguments.jobs, arguments.datasets, arguments.methods)
        write_tables(arguments.out)
    except CogmapError as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
