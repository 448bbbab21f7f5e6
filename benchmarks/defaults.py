"""Accuracy of the default and the published map on the author's folds and columns, and its dependence on the seed.

``python -m benchmarks.defaults`` needs the data folder (``COGMAP_DATA``).
"""

import os
import warnings

import numpy as np
from joblib import Parallel, delayed

from cogmap import FCMClassifier
from cogmap.research.datasets import DATASETS, get_dataset, load_dataset
from cogmap.research.experiments.protocols import N_FOLDS, PROTOCOLS
from cogmap.research.experiments.published import published_score

N_SEEDS = 30


def accuracy(protocol_name, dataset, fold, seed):
    """Return the accuracy of the default map on a fold."""
    protocol = PROTOCOLS[protocol_name]
    rows = load_dataset(dataset, protocol.form, None, protocol.resizing)
    X_train, X_test, y_train, y_test = protocol.fold(rows.X, rows.y, fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FCMClassifier(structure="full", random_state=seed).fit(X_train, y_train).score(X_test, y_test)


def mean_accuracies(protocol_name, datasets, seeds):
    """Return the mean over the folds, one row per seed, one column per dataset."""
    pieces = [(dataset, fold, seed) for seed in seeds for dataset in datasets for fold in range(N_FOLDS)]
    values = Parallel(n_jobs=os.cpu_count())(delayed(accuracy)(protocol_name, *piece) for piece in pieces)
    return np.reshape(values, (len(seeds), len(datasets), N_FOLDS)).mean(axis=2)


def main():
    """Print both tables."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # one process per core instead
    ours = mean_accuracies("author", list(DATASETS), [123])[0]
    published = np.array([published_score(dataset, "fcm", "accuracy", "author") for dataset in DATASETS])
    print("Default map on the author's folds and columns, and the map that the author tuned for each dataset:")
    for dataset, value, other in zip(DATASETS, ours, published, strict=True):
        print(f"  {dataset:18s} {value:.3f} {other:.3f} {value - other:+.3f}")
    print(f"At least as accurate on {(ours >= published).sum()} of {len(ours)}.")

    tables = [name for name in DATASETS if not get_dataset(name).size and name != "digits"]
    of_tables = np.isin(list(DATASETS), tables)
    print(
        f"Mean over {of_tables.sum()} tables: {ours[of_tables].mean():.4f}, "
        f"published {published[of_tables].mean():.4f}."
    )

    over_seeds = mean_accuracies("strict", tables, range(N_SEEDS)).mean(axis=1)
    print(
        f"{N_SEEDS} values of random_state, protocol strict: mean accuracy over the tables {over_seeds.mean():.4f}, "
        f"standard deviation {over_seeds.std(ddof=1):.4f}, from {over_seeds.min():.4f} to {over_seeds.max():.4f}."
    )


if __name__ == "__main__":
    main()
