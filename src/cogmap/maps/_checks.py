"""Validation of the parameters of `FuzzyCognitiveMap`: arrays, concept names and details."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, param_error, real, suggestion
from cogmap.exceptions import ParameterError

_OWNER = "FuzzyCognitiveMap"


def shape_of(value: ArrayLike) -> tuple[int, ...]:
    """Return the shape of an array-like, (-1,) if it is ragged."""
    try:
        return np.shape(value)
    except ValueError:  # rows of different lengths
        return (-1,)


def check_square(weights: ArrayLike) -> int:
    """Return the number of concepts of a square weight matrix."""
    if hasattr(weights, "columns"):
        raise param_error(
            _OWNER,
            "weights",
            "an array, where weights[i, j] is the influence of concept j on concept i",
            Literal("a data frame, whose rows may be sources or targets"),
            "Use FuzzyCognitiveMap.from_frame, which takes `rows`.",
        )
    shape = shape_of(weights)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        got = Literal(f"shape {shape}")
        raise param_error(_OWNER, "weights", "a square array with a row and a column for each concept", got)
    return shape[0]


def finite_array(name: str, value: ArrayLike, shape: tuple[int, ...], expected: str) -> NDArray[np.float64]:
    """Return a read-only float64 copy of `value`, of the given shape and finite."""
    try:
        array = np.array(real(value))
    except (TypeError, ValueError):
        raise param_error(_OWNER, name, f"{expected} of numbers", value) from None
    if array.shape != shape:
        raise param_error(_OWNER, name, f"{expected} of shape {shape}", Literal(f"shape {array.shape}"))
    if not np.isfinite(array).all():
        raise param_error(_OWNER, name, f"{expected} of finite numbers", value, "Replace NaN and infinity.")
    array.setflags(write=False)
    return array


def check_concepts(concepts: Sequence[str] | None, n_concepts: int) -> tuple[str, ...]:
    """Return unique concept names; C1, C2, ... if `concepts` is None."""
    if concepts is None:
        return tuple(f"C{i + 1}" for i in range(n_concepts))
    if isinstance(concepts, str | set | frozenset) or not isinstance(concepts, Iterable):
        cure = "A set is unordered: pass a list." if isinstance(concepts, set | frozenset) else ""
        raise param_error(_OWNER, "concepts", f"a sequence of {n_concepts} names", concepts, cure)
    names = tuple(concepts)
    if len(names) != n_concepts or not all(isinstance(name, str) for name in names):
        raise param_error(_OWNER, "concepts", f"a sequence of {n_concepts} strings, one per concept", concepts)
    duplicates = sorted(name for name, times in Counter(names).items() if times > 1)
    if duplicates:
        raise param_error(_OWNER, "concepts", "unique names", concepts, f"Rename the duplicates: {duplicates}.")
    return tuple(str(name) for name in names)


def check_details(details: Mapping[str, Any] | None, concepts: Sequence[str]) -> dict[str, Any]:
    """Return a validated copy of the details of a map, its concepts and its edges."""
    result = json_copy({} if details is None else details, "details")
    if not isinstance(result, dict):
        raise param_error(_OWNER, "details", "a mapping such as {'concepts': {'rain': {'x': 0, 'y': 0}}}", details)
    for name, detail in _iterate_by_concept(result.get("concepts", {}), "details['concepts']", concepts):
        for axis in ("x", "y"):
            if axis in detail and (isinstance(detail[axis], bool) or not isinstance(detail[axis], int | float)):
                raise _detail_error(f"details['concepts'][{name!r}][{axis!r}]", "a number", detail[axis])
    for source, targets in _iterate_by_concept(result.get("edges", {}), "details['edges']", concepts):
        list(_iterate_by_concept(targets, f"details['edges'][{source!r}]", concepts))
    return result


def renamed_details(details: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the details of the concepts in `names` and of the edges between them, keyed by the new names."""

    def renamed(by_name: dict[str, Any]) -> dict[str, Any]:
        return {names[name]: detail for name, detail in by_name.items() if name in names}

    changed = dict(details)
    if "concepts" in details:
        changed["concepts"] = renamed(details["concepts"])
    if "edges" in details:
        changed["edges"] = {source: renamed(targets) for source, targets in renamed(details["edges"]).items()}
    return changed


def _iterate_by_concept(value: object, where: str, concepts: Sequence[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    if not isinstance(value, dict):
        raise _detail_error(where, "a mapping keyed by concept names", value)
    allowed = set(concepts)
    for name, detail in value.items():
        if name not in allowed:
            raise _detail_error(where, "keyed by concepts of the map", name, suggestion(name, concepts))
        if not isinstance(detail, dict):
            raise _detail_error(f"{where}[{name!r}]", "a mapping", detail)
        yield name, detail


def json_copy(value: object, where: str) -> Any:
    """Return a copy made only of JSON types: dicts, lists, strings, finite numbers, booleans and None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise _detail_error(where, "a mapping with string keys", list(value))
        return {str(key): json_copy(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_copy(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return json_copy(value.item(), where)
    if isinstance(value, int) or (isinstance(value, float) and np.isfinite(value)):
        return value
    raise _detail_error(where, "a string, a finite number, True, False, None, or a list or mapping of these", value)


def _detail_error(where: str, expected: str, got: object, cure: str = "") -> ParameterError:
    return param_error(_OWNER, "details", f"a mapping where {where} is {expected}", got, cure)
