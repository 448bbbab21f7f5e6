"""Cross-validated scores of a map, compared with a dummy, a linear model and a random forest on the same folds.

Column kinds are inferred from all rows, so that the scored models have the same columns as the saved model. Categories
are learned from the training rows of each fold.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, cpu_count, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, r2_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cogmap.table.columns.texts import pandas
from cogmap.table.preparation import TablePreparer
from cogmap.table.sentences import THE_MAP
from cogmap.table.targets import CLASSES

N_FOLDS = 5

# With fewer values than this, starting processes costs more time than it saves. With more, float32 is accurate enough
# for training, and twice as fast.
MANY_VALUES = 2**17

Progress = Callable[[str, int, int], None]


class Score(NamedTuple):
    """Scores of a method on the test rows of a fold.

    Attributes
    ----------
    values : tuple of float
        The two `measures`.
    rows : ndarray of shape (n_rows, 2) or (n_rows, 1)
        For each row, the probability of the answer and whether it is right; or the absolute error of a value.
    """

    values: tuple[float, float]
    rows: NDArray[np.float64]


class Fold(NamedTuple):
    """Training and test rows: frames of features and series of targets."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any


def rivals(task: str, seed: int) -> dict[str, Any]:
    """Return the methods that a map is compared with, by name."""
    filled = SimpleImputer(keep_empty_features=True), StandardScaler()
    if task == CLASSES:
        return {
            "random forest": RandomForestClassifier(random_state=seed),
            "logistic regression": make_pipeline(*filled, LogisticRegression(max_iter=1000)),
            "the most frequent class": DummyClassifier(strategy="prior"),
        }
    return {
        "random forest": RandomForestRegressor(random_state=seed),
        "ridge regression": make_pipeline(*filled, Ridge()),
        "the mean": DummyRegressor(),
    }


def measures(task: str) -> tuple[str, str]:
    """Return the names of the two scores of a task."""
    return ("accuracy", "log loss") if task == CLASSES else ("R²", "mean absolute error")


def as_features(preparer: TablePreparer, frame: Any) -> Any:
    """Convert a frame to features for training, in float32 if it is large."""
    X = preparer.transform(frame)
    return X.astype(np.float32) if X.size > MANY_VALUES else X


def make_folds(
    preparer: TablePreparer, frame: Any, y: Any, task: str, seed: int, groups: Any = None, when: Any = None
) -> Iterator[Fold]:
    """Split the rows into folds, with categories learned from the training rows of each fold.

    Parameters
    ----------
    preparer : TablePreparer
        Preparer fitted to all rows; its column kinds are reused.
    frame, y : DataFrame and Series
        Features and targets of all rows.
    task : {"classification", "regression"}
        Kind of target.
    seed : int
        Seed of the shuffle before splitting.
    groups : Series, default=None
        Group of each row; no group has rows in two folds.
    when : array-like, default=None
        Time of each row; each fold is scored by a model trained on earlier rows.

    Yields
    ------
    Fold
    """
    for train, test in _splits(y, task, seed, groups, when):
        fresh = preparer.relearned(frame.iloc[train])
        X = as_features(fresh, frame.iloc[train])
        unseen = fresh.read(frame.iloc[test]).features.astype(X.dtypes.iloc[0])
        yield Fold(X, y.iloc[train], pandas.DataFrame(unseen, columns=X.columns), y.iloc[test])


def _splits(
    y: Any, task: str, seed: int, groups: Any, when: Any
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the indices of training and test rows."""
    n_folds = N_FOLDS
    if when is not None:
        order = np.argsort(when, kind="stable")
        for train, test in TimeSeriesSplit(n_folds).split(order):
            if task != CLASSES or y.iloc[order[train]].nunique() > 1:
                yield order[train], order[test]
        return
    if groups is not None:
        splitter = (StratifiedGroupKFold if task == CLASSES else GroupKFold)(min(n_folds, groups.nunique()))
        yield from splitter.split(y, y, groups)
        return
    if task == CLASSES:
        n_folds = min(N_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    splitter = (StratifiedKFold if task == CLASSES else KFold)(n_folds, shuffle=True, random_state=seed)
    yield from splitter.split(y, y)


def fitted(estimator: Any, X: Any, y: Any) -> Any:
    """Fit an estimator with warnings silenced."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y)


def score(estimator: Any, fold: Fold, task: str) -> Score:
    """Fit a clone of an estimator to the training rows of a fold, and return its scores on the test rows."""
    model = fitted(clone(estimator), fold.X_train, fold.y_train)
    X, y = fold.X_test, fold.y_test.to_numpy()
    if task == CLASSES:
        probabilities = model.predict_proba(X).astype(np.float64)
        probabilities /= probabilities.sum(axis=1, keepdims=True)  # sums in float32 deviate from 1
        predicted = model.classes_[probabilities.argmax(axis=1)]
        kept = np.isin(y, model.classes_)
        loss = log_loss(y[kept], probabilities[kept], labels=model.classes_)
        rows = np.column_stack([probabilities.max(axis=1), (predicted == y).astype(np.float64)])
        return Score((float(accuracy_score(y, predicted)), float(loss)), rows)
    predicted = model.predict(X)
    errors = np.abs(y - predicted)[:, np.newaxis]
    return Score((float(r2_score(y, predicted)), float(mean_absolute_error(y, predicted))), errors)


def compare(
    estimator: Any,
    X: Any,
    y: Any,
    folds: list[Fold],
    task: str,
    seed: int,
    progress: Progress | None = None,
    others: dict[str, Any] | None = None,
) -> tuple[dict[str, list[Score]], Any]:
    """Fit a map to all rows, and score it and the other methods on all folds, in parallel if that is faster.

    Parameters
    ----------
    estimator : estimator
        Unfitted map.
    X, y : DataFrame and Series
        Features and targets of all rows.
    folds : list of Fold
        Folds to score on.
    task : {"classification", "regression"}
        Kind of target.
    seed : int
        Seed of the random forest.
    progress : callable, default=None
        Called with a description, the number of finished steps and the total number of steps.
    others : dict of str to estimator, default=None
        Further methods to score.

    Returns
    -------
    scores : dict of str to list of Score
        For each method, its scores on each fold.
    fitted : estimator
        The map fitted to all rows.
    """
    methods = {THE_MAP: estimator, **rivals(task, seed), **(others or {})}
    calls = [delayed(fitted)(estimator, X, y)]
    calls += [delayed(score)(method, fold, task) for method in methods.values() for fold in folds]
    many = bool(folds) and folds[0].X_train.size + folds[0].X_test.size > MANY_VALUES
    results = []
    for result in Parallel(n_jobs=cpu_count() if many else 1, return_as="generator")(calls):
        results.append(result)
        if progress is not None:
            progress("Learning and scoring", len(results), len(calls))
    whole, *scored = results
    return {name: scored[i * len(folds) : (i + 1) * len(folds)] for i, name in enumerate(methods)}, whole
