"""The FCM family: published and our numbers, populations and gradients, ensembles and teachers, and one table.

``python -m benchmarks.family`` needs the data folder (``COGMAP_DATA``) and runs every part; ``--parts`` selects some.
The table over the 21 datasets is made from ``results/accuracy``; missing results are run first, images last, and an
interrupted run resumes.
"""

import argparse
import os
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import MinMaxScaler

from benchmarks import accuracy
from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier
from cogmap._learning.losses import SoftmaxCrossEntropy
from cogmap._learning.objective import DenseObjective
from cogmap._utils.files import write_whole
from cogmap.comparators import FCMperClassifier, FRCNClassifier, HebbianFCMClassifier, LTCNClassifier
from cogmap.comparators.population import METHODS as POPULATIONS
from cogmap.comparators.population import minimise
from cogmap.research.datasets import DATASETS, load_dataset
from cogmap.research.experiments.rivals import FAMILY_RIVALS
from cogmap.research.experiments.tasks import evaluate

N_FOLDS, SEED = 5, 123
SMALL = ["iris", "wine", "breast_cancer", "glass", "ecoli"]

# Our classifier, and the accuracy of published prototypes with the same protocol. None: unknown.
KNOWN = {
    "LTCN, tanh": (LTCNClassifier(), (0.967, 0.989, 0.956, 0.612, 0.872)),
    "FRCN": (FRCNClassifier(), (0.947, 0.961, 0.965, 0.682, 0.818)),
    "FCMper, an output per class": (FCMperClassifier(), (0.847, 0.972, 0.933, 0.552, 0.714)),
    "... with a bias": (FCMperClassifier(bias=True), (0.960, None, None, None, None)),
    "FCMper, single output, DE": (
        FCMperClassifier(output="single", solver="de", random_state=SEED),
        (0.867, 0.894, 0.935, 0.510, 0.322),
    ),
    "NHL": (HebbianFCMClassifier("nhl"), (0.820, 0.618, 0.868, 0.215, 0.542)),
    "... until nothing moves": (HebbianFCMClassifier("nhl", tol=1e-6, max_iter=5000), (None,) * 5),
    "DD-NHL": (HebbianFCMClassifier("dd_nhl"), (0.860, 0.860, 0.874, 0.364, 0.655)),
    "... until nothing moves ": (HebbianFCMClassifier("dd_nhl", tol=1e-6, max_iter=5000), (None,) * 5),
}


@cache
def read(name):
    """Return features and class indices."""
    rows = load_dataset(name, "uci")
    return rows.X, np.unique(rows.y, return_inverse=True)[1]


def folds(name):
    """Return training and test rows of each fold."""
    X, y = read(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two classes of ecoli have two rows
        for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED).split(X, y):
            yield X[train], X[test], y[train], y[test]


def mean_scores(model, name):
    """Return the mean accuracy, the mean log loss and the shortest fit time over the folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [evaluate("", clone(model).fit, *fold)[0] for fold in folds(name)]
    return (
        float(np.mean([row["accuracy"] for row in rows])),
        float(np.mean([row["log_loss"] for row in rows])),
        min(row["fit_seconds"] for row in rows),
    )


def known_figures():
    """Print accuracy beside the published numbers; the classifiers scale features inside the fold."""
    rows = []
    for title, (model, known) in KNOWN.items():
        ours = [mean_scores(model, name) for name in SMALL]
        cells = [
            f"{score[0]:.3f}" + ("" if figure is None else f" ({figure:.3f})")
            for score, figure in zip(ours, known, strict=True)
        ]
        rows.append([title, *cells, f"{1e3 * np.median([score[2] for score in ours]):.0f} ms"])
    print_table("Accuracy, ours and published (in parentheses); median fit time", ["", *SMALL, "fit"], rows)


def times():
    """Print fit times relative to FCMClassifier, measured in turns."""
    models = {"FCMClassifier": FCMClassifier(structure="full", random_state=0)} | {
        title: model for title, (model, known) in KNOWN.items() if None not in known
    }
    tables = ["iris", "breast_cancer", "vehicle"]
    best = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in tables:
            X, y = read(name)
            fits = {title: lambda model=model, X=X, y=y: model.fit(X, y) for title, model in models.items()}
            best[name] = best_times(fits, rounds=3)
    rows = []
    for title in models:
        cells = [(best[name][title], best[name][title] / best[name]["FCMClassifier"]) for name in tables]
        rows.append([title, *(f"{1e3 * seconds:.0f} ms, {ratio:.3f}" for seconds, ratio in cells)])
    print_table("Fit time, and relative to FCMClassifier", ["", *tables], rows)


def populations(max_evaluations=10_000):
    """Print the losses that populations and gradients reach for the same maps within the same number of evaluations.

    The map has only features and classes, two steps, the penalty of FCMClassifier, and weights and biases in [-1, 1].
    """
    slope, gain, alpha = 2.0, 10.0, 0.2
    table = {}
    for name in ("iris", "wine", "glass"):
        for X, _, y, _ in folds(name):
            X = MinMaxScaler().fit_transform(X)
            objective = DenseObjective(X, y, SoftmaxCrossEntropy(y.max() + 1, gain), depth=2, slope=slope)
            n_weights, strength = objective.n_concepts**2, alpha / len(X)

            def loss(theta, objective=objective, n_weights=n_weights, strength=strength):
                return objective.value(theta) + 0.5 * strength * float(theta[:n_weights] @ theta[:n_weights])

            def with_gradient(theta, objective=objective, n_weights=n_weights, strength=strength):
                total, gradient, weight = objective.sums(theta)
                gradient /= weight
                gradient[:n_weights] += strength * theta[:n_weights]
                return total / weight + 0.5 * strength * float(theta[:n_weights] @ theta[:n_weights]), gradient

            random = np.random.RandomState(SEED)
            box = np.ones(objective.n_parameters)
            begin = time.perf_counter()
            start = random.uniform(-0.1, 0.1, objective.n_parameters)
            result = minimize(
                with_gradient,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=list(zip(-box, box, strict=True)),
                options={"maxfun": max_evaluations},
            )
            table.setdefault(("lbfgs", name), []).append((result.fun, time.perf_counter() - begin, result.nfev))
            for method in POPULATIONS:
                begin = time.perf_counter()
                result = minimise(loss, -box, box, method, max_evaluations, None, random)
                seconds = time.perf_counter() - begin
                table.setdefault((method, name), []).append((result.value, seconds, result.n_evaluations))
    rows = []
    for method in ("lbfgs", *POPULATIONS):
        cells = []
        for name in ("iris", "wine", "glass"):
            value, seconds, n = np.mean(table[method, name], axis=0)
            cells.append(f"{value:.3f} in {seconds:.2f} s, {n:.0f} evaluations")
        rows.append([method, *cells])
    print_table("Training loss with penalty, by gradients and by populations", ["", "iris", "wine", "glass"], rows)


def ensembles():
    """Print the gain of bagging and boosting over one map distilled from an ensemble."""
    alone = FCMClassifier(n_teachers=0, random_state=0)
    models = {
        "FCMClassifier(n_teachers=0)": alone,
        "FCMClassifier()": FCMClassifier(structure="full", random_state=0),
        "BaggingClassifier of 10": BaggingClassifier(alone, n_estimators=10, random_state=0),
        "AdaBoostClassifier of 10": AdaBoostClassifier(alone, n_estimators=10, random_state=0),
    }
    rows = []
    for title, model in models.items():
        scores = [mean_scores(model, name) for name in SMALL]
        cells = [f"{score[0]:.3f} / {score[1]:.3f}" for score in scores]
        rows.append([title, *cells, f"{np.mean([score[2] for score in scores]):.2f} s"])
    print_table("Accuracy / log loss, and time of a fit", ["", *SMALL, "fit"], rows)


def deep_maps():
    """Print the accuracy by depth, up to the depth at which a quasi-nonlinear rule was reported to help."""
    rows = []
    for depth in ("auto", 2, 4, 8):
        model = FCMClassifier(depth=depth, random_state=0)
        rows.append([str(depth), *(f"{mean_scores(model, name)[0]:.3f}" for name in ("glass", "ecoli"))])
    print_table("Accuracy of FCMClassifier by depth", ["depth", "glass", "ecoli"], rows)


def one_table(folder, datasets):
    """Run missing pieces and write the table over the datasets."""
    accuracy.run(folder, 1, datasets, list(FAMILY_RIVALS))
    text = family_text(folder)
    write_whole(folder / "family.md", text)
    print(text)


def family_text(folder):
    """Return the tables of the family, over the folds of the first repeat."""
    methods = ["fcm", *FAMILY_RIVALS]
    rows = {
        key: row
        for key, row in accuracy.read_rows(folder).items()
        if key[1] < N_FOLDS and key[2] in methods and row["accuracy"] is not None
    }
    places = [(fold, method) for fold in range(N_FOLDS) for method in methods]
    done = [name for name in DATASETS if all((name, *place) in rows for place in places)]
    tables = {metric: accuracy.means(rows, metric) for metric in ("accuracy", "log_loss", "fit_seconds", "n_edges")}
    for name in done:
        tables["n_edges"][name].setdefault("fcm", _edges_of_default(name))
    centroid = [_centroid(name) for name in done]
    text = [
        "# The FCM family",
        "",
        f"Written by `python -m benchmarks.family`: {len(done)} datasets, 5 shuffled stratified folds, scaling inside "
        "the fold, defaults. Edges of `ltcn` are those of its map and the weights of its regression. `fcm`, the "
        "default FCMClassifier, was learned in another run on a busy machine: do not compare its seconds.",
        "",
        "| method | accuracy | rank | log loss | best on | below nearest centroid on | fit seconds | edges |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    scores = np.array([[tables["accuracy"][name][method] for method in methods] for name in done])
    ranks = rankdata(-scores, axis=1).mean(axis=0)
    for i, method in enumerate(methods):
        of_method = {metric: [table[name].get(method) for name in done] for metric, table in tables.items()}
        edges = "no map" if None in of_method["n_edges"] else f"{np.median(of_method['n_edges']):.0f}"
        text.append(
            f"| {method} | {scores[:, i].mean():.3f} | {ranks[i]:.2f} | {np.mean(of_method['log_loss']):.3f} "
            f"| {(scores[:, i] >= scores.max(axis=1)).sum()} | {(scores[:, i] < centroid).sum()} "
            f"| {np.median(of_method['fit_seconds']):.3f} | {edges} |"
        )
    text += ["", "Means over the datasets; of seconds and edges the medians. By dataset, accuracy and log loss:", ""]
    text += _by_dataset(
        [*methods, "nearest centroid"],
        {
            name: [f"{tables['accuracy'][name][m]:.3f}, {tables['log_loss'][name][m]:.2f}" for m in methods]
            + [f"{nearest:.3f}"]
            for name, nearest in zip(done, centroid, strict=True)
        },
    )
    text += ["", "Seconds of a fit, and edges:", ""]
    text += _by_dataset(
        methods,
        {
            name: [f"{tables['fit_seconds'][name][m]:.3f}, {tables['n_edges'][name].get(m) or 0:.0f}" for m in methods]
            for name in done
        },
    )
    return "\n".join(text) + "\n"


def _by_dataset(header, rows):
    lines = [f"| dataset | {' | '.join(header)} |", f"| --- |{' ---: |' * len(header)}"]
    return lines + [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]


def _edges_of_default(name):
    """Return the number of edges of the default map, determined by a few iterations."""
    X, _, y, _ = next(iter(folds(name)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return accuracy.n_edges(FCMClassifier(max_iter=4, tol=0, random_state=0).fit(X, y))


def _centroid(name):
    """Return the mean accuracy of the nearest centroid of features scaled to [0, 1]."""
    scores = []
    for X_train, X_test, y_train, y_test in folds(name):
        scaler = MinMaxScaler(clip=True).fit(X_train)
        model = NearestCentroid().fit(scaler.transform(X_train), y_train)
        scores.append(accuracy_score(y_test, model.predict(scaler.transform(X_test))))
    return float(np.mean(scores))


PARTS = {"known": known_figures, "times": times, "populations": populations, "ensembles": ensembles, "depth": deep_maps}


def main():
    """Run the selected parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=[*PARTS, "table"], default=[*PARTS, "table"], metavar="PART")
    parser.add_argument("--out", type=Path, default=Path("results/accuracy"))
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS), choices=list(DATASETS), metavar="NAME")
    arguments = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    for part in arguments.parts:
        if part == "table":
            one_table(arguments.out, arguments.datasets)
        else:
            PARTS[part]()


if __name__ == "__main__":
    main()
