"""`SectionsMixin`: what a `TableModel` keeps about its training besides the map."""

from typing import Any


class SectionsMixin:
    """Optional sections of the model file, and settings on the card, as attributes."""

    card: Any
    sections: dict[str, Any]
    columns: Any

    @property
    def held_out_(self) -> dict[str, Any] | None:
        """Scores of `fit_table` on rows that were not learned from, and how these were chosen; None if unknown."""
        return self.sections.get("held_out")

    @property
    def training_statistics_(self) -> dict[str, Any] | None:
        """Number of training rows, and statistics of each column by name; None if unknown."""
        return self.sections.get("training_statistics")

    @property
    def edits_(self) -> dict[str, Any] | None:
        """Changes made by hand with which the map was trained, as `read_edits` returns them; None if there are none."""
        return self.sections.get("edits")

    @property
    def fixed(self) -> list[str]:
        """Names of the columns that `what_if` does not change, as asked for in `fit_table`."""
        return [name for name in self.card.get("settings", {}).get("fixed", ()) if name in self.columns]
