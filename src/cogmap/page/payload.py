"""All that the page knows of a model, as a plain dict: the map, how rows enter it, a sample of rows, the drawn map."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation import feature_importances, influence
from cogmap.explanation._subject import Subject
from cogmap.maps._text import short
from cogmap.maps.drawing.view import author_positions, edge_strength
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel
from cogmap.page.columns import (
    cells,
    concept_columns,
    features_of,
    number_columns,
    plain,
    prepared_columns,
    scaling_name,
)
from cogmap.page.opening import Opened, few
from cogmap.page.picture import picture_of
from cogmap.page.sample import by_class, by_value, rows_shown

Payload = dict[str, Any]

VERSION = 1
_KINDS = {"feature": 0, "hidden": 1, "output": 2}
_TYPICAL = 200  # rows on which influences are measured where none are given
_SPARSE = 0.5  # of weights: below this share only those that are not 0 are listed


def make_payload(opened: Opened) -> Payload:
    """Return the payload of a model with perhaps a table."""
    payload = _of_map(opened) if opened.model is None else _of_model(opened, opened.model)
    return {"title": _title(opened), **payload}


def _title(opened: Opened) -> str:
    said = opened.fcm.details.get("name")
    if isinstance(said, str) and said:
        return said
    return f"A map of {opened.target or f'{opened.fcm.n_concepts} concepts'}"


def _of_map(opened: Opened) -> Payload:
    fcm = opened.fcm
    columns = concept_columns(fcm)
    drawn = picture_of(fcm.concepts, fcm.weights, None, None, author_positions(fcm.concepts, fcm.details))
    drivers = [fcm.concepts.index(name) for name in fcm.drivers]
    return {
        "kind": "map",
        **_map_part(fcm, ["output"] * fcm.n_concepts),
        "n_outputs": fcm.n_concepts,
        "outputs": list(fcm.concepts),
        "columns": columns,
        "features": [{"inputs": [j]} for j in range(fcm.n_concepts)],
        "details": fcm.details,
        "drivers": drivers,
        "sample": {"columns": [], "answers": None, "numbers": []},
        "notes": _notes(opened, [], 0, drawn["graph"]["left_out"]),
        **drawn,
    }


def _of_model(opened: Opened, model: MapModel) -> Payload:
    table = opened.table
    link: Any = model.link
    encoding = model.encoding
    classes = getattr(link, "classes", None)
    columns = number_columns(encoding, opened.names, table)
    if opened.preparer is not None:
        columns = prepared_columns(opened.preparer, columns)
    chosen = _chosen(opened, model, len(columns))
    shown = None if table is None else table[chosen]
    subject = Subject(model, opened.names)
    measured = subject.typical_rows(_TYPICAL) if shown is None else shown
    strength = edge_strength(influence(model, measured).flow)
    drawn = picture_of(opened.fcm.concepts, opened.fcm.weights, model.kinds, strength, None)
    importances = feature_importances(model, measured, n_repeats=1).importances_mean
    for column in columns:
        column["importance"] = round(float(importances[column["features"]].sum() / (importances.sum() or 1.0)), 4)
    return {
        "kind": "regressor" if classes is None else "classifier",
        "target": opened.target,
        "prepared": opened.preparer is not None,
        **_map_part(opened.fcm, model.kinds),
        "depth": model.depth,
        "n_outputs": model.n_outputs,
        "outputs": link.names if classes is None else [str(label) for label in classes.tolist()],
        "link": _link(link),
        "scaling": scaling_name(encoding),
        "features": features_of(encoding),
        "mean": plain(subject.mean_row()),
        "columns": columns,
        "sample": {
            "columns": [] if shown is None else [cells(column, shown) for column in columns],
            "answers": _plain_answers(opened, chosen),
            "numbers": chosen.tolist(),
        },
        "n_rows": 0 if table is None else len(table),
        "notes": _notes(opened, columns, len(chosen), drawn["graph"]["left_out"]),
        **drawn,
    }


def _map_part(fcm: FuzzyCognitiveMap, kinds: Any) -> Payload:
    """Return the map, its numbers in full."""
    W = fcm.weights
    dense = np.count_nonzero(W) > _SPARSE * W.size
    slope, activation = fcm.slope, fcm.activation
    return {
        "version": VERSION,
        "concepts": list(fcm.concepts),
        "kinds": [_KINDS[kind] for kind in kinds],
        "weights": _dense(W) if dense else _sparse(W),
        "bias": plain(fcm.bias),
        "slope": slope if isinstance(slope, float) else plain(slope),
        "activation": activation if isinstance(activation, str) else list(activation),
    }


def _dense(weights: NDArray[np.float64]) -> str:
    """Return the bytes of all weights, row by row, in base64: shorter than their digits, and read at once."""
    return base64.b64encode(weights.astype("<f8").tobytes()).decode("ascii")


def _sparse(weights: NDArray[np.float64]) -> list[list[Any]]:
    """Return for each row the weights that are not 0, each with its column."""
    return [list(zip(np.flatnonzero(row).tolist(), plain(row[row != 0.0]), strict=True)) for row in weights]


def _link(link: Any) -> Payload:
    if link.output == "single":
        return {"kind": "log-odds"}
    if link.output == "one_hot":
        return {"kind": "softmax", "gain": float(link.gain)}
    return {"kind": "values", "mean": plain(link.mean), "deviation": plain(link.deviation)}


def _chosen(opened: Opened, model: MapModel, n_columns: int) -> NDArray[np.intp]:
    """Return the numbers of the rows that are shown."""
    if opened.table is None:
        return np.empty(0, dtype=np.intp)
    n_shown = rows_shown(len(opened.table), n_columns)
    if n_shown == len(opened.table):
        return np.arange(n_shown)
    if getattr(model.link, "classes", None) is None:
        values = model.outputs(opened.table) if opened.answers is None else opened.answers
        return by_value(np.nan_to_num(values[:, 0]), n_shown)
    codes = model.outputs(opened.table).argmax(axis=1) if opened.answers is None else opened.answers
    return by_class(codes, n_shown)


def _plain_answers(opened: Opened, chosen: NDArray[np.intp]) -> list[Any] | None:
    if opened.answers is None:
        return None
    answers = opened.answers[chosen]
    if answers.ndim == 1:
        return [None if code < 0 else int(code) for code in answers]
    return [None if np.isnan(values).any() else plain(values) for values in answers]


def _notes(opened: Opened, columns: list[dict[str, Any]], n_shown: int, left_out: int) -> list[str]:
    """Return a sentence for each thing that a reader would miss."""
    notes = []
    n_rows = 0 if opened.table is None else len(opened.table)
    if n_shown < n_rows:
        share = "class" if opened.model is not None and hasattr(opened.model.link, "classes") else "part of the range"
        notes.append(f"{n_shown:,} of {n_rows:,} rows are shown, in which every {share} has its share.")
    if left_out:
        n_concepts = opened.fcm.n_concepts
        notes.append(
            f"The picture leaves out {left_out:,} of {n_concepts:,} concepts, those with the weakest influences. "
            "They are computed with all the same."
        )
    constant = [column["name"] for column in columns if "low" in column and column["low"] == column["high"]]
    if constant:
        notes.append(f"Always the same in training, so that nothing is known of other values: {few(constant)}.")
    unused = {} if opened.preparer is None else opened.preparer.left_out_
    if unused:
        reasons = [f"{short(name)} ({reason})" for name, reason in unused.items()]
        notes.append(f"Columns of the table that the map does not use: {few(reasons)}.")
    return [*notes, *opened.notes]
