"""Files of concept names, for map files that identify concepts by numbers or short names."""

import json
import re
from typing import Any, NamedTuple

from cogmap._utils.params import suggestion
from cogmap._utils.text import decoded
from cogmap.exceptions import DataError
from cogmap.maps.formats.delimited import are_pairs, read_grid
from cogmap.maps.formats.drawing import Drawing, details_from_text, label
from cogmap.maps.formats.words import as_number

_PAIR = re.compile(r"\s*(\d+)\s*:\s*(\"[^\"]*\"|'[^']*')\s*(?:,|$)")
_NUMBER_HEADERS = {"id", "number", "no", "nr", "#", "index"}
_NAME_HEADERS = {"name", "names", "concept", "concepts", "label"}
_ABOUT = ("group", "description", "notes", "units", "x", "y")


class Named(NamedTuple):
    """A concept: its name, its identifiers in edges, and its details."""

    name: str
    ids: tuple[str, ...]
    about: dict[str, Any]


def is_list_of_concepts(value: object) -> bool:
    """Return whether a JSON value is a list of concepts without edges."""
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(item, str) for item in value):
        return True
    return all(isinstance(item, dict) and "name" in item and "affects" not in item for item in value)


def read_names(content: bytes) -> list[Named]:
    """Read the concepts in a file, in their order."""
    text = decoded(content)
    if are_pairs(text):
        inside = text.strip()[1:-1]
        pairs = _PAIR.findall(inside)
        if _PAIR.sub("", inside).strip():
            raise DataError(f'it does not have the form {{1:"name", 2:"name"}}: {_PAIR.sub("", inside).strip()[:40]!r}')
        return [Named(name[1:-1], (number,), {}) for number, name in pairs]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _from_cells([row for row in read_grid(text).rows if any(cell is not None for cell in row)])
    if isinstance(value, dict) and all(isinstance(name, str) for name in value.values()):
        return [Named(name, (number,), {}) for number, name in value.items()]
    if not is_list_of_concepts(value):
        raise DataError("it is not a list of concepts")
    return [_from_item(item) for item in value]


def _from_item(item: str | dict[str, Any]) -> Named:
    if isinstance(item, str):
        return Named(item, (), {})
    ids = tuple(label(item[key]) for key in ("variable", "id") if item.get(key) is not None)
    about = details_from_text((key, item.get(key)) for key in _ABOUT if not isinstance(item.get(key), list | dict))
    return Named(label(item["name"]).strip(), ids, about)


def _from_cells(rows: list[list[Any]]) -> list[Named]:
    """Read a table with the columns number, name and notes, of which number and notes are optional."""
    header = [label(cell).strip().casefold() for cell in rows[0]] if rows else []
    if header and (header[0] in _NUMBER_HEADERS or header[0] in _NAME_HEADERS):
        rows = rows[1:]
    if not rows:
        raise DataError("it is empty")
    numbered = len(rows[0]) > 1 and all(as_number(row[0]) is not None for row in rows)
    concepts = []
    for row in rows:
        name, *rest = row[1:] if numbered else row
        about = details_from_text(zip(("notes",), rest, strict=False))
        concepts.append(Named(label(name).strip(), (label(row[0]).strip(),) if numbered else (), about))
    return concepts


def renamed(drawing: Drawing, names: list[Named]) -> Drawing:
    """Return the drawing with its concepts renamed and reordered."""
    start = 0 if "0" in drawing.concepts else 1
    result = Drawing(details=drawing.details)
    for k, (name, ids, about) in enumerate(names, start=start):
        result.add(name, "the names of the concepts", dict(about), *(ids or (str(k), f"C{k + 1 - start}")))
    new_names = {}
    for old, details in drawing.concepts.items():
        new_names[old] = name = result.ids.get(old, old)
        if name not in result.concepts:
            hint = suggestion(old, [*result.concepts, *result.ids])
            raise DataError(f"the concept {old!r} is not among the {len(names)} names. {hint}".strip())
        result.concepts[name] = details | result.concepts[name]
        if old in drawing.parameters:
            result.parameters[name] = drawing.parameters[old]
    result.edges = [
        edge._replace(source=new_names[edge.source], target=new_names[edge.target]) for edge in drawing.edges
    ]
    result.held = [new_names[name] for name in drawing.held]
    return result
