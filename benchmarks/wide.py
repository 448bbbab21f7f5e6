"""Many columns: gradient time of structured maps relative to its lower bound, accuracy of rivals, sparse tables.

``python -m benchmarks.wide`` runs all parts, ``python -m benchmarks.wide gradient accuracy sparse`` selected ones. One
thread is used, and rivals are measured in the same run.
"""

import json
import re
import subprocess
import sys
import time
import warnings

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier
from cogmap._learning.losses import LogLoss
from cogmap._learning.structured import StructuredObjective
from cogmap._utils.threads import one_blas_thread


def among_noise(X, y, n_noise, n_rows=None):
    """Return a table, or some of its rows, with noise columns that are shuffled copies of its own."""
    random = np.random.default_rng(0)
    rows = random.permutation(len(X))[:n_rows]
    X, y = X[rows], y[rows]
    noise = [random.permutation(X[:, random.integers(X.shape[1])]) for _ in range(n_noise)]
    return np.column_stack([X, *noise]), y


def clusters(n_rows, n_columns, **options):
    """Return scikit-learn's clusters at corners of a cube: classes that no single column separates."""
    return make_classification(n_rows, n_columns, n_informative=10, random_state=0, **options)


TABLES = {
    "clusters, 6,400 x 200": lambda: clusters(8000, 200),
    "clusters, 2,000 x 1,000": lambda: clusters(2500, 1000),
    "clusters, 2,000 x 400, 3 classes": lambda: clusters(2500, 400, n_classes=3, n_clusters_per_class=3),
    "digits among noise, 354 x 264": lambda: among_noise(*load_digits(return_X_y=True), 200, 443),
    "wine among noise, 142 x 263": lambda: among_noise(*load_wine(return_X_y=True), 250),
    "breast cancer among noise, 455 x 330": lambda: among_noise(*load_breast_cancer(return_X_y=True), 300),
}

METHODS = {
    "map": lambda: FCMClassifier(structure="full", random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "forest": lambda: RandomForestClassifier(random_state=0),
    "MLP": lambda: make_pipeline(StandardScaler(), MLPClassifier(random_state=0)),
    "PCA, map": lambda: make_pipeline(
        StandardScaler(), PCA(20, random_state=0), FCMClassifier(structure="full", random_state=0)
    ),
    "SelectKBest, map": lambda: make_pipeline(SelectKBest(k=20), FCMClassifier(structure="full", random_state=0)),
}


def gradient():
    """Print the time of a gradient, relative to its necessary matrix products."""
    rows = []
    for n_rows, n_features, n_hidden, most in [
        (2000, 1000, 16, None),
        (10_000, 5000, 0, None),
        (10_000, 5000, 16, 1.5),
    ]:
        random = np.random.default_rng(0)
        X = random.random((n_rows, n_features), dtype=np.float32)
        y = random.integers(0, 2, n_rows)
        objective = StructuredObjective(X, y, LogLoss(), depth=2, slope=2.0, n_hidden=n_hidden, memory=3.0)
        theta = random.normal(size=objective.n_parameters) / np.sqrt(n_features)  # none is driven to where it is flat
        W = random.random((objective.n_learned, n_features), dtype=np.float32)
        E = random.random((n_rows, objective.n_learned), dtype=np.float32)

        def lower_bound(X=X, W=W, E=E):
            X @ W.T, E.T @ X  # the first step, forward and back
            X @ W[:1].T, E[:, :1].T @ X  # the last, of which only the output is read

        with one_blas_thread():
            times = best_times({"gradient": lambda o=objective, t=theta: o.sums(t), "floor": lower_bound})
        ratio = times["gradient"] / times["floor"]
        size = f"{n_rows:,} x {n_features:,}, {n_hidden} hidden"
        rows.append([size, f"{1e3 * times['gradient']:.1f} ms", f"{ratio:.2f}", most or ""])
    print_table("Gradient of a structured map, float32, depth 2", ["table", "time", "/ floor", "at most"], rows)


def accuracy():
    """Print accuracy and time, with a fifth of the rows held out."""
    rows = []
    for name, load in TABLES.items():
        X, y = load()
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
        figures, seconds = {}, {}
        for method, make in METHODS.items():
            model = make()
            start = time.process_time()  # on a shared machine, wall-clock times compare nothing
            model.fit(X, y)
            seconds[method] = time.process_time() - start
            figures[method] = model.score(X_test, y_test)
        best = max(figures[rival] for rival in ("boosting", "forest", "MLP"))
        cells = [f"{figures[method]:.3f} / {seconds[method]:.1f}" for method in METHODS]
        rows.append([name, *cells, f"{figures['map'] - best:+.3f}", f"{seconds['map'] / seconds['MLP']:.2f}"])
        print(name, *cells, flush=True)
    header = ["table", *METHODS, "map - best rival", "time / MLP"]
    print_table("Accuracy / CPU seconds, one thread", header, rows)


def sparse_rows(kind, seed, n_rows=25_000, n_columns=100_000, filled=100):
    """Return sparse rows, with nonzeros spread evenly or like words in texts, and classes that use all columns."""
    random = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n_rows), filled)
    if kind == "words":
        share = 1.0 / np.arange(1, n_columns + 1) ** 0.8
        columns, values = random.choice(n_columns, len(rows), p=share / share.sum()), np.ones(len(rows))
    else:
        columns, values = random.integers(0, n_columns, len(rows)), random.random(len(rows))
    X = csr_array((values, (rows, columns)), shape=(n_rows, n_columns))
    X.sum_duplicates()
    score = X @ random.normal(size=n_columns)
    noisy = score + 0.3 * score.std() * random.normal(size=n_rows)
    return X, (noisy > np.median(score)).astype(int)


def fit_sparse(kind, seed):
    """Fit in this process, and print the result."""
    X, y = sparse_rows(kind, int(seed))
    start = time.process_time()
    rival = LogisticRegression(max_iter=300).fit(X[:20_000], y[:20_000])
    of_rival = time.process_time() - start
    start = time.process_time()
    model = FCMClassifier(structure="full", random_state=0).fit(X[:20_000], y[:20_000])
    seconds = time.process_time() - start
    with open("/proc/self/status", encoding="ascii") as status:  # Linux only
        peak = int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) / 1024
    test = X[20_000:], y[20_000:]
    print(json.dumps([model.score(*test), rival.score(*test), seconds, of_rival, peak]))


def sparse():
    """Print accuracy, time and memory on 20,000 rows of 100,000 columns, 0.1 % nonzero; means over four tables."""
    rows = []
    for kind in ("evenly", "words"):
        measurements = []
        for seed in range(4):
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.wide", "fit_sparse", kind, str(seed)]
            measurements.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        ours, rival, seconds, of_rival, peak = np.mean(measurements, axis=0)
        rows.append([kind, f"{ours:.4f}", f"{rival:.4f}", f"{seconds:.1f}", f"{of_rival:.1f}", f"{peak:.0f} MB"])
    header = ["filled", "map", "logistic regression", "CPU seconds", "of the regression", "peak of the process"]
    print_table("Sparse, 20,000 x 100,000, 100 filled in each row", header, rows)


def main():
    """Run the named parts, or all."""
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or ("gradient", "accuracy", "sparse"):
        globals()[part]()


if __name__ == "__main__":
    if sys.argv[1:2] == ["fit_sparse"]:
        fit_sparse(*sys.argv[2:])
    else:
        main()
