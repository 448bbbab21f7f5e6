"""Interactive HTML pages: self-contained files that work offline and make no network requests.

`write` makes the page of a model, `board` the drawing board of maps.
"""

import os
from pathlib import Path
from typing import Any

from cogmap._utils.params import check_integer
from cogmap.page.assemble import assemble_page, write_page
from cogmap.page.board_page import board, english_texts
from cogmap.page.payload import make_payload
from cogmap.page.subject import page_subject

__all__ = ["board", "english_texts", "html", "write"]


def write(
    model: Any,
    X: Any = None,
    y: Any = None,
    path: str | os.PathLike[str] | None = None,
    max_rows: int | None = None,
) -> Path:
    """Write an interactive HTML page of a map.

    The page is one self-contained file that computes the map in the browser: users can set values, clamp concepts and
    edit weights, and see the prediction with its explanation. It needs no Python, opens from disk and makes no network
    requests.

    Parameters
    ----------
    model : TableModel, estimator of cogmap, MapModel, Pipeline or FuzzyCognitiveMap
        Fitted model or map to show. The page of a `TableModel` shows its card: held-out scores, what matters. A
        pipeline consists of a `TablePreparer` and one of these estimators; its categories can be selected by name. A
        hand-made map is shown with scenarios instead of predictions, a forecaster with its forecast, which the page
        computes again with variables or drivers held.
    X : array-like of shape (n_rows, n_features), default=None
        Rows to select from in the page: a sample of at most 500, fewer for tables with more than 40 columns, stratified
        by class or value. The page states its size. None for a hand-made map.
    y : array-like of shape (n_rows,) or (n_rows, n_targets), default=None
        Labels or target values of the rows, from which the page computes scores, also after edits.
    path : str or path-like, default=None
        Output file, such as ``map.html``; required. An existing file is replaced.
    max_rows : int, default=None
        Largest number of rows in the page. Anyone with the file has these rows: 0 leaves them out.

    Returns
    -------
    Path
        The output file.

    See Also
    --------
    html : Return the page as a string.
    board : Write a drawing board: an HTML file in which maps are drawn, run, compared and merged.
    cogmap.FCMClassifier.explore : Write an interactive HTML page of the learned map.

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
    return write_page("page.write", "page", "map.html", path, lambda: _page("page.write", model, X, y, max_rows))


def html(model: Any, X: Any = None, y: Any = None, max_rows: int | None = None) -> str:
    """Return the page as a string.

    Parameters
    ----------
    model : TableModel, estimator of cogmap, MapModel, Pipeline or FuzzyCognitiveMap
        Fitted model or map to show.
    X : array-like of shape (n_rows, n_features), default=None
        Rows to select from in the page, as in `write`.
    y : array-like of shape (n_rows,) or (n_rows, n_targets), default=None
        Labels or target values of the rows.
    max_rows : int, default=None
        Largest number of rows in the page.

    Returns
    -------
    str
        The content of the file that `write` writes.

    See Also
    --------
    write : Write an interactive HTML page of a map.
    board : Write a drawing board: an HTML file in which maps are drawn, run, compared and merged.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap, page
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)])
    >>> page.html(lake).startswith("<!doctype html>")
    True
    """
    return _page("page.html", model, X, y, max_rows)


def _page(owner: str, model: Any, X: Any, y: Any, max_rows: int | None) -> str:
    if max_rows is not None:
        check_integer(owner, "max_rows", max_rows, low=0)
    payload = make_payload(page_subject(owner, model, X, y), max_rows)
    return assemble_page(payload["title"], payload)
