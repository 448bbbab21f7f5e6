"""Accuracy, probabilities and fit time of the default map and of rivals with default parameters.

``python -m benchmarks.accuracy --out results/accuracy`` runs 21 datasets in their full form, shuffled stratified folds,
scaling inside the fold. Each result is stored immediately; the same command resumes an interrupted run and
writes the tables at the end. ``--tables-only`` only writes the tables.
"""

import argparse
import os
import sys
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler

from cogmap import FCMClassifier, FCMClassifierCV
from cogmap._utils.files import write_whole
from cogmap.exceptions import CogmapError
from cogmap.plotting import plot_critical_difference
from cogmap.research.datasets import DATASETS, get_dataset, load_dataset
from cogmap.research.experiments.rivals import FAMILY_RIVALS, RIVALS, Rules
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


METHODS = {
    "fcm": lambda seed, X: FCMClassifier(structure="full", random_state=seed),
    "fcm_cv": lambda seed, X: FCMClassifierCV(random_state=seed),
    **{name: lambda seed, X, make=make: make(Rules(seed), X) for name, make in RIVALS.items()},
    "xgboost": lambda seed, X: _xgboost(seed),
    "lightgbm": lambda seed, X: _lightgbm(seed),
    "catboost": lambda seed, X: _catboost(seed),
}
# Other FCM classifiers: one repeat and a separate table, except for the best one, which is a regular rival.
FAMILY = [method for method in FAMILY_RIVALS if method != "ltcn"]
COMPARED = [method for method in METHODS if method not in FAMILY]


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
            row, model = evaluate(self.method, model.fit, X_train, X_test, labels[train], labels[test])
        row["n_edges"] = n_edges(model)
        return [{"dataset": self.dataset, "fold": self.fold, **row, "protocol": PROTOCOL, "seed": SEED}]


def n_edges(model):
    """Return the number of weights of a map and of a regression on its states; None if there is no map."""
    if not hasattr(model, "map_"):
        return None
    return int(np.count_nonzero(model.map_.weights)) + int(getattr(model, "coef_", np.empty(0)).size)


def pieces():
    """Return all pieces of the comparison, small datasets first."""
    result = []
    for dataset in sorted(DATASETS, key=lambda name: get_dataset(name).n_rows * get_dataset(name).n_features):
        size = get_dataset(dataset).size
        for fold in range(N_FOLDS * (IMAGE_REPEATS if size else REPEATS)):
            methods = [method for method in METHODS if not (size and method == "catboost")]
            if fold >= N_FOLDS:
                methods = [method for method in methods if method not in FAMILY]
            result += [Piece(dataset, fold, method) for method in methods]
    return result


def read_rows(folder):
    """Return the rows by (dataset, fold, method)."""
    return {(row["dataset"], row["fold"], row["method"]): row for row in read_results(folder)}


def comparable(rows):
    """Keep only the compared methods, on folds for which all of them have results."""
    selected = defaultdict(set)
    for piece in pieces():
        if piece.method in COMPARED:
            selected[piece.dataset, piece.fold].add(piece.method)
    whole = {place for place, methods in selected.items() if all((*place, method) in rows for method in methods)}
    return {key: row for key, row in rows.items() if key[:2] in whole and key[2] in COMPARED}


def run(folder, n_jobs, datasets, methods=tuple(METHODS)):
    """Run all pieces of these datasets and methods that have no results yet."""
    # One thread per method and one process per core, so that times are comparable.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    selected = [piece for piece in pieces() if piece.dataset in datasets and piece.method in methods]
    with ResultStore(folder, PROTOCOL, SEED) as store:
        n_missing, n_done, start = len(store.missing(selected)), 0, time.monotonic()

        def after_task(piece, rows):
            nonlocal n_done
            n_done += 1
            if n_done % 100 == 0:
                print(f"{n_done} of {n_missing} in {time.monotonic() - start:.0f} s", flush=True)

        run_tasks(store, selected, n_jobs, after_task)


def means(rows, metric):
    """Return {dataset: {method: mean over folds}}, without methods that failed or lack the metric."""
    values = defaultdict(lambda: defaultdict(list))
    for row in rows.values():
        values[row["dataset"]][row["method"]].append(row.get(metric))
    return {
        dataset: {method: float(np.mean(folds)) for method, folds in of_dataset.items() if None not in folds}
        for dataset, of_dataset in values.items()
    }


def complete(table, datasets):
    """Return the methods with a value on every dataset."""
    return [method for method in COMPARED if all(method in table.get(dataset, {}) for dataset in datasets)]


def rank_table(table, datasets, higher_is_better):
    """Return {method: mean rank}, best first, and the result of the Nemenyi test."""
    methods = complete(table, datasets)
    scores = np.array([[table[dataset][method] for method in methods] for dataset in datasets])
    test = nemenyi(scores if higher_is_better else -scores)
    order = np.argsort(test.mean_ranks, kind="stable")
    return {methods[i]: float(test.mean_ranks[i]) for i in order}, methods, scores, test


def write_tables(folder):
    """Write summary.md, datasets.md and the critical-difference diagrams."""
    rows = comparable(read_rows(folder))
    tables = {metric: means(rows, metric) for metric in METRICS}
    datasets = [name for name in DATASETS if name in tables["accuracy"]]
    small = [name for name in datasets if not get_dataset(name).size]
    text = [
        "# Accuracy of the untuned map and its rivals",
        "",
        f"Written by `python -m benchmarks.accuracy`, {len(rows)} fits.",
        "",
    ]
    for title, chosen in (("All datasets", datasets), ("Without images, with CatBoost", small)):
        ranks, methods, scores, test = rank_table(tables["accuracy"], chosen, True)
        loss_ranks = rank_table(tables["log_loss"], chosen, False)[0]
        p_value = friedman(scores).iman_davenport_p
        text += [f"## {title}: {len(chosen)} datasets, {len(methods)} methods", ""]
        text += [
            f"Friedman test (Iman-Davenport) p = {p_value:.1e}; critical difference {test.critical_difference:.2f}.",
            "",
        ]
        text += ["| method | rank | accuracy | macro F1 | log loss rank | log loss | calibration error | fit seconds |"]
        text += ["| --- | " + " | ".join(["---:"] * 7) + " |"]
        for method, rank in ranks.items():
            cells = [_mean(tables[metric], chosen, method) for metric in METRICS]
            loss_rank = f"{loss_ranks[method]:.2f}" if method in loss_ranks else ""
            text.append(f"| {method} | {rank:.2f} | {cells[0]} | {cells[1]} | {loss_rank} | {' | '.join(cells[2:])} |")
        text.append("")
        if chosen is datasets:
            ax = plot_critical_difference(test.mean_ranks, methods, test.critical_difference, test.groups)
            with mpl.rc_context({"svg.hashsalt": "cogmap"}):  # the same results give the same file
                ax.figure.savefig(folder / "critical_difference.svg", bbox_inches="tight", metadata={"Date": None})
    text += _collapses(tables, datasets)
    write_whole(folder / "summary.md", "\n".join(text) + "\n")
    lines = ["# Mean accuracy on each dataset", "", "| dataset | " + " | ".join(COMPARED) + " |"]
    lines += ["| --- | " + " | ".join(["---:"] * len(COMPARED)) + " |"]
    for dataset in datasets:
        cells = [_mean(tables["accuracy"], [dataset], method) for method in COMPARED]
        lines.append(f"| {dataset} | " + " | ".join(cells) + " |")
    write_whole(folder / "datasets.md", "\n".join(lines) + "\n")
    print("\n".join(text))


def _mean(table, datasets, method):
    values = [table[dataset].get(method) for dataset in datasets]
    return "" if None in values else f"{np.mean(values):.3f}"


def _collapses(tables, datasets):
    """Return a text on where the default map is far below the best rival, or below logistic regression."""
    text = ["## Where the default map is weakest", ""]
    for dataset in datasets:
        accuracy = tables["accuracy"][dataset]
        best = max((m for m in accuracy if not m.startswith("fcm")), key=accuracy.get)
        behind, behind_linear = accuracy[best] - accuracy["fcm"], accuracy["logreg"] - accuracy["fcm"]
        if behind > 0.02 or behind_linear > 0.0:
            text.append(
                f"- {dataset} ({get_dataset(dataset).n_rows} rows): {accuracy['fcm']:.3f}; {best} {accuracy[best]:.3f} "
                f"({-behind:+.3f}), logistic regression {accuracy['logreg']:.3f} ({-behind_linear:+.3f})"
            )
    slower = [d for d in datasets if tables["fit_seconds"][d]["fcm"] > tables["fit_seconds"][d]["mlp"]]
    ratios = [tables["fit_seconds"][d]["fcm_cv"] / tables["fit_seconds"][d]["fcm"] for d in datasets]
    text += [
        "",
        f"Slower to fit than the MLP on {len(slower)} of {len(datasets)} datasets: {', '.join(slower) or 'none'}.",
    ]
    text += [f"FCMClassifierCV takes {np.min(ratios):.1f} to {np.max(ratios):.1f} times as long as the default map."]
    return text


def main():
    """Run the comparison and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/accuracy"))
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS), choices=list(DATASETS), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tables-only", action="store_true")
    arguments = parser.parse_args()
    try:
        if not arguments.tables_only:
            run(arguments.out, arguments.jobs, arguments.datasets)
        write_tables(arguments.out)
    except CogmapError as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
