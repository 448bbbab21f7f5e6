"""Structured maps, for many features: features influence only themselves, hidden concepts and outputs.

A `StructuredMap` behaves like any `FuzzyCognitiveMap`, but stores only the weights into hidden concepts and outputs, so
a step costs one multiplication per stored weight. The dense weight matrix is built on access, up to
`SQUARE_UP_TO` concepts.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from cogmap.exceptions import DataError
from cogmap.maps._checks import check_concepts, finite_array
from cogmap.maps._display import check_kinds
from cogmap.maps._structure import NOTHING_HELD
from cogmap.maps.activations import get_activation
from cogmap.maps.map import Array, FuzzyCognitiveMap

_EDGES_SHOWN = 8
SQUARE_UP_TO = 10_000  # concepts; their dense weights take 800 MB


class Transition:
    """The weights of a structured map as a linear operator that supports only ``array @ transition``."""

    __array_ufunc__ = None  # makes NumPy defer `array @ transition` to `__rmatmul__`

    def __init__(self, rows: NDArray[np.float64], memory: float) -> None:
        self._rows, self._memory = rows, memory
        self.shape = (rows.shape[1], rows.shape[1])

    def __rmatmul__(self, left: Array) -> Array:
        n_features = self.shape[0] - len(self._rows)
        result: Array = left[..., n_features:] @ self._rows
        result[..., :n_features] += self._memory * left[..., :n_features]
        return result

    def __abs__(self) -> "Transition":
        return Transition(np.abs(self._rows), abs(self._memory))

    def toarray(self) -> NDArray[np.float64]:
        """Return the dense weights."""
        n_features = self.shape[0] - len(self._rows)
        weights = np.zeros(self.shape)
        weights[range(n_features), range(n_features)] = self._memory
        weights[n_features:] = self._rows
        return weights


class StructuredMap(FuzzyCognitiveMap):
    """A map whose first concepts, the features, have no incoming edges except from themselves.

    Parameters
    ----------
    rows : array-like of shape (n_others, n_concepts)
        Weights into the other concepts, which come last.
    bias : array-like of shape (n_others,)
        Bias of the other concepts. The bias of each feature is set so that the state 0.5, which stands for an unknown
        value, is a fixed point.
    slope : float
        Steepness of the sigmoid.
    concepts : sequence of str
        Names of the concepts.
    memory : float
        Weight of the self-loop of each feature.
    kinds : sequence of {"feature", "hidden", "output"}, default=None
        Kind of each concept.

    Examples
    --------
    >>> from cogmap.maps.structured import StructuredMap
    >>> StructuredMap([[2.0, -1.0, 0.0]], [0.0], 2.0, ["rain", "sun", "umbrellas"], memory=3.0)
    FuzzyCognitiveMap: 3 concepts, sigmoid, slope 2
    influence on  of rain  of sun  of umbrellas   bias
    rain             3.00    0.00          0.00  -1.00
    sun              0.00    3.00          0.00  -1.00
    umbrellas        2.00   -1.00          0.00   0.00
    """

    __slots__ = ("_memory", "_rows")

    def __init__(
        self, rows: ArrayLike, bias: ArrayLike, slope: float, concepts: Any, memory: float, kinds: Any = None
    ) -> None:
        n_others, n_concepts = np.shape(rows)
        n_features = n_concepts - n_others
        self._rows = finite_array("rows", rows, (n_others, n_concepts), "an array")
        self._memory = float(memory)
        feature_bias = np.full(n_features, 0.5 - 0.5 * self._memory)
        bias = np.concatenate([feature_bias, finite_array("bias", bias, (n_others,), "an array")])
        bias.setflags(write=False)
        self._bias = bias
        self._slope = float(slope)
        self._concepts = check_concepts(concepts, n_concepts)
        self._activation = get_activation("sigmoid")
        self._details = {}
        self._kinds = check_kinds(kinds, n_concepts)
        self._held = NOTHING_HELD
        largest = max(n_concepts * float(np.abs(self._rows).max()), float(np.abs(bias).max()), abs(self._memory), 1.0)
        self._largest = largest * max(self._slope, 1.0)

    @property
    def rows(self) -> NDArray[np.float64]:
        """Weights into hidden concepts and outputs; read-only."""
        return self._rows.view()

    @property
    def influential(self) -> NDArray[np.bool_]:
        """Mask of the features that influence another concept."""
        return np.asarray((self._rows[:, : self._n_features] != 0.0).any(axis=0))

    @property
    def memory(self) -> float:
        """Influence of each feature on itself."""
        return self._memory

    @property
    def _n_features(self) -> int:
        return self.n_concepts - len(self._rows)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Influence of concept j (column) on concept i (row), read-only; computed on each access."""
        n = self.n_concepts
        if n > SQUARE_UP_TO:
            raise DataError(
                f"The dense weights of a map of {n} concepts, most of them 0, would need {8e-9 * n * n:.3g} GB. "
                "`to_edges()` lists the nonzero ones; `feature_importances_` and `explain` show which features matter. "
                f"Pictures, files and pages support maps of up to {SQUARE_UP_TO} concepts: select features first "
                "(sklearn.feature_selection)."
            )
        weights = self.transition.toarray()
        weights.setflags(write=False)
        return np.asarray(weights)

    @property
    def transition(self) -> Any:
        """The weights as a linear operator that does not store zeros."""
        return Transition(self._rows, self._memory)

    def _edges(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        features = np.arange(self._n_features if self._memory else 0)
        targets, sources = np.nonzero(self._rows)
        memory = np.full(len(features), self._memory)
        return (
            np.concatenate([features, self._n_features + targets]),
            np.concatenate([features, sources]),
            np.concatenate([memory, self._rows[targets, sources]]),
        )

    def _n_influences(self) -> NDArray[np.int64]:
        into_features = np.full(self._n_features, self._memory != 0.0)
        return np.concatenate([into_features, np.count_nonzero(self._rows, axis=1)]).astype(np.int64)

    def _same_weights(self, other: FuzzyCognitiveMap) -> bool:
        if isinstance(other, StructuredMap) and other._rows.shape == self._rows.shape:
            return self._memory == other._memory and np.array_equal(self._rows, other._rows)
        return all(map(np.array_equal, self._edges(), other._edges()))

    def __repr__(self) -> str:
        if self.n_concepts <= SQUARE_UP_TO:
            return super().__repr__()
        k = self._n_features
        places = np.argsort(-np.abs(self._rows), axis=None, kind="stable")[:_EDGES_SHOWN]
        edges = zip(*np.unravel_index(places, self._rows.shape), strict=True)
        names = self._concepts
        return "\n".join([self._summary, *(f"{names[j]} -> {names[k + i]}: {self._rows[i, j]:.2f}" for i, j in edges)])

    def _repr_html_(self) -> str:
        return super()._repr_html_() if self.n_concepts <= SQUARE_UP_TO else f"<pre>{escape(repr(self))}</pre>"

    def weights_into(self, concepts: slice) -> NDArray[np.float64]:
        """Return the rows of `weights` for a slice of the concepts."""
        start, stop, step = concepts.indices(self.n_concepts)
        k = self._n_features
        return self._rows[start - k : stop - k : step] if start >= k else self.weights[concepts]

    def _net(self, A: Array, peak: float, concepts: slice = slice(None)) -> Array:
        """Return the net input; `peak` bounds the absolute states."""
        start, stop, step = concepts.indices(self.n_concepts)
        k = self._n_features
        if self._overflows(A, peak) or step != 1 or (start < k and (start, stop) != (0, self.n_concepts)):
            return FuzzyCognitiveMap(self.weights, self._bias, self._slope)._net(A, peak, concepts)
        rows, bias = self._rows[max(start - k, 0) : stop - k], self._bias[start:stop]
        net = A @ rows.T.astype(A.dtype, copy=False)
        if start == 0:
            net = np.concatenate([A[..., :k] * A.dtype.type(self._memory), net], axis=-1)
        net += bias
        return net

    def net_of_sparse(self, states: csr_array, depth: int, n_outputs: int) -> Array:
        """Return the `excitation` of the outputs in the last step for sparse first states.

        Parameters
        ----------
        states : csr_array of shape (n_rows, n_features)
            First states of the features minus 0.5; entries that are not stored are undecided, and remain so.
        depth : int
            Number of steps.
        n_outputs : int
            Number of outputs, the last concepts.

        Returns
        -------
        ndarray of shape (n_outputs, n_rows)
            Net inputs of the outputs, as expected by `Link` methods.
        """
        k, dtype = self._n_features, states.dtype
        # In the form T = 2 A - 1 an undecided state is 0, and weights and biases are the same at every step.
        slope = float(self._slope)
        V = (0.25 * slope * self._rows).astype(dtype)
        c = (0.5 * slope * (self._bias[k:] - 0.5 + 0.5 * self._rows.sum(axis=1))).astype(dtype)
        features, others = 2.0 * states, np.zeros((states.shape[0], len(V)), dtype=dtype)
        for _ in range(depth - 1):
            others = np.tanh(features @ V[:, :k].T + others @ V[:, k:].T + c)
            features = np.tanh(dtype.type(0.25 * slope * self._memory) * features)
        outputs = slice(len(V) - n_outputs, None)
        net = features @ V[outputs, :k].T + others @ V[outputs, k:].T + c[outputs]
        return np.ascontiguousarray(net.T)

    def narrowed(self, columns: NDArray[np.intp]) -> "StructuredMap":
        """Return the map restricted to some features, in this order, and all other concepts."""
        places = np.concatenate([columns, np.arange(self._n_features, self.n_concepts)])
        return self._with_features(self._rows[:, places], [self._concepts[j] for j in places])

    def widened(self, columns: NDArray[np.intp], concepts: Sequence[str]) -> "StructuredMap":
        """Return the map with further features that have no edges to other concepts.

        The present features become those in `columns`; `concepts` has the names of all concepts.
        """
        n_others = len(self._rows)
        places = np.concatenate([columns, np.arange(len(concepts) - n_others, len(concepts))])
        rows = np.zeros((n_others, len(concepts)))
        rows[:, places] = self._rows
        return self._with_features(rows, concepts)

    def _with_features(self, rows: NDArray[np.float64], concepts: Sequence[str]) -> "StructuredMap":
        return StructuredMap(rows, self._bias[self._n_features :], float(self._slope), concepts, self._memory)

    def __reduce__(self) -> tuple[Any, ...]:
        parameters = (self._rows, self._bias[self._n_features :], self._slope, self._concepts, self._memory)
        return StructuredMap, (*parameters, self._kinds)
