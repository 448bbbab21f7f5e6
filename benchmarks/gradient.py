"""The gradient: against its floor, against the paper's plain NumPy, and with two threads."""

import numpy as np
from cogmap.objective import Objective

from benchmarks.timing import best_times, print_table
from cogmap._threads import one_blas_thread

# rows, features, classes, depth; and the most that is asked for over the floor and for two threads
CASES = [
    (1440, 64, 10, 2, None, None),
    (1440, 64, 10, 3, 1.7, None),
    (20_000, 200, 10, 2, None, None),
    (20_000, 200, 10, 3, 1.25, None),
    (8000, 784, 10, 2, None, None),
    (8000, 784, 10, 3, 1.15, 0.62),
    (100_000, 30, 2, 2, None, None),
    (100_000, 30, 2, 3, 2.5, 0.62),
]


def plain_gradient(W, b, X, y, depth, slope, gain):
    """Algorithm 2 of the paper as one would write it down: all rows at once, all of W in each step."""
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


def main():
    """Print the ratios."""
    rows = []
    for n_rows, n_features, n_classes, depth, most_floor, most_threads in CASES:
        rng = np.random.default_rng(0)
        r = n_features + n_classes
        X = rng.random((n_rows, n_features), dtype=np.float32)
        y = rng.integers(0, n_classes, n_rows)
        W = (rng.uniform(-1, 1, (r, r)) / np.sqrt(r)).astype(np.float32)
        b = (0.5 - 0.5 * W.sum(axis=1)).astype(np.float32)
        theta = np.concatenate([W.ravel(), b]).astype(np.float64)
        settings = {"output": "one_hot", "depth": depth, "slope": 2.0, "gain": 10.0}
        one, two = (Objective(X, y, n_classes, n_threads=n_threads, **settings) for n_threads in (1, 2))
        A, product = rng.random((n_rows, r), dtype=np.float32), np.empty((n_rows, r), dtype=np.float32)
        _, dW, _ = plain_gradient(W, b, X, y, depth, 2.0, 10.0)
        gradient = one.value_and_gradient(theta)[1][: r * r].reshape(r, r)
        assert np.abs(gradient - dW).max() < 1e-4 * np.abs(dW).max() + 1e-6
        with one_blas_thread():
            times = best_times(
                {
                    "product": lambda A=A, W=W, product=product: np.dot(A, W, out=product),
                    "one": lambda one=one, theta=theta: one.value_and_gradient(theta),
                    "two": lambda two=two, theta=theta: two.value_and_gradient(theta),
                    "plain": lambda args=(W, b, X, y, depth): plain_gradient(*args, 2.0, 10.0),
                },
                rounds=40,
                seconds=12.0,
            )
        floor = (3 * depth - 4) * times["product"]
        rows.append(
            [
                f"{n_rows} x {n_features}+{n_classes}, depth {depth}",
                f"{1000 * floor:.2f} ms",
                f"{times['one'] / floor:.2f}",
                most_floor or "",
                f"{times['one'] / times['plain']:.2f}",
                f"{times['two'] / times['one']:.2f}",
                most_threads or "",
            ]
        )
    header = ["float32", "floor", "gradient / floor", "at most", "/ plain NumPy", "two threads / one", "at most"]
    print_table(
        "Gradient, one thread: over the floor of 3 depth - 4 products, over the paper's algorithm", header, rows
    )


if __name__ == "__main__":
    main()
