"""A map as an author drew it: what every reader makes, and what becomes a `FuzzyCognitiveMap`."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cogmap._utils.params import suggestion
from cogmap.exceptions import DataError
from cogmap.maps.formats.limits import check_size
from cogmap.maps.formats.words import Cell, as_number
from cogmap.maps.map import FuzzyCognitiveMap

# What a file may say about a concept that belongs to the map itself, and not to its details.
PARAMETERS = {"bias": 0.0, "slope": 1.0, "activation": "sigmoid"}
# Details that are numbers; `external` is true or false, all others are text.
NUMBERS = {"x", "y", "confidence", "lag", "bias", "slope"}
_STRICT_NUMBERS = NUMBERS - {"confidence", "lag"}  # of these some people write "high", or "a year"


@contextmanager
def at(where: str) -> Iterator[None]:
    """Say of what is wrong within where it is."""
    try:
        yield
    except DataError as problem:
        raise DataError(f"{where}: {problem}") from None


class Edge(NamedTuple):
    """An arrow between two concepts, its weight (None: drawn without one) and where it is in the file."""

    source: str
    target: str
    weight: float | None
    where: Callable[[], str]
    details: dict[str, Any] = {}  # noqa: RUF012  never changed


@dataclass
class Drawing:
    """Concepts and arrows.

    Parameters
    ----------
    concepts : dict
        What is said about each concept, by name, in the author's order.
    edges : list of Edge
        Arrows. Those without a weight, or with 0, are remembered if the file lists edges one by one.
    details : dict
        What is said about the map as a whole.
    ids : dict
        Other ways in which edges call concepts, and the names meant.
    parameters : dict
        Bias, slope and activation of concepts, by name, in a file that tells them from details of the same name. Of
        other concepts they are among what is said about them.
    """

    concepts: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, name: str, where: str, about: dict[str, Any], *ids: str) -> None:
        """Add a concept."""
        if not name.strip():
            raise DataError(f"{where}: a concept has no name")
        if name in self.concepts:
            raise DataError(f"{where}: there is already a concept named {name!r}; rename one of them")
        self.concepts[name] = about
        for identifier in ids:
            if self.ids.setdefault(identifier, name) != name:
                raise DataError(f"{where}: {self.ids[identifier]!r} and {name!r} both have the id {identifier!r}")

    def named(self, end: str, where: str) -> str:
        """Return the name of the concept that an edge calls by its id or its name."""
        name = self.ids.get(end, end)
        if name not in self.concepts:
            hint = suggestion(end, [*self.concepts, *self.ids])
            raise DataError(f"{where}: an edge names {end!r}, which is no concept of the map. {hint}".strip())
        return name

    def connect(self, source: str, target: str, weight: float | None, where: str, about: dict[str, Any]) -> None:
        """Add an edge between concepts that are called by id or name."""
        ends = self.named(source, where), self.named(target, where)
        self.edges.append(Edge(*ends, weight, lambda: where, about))

    def to_map(self, bounds: tuple[float, float] | None = None) -> FuzzyCognitiveMap:
        """Return the map, with weights that have to be within `bounds`."""
        low, high = bounds or (-math.inf, math.inf)
        found: dict[tuple[str, str], float] = {}
        about_edges: dict[str, dict[str, Any]] = {}
        for edge in self.edges:
            ends = edge.source, edge.target
            weight = edge.weight or 0.0
            if not low <= weight <= high:
                raise DataError(f"{edge.where()}: the weight {weight:g} is not between {low:g} and {high:g}")
            if found.setdefault(ends, weight) != weight:
                other = f"{found[ends]:g} and {weight:g}"
                raise DataError(f"{edge.where()}: the edge from {ends[0]!r} to {ends[1]!r} has two weights, {other}")
            if edge.details or not weight:
                about_edges.setdefault(ends[0], {})[ends[1]] = edge.details
        if not self.concepts:
            raise DataError("it has no concepts")
        parameters, about_concepts = self._apart()
        check_size(len(self.concepts) ** 2, f"weights between {len(self.concepts):,} concepts")
        index = {name: i for i, name in enumerate(self.concepts)}
        weights = np.zeros((len(index), len(index)))
        for (source, target), weight in found.items():
            weights[index[target], index[source]] = weight
        details = self.details | {
            key: about for key, about in (("concepts", about_concepts), ("edges", about_edges)) if about
        }
        return FuzzyCognitiveMap(weights, concepts=list(index), details=details, **parameters)

    def _apart(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Return bias, slope and activation of the map, and the details of its concepts by name."""
        columns: dict[str, list[Any]] = {key: [] for key in PARAMETERS}
        details = {}
        for name, about in self.concepts.items():
            told = dict(self.parameters.get(name, about))
            rest = dict(about) if name in self.parameters else {k: v for k, v in about.items() if k not in PARAMETERS}
            if as_number(told.get("activation")) is not None:  # some tools call so the state at the start
                rest["activation level"] = told.pop("activation")
            for key, default in PARAMETERS.items():
                columns[key].append(told.get(key, default))
            if rest:
                details[name] = rest
        # One value if it is the same for all concepts, of which a map may have one or one each.
        same = {key for key, values in columns.items() if key != "bias" and len(set(values)) == 1}
        return {key: values[0] if key in same else values for key, values in columns.items()}, details


def said_about(fcm: FuzzyCognitiveMap) -> dict[str, dict[str, Any]]:
    """Return what is to be written about each concept: details, and parameters that are not the default."""
    about: dict[str, dict[str, Any]] = {
        name: {key: value for key, value in said.items() if key not in PARAMETERS}
        for name, said in fcm.details.get("concepts", {}).items()
    }
    for key, default in PARAMETERS.items():
        values = np.broadcast_to(np.asarray(getattr(fcm, key)), fcm.n_concepts).tolist()
        if any(value != default for value in values):
            for name, value in zip(fcm.concepts, values, strict=True):
                about.setdefault(name, {})[key] = value
    return about


def edges_of(fcm: FuzzyCognitiveMap) -> Iterator[tuple[str, str, float, dict[str, Any]]]:
    """Yield source, target, weight and details of all edges, and of those that were drawn and have weight 0."""
    about = fcm.details.get("edges", {})
    for j, source in enumerate(fcm.concepts):
        drawn = about.get(source, {})
        for i, target in enumerate(fcm.concepts):
            weight = float(fcm.weights[i, j])
            if weight or target in drawn:
                yield source, target, weight, drawn.get(target, {})


def as_text(value: object) -> str | None:
    """Write a detail that is text, a number or a truth value; None for what is none of these."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
    return value if isinstance(value, str) and value else None


def from_text(key: str, cell: Cell) -> Any:
    """Return a detail as it was before `as_text`, by its key; None if there is nothing."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    if key in NUMBERS:
        number = as_number(cell)
        if number is not None or str(cell).strip().casefold() in ("nan", "undefined", "null"):
            return number
        if key in _STRICT_NUMBERS:
            raise DataError(f"{key} has to be a number, and is {cell!r}")
    if key == "external":
        return True if str(cell).strip().casefold() in ("true", "1", "1.0", "yes", "x") else None
    return label(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else str(cell)


def details_from_text(cells: Iterable[tuple[str, Cell]]) -> dict[str, Any]:
    """Return details without those of which nothing is said."""
    found = {key: from_text(key, cell) for key, cell in cells}
    return {key: value for key, value in found.items() if value is not None}


def label(cell: Cell) -> str:
    """Return what a concept is called: text as it is, or a whole number as text."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
