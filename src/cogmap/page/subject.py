"""Who is shown: an estimator, its model, a pipeline that prepares tables, or a map by hand; with its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from cogmap._utils.params import Literal, param_error, real
from cogmap.explanation._subject import Subject
from cogmap.explanation._subject import opened as opened_subject
from cogmap.maps._text import short
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel
from cogmap.page.idle import busy_features, narrowed

Array = NDArray[np.floating]

_LARGEST = 1e100  # number of a map
_MOST_CONCEPTS = 2_000
_NAMED = 5  # of many names


@dataclass(frozen=True, eq=False)
class Opened:
    """What the payload is made from.

    Attributes
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    model : MapModel or None
        The model, None for a map by hand.
    names : tuple of str
        Names of the features.
    preparer : TablePreparer or None
        What makes the features from a raw table.
    table : ndarray of shape (n_rows, n_features) or None
        Features of the rows.
    answers : ndarray of shape (n_rows,) or (n_rows, n_targets), or None
        Numbers of classes, -1 for one that the map does not know; or values.
    target : str
        What is told, where `y` has a name.
    notes : tuple of str
        What was strange about the table.
    """

    fcm: FuzzyCognitiveMap
    model: MapModel | None = None
    names: tuple[str, ...] = ()
    preparer: Any = None
    table: Array | None = None
    answers: NDArray[Any] | None = None
    target: str = ""
    notes: tuple[str, ...] = ()


def opened(owner: str, model: Any, X: Any, y: Any) -> Opened:
    """Return who is shown, with tables and answers checked."""
    if isinstance(model, FuzzyCognitiveMap):
        if X is not None or y is not None:
            cure = "A map by hand has no rows: its concepts are set in the page."
            raise param_error(owner, "X", "None for a FuzzyCognitiveMap", Literal("a table"), cure)
        _refuse_large(owner, model)
        return Opened(model)
    notes: list[str] = []
    preparer, model = _taken_apart(owner, model)
    table: Any = None
    if X is None:
        subject = _without_rows(owner, model, preparer)
    else:
        if preparer is not None:
            X, notes = preparer.checked(X)
            X = preparer.transform(X)
        subject, table = opened_subject(owner, model, X)
    fitted, names = subject.model, subject.feature_names
    answers = None if y is None else _answers(owner, fitted, y, table)
    busy = busy_features(fitted)
    if preparer is None and len(busy) < len(names):
        idle = [names[j] for j in np.setdiff1d(np.arange(len(names)), busy)]
        what = f"{len(idle):,} of {len(names):,} features influence nothing in this map and are left out"
        notes.append(f"{what}: {few(idle)}.")
        fitted, names = narrowed(fitted, busy), tuple(names[j] for j in busy)
        table = None if table is None else table[:, busy]
    table = table.toarray() if issparse(table) else table
    _refuse_large(owner, fitted.map)
    target = getattr(y, "name", None)
    target = target if isinstance(target, str) else ""  # a data frame may have a column that is called so
    return Opened(fitted.map, fitted, names, preparer, table, answers, target, tuple(notes))


def few(names: Sequence[str]) -> str:
    """Write some names, and how many more there are."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(short(name) for name in names[:_NAMED]) + more


def _refuse_large(owner: str, fcm: FuzzyCognitiveMap) -> None:
    """Refuse maps so large that a browser would take long, and numbers whose sums might overflow there."""
    if fcm.n_concepts > _MOST_CONCEPTS:
        cure = "Choose columns first (sklearn.feature_selection), or let `prune` leave influences out."
        got = Literal(f"{fcm.n_concepts:,}")
        raise param_error(
            owner, "model", f"a map of at most {_MOST_CONCEPTS:,} concepts that influence anything", got, cure
        )
    largest = float(max(np.abs(fcm.weights).max(), np.abs(fcm.bias).max(), np.max(fcm.slope)))
    if largest > _LARGEST:
        cure = "Divide the weights of a concept and multiply its slope, as `FuzzyCognitiveMap.normalized` does."
        raise param_error(
            owner, "model", f"a map whose numbers are at most {_LARGEST:g}", Literal(f"{largest:.3g}"), cure
        )


def _taken_apart(owner: str, model: Any) -> tuple[Any, Any]:
    """Return what prepares tables, if there is something, and the estimator."""
    if not hasattr(model, "steps") or isinstance(model, type):
        return None, model
    *before, last = [step for _, step in model.steps]
    if len(before) == 1 and hasattr(before[0], "checked"):
        check_is_fitted(before[0], "columns_")
        return before[0], last
    cure = "Give its last step, and what the others make of X: `page.write(pipe[-1], pipe[:-1].transform(X), y, path)`."
    raise param_error(owner, "model", "an estimator, or a pipeline of a TablePreparer and an estimator", model, cure)


def _without_rows(owner: str, model: Any, preparer: Any) -> Subject:
    """Return a fitted model with the names of its features where there is no table to open it with."""
    if isinstance(model, MapModel | type) or not hasattr(model, "_fitted_model"):
        fitted, names = model, None
    else:
        check_is_fitted(model, "model_")
        fitted, names = model.model_, getattr(model, "feature_names_in_", None)
    n_features = fitted.n_features if isinstance(fitted, MapModel) else 0
    subject, _ = opened_subject(owner, fitted, np.full((1, n_features), np.nan))
    names = preparer.get_feature_names_out() if preparer is not None else names
    return subject if names is None else Subject(subject.model, tuple(str(name) for name in names))


def _answers(owner: str, model: MapModel, y: Any, table: Array | None) -> NDArray[Any]:
    """Return the answers of all rows: numbers of classes, or values, one column per target."""
    given = np.asarray(y)
    if table is None or given.ndim == 0 or len(given) != table.shape[0]:
        expected = "None if X is" if table is None else f"an answer per row of X, {table.shape[0]} of them"
        raise param_error(owner, "y", expected, Literal(f"shape {given.shape}"))
    classes = getattr(model.link, "classes", None)
    if classes is not None:
        if given.size != len(given):
            raise param_error(owner, "y", "one class per row", Literal(f"shape {given.shape}"))
        return _codes(owner, classes, given.ravel())
    try:
        values = real(given)
    except (TypeError, ValueError):
        raise param_error(owner, "y", "numbers, as in fit", y) from None
    if values.size != len(given) * model.n_outputs:
        raise param_error(owner, "y", f"values of {model.n_outputs} targets per row", Literal(f"shape {values.shape}"))
    if np.isinf(values).any():
        raise param_error(owner, "y", "finite numbers", Literal("infinity"))
    return values.reshape(len(given), -1)


def _codes(owner: str, classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each label among the classes, -1 for one that is none of them."""
    number = {label: code for code, label in enumerate(classes.tolist())}
    codes = np.array([number.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    if (codes < 0).all():
        known = ", ".join(repr(label) for label in list(number)[:5])
        raise param_error(owner, "y", f"made of the classes that the map knows ({known})", labels.tolist()[0])
    return codes
