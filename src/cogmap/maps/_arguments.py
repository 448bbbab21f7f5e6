"""Checks of the arguments that functions of maps share."""

from collections.abc import Iterable
from typing import Any

from cogmap._utils.params import Literal, param_error
from cogmap.maps._states import first_states
from cogmap.maps.map import Array, FuzzyCognitiveMap


def one_start(fcm: FuzzyCognitiveMap, start: Any, owner: str, name: str = "start") -> Array:
    """Return one state per concept from an array or a mapping; concepts missing from a mapping are undecided."""
    return first_states(start, fcm.concepts, fcm._activation.middle, owner, (1,), name)[0]


def check_map(fcm: object, owner: str, name: str = "fcm") -> FuzzyCognitiveMap:
    """Return `fcm` if it is a map."""
    if not isinstance(fcm, FuzzyCognitiveMap):
        raise param_error(owner, name, "a FuzzyCognitiveMap", fcm, "A fitted estimator has one as `map_`.")
    return fcm


def check_maps(maps: Iterable[FuzzyCognitiveMap], owner: str) -> list[FuzzyCognitiveMap]:
    """Return the maps as a nonempty list."""
    if isinstance(maps, FuzzyCognitiveMap | str) or not isinstance(maps, Iterable):
        raise param_error(owner, "maps", "a list of maps", maps)
    checked = [check_map(fcm, owner, "maps") for fcm in maps]
    if not checked:
        raise param_error(owner, "maps", "a list of at least one map", Literal("none"))
    return checked
