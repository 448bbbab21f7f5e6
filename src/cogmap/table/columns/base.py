"""`Column`, the base class of all kinds of columns: how the cells of a raw table are converted to features.

A column is inferred from the training table and is immutable. It accepts a series of any dtype, because values that
were numbers in training may be strings in another file. Each cell is converted independently of the others. Missing
values and unseen categories become NaN in all features of the column, which a map treats as unknown. A cell of a column
of numbers or dates that cannot be parsed makes its row unusable.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.text import cut
from cogmap.exceptions import DataError
from cogmap.table.columns.texts import distinct

Array = NDArray[np.float64]
Features = tuple[float, ...]

_N_QUANTILES = 21  # the least value, the 5 % quantile and so on up to the largest


class Cells(NamedTuple):
    """What a column reads: its features, unseen categories and unusable rows."""

    features: Array  # (rows, outputs)
    unseen: dict[str, int]  # categories that were not seen in training, with their numbers of rows
    faults: dict[int, str]  # rows that cannot be used, with the reason


@dataclass(frozen=True, slots=True)
class Unseen:
    """A value that was not seen in training."""

    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value cannot be used."""

    reason: str


Value = Features | Unseen | Fault


@dataclass(frozen=True)
class Column:
    """Base class for a column of a table, which is encoded as one or several features.

    There is one subclass per kind of column. It defines how a string is converted to features (`value`), and how the
    column is represented in the API of the server (`schema`, `example`), on the interactive page (`page`) and in ONNX
    graphs (`onnx`, `onnx_input`).

    Attributes
    ----------
    name : str
        Name of the column.
    outputs : tuple of str
        Names of the features.
    why : str
        Reason why this kind was inferred.
    kind : {"number", "boolean", "category", "ordered", "date"}
        Kind of its values.
    has_order : bool
        Whether the column is encoded as a single feature with ordered values.
    one_hot : bool
        Whether the column is one-hot encoded.
    json_types : frozenset of type
        Types of JSON values that are accepted.
    json_expected : str
        Description of these types, for messages.
    """

    kind: ClassVar[str]
    has_order: ClassVar[bool] = True
    one_hot: ClassVar[bool] = False
    json_types: ClassVar[frozenset[type]] = frozenset([str, bool, int, float, type(None)])
    json_expected: ClassVar[str] = "a string, boolean, number or null"
    onnx_type: ClassVar[type] = str
    _kinds: ClassVar[dict[str, type["Column"]]] = {}

    name: str
    outputs: tuple[str, ...]
    why: str = field(default="", kw_only=True, compare=False)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Column._kinds[cls.kind] = cls

    @property
    def gap(self) -> Features:
        """Features of a missing value."""
        return (math.nan,) * len(self.outputs)

    def value(self, text: str) -> Value:
        """Return the features of a text that is not missing."""
        raise NotImplementedError

    def values(self, texts: Sequence[str]) -> list[Value]:
        """Return the features of texts of which none is missing."""
        return list(map(self.value, texts))

    def read(self, values: Any) -> Cells:
        """Return the features of a pandas Series."""
        codes, texts = distinct(values)
        known = iter(self.values([text for text in texts if text is not None]))
        cells = [self.gap if text is None else next(known) for text in texts]
        features = np.array([cell if isinstance(cell, tuple) else self.gap for cell in cells])[codes]
        unseen: Counter[str] = Counter()
        n_rows = np.bincount(codes % len(texts), minlength=len(texts))  # -1, a gap, is the last
        for cell, n_of_cell in zip(cells, n_rows.tolist(), strict=True):
            if isinstance(cell, Unseen):
                unseen[cell.text] += n_of_cell
        reasons = {code: cell.reason for code, cell in enumerate(cells) if isinstance(cell, Fault)}
        faulty = np.flatnonzero(np.isin(codes, list(reasons)))
        return Cells(features, dict(unseen), {int(row): f"{cut(self.name)}: {reasons[codes[row]]}" for row in faulty})

    @property
    def as_text(self) -> bool:
        """Whether a file must be read with the cells of this column as strings, which the column parses itself."""
        return True

    def times(self, values: Any) -> NDArray[Any] | None:
        """Return the values of a pandas Series as points in time, None if the column cannot order rows."""
        return None

    def relearned(self, values: Any, min_frequency: float, max_categories: int) -> "Column":
        """Return a column of the same kind, with what it learns from values learned from a pandas Series of others."""
        return self

    def statistics(self, features: Array) -> dict[str, Any]:
        """Return statistics of training rows as JSON values, given the features of this column."""
        known = features[~np.isnan(features[:, 0])]
        counts = {"kind": self.kind, "count": len(known), "missing": len(features) - len(known)}
        return counts | self._statistics(known) if len(known) else counts

    def _statistics(self, known: Array) -> dict[str, Any]:
        return moments(known[:, 0])

    def label(self, features: Array) -> Any:
        """Return the value of one row, given the features of this column: a number or string, None if missing."""
        return None if np.isnan(features).any() else self._label(features)

    def _label(self, features: Array) -> Any:
        return float(features[0])

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value; `ranges` has the lowest, mean and highest training value per feature."""
        raise NotImplementedError

    def example(self, ranges: Array | None) -> Any:
        """Return a typical JSON value."""
        raise NotImplementedError

    def page(self, features: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the columns of the interactive page, given those of the features."""
        return [{**features[0], "name": self.name}]

    def onnx(self, builder: Any, cells: str) -> str:
        """Add nodes that convert the input `cells` to features, and return the name of the result."""
        return cells

    def onnx_input(self, values: Any) -> NDArray[Any]:
        """Convert a pandas Series to the array of the graph input."""
        codes, texts = distinct(values)
        return np.array([self._onnx_text(text or "") for text in texts], dtype=object)[codes][:, None]

    def _onnx_text(self, text: str) -> str:
        return text

    def _onnx_features(self, values: Any) -> Array:
        cells = self.read(values)
        if cells.faults:
            row, reason = next(iter(cells.faults.items()))
            raise DataError(f"Row {row + 1} of the table is invalid: {reason}. Correct the value, or leave it empty.")
        return cells.features

    def to_state(self) -> dict[str, Any]:
        """Return the attributes of the column as JSON values."""
        return {"kind": self.kind} | {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.init}

    @staticmethod
    def from_state(state: dict[str, Any]) -> "Column":
        """Return the column with a state; ValueError, KeyError or TypeError if there can be no such column."""
        cls = Column._kinds[state["kind"]]
        known = [entry.name for entry in fields(cls) if entry.init and (entry.name != "why" or "why" in state)]
        given: dict[str, Any] = {
            name: tuple(state[name]) if isinstance(state[name], list) else state[name] for name in known
        }
        texts = [text for value in given.values() for text in (value if isinstance(value, tuple) else (value,))]
        if not all(isinstance(text, str) for text in texts) or not isinstance(given["outputs"], tuple):
            raise TypeError("texts are expected")
        column = cls(**given)
        if not column._is_possible():
            raise ValueError("parts do not go together")
        return column

    def _is_possible(self) -> bool:
        return len(self.outputs) == 1


def moments(values: Array) -> dict[str, Any]:
    """Return mean, deviation and equidistant quantiles as JSON values; None if a number is too large for a float."""
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = [values.mean(), values.std(), *np.quantile(values, np.linspace(0.0, 1.0, _N_QUANTILES))]
    mean, deviation, *quantiles = (float(number) if math.isfinite(number) else None for number in numbers)
    return {"mean": mean, "deviation": deviation, "quantiles": quantiles}


def frequencies(choices: Sequence[str], codes: NDArray[Any]) -> dict[str, Any]:
    """Return the number of rows of each choice."""
    counts = np.bincount(codes.astype(np.intp), minlength=len(choices)).tolist()
    return {"frequencies": dict(zip(choices, counts, strict=True))}


def spans(columns: Sequence[Column]) -> list[slice]:
    """Return where the features of each column stand, side by side in the order of the columns."""
    ends = np.cumsum([len(column.outputs) for column in columns]).tolist()
    return [slice(end - len(column.outputs), end) for column, end in zip(columns, ends, strict=True)]
