"""Who is shown: an estimator, its model, a pipeline that prepares tables, or a map by hand; with its rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from cogmap._params import Words, real, wrong
from cogmap.explanation._subject import opened as opened_subject
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel

Array = NDArray[np.floating]


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
    table : ndarray of shape (n_rows, n_features) or None
        Features of the rows.
    answers : ndarray of shape (n_rows,) or (n_rows, n_targets), or None
        Numbers of classes, -1 for one that the map does not know; or values.
    target : str
        What is told, where `y` has a name.
    """

    fcm: FuzzyCognitiveMap
    model: MapModel | None = None
    names: tuple[str, ...] = ()
    table: Array | None = None
    answers: NDArray[Any] | None = None
    target: str = ""


def opened(owner: str, model: Any, X: Any, y: Any) -> Opened:
    """Return who is shown, with tables and answers checked."""
    if isinstance(model, FuzzyCognitiveMap):
        if X is not None or y is not None:
            cure = "A map by hand has no rows: its concepts are set in the page."
            raise wrong(owner, "X", "None for a FuzzyCognitiveMap", Words("a table"), cure)
        return Opened(model)
    if X is None:
        subject, table = _without_rows(owner, model), None
    else:
        subject, table = opened_subject(owner, model, X)
    fitted, names = subject.model, subject.feature_names
    answers = None if y is None else _answers(owner, fitted, y, table)
    return Opened(fitted.map, fitted, names, table, answers, str(getattr(y, "name", None) or ""))


def _without_rows(owner: str, model: Any) -> Any:
    """Return a fitted model with the names of its features, with a row of missing values in the place of a table."""
    if not isinstance(model, MapModel) and hasattr(model, "_fitted_model") and not isinstance(model, type):
        check_is_fitted(model, "model_")
        names = list(getattr(model, "feature_names_in_", []))
        row = np.full((1, model.model_.n_features), np.nan)
        if names:
            return type(opened_subject(owner, model.model_, row)[0])(model.model_, tuple(map(str, names)))
        model = model.model_
    n_features = model.n_features if isinstance(model, MapModel) else 1
    return opened_subject(owner, model, np.full((1, n_features), np.nan))[0]


def _answers(owner: str, model: MapModel, y: Any, table: Array | None) -> NDArray[Any]:
    """Return the answers of all rows: numbers of classes, or values, one column per target."""
    given = np.asarray(y)
    if table is None or len(given) != len(table):
        n_rows = 0 if table is None else len(table)
        raise wrong(owner, "y", f"an answer per row of X, {n_rows} of them", Words(f"{len(given)}"))
    classes = getattr(model.link, "classes", None)
    if classes is not None:
        number = {label: code for code, label in enumerate(classes.tolist())}
        return np.array([number.get(label, -1) for label in given.ravel().tolist()], dtype=np.intp)
    try:
        values = real(given)
    except (TypeError, ValueError):
        raise wrong(owner, "y", "numbers, as in fit", y) from None
    if values.size != len(given) * model.n_outputs:
        raise wrong(owner, "y", f"values of {model.n_outputs} targets per row", Words(f"shape {values.shape}"))
    return values.reshape(len(given), -1)
