"""JSON files: detect the dialect (cogmap, Mental Modeler or another tool) and read the maps."""

import json

from cogmap._utils.text import decoded
from cogmap.exceptions import DataError
from cogmap.maps.formats import mental_modeler, other_json, own_json
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import LETTERS, WORDS, Scale


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Read the maps in a JSON file."""
    text = decoded(content)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as problem:
        raise DataError(f"line {problem.lineno}, column {problem.colno}: it is not JSON: {problem.msg}") from None
    except (ValueError, RecursionError) as problem:
        raise DataError(f"it is not valid JSON: {problem}") from None
    if own_json.is_ours(value):
        return own_json.read_json(value, scale or WORDS)
    if mental_modeler.is_mental_modeler(value):
        return mental_modeler.read_json(value, scale or LETTERS)
    return other_json.read_json(value, scale or WORDS)
