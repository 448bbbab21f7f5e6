"""A map from and to a list of edges, or a data frame with names.

Whoever has a matrix has to say whether its rows are sources or targets: most tools write sources, our ``weights`` has
targets, and a wrong guess turns all arrows around without a word.
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
    """Return weights and names of concepts; edges are (source, target, weight)."""
    owner, expected = f"{_OWNER}.from_edges", "triples (source, target, weight)"
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise param_error(owner, "edges", f"a sequence of {expected}", edges)
    names = None if concepts is None else list(concepts)
    index = {name: i for i, name in enumerate(names or ())}
    found: dict[tuple[int, int], float] = {}
    for number, edge in enumerate(edges):
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 3:
            raise param_error(owner, "edges", expected, Literal(f"{edge!r} as edge {number}"))
        ends = []
        for end in edge[:2]:
            if not isinstance(end, str):
                raise param_error(owner, "edges", f"{expected}, concepts being named by text", Literal(f"{edge!r}"))
            if end not in index:
                if names is not None:
                    raise param_error(owner, "edges", "between the given concepts", end, suggestion(end, names))
                index[end] = len(index)
            ends.append(index[end])
        try:
            weight = float(real(edge[2]))
        except (TypeError, ValueError):
            raise param_error(owner, "edges", f"{expected}, a weight being a number", Literal(f"{edge!r}")) from None
        source, target = ends
        first = found.setdefault((target, source), weight)
        if first != weight == weight:  # NaN is told by the map
            got = f"{first:g} and {weight:g} from {edge[0]!r} to {edge[1]!r}"
            raise param_error(owner, "edges", "of which no two have the same ends and other weights", Literal(got))
    weights = np.zeros((len(index), len(index)))
    for place, weight in found.items():
        weights[place] = weight
    return weights, list(index) if names is None else names


def _weights_from_frame(frame: Any, rows: str) -> tuple[NDArray[np.float64], list[str]]:
    """Return weights and names of concepts from a data frame of pandas or polars."""
    owner = f"{_OWNER}.from_frame"
    check_choice(owner, "rows", rows, _ROWS)
    if not hasattr(frame, "columns"):
        raise param_error(owner, "frame", "a data frame with a column for each concept", frame)
    columns = list(frame.columns)
    index = getattr(frame, "index", None)  # polars has none: names are in the first column, if anywhere
    cells = np.asarray(frame)
    if index is not None and list(index) != list(range(len(index))):  # more than numbers of rows
        labels = list(index)
    elif cells.shape[1] == cells.shape[0] + 1:
        labels, columns, cells = list(cells[:, 0]), columns[1:], cells[:, 1:]
    else:
        labels = columns
    names = [str(name) for name in columns]
    for kind, given in (("column", names), ("row", [str(label) for label in labels])):
        twice = sorted({name for name in given if given.count(name) > 1})
        if twice:
            raise param_error(owner, "frame", "without two of the same name", Literal(f"two of {kind} {twice[0]!r}"))
    order = {str(label): i for i, label in enumerate(labels)}
    for kind, has, needs in (("row", order, names), ("column", names, list(order))):
        for name in needs:
            if name not in has:
                message = "square, with a row and a column for each concept"
                raise param_error(
                    owner, "frame", message, Literal(f"no {kind} for {name!r}"), suggestion(name, list(has))
                )
    if cells.shape[0] != len(names):
        shape = Literal(f"{cells.shape[0]} rows and {len(names)} columns")
        raise param_error(owner, "frame", "square, with a row and a column for each concept", shape)
    try:
        weights = real(cells)[[order[name] for name in names]]
    except (TypeError, ValueError):
        raise param_error(owner, "frame", "a frame of numbers", Literal("text in it"), "Replace it.") from None
    return (weights.T if rows == "source" else weights), names


class MapTables:
    """What a map has to do with tables; `FuzzyCognitiveMap` has it from here."""

    __slots__ = ()

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], concepts: Sequence[str] | None = None, **parameters: Any
    ) -> Any:
        """Make a map from a list of edges.

        Parameters
        ----------
        edges : iterable of (source, target, weight)
            Which concept influences which, by name, and how much.
        concepts : sequence of str, default=None
            Names of all concepts, in their order. None means those of the edges, in the order in which they appear.
        **parameters
            Other parameters of `FuzzyCognitiveMap`, such as ``slope=5``.

        Returns
        -------
        FuzzyCognitiveMap

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
        """Make a map from a square data frame of pandas or polars.

        Parameters
        ----------
        frame : data frame
            Weights, with the names of concepts as columns and, in any order, as index or first column.
        rows : {"source", "target"}
            What a row is: ``"source"`` if the cell in row i and column j is the influence of i on j, as most tools
            have it; ``"target"`` if it is the influence of j on i, as in `weights`.
        **parameters
            Other parameters of `FuzzyCognitiveMap`, such as ``slope=5``.

        Returns
        -------
        FuzzyCognitiveMap
        """
        weights, names = _weights_from_frame(frame, rows)
        return cls(weights, concepts=names, **parameters)  # type: ignore[call-arg]

    def to_frame(self: Any, rows: str) -> Any:
        """Return the weights as a data frame of pandas, with the names of the concepts as index and columns.

        Parameters
        ----------
        rows : {"source", "target"}
            What a row is to be: ``"source"`` if the cell in row i and column j is to be the influence of i on j, as
            most tools have it; ``"target"`` if it is to be the influence of j on i, as in `weights`.

        Returns
        -------
        pandas.DataFrame
        """
        owner, concepts = f"{_OWNER}.to_frame", list(self.concepts)
        check_choice(owner, "rows", rows, _ROWS)
        cells = self.weights.T if rows == "source" else self.weights
        return import_or_raise("pandas", owner, "table").DataFrame(cells.copy(), index=concepts, columns=concepts)

    def to_edges(self: Any) -> list[tuple[str, str, float]]:
        """Return the influences that are not 0, the opposite of `from_edges`.

        Returns
        -------
        list of (source, target, weight)
            Target by target.

        Examples
        --------
        >>> from cogmap import FuzzyCognitiveMap
        >>> FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 2), ("sun", "umbrellas", -1)]).to_edges()
        [('rain', 'umbrellas', 2.0), ('sun', 'umbrellas', -1.0)]
        """
        names, edges = self.concepts, (array.tolist() for array in self._edges())
        return [(names[source], names[target], weight) for target, source, weight in zip(*edges, strict=True)]

    def _edges(self: Any) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """Return target, source and weight of the influences that are not 0, target by target."""
        targets, sources = np.nonzero(self._weights)
        return targets, sources, self._weights[targets, sources]

    def _n_influences(self: Any) -> NDArray[np.int64]:
        """Return by how many concepts each is influenced."""
        return np.asarray(np.count_nonzero(self._weights, axis=1), dtype=np.int64)
