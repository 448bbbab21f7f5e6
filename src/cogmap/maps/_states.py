"""States of the concepts of a map: as an array or by name, and those that are held while the others follow."""

import math
import reprlib
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, param_error, real, suggestion

Array = NDArray[np.floating]
Held = tuple[NDArray[np.intp], Array]  # columns of concepts, and their states in each row

DRIVERS = "drivers"
_NONE_HELD: Held = (np.empty(0, dtype=np.intp), np.empty(0))


def check_states(
    states: ArrayLike, concepts: Sequence[str], owner: str, name: str = "states", dimensions: tuple[int, ...] = (1, 2)
) -> tuple[Array, float]:
    """Return states as an array, float32 as it is and else float64, and the largest of them without its sign."""
    n_concepts = len(concepts)
    shapes = {1: f"({n_concepts},)", 2: f"(n_samples, {n_concepts})"}
    expected = f"an array of shape {' or '.join(shapes[d] for d in dimensions)}, one state per concept"
    try:
        A = np.asarray(states)
        A = A if A.dtype == np.float32 else real(A)
    except (TypeError, ValueError):
        raise param_error(owner, name, expected + ", of numbers", states) from None
    if A.ndim not in dimensions or A.shape[-1] != n_concepts:
        raise param_error(owner, name, expected, Literal(f"shape {A.shape}"))
    peak = float(max(A.max(), -A.min())) if A.size else 0.0
    if not peak < np.inf:
        *row, concept = np.argwhere(~np.isfinite(A))[0]
        where = f"{A[(*row, concept)]} for concept {concepts[concept]!r}" + "".join(f" in row {i}" for i in row)
        raise param_error(owner, name, "finite numbers", Literal(where), "Replace NaN and infinity.")
    return A, peak


def first_states(
    start: ArrayLike | Mapping[str, float] | None,
    concepts: Sequence[str],
    undecided: float | NDArray[np.float64],
    owner: str,
    dimensions: tuple[int, ...] = (1, 2),
    name: str = "start",
) -> tuple[Array, float]:
    """Return states to start from, and the largest of them; what is not named in a mapping is undecided."""
    if start is None or isinstance(start, Mapping):
        states = np.array(np.broadcast_to(undecided, len(concepts)))
        for column, state in by_name(start or {}, concepts, owner, name).items():
            states[column] = state
        start = states
    return check_states(start, concepts, owner, name, dimensions)


def by_name(states: Mapping[str, float], concepts: Sequence[str], owner: str, name: str) -> dict[int, float]:
    """Return states, given by the names of their concepts, by the columns of these."""
    if not isinstance(states, Mapping):
        raise param_error(owner, name, "a mapping from names of concepts to states, such as {'rainfall': 1}", states)
    columns = columns_of(states, concepts, owner, name)
    for concept, state in states.items():
        if not _is_finite(state):
            got = Literal(f"{reprlib.repr(state)} for concept {concept!r}")
            raise param_error(owner, name, "a mapping from names of concepts to finite numbers", got)
    return dict(zip(columns, map(float, states.values()), strict=True))


def _is_finite(state: object) -> bool:
    try:
        return isinstance(state, Real) and math.isfinite(state)
    except OverflowError:  # an integer beyond all floats
        return False


def columns_of(names: Collection[Any], concepts: Sequence[str], owner: str, name: str) -> list[int]:
    """Return the numbers of the concepts with these names."""
    numbers = {concept: i for i, concept in enumerate(concepts)}
    unknown = [one for one in names if not isinstance(one, str) or one not in numbers]
    if unknown:
        few = ", ".join(repr(concept) for concept in concepts[:6]) + (", ..." if len(concepts) > 6 else "")
        cure = suggestion(unknown[0], concepts)
        raise param_error(owner, name, f"made of names of concepts ({few})", unknown[0], cure)
    return [numbers[one] for one in names]


def held_states(
    first: Array, clamp: Mapping[str, float] | None, keep: Collection[str], concepts: Sequence[str], owner: str
) -> Held:
    """Return the concepts that do not follow, and their states: those of `clamp`, and for `keep` those of `first`."""
    if clamp is None and keep == ():  # as in learning, where every microsecond counts
        return _NONE_HELD
    clamped = by_name({} if clamp is None else clamp, concepts, owner, "clamp")
    if isinstance(keep, str) or not isinstance(keep, Collection):
        raise param_error(owner, "keep", f"{DRIVERS!r} or a list of names of concepts", keep)
    kept = [column for column in columns_of(keep, concepts, owner, "keep") if column not in clamped]
    columns = np.array([*clamped, *kept], dtype=np.intp)
    states = first[..., columns]
    states[..., : len(clamped)] = list(clamped.values())
    return columns, states


def holding(
    step: Callable[[Array, float], Array], first: Array, peak: float, held: Held
) -> tuple[Array, Callable[[Array], Array]]:
    """Return first states, of which none is larger than `peak`, and the step that follows them, with some held."""
    columns, states = held
    largest = 1.0
    if columns.size:
        largest = max(1.0, float(np.abs(states).max()))
        first = first.copy()
        first[..., columns] = states
    peak = max(peak, largest)

    def followed(A: Array) -> Array:
        nonlocal peak
        A = step(A, peak)
        if columns.size:
            A[..., columns] = states
        peak = largest  # only the first states can be larger
        return A

    return first, followed
