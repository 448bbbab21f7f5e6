"""The fuzzy cognitive map: concepts, their influence on each other, and how their states follow in time."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._map_checks import check_concepts, check_details, finite_array, shape_of
from cogmap._map_text import map_lines, short
from cogmap._params import Words, check_integer, real, wrong
from cogmap.activations import get_activation

_OWNER = "FuzzyCognitiveMap"


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.setflags(write=False)
    return array


def _held(values: NDArray[np.floating], dtype: np.dtype[Any]) -> NDArray[np.floating]:
    """Return values in another dtype, those beyond its range held near its ends, so that twice a value is still one."""
    most = float(np.finfo(dtype).max) / 4
    result: NDArray[np.floating] = np.clip(values, -most, most).astype(dtype, copy=False)
    return result


def _wide_net(
    A: NDArray[np.floating], peak: float, W: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.floating]:
    """Return the net input where a sum might leave the range of numbers, and perhaps come back."""
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    peak = peak or 1.0
    with np.errstate(over="ignore"):
        net = (A.astype(np.float64) / peak) @ (W / scale[:, None]).T
        net *= scale
        net *= peak
        net += b
        return _held(net, A.dtype)


class FuzzyCognitiveMap:
    """A directed graph of concepts that influence each other.

    A step takes the states ``A`` of all concepts, one row per sample, to ``f(A @ weights.T + bias)``, where ``f`` is
    the activation function. A map never changes: learning makes a new one.

    Parameters
    ----------
    weights : array-like of shape (n_concepts, n_concepts)
        ``weights[i, j]`` is the influence of concept j on concept i.
    bias : array-like of shape (n_concepts,), default=None
        What is added to the net input of each concept. None means zeros.
    slope : float or array-like of shape (n_concepts,), default=1.0
        Steepness of the activation function: one number, or one per concept.
    concepts : sequence of str, default=None
        Names of the concepts, no two alike. None means C1, C2, ...
    activation : {"sigmoid", "logistic", "tanh"}, default="sigmoid"
        ``"sigmoid"`` is 1 / (1 + exp(-slope (x - 0.5))), ``"logistic"`` is the same without the 0.5, ``"tanh"`` is
        tanh(slope x).
    details : mapping, default=None
        What the author says about the map, kept in files and otherwise without effect: anything that JSON can hold.
        ``details["concepts"][name]`` may have ``x``, ``y`` (where the concept is drawn, y growing downwards),
        ``group``, ``notes``, ``units``, and ``external``, True for a concept that keeps its value;
        ``details["edges"][source][target]`` may have ``notes``, ``confidence``, ...

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> rain
    FuzzyCognitiveMap: 2 concepts, sigmoid, slope 5
    influence on  of rain  of umbrellas  bias
    rain             0.00          0.00  0.00
    umbrellas        2.00          0.00  0.00
    >>> rain.step([1.0, 0.0]).round(3)
    array([0.076, 0.999])
    >>> rain.run([1.0, 0.0], depth=2).shape
    (3, 2)
    """

    __slots__ = ("_activation", "_bias", "_concepts", "_details", "_largest", "_slope", "_weights")

    def __init__(
        self,
        weights: ArrayLike,
        bias: ArrayLike | None = None,
        slope: float | ArrayLike = 1.0,
        concepts: Sequence[str] | None = None,
        activation: str = "sigmoid",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        if hasattr(weights, "columns"):
            raise wrong(
                _OWNER,
                "weights",
                "an array, weights[i, j] being the influence of concept j on concept i",
                Words("a data frame, of which it cannot be told whether its rows are sources or targets"),
                "Pass frame.to_numpy() and concepts=list(frame.columns) if its rows are targets, frame.to_numpy().T if "
                "they are sources.",
            )
        shape = shape_of(weights)
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
            raise wrong(
                _OWNER, "weights", "a square array with a row and a column for each concept", Words(f"shape {shape}")
            )
        n_concepts = shape[0]
        self._weights = _read_only(finite_array("weights", weights, shape, "a square array"))
        self._bias = _read_only(
            np.zeros(n_concepts)
            if bias is None
            else finite_array("bias", bias, (n_concepts,), "an array, one number per concept,")
        )
        slope_shape = () if shape_of(slope) == () else (n_concepts,)
        slopes = finite_array("slope", slope, slope_shape, "a number, or an array, one number per concept,")
        if not (slopes > 0).all():
            raise wrong(_OWNER, "slope", "greater than 0", slope, "Change the sign of the weights instead.")
        self._slope: float | NDArray[np.float64] = _read_only(slopes) if slopes.ndim else float(slopes)
        self._concepts = check_concepts(concepts, n_concepts)
        self._activation = get_activation(activation, _OWNER)
        self._details = check_details(details, self._concepts)
        # Nothing larger occurs in a step, times the largest state.
        largest = max(n_concepts * float(np.abs(self._weights).max()), float(np.abs(self._bias).max()), 1.0)
        self._largest = largest * max(float(slopes.max()), 1.0)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Influence of concept j (column) on concept i (row); read-only."""
        return self._weights.view()  # a view cannot be made writable

    @property
    def bias(self) -> NDArray[np.float64]:
        """What is added to the net input of each concept; read-only."""
        return self._bias.view()

    @property
    def slope(self) -> float | NDArray[np.float64]:
        """Steepness of the activation: a float, or a read-only array with one number per concept."""
        return self._slope if isinstance(self._slope, float) else self._slope.view()

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts."""
        return self._concepts

    @property
    def activation(self) -> str:
        """Name of the activation function."""
        return self._activation.name

    @property
    def details(self) -> dict[str, Any]:
        """A copy of what the author says about the map; maps that differ in nothing else are equal."""
        return copy.deepcopy(self._details)

    @property
    def n_concepts(self) -> int:
        """Number of concepts."""
        return len(self._concepts)

    def net_input(self, states: ArrayLike, concepts: slice = slice(None)) -> NDArray[np.floating]:
        """Return ``states @ weights.T + bias``, what the activation function is applied to.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            States of the concepts. float32 stays float32, everything else is computed in float64.
        concepts : slice, default=slice(None)
            Which concepts to compute it for.

        Returns
        -------
        ndarray of shape (n_computed,) or (n_samples, n_computed)
        """
        return self._net(*self._check_states(states, "net_input"), concepts)

    def _net(self, A: NDArray[np.floating], peak: float, concepts: slice = slice(None)) -> NDArray[np.floating]:
        """Return the net input from states of which none is larger than `peak`."""
        W, b = self._weights[concepts], self._bias[concepts]
        if self._overflows(A, peak):
            return _wide_net(A, peak, W, b)
        result: NDArray[np.floating] = A @ W.T.astype(A.dtype, copy=False)
        result += b
        return result

    def _overflows(self, A: NDArray[np.floating], peak: float) -> bool:
        """Whether a step from states of which none is larger than `peak` might leave the range of their dtype."""
        return self._largest * max(peak, 1.0) > 1e-3 * float(np.finfo(A.dtype).max)

    def _check_states(self, states: ArrayLike, method: str) -> tuple[NDArray[np.floating], float]:
        """Return the states as an array, and the largest of them without its sign."""
        owner = f"{_OWNER}.{method}"
        expected = f"an array of shape ({self.n_concepts},) or (n_samples, {self.n_concepts}), one state per concept"
        try:
            A = np.asarray(states)
            A = A if A.dtype == np.float32 else real(A)
        except (TypeError, ValueError):
            raise wrong(owner, "states", expected + ", of numbers", states) from None
        if A.ndim not in (1, 2) or A.shape[-1] != self.n_concepts:
            raise wrong(owner, "states", expected, Words(f"shape {A.shape}"))
        peak = float(max(A.max(), -A.min())) if A.size else 0.0
        if not peak < np.inf:
            *row, concept = np.argwhere(~np.isfinite(A))[0]
            where = f"{A[(*row, concept)]} for concept {self._concepts[concept]!r}" + "".join(
                f" in row {i}" for i in row
            )
            raise wrong(owner, "states", "finite numbers", Words(where), "Replace NaN and infinity.")
        return A, peak

    def step(self, states: ArrayLike) -> NDArray[np.floating]:
        """Return the states that follow `states`.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            States of the concepts now.

        Returns
        -------
        ndarray of the shape of `states`
            States of the concepts one step later.
        """
        return self._step(*self._check_states(states, "step"))

    def _step(self, A: NDArray[np.floating], peak: float) -> NDArray[np.floating]:
        with np.errstate(over="ignore"):  # the tanh of infinity is 1
            return self._activation.apply(self._net(A, peak), self._slope)

    def excitation(self, states: ArrayLike, concepts: slice = slice(None)) -> NDArray[np.floating]:
        """Return what the tanh inside the activation function is applied to: the net input, centred and steepened.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            States of the concepts.
        concepts : slice, default=slice(None)
            Which concepts to compute it for.

        Returns
        -------
        ndarray of shape (n_computed,) or (n_samples, n_computed)
        """
        A, peak = self._check_states(states, "excitation")
        slope = self._slope if isinstance(self._slope, float) else self._slope[concepts]
        with np.errstate(over="ignore"):
            result = self._activation.excite(self._net(A, peak, concepts), slope)
        return _held(result, A.dtype) if self._overflows(A, peak) else result

    def excitation_slope(self, concepts: slice = slice(None)) -> NDArray[np.float64]:
        """Return the derivative of `excitation` with respect to the net input.

        Parameters
        ----------
        concepts : slice, default=slice(None)
            Which concepts to return it for.

        Returns
        -------
        ndarray of shape (n_returned,)
        """
        return self._activation.steepness * np.broadcast_to(self._slope, self.n_concepts)[concepts]

    def sensitivity(self, states: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the derivative of each state with respect to the net input that led to it.

        The derivative of a step from states A to states B is thus ``sensitivity(B)[:, None] * weights``.

        Parameters
        ----------
        states : ndarray of shape (n_concepts,) or (n_samples, n_concepts)
            States after a step.

        Returns
        -------
        ndarray of the shape of `states`
        """
        return self._activation.derivative(states, self._slope)

    def run(self, states: ArrayLike, depth: int) -> NDArray[np.floating]:
        """Return the whole trajectory: `states` and the `depth` states that follow.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            States of the concepts at the start.
        depth : int
            Number of steps, 0 or more.

        Returns
        -------
        ndarray of shape (depth + 1, n_concepts) or (depth + 1, n_samples, n_concepts)
        """
        depth = check_integer(f"{_OWNER}.run", "depth", depth, low=0)
        first, peak = self._check_states(states, "run")
        trajectory = np.empty((depth + 1, *first.shape), dtype=first.dtype)
        trajectory[0] = first
        for t in range(depth):
            trajectory[t + 1] = self._step(trajectory[t], peak if t == 0 else 1.0)
        return trajectory

    def normalized(self) -> "FuzzyCognitiveMap":
        """Return the same map with the largest absolute weight of every row equal to 1.

        The scale moves from the row into the slope of its concept, and the bias moves along, so that every trajectory
        stays the same to rounding. A row of zeros stays as it is. Weights so large or small that a bias or a slope
        could not hold that are refused.
        """
        scale = np.abs(self._weights).max(axis=1)
        scale[scale == 0.0] = 1.0
        center = self._activation.center
        with np.errstate(over="ignore", invalid="ignore"):
            weights, slope = self._weights / scale[:, None], self._slope * scale
            bias = (self._bias - center) / scale + center
            # How far rounding of the new bias moves what the activation function is applied to.
            moved = np.abs((bias - center) * scale + center - self._bias) * self._slope
            held = (
                (moved <= 1e-6 * np.maximum(np.abs(self._bias) * self._slope, 1.0)) & (slope > 0) & np.isfinite(slope)
            )
        if not held.all():
            i = int(np.argmin(held))
            raise wrong(
                f"{_OWNER}.normalized",
                "weights",
                "of a size that the slope of their concept can take over",
                Words(f"{scale[i]:.3g} as the largest influence on {short(self._concepts[i])}"),
                "Use the map as it is.",
            )
        return self.replace(weights=weights, bias=bias, slope=slope)

    def replace(self, **changes: Any) -> "FuzzyCognitiveMap":
        """Return a map like this one with other values of some parameters.

        Parameters
        ----------
        **changes
            Parameters of `FuzzyCognitiveMap`, such as ``slope=5``.

        Returns
        -------
        FuzzyCognitiveMap
        """
        names = ("weights", "bias", "slope", "concepts", "activation", "details")
        return FuzzyCognitiveMap(**(dict(zip(names, self.__reduce__()[1], strict=True)) | changes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FuzzyCognitiveMap):
            return NotImplemented
        return (
            self._concepts == other._concepts
            and self._activation == other._activation
            and np.array_equal(self._weights, other._weights)
            and np.array_equal(self._bias, other._bias)
            and np.array_equal(
                np.broadcast_to(self._slope, self._bias.shape), np.broadcast_to(other._slope, other._bias.shape)
            )
        )

    def __hash__(self) -> int:
        # Adding 0.0 makes -0.0, which equals 0.0, hash alike.
        return hash((self._concepts, self.activation, (self._weights + 0.0).tobytes(), (self._bias + 0.0).tobytes()))

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name) or name not in self.__slots__:
            raise AttributeError(f"A FuzzyCognitiveMap never changes: make a new one instead of setting `{name}`.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A FuzzyCognitiveMap never changes: `{name}` cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        parameters = (self._weights, self._bias, self._slope, self._concepts, self.activation, self._details)
        return FuzzyCognitiveMap, parameters

    def __repr__(self) -> str:
        return "\n".join([self._head, *map_lines(self._concepts, self._weights, self._bias)])

    def _repr_html_(self) -> str:
        from cogmap._graph.html import to_html  # drawing is for notebooks: others need not wait for it
        from cogmap._graph.view import author_positions, graph_view

        positions = author_positions(self._concepts, self._details)
        return to_html(graph_view(self._concepts, self._weights, positions=positions), self._head)

    @property
    def _head(self) -> str:
        if isinstance(self._slope, float):
            slope = f"slope {self._slope:g}"
        else:
            slope = f"slopes {self._slope.min():.3g} to {self._slope.max():.3g}"
        return f"FuzzyCognitiveMap: {self.n_concepts} concepts, {self.activation}, {slope}"
