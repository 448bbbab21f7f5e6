"""`Drawing`: concepts and edges as written in a file, the common result of all readers."""

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

# Properties of a concept that are parameters of the map, not details, with their defaults.
PARAMETERS = {"bias": 0.0, "slope": 1.0, "activation": "sigmoid"}
# Numeric details; `external` is a boolean, all others are strings.
NUMBERS = {"x", "y", "confidence", "lag", "bias", "slope"}
_STRICT_NUMBERS = NUMBERS - {"confidence", "lag"}  # the other two may also be strings such as "high" or "a year"


@contextmanager
def at(where: str) -> Iterator[None]:
    """Prefix errors raised in the block with their location."""
    try:
        yield
    except DataError as problem:
        raise DataError(f"{where}: {problem}") from None


class Edge(NamedTuple):
    """An edge, with a function that describes its position in the file; `weight` is None if the file has no weight."""

    source: str
    target: str
    weight: float | None
    where: Callable[[], str]
    details: dict[str, Any] = {}  # noqa: RUF012  never changed


@dataclass
class Drawing:
    """Concepts and edges of a map file.

    Parameters
    ----------
    concepts : dict
        Details of each concept, keyed by name, in the order of the file.
    edges : list of Edge
        Edges. Edges without a weight, or with weight 0, are included if the file lists edges one by one.
    details : dict
        Details of the map.
    ids : dict
        Names of the concepts, keyed by other identifiers that edges may use.
    parameters : dict
        Bias, slope and activation of concepts, keyed by name, if the format separates them from details of the same
        name. Those of other concepts are in `concepts`.
    held : list of str
        Names of the held concepts.
    """

    concepts: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)

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
        """Return the name of a concept, given its id or its name."""
        name = self.ids.get(end, end)
        if name not in self.concepts:
            hint = suggestion(end, [*self.concepts, *self.ids])
            raise DataError(f"{where}: an edge names {end!r}, which is not a concept of the map. {hint}".strip())
        return name

    def connect(self, source: str, target: str, weight: float | None, where: str, about: dict[str, Any]) -> None:
        """Add an edge between two concepts, given by id or name."""
        ends = self.named(source, where), self.named(target, where)
        self.edges.append(Edge(*ends, weight, lambda: where, about))

    def to_map(self, bounds: tuple[float, float] | None = None) -> FuzzyCognitiveMap:
        """Convert the drawing to a map; raise if a weight is outside `bounds`."""
        low, high = bounds or (-math.inf, math.inf)
        weight_of: dict[tuple[str, str], float] = {}
        about_edges: dict[str, dict[str, Any]] = {}
        for edge in self.edges:
            ends = edge.source, edge.target
            weight = edge.weight or 0.0
            if not low <= weight <= high:
                raise DataError(f"{edge.where()}: the weight {weight:g} is not between {low:g} and {high:g}")
            if weight_of.setdefault(ends, weight) != weight:
                other = f"{weight_of[ends]:g} and {weight:g}"
                raise DataError(f"{edge.where()}: the edge from {ends[0]!r} to {ends[1]!r} has two weights, {other}")
            if edge.details or not weight:
                about_edges.setdefault(ends[0], {})[ends[1]] = edge.details
        if not self.concepts:
            raise DataError("it has no concepts")
        parameters, about_concepts = self._apart()
        check_size(len(self.concepts) ** 2, f"weights between {len(self.concepts):,} concepts")
        index = {name: i for i, name in enumerate(self.concepts)}
        weights = np.zeros((len(index), len(index)))
        for (source, target), weight in weight_of.items():
            weights[index[target], index[source]] = weight
        details = self.details | {
            key: about for key, about in (("concepts", about_concepts), ("edges", about_edges)) if about
        }
        return FuzzyCognitiveMap(weights, concepts=list(index), details=details, held=self.held, **parameters)

    def _apart(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Separate the parameters of the map (bias, slope, activation) from the details of its concepts."""
        columns: dict[str, list[Any]] = {key: [] for key in PARAMETERS}
        details = {}
        for name, about in self.concepts.items():
            parameters = dict(self.parameters.get(name, about))
            rest = dict(about) if name in self.parameters else {k: v for k, v in about.items() if k not in PARAMETERS}
            if as_number(parameters.get("activation")) is not None:  # some tools use this name for the initial state
                rest["activation level"] = parameters.pop("activation")
            for key, default in PARAMETERS.items():
                columns[key].append(parameters.get(key, default))
            if rest:
                details[name] = rest
        # Slope and activation become a single value if all concepts agree.
        same = {key for key, values in columns.items() if key != "bias" and len(set(values)) == 1}
        return {key: values[0] if key in same else values for key, values in columns.items()}, details


def said_about(fcm: FuzzyCognitiveMap) -> dict[str, dict[str, Any]]:
    """Return the details of each concept to write, including parameters that are not the default for all concepts."""
    about: dict[str, dict[str, Any]] = {
        name: {key: value for key, value in details.items() if key not in PARAMETERS}
        for name, details in fcm.details.get("concepts", {}).items()
    }
    for key, default in PARAMETERS.items():
        values = np.broadcast_to(np.asarray(getattr(fcm, key)), fcm.n_concepts).tolist()
        if any(value != default for value in values):
            for name, value in zip(fcm.concepts, values, strict=True):
                about.setdefault(name, {})[key] = value
    return about


def edges_of(fcm: FuzzyCognitiveMap) -> Iterator[tuple[str, str, float, dict[str, Any]]]:
    """Yield source, target, weight and details of all edges, including edges of weight 0 that a file listed."""
    about = fcm.details.get("edges", {})
    for j, source in enumerate(fcm.concepts):
        drawn = about.get(source, {})
        for i, target in enumerate(fcm.concepts):
            weight = float(fcm.weights[i, j])
            if weight or target in drawn:
                yield source, target, weight, drawn.get(target, {})


def as_text(value: object) -> str | None:
    """Convert a detail to a string; None if it is empty, or neither a string, a number nor a boolean."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
    return value if isinstance(value, str) and value else None


def from_text(key: str, cell: Cell) -> Any:
    """Convert a string or cell to the detail named `key`, inverting `as_text`; None if the cell is empty."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    if key in NUMBERS:
        number = as_number(cell)
        if number is not None or str(cell).strip().casefold() in ("nan", "undefined", "null"):
            return number
        if key in _STRICT_NUMBERS:
            raise DataError(f"{key} must be a number, got {cell!r}")
    if key == "external":
        return True if str(cell).strip().casefold() in ("true", "1", "1.0", "yes", "x") else None
    return label(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else str(cell)


def details_from_text(cells: Iterable[tuple[str, Cell]]) -> dict[str, Any]:
    """Convert cells to details, skipping empty ones."""
    details = {key: from_text(key, cell) for key, cell in cells}
    return {key: value for key, value in details.items() if value is not None}


def label(cell: Cell) -> str:
    """Convert a cell to the name of a concept; whole numbers are written without a decimal point."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
