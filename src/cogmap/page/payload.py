"""Data of the page as a plain dict: the map, the encoding of rows, a sample of rows, and the drawn graph."""

import base64
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation import feature_importances, influence
from cogmap.explanation._subject import Subject
from cogmap.explanation.rules import carried_share
from cogmap.maps._text import short
from cogmap.maps.drawing.view import ALL_DRAWN, author_positions, edge_strength
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import LogLink, QuantileLink
from cogmap.models.model import MapModel
from cogmap.page.card import add_effects, card_part
from cogmap.page.columns import (
    cells,
    concept_columns,
    features_of,
    number_columns,
    plain,
    prepared_columns,
    scaling_name,
)
from cogmap.page.forecasts import forecast_part
from cogmap.page.picture import picture_of
from cogmap.page.sample import by_class, by_value, rows_shown
from cogmap.page.subject import PageSubject, few

Payload = dict[str, Any]

VERSION = 1
_KINDS = {"feature": 0, "hidden": 1, "output": 2}
_N_TYPICAL = 200  # rows drawn to measure influences if there is no table
_LEVEL = 0.9  # of intervals and sets of classes
_SPARSE = 0.5  # share of nonzero weights up to which only these are stored


def make_payload(page: PageSubject, max_rows: int | None = None) -> Payload:
    """Return the payload of a model, with or without a table, or of a hand-made map."""
    payload = _of_map(page) if page.model is None else _of_model(page, page.model, max_rows)
    if page.forecaster is not None:
        payload["forecast"] = forecast_part(page.forecaster)
    return {"title": _title(page), **payload}


def _title(page: PageSubject) -> str:
    name = page.fcm.details.get("name")
    if isinstance(name, str) and name:
        return name
    if page.card:
        return f"{page.target}, from {page.card['table']['name']}"
    return f"A map of {page.target or f'{page.fcm.n_concepts} concepts'}"


def _of_map(page: PageSubject) -> Payload:
    fcm = page.fcm
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
        "notes": _notes(page, [], 0, drawn["graph"]),
        **drawn,
    }


def _of_model(page: PageSubject, model: MapModel, max_rows: int | None) -> Payload:
    table = page.table
    link: Any = model.link
    encoding = model.encoding
    classes = getattr(link, "classes", None)
    columns = number_columns(encoding, page.names, table)
    if page.preparer is not None:
        columns = prepared_columns(page.preparer, columns)
    chosen = _chosen(page, model, len(columns), max_rows)
    shown = None if table is None else table[chosen]
    subject = Subject(model, page.names)
    rows = subject.typical_rows(_N_TYPICAL) if shown is None or not len(shown) else shown
    strength = edge_strength(influence(model, rows).flow)
    # The card says what the drawn arrows carry, measured on more rows.
    carried = None if "carried" in page.card.get("map", {}) else partial(carried_share, model, X=rows)
    drawn = picture_of(page.fcm.concepts, page.fcm.weights, model.kinds, strength, None, carried)
    importances = feature_importances(model, rows, n_repeats=1).importances_mean
    for column in columns:
        column["importance"] = round(float(importances[column["features"]].sum() / (importances.sum() or 1.0)), 4)
    add_effects(columns, model, rows)
    return {
        "kind": "regressor" if classes is None else "classifier",
        "target": page.target,
        "prepared": page.preparer is not None,
        "n_columns": page.n_columns,
        **_map_part(page.fcm, model.kinds),
        "depth": model.depth,
        "n_outputs": model.n_outputs,
        "outputs": link.names if classes is None else [str(label) for label in classes.tolist()],
        "link": _link(link),
        **_sure(page),
        "scaling": scaling_name(encoding),
        "features": features_of(encoding),
        "mean": plain(subject.typical_row()),
        "columns": columns,
        "sample": {
            "columns": [] if shown is None else [cells(column, shown) for column in columns],
            "answers": _plain_answers(page, chosen),
            "numbers": chosen.tolist(),
            "unusual": _unusual(page, shown),
        },
        "n_rows": 0 if table is None else len(table),
        **card_part(page.card, columns, page.preparer, page.learned_rows),
        "notes": _notes(page, columns, len(chosen), drawn["graph"]),
        **drawn,
    }


def _map_part(fcm: FuzzyCognitiveMap, kinds: Any) -> Payload:
    """Return the map with numbers in full precision."""
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
        "held": [fcm.concepts.index(name) for name in fcm.held],
    }


def _dense(numbers: NDArray[np.floating]) -> str:
    """Return all numbers, row by row, as float64 bytes in base64: shorter than digits, and fast to read."""
    return base64.b64encode(numbers.astype("<f8").tobytes()).decode("ascii")


def _sparse(weights: NDArray[np.float64]) -> list[list[Any]]:
    """Return the nonzero weights of each row, each with its column."""
    return [list(zip(np.flatnonzero(row).tolist(), plain(row[row != 0.0]), strict=True)) for row in weights]


def _sure(page: PageSubject) -> Payload:
    """Return what intervals, sets of classes and the novelty of rows need, as far as it is known."""
    payload: Payload = {}
    link: Any = None if page.model is None else page.model.link
    if (errors := page.errors) is not None:
        payload["sure"] = {"level": _LEVEL, "quantile": plain(errors.quantile(_LEVEL))}
        if isinstance(link, QuantileLink):
            payload["sure"]["sides"] = [plain(side) for side in errors.quantile((1 + _LEVEL) / 2).reshape(2, -1)]
        elif errors.spread is not None:
            payload["sure"]["spread"] = [plain(of_target) for of_target in errors.spread.T]
    if (distances := page.distances) is not None:
        arrays = {name: _dense(getattr(distances, name)) for name in ("center", "scale", "precision", "quantiles")}
        payload["distances"] = {**arrays, "n_rows": distances.n_rows, "strange": distances.strange}
    return payload


def _unusual(page: PageSubject, shown: NDArray[np.floating] | None) -> list[int] | None:
    """Return the places of the rows that are unlike the training data, None if that is unknown."""
    if page.distances is None or shown is None:
        return None
    p_values = page.distances.p_values(np.asarray(shown, dtype=np.float64))
    return np.flatnonzero(p_values <= page.distances.strange).tolist()


def _link(link: Any) -> Payload:
    if link.output == "single":
        return {"kind": "log-odds"}
    if link.output == "one_hot":
        return {"kind": "softmax", "gain": float(link.gain)}
    if link.output == "ordered":
        limits = [[None if np.isinf(end) else end for end in ends.tolist()] for ends in (link.low, link.high)]
        return {"kind": "ordered", "low": limits[0], "high": limits[1], "factors": plain(link.factors)}
    of_values = {"mean": plain(link.mean), "deviation": plain(link.deviation)}
    if link.output == "labels":
        return {"kind": "labels", **of_values}
    if isinstance(link, LogLink):
        return {"kind": "log", **of_values, **{name: plain(getattr(link, name)) for name in ("spread", "low", "high")}}
    crossing = isinstance(link, QuantileLink) and link.is_sorted
    return {"kind": "sorted" if crossing else "values", **of_values}


def _chosen(page: PageSubject, model: MapModel, n_columns: int, max_rows: int | None) -> NDArray[np.intp]:
    """Return the indices of the rows in the sample."""
    if page.table is None:
        return np.empty(0, dtype=np.intp)
    n_shown = rows_shown(len(page.table), n_columns, max_rows)
    if n_shown in (0, len(page.table)):
        return np.arange(n_shown)
    if getattr(model.link, "classes", None) is None:
        values = model.outputs(page.table) if page.answers is None else page.answers
        return by_value(np.nan_to_num(values[:, 0]), n_shown)
    codes = model.outputs(page.table).argmax(axis=1) if page.answers is None else page.answers
    return by_class(codes, n_shown)


def _plain_answers(page: PageSubject, chosen: NDArray[np.intp]) -> list[Any] | None:
    if page.answers is None:
        return None
    answers = page.answers[chosen]
    if answers.ndim == 1:
        return [None if code < 0 else int(code) for code in answers]
    return [None if np.isnan(values).any() else plain(values) for values in answers]


def _notes(page: PageSubject, columns: list[dict[str, Any]], n_shown: int, graph: dict[str, Any]) -> list[str]:
    """Return notes on sampled rows, omitted concepts, drawn arrows, constant columns, and omitted columns."""
    notes, left_out = [], graph["left_out"]
    n_rows = 0 if page.table is None else len(page.table)
    if 0 < n_shown < n_rows:
        of_classes = page.model is not None and hasattr(page.model.link, "classes")
        keep = "each class keeps its share" if of_classes else "low and high answers keep their shares"
        notes.append(f"{n_shown:,} of {n_rows:,} rows are shown, drawn so that {keep}.")
    if left_out:
        n_concepts = page.fcm.n_concepts
        notes.append(
            f"The picture leaves out {left_out:,} of {n_concepts:,} concepts, those with the weakest influences. "
            "The computation includes them."
        )
    if page.model is not None:
        # The page opens with a simple view, of columns and the answer.
        notes.append(graph["note"].replace(ALL_DRAWN, "“Show the inside” draws all of it"))
    constant = [column["name"] for column in columns if "low" in column and column["low"] == column["high"]]
    if constant:
        notes.append(f"Constant in the training data, so the effect of other values is unknown: {few(constant)}.")
    unused = {} if page.preparer is None else page.preparer.left_out_
    if unused:
        reasons = [f"{short(name)} ({reason})" for name, reason in unused.items()]
        notes.append(f"Columns of the table that the map does not use: {few(reasons, whole=True)}.")
    return [*notes, *page.notes]
