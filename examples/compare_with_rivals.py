"""Compare the map with the paper's 12 rivals on four tables that come with scikit-learn.

Run it with ``make demo``, or ``python examples/compare_with_rivals.py``.
"""

import os
import time
import warnings

import numpy as np
from joblib import Parallel, cpu_count, delayed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from cogmap import FCMClassifier
from cogmap.experiments.rivals import PAPER_RIVALS

DATASETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
METHODS = {"fcm": lambda seed: FCMClassifier(random_state=seed), **PAPER_RIVALS}
N_FOLDS = 5
SEED = 123


def evaluate(dataset, fold, method):
    """Fit one method on one fold; return where it was and accuracy, macro F1 and seconds of fitting."""
    X, y = DATASETS[dataset](return_X_y=True)
    train, test = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED).split(X, y))[fold]
    # Clipped because multinomial naive Bayes refuses negative numbers.
    model = make_pipeline(MinMaxScaler(clip=True), METHODS[method](SEED))
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # at the paper's settings some rivals stop early
        model.fit(X[train], y[train])
    seconds = time.perf_counter() - start
    predicted = model.predict(X[test])
    scores = accuracy_score(y[test], predicted), f1_score(y[test], predicted, average="macro"), seconds
    return (dataset, method), scores


def show(console, results):
    """Print a table: a row a method, accuracy and macro F1 a dataset, best first."""
    mean = {key: np.mean(folds, axis=0) for key, folds in results.items()}
    overall = {method: np.mean([mean[dataset, method] for dataset in DATASETS], axis=0) for method in METHODS}
    best = {dataset: max(mean[dataset, method][0] for method in METHODS) for dataset in DATASETS}
    table = Table(title=f"Accuracy / macro F1, mean of {N_FOLDS} folds; best accuracy in bold")
    table.add_column("method")
    for title in [*DATASETS, "mean of all", "fit, ms"]:
        table.add_column(title, justify="right")
    for method in sorted(METHODS, key=lambda method: -overall[method][0]):
        cells = []
        for dataset in DATASETS:
            accuracy, f1, _ = mean[dataset, method]
            cell = f"{accuracy:.3f} / {f1:.3f}"
            cells.append(f"[bold]{cell}[/bold]" if accuracy == best[dataset] else cell)
        accuracy, f1, seconds = overall[method]
        row = [method, *cells, f"{accuracy:.3f} / {f1:.3f}", f"{1000 * seconds:.1f}"]
        table.add_row(*row, style="cyan" if method == "fcm" else None)
    console.print(table)


def main():
    """Evaluate every method on every fold, with a progress bar, and print the table."""
    console = Console(width=None if os.isatty(1) else 118)
    tasks = [(dataset, fold, method) for dataset in DATASETS for fold in range(N_FOLDS) for method in METHODS]
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    results = {}
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("13 methods, 4 datasets, 5 folds", total=len(tasks))
        n_jobs = min(2, cpu_count())
        for key, scores in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
            delayed(evaluate)(*task) for task in tasks
        ):
            results.setdefault(key, []).append(scores)
            progress.advance(bar)
    show(console, results)


if __name__ == "__main__":
    main()
