"""Monotone effects, guaranteed by the structure of the map.

Some concepts get an orientation: features as asked, outputs as their probability or value should follow, and hidden
concepts. If every influence between oriented concepts has the sign of the product of their orientations, and none goes
from an oriented concept to another, then a feature that moves with its orientation moves, at every step, every
oriented concept with its own or not at all, whatever the row. Everything else is free: what comes from concepts without
an orientation may have any sign.
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
_CLASSES = "a dict {(feature, class): +1 or -1}, with the same class throughout, where there are more than two classes"


def monotone_limits(monotonic_cst: Any, concepts: Concepts, link: Link, owner: str) -> Bounds | None:
    """Return the limits of the weights that make effects monotone, or None if none is asked for.

    Parameters
    ----------
    monotonic_cst : None, array-like of int of shape (n_features,), or dict
        +1 for features whose effect must not be negative, -1 for those whose effect must not be positive, 0 for free
        ones. A dict has names of features as keys, or (feature, class) if there are more than two classes.
    concepts : Concepts
        Names of the concepts.
    link : Link
        What the outputs mean.
    owner : str
        Whose parameter it is, for messages.
    """
    if monotonic_cst is None:
        return None
    asked, target = _asked(monotonic_cst, concepts, link, owner)
    if not asked.any():
        return None
    orientation = np.zeros(len(concepts))
    orientation[concepts.inputs] = asked
    orientation[concepts.outputs] = _of_outputs(link, target)
    # With one answer, hidden concepts that may lower it are those that raise it, turned around. With several, some are
    # left to tell the others apart, and those hear nothing of oriented features.
    oriented_hidden = concepts.n_hidden if concepts.n_outputs <= 2 else concepts.n_hidden // 2
    orientation[concepts.hidden][:oriented_hidden] = 1.0
    wanted = np.outer(orientation, orientation)
    from_oriented = (orientation != 0.0)[None, :]
    low, high = free((len(concepts), len(concepts)))
    low[from_oriented & (wanted >= 0.0)] = 0.0
    high[from_oriented & (wanted <= 0.0)] = 0.0
    return low, high


def constrained(monotonic_cst: Any, names: Sequence[str]) -> list[int]:
    """Return the features whose effect must be monotone; what is wrong with them is told later."""
    if isinstance(monotonic_cst, Mapping):
        asked = {key[0] if isinstance(key, tuple) and key else key: value for key, value in monotonic_cst.items()}
    else:
        given = monotonic_cst if isinstance(monotonic_cst, Iterable) else []
        asked = dict(zip(names, given, strict=False))
    return [j for j, name in enumerate(names) if not (np.ndim(asked.get(name, 0)) == 0 and asked.get(name, 0) == 0)]


def by_name(monotonic_cst: Any, names: Sequence[str]) -> Any:
    """Return what is asked for without the features that are free, which may be read as words."""
    asked = monotonic_cst
    if isinstance(asked, Sequence | np.ndarray) and len(asked) == len(names):
        asked = dict(zip(names, asked, strict=True))
    if not isinstance(asked, Mapping):
        return asked
    return {key: value for key, value in asked.items() if np.ndim(value) or value != 0 or key not in names}


def _of_outputs(link: Link, target: int | None) -> NDArray[np.float64]:
    """Return the orientation of each output."""
    if link.output != "one_hot":
        return np.ones(link.n_outputs)
    return np.where(np.arange(link.n_outputs) == (1 if target is None else target), 1.0, -1.0)


def _asked(monotonic_cst: Any, concepts: Concepts, link: Link, owner: str) -> tuple[NDArray[np.float64], int | None]:
    """Return the orientation of each feature, and which output it is about if there are several classes."""
    features = concepts.names[concepts.inputs]
    many = link.output == "one_hot" and link.n_outputs > 2
    if not isinstance(monotonic_cst, Mapping):
        try:
            given = list(monotonic_cst)
        except TypeError:
            given = []
        if many:
            raise param_error(owner, _PARAMETER, _CLASSES, monotonic_cst)
        if len(given) != len(features):
            expected = f"{len(features)} numbers, one per feature, each -1, 0 or 1; or a dict with names as keys"
            raise param_error(owner, _PARAMETER, expected, monotonic_cst)
        return np.array([_sign(value, name, owner) for value, name in zip(given, features, strict=True)]), None
    asked, about = np.zeros(len(features)), set()
    for key, value in monotonic_cst.items():
        name = key
        if isinstance(key, tuple):
            if not many or len(key) != 2:
                expected = _CLASSES if many else "a dict with names of features as keys"
                raise param_error(owner, _PARAMETER, expected, key)
            name, output = key
            about.add(concepts.place(output, owner, _PARAMETER, concepts.outputs) - concepts.outputs.start)
        elif many:
            raise param_error(owner, _PARAMETER, _CLASSES, Literal(f"{key!r} alone"))
        if not isinstance(name, str) or name not in features:
            raise param_error(owner, _PARAMETER, "made of names of features", name, suggestion(name, features))
        asked[concepts.place(name, owner, _PARAMETER, concepts.inputs)] = _sign(value, name, owner)
    if len(about) > 1 or min(about, default=0) < 0:
        raise param_error(owner, _PARAMETER, _CLASSES, monotonic_cst)
    return asked, about.pop() if about else None


def _sign(value: Any, name: str, owner: str) -> float:
    if isinstance(value, bool | np.bool_ | str) or np.ndim(value) or value not in (-1, 0, 1):
        raise param_error(owner, _PARAMETER, f"-1, 0 or 1 for {name!r}", value)
    return float(value)
