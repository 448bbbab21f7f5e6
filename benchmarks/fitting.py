"""Fit time and accuracy, compared with logistic regression, MLPs and the package ltcn."""

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import MinMaxScaler

from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier
from cogmap._utils.threads import one_blas_thread

DATASETS = {"iris": load_iris, "breast cancer": load_breast_cancer, "digits": load_digits}


class Ltcn:
    """Classifier of the package ltcn, which needs scaled features and one-hot labels."""

    def fit(self, X, y):
        from ltcn.LTCN import LTCN

        self.scaler = MinMaxScaler().fit(X)
        one_hot = np.eye(y.max() + 1)[y]
        self.model = LTCN().fit(self.scaler.transform(X), one_hot)
        return self

    def predict(self, X):
        return self.model.predict(self.scaler.transform(X)).argmax(axis=1)


METHODS = {
    "FCMClassifier": lambda: FCMClassifier(random_state=0),
    "FCMClassifier, structure='full'": lambda: FCMClassifier(random_state=0, structure="full"),
    "FCMClassifier, n_teachers=0": lambda: FCMClassifier(random_state=0, n_teachers=0),
    "LogisticRegression": LogisticRegression,
    "MLPClassifier lbfgs": lambda: MLPClassifier(solver="lbfgs", random_state=0),
    "MLPClassifier adam": lambda: MLPClassifier(random_state=0),
    "ltcn": Ltcn,
}


def accuracy(make, X, y):
    """Return the mean accuracy of 5 folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=123).split(X, y)
    return np.mean([(make().fit(X[train], y[train]).predict(X[test]) == y[test]).mean() for train, test in folds])


def main():
    """Print fit times relative to the map, and accuracies."""
    warnings.simplefilter("ignore")  # rivals that do not converge at their defaults
    rows = []
    for dataset, load in DATASETS.items():
        X, y = load(return_X_y=True)
        with one_blas_thread():
            contestants = {name: (lambda make=make, X=X, y=y: make().fit(X, y)) for name, make in METHODS.items()}
            times = best_times(contestants, rounds=15, seconds=15.0)
            for name, make in METHODS.items():
                rows.append(
                    [
                        f"{dataset}: {name}",
                        f"{1000 * times[name]:.1f} ms",
                        f"{times['FCMClassifier'] / times[name]:.2f}",
                        f"{accuracy(make, X, y):.3f}",
                    ]
                )
    print_table(
        "Fitting with default parameters, one thread (target on iris: at most 6 x LogisticRegression and 0.5 x "
        "MLPClassifier adam)",
        ["data: method", "time", "FCMClassifier / it", "accuracy"],
        rows,
    )


if __name__ == "__main__":
    main()
