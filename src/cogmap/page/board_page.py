"""The drawing board: one HTML file in which maps are drawn, run, compared and merged."""

import json
import os
import re
import secrets
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cogmap._utils.files import read_limited
from cogmap._utils.params import check_path, param_error, suggestion
from cogmap._utils.text import decoded
from cogmap.exceptions import DataError
from cogmap.maps.formats import own_json
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel
from cogmap.page.assemble import assemble_page, write_page

Payload = dict[str, Any]

_MOST_CONCEPTS = 500  # as in script/board_doc.js
_MOST_BYTES = 1_000_000  # of a file with texts


def board(path: str | os.PathLike[str], map: Any = None, texts: str | os.PathLike[str] | None = None) -> Path:
    """Write a drawing board: an HTML file in which maps are drawn, run, compared and merged.

    The board is one self-contained file that opens from disk and makes no network requests. It draws concepts and
    arrows with mouse, touch or keyboard, opens and saves files of Mental Modeler, JSON and CSV, runs scenarios,
    computes indices and proofs, and merges the maps of several people.

    Parameters
    ----------
    path : str or path-like
        Output file, such as ``board.html``. An existing file is replaced.
    map : FuzzyCognitiveMap, MapModel or fitted estimator, default=None
        Map to start with. None means an empty board. For an estimator with a `prior`, the board also shows how the
        weights differ from it.
    texts : str or path-like, default=None
        JSON file with the texts of the board in another language, by key; `english_texts` returns the English ones.
        Keys that are left out stay English, and the key ``"language"`` is the code of the language, such as ``"de"``.

    Returns
    -------
    Path
        The output file.

    See Also
    --------
    write : Write an interactive HTML page of a map.
    english_texts : Return the English texts of the board by key, for translators.
    cogmap.read_map : Read a map from a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cogmap import FuzzyCognitiveMap, page
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)])
    >>> with TemporaryDirectory() as folder:
    ...     file = page.board(Path(folder) / "lake.html", lake)
    ...     file.stat().st_size < 200_000
    True
    """
    return write_page("page.board", "board", "board.html", path, lambda: board_html(map, texts))


def board_html(map: Any = None, texts: str | os.PathLike[str] | None = None) -> str:
    """Return the board as a string."""
    translated = {} if texts is None else _read_texts(texts)
    language = translated.pop("language", "en")
    fcm, prior = _map_and_prior(map)
    payload: Payload = {
        "version": 1,
        "id": secrets.token_hex(8),  # boards opened from disk share the storage of the browser
        "title": "" if fcm is None else _title(fcm),
        "map": None if fcm is None else _as_json(fcm),
        "prior": None if prior is None else _as_json(prior),
        "texts": translated,
    }
    return assemble_page(payload["title"] or "cogmap", payload, "board", language)


def english_texts() -> dict[str, str]:
    """Return the English texts of the board by key, for translators.

    Returns
    -------
    dict
        Texts with {placeholders}; "one|many" are the forms for a count.

    See Also
    --------
    board : Write a drawing board: an HTML file in which maps are drawn, run, compared and merged.

    Examples
    --------
    >>> from cogmap import page
    >>> page.english_texts()["undo"]
    'Undo'
    """
    source = (files("cogmap.page") / "script" / "board_english.js").read_text(encoding="utf-8")
    pairs = re.findall(r'^  (?:"([^"]+)"|(\w+)):\s*("(?:[^"\\]|\\.)*"),$', source, re.MULTILINE)
    return {quoted or plain: json.loads(text) for quoted, plain, text in pairs}


def _read_texts(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read translated texts, with the keys and the placeholders of the English ones."""
    file = check_path("page.board", path)
    try:
        texts = json.loads(decoded(read_limited(file, _MOST_BYTES)))
    except (ValueError, RecursionError) as problem:
        raise DataError(f"The texts {file} are not JSON: {problem}.") from None
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise DataError(f"The texts {file} must be a JSON object of strings, keyed as english_texts() has them.")
    english = english_texts() | {"language": "en"}
    for key, text in texts.items():
        if key not in english:
            raise DataError(f"The texts {file} have an unknown key {key!r}. {suggestion(key, english)}".strip())
        if _placeholders(text) != _placeholders(english[key]) or text.count("|") != english[key].count("|"):
            raise DataError(f"The text {key!r} in {file} must have the placeholders of {english[key]!r}, got {text!r}.")
    return texts


def _placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def _map_and_prior(map: Any) -> tuple[FuzzyCognitiveMap | None, FuzzyCognitiveMap | None]:
    """Return the map to draw, and the prior of an estimator."""
    if map is None:
        return None, None
    fcm, prior = map, None
    if isinstance(map, MapModel):
        fcm = map.map
    elif hasattr(map, "steps"):  # a pipeline, whose last step is an estimator
        return _map_and_prior(map.steps[-1][1])
    elif not isinstance(map, FuzzyCognitiveMap):
        fcm = getattr(map, "map_", None)
        prior = getattr(map, "prior", None)
    if not isinstance(fcm, FuzzyCognitiveMap):
        raise param_error("page.board", "map", "a FuzzyCognitiveMap, a MapModel or a fitted estimator", map)
    if fcm.n_concepts > _MOST_CONCEPTS:
        raise DataError(f"The map has {fcm.n_concepts} concepts, and the board takes at most {_MOST_CONCEPTS}.")
    return fcm, _in_units_of(fcm, prior) if isinstance(prior, FuzzyCognitiveMap) else None


def _in_units_of(fcm: FuzzyCognitiveMap, prior: FuzzyCognitiveMap) -> FuzzyCognitiveMap:
    """Return the prior with weights scaled to the slopes of the learned map, as training does."""
    steepness = dict(zip(fcm.concepts, fcm.excitation_slope(), strict=True))
    own = prior.excitation_slope()
    factors = [own[i] / steepness.get(name, own[i]) for i, name in enumerate(prior.concepts)]
    return prior.replace(weights=prior.weights * np.array(factors)[:, np.newaxis])


def _title(fcm: FuzzyCognitiveMap) -> str:
    name = fcm.details.get("name")
    return name if isinstance(name, str) else ""


def _as_json(fcm: FuzzyCognitiveMap) -> Payload:
    """Return the map in the form of our JSON files, with all parameters of each concept."""
    value: Payload = json.loads(own_json.write(fcm))
    return {"details": value.get("details", {}), "concepts": value["concepts"], "edges": value["edges"]}
