"""What follows from the edges of a map: its arrows, its drivers, and the concepts that are held."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import Literal, param_error
from cogmap.maps._states import columns_of

_OWNER = "FuzzyCognitiveMap"

NOTHING_HELD = np.empty(0, dtype=np.intp)


class MapStructureMixin:
    """Mixin of `FuzzyCognitiveMap` with properties of its edges and of held concepts."""

    __slots__ = ()

    @property
    def held(self: Any) -> tuple[str, ...]:
        """Names of the concepts that keep their first state in every step."""
        return tuple(self._concepts[i] for i in self._held)

    @property
    def n_arrows(self: Any) -> int:
        """Number of edges between different concepts; self-loops are not counted."""
        targets, sources, _ = self._edges()
        return int(np.count_nonzero(targets != sources))

    @property
    def drivers(self: Any) -> tuple[str, ...]:
        """Names of the held concepts and of those marked `external` in `details`; if none, those without influences."""
        details = self._details.get("concepts", {})
        held = set(self.held)
        kept = tuple(name for name in self._concepts if name in held or details.get(name, {}).get("external") is True)
        return kept or tuple(self._concepts[i] for i in np.flatnonzero(self._n_influences() == 0))

    @property
    def step_matrix(self: Any) -> NDArray[np.float64]:
        """The weights, with 1 on the diagonal for held concepts; read-only."""
        if not self._held.size:
            weights: NDArray[np.float64] = self.weights
            return weights
        matrix = np.array(self.weights)
        matrix[self._held, self._held] = 1.0
        matrix.setflags(write=False)
        return matrix

    @property
    def transition(self: Any) -> Any:
        """`step_matrix` as an operator for fast products ``states @ transition``; for most maps an array."""
        return self.step_matrix


def check_held(held: Collection[str], concepts: tuple[str, ...], weights: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the held concepts, in the order of the map; nothing may influence them."""
    if isinstance(held, str) or not isinstance(held, Collection):
        raise param_error(_OWNER, "held", "a list of concept names", held)
    if not len(held):
        return NOTHING_HELD
    positions = np.unique(np.array(columns_of(held, concepts, _OWNER, "held"), dtype=np.intp))
    influenced = positions[(weights[positions] != 0.0).any(axis=1)]
    if influenced.size:
        target = int(influenced[0])
        source = int(np.flatnonzero(weights[target])[0])
        got = Literal(f"{concepts[target]!r}, which {concepts[source]!r} influences")
        raise param_error(_OWNER, "held", "concepts that nothing influences", got, "Set the weights into them to 0.")
    positions.setflags(write=False)
    return positions
