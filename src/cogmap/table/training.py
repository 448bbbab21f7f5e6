"""Training on a raw table: fit and score a pipeline that predicts one of its columns, and write its card."""

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import cogmap
from cogmap._learning.targets import VALUE_LOSSES
from cogmap._utils.params import param_error, shown, suggestion
from cogmap._utils.text import quoted
from cogmap.estimators.classifier import FCMClassifier
from cogmap.estimators.classifier_cv import FCMClassifierCV
from cogmap.estimators.edits import Edits
from cogmap.estimators.regressor import FCMRegressor
from cogmap.exceptions import DataError
from cogmap.table.columns import spans
from cogmap.table.columns.texts import distinct, pandas
from cogmap.table.describing import make_card, mean_effects
from cogmap.table.editing import WITHOUT, applicable, edits_entry, held_columns
from cogmap.table.limits import duration, within
from cogmap.table.model import TableModel
from cogmap.table.options import FitOptions
from cogmap.table.preparation import Column, TablePreparer
from cogmap.table.preparation.kinds import ORDER
from cogmap.table.scoring import Fold, Progress, as_features, compare, make_folds
from cogmap.table.sentences import THE_MAP
from cogmap.table.targets import CLASSES, VALUES, Target, column_of, find_target, known_rows
from cogmap.table.training_rows import hashed_rows

_FEWEST_ROWS = 10
# A map of many features is structured and small. With an expert map or signs it is dense, and takes gigabytes.
_MOST_FEATURES, _MOST_WITH_EXPERT = 20_000, 2_000


def train(
    frame: Any, target: str, fit_options: FitOptions, source: str = "the table", progress: Progress | None = None
) -> TableModel:
    """Fit and score a model that predicts a column of a table from the others.

    A `UserWarning` lists the columns that are left out, except those dropped by the user.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    target : str
        Name of the column to predict.
    fit_options : FitOptions
        Training options.
    source : str, default="the table"
        Name of the table in messages.
    progress : callable, default=None
        Called with a description, the number of finished steps and the total number of steps.

    Returns
    -------
    TableModel
        The fitted model. Its card has the target, scores, importances and columns left out.
    """
    began = time.perf_counter()
    values = column_of(frame, target, source)
    order_columns = [name for name in (fit_options.groups, fit_options.time) if name is not None]
    named = (*fit_options.kinds, *fit_options.signs, *fit_options.units, *fit_options.fixed, *order_columns)
    for name in (*fit_options.keep, *fit_options.drop, *named):
        column_of(frame, name, source)
    if len(order_columns) > 1:
        raise DataError("Rows are scored by groups or forward in time, not both: give one of `groups` and `time`.")
    if target in order_columns:
        raise DataError(f"The target {quoted(target)} cannot be given as `groups` or `time`. Name another column.")
    kinds = dict(fit_options.kinds)
    asked, kind = fit_options.task or (CLASSES if fit_options.labels else None), kinds.pop(target, None)
    asked = _task(kind, asked, fit_options.loss)
    target_column = find_target(values, target, asked, frame, fit_options.loss, kind or "")
    target_column = target_column.named(fit_options.labels, fit_options.units.get(target, ""), values)
    if fit_options.labels and fit_options.task is None and kind is None:
        target_column = replace(target_column, why="its classes were given names")
    task, others = target_column.task, frame.drop(columns=[target])
    if not len(others.columns):
        raise DataError(f"{source} has no column beside the target {quoted(target)}: there is nothing to learn from.")
    rows, y, notes = _usable(target_column, values)
    table = others[rows].reset_index(drop=True)
    dropped = [*fit_options.drop, *([] if fit_options.groups is None else [fit_options.groups])]
    edits = fit_options.edits
    if edits is not None:
        dropped += held_columns(edits, target, table.columns)
    preparer = TablePreparer(fit_options.keep, dropped, kinds=kinds).fit(table)
    preparer.read(table).usable(np.flatnonzero(rows))
    _warn_of_left_out(preparer)
    _check_width(preparer, _MOST_WITH_EXPERT if fit_options.signs or fit_options.prior is not None else _MOST_FEATURES)
    signs = _signs(preparer, fit_options.signs)
    estimator = _estimator(target_column, fit_options, signs)
    plain: dict[str, Any] = {}
    if edits is not None:
        edits, others = applicable(edits, preparer.get_feature_names_out().tolist(), y, task)
        plain = {WITHOUT: estimator}
        estimator = _with_edits(estimator, edits, fit_options)
    limit = None if fit_options.time_limit is None else fit_options.time_limit - (time.perf_counter() - began)
    extent = within(limit, estimator, preparer, table, y, task, fit_options.seed)
    if extent.seconds is not None and progress is not None:
        progress(f"Learning and scoring, about {duration(extent.seconds)} expected", 0, 1)
    numbers = np.flatnonzero(rows)[extent.rows] + 1
    table, y = table.iloc[extent.rows].reset_index(drop=True), y.iloc[extent.rows].reset_index(drop=True)
    if len(table) < rows.sum():
        preparer = preparer.relearned(table)
    X = as_features(preparer, table)
    folds = _folds(preparer, table, y, task, fit_options, extent.scored)
    scores, whole = compare(estimator, X, y, folds, task, fit_options.seed, progress, plain)
    best = getattr(whole, "best_estimator_", whole)
    all_notes = [*target_column.notes, *preparer.notes_, *notes, *extent.notes]
    fitted = TableModel(preparer, best)
    card = make_card(fitted, target_column, X, y, scores if folds else {}, all_notes, numbers)
    card["effects"] = mean_effects(fitted, X, y)
    card["table"] = {"name": source, "rows": len(frame), "learned from": len(table), "columns": len(frame.columns)}
    card["settings"] = {
        "seed": fit_options.seed,
        "groups": fit_options.groups,
        "time": fit_options.time,
        "tuned": fit_options.tune,
        "kinds": dict(fit_options.kinds),
        "prior": fit_options.prior is not None,
        "signs": signs,
        "loss": fit_options.loss,
        "structure": fit_options.structure,
        "max arrows": fit_options.max_arrows,
        "fixed": list(fit_options.fixed),
    }
    if units := {name: unit for name, unit in fit_options.units.items() if name != target}:
        card["units"] = units
    card["version"] = cogmap.__version__
    if edits is not None:
        card["edits"] = edits_entry(edits, others, best, task, scores if folds else {})
    features = preparer.read(table).features
    sections: dict[str, Any] = {
        "training_statistics": _statistics(preparer, features),
        "training_rows": hashed_rows(features, y.to_numpy()),
    }
    if edits is not None:
        sections["edits"] = edits.to_dict()
    if folds:
        sections["held_out"] = {
            "rows": sum(len(fold.y_test) for fold in folds),
            "groups": fit_options.groups,
            "time": fit_options.time,
            "scores": card["scores"][THE_MAP],
        }
    return TableModel(preparer, best, card, sections)


def _folds(
    preparer: TablePreparer, table: Any, y: Any, task: str, fit_options: FitOptions, scored: NDArray[np.intp] | None
) -> list[Fold]:
    """Split the rows to score on; there are no folds if `scored` is None."""
    if scored is None:
        return []
    table, y = table.iloc[scored].reset_index(drop=True), y.iloc[scored].reset_index(drop=True)
    groups = _groups(table, fit_options.groups)
    when = _times(preparer, table, fit_options.time)
    return list(make_folds(preparer, table, y, task, fit_options.seed, groups, when))


def _statistics(preparer: TablePreparer, features: NDArray[np.float64]) -> dict[str, Any]:
    """Return the section `training_statistics` of the model file."""
    columns = zip(preparer.columns_, spans(preparer.columns_), strict=True)
    by_name = {column.name: column.statistics(features[:, at]) for column, at in columns}
    return {"rows": len(features), "columns": by_name}


def _groups(table: Any, name: str | None) -> Any:
    """Return the group of each row; rows with a missing group form groups of their own."""
    if name is None:
        return None
    codes, texts = distinct(table[name])
    alone = np.array([text is None for text in texts])[codes]
    groups = pandas.Series(np.where(alone, len(texts) + np.arange(len(table)), codes))
    if groups.nunique() < 2:
        raise DataError(f"All rows belong to the same group of {quoted(name)}: scores need rows of other groups.")
    return groups


def _times(preparer: TablePreparer, table: Any, name: str | None) -> Any:
    """Return the time of each row, as a date or a number; raise DataError if one is missing."""
    if name is None:
        return None
    column = next((column for column in preparer.columns_ if column.name == name), None)
    times = None if column is None else column.times(table[name])
    if times is None:
        reason = preparer.left_out_[name] if column is None else f"a {column.kind}"
        raise DataError(f"`time` must be a column of dates or numbers, and {quoted(name)} is not one: {reason}.")
    if (missing := int(pandas.isna(times).sum())) > 0:
        raise DataError(f"The time {quoted(name)} is missing in {missing:,} rows. Fill in the values or drop the rows.")
    return times


def _usable(target: Target, values: Any) -> tuple[NDArray[np.bool_], Any, list[str]]:
    """Return a mask of the rows to train on, their targets as a Series, and notes on the other rows.

    Rows without a target are left out, and classes of a single row.
    """
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
                f"The target {quoted(target.name)} has {len(classes) - len(single)} class with more than one row. "
                "Learning needs at least 2."
            )
    if rows.sum() < _FEWEST_ROWS:
        raise DataError(f"Learning needs at least {_FEWEST_ROWS} rows with a target, got {rows.sum()}.")
    kept = labels[rows].astype(object if target.task == CLASSES else np.float64)
    return rows, pandas.Series(kept, name=target.name), notes


def _task(kind: str | None, task: str | None, loss: str | None) -> str | None:
    """Return the task that follows from the kind or the loss given for the target, if any."""
    of_kind = {None: task, "number": VALUES, "category": CLASSES, "ordered": CLASSES}
    ordered = kind is not None and ORDER in kind
    if (kind not in of_kind and not ordered) or task not in (None, CLASSES if ordered else of_kind[kind]):
        raise DataError(
            "The kind of the target must be 'number', 'category', 'ordered' or an order such as 'low<high', and agree "
            f"with its task, got {quoted(kind)}."
        )
    task = CLASSES if ordered else of_kind[kind]
    if loss is None:
        return task
    if loss not in VALUE_LOSSES:
        raise param_error("FitOptions", "loss", f"one of {', '.join(map(repr, VALUE_LOSSES))}", loss)
    if task == CLASSES:
        raise DataError(f"Classes have no `loss`: leave out {quoted(loss)}, or the kind or task of the target.")
    return VALUES


def _warn_of_left_out(preparer: TablePreparer) -> None:
    """Warn of the columns left out, except those that the user has dropped."""
    reasons = [f"{quoted(name)} ({why})" for name, why in preparer.left_out_.items() if not why.endswith("as asked")]
    if reasons:
        more = f" and {len(reasons) - 10:,} more" if len(reasons) > 10 else ""
        warnings.warn(
            f"Columns left out: {', '.join(reasons[:10])}{more}. Name them in `drop`, or in `keep` to use them.",
            UserWarning,
            stacklevel=3,
        )


def _check_width(preparer: TablePreparer, most: int) -> None:
    """Raise DataError if a table has more than `most` features."""
    n_features = len(preparer.get_feature_names_out())
    if n_features > most:
        raise DataError(
            f"The {len(preparer.columns_):,} columns of the table become {n_features:,} features, and a map can learn "
            f"from at most {most:,}. Leave columns out with `drop`, or remove them from the table."
        )


def _estimator(target: Target, fit_options: FitOptions, signs: dict[str, int]) -> Any:
    """Build the unfitted estimator."""
    options: dict[str, Any] = {"random_state": fit_options.seed, "monotonic_cst": signs or None}
    if fit_options.prior is not None:
        options["prior"] = fit_options.prior
    structure, limit = fit_options.structure, fit_options.max_arrows
    if limit is not None and (structure == "full" or fit_options.tune):
        raise DataError("`max_arrows` limits small maps: leave out `max_arrows`, or structure='full' and `tune`.")
    if structure in ("additive", "named") and fit_options.tune:
        raise DataError("Only a map of the structure 'full' is tuned: leave out `tune` or `structure`.")
    if not fit_options.tune:
        options |= {"structure": structure, "max_arrows": limit}
    if target.task == CLASSES:
        if target.order and fit_options.tune:
            raise DataError("Ordered classes are not tuned: leave out `tune`, or give the target the kind 'category'.")
        if target.order:
            options["ordered"] = list(target.order)
        return (FCMClassifierCV if fit_options.tune else FCMClassifier)(**options)
    options["loss"] = target.loss
    if fit_options.tune:
        return GridSearchCV(FCMRegressor(structure="full", **options), {"alpha": [1.0, 0.1, 10.0]}, cv=4)
    return FCMRegressor(**options)


def _with_edits(estimator: Any, edits: Edits, fit_options: FitOptions) -> Any:
    """Return an estimator that keeps edits."""
    if fit_options.prior is not None or fit_options.tune:
        raise DataError("Edits are kept by a prior, and a map with edits is not tuned: leave out `prior` and `tune`.")
    # The edits of a small map are kept in a small map, if the user lets the structure be chosen.
    structure = fit_options.structure
    if structure == "auto":
        structure = edits.structure
    return clone(estimator).set_params(prior=edits.prior, weight_bounds=edits.weight_bounds, structure=structure)


def _signs(preparer: TablePreparer, signs: dict[str, int]) -> dict[str, int]:
    """Validate the signs: only columns with an order can have one."""
    columns: dict[str, Column] = {column.name: column for column in preparer.columns_}
    able = [name for name, column in columns.items() if column.has_order]
    for name in signs:
        if name not in able:
            reason = preparer.left_out_.get(name) or f"a {columns[name].kind}"
            raise DataError(
                f"`signs` needs a column of numbers, booleans or ordered categories, and {quoted(name)} is not: "
                f"{reason}. {suggestion(name, able)}".rstrip()
            )
    return dict(signs)


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
