"""Columns of categories with an order."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from cogmap._utils.params import shown
from cogmap.table.columns.base import Array, Column, Features, Unseen, Value, frequencies


@dataclass(frozen=True)
class OrderedColumn(Column):
    """Categories with an order, as one feature: 0 for the first, 1 for the second.

    Attributes
    ----------
    choices : tuple of str
        The categories, the lowest first.
    """

    kind: ClassVar[str] = "ordered"

    choices: tuple[str, ...] = ()
    _places: dict[str, Features] = field(init=False, repr=False, compare=False)

    def _is_possible(self) -> bool:
        return super()._is_possible() and len(set(self.choices)) == len(self.choices) > 1

    def __post_init__(self) -> None:
        places = {text: (float(place),) for place, text in enumerate(self.choices)}
        object.__setattr__(self, "_places", places)

    def value(self, text: str) -> Value:
        """Return the place of a category in the order."""
        return self._places.get(text) or Unseen(text)

    def _statistics(self, known: Array) -> dict[str, Any]:
        return frequencies(self.choices, known[:, 0])

    def _label(self, features: Array) -> str:
        return self.choices[round(float(features[0]))]

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        text = f"One of {shown(self.choices)[1:-1]}, in this order. Other values count as missing, with a note."
        return {"type": ["string", "number", "boolean", "null"], "examples": list(self.choices), "description": text}

    def example(self, ranges: Array | None) -> Any:
        """Return the lowest category."""
        return self.choices[0]

    def page(self, features: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one column of words for 0, 1, and so on, as a boolean has for 0 and 1."""
        return [{**features[0], "name": self.name, "choices": list(self.choices), "words": {}}]

    def onnx(self, builder: Any, cells: str) -> str:
        """Look up the place of a category in the order."""
        return str(builder.places(cells, self.choices))
