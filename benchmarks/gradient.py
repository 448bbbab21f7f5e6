"""Time of the gradient, relative to its lower bound and to the paper's algorithm, with two threads, and on iris."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier
from cogmap._learning.losses import SoftmaxCrossEntropy
from cogmap._learning.objective import DenseObjective
from cogmap._utils.threads import one_blas_thread

# rows, features, classes, depth; and the target ratios to the lower bound and for two threads
CASES = [
    (1440, 64, 10, 2, None, None),
    (1440, 64, 10, 3, 1.6, None),
    (20_000, 200, 10, 2, None, None),
    (20_000, 200, 10, 3, 1.25, None),
    (8000, 784, 10, 2, None, None),
    (8000, 784, 10, 3, 1.15, 0.62),
    (100_000, 30, 2, 2, None, None),
    (100_000, 30, 2, 3, 2.5, 0.62),
]


def plain_gradient(W, b, X, y, depth, slope, gain):
    """Compute the gradient by Algorithm 2 of the paper, written plainly: all rows at once, all of W in each step."""
    n_rows, n_features = X.shape
    n_outputs = len(b) - n_features
    states = [np.vstack([X.T, np.full((n_outputs, n_rows), 0.5, dtype=X.dtype)])]
    for _ in range(depth):
        states.append(1 / (1 + np.exp(-slope * (W @ states[-1] + b[:, None] - 0.5))))
    scores = np.exp(gain * states[-1][n_features:])
    probability = scores / scores.sum(axis=0)
    E = np.zeros_like(states[-1])
    E[n_features:] = probability
    E[n_features + y, np.arange(n_rows)] -= 1
    E *= gain / n_rows
    E *= slope * states[-1] * (1 - states[-1])
    dW, db = np.zeros_like(W), np.zeros_like(b)
    for t in range(depth - 1, -1, -1):
        dW += E @ states[t].T
        db += E.sum(axis=1)
        E = (W.T @ E) * (slope * states[t] * (1 - states[t]))
    return -np.log(probability[y, np.arange(n_rows)]).mean(), dW, db


def small():
    """Print the time of a gradient and of an epoch of RMSprop on iris, relative to the paper's algorithm."""
    X, y = load_iris(return_X_y=True)
    X = minmax_scale(X)
    rng = np.random.default_rng(0)
    W, b = rng.uniform(-1, 1, (7, 7)), rng.uniform(-1, 1, 7)
    theta = np.concatenate([W.ravel(), b])
    objective = DenseObjective(X, y, SoftmaxCrossEntropy(3), depth=4, slope=3.0)
    paper = {
        "depth": 4,
        "slope": 3.0,
        "output": "one_hot",
        "gain": 1.0,
        "alpha": 0.0,
        "init": "uniform",
        "scale": False,
    }
    rmsprop = {
        "solver": "rmsprop",
        "learning_rate": 0.0005,
        "batch_size": 10**6,
        "tol": 0,
        "random_state": 0,
    }
    n_epochs = 100

    def repeated(function):
        for _ in range(n_epochs):
            function()

    with one_blas_thread():
        times = best_times(
            {
                "plain": lambda: repeated(lambda: plain_gradient(W, b, X, y, 4, 3.0, 1.0)),
                "ours": lambda: repeated(lambda: objective.sums(theta)),
                "epochs": lambda: FCMClassifier(max_iter=n_epochs + 1, **paper, **rmsprop).fit(X, y),
                "one epoch": lambda: FCMClassifier(max_iter=1, **paper, **rmsprop).fit(X, y),
            },
            rounds=60,
            seconds=20.0,
        )
    epochs = times["epochs"] - times["one epoch"]
    rows = [
        ["gradient", f"{1e6 * times['ours'] / n_epochs:.0f} us", f"{times['ours'] / times['plain']:.2f}", 1.0],
        ["epoch of RMSprop in fit", f"{1e6 * epochs / n_epochs:.0f} us", f"{epochs / times['plain']:.2f}", 1.5],
    ]
    header = ["iris, depth 4, float64", "time", "/ plain NumPy", "at most"]
    print_table("A small table, where calls cost more than arithmetic", header, rows)


def main():
    """Print the ratios."""
    small()
    rows = []
    for n_rows, n_features, n_classes, depth, most_floor, most_threads in CASES:
        rng = np.random.default_rng(0)
        r = n_features + n_classes
        X = rng.random((n_rows, n_features), dtype=np.float32)
        y = rng.integers(0, n_classes, n_rows)
        W = (rng.uniform(-1, 1, (r, r)) / np.sqrt(r)).astype(np.float32)
        b = (0.5 - 0.5 * W.sum(axis=1)).astype(np.float32)
        theta = np.concatenate([W.ravel(), b]).astype(np.float64)
        loss = SoftmaxCrossEntropy(n_classes, 10.0)
        one, two = (DenseObjective(X, y, loss, depth=depth, slope=2.0, n_threads=n_threads) for n_threads in (1, 2))
        A, product = rng.random((n_rows, r), dtype=np.float32), np.empty((n_rows, r), dtype=np.float32)
        _, dW, _ = plain_gradient(W, b, X, y, depth, 2.0, 10.0)
        gradient = one.sums(theta)[1][: r * r].reshape(r, r) / n_rows
        assert np.abs(gradient - dW).max() < 1e-4 * np.abs(dW).max() + 1e-6
        with one_blas_thread():
            times = best_times(
                {
                    "product": lambda A=A, W=W, product=product: np.dot(A, W, out=product),
                    "one": lambda one=one, theta=theta: one.sums(theta),
                    "two": lambda two=two, theta=theta: two.sums(theta),
                    "plain": lambda args=(W, b, X, y, depth): plain_gradient(*args, 2.0, 10.0),
                },
                rounds=40,
                seconds=12.0,
            )
        lower_bound = (3 * depth - 4) * times["product"]
        rows.append(
            [
                f"{n_rows} x {n_features}+{n_classes}, depth {depth}",
                f"{1000 * lower_bound:.2f} ms",
                f"{times['one'] / lower_bound:.2f}",
                most_floor or "",
                f"{times['one'] / times['plain']:.2f}",
                f"{times['two'] / times['one']:.2f}",
                most_threads or "",
            ]
        )
    header = ["float32", "lower bound", "gradient / bound", "at most", "/ plain NumPy", "two threads / one", "at most"]
    print_table(
        "Gradient, one thread, relative to its lower bound of 3 depth - 4 products and to the paper's algorithm",
        header,
        rows,
    )


if __name__ == "__main__":
    main()
