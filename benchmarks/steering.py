"""Expert knowledge: monotone effects, half-wrong experts, learned slopes only, classic maps.

``python -m benchmarks.steering`` needs only scikit-learn's tables; with the data folder (``COGMAP_DATA``) it also
learns slopes for glass and ecoli.
"""

import os
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from benchmarks.timing import print_table
from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap
from cogmap.research.datasets import load_dataset

N_PAIRS = 100_000
SLOPES = ["iris", "wine", "breast_cancer", "glass", "ecoli"]


def violations(model, X, column, sign, of=None):
    """Return the number of row pairs, differing in one feature, whose predictions violate its sign."""
    random = np.random.RandomState(0)
    low, high = X.min(axis=0), X.max(axis=0)
    rows = random.uniform(low - 0.5 * (high - low), high + 0.5 * (high - low), (N_PAIRS, X.shape[1]))
    other = rows.copy()
    other[:, column] += np.abs(random.standard_normal(N_PAIRS)) * (high - low)[column]
    before, after = model.model_.outputs(rows), model.model_.outputs(other)
    moved = (after - before)[:, -1 if of is None else of]
    return int((sign * moved < -1e-12).sum()), float(np.abs(moved).max())


def monotone_rows():
    """Constrain the sign that contradicts the data, and the one that agrees, for three kinds of targets."""
    rows = []
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for sign in (1, -1):
        model = FCMClassifier(structure="full", monotonic_cst={"mean radius": sign}, random_state=0).fit(X, y)
        count, most = violations(model, X.to_numpy(), 0, sign)
        rows.append([f"two classes, mean radius {sign:+d}", count, f"{most:.3f}", f"{model.score(X, y):.3f}"])
    X, y = load_iris(return_X_y=True, as_frame=True)
    for sign in (1, -1):
        constraint = {("petal length (cm)", "class=1"): sign}
        model = FCMClassifier(structure="full", monotonic_cst=constraint, random_state=0).fit(X, y)
        count, most = violations(model, X.to_numpy(), 2, sign, of=1)
        rows.append(
            [f"three classes, petal length on class 1 {sign:+d}", count, f"{most:.3f}", f"{model.score(X, y):.3f}"]
        )
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    for sign in (1, -1):
        model = FCMRegressor(structure="full", monotonic_cst={"bmi": sign}, random_state=0).fit(X, y)
        count, most = violations(model, X.to_numpy(), 2, sign)
        rows.append([f"values, bmi {sign:+d}", count, f"{most:.1f}", f"{model.score(X, y):.3f}"])
    return rows


def half_wrong_expert(X, y, random):
    """Return a map whose weights are correlations of features with classes, half of them with flipped signs."""
    columns = [f"x{j}" for j in range(X.shape[1])]
    labels = [1] if len(np.unique(y)) == 2 else list(np.unique(y))
    edges = []
    for label in labels:
        correlations = [np.corrcoef(X[:, j], y == label)[0, 1] for j in range(X.shape[1])]
        turned = random.permutation(len(columns)) < len(columns) // 2
        edges += [
            (column, f"class={label}", -weight if wrong else weight)
            for column, weight, wrong in zip(columns, correlations, turned, strict=True)
        ]
    return FuzzyCognitiveMap.from_edges(edges).replace(slope=5)


def expert_rows():
    """Compare a half-wrong prior with no prior, over folds and seeds."""
    rows = []
    for name, load in (("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        accuracy = {"memory alone": [], "expert half wrong": []}
        for seed in range(3):
            for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
                expert = half_wrong_expert(X[train], y[train], np.random.RandomState(seed))
                plain = FCMClassifier(structure="full", random_state=seed).fit(X[train], y[train])
                steered = FCMClassifier(prior=expert, random_state=seed).fit(X[train], y[train])
                accuracy["memory alone"].append(plain.score(X[test], y[test]))
                accuracy["expert half wrong"].append(steered.score(X[test], y[test]))
        rows.append([name, *(f"{np.mean(values):.4f}" for values in accuracy.values())])
    return rows


def slopes_rows():
    """Learn only slopes and biases for fixed correlation weights, compared with one common slope."""
    rows = []
    for name in SLOPES:
        try:
            data = load_dataset(name, "uci")
        except Exception as problem:
            print(f"{name} is not at hand ({type(problem).__name__})")
            continue
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells = [
                cross_val_score(
                    FCMClassifier(structure="full", random_state=0, **settings), data.X, data.y, cv=folds
                ).mean()
                for settings in (
                    {"learn": "slopes", "init": "correlation"},
                    {"slope": 5, "weight_bounds": (-1, 1)},
                    {},
                )
            ]
        rows.append([name, *(f"{cell:.3f}" for cell in cells)])
    return rows


def main():
    """Print the three tables."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    print_table(
        f"Answers against a sign forced by monotonic_cst, of {N_PAIRS} pairs of rows",
        ["", "violations", "largest change", "score on its rows"],
        monotone_rows(),
    )
    print_table(
        "Accuracy with an expert's prior, half of whose arrows are turned around",
        ["", "memory alone", "expert half wrong"],
        expert_rows(),
    )
    print_table(
        "Accuracy where little is learned",
        ["", "slopes of correlations", "classic: slope 5, weights in [-1, 1]", "default"],
        slopes_rows(),
    )


if __name__ == "__main__":
    main()
