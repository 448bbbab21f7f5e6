"""The page: one file in which anyone can play with a learned map. It opens from a disk and asks nobody for anything."""

import os
from pathlib import Path
from typing import Any

from cogmap._files import write_whole
from cogmap._params import wrong
from cogmap.exceptions import DataError
from cogmap.page.assemble import assembled
from cogmap.page.opening import opened
from cogmap.page.payload import make_payload

__all__ = ["html", "write"]


def write(model: Any, X: Any = None, y: Any = None, path: str | os.PathLike[str] | None = None) -> Path:
    """Write a page in which the map can be played with.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel, Pipeline or FuzzyCognitiveMap
        What to show.
    X : array-like of shape (n_rows, n_features), default=None
        Rows to choose from in the page: at most 500 of them, in which every class has its share.
    y : array-like of shape (n_rows,) or (n_rows, n_targets), default=None
        Their answers, by which the page says how well the map does, also after it is edited.
    path : str or path-like
        The file, such as ``map.html``. If it exists, it is replaced.

    Returns
    -------
    Path
        The file.
    """
    owner = "page.write"
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise wrong(owner, "path", "the path of a file, such as 'map.html'", path)
    where = Path(path)
    if where.is_dir() or not where.parent.is_dir():
        missing = f"{where} is a folder" if where.is_dir() else f"there is no folder {where.parent}"
        raise DataError(f"The page cannot be written to {where}: {missing}.")
    text = _page(owner, model, X, y)
    try:
        write_whole(where, text)
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
    """
    return _page("page.html", model, X, y)


def _page(owner: str, model: Any, X: Any, y: Any) -> str:
    payload = make_payload(opened(owner, model, X, y))
    return assembled(payload["title"], payload)
