"""Monotonicity constraints, guaranteed by the structure of the map.

Constrained features, outputs and some hidden concepts get an orientation, +1 or -1. Every edge between oriented
concepts must have the sign of the product of their orientations, and oriented concepts must not influence concepts
without an orientation. A change of a feature along its orientation then moves every oriented concept along its own
orientation or not at all, at every step and for every row. Edges from concepts without an orientation are
unconstrained.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.concepts import Concepts
from cogmap._learning.structure import Bounds, free
from cogmap._utils.params import Literal, param_error, suggestion
from cogmap.models.links import Link

_PARAMETER = "monotonic_cst"
_CLASSES = "a dict {(feature, class): +1 or -1} with the same class throughout, for more than two classes"


def monotone_limits(monotonic_cst: Any, concepts: Concepts, link: Link, owner: str) -> Bounds | None:
    """Return the bounds of the weights that make effects monotone, or None if no feature is constrained.

    Parameters
    ----------
    monotonic_cst : None, array-like of int of shape (n_features,), or dict
        +1 for nonnegative effects, -1 for nonpositive effects, 0 for no constraint. A dict has names of features as
        keys, or (feature, class) if there are more than two classes.
    concepts : Concepts
        Names of the concepts.
    link : Link
        Link of the outputs.
    owner : str
        Estimator named in messages.
    """
    if monotonic_cst is None:
        return None
    of_features, target = _feature_orientation(monotonic_cst, concepts, link, owner)
    if not of_features.any():
        return None
    orientation = np.zeros(len(concepts))
    orientation[concepts.inputs] = of_features
    orientation[concepts.outputs] = _output_orientation(link, target)
    # With one target, orienting all hidden concepts positively loses nothing, because signs can be flipped. With
    # several classes, half of them stay unoriented to separate the other classes, without input from oriented features.
    oriented_hidden = concepts.n_hidden if concepts.n_outputs <= 2 else concepts.n_hidden // 2
    orientation[concepts.hidden][:oriented_hidden] = 1.0
    sign = np.outer(orientation, orientation)
    from_oriented = (orientation != 0.0)[None, :]
    low, high = free((len(concepts), len(concepts)))
    low[from_oriented & (sign >= 0.0)] = 0.0
    high[from_oriented & (sign <= 0.0)] = 0.0
    return low, high


def constrained_features(monotonic_cst: Any, names: Sequence[str]) -> list[int]:
    """Return the indices of the constrained features; the values are validated later."""
    if isinstance(monotonic_cst, Mapping):
        values = {key[0] if isinstance(key, tuple) and key else key: value for key, value in monotonic_cst.items()}
    else:
        values = dict(zip(names, monotonic_cst if isinstance(monotonic_cst, Iterable) else [], strict=False))
    return [j for j, name in enumerate(names) if not (np.ndim(values.get(name, 0)) == 0 and values.get(name, 0) == 0)]


def without_free_features(monotonic_cst: Any, names: Sequence[str]) -> Any:
    """Return the constraints by name, without unconstrained features, which may have terms instead of a concept."""
    constraints = monotonic_cst
    if isinstance(constraints, Sequence | np.ndarray) and len(constraints) == len(names):
        constraints = dict(zip(names, constraints, strict=True))
    if not isinstance(constraints, Mapping):
        return constraints
    return {key: value for key, value in constraints.items() if np.ndim(value) or value != 0 or key not in names}


def _output_orientation(link: Link, target: int | None) -> NDArray[np.float64]:
    """Return the orientation of each output."""
    if link.output != "one_hot":
        return np.ones(link.n_outputs)
    return np.where(np.arange(link.n_outputs) == (1 if target is None else target), 1.0, -1.0)


def _feature_orientation(
    monotonic_cst: Any, concepts: Concepts, link: Link, owner: str
) -> tuple[NDArray[np.float64], int | None]:
    """Return the orientation of each feature, and the constrained output if there are several classes."""
    features = concepts.names[concepts.inputs]
    many = link.output == "one_hot" and link.n_outputs > 2
    if not isinstance(monotonic_cst, Mapping):
        try:
            values = list(monotonic_cst)
        except TypeError:
            values = []
        if many:
            raise param_error(owner, _PARAMETER, _CLASSES, monotonic_cst)
        if len(values) != len(features):
            expected = f"{len(features)} numbers, one per feature, each -1, 0 or 1; or a dict with names as keys"
            raise param_error(owner, _PARAMETER, expected, monotonic_cst)
        return np.array([_sign(value, name, owner) for value, name in zip(values, features, strict=True)]), None
    orientation, outputs = np.zeros(len(features)), set()
    for key, value in monotonic_cst.items():
        name = key
        if isinstance(key, tuple):
            if not many or len(key) != 2:
                expected = _CLASSES if many else "a dict with names of features as keys"
                raise param_error(owner, _PARAMETER, expected, key)
            name, output = key
            outputs.add(concepts.position(output, owner, _PARAMETER, concepts.outputs) - concepts.outputs.start)
        elif many:
            raise param_error(owner, _PARAMETER, _CLASSES, Literal(f"{key!r} alone"))
        if not isinstance(name, str) or name not in features:
            raise param_error(owner, _PARAMETER, "made of names of features", name, suggestion(name, features))
        orientation[concepts.position(name, owner, _PARAMETER, concepts.inputs)] = _sign(value, name, owner)
    if len(outputs) > 1 or min(outputs, default=0) < 0:
        raise param_error(owner, _PARAMETER, _CLASSES, monotonic_cst)
    return orientation, outputs.pop() if outputs else None


def _sign(value: Any, name: str, owner: str) -> float:
    if isinstance(value, bool | np.bool_ | str) or np.ndim(value) or value not in (-1, 0, 1):
        raise param_error(owner, _PARAMETER, f"-1, 0 or 1 for {name!r}", value)
    return float(value)
