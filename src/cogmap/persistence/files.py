"""`save`, `load` and `read_card`."""

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cogmap._utils.files import read_limited, write_whole
from cogmap._utils.params import Literal, check_path, param_error
from cogmap.exceptions import CogmapError, MissingPackageError, ModelFileError
from cogmap.persistence import parts
from cogmap.persistence.archive import MOST_BYTES, SECTIONS, Budget, Card, Content, pack, unpack, unpack_card
from cogmap.persistence.values import Kind, Reader, Writer

_PIPELINE = "Pipeline"
# Kinds of objects that can be saved.
_SAVED = (
    "map",
    "structured map",
    "model",
    "FCMClassifier",
    "FCMClassifierCV",
    "FCMRegressor",
    "FCMForecaster",
    _PIPELINE,
)
_LONGEST = 400  # characters in a message


class Saved(NamedTuple):
    """The object in a model file, with its card and its optional sections."""

    model: Any
    card: Card
    sections: dict[str, Any]


def save(
    estimator: Any,
    path: str | os.PathLike[str],
    card: Card | None = None,
    sections: dict[str, Any] | None = None,
) -> None:
    """Save a fitted estimator to a file.

    The file is a zip of JSON and arrays. It contains the parameters and all fitted attributes, but no rows of the
    training data and no callbacks. The predictions of the loaded estimator are equal to the last bit, and training can
    be continued.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV, FCMRegressor, FCMForecaster, Pipeline, MapModel or FuzzyCognitiveMap
        Object to save. Estimators must be fitted. The steps of a pipeline must be a `TablePreparer` and an estimator.
    path : str or path-like
        The file, by convention with the extension ``.cogmap``. It is written atomically: if saving fails, an existing
        file is unchanged.
    card : dict, default=None
        Model card: any information about the model that JSON can represent, such as its scores. `read_card` returns it.
    sections : dict, default=None
        Optional sections of the file, as dicts that JSON can represent: ``"held_out"`` and ``"training_statistics"``,
        which `TableModel.save` writes.

    See Also
    --------
    load : Load the estimator.
    cogmap.persistence.read_card : Read the card without loading the estimator.

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
    write_whole(path, _packed(estimator, card, sections))


def load(path: str | os.PathLike[str]) -> Any:
    """Load an object saved by `save`.

    No code in the file is executed, and memory use is bounded by the size of the file. Files of this and all earlier
    versions of the format are supported.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    FCMClassifier, FCMClassifierCV, FCMRegressor, FCMForecaster, Pipeline, MapModel or FuzzyCognitiveMap
        The saved object.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or has a newer format version.

    See Also
    --------
    save : Save an estimator to a file.
    cogmap.persistence.read_card : Read the card of a saved model without loading the model.
    TableModel.load : Load a model of a raw table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cogmap import FuzzyCognitiveMap, load, save
    >>> rain = FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 2)], slope=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rain.cogmap")
    ...     save(rain, path)
    ...     load(path) == rain
    True
    """
    return load_saved(path).model


def load_saved(path: str | os.PathLike[str]) -> Saved:
    """Load an object saved by `save`, with its card and sections, from one version of the file.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    Saved
    """
    saved: Saved = _read("load", path, _opened)
    return saved


def read_card(path: str | os.PathLike[str]) -> Card:
    """Read the card of a saved model without loading the model.

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
        If the file is damaged, is not a model file, or has a newer format version.

    See Also
    --------
    cogmap.load : Load an object saved by `save`.
    cogmap.save : Save a fitted estimator to a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cogmap import FuzzyCognitiveMap, save
    >>> from cogmap.persistence import read_card
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rain.cogmap")
    ...     save(FuzzyCognitiveMap([[0]]), path, card={"source": "workshop"})
    ...     read_card(path)
    {'source': 'workshop'}
    """
    card: Card = _read("read_card", path, unpack_card)
    return card


def _packed(estimator: Any, card: Card | None, sections: dict[str, Any] | None) -> bytes:
    """Return the bytes of a file, after verifying that they can be loaded."""
    name = type(estimator).__name__
    kinds = _kinds(name)
    saved = [kinds[kind].type for kind in _SAVED if kind in kinds]
    if type(estimator) not in saved:
        known = ", ".join([*(kind.__name__ for kind in saved), *([_PIPELINE] if _PIPELINE not in kinds else [])])
        cures = {
            "save": "Call its method `save`.",
            "to_local": "Save its `to_local()`.",
            "best_estimator_": "Save its `best_estimator_`.",
        }
        cure = next((cure for attribute, cure in cures.items() if hasattr(estimator, attribute)), "")
        expected = f"of a class that can be saved: {known}"
        raise param_error("save", "estimator", expected, Literal(f"one of type {name}"), cure)
    writer = Writer(kinds)
    value = writer.write(estimator, name)
    sections = _plain("sections", sections)
    if unknown := [name for name, section in sections.items() if not isinstance(section, SECTIONS.get(name, ()))]:
        raise param_error("save", "sections", f"a dict with the keys {', '.join(SECTIONS)}, to dicts", unknown[0])
    packed = pack(Content(value, writer.arrays, _plain("card", card), sections))
    try:
        if len(packed) > MOST_BYTES:
            raise ModelFileError(f"it would have {len(packed):,} bytes, more than {MOST_BYTES:,}")
        _opened(packed)
    except CogmapError as problem:
        expected = "such that it can be loaded again"
        raise param_error("save", "estimator", expected, Literal(f"one that cannot: {_shortened(problem)}")) from None
    return packed


def _plain(parameter: str, mapping: Any) -> dict[str, Any]:
    """Return a dict as it will be read; raise if JSON cannot represent it."""
    expected = "a dict that JSON can represent: strings, finite numbers, booleans, None, and lists and dicts of these"
    try:
        result = json.loads(json.dumps({} if mapping is None else mapping, allow_nan=False, default=_number))
    except (TypeError, ValueError, RecursionError) as problem:
        raise param_error("save", parameter, expected, Literal(f"one with something else ({problem})")) from None
    if not isinstance(result, dict):
        raise param_error("save", parameter, expected, mapping)
    return result


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not supported")


def _opened(content: bytes) -> Saved:
    """Load what is in a file, given the content of the file."""
    budget = Budget(len(content))
    unpacked = unpack(content, budget)
    name = next(iter(unpacked.value), "") if isinstance(unpacked.value, dict) else ""
    if name not in _SAVED:
        raise ModelFileError(
            f"it contains {name[:80]!r}, which this cogmap does not know" if name else "it contains no model"
        )
    try:
        model = Reader(_kinds(name), unpacked.arrays, budget).read(unpacked.value)
    except (MissingPackageError, ModelFileError, MemoryError):
        raise
    except Exception as problem:  # invalid states can raise any exception; nothing else does here
        raise ModelFileError(f"its content is not a valid model ({_shortened(problem)})") from problem
    return Saved(model, unpacked.card, unpacked.sections)


def _kinds(name: str) -> dict[str, Kind]:
    """Return the kinds of objects that may occur in an object of the class `name`."""
    from cogmap.estimators._saving import KINDS as estimators

    kinds = parts.KINDS | estimators
    if name == _PIPELINE:
        from cogmap.table._saving import KINDS as pipelines  # needs pandas

        kinds |= pipelines
    return kinds


def _read(owner: str, path: Any, make: Callable[[bytes], Any]) -> Any:
    """Apply `make` to the content of a file; name the file in errors."""
    path = check_path(owner, path)
    try:
        return make(read_limited(path, MOST_BYTES))
    except (ModelFileError, OSError) as problem:
        if isinstance(problem, OSError) and problem.filename is not None:  # it does not exist, or is not readable
            raise
        raise ModelFileError(f"The model {path} cannot be loaded: {_shortened(problem)}.") from None


def _shortened(problem: Exception) -> str:
    """Return the message on one line, of limited length; exceptions of Python are often unclear without their type."""
    ours = isinstance(problem, CogmapError | OSError)
    text = " ".join((str(problem) if ours else f"{type(problem).__name__}: {problem}").split())
    return (text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...").rstrip(".")
