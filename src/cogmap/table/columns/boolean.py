"""Columns of booleans."""

from dataclasses import dataclass
from typing import Any, ClassVar

from cogmap._utils.text import quoted
from cogmap.table.columns.base import Array, Column, Unseen, Value, frequencies
from cogmap.table.columns.texts import TRUTH, boolean


@dataclass(frozen=True)
class BooleanColumn(Column):
    """Booleans, encoded as 1 and 0.

    Attributes
    ----------
    choices : tuple of str
        The words for no and yes, as they are written in the table.
    """

    kind: ClassVar[str] = "boolean"
    json_expected: ClassVar[str] = "a boolean, string, number or null"

    choices: tuple[str, ...] = ("False", "True")

    def _is_possible(self) -> bool:
        return super()._is_possible() and len(self.choices) == 2

    def value(self, text: str) -> Value:
        """Return 1 or 0 for a word."""
        number = boolean(text)
        return Unseen(text) if number is None else (number,)

    def _statistics(self, known: Array) -> dict[str, Any]:
        return frequencies(self.choices, known[:, 0])

    def _label(self, features: Array) -> str:
        return self.choices[int(features[0])]

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        no, yes = self.choices
        text = f"true or false, or {quoted(yes)} or {quoted(no)}. Other values count as missing, with a note."
        values = [{"True": True, "False": False}.get(choice, choice) for choice in self.choices]
        return {"type": ["boolean", "string", "number", "null"], "examples": values, "description": text}

    def example(self, ranges: Array | None) -> Any:
        """Return the value for yes."""
        return True if self.choices[1] == "True" else self.choices[1]

    def page(self, features: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one column with two choices."""
        return [{**features[0], "name": self.name, "choices": list(self.choices), "words": TRUTH}]

    def onnx(self, builder: Any, cells: str) -> str:
        """Look up all spellings of yes and no, in lower case, upper case and capitalized."""
        words = {form(word): int(yes) for word, yes in TRUTH.items() for form in (str, str.upper, str.capitalize)}
        return str(builder.one_hot(cells, words, [1]))

    def _onnx_text(self, text: str) -> str:
        return text.casefold()
