"""Validation of the arguments of the page: an estimator, a model, a pipeline or a hand-made map, with its rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from cogmap._utils.params import Literal, param_error, real
from cogmap.estimators.forecaster import FCMForecaster
from cogmap.explanation._subject import Subject, table_parts
from cogmap.explanation._subject import opened as opened_subject
from cogmap.maps._text import short
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import QuantileLink
from cogmap.models.model import MapModel
from cogmap.page.unused import influential_features, select_features
from cogmap.statistics.conformal import HeldOutErrors
from cogmap.statistics.novelty import RowDistances
from cogmap.table.training_rows import overlap

Array = NDArray[np.floating]

_MAX_NUMBER = 1e100  # largest weight, bias or slope of a map
_MAX_CONCEPTS = 2_000
_MAX_NAMES = 5  # names listed in a note


@dataclass(frozen=True, eq=False)
class PageSubject:
    """Validated input of the payload.

    Attributes
    ----------
    fcm : FuzzyCognitiveMap
        Map to show.
    model : MapModel or None
        Model to show, None for a hand-made map.
    names : tuple of str
        Names of the features.
    preparer : TablePreparer or None
        Transformer from raw tables to features.
    table : ndarray of shape (n_rows, n_features) or None
        Features of the rows.
    answers : ndarray of shape (n_rows,) or (n_rows, n_targets), or None
        Class codes, -1 for labels unknown to the map; or target values.
    target : str
        Name of `y`, or "".
    card : dict
        Card of a `TableModel`, or {}.
    learned_rows : float or None
        Share of the rows that the model has learned from, None if unknown.
    notes : tuple of str
        Notes about the table.
    errors : HeldOutErrors or None
        Errors on held-out rows, if they are known.
    distances : RowDistances or None
        Distances of the training rows from their mean, if they are known.
    forecaster : FCMForecaster or None
        Forecaster whose map of one step is shown.
    n_columns : int
        Number of columns that the estimator takes, with those that are left out.
    """

    fcm: FuzzyCognitiveMap
    model: MapModel | None = None
    names: tuple[str, ...] = ()
    preparer: Any = None
    table: Array | None = None
    answers: NDArray[Any] | None = None
    target: str = ""
    notes: tuple[str, ...] = ()
    errors: HeldOutErrors | None = None
    distances: RowDistances | None = None
    forecaster: Any = None
    card: dict[str, Any] = field(default_factory=dict)
    learned_rows: float | None = None
    n_columns: int = 0


def page_subject(owner: str, model: Any, X: Any, y: Any) -> PageSubject:
    """Validate the arguments of `write` and return the input of the payload."""
    if isinstance(model, FuzzyCognitiveMap):
        if X is not None or y is not None:
            cure = "A hand-made map has no rows: its concepts are set in the page."
            raise param_error(owner, "X", "None for a FuzzyCognitiveMap", Literal("a table"), cure)
        _check_size(owner, model)
        return PageSubject(model)
    if isinstance(model, FCMForecaster):
        check_is_fitted(model, "model_")
        # Drivers keep their last values, as in the forecast of the page.
        steps = model.sequence_.map_rows(model.horizon_, 0, model._future(None, model.horizon_, 0, model.drivers_))
        shown = page_subject(owner, model.model_, steps, None)
        return replace(shown, forecaster=model, target=", ".join(model.variables_))
    notes: list[str] = []
    card, sections = getattr(model, "card", {}), getattr(model, "sections", {})
    name = getattr(y, "name", None)
    y = model._read_targets(y) if hasattr(model, "_read_targets") and y is not None else y
    preparer, model = _split_pipeline(owner, model)
    table: Any = None
    if X is None:
        subject = _without_rows(owner, model, preparer)
    else:
        if preparer is not None:
            X, notes = preparer.checked(X)
            X = preparer.transform(X)
        subject, table = opened_subject(owner, model, X)
    fitted, names = subject.model, subject.feature_names
    n_columns = len(names)
    answers = None if y is None else _answers(owner, fitted, y, table)
    influential = influential_features(fitted)
    distances: RowDistances | None = getattr(model, "row_distances_", None)
    if preparer is None and len(influential) < len(names):
        unused = [names[j] for j in np.setdiff1d(np.arange(len(names)), influential)]
        counts = f"{len(unused):,} of {len(names):,} features influence nothing in this map and are left out"
        notes.append(f"{counts}: {few(unused)}.")
        fitted, names = select_features(fitted, influential), tuple(names[j] for j in influential)
        table = None if table is None else table[:, influential]
        distances = None if distances is None else distances.narrowed(influential)
    table = table.toarray() if issparse(table) else table
    _check_size(owner, fitted.map)
    target = card["target"]["name"] if card else name
    target = target if isinstance(target, str) else ""  # the attribute `name` of a data frame may be a column
    learned = _learned_rows(sections, table, y)
    return PageSubject(
        fitted.map,
        fitted,
        names,
        preparer,
        table,
        answers,
        target,
        tuple(notes),
        errors=getattr(model, "held_out_errors_", None),
        distances=distances,
        card=card,
        learned_rows=learned,
        n_columns=n_columns,
    )


def _learned_rows(sections: dict[str, Any], table: Array | None, y: Any) -> float | None:
    """Return the share of rows that a model of raw tables has learned from, None if unknown."""
    if table is None or y is None or "training_rows" not in sections:
        return None
    found = overlap(sections["training_rows"], np.asarray(table, dtype=np.float64), np.asarray(y))
    return found.known / found.compared if found.compared else None


def few(names: Sequence[str], whole: bool = False) -> str:
    """Return the first names, shortened unless they are to stay whole, and how many more there are."""
    more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(name if whole else short(name) for name in names[:_MAX_NAMES]) + more


def _check_size(owner: str, fcm: FuzzyCognitiveMap) -> None:
    """Reject maps that are too large for a browser, and numbers whose sums might overflow."""
    if fcm.n_concepts > _MAX_CONCEPTS:
        cure = "Select columns first (sklearn.feature_selection), or remove edges with `prune`."
        got = Literal(f"{fcm.n_concepts:,}")
        raise param_error(
            owner, "model", f"a map of at most {_MAX_CONCEPTS:,} concepts that influence anything", got, cure
        )
    largest = float(max(np.abs(fcm.weights).max(), np.abs(fcm.bias).max(), np.max(fcm.slope)))
    if largest > _MAX_NUMBER:
        cure = "Divide the weights of a concept and multiply its slope, as `FuzzyCognitiveMap.normalized` does."
        raise param_error(
            owner, "model", f"a map whose numbers are at most {_MAX_NUMBER:g}", Literal(f"{largest:.3g}"), cure
        )


def _split_pipeline(owner: str, model: Any) -> tuple[Any, Any]:
    """Return the `TablePreparer` of a model of raw tables, or None, and the estimator."""
    parts = table_parts(model)
    if parts is not None:
        return parts
    if not hasattr(model, "steps") or isinstance(model, type):
        return None, model
    cure = "Pass its last step and the transformed X: `page.write(pipe[-1], pipe[:-1].transform(X), y, path)`."
    raise param_error(owner, "model", "an estimator, or a pipeline of a TablePreparer and an estimator", model, cure)


def _without_rows(owner: str, model: Any, preparer: Any) -> Subject:
    """Return a fitted model with its feature names, without a table."""
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
    """Return `y` as class codes, or as target values with one column per target."""
    array = np.asarray(y)
    if table is None or array.ndim == 0 or len(array) != table.shape[0]:
        expected = "None if X is None" if table is None else f"of length {table.shape[0]}, one entry per row of X"
        raise param_error(owner, "y", expected, Literal(f"shape {array.shape}"))
    classes = getattr(model.link, "classes", None)
    if classes is not None:
        if array.size != len(array):
            raise param_error(owner, "y", "one class per row", Literal(f"shape {array.shape}"))
        return _codes(owner, classes, array.ravel())
    try:
        values = real(array)
    except (TypeError, ValueError):
        raise param_error(owner, "y", "numbers, as in fit", y) from None
    if isinstance(model.link, QuantileLink) and model.link.is_sorted and values.size == len(array):
        values = np.repeat(values.reshape(-1, 1), model.n_outputs, axis=1)  # each quantile is one of the same target
    if values.size != len(array) * model.n_outputs:
        raise param_error(owner, "y", f"values of {model.n_outputs} targets per row", Literal(f"shape {values.shape}"))
    if np.isinf(values).any():
        raise param_error(owner, "y", "finite numbers", Literal("infinity"))
    return values.reshape(len(array), -1)


def _codes(owner: str, classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each label among the classes, -1 for unknown labels."""
    number = {label: code for code, label in enumerate(classes.tolist())}
    codes = np.array([number.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    if (codes < 0).all():
        known = ", ".join(repr(label) for label in list(number)[:5])
        raise param_error(owner, "y", f"made of classes of the map ({known})", labels.tolist()[0])
    return codes
