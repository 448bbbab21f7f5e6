"""Conversion of a map from and to a list of edges or a data frame.

Data frames need an explicit `rows`: most tools store sources in rows, ``weights`` has targets in rows, and a wrong
guess would silently reverse all edges.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, check_choice, param_error, real, suggestion

_OWNER = "FuzzyCognitiveMap"
_ROWS = ("source", "target")


def _weights_from_edges(
    edges: Iterable[Sequence[Any]], concepts: Sequence[str] | None
) -> tuple[NDArray[np.float64], list[str]]:
    """Return weights and concept names; edges are (source, target, weight)."""
    owner, expected = f"{_OWNER}.from_edges", "triples (source, target, weight)"
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise param_error(owner, "edges", f"a sequence of {expected}", edges)
    names = None if concepts is None else list(concepts)
    index = {name: i for i, name in enumerate(names or ())}
    weight_of: dict[tuple[int, int], float] = {}
    for number, edge in enumerate(edges):
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 3:
            raise param_error(owner, "edges", expected, Literal(f"{edge!r} as edge {number}"))
        ends = []
        for end in edge[:2]:
            if not isinstance(end, str):
                raise param_error(owner, "edges", f"{expected} with concept names as strings", Literal(f"{edge!r}"))
            if end not in index:
                if names is not None:
                    raise param_error(owner, "edges", "between concepts in `concepts`", end, suggestion(end, names))
                index[end] = len(index)
            ends.append(index[end])
        try:
            weight = float(real(edge[2]))
        except (TypeError, ValueError):
            raise param_error(owner, "edges", f"{expected} with numeric weights", Literal(f"{edge!r}")) from None
        source, target = ends
        first = weight_of.setdefault((target, source), weight)
        if first != weight == weight:  # the map itself rejects NaN
            got = f"{first:g} and {weight:g} from {edge[0]!r} to {edge[1]!r}"
            raise param_error(owner, "edges", "without contradictory weights for the same edge", Literal(got))
    weights = np.zeros((len(index), len(index)))
    for place, weight in weight_of.items():
        weights[place] = weight
    return weights, list(index) if names is None else names


def _weights_from_frame(frame: Any, rows: str) -> tuple[NDArray[np.float64], list[str]]:
    """Return weights and concept names from a pandas or polars data frame."""
    owner = f"{_OWNER}.from_frame"
    check_choice(owner, "rows", rows, _ROWS)
    if not hasattr(frame, "columns"):
        raise param_error(owner, "frame", "a data frame with a column for each concept", frame)
    columns = list(frame.columns)
    index = getattr(frame, "index", None)  # polars has none: row names can only be in the first column
    cells = np.asarray(frame)
    if index is not None and list(index) != list(range(len(index))):  # not the default index
        labels = list(index)
    elif cells.shape[1] == cells.shape[0] + 1:
        labels, columns, cells = list(cells[:, 0]), columns[1:], cells[:, 1:]
    else:
        labels = columns
    names = [str(name) for name in columns]
    for kind, axis_names in (("column", names), ("row", [str(label) for label in labels])):
        duplicates = sorted({name for name in axis_names if axis_names.count(name) > 1})
        if duplicates:
            got = Literal(f"two of {kind} {duplicates[0]!r}")
            raise param_error(owner, "frame", "a frame without duplicate names", got)
    order = {str(label): i for i, label in enumerate(labels)}
    expected = "square, with a row and a column for each concept"
    for kind, present, required in (("row", order, names), ("column", names, list(order))):
        for name in required:
            if name not in present:
                got = Literal(f"no {kind} for {name!r}")
                raise param_error(owner, "frame", expected, got, suggestion(name, list(present)))
    if cells.shape[0] != len(names):
        shape = Literal(f"{cells.shape[0]} rows and {len(names)} columns")
        raise param_error(owner, "frame", expected, shape)
    try:
        weights = real(cells)[[order[name] for name in names]]
    except (TypeError, ValueError):
        raise param_error(owner, "frame", "numeric", Literal("a frame with text cells"), "Convert them.") from None
    return (weights.T if rows == "source" else weights), names


class MapTablesMixin:
    """Mixin of `FuzzyCognitiveMap` with conversions from and to tables."""

    __slots__ = ()

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], concepts: Sequence[str] | None = None, **parameters: Any
    ) -> Any:
        """Return a map with the given edges.

        Parameters
        ----------
        edges : iterable of (source, target, weight)
            Edges between concepts, by name.
        concepts : sequence of str, default=None
            Names of all concepts, in order. None means the concepts of the edges, in order of appearance.
        **parameters
            Other parameters of `FuzzyCognitiveMap`, such as ``slope=5``.

        Returns
        -------
        FuzzyCognitiveMap
            A map whose other weights are 0.

        Examples
        --------
        >>> from cogmap import FuzzyCognitiveMap
        >>> FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 2), ("sun", "umbrellas", -1)]).weights
        array([[ 0.,  0.,  0.],
               [ 2.,  0., -1.],
               [ 0.,  0.,  0.]])
        """
        weights, names = _weights_from_edges(edges, concepts)
        return cls(weights, concepts=names, **parameters)  # type: ignore[call-arg]

    @classmethod
    def from_frame(cls, frame: Any, rows: str, **parameters: Any) -> Any:
        """Return a map with the weights of a square pandas or polars data frame.

        Parameters
        ----------
        frame : data frame
            Weights, with the concept names as columns and, in any order, as index or first column.
        rows : {"source", "target"}
            Meaning of a row: ``"source"`` if the cell in row i and column j is the influence of i on j, as in most
            tools; ``"target"`` if it is the influence of j on i, as in `weights`.
        **parameters
            Other parameters of `FuzzyCognitiveMap`, such as ``slope=5``.

        Returns
        -------
        FuzzyCognitiveMap
            A map of the concepts in the columns.

        Examples
        --------
        >>> from cogmap import FuzzyCognitiveMap
        >>> rain = FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 2)])
        >>> rain.to_frame(rows="source")
                   rain  umbrellas
        rain        0.0        2.0
        umbrellas   0.0        0.0
        >>> FuzzyCognitiveMap.from_frame(rain.to_frame(rows="source"), rows="source") == rain
        True
        """
        weights, names = _weights_from_frame(frame, rows)
        return cls(weights, concepts=names, **parameters)  # type: ignore[call-arg]

    def to_frame(self: Any, rows: str) -> Any:
        """Return the weights as a pandas data frame, with the concept names as index and columns.

        Parameters
        ----------
        rows : {"source", "target"}
            Meaning of a row: ``"source"`` if the cell in row i and column j is the influence of i on j, as in most
            tools; ``"target"`` if it is the influence of j on i, as in `weights`.

        Returns
        -------
        pandas.DataFrame
            The weights, or their transpose.
        """
        owner, concepts = f"{_OWNER}.to_frame", list(self.concepts)
        check_choice(owner, "rows", rows, _ROWS)
        cells = self.weights.T if rows == "source" else self.weights
        return import_or_raise("pandas", owner, "table").DataFrame(cells.copy(), index=concepts, columns=concepts)

    def to_edges(self: Any) -> list[tuple[str, str, float]]:
        """Return the edges, the nonzero weights; the inverse of `from_edges`.

        Returns
        -------
        list of (source, target, weight)
            Ordered by target.

        Examples
        --------
        >>> from cogmap import FuzzyCognitiveMap
        >>> FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 2), ("sun", "umbrellas", -1)]).to_edges()
        [('rain', 'umbrellas', 2.0), ('sun', 'umbrellas', -1.0)]
        """
        names, edges = self.concepts, (array.tolist() for array in self._edges())
        return [(names[source], names[target], weight) for target, source, weight in zip(*edges, strict=True)]

    def _edges(self: Any) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """Return target, source and weight of each edge, ordered by target."""
        targets, sources = np.nonzero(self._weights)
        return targets, sources, self._weights[targets, sources]

    def _n_influences(self: Any) -> NDArray[np.int64]:
        """Return the number of incoming edges of each concept."""
        return np.asarray(np.count_nonzero(self._weights, axis=1), dtype=np.int64)
