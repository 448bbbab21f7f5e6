"""Predict the rows of a table file chunk by chunk, in bounded memory."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cogmap.exceptions import DataError
from cogmap.table.files import Part, read_parts
from cogmap.table.files.sources import name_of
from cogmap.table.model import TableModel
from cogmap.table.predictions import STRANGE, Predictions
from cogmap.table.preparation.reading import unseen_notes


class Scanned(NamedTuple):
    """A chunk of rows as read from the file, their predictions, and the number of rows before them."""

    frame: Any
    predictions: Predictions
    first: int


@dataclass
class Scan:
    """One pass of a model over a table file, which counts unseen values and rows without a prediction."""

    model: TableModel
    path: str
    n_rows: int = 0
    n_faults: int = 0
    n_strange: int = 0
    _notes: list[str] = field(default_factory=list)
    _unseen: dict[str, Counter[str]] = field(default_factory=dict)

    def parts(self) -> Iterator[Scanned]:
        """Yield the table chunk by chunk, with predictions."""
        target = self.model.target.name
        for number, part in enumerate(self._read(target)):
            try:
                frame, notes = self.model.preparer.arranged(part.frame.drop(columns=[target], errors="ignore"))
            except DataError as problem:
                raise DataError(f"{name_of(self.path)} does not fit the model. {problem}") from None
            self._notes += part.notes + (notes if number == 0 else [])
            predictions = self.model.answer(frame, part.faults)
            for name, counts in predictions.unseen.items():
                self._unseen.setdefault(name, Counter()).update(counts)
            self.n_faults += len(predictions.faults)
            self.n_strange += len(predictions.strange)
            yield Scanned(part.frame, predictions, self.n_rows)
            self.n_rows += len(frame)
        if not self.n_rows:
            raise DataError(f"{name_of(self.path)} has a header and no rows.")

    def _read(self, target: str) -> Iterator[Part]:
        """Read the table chunk by chunk, with a header if the training table had one."""
        has_header = self.model.card.get("table", {}).get("header", True)
        return read_parts(self.path, texts=[*self.model.texts, target], has_header=has_header)

    def notes(self) -> list[str]:
        """Return notes on the file, unused columns, unseen values and rows without a prediction."""
        notes = [*self._notes, *unseen_notes(self._unseen)]
        if self.n_strange:
            rows = "1 row is" if self.n_strange == 1 else f"{self.n_strange:,} rows are"
            notes.append(f"{rows} {STRANGE}: farther from its mean than 99 % of the training rows.")
        if self.n_faults:
            rows = "1 row has" if self.n_faults == 1 else f"{self.n_faults:,} rows have"
            notes.append(f"{rows} no prediction; the column `note` gives the reason.")
        return notes

    def row(self, number: int) -> Scanned:
        """Return one row and its prediction; `number` counts from 1."""
        for part in self.parts():
            if number <= part.first + len(part.frame):
                place = number - part.first - 1
                predictions = part.predictions
                if place in predictions.faults:
                    raise DataError(f"Row {number} cannot be used: {predictions.faults[place]}.")
                one = Predictions(
                    predictions.features[[place]], predictions.outputs[[place]], predictions.labels[[place]], {}, [], {}
                )
                return Scanned(part.frame.iloc[[place]], one, number - 1)
        raise DataError(f"{name_of(self.path)} has {self.n_rows:,} rows, and no row {number:,}.")
