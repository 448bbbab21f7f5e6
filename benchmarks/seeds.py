"""Dependence of the default map on its random initialization: the worst and the median of 30 seeds, on 20 tables.

``python -m benchmarks.seeds`` needs the data folder (``COGMAP_DATA``). One fixed split per table, 30 % held out.
"""

import os
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import train_test_split

from benchmarks.choosing import MADE_UP
from benchmarks.timing import print_table
from cogmap import FCMClassifier
from cogmap.research.datasets import DATASETS, get_dataset, load_dataset

N_SEEDS = 30
TABLES = [name for name in DATASETS if not get_dataset(name).size and name != "digits"]
CURVED = ["spirals", "circles", "moons", "nine squares"]


def accuracies(name):
    """Return the accuracy of each seed."""
    if name in MADE_UP:
        X, y = MADE_UP[name](np.random.RandomState(0))
    else:
        rows = load_dataset(name, "uci")
        X, y = rows.X, np.unique(rows.y, return_inverse=True)[1]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = (FCMClassifier(structure="full", random_state=seed).fit(X_train, y_train) for seed in range(N_SEEDS))
        return [model.score(X_test, y_test) for model in models]


def main():
    """Print a row per table."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # one process per core instead
    names = [*TABLES, *CURVED]
    values = np.array(Parallel(n_jobs=os.cpu_count())(delayed(accuracies)(name) for name in names))
    behind = np.median(values, axis=1) - values.min(axis=1)
    rows = [
        [name, f"{scores.min():.3f}", f"{np.median(scores):.3f}", f"{below:.3f}"]
        for name, scores, below in zip(names, values, behind, strict=True)
    ]
    rows.append(["largest gap (target: at most 0.05)", "", "", f"{behind.max():.3f}"])
    print_table(f"Accuracy of {N_SEEDS} seeds", ["table", "worst", "median", "behind"], rows)


if __name__ == "__main__":
    main()
