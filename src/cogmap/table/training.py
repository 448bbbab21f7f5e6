"""From a table and the name of a column to a map that predicts it, and a card that says how well."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import cogmap
from cogmap._utils.params import shown, suggestion
from cogmap.estimators.classifier import FCMClassifier
from cogmap.estimators.classifier_cv import FCMClassifierCV
from cogmap.estimators.regressor import FCMRegressor
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.table.cards import make_card
from cogmap.table.preparation import Column, TablePreparer
from cogmap.table.preparation.texts import pandas
from cogmap.table.scoring import Progress, as_features, compare, fitted, make_folds
from cogmap.table.targets import CLASSES, Target, column_of, find_target, known_rows

_FEWEST_ROWS = 10
# A wide map is structured and small, unless an expert speaks of its influences; then it takes gigabytes.
_MOST_FEATURES, _MOST_WITH_EXPERT = 20_000, 2_000
_PILOT_ROWS = 500  # to learn from, to tell how long it takes
_OF_ALL = 6.5  # all folds and the map of all rows, in fits of all rows; and what rivals take


@dataclass(frozen=True)
class FitOptions:
    """What a person may say about training; all has a default.

    Attributes
    ----------
    task : {"classification", "regression"} or None
        What the target is; None to find out.
    keep, drop : tuple of str
        Columns to use though they look like identifiers, and to leave out.
    tune : bool
        Choose settings by cross-validation within the rows that are learned from.
    prior : FuzzyCognitiveMap or None
        An expert's map, from which the data have to persuade the learned one.
    signs : dict of str to int
        Columns whose effect must be monotone: 1 up, -1 down.
    seed : int
        For everything drawn at random.
    time_limit : float or None
        Seconds that training may take, roughly.
    """

    task: str | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    tune: bool = False
    prior: FuzzyCognitiveMap | None = None
    signs: dict[str, int] = field(default_factory=dict)
    seed: int = 0
    time_limit: float | None = None


def train(
    frame: Any, target: str, fit_options: FitOptions, source: str = "the table", progress: Progress | None = None
) -> tuple[Pipeline, dict[str, Any]]:
    """Learn to predict a column of a table from the others.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    target : str
        The column to predict.
    fit_options : FitOptions
        What else was said.
    source : str, default="the table"
        How the table is called in messages.
    progress : callable, default=None
        Told what was done, how much of how much.

    Returns
    -------
    pipeline : Pipeline
        A `TablePreparer` and a map, fitted.
    card : dict
        What was learned, how good it is, what matters, what was left out; as JSON knows it.
    """
    began = time.perf_counter()
    values = column_of(frame, target, source)
    for name in (*fit_options.keep, *fit_options.drop, *fit_options.signs):
        column_of(frame, name, source)
    what = find_target(values, target, fit_options.task)
    others = frame.drop(columns=[target])
    if not len(others.columns):
        raise DataError(f"{source} has no column beside the target {target!r}: there is nothing to learn from.")
    rows, y, notes = _usable(what, values)
    table = others[rows].reset_index(drop=True)
    preparer = TablePreparer(keep=fit_options.keep, drop=fit_options.drop).fit(table)
    _check_width(preparer, _MOST_WITH_EXPERT if fit_options.signs or fit_options.prior is not None else _MOST_FEATURES)
    signs = _signs(preparer, fit_options.signs)
    estimator = _estimator(what.task, fit_options, signs)
    limit = None if fit_options.time_limit is None else fit_options.time_limit - (time.perf_counter() - began)
    chosen, scored, told = _within(limit, estimator, preparer, table, y, what.task, fit_options.seed)
    table, y = table.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)
    if len(table) < rows.sum():
        preparer.fit(table)
    X = as_features(preparer, table)
    folds = list(make_folds(preparer, table, y, what.task, fit_options.seed)) if scored else []
    scores, whole = compare(estimator, X, y, folds, what.task, fit_options.seed, progress)
    best = getattr(whole, "best_estimator_", whole)
    pipeline = Pipeline([("prepare", preparer), ("map", best)])
    card = make_card(pipeline, what, X, scores if folds else {}, [*notes, *told])
    card["table"] = {"name": source, "rows": len(frame), "learned from": len(table), "columns": len(frame.columns)}
    card["settings"] = {
        "seed": fit_options.seed,
        "tuned": fit_options.tune,
        "prior": fit_options.prior is not None,
        "signs": signs,
    }
    card["version"] = cogmap.__version__
    return pipeline, card


def _usable(target: Target, values: Any) -> tuple[NDArray[np.bool_], Any, list[str]]:
    """Return the rows whose target is known and not the only one of its class, and their targets as a Series."""
    labels, notes = target.read(values), []
    rows = known_rows(labels)
    if not rows.all():
        notes.append(f"{_rows((~rows).sum())} without a target {_are((~rows).sum())} left out.")
    if target.task == CLASSES:
        classes, counts = np.unique(labels[rows].astype(str), return_counts=True)
        single = classes[counts < 2]
        if len(single):
            rows &= ~np.isin(labels, single)
            plural = "class has" if len(single) == 1 else "classes have"
            notes.append(
                f"{len(single)} {plural} a single row and {_are(len(single))} left out: {shown(single)[1:-1]}."
            )
        if len(classes) - len(single) < 2:
            raise DataError(
                f"The target {target.name!r} has {len(classes) - len(single)} class with more than one row. Learning "
                "needs 2 or more."
            )
    if rows.sum() < _FEWEST_ROWS:
        raise DataError(f"Learning needs {_FEWEST_ROWS} rows or more with a target, and there are {rows.sum()}.")
    kept = labels[rows].astype(object if target.task == CLASSES else np.float64)
    return rows, pandas.Series(kept, name=target.name), notes


def _check_width(preparer: TablePreparer, most: int) -> None:
    n_features = len(preparer.get_feature_names_out())
    if n_features > most:
        raise DataError(
            f"The {len(preparer.columns_):,} columns of the table become {n_features:,} features, and a map can learn "
            f"from {most:,}. Leave columns out, with `drop` or before."
        )


def _estimator(task: str, fit_options: FitOptions, signs: dict[str, int]) -> Any:
    options: dict[str, Any] = {"random_state": fit_options.seed, "monotonic_cst": signs or None}
    if fit_options.prior is not None:
        options["prior"] = fit_options.prior
    if task == CLASSES:
        return (FCMClassifierCV if fit_options.tune else FCMClassifier)(**options)
    regressor = FCMRegressor(**options)
    return GridSearchCV(regressor, {"alpha": [1.0, 0.1, 10.0]}, cv=4) if fit_options.tune else regressor


def _signs(preparer: TablePreparer, signs: dict[str, int]) -> dict[str, int]:
    """Return the signs of features; a column of categories or dates has no more and less."""
    columns: dict[str, Column] = {column.name: column for column in preparer.columns_}
    able = [name for name, column in columns.items() if column.kind in ("number", "boolean")]
    for name in signs:
        if name not in able:
            reason = preparer.left_out_.get(name) or f"a {columns[name].kind}"
            raise DataError(
                f"`signs` needs a column of numbers, or of yes and no, and {name!r} is not one: {reason}. "
                f"{suggestion(name, able)}".rstrip()
            )
    return dict(signs)


def _within(
    limit: float | None,
    estimator: Any,
    preparer: TablePreparer,
    table: Any,
    y: Any,
    task: str,
    seed: int,
) -> tuple[NDArray[np.intp], bool, list[str]]:
    """Return which rows to learn from, and whether scores can be made, within a time.

    How long a fit takes is told from one of few rows; it grows with their number.
    """
    everything = np.arange(len(table))
    if limit is None:
        return everything, True, []
    pilot = _sample(y, task, _PILOT_ROWS, seed)
    began = time.perf_counter()
    fitted(estimator, as_features(preparer, table.iloc[pilot]), y.iloc[pilot])
    per_row = (time.perf_counter() - began) / len(pilot)
    left = limit - (time.perf_counter() - began)
    n_rows = int(left / (per_row * _OF_ALL))
    if n_rows >= len(table):
        return everything, True, []
    if n_rows >= min(len(pilot), len(table)):
        told = f"To keep within the time it has learned from {n_rows:,} of {len(table):,} rows, drawn at random."
        return _sample(y, task, n_rows, seed), True, [told]
    n_rows = min(max(int(left / per_row), len(pilot)), len(table))
    of_rows = "" if n_rows == len(table) else f" and it has learned from {n_rows:,} of {len(table):,} rows"
    told = f"To keep within the time there are no scores{of_rows}."
    return _sample(y, task, n_rows, seed), False, [told]


def _sample(y: Any, task: str, n_rows: int, seed: int) -> NDArray[np.intp]:
    """Draw rows; every class keeps its share, and two of its rows at least."""
    random = np.random.default_rng(seed)
    if n_rows >= len(y):
        return np.arange(len(y))
    if task != CLASSES:
        return np.sort(random.choice(len(y), n_rows, replace=False))
    drawn = []
    for label in np.unique(y.astype(str)):
        rows = np.flatnonzero(y.to_numpy() == label)
        share = max(round(n_rows * len(rows) / len(y)), 2)
        drawn.append(random.choice(rows, min(share, len(rows)), replace=False))
    return np.sort(np.concatenate(drawn))


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
