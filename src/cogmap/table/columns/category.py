"""Columns of categories without an order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import OneHotEncoder

from cogmap._utils.params import shown
from cogmap.table.columns.base import Array, Column, Features, Unseen, Value, frequencies
from cogmap.table.columns.texts import distinct

_CHOICES_SHOWN = 20


@dataclass(frozen=True)
class CategoryColumn(Column):
    """Categories, one feature each that is 1 or 0; rare ones share the last.

    Attributes
    ----------
    choices : tuple of str
        The categories in the order of `outputs`; the last is a name for the rare ones, if there are any.
    rare : tuple of str
        The rare ones.
    """

    kind: ClassVar[str] = "category"
    has_order: ClassVar[bool] = False
    one_hot: ClassVar[bool] = True

    choices: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    _features: dict[str, Features] = field(init=False, repr=False, compare=False)

    def _is_possible(self) -> bool:
        return 0 < len(self.outputs) == len(self.choices)

    def __post_init__(self) -> None:
        rows = [tuple(row) for row in np.eye(len(self.choices)).tolist()]
        frequent = self.choices[:-1] if self.rare else self.choices
        features = dict(zip(frequent, rows, strict=False)) | dict.fromkeys(self.rare, rows[-1] if rows else ())
        object.__setattr__(self, "_features", features)

    def value(self, text: str) -> Value:
        """Return 1 for the feature of a category, 0 for the others."""
        return self._features.get(text) or Unseen(text)

    @classmethod
    def learned(
        cls, name: str, values: Sequence[str], min_frequency: float, max_categories: int, why: str = ""
    ) -> "CategoryColumn":
        """Return a column with the categories of a non-empty sequence.

        A category is kept if it occurs in at least 2 rows and in a fraction of at least `min_frequency` of all rows. If
        no category does, the most frequent ones are kept.
        """
        cells = np.array(values, dtype=object)[:, np.newaxis]
        for at_least in (max(2, math.ceil(min_frequency * len(cells))), 2, 1):
            encoder = OneHotEncoder(min_frequency=at_least, max_categories=max_categories).fit(cells)
            (found,), (infrequent,) = encoder.categories_, encoder.infrequent_categories_
            rare = () if infrequent is None else tuple(infrequent)
            if len(rare) < len(found):
                break
        choices = tuple(text for text in found if text not in set(rare))
        if rare:
            choices += (next(word for word in ("other", "other values", "(other)") if word not in choices),)
        return cls(name, tuple(f"{name}={choice}" for choice in choices), choices, rare, why=why)

    def relearned(self, values: Any, min_frequency: float, max_categories: int) -> "Column":
        """Return a column of the categories in a pandas Series; the same one if it has none."""
        codes, texts = distinct(values)
        known = [text for text in (texts[code] for code in codes) if text is not None]
        return CategoryColumn.learned(self.name, known, min_frequency, max_categories, self.why) if known else self

    def _statistics(self, known: Array) -> dict[str, Any]:
        return frequencies(self.choices, known.argmax(axis=1))

    def _label(self, features: Array) -> str:
        return self.choices[int(features.argmax())]

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        frequent = self.choices[:-1] if self.rare else self.choices
        others = "Rare values share a feature; other values" if self.rare else "Other values"
        text = f"One of {shown(frequent[:_CHOICES_SHOWN])[1:-1]}. {others} count as missing, with a note."
        return {"type": ["string", "number", "boolean", "null"], "examples": list(frequent), "description": text}

    def example(self, ranges: Array | None) -> Any:
        """Return the first category."""
        return self.choices[0]

    def page(self, features: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one column with choices."""
        frequent = max(range(len(features)), key=lambda place: features[place]["mean"])
        return [
            {
                "name": self.name,
                "one_hot": True,
                "features": [feature["features"][0] for feature in features],
                "choices": list(self.choices),
                "rare": list(self.rare),
                "mean": self.choices[frequent],
                "deviations": [feature["deviation"] for feature in features],
                "missing": any(feature["missing"] for feature in features),
            }
        ]

    def onnx(self, builder: Any, cells: str) -> str:
        """Look up the categories."""
        places = {text: features.index(1.0) for text, features in self._features.items()}
        return str(builder.one_hot(cells, places, range(len(self.choices))))
