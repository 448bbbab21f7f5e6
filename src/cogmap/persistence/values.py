"""Convert values to JSON and arrays and back: numbers, strings, lists, dicts, arrays, and objects of a few known kinds.

Values that JSON cannot represent become an object with one member, named after the type: ``{"tuple": [1, 2]}``. An
object of a known kind becomes its state, a dict, under the name of the kind. Reading creates only objects of known
kinds.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import Literal, param_error
from cogmap.exceptions import ModelFileError, ParameterError
from cogmap.persistence.archive import Budget, can_hold

_MANY = 8  # a list of at least this many floats is stored as an array
_MOST_ALIKE = 32  # items of a set with the same hash; in practice only -1 and -2 have one

State = dict[str, Any]

_NESTED = (dict, list)  # JSON types that may contain others; tested for every value, so it must be fast


class Kind(NamedTuple):
    """Conversion of objects of a class to a state and back; states may be damaged or of an earlier version."""

    type: type
    to_state: Callable[[Any], State]
    from_state: Callable[[State], Any]


class Writer:
    """Convert values to JSON, and collect their arrays.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Supported kinds of objects, keyed by name.
    """

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._kinds = {kind.type: (name, kind) for name, kind in kinds.items()}

    def write(self, value: Any, where: str) -> Any:
        """Convert a value to JSON; `where` describes it in error messages."""
        if isinstance(value, np.str_):
            value = str(value)
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"number": repr(value)}
        if type(value) in self._kinds:
            name, kind = self._kinds[type(value)]
            return {name: self._state(kind.to_state(value), where)}
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value, where)
        if isinstance(value, list):
            if len(value) >= _MANY and all(type(item) is float for item in value):
                return {"floats": self._stored(np.array(value))}
            return self._items(value, where)
        if isinstance(value, tuple):
            return {"tuple": self._items(value, where)}
        if isinstance(value, set | frozenset):
            return {"set": self._items(sorted(value, key=repr), where)}
        if isinstance(value, Mapping):
            if all(type(key) is str for key in value):
                return {"dict": self._state(value, where)}
            return {"pairs": [[self.write(key, where), self.write(item, where)] for key, item in value.items()]}
        raise _unknown(value, where)

    def _state(self, state: Mapping[str, Any], where: str) -> State:
        return {name: self.write(item, f"{where}.{name}") for name, item in state.items()}

    def _items(self, items: Any, where: str) -> list[Any]:
        return [self.write(item, where) for item in items]

    def _array(self, value: Any, where: str) -> Any:
        array = np.asarray(value)
        if array.dtype.kind == "U" and array.ndim == 1:
            return {"texts": [array.dtype.itemsize // 4, array.tolist()]}
        if array.dtype == object and array.ndim == 1:
            return {"objects": self._items(array.tolist(), where)}
        if not can_hold(array):
            raise _unknown(value, where)
        return {"scalar" if isinstance(value, np.generic) else "array": self._stored(array)}

    def _stored(self, array: NDArray[Any]) -> int:
        self.arrays.append(array)
        return len(self.arrays) - 1


def _unknown(value: Any, where: str) -> ParameterError:
    kind = type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        kind = f"an array of {value.ndim} axes and dtype {value.dtype}"
    expected = "made of numbers, strings, arrays, maps, and lists and dicts of these"
    return param_error("save", "estimator", expected, Literal(f"{kind} in {where}"))


class Reader:
    """Create values from JSON and arrays.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Supported kinds of objects, keyed by name; others are rejected.
    arrays : list of ndarray
        The arrays; each may be used once.
    budget : Budget
        Memory for arrays of strings and lists of numbers.
    """

    def __init__(self, kinds: Mapping[str, Kind], arrays: list[NDArray[Any]], budget: Budget) -> None:
        self._kinds, self._arrays, self._budget = kinds, dict(enumerate(arrays)), budget
        self._parts: dict[str, Callable[[Any], Any]] = {
            "number": lambda name: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[name],
            "tuple": lambda items: tuple(self._items(items)),
            "set": lambda items: set(_hashable(self._items(items))),
            "dict": self._state,
            "pairs": self._pairs,
            "array": self._array,
            "floats": self._floats,
            "scalar": lambda number: self._array(number)[()],
            "texts": lambda items: self._texts(*items),
            "objects": lambda items: _objects(self._items(items)),
        }

    def read(self, written: Any) -> Any:
        """Return the value that was written."""
        if isinstance(written, list):
            return self._items(written)
        if not isinstance(written, dict):
            return written
        if len(written) != 1:
            raise ModelFileError("it has an object with more or fewer than one member")
        ((name, state),) = written.items()
        if name in self._parts:
            return self._parts[name](state)
        if name not in self._kinds:
            raise ModelFileError(f"it has an object of the kind {name[:80]!r}, which this cogmap does not know")
        return self._kinds[name].from_state(self._state(state))

    def _state(self, state: Any) -> State:
        return {name: self.read(item) if type(item) in _NESTED else item for name, item in state.items()}

    def _items(self, items: Any) -> list[Any]:
        if not isinstance(items, list):
            raise ModelFileError("it has items that are not a list")
        return [self.read(item) if type(item) in _NESTED else item for item in items]

    def _pairs(self, pairs: Any) -> dict[Any, Any]:
        keys = _hashable([self.read(key) for key, _ in pairs])
        return dict(zip(keys, (self.read(item) for _, item in pairs), strict=True))

    def _array(self, number: Any) -> NDArray[Any]:
        # Each array may be used once; otherwise a small file could request many copies of a large array.
        array = self._arrays.pop(number, None) if type(number) is int else None
        if array is None:
            raise ModelFileError("it refers to a missing array, or to the same array twice")
        return array

    def _floats(self, number: Any) -> list[Any]:
        array = self._array(number)
        self._budget.spend(32 * array.size, "lists of numbers")
        items: list[Any] = array.tolist()
        return items

    def _texts(self, longest: Any, items: Any) -> NDArray[np.str_]:
        if not isinstance(items, list) or not all(type(item) is str for item in items):
            raise ModelFileError("it has an array of strings with other items")
        # The dtype may be wider than all strings, up to a limit; the width only matters for concatenation.
        width = max([len(item) for item in items], default=1)
        width = longest if type(longest) is int and width <= longest <= 1000 else width
        self._budget.spend(4 * width * len(items), "strings")
        return np.array(items, dtype=f"<U{width}")


def _hashable(items: list[Any]) -> list[Any]:
    """Return the items of a set or dict; raise if many have the same hash, which would take quadratic time."""
    if max(Counter(map(hash, items)).values(), default=0) > _MOST_ALIKE:
        raise ModelFileError("it has a set or dict with too many items of the same hash")
    return items


def _objects(items: list[Any]) -> NDArray[np.object_]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
