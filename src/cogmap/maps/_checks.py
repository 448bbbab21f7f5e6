"""What a map is made of, checked: arrays of numbers, names of concepts, and what an author says about them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, param_error, real, suggestion
from cogmap.exceptions import ParameterError

_OWNER = "FuzzyCognitiveMap"


def shape_of(value: ArrayLike) -> tuple[int, ...]:
    """Return the shape of what is meant as an array."""
    try:
        return np.shape(value)
    except ValueError:  # rows of different lengths
        return (-1,)


def check_square(weights: ArrayLike) -> int:
    """Return how many concepts a square array is about."""
    if hasattr(weights, "columns"):
        raise param_error(
            _OWNER,
            "weights",
            "an array, weights[i, j] being the influence of concept j on concept i",
            Literal("a data frame, of which it cannot be told whether its rows are sources or targets"),
            "Use FuzzyCognitiveMap.from_frame, which asks for it.",
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
    """Return the names of concepts, no two alike; C1, C2, ... if none are given."""
    if concepts is None:
        return tuple(f"C{i + 1}" for i in range(n_concepts))
    if isinstance(concepts, str | set | frozenset) or not isinstance(concepts, Iterable):
        cure = "A set has no order of its own: pass a list." if isinstance(concepts, set | frozenset) else ""
        raise param_error(_OWNER, "concepts", f"a sequence of {n_concepts} names", concepts, cure)
    names = tuple(concepts)
    if len(names) != n_concepts or not all(isinstance(name, str) for name in names):
        raise param_error(_OWNER, "concepts", f"a sequence of {n_concepts} strings, one per concept", concepts)
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise param_error(
            _OWNER, "concepts", "names of which no two are alike", concepts, f"Rename one of each: {twice}."
        )
    return tuple(str(name) for name in names)


def check_details(details: Mapping[str, Any] | None, concepts: Sequence[str]) -> dict[str, Any]:
    """Return a private copy of what an author says about a map, its concepts and its edges."""
    copied = plain({} if details is None else details, "details")
    if not isinstance(copied, dict):
        raise param_error(_OWNER, "details", "a mapping such as {'concepts': {'rain': {'x': 0, 'y': 0}}}", details)
    for name, about in _by_concept(copied.get("concepts", {}), "details['concepts']", concepts):
        for axis in ("x", "y"):
            if axis in about and (isinstance(about[axis], bool) or not isinstance(about[axis], int | float)):
                raise _wrong_detail(f"details['concepts'][{name!r}][{axis!r}]", "a number", about[axis])
    for source, targets in _by_concept(copied.get("edges", {}), "details['edges']", concepts):
        list(_by_concept(targets, f"details['edges'][{source!r}]", concepts))
    return copied


def renamed_details(details: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return what is said of the concepts in `names`, and of the edges between them, under their new names."""

    def renamed(about: dict[str, Any]) -> dict[str, Any]:
        return {names[name]: said for name, said in about.items() if name in names}

    changed = dict(details)
    if "concepts" in details:
        changed["concepts"] = renamed(details["concepts"])
    if "edges" in details:
        changed["edges"] = {source: renamed(targets) for source, targets in renamed(details["edges"]).items()}
    return changed


def _by_concept(value: object, where: str, concepts: Sequence[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    if not isinstance(value, dict):
        raise _wrong_detail(where, "a mapping from names of concepts", value)
    known = set(concepts)
    for name, about in value.items():
        if name not in known:
            raise _wrong_detail(where, "about concepts of the map", name, suggestion(name, concepts))
        if not isinstance(about, dict):
            raise _wrong_detail(f"{where}[{name!r}]", "a mapping", about)
        yield name, about


def plain(value: object, where: str) -> Any:
    """Return a copy made of dicts, lists, strings, finite numbers, booleans and None: what a file can keep."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise _wrong_detail(where, "a mapping whose keys are strings", list(value))
        return {str(key): plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return plain(value.item(), where)
    if isinstance(value, int) or (isinstance(value, float) and np.isfinite(value)):
        return value
    raise _wrong_detail(where, "text, a finite number, True, False, None, or lists and mappings of these", value)


def _wrong_detail(where: str, expected: str, got: object, cure: str = "") -> ParameterError:
    return param_error(_OWNER, "details", f"such that {where} is {expected}", got, cure)
