"""How often intervals of mean effects contain the true effect, on simulated tables with planted effects.

``python -m benchmarks.effects`` simulates 100 tables of correlated features, half of them with values and half with two
classes. Six of ten features have an effect: some linear, one saturating, one that depends on another feature. The
effect of a feature is the mean derivative of the expected value, or of the probability, on the rows of the table.
"""

import argparse
import os
import warnings

import numpy as np
from joblib import Parallel, delayed

from cogmap import FCMClassifier, FCMRegressor, arrow_intervals

N_FEATURES = 10
FIRST_SEED = 5000  # tables that played no part in choosing how much wider than the refits the intervals are


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


def measure(seed, classes, level, structure):
    """Return which intervals contain the truth, and their widths relative to the largest effect."""
    X, y, truth = table(seed, classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = (FCMClassifier if classes else FCMRegressor)(structure=structure, random_state=0).fit(X, y)
    intervals = arrow_intervals(model, X, y, level)
    low, high = intervals.effects_low[:, -1], intervals.effects_high[:, -1]
    return (low <= truth) & (truth <= high), (high - low) / np.abs(truth).max()


def main():
    """Print the share of intervals that contain the true effect."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.effects", description=main.__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("--structure", default="auto")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    print("| effects on | tables | intervals that contain the truth | with an effect | without | width |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    shares = []
    for classes in (False, True):
        seeds = range(FIRST_SEED, FIRST_SEED + arguments.tables // 2)
        tasks = (delayed(measure)(seed, classes, arguments.level, arguments.structure) for seed in seeds)
        inside, widths = (np.array(part) for part in zip(*Parallel(n_jobs=arguments.jobs)(tasks), strict=True))
        shares.append(inside.mean())
        name = "probabilities" if classes else "values"
        parts = f"{inside.mean():.3f} | {inside[:, :6].mean():.3f} | {inside[:, 6:].mean():.3f} | {widths.mean():.2f}"
        print(f"| {name} | {len(inside)} | {parts} |", flush=True)
    print(f"| both | {arguments.tables} | {np.mean(shares):.3f} | | | |")


if __name__ == "__main__":
    main()
