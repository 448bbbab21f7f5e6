"""Validation of concept states given as an array or by name, and steps with clamped concepts."""

import math
import reprlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, param_error, real, suggestion

Array = NDArray[np.floating]
Clamped = tuple[NDArray[np.intp], Array]  # columns of the clamped concepts, and their states in each row

DRIVERS = "drivers"
_NOTHING_CLAMPED: Clamped = (np.empty(0, dtype=np.intp), np.empty(0))


def check_states(
    states: ArrayLike, concepts: Sequence[str], owner: str, name: str = "states", dimensions: tuple[int, ...] = (1, 2)
) -> tuple[Array, float]:
    """Return states as an array (float32 is kept, everything else becomes float64) and the largest absolute state."""
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
        where = f"{A[(*row, concept)]} for concept {concepts[concept]!r}" + "".join(f" in row {i + 1}" for i in row)
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
    """Return initial states and the largest absolute one; concepts missing from a mapping are undecided."""
    if start is None or isinstance(start, Mapping):
        states = np.array(np.broadcast_to(undecided, len(concepts)))
        for column, state in by_name(start or {}, concepts, owner, name).items():
            states[column] = state
        start = states
    return check_states(start, concepts, owner, name, dimensions)


def by_name(states: Mapping[str, float], concepts: Sequence[str], owner: str, name: str) -> dict[int, float]:
    """Return a mapping from concept names to states as one from columns to states."""
    if not isinstance(states, Mapping):
        raise param_error(owner, name, "a mapping from concept names to states, such as {'rainfall': 1}", states)
    columns = columns_of(states, concepts, owner, name)
    for concept, state in states.items():
        if not _is_finite(state):
            got = Literal(f"{reprlib.repr(state)} for concept {concept!r}")
            raise param_error(owner, name, "a mapping from concept names to finite numbers", got)
    return dict(zip(columns, map(float, states.values()), strict=True))


def _is_finite(state: object) -> bool:
    try:
        return isinstance(state, Real) and math.isfinite(state)
    except OverflowError:  # an integer too large for a float
        return False


def columns_of(names: Collection[Any], concepts: Sequence[str], owner: str, name: str) -> list[int]:
    """Return the columns of the concepts with these names."""
    columns = {concept: i for i, concept in enumerate(concepts)}
    if any(one not in columns for one in names if isinstance(one, str)):
        # Files of other tools have names with surrounding blanks: these are found without them, if they are unique.
        bare = Counter(concept.strip() for concept in concepts)
        columns |= {
            concept.strip(): i
            for i, concept in enumerate(concepts)
            if bare[concept.strip()] == 1 and concept.strip() not in columns
        }
    unknown = [one for one in names if not isinstance(one, str) or one not in columns]
    if unknown:
        few = ", ".join(repr(concept) for concept in concepts[:6]) + (", ..." if len(concepts) > 6 else "")
        cure = suggestion(unknown[0], concepts)
        raise param_error(owner, name, f"made of concept names ({few})", unknown[0], cure)
    return [columns[one] for one in names]


def clamped_states(
    first: Array,
    clamp: Mapping[str, float] | None,
    keep: Collection[str],
    concepts: Sequence[str],
    owner: str,
    held: NDArray[np.intp] = _NOTHING_CLAMPED[0],
) -> Clamped:
    """Return columns and states of clamped concepts: those in `clamp`, and those kept or held at their first state."""
    if clamp is None and keep == () and not held.size:  # the fast path of training
        return _NOTHING_CLAMPED
    clamped = by_name({} if clamp is None else clamp, concepts, owner, "clamp")
    if isinstance(keep, str) or not isinstance(keep, Collection):
        raise param_error(owner, "keep", f"{DRIVERS!r} or a list of concept names", keep)
    at_first = dict.fromkeys([*columns_of(keep, concepts, owner, "keep"), *held.tolist()])
    kept = [column for column in at_first if column not in clamped]
    columns = np.array([*clamped, *kept], dtype=np.intp)
    states = first[..., columns]
    states[..., : len(clamped)] = list(clamped.values())
    return columns, states


def clamped_step(
    step: Callable[[Array, float], Array], first: Array, peak: float, clamped: Clamped
) -> tuple[Array, Callable[[Array], Array]]:
    """Return the first states and the step function with clamped concepts; `peak` bounds the absolute states."""
    columns, states = clamped
    largest = 1.0
    if columns.size:
        largest = max(1.0, float(np.abs(states).max()))
        first = first.copy()
        first[..., columns] = states
    peak = max(peak, largest)

    def step_clamped(A: Array) -> Array:
        nonlocal peak
        A = step(A, peak)
        if columns.size:
            A[..., columns] = states
        peak = largest  # only initial states can exceed it
        return A

    return first, step_clamped
