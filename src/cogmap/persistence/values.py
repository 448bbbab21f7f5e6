"""Values as JSON and arrays, and back: numbers, text, lists, dicts, arrays, and objects of a few known kinds.

What JSON has no place for is an object of one member, whose name says what it is: ``{"tuple": [1, 2]}``. An object of a
known kind is its state, a dict, under the name of the kind. Reading makes nothing but what this list of kinds names.
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

_MANY = 8  # numbers, from which on a list of them is kept as an array
_MOST_ALIKE = 32  # items of a set with the same hash; -1 and -2 are the only ones that people use

State = dict[str, Any]

_NESTED = (dict, list)  # what JSON reads that may hold more; asked of every value, so as fast as can be


class Kind(NamedTuple):
    """How objects of a class become a dict and are made from one, which may be of an older version or damaged."""

    type: type
    to_state: Callable[[Any], State]
    from_state: Callable[[State], Any]


class Writer:
    """Turns values into JSON, and collects their arrays.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Kinds of objects by name.
    """

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._kinds = {kind.type: (name, kind) for name, kind in kinds.items()}

    def write(self, value: Any, where: str) -> Any:
        """Return a value as JSON; `where` names it in messages."""
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
    expected = "made of what a model file can hold: numbers, text, arrays, maps, and lists and dicts of these"
    return param_error("save", "estimator", expected, Literal(f"{kind} in {where}"))


class Reader:
    """Makes values from JSON and arrays.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Kinds of objects by name; what is of none of them is refused.
    arrays : list of ndarray
        The arrays; each belongs to one place.
    budget : Budget
        Memory for what is made of texts and lists of numbers.
    """

    def __init__(self, kinds: Mapping[str, Kind], arrays: list[NDArray[Any]], budget: Budget) -> None:
        self._kinds, self._arrays, self._budget = kinds, dict(enumerate(arrays)), budget
        self._parts: dict[str, Callable[[Any], Any]] = {
            "number": lambda said: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[said],
            "tuple": lambda items: tuple(self._items(items)),
            "set": lambda items: set(_hashable(self._items(items))),
            "dict": self._state,
            "pairs": self._pairs,
            "array": self._array,
            "floats": self._floats,
            "scalar": lambda number: self._array(number)[()],
            "texts": lambda said: self._texts(*said),
            "objects": lambda items: _objects(self._items(items)),
        }

    def read(self, written: Any) -> Any:
        """Return the value that was written."""
        if isinstance(written, list):
            return self._items(written)
        if not isinstance(written, dict):
            return written
        if len(written) != 1:
            raise ModelFileError("it has an object that is not of one kind")
        ((name, said),) = written.items()
        if name in self._parts:
            return self._parts[name](said)
        if name not in self._kinds:
            raise ModelFileError(f"it has something of the kind {name[:80]!r}, which this cogmap does not know")
        return self._kinds[name].from_state(self._state(said))

    def _state(self, said: Any) -> State:
        return {name: self.read(item) if type(item) in _NESTED else item for name, item in said.items()}

    def _items(self, items: Any) -> list[Any]:
        if not isinstance(items, list):
            raise ModelFileError("it has items that are no list")
        return [self.read(item) if type(item) in _NESTED else item for item in items]

    def _pairs(self, pairs: Any) -> dict[Any, Any]:
        keys = _hashable([self.read(key) for key, _ in pairs])
        return dict(zip(keys, (self.read(item) for _, item in pairs), strict=True))

    def _array(self, number: Any) -> NDArray[Any]:
        # Used twice, a large array would be copied as often as a file of a few bytes says.
        found = self._arrays.pop(number, None) if type(number) is int else None
        if found is None:
            raise ModelFileError("it speaks of an array that is not there, or of one twice")
        return found

    def _floats(self, number: Any) -> list[Any]:
        array = self._array(number)
        self._budget.spend(32 * array.size, "lists of numbers")
        items: list[Any] = array.tolist()
        return items

    def _texts(self, longest: Any, items: Any) -> NDArray[np.str_]:
        if not isinstance(items, list) or not all(type(item) is str for item in items):
            raise ModelFileError("it has texts that are none")
        # A dtype wider than any of its texts is kept, within reason: it decides only the width of what is joined.
        width = max([len(item) for item in items], default=1)
        width = longest if type(longest) is int and width <= longest <= 1000 else width
        self._budget.spend(4 * width * len(items), "texts")
        return np.array(items, dtype=f"<U{width}")


def _hashable(items: list[Any]) -> list[Any]:
    """Return items for a set or a dict, unless many have the same hash, which would take quadratic time."""
    if max(Counter(map(hash, items)).values(), default=0) > _MOST_ALIKE:
        raise ModelFileError("it has a set or dict whose items have the same hash")
    return items


def _objects(items: list[Any]) -> NDArray[np.object_]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
