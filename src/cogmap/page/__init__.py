"""The page: one file in which anyone can play with a learned map. It opens from a disk and asks nobody for anything."""

import os
from pathlib import Path
from typing import Any

from cogmap._utils.files import write_whole
from cogmap._utils.params import param_error
from cogmap.exceptions import DataError
from cogmap.page.assemble import assembled
from cogmap.page.opening import opened
from cogmap.page.payload import make_payload

__all__ = ["html", "write"]


def write(model: Any, X: Any = None, y: Any = None, path: str | os.PathLike[str] | None = None) -> Path:
    """Write a page in which anyone can play with a map, without Python.

    It is one file that computes the map itself: values can be set, concepts held and weights edited, and the page says
    what follows and why. It opens from a disk and asks nobody for anything.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel, Pipeline or FuzzyCognitiveMap
        What to show, fitted. A pipeline has a `TablePreparer` and one of these estimators; its categories can then be
        chosen by name. A map by hand is shown with scenarios instead of predictions.
    X : array-like of shape (n_rows, n_features), default=None
        Rows to choose from in the page: at most 500, and fewer of tables with more than 40 columns. Every class, or
        part of the range of values, has its share. The page says how many there are. None for a map by hand.
    y : array-like of shape (n_rows,) or (n_rows, n_targets), default=None
        Their answers, by which the page says how well the map does, also after it is edited.
    path : str or path-like
        The file, such as ``map.html``. If it exists, it is replaced.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, page
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     file = page.write(fcm, X, y, Path(folder) / "iris.html")
    ...     file.stat().st_size < 200_000
    True
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path) or "\0" in str(path):
        raise param_error("page.write", "path", "the path of a file, such as 'map.html'", path)
    where = Path(path)
    try:
        if where.is_dir():  # as far as it can be seen before the work is done
            raise OSError("it is a folder")
        if not where.parent.is_dir():
            raise OSError(f"there is no folder {where.parent}")
        write_whole(where, _page("page.write", model, X, y))
    except OSError as problem:
        raise DataError(f"The page cannot be written to {where}: {problem.strerror or problem}.") from None
    return where


def html(model: Any, X: Any = None, y: Any = None) -> str:
    """Return the page as text.

    Parameters
    ----------
    model, X, y
        As in `write`.

    Returns
    -------
    str

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap, page
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)])
    >>> page.html(lake).startswith("<!doctype html>")
    True
    """
    return _page("page.html", model, X, y)


def _page(owner: str, model: Any, X: Any, y: Any) -> str:
    payload = make_payload(opened(owner, model, X, y))
    return assembled(payload["title"], payload)
