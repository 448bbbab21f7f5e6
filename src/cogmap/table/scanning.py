"""What a model says about a table in a file, part by part and in bounded memory."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cogmap.exceptions import DataError
from cogmap.table.files import Part, read_parts
from cogmap.table.files.sources import name_of
from cogmap.table.model import Said, TableModel
from cogmap.table.preparation.reading import unseen_notes


class Scanned(NamedTuple):
    """Some rows as they were read, what the map says about them, and the number of the first."""

    frame: Any
    said: Said
    first: int


@dataclass
class Scan:
    """A reading of a table by a model; what was strange is counted."""

    model: TableModel
    path: str
    n_rows: int = 0
    n_faults: int = 0
    _notes: list[str] = field(default_factory=list)
    _unseen: dict[str, Counter[str]] = field(default_factory=dict)

    def parts(self) -> Iterator[Scanned]:
        """Return all rows, some at a time."""
        target = self.model.target.name
        for number, part in enumerate(self._read(target)):
            try:
                frame, notes = self.model.preparer.arranged(part.frame.drop(columns=[target], errors="ignore"))
            except DataError as problem:
                raise DataError(f"{name_of(self.path)} does not fit the model. {problem}") from None
            self._notes += part.notes + (notes if number == 0 else [])
            said = self.model.say(frame, part.faults)
            for name, counts in said.unseen.items():
                self._unseen.setdefault(name, Counter()).update(counts)
            self.n_faults += len(said.faults)
            yield Scanned(part.frame, said, self.n_rows)
            self.n_rows += len(frame)
        if not self.n_rows:
            raise DataError(f"{name_of(self.path)} has a header and no rows.")

    def _read(self, target: str) -> Iterator[Part]:
        """Read the table with or without a header, as in training."""
        has_header = self.model.card.get("table", {}).get("header", True)
        return read_parts(self.path, texts=[*self.model.texts, target], has_header=has_header)

    def notes(self) -> list[str]:
        """Return what was strange, a sentence each."""
        notes = [*self._notes, *unseen_notes(self._unseen)]
        if self.n_faults:
            rows = "1 row has" if self.n_faults == 1 else f"{self.n_faults:,} rows have"
            notes.append(f"{rows} no prediction; the column `note` says why.")
        return notes

    def row(self, number: int) -> Scanned:
        """Return one row, counted from 1."""
        for part in self.parts():
            if number <= part.first + len(part.frame):
                place = number - part.first - 1
                said = part.said
                if place in said.faults:
                    raise DataError(f"Row {number} cannot be used: {said.faults[place]}.")
                one = Said(said.features[[place]], said.outputs[[place]], said.labels[[place]], {}, {})
                return Scanned(part.frame.iloc[[place]], one, number - 1)
        raise DataError(f"{name_of(self.path)} has {self.n_rows:,} rows, and no row {number:,}.")
