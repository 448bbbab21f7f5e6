"""What all answers share: they are plain numbers and names, as a table, as JSON, and as text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap.maps._text import aligned, short

LINES_SHOWN = 10  # of a table in text
_WIDEST = 100  # columns of text


class Answer:
    """Mixin for frozen dataclasses of numbers, names and other answers. What begins with "_" is not shown."""

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as lists, numbers and strings."""
        names = [field.name for field in fields(self) if not field.name.startswith("_")]  # type: ignore[arg-type]
        return {name: _plain(getattr(self, name)) for name in names}

    def to_json(self) -> str:
        """Return all that was found as JSON; a value that is missing is null."""
        return json.dumps(self.to_dict(), allow_nan=False)


class Drawn(Answer):
    """Mixin for answers of which there is a picture."""

    _picture: ClassVar[str]  # which function of cogmap.plotting draws it

    def plot(self, **options: Any) -> Any:
        """Draw it; options are those of the function of `cogmap.plotting` that does, such as `ax`.

        Returns
        -------
        matplotlib Axes
        """
        from cogmap import plotting

        return getattr(plotting, self._picture)(self, **options)


def frame(owner: str, columns: Mapping[str, Any]) -> Any:
    """Return a data frame of pandas."""
    return import_or_raise("pandas", f"{owner}.to_frame", "table").DataFrame(dict(columns))


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a table in lines, the first column to the left; columns that would make it too wide are left out."""
    cells = [[short(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) + 2 for column in zip(*cells, strict=True)]
    fitting = max(int(np.searchsorted(np.cumsum(widths), _WIDEST + 2, side="right")), 1)
    return [line[:_WIDEST].rstrip() for line in aligned([row[:fitting] for row in cells])]


def number(value: float, sign: str = "") -> str:
    """Write a number with four decimals, a large one with five digits."""
    return f"{value:{sign}.4f}" if abs(value) < 1e4 else f"{value:{sign}.5g}"


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it."""
    if isinstance(value, Answer):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "to_numpy"):  # a data frame
        return _plain(value.to_numpy())
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)
