"""How often intervals of mean effects contain the true effect, on simulated tables with planted effects.

``python -m benchmarks.effects`` simulates 100 tables of correlated features, half of them with values and half with two
classes. Six of ten features have an effect: some linear, one saturating, one that depends on another feature. The
effect of a feature is the mean derivative of the expected value, or of the probability, on the rows of the table.

How much wider than the spread of the refits the intervals are (`_INFLATION` in `cogmap.explanation.intervals`) was
chosen on other tables: ``--choosing`` simulates those, and prints which factor they call for. Rows keep errors relative
to the spread of the refits, so that another factor needs no new run.

Every table is a row of ``results.jsonl``, so that an interrupted run resumes. After a change of the training, remove
the folder first.
"""

import argparse
import os
import warnings
from pathlib import Path

import numpy as np

from benchmarks import cached
from cogmap import FCMClassifier, FCMRegressor, arrow_intervals
from cogmap.explanation.intervals import _INFLATION

LEVEL = 0.9
N_FEATURES = 10
N_EFFECTS = 6
KINDS = ("values", "classes")
# The second group of tables played no part in the choice of the factors.
FIRST_SEEDS = {"choosing": 0, "confirming": 9000}


def table(seed, classes):
    """Return features, targets and the true mean effect of each feature."""
    random = np.random.RandomState(seed)
    n_rows = int(random.choice([200, 400, 800]))
    mixing = random.normal(size=(N_FEATURES, N_FEATURES)) * 0.3 + np.eye(N_FEATURES)
    X = random.normal(size=(n_rows, N_FEATURES)) @ mixing
    X /= X.std(axis=0)
    slopes = np.zeros(N_FEATURES)
    slopes[:5] = random.uniform(0.2, 1.0, 5) * random.choice([-1, 1], 5)
    value = X @ slopes
    gradient = np.tile(slopes, (n_rows, 1))
    value += np.tanh(1.5 * X[:, 5])  # saturates
    gradient[:, 5] += 1.5 * (1 - np.tanh(1.5 * X[:, 5]) ** 2)
    value += 0.5 * X[:, 0] * X[:, 1]  # depends on the other
    gradient[:, 0] += 0.5 * X[:, 1]
    gradient[:, 1] += 0.5 * X[:, 0]
    if not classes:
        return X, value + random.normal(size=n_rows), gradient.mean(axis=0)
    probability = 1 / (1 + np.exp(-value))
    y = (random.random_sample(n_rows) < probability).astype(int)
    return X, y, (gradient * (probability * (1 - probability))[:, None]).mean(axis=0)


def measure(group, number, kind):
    """Return the errors of the effects, and the widths beside the largest effect, both without the factor."""
    classes = kind == "classes"
    X, y, truth = table(FIRST_SEEDS[group] + number, classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = (FCMClassifier if classes else FCMRegressor)(random_state=0).fit(X, y)
    intervals = arrow_intervals(model, X, y, LEVEL)
    low, high = intervals.effects_low[:, -1], intervals.effects_high[:, -1]
    factor = _INFLATION[kind]
    errors = factor * np.abs(truth - (low + high) / 2) / np.maximum((high - low) / 2, 1e-300)
    return {
        "errors": errors.round(6).tolist(),
        "width": float(np.mean(high - low) / np.abs(truth).max() / factor),
        "score": float(np.mean(errors <= factor)),
    }


def summarize(rows, group):
    """Return how many intervals contain the truth, of values, of classes and of both."""
    summary = {}
    for kind in KINDS:
        found = [row for (name, _, method), row in sorted(rows.items()) if (name, method) == (group, kind)]
        if not found:
            continue
        errors, factor = np.array([row["errors"] for row in found]), _INFLATION[kind]
        summary[kind] = {
            "n_tables": len(found),
            "coverage": float(np.mean(errors <= factor)),
            "with_effect": float(np.mean(errors[:, :N_EFFECTS] <= factor)),
            "without_effect": float(np.mean(errors[:, N_EFFECTS:] <= factor)),
            "width": float(factor * np.mean([row["width"] for row in found])),
            "factor": factor,
            "wanted_factor": float(np.quantile(errors, LEVEL)),  # with it, a share LEVEL would contain the truth
        }
    if len(summary) == len(KINDS):
        summary["both"] = {"coverage": float(np.mean([summary[kind]["coverage"] for kind in KINDS]))}
    return summary


def main():
    """Run what is missing, and print the share of intervals that contain the true effect."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.effects", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/effects"), help="folder for the results")
    parser.add_argument("--tables", type=int, default=100, help="number of tables, half of them with classes")
    parser.add_argument("--choosing", action="store_true", help="the tables on which the factors were chosen")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    group = "choosing" if arguments.choosing else "confirming"
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    pieces = [
        cached.Piece("effects", group, number, kind, measure)
        for number in range(arguments.tables // 2)
        for kind in KINDS
    ]
    cached.run(arguments.out, pieces, arguments.jobs)
    rows = cached.read_rows(arguments.out)
    summary = {group: summarize(rows, group) for group in FIRST_SEEDS}
    cached.write_summary(arguments.out, {"level": LEVEL, "groups": summary})
    print("| effects on | tables | contain the truth | with an effect | without | width | factor | wanted |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind, found in summary[group].items():
        names = ("n_tables", "coverage", "with_effect", "without_effect", "width", "factor", "wanted_factor")
        print(f"| {kind} | {' | '.join(f'{found[name]:.3g}' if name in found else '' for name in names)} |")


if __name__ == "__main__":
    main()
