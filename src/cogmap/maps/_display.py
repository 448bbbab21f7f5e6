"""Text and HTML representations of a map, and the kinds of its concepts."""

from collections.abc import Sequence
from typing import Any, Self

from cogmap._utils.params import param_error
from cogmap.maps._text import count, map_lines, slope_text

KINDS = ("feature", "hidden", "output")


class MapReprMixin:
    """Mixin of `FuzzyCognitiveMap` with its representations."""

    __slots__ = ()

    @property
    def kinds(self: Any) -> tuple[str, ...] | None:
        """Kind of each concept of a learned map, ``"feature"``, ``"hidden"`` or ``"output"``; None for other maps."""
        kinds: tuple[str, ...] | None = self._kinds
        return kinds

    def with_kinds(self, kinds: tuple[str, ...] | None) -> Self:
        """Return the same map with other concept kinds, which determine how it is drawn.

        Parameters
        ----------
        kinds : tuple of {"feature", "hidden", "output"}, or None
            One per concept, or None if unknown.

        Returns
        -------
        FuzzyCognitiveMap
            A copy of the map.
        """
        copied = object.__new__(type(self))
        for name in (name for base in type(self).__mro__ for name in getattr(base, "__slots__", ())):
            if hasattr(self, name):  # a structured map has no `_weights`
                object.__setattr__(copied, name, kinds if name == "_kinds" else getattr(self, name))
        return copied

    def __repr__(self: Any) -> str:
        return "\n".join([self._summary, *map_lines(self.concepts, self.weights, self.bias)])

    def _repr_html_(self: Any) -> str:
        return str(self._drawn(self._summary))

    def _drawn(self: Any, caption: str, carried: Any = None) -> str:
        """Return the picture as HTML, at the positions in `details` if there are any, else in columns.

        `carried` is that of `graph_view`.
        """
        from cogmap.maps.drawing.svg import to_html  # imported on use: only notebooks draw
        from cogmap.maps.drawing.view import author_positions, graph_view

        positions = author_positions(self.concepts, self._details)
        kinds = self.kinds if positions is None else None
        view = graph_view(self.concepts, self.weights, kinds, positions=positions, carried=carried)
        return to_html(view, caption)

    @property
    def _summary(self: Any) -> str:
        activation = self.activation if isinstance(self.activation, str) else "several activations"
        concepts = count(self.n_concepts, "concept") + (f" ({len(self.held)} held)" if self.held else "")
        return f"FuzzyCognitiveMap: {concepts}, {activation}, {slope_text(self.slope)}"


def check_kinds(kinds: Sequence[str] | None, n_concepts: int) -> tuple[str, ...] | None:
    """Return the validated kind of each concept."""
    if kinds is None:
        return None
    result = tuple(kinds)
    if len(result) != n_concepts or not set(result) <= set(KINDS):
        expected = f"{n_concepts} of {', '.join(map(repr, KINDS))}, one per concept"
        raise param_error("FuzzyCognitiveMap", "kinds", expected, kinds)
    return result
