"""The drawing board: one HTML file in which maps are drawn, run, compared and merged."""

import json
import os
import re
import secrets
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cogmap._utils.files import write_whole
from cogmap._utils.params import check_choice, param_error
from cogmap.exceptions import DataError
from cogmap.maps.formats import own_json
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel
from cogmap.page.assemble import assemble_page

Payload = dict[str, Any]

_MOST_CONCEPTS = 500  # as in script/board_doc.js
_LANGUAGES = files("cogmap.page") / "languages"


def board(path: str | os.PathLike[str], map: Any = None, language: str = "en") -> Path:
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
    language : str, default="en"
        Language of the texts: ``"en"``, or the name of a file in ``cogmap/page/languages``.

    Returns
    -------
    Path
        The output file.

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
    if not isinstance(path, str | os.PathLike) or not os.fspath(path) or "\0" in str(path):
        raise param_error("page.board", "path", "the path of a file, such as 'board.html'", path)
    target = Path(path)
    text = board_html(map, language)
    try:
        if target.is_dir():
            raise OSError("it is a directory")
        if not target.parent.is_dir():
            raise OSError(f"the directory {target.parent} does not exist")
        write_whole(target, text)
    except OSError as error:
        raise DataError(f"The board cannot be written to {target}: {error.strerror or error}.") from None
    return target


def board_html(map: Any = None, language: str = "en") -> str:
    """Return the board as a string."""
    check_choice("page.board", "language", language, ["en", *languages()])
    fcm, prior = _map_and_prior(map)
    payload: Payload = {
        "version": 1,
        "id": secrets.token_hex(8),  # boards opened from disk share the storage of the browser
        "title": "" if fcm is None else _title(fcm),
        "map": None if fcm is None else _as_json(fcm),
        "prior": None if prior is None else _as_json(prior),
        "texts": {} if language == "en" else json.loads((_LANGUAGES / f"{language}.json").read_text(encoding="utf-8")),
    }
    return assemble_page(payload["title"] or "cogmap", payload, "board", language)


def languages() -> list[str]:
    """Return the names of the languages besides English."""
    found = _LANGUAGES.iterdir() if _LANGUAGES.is_dir() else ()
    return sorted(file.name.removesuffix(".json") for file in found if file.name.endswith(".json"))


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


def texts() -> dict[str, str]:
    """Return the English texts of the board by key, for translators."""
    source = (files("cogmap.page") / "script" / "board_english.js").read_text(encoding="utf-8")
    pairs = re.findall(r'^  (?:"([^"]+)"|(\w+)): ("(?:[^"\\]|\\.)*"),$', source, re.MULTILINE)
    return {quoted or plain: json.loads(text) for quoted, plain, text in pairs}
