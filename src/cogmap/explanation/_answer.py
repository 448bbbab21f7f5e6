"""What all answers share: they are plain numbers and names, as a table, as JSON, and as text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from cogmap._optional import import_or_raise

# A column of a table: its name and its values.
Columns = Mapping[str, Sequence[Any]]


class Answer:
    """Mixin for frozen dataclasses of numbers, names and other answers."""

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as lists, numbers and strings."""
        shown = [field.name for field in fields(self) if not field.name.startswith("_")]  # type: ignore[arg-type]
        return {name: _plain(getattr(self, name)) for name in shown}

    def to_json(self) -> str:
        """Return all that was found as JSON; what is not a number is null."""
        return json.dumps(self.to_dict(), allow_nan=False)


def frame(columns: Columns, owner: str) -> Any:
    """Return a pandas data frame."""
    return import_or_raise("pandas", f"{owner}.to_frame", "cli").DataFrame(dict(columns))


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it."""
    if isinstance(value, Answer):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
