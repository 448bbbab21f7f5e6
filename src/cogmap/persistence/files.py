"""`save`, `load` and `read_card`."""

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from cogmap._utils.files import read_limited, write_whole
from cogmap._utils.params import Literal, check_path, param_error
from cogmap.exceptions import CogmapError, MissingPackageError, ModelFileError
from cogmap.persistence import parts
from cogmap.persistence.archive import MOST_BYTES, Budget, Card, Content, pack, unpack, unpack_card
from cogmap.persistence.values import Kind, Reader, Writer

_PIPELINE = "Pipeline"
# What a file can hold as a whole.
_SAVED = ("map", "structured map", "model", "FCMClassifier", "FCMClassifierCV", "FCMRegressor", _PIPELINE)
_LONGEST = 400  # signs in a message


def save(estimator: Any, path: str | os.PathLike[str], card: Card | None = None) -> None:
    """Keep a fitted estimator in a file.

    The file is a zip of JSON and arrays. It holds the parameters and all that was learned, and no rows of the training
    data. `load` makes the estimator from it again, whose predictions are the same to the last bit, and which can go on
    learning. Callbacks are not kept.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV, FCMRegressor, Pipeline, MapModel or FuzzyCognitiveMap
        What to keep. An estimator has to be fitted. The steps of a pipeline are a `TablePreparer` and an estimator.
    path : str or path-like
        The file, by custom with the ending ``.cogmap``. It is there whole or not at all: if saving fails, a file that
        was there before stays.
    card : dict, default=None
        What to tell a reader about the model, such as its scores: anything that JSON can hold. `read_card` returns it.

    See Also
    --------
    load : Make the estimator from the file again.
    read_card : What was told about the model.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import cogmap
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = cogmap.FCMClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.cogmap")
    ...     cogmap.save(fcm, path, card={"accuracy": 0.96})
    ...     back = cogmap.load(path)
    ...     card = cogmap.persistence.read_card(path)
    >>> bool((back.predict_proba(X) == fcm.predict_proba(X)).all()), card
    (True, {'accuracy': 0.96})
    """
    path = check_path("save", path)
    write_whole(path, _packed(estimator, card))


def load(path: str | os.PathLike[str]) -> Any:
    """Make what `save` has kept in a file again.

    Nothing in the file is run, and no more is read into memory than its size allows for. Files of all versions of the
    format up to that of this cogmap are read.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    FCMClassifier, FCMClassifierCV, FCMRegressor, Pipeline, MapModel or FuzzyCognitiveMap
        What was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, of another kind, or of a newer version.

    See Also
    --------
    save : Keep an estimator in a file.
    """
    return _read("load", path, _opened)


def read_card(path: str | os.PathLike[str]) -> Card:
    """Return what was told about a model when it was saved, without loading it.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    dict
        The card; empty if there is none.

    Raises
    ------
    ModelFileError
        If the file is damaged, of another kind, or of a newer version.
    """
    card: Card = _read("read_card", path, unpack_card)
    return card


def _packed(estimator: Any, card: Card | None) -> bytes:
    """Return the bytes of a file, after a look whether they can be read."""
    name = type(estimator).__name__
    kinds = _kinds(name)
    saved = [kinds[kind].type for kind in _SAVED if kind in kinds]
    if type(estimator) not in saved:
        known = ", ".join([*(kind.__name__ for kind in saved), *([_PIPELINE] if _PIPELINE not in kinds else [])])
        cure = "Take its `best_estimator_`." if hasattr(estimator, "best_estimator_") else ""
        expected = f"of a class that model files know: {known}"
        raise param_error("save", "estimator", expected, Literal(f"one of type {name}"), cure)
    writer = Writer(kinds)
    value = writer.write(estimator, name)
    packed = pack(Content(value, writer.arrays, _checked_card(card)))
    try:
        if len(packed) > MOST_BYTES:
            raise ModelFileError(f"it would have {len(packed):,} bytes, more than {MOST_BYTES:,}")
        _opened(packed)
    except CogmapError as problem:
        expected = "such that it can be loaded again"
        raise param_error("save", "estimator", expected, Literal(f"one that cannot: {_shortened(problem)}")) from None
    return packed


def _checked_card(card: Any) -> Card:
    """Return a card as it will come back."""
    expected = "a dict of what JSON can hold: text, finite numbers, True, False, None, and lists and dicts of these"
    try:
        kept = json.loads(json.dumps({} if card is None else card, allow_nan=False, default=_number))
    except (TypeError, ValueError, RecursionError) as problem:
        raise param_error("save", "card", expected, Literal(f"one with something else ({problem})")) from None
    if not isinstance(kept, dict):
        raise param_error("save", "card", expected, card)
    return kept


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is nothing of these")


def _opened(content: bytes) -> Any:
    """Make what is in a file, whatever it may be."""
    budget = Budget(len(content))
    written = unpack(content, budget)
    name = next(iter(written.value), "") if isinstance(written.value, dict) else ""
    if name not in _SAVED:
        raise ModelFileError(
            f"it holds {name[:80]!r}, which this cogmap does not know" if name else "it holds no model"
        )
    try:
        return Reader(_kinds(name), written.arrays, budget).read(written.value)
    except (MissingPackageError, ModelFileError, MemoryError):
        raise
    except Exception as problem:  # states of the wrong form: this is the only place that they can come from
        raise ModelFileError(f"its content is not that of a model ({_shortened(problem)})") from problem


def _kinds(name: str) -> dict[str, Kind]:
    """Return the kinds of objects that may be in what is called so."""
    from cogmap.estimators._saving import KINDS as estimators

    kinds = parts.KINDS | estimators
    if name == _PIPELINE:
        from cogmap.table._saving import KINDS as pipelines  # needs pandas

        kinds |= pipelines
    return kinds


def _read(owner: str, path: Any, make: Callable[[bytes], Any]) -> Any:
    """Return what is made of the content of a file, or say of which file it cannot be made."""
    path = check_path(owner, path)
    try:
        return make(read_limited(path, MOST_BYTES))
    except (ModelFileError, OSError) as problem:
        if isinstance(problem, OSError) and problem.filename is not None:  # it does not exist, or may not be read
            raise
        raise ModelFileError(f"The model {path} cannot be loaded: {_shortened(problem)}.") from None


def _shortened(problem: Exception) -> str:
    """Say in part of a line what was wrong; what Python says alone is often only half of it."""
    ours = isinstance(problem, CogmapError | OSError)
    text = " ".join((str(problem) if ours else f"{type(problem).__name__}: {problem}").split())
    return (text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...").rstrip(".")
