"""Quality of explanations: additivity, recovery of the relevant features, and time.

``python -m benchmarks.explaining`` prints all tables, or those named: ``sums speed planted deletion pruning changes``.

The planted problems are those of J. Yoon, J. Jordon and M. van der Schaar, INVASE: Instance-wise variable selection
using neural networks, ICLR 2019: of 11 standard normal features, the relevant ones are known for each row.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier, explain, pruning_curve, what_if

TABLES = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
N_PLANTED = 10_000  # training rows, and as many test rows
N_RANKED = 1_000  # rows whose features are ranked individually


def learned(name):
    """Return the default classifier fitted to 70 % of a table, and the held-out rows."""
    X, y = TABLES[name](return_X_y=True, as_frame=True)
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    return FCMClassifier(structure="full", random_state=0).fit(X_train, y_train), X_test


def sums():
    """Print the largest deviation of summed contributions from the outputs."""
    rows = []
    for name in TABLES:
        fcm, X = learned(name)
        gaps = []
        for scale in ("probability", "decision"):
            explanation = explain(fcm, X, scale=scale)
            gap = explanation.outputs - explanation.base_values - explanation.contributions.sum(axis=1)
            gaps.append(f"{np.abs(gap).max():.1e}")
        rows.append([name, *gaps])
    print_table("Contributions and outputs: largest gap (target: 1e-9)", ["table", "probability", "decision"], rows)


def speed():
    """Print the time of explaining 1,000 rows of 30 features relative to one decision function and to shap."""
    import shap

    X, y = load_breast_cancer(return_X_y=True)
    fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
    many = np.tile(X, (2, 1))[:1000]
    times = best_times(
        {
            "decision_function": lambda: fcm.decision_function(many),
            "explain, probability": lambda: explain(fcm, many),
            "explain, decision": lambda: explain(fcm, many, scale="decision"),
        },
        rounds=15,
    )
    n_rows = 5
    explainer = shap.explainers.Permutation(fcm.predict_proba, X[:100])
    explainer(many[:1], silent=True)  # compiles
    begin = time.perf_counter()
    explainer(many[:n_rows], silent=True)
    times[f"shap, permutation ({n_rows} rows, times {1000 // n_rows})"] = (time.perf_counter() - begin) * 1000 / n_rows
    rows = [
        [name, f"{seconds:.4f} s", f"{seconds / times['decision_function']:.0f}"] for name, seconds in times.items()
    ]
    title = "1,000 rows of 30 features (target: at most 40 decision functions)"
    print_table(title, ["what", "time", "decision functions"], rows)


def planted(number, n_rows, seed):
    """Return features, classes and the mask of relevant features of the problem Syn1 to Syn6."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 11))
    parts = [
        (X[:, 0] * X[:, 1], [0, 1]),
        ((X[:, 2:6] ** 2).sum(axis=1) - 4, [2, 3, 4, 5]),
        (-10 * np.sin(0.2 * X[:, 6]) + np.abs(X[:, 7]) + X[:, 8] + np.exp(-X[:, 9]) - 2.4, [6, 7, 8, 9]),
    ]
    decides = np.zeros(X.shape, dtype=bool)
    if number <= 3:
        g, features = parts[number - 1]
        decides[:, features] = True
    else:
        (g, features), (otherwise, others) = (parts[i] for i in {4: (0, 1), 5: (0, 2), 6: (1, 2)}[number])
        negative = X[:, 10] < 0
        g = np.where(negative, g, otherwise)
        decides[:, 10] = True
        decides[np.ix_(negative, features)] = True
        decides[np.ix_(~negative, others)] = True
    y = rng.random(n_rows) < 1 / (1 + np.exp(g))
    return X, y.astype(int), decides


def first_by(ranking, decides):
    """Return the share of relevant features among equally many top-ranked features of each row."""
    order = np.argsort(-ranking, axis=1)
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(order.shape[1])[None], axis=1)
    among_first = (places < decides.sum(axis=1, keepdims=True)) & decides
    return (among_first.sum(axis=1) / decides.sum(axis=1)).mean()


def occlusion(fcm, rows, background):
    """Return the mean change of the probability when a feature is replaced by that of another row."""
    now = fcm.predict_proba(rows)[:, 1]
    changes = np.zeros(rows.shape)
    for other in background:
        for j in range(rows.shape[1]):
            occluded = rows.copy()
            occluded[:, j] = other[j]
            changes[:, j] += np.abs(now - fcm.predict_proba(occluded)[:, 1])
    return changes / len(background)


def finds_planted():
    """Print the accuracy on the planted problems, and how well explanations recover the relevant features."""
    target = [".685", ".89", ".90", ".79", ".80", ".88"]
    rows = []
    for number in range(1, 7):
        X, y, decides = planted(number, N_PLANTED, seed=number)
        fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
        X_test, y_test, decides_test = planted(number, N_PLANTED, seed=100 + number)
        auc = roc_auc_score(y_test, fcm.predict_proba(X_test)[:, 1])
        ever = np.flatnonzero(decides.any(axis=0))
        ranked = np.argsort(-fcm.feature_importances_)[: len(ever)]
        ranked_rows, truth = X_test[:N_RANKED], decides_test[:N_RANKED]
        explanation = explain(fcm, ranked_rows)
        with_rows = explain(fcm, ranked_rows, X[:200])
        rankings = [
            explanation.relevance[:, :, 1],
            with_rows.relevance[:, :, 1],
            np.abs(explanation.contributions[:, :, 1]),
            occlusion(fcm, ranked_rows, X[:50]),
        ]
        rows.append(
            [
                f"Syn{number}",
                f"{auc:.3f}",
                target[number - 1],
                f"{len(set(ranked) & set(ever))} of {len(ever)}",
                *(f"{first_by(ranking, truth):.3f}" for ranking in rankings),
                ".99" if number <= 3 else ".85",
            ]
        )
    header = [
        "problem",
        "AUC",
        "target",
        "global",
        "relevance",
        "of training rows",
        "contributions",
        "occlusion",
        "target of relevance",
    ]
    title = f"Planted features: {N_PLANTED} training rows, held-out test rows; {N_RANKED} rows ranked one by one"
    print_table(title, header, rows)


def curve_area(fcm, X, order, baseline, insert):
    """Return the mean probability of the predicted class along a deletion or insertion curve."""
    rows = X.to_numpy()
    predicted = fcm.predict_proba(X).argmax(axis=1)
    now = np.tile(baseline, (len(rows), 1)) if insert else rows.copy()
    end = rows if insert else np.tile(baseline, (len(rows), 1))
    curve = [fcm.model_.outputs(now)[np.arange(len(rows)), predicted]]
    for j in order.T:
        now[np.arange(len(rows)), j] = end[np.arange(len(rows)), j]
        curve.append(fcm.model_.outputs(now)[np.arange(len(rows)), predicted])
    return np.trapezoid(np.mean(curve, axis=1), dx=1 / (len(curve) - 1))


def deletion():
    """Print deletion and insertion curves, most contributing features first."""
    rows = []
    for name in TABLES:
        fcm, X = learned(name)
        baseline = fcm.scaling_.known.mean
        explanation = explain(fcm, X)
        predicted = explanation.outputs.argmax(axis=1)
        own = explanation.contributions[np.arange(len(X)), :, predicted]
        order = np.argsort(-own, axis=1)
        rng = np.random.default_rng(0)
        at_random = [np.argsort(rng.random(own.shape), axis=1) for _ in range(10)]
        areas = []
        for insert in (False, True):
            areas.append(curve_area(fcm, X, order, baseline, insert))
            areas.append(np.mean([curve_area(fcm, X, other, baseline, insert) for other in at_random]))
        target = ".8" if name == "iris" else ".5"
        rows.append([name, *(f"{area:.3f}" for area in areas[:2]), f"{areas[0] / areas[1]:.2f}", target,
                     *(f"{area:.3f}" for area in areas[2:]), f"{areas[2] / areas[3]:.2f}"])  # fmt: skip
    header = ["table", "deletion", "at random", "ratio", "target", "insertion", "at random", "ratio"]
    print_table("Area under the curve of the predicted class, on new rows", header, rows)


def pruning():
    """Print the accuracy of pruned maps."""
    rows = []
    for name, load in TABLES.items():
        X, y = load(return_X_y=True)
        target = 0.25 if name == "iris" else 0.1
        curve = pruning_curve(
            FCMClassifier(structure="full", random_state=0), X, y, keep=(0.5, 0.25, 0.1, 0.05), n_folds=5
        )
        at = curve.keep.tolist().index(target)
        share = curve.mean_scores[at] / curve.mean_scores[0]
        rows.append([name, f"{curve.n_edges[0]:.0f}", f"{curve.mean_scores[0]:.4f}", f"{target:.0%}",
                     f"{curve.n_edges[at]:.0f}", f"{curve.mean_scores[at]:.4f}", f"{share:.1%}",
                     f"{curve.smallest():.0%}"])  # fmt: skip
    header = ["table", "edges", "accuracy", "kept", "edges", "accuracy", "ratio (target: 99%)", "fewest for 99%"]
    print_table("Pruned maps, five folds", header, rows)


def changes():
    """Print the time to find counterfactuals for 100 rows."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
    rows = [X.iloc[[i]] for i in range(100)]
    before = fcm.predict(X.iloc[:100])
    lines = []
    for title, options in {
        "any features": {},
        "at most 3 features": {"max_features": 3},
        "three answers each": {"n_answers": 3},
    }.items():
        answers = [what_if(fcm, row, **options) for row in rows]
        seconds = best_times({title: lambda options=options: [what_if(fcm, row, **options) for row in rows]})[title]
        flipped = sum(
            answer.found and fcm.predict(answer.row)[0] != label for answer, label in zip(answers, before, strict=True)
        )
        size = np.nanmean([answer.size for answer in answers])
        changed = np.mean([len(answer.changes) for answer in answers if answer.found])
        lines.append([title, f"{seconds:.2f} s", str(sum(answer.found for answer in answers)), str(flipped),
                      f"{changed:.1f}", f"{size:.2f}"])  # fmt: skip
    header = ["what if", "time", "found", "flipped in predict", "features", "deviations"]
    print_table("100 rows of breast cancer (target: 1 s, all verified)", header, lines)


ALL = {
    "sums": sums,
    "speed": speed,
    "planted": finds_planted,
    "deletion": deletion,
    "pruning": pruning,
    "changes": changes,
}


def main():
    """Print the named tables, or all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sys.argv[1:] or ALL:
            ALL[name]()


if __name__ == "__main__":
    main()
