"""The card of a model on its page: what it says in sentences, certainty, what matters, and effects of columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._subject import effects_per_deviation
from cogmap.models.model import MapModel
from cogmap.table.sentences import (
    Figure,
    Sentence,
    brief,
    direction,
    edit_sentences,
    opposite,
    pointer,
    quality,
    warning,
)

_MATTER = 5  # columns listed as those that matter most
_SIGN = 0.02  # an effect this small beside the largest of its output has no direction


def add_effects(columns: list[dict[str, Any]], model: MapModel, rows: NDArray[np.floating]) -> None:
    """Add to each column with an order the mean effect of a deviation on each output, relative to the largest."""
    effects = effects_per_deviation(model, rows)
    largest = np.abs(effects).max(axis=1, keepdims=True)
    shares = effects / np.where(largest == 0.0, 1.0, largest)
    for column in columns:
        if len(column["features"]) == 1:
            of_column = shares[:, column["features"][0]]
            column["effects"] = [round(float(share), 3) if abs(share) >= _SIGN else 0 for share in of_column]


def card_part(
    card: dict[str, Any], columns: list[dict[str, Any]], preparer: Any, learned_rows: float | None
) -> dict[str, Any]:
    """Return the parts of the payload that come from a card; every number has its place in the card as its key."""
    decimals = [getattr(column, "decimal", ".") for column in getattr(preparer, "columns_", ())]
    decimals.append(((card.get("target") or {}).get("numbers") or {}).get("decimal", "."))
    part: dict[str, Any] = {"decimal": "," if "," in decimals else ".", "learned_rows": learned_rows}
    if not card:
        return part
    units, names = card.get("units", {}), [column["name"] for column in columns]
    matters = {entry["column"]: (place, entry) for place, entry in enumerate(card["importances"])}
    parts = {
        name: (place, share) for place, entry in matters.values() for name, share in entry.get("parts", {}).items()
    }
    for column in columns:
        if column["name"] in units:
            column["unit"] = units[column["name"]]
        if column["name"] in parts:  # a date has several columns on the page
            place, share = parts[column["name"]]
            column |= {"importance": share, "key": pointer("importances", place, "parts", column["name"])}
        if column["name"] in matters:
            place, entry = matters[column["name"]]
            column |= {"importance": entry["share"], "key": pointer("importances", place, "share")}
            if "more" not in entry and "effects" in column:  # as the card says
                column["effects"] = [0] * len(column["effects"])
    fixed = card.get("settings", {}).get("fixed", ())
    return part | {
        "unit": card["target"].get("unit", ""),
        "fixed": [place for place, name in enumerate(names) if name in fixed],
        "card": {
            "quality": [_parts(sentence) for sentence in quality(card)] if "comparisons" in card else [],
            "brief": _parts(brief(card)),
            "warning": warning(card),
            "matters": [
                {"name": entry["column"], "share": entry["share"], "key": pointer("importances", place, "share")}
                | {"leads": _parts(direction(place, card)), "opposite": opposite(entry)}
                for place, entry in enumerate(card["importances"][:_MATTER])
            ],
            "certainty": card.get("certainty"),
            "errors": card.get("errors"),
            "edits": _edits(card) if "edits" in card else None,
            "rows": card["table"]["learned from"],
        },
    }


def _edits(card: dict[str, Any]) -> dict[str, Any]:
    edits = card["edits"]
    arrows = len(edits["arrows"]) + len(edits["left out"])
    words = {name: edits[name] for name in ("by", "reason", "day")}
    return words | {"arrows": arrows, "sentences": [_parts(sentence) for sentence in edit_sentences(card)]}


def _parts(sentence: Sentence) -> list[Any]:
    return [part._asdict() if isinstance(part, Figure) else part for part in sentence]
