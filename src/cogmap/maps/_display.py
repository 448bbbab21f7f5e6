"""How a map shows itself: as text, and as a picture that knows what each of its concepts is."""

from collections.abc import Sequence
from typing import Any, Self

from cogmap._utils.params import param_error
from cogmap.maps._text import count, map_lines, slope_text

KINDS = ("feature", "hidden", "output")


class MapShown:
    """What a map is seen by; `FuzzyCognitiveMap` has it from here."""

    __slots__ = ()

    @property
    def kinds(self: Any) -> tuple[str, ...] | None:
        """What each concept of a learned map is, ``"feature"``, ``"hidden"`` or ``"output"``; None for other maps."""
        kinds: tuple[str, ...] | None = self._kinds
        return kinds

    def with_kinds(self, kinds: tuple[str, ...] | None) -> Self:
        """Return the same map, of which pictures show what each concept is.

        Parameters
        ----------
        kinds : tuple of {"feature", "hidden", "output"}, or None
            One per concept, or None if that is not known.

        Returns
        -------
        FuzzyCognitiveMap
        """
        made = object.__new__(type(self))
        for name in (name for part in type(self).__mro__ for name in getattr(part, "__slots__", ())):
            if hasattr(self, name):  # a structured map has no weights of its own
                object.__setattr__(made, name, kinds if name == "_kinds" else getattr(self, name))
        return made

    def __repr__(self: Any) -> str:
        return "\n".join([self._head, *map_lines(self.concepts, self.weights, self.bias)])

    def _repr_html_(self: Any) -> str:
        return str(self._drawn(self._head))

    def _drawn(self: Any, caption: str) -> str:
        """Return the picture as HTML: as its author has laid it out, or in columns if it is known what concepts are."""
        from cogmap.maps.drawing.svg import to_html  # drawing is for notebooks: others need not wait for it
        from cogmap.maps.drawing.view import author_positions, graph_view

        positions = author_positions(self.concepts, self._details)
        kinds = self.kinds if positions is None else None
        return to_html(graph_view(self.concepts, self.weights, kinds, positions=positions), caption)

    @property
    def _head(self: Any) -> str:
        activation = self.activation if isinstance(self.activation, str) else "several activations"
        return f"FuzzyCognitiveMap: {count(self.n_concepts, 'concept')}, {activation}, {slope_text(self.slope)}"


def check_kinds(kinds: Sequence[str] | None, n_concepts: int) -> tuple[str, ...] | None:
    """Return what each concept is, or complain."""
    if kinds is None:
        return None
    found = tuple(kinds)
    if len(found) != n_concepts or not set(found) <= set(KINDS):
        expected = f"{n_concepts} of {', '.join(map(repr, KINDS))}, one per concept"
        raise param_error("FuzzyCognitiveMap", "kinds", expected, kinds)
    return found
