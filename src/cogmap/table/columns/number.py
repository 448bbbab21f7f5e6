"""Columns of numbers."""

import math
import sys
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.text import cut, quoted
from cogmap.table.columns.base import Array, Cells, Column, Fault, Value
from cogmap.table.columns.numbers import NumberStyle
from cogmap.table.columns.texts import pandas

MAX_FLOAT = sys.float_info.max


@dataclass(frozen=True)
class NumberColumn(Column):
    """Numbers, perhaps written as text.

    Attributes
    ----------
    decimal, unit : str
        How they are written, see `NumberStyle`.
    words : tuple of str
        Words among the numbers in training, such as "unknown": missing values.
    """

    kind: ClassVar[str] = "number"
    json_types: ClassVar[frozenset[type]] = frozenset([int, float, type(None)])
    json_expected: ClassVar[str] = "a number or null"
    onnx_type: ClassVar[type] = float

    decimal: str = "."
    unit: str = ""
    words: tuple[str, ...] = ()

    _style: NumberStyle = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_style", NumberStyle(self.decimal, self.unit))

    def _is_possible(self) -> bool:
        return super()._is_possible() and self.decimal in (".", ",", ":")

    def value(self, text: str) -> Value:
        """Parse a number."""
        if text in self.words:
            return self.gap
        number = self._style.parse(text)
        return Fault(f"{quoted(text)} is not a number") if number is None else self.number(number)

    def number(self, number: float) -> Value:
        """Return a finite or missing number as a feature, or a fault if it is infinite."""
        return Fault(f"{float(number)} is not a finite number") if math.isinf(number) else (float(number),)

    @property
    def as_text(self) -> bool:
        """Whether the numbers are written in a way that pandas cannot parse."""
        return self.decimal != "." or bool(self.unit)

    def times(self, values: Any) -> NDArray[Any] | None:
        """Return the numbers."""
        return self.read(values).features[:, 0]

    def read(self, values: Any) -> Cells:
        """Convert a pandas Series to numbers."""
        if values.dtype.kind == "m" and isinstance(values.dtype, np.dtype):
            unit = pandas.Timedelta(hours=1) if self.decimal == ":" else pandas.Timedelta(days=1)
            numbers = (values / unit).to_numpy(dtype=np.float64)
        elif values.dtype.kind in "iuf":  # True is not a number
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            return super().read(values)
        infinite = np.flatnonzero(np.isinf(numbers))
        faults = {int(row): f"{cut(self.name)}: {numbers[row]} is not a finite number" for row in infinite}
        numbers = np.where(np.isinf(numbers), np.nan, numbers) if faults else numbers
        return Cells(numbers[:, np.newaxis], {}, faults)

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        schema: dict[str, Any] = {"type": ["number", "null"], "minimum": -MAX_FLOAT, "maximum": MAX_FLOAT}
        if ranges is not None and np.isfinite(ranges).all():
            schema["description"] = f"Range in the training data: {ranges[0, 0]:.6g} to {ranges[2, 0]:.6g}."
        return schema

    def example(self, ranges: Array | None) -> Any:
        """Return a typical value of the training data, rounded."""
        return 0.5 if ranges is None or not np.isfinite(ranges).all() else float(f"{ranges[1, 0]:.3g}")

    def page(self, features: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one column, with the unit of its values."""
        return [{**features[0], "name": self.name, **({"unit": self.unit} if self.unit else {})}]

    def onnx_input(self, values: Any) -> NDArray[Any]:
        """Convert a pandas Series to numbers."""
        return self._onnx_features(values)
