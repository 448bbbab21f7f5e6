"""The fuzzy cognitive map: concepts, weights between them, and the dynamics of their states."""

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import param_error
from cogmap.maps._checks import check_concepts, check_details, check_square, finite_array, renamed_details, shape_of
from cogmap.maps._display import MapReprMixin, check_kinds
from cogmap.maps._overflow import clip_to_range, normal_form, overflow_safe_net
from cogmap.maps._states import check_states
from cogmap.maps._structure import MapStructureMixin, check_held
from cogmap.maps._tables import MapTablesMixin
from cogmap.maps._trajectories import MapTrajectoriesMixin
from cogmap.maps.activations import get_activation

__all__ = ["FuzzyCognitiveMap"]

Array = NDArray[np.floating]

_OWNER = "FuzzyCognitiveMap"


class FuzzyCognitiveMap(MapStructureMixin, MapTrajectoriesMixin, MapTablesMixin, MapReprMixin):
    """A directed graph of concepts that influence each other.

    A step maps the states ``A`` of all concepts, one row per sample, to ``f(A @ weights.T + bias)``, where ``f`` is
    the activation function. Maps are immutable: learning returns a new one.

    Parameters
    ----------
    weights : array-like of shape (n_concepts, n_concepts)
        ``weights[i, j]`` is the influence of concept j on concept i.
    bias : array-like of shape (n_concepts,), default=None
        Bias added to the net input of each concept. None means zeros.
    slope : float or array-like of shape (n_concepts,), default=1.0
        Steepness of the activation function: one number, or one per concept.
    concepts : sequence of str, default=None
        Unique names of the concepts. None means C1, C2, ...
    activation : str or list of str, default="sigmoid"
        The activation function, or one per concept: ``"sigmoid"`` is 1 / (1 + exp(-slope (x - 0.5))), ``"logistic"``
        the same without the 0.5, ``"tanh"`` tanh(slope x), ``"saturation"`` 0.5 + slope (x - 0.5) clipped to [0, 1],
        ``"bivalent"`` 1 above 0 and else 0, ``"trivalent"`` the sign of x: -1, 0 or 1.
    details : mapping, default=None
        JSON-compatible metadata, saved in map files. ``details["concepts"][name]`` may have ``x`` and ``y`` (position
        in drawings, y pointing down), ``external`` (True for a concept that keeps its value, see `drivers`),
        ``group``, ``notes``, ``units``; ``details["edges"][source][target]`` may have ``notes``, ``confidence``, ...
        Only positions and ``external`` have an effect.
    kinds : sequence of {"feature", "hidden", "output"}, default=None
        Kind of each concept of a learned map, used in drawings.
    held : collection of str, default=()
        Names of concepts that keep their first state in every step. All weights into them must be 0; their bias, slope
        and activation have no effect.

    See Also
    --------
    read_map : Read a map from a file.
    write_map : Write a map to a file, atomically.
    learn_map : Learn a map from observed sequences of states, by gradients through several steps.
    cogmap.maps.scenarios.scenario : Clamp some concepts and compute the states that the map converges to.

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
    >>> rain.settle({"rain": 1}, keep=["rain"]).sentence
    'It converges to a fixed point after 1 step.'
    >>> rain.replace(slope=1).normalized().slope
    array([1., 2.])
    >>> rain.weights_into(slice(1, 2)), rain.with_kinds(("feature", "output")).kinds
    (array([[2., 0.]]), ('feature', 'output'))

    A step in parts: the net input, its centered and scaled form, the state, and the derivative of the state.

    >>> net = rain.net_input([1.0, 0.0])
    >>> net, rain.excitation([1.0, 0.0]), rain.excitation_slope()
    (array([0., 2.]), array([-1.25,  3.75]), array([2.5, 2.5]))
    >>> states = rain.activate(net)
    >>> states.round(3), rain.sensitivity(states).round(3)
    (array([0.076, 0.999]), array([0.351, 0.003]))
    """

    __slots__ = ("_activation", "_bias", "_concepts", "_details", "_held", "_kinds", "_largest", "_slope", "_weights")

    def __init__(
        self,
        weights: ArrayLike,
        bias: ArrayLike | None = None,
        slope: float | ArrayLike = 1.0,
        concepts: Sequence[str] | None = None,
        activation: str | Sequence[str] = "sigmoid",
        details: Mapping[str, Any] | None = None,
        kinds: Sequence[str] | None = None,
        held: Collection[str] = (),
    ) -> None:
        n_concepts = check_square(weights)
        shape = (n_concepts, n_concepts)
        self._weights = finite_array("weights", weights, shape, "a square array")
        bias = np.zeros(n_concepts) if bias is None else bias
        self._bias = finite_array("bias", bias, (n_concepts,), "an array, one number per concept,")
        slope_shape = () if shape_of(slope) == () else (n_concepts,)
        slopes = finite_array("slope", slope, slope_shape, "a number, or an array, one number per concept,")
        if not (slopes > 0).all():
            raise param_error(_OWNER, "slope", "greater than 0", slope, "Change the sign of the weights instead.")
        self._slope: float | NDArray[np.float64] = slopes if slopes.ndim else float(slopes)
        self._concepts = check_concepts(concepts, n_concepts)
        if isinstance(activation, list | tuple) and len(activation) != n_concepts:
            raise param_error(_OWNER, "activation", f"a name, or {n_concepts} of them, one per concept", activation)
        self._activation = get_activation(activation, _OWNER)
        self._details = check_details(details, self._concepts)
        self._kinds = check_kinds(kinds, n_concepts)
        self._held = check_held(held, self._concepts, self._weights)
        # Times the largest state, this bounds every number that occurs in a step.
        largest = max(n_concepts * float(np.abs(self._weights).max()), float(np.abs(self._bias).max()), 1.0)
        self._largest = largest * max(float(slopes.max()), 1.0)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Influence of concept j (column) on concept i (row); read-only."""
        return self._weights.view()  # a view cannot be made writable

    def weights_into(self, concepts: slice) -> NDArray[np.float64]:
        """Return the rows of `weights` for a slice of the concepts.

        Parameters
        ----------
        concepts : slice
            Targets of the weights.

        Returns
        -------
        ndarray of shape (n_influenced, n_concepts)
            Weights of the edges into these concepts.
        """
        return self.weights[concepts]

    @property
    def bias(self) -> NDArray[np.float64]:
        """Bias added to the net input of each concept; read-only."""
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
    def activation(self) -> str | tuple[str, ...]:
        """Name of the activation function, or one name per concept if they differ."""
        return self._activation.name

    @property
    def details(self) -> dict[str, Any]:
        """A copy of the metadata of the map, which comparisons with ``==`` ignore."""
        return copy.deepcopy(self._details)

    @property
    def n_concepts(self) -> int:
        """Number of concepts."""
        return len(self._concepts)

    def net_input(self, states: ArrayLike, concepts: slice = slice(None)) -> Array:
        """Return ``states @ weights.T + bias``, the argument of the activation function; of a held concept, its state.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            States of the concepts. float32 is kept; everything else is computed in float64.
        concepts : slice, default=slice(None)
            Concepts to compute it for.

        Returns
        -------
        ndarray of shape (n_computed,) or (n_samples, n_computed)
            Net input of each concept in the slice.
        """
        return self._net(*check_states(states, self._concepts, f"{_OWNER}.net_input"), concepts)

    def _net(self, A: Array, peak: float, concepts: slice = slice(None)) -> Array:
        """Return the net input; `peak` bounds the absolute states."""
        W, b = self._weights[concepts], self._bias[concepts]
        if self._overflows(A, peak):
            result = overflow_safe_net(A, peak, W, b)
        else:
            result = A @ W.T.astype(A.dtype, copy=False)
            result += b
        if self._held.size:
            computed = np.arange(self.n_concepts)[concepts]
            places = np.flatnonzero(np.isin(computed, self._held))
            result[..., places] = A[..., computed[places]]
        return result

    def _overflows(self, A: Array, peak: float) -> bool:
        """Return whether a step might overflow the dtype of the states; `peak` bounds the absolute states."""
        return self._largest * max(peak, 1.0) > 1e-3 * float(np.finfo(A.dtype).max)

    def step(self, states: ArrayLike) -> Array:
        """Return the states after one step.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            Current states of the concepts.

        Returns
        -------
        ndarray of the shape of `states`
            Next states of the concepts.
        """
        return self._step(*check_states(states, self._concepts, f"{_OWNER}.step"))

    def _step(self, A: Array, peak: float) -> Array:
        net = self._net(A, peak)
        with np.errstate(over="ignore"):  # the tanh of infinity is 1
            self._activation.apply(net, self._slope)
        if self._held.size:
            net[..., self._held] = A[..., self._held]
        return net

    def activate(self, net_input: Array) -> Array:
        """Return the states after a step, given its net input.

        Parameters
        ----------
        net_input : ndarray of shape (n_concepts,) or (n_samples, n_concepts)
            Result of `net_input`.

        Returns
        -------
        ndarray of the shape of `net_input`
            States of the concepts.
        """
        with np.errstate(over="ignore"):
            states = self._activation.apply(net_input.copy(), self._slope)
        states[..., self._held] = net_input[..., self._held]
        return states

    def excitation(self, states: ArrayLike, concepts: slice = slice(None)) -> Array:
        """Return the net input, centered and scaled as the activation function does before it squashes.

        Parameters
        ----------
        states : array-like of shape (n_concepts,) or (n_samples, n_concepts)
            States of the concepts.
        concepts : slice, default=slice(None)
            Concepts to compute it for.

        Returns
        -------
        ndarray of shape (n_computed,) or (n_samples, n_computed)
            Centered and scaled net input of each concept in the slice.
        """
        A, peak = check_states(states, self._concepts, f"{_OWNER}.excitation")
        slope = self._slope if isinstance(self._slope, float) else self._slope[concepts]
        with np.errstate(over="ignore"):
            result = self._activation.part(concepts).excite(self._net(A, peak, concepts), slope)
        return clip_to_range(result, A.dtype) if self._overflows(A, peak) else result

    def excitation_slope(self, concepts: slice = slice(None)) -> NDArray[np.float64]:
        """Return the derivative of `excitation` with respect to the net input.

        Parameters
        ----------
        concepts : slice, default=slice(None)
            Concepts to return it for.

        Returns
        -------
        ndarray of shape (n_returned,)
            One derivative per concept in the slice.
        """
        return (self._activation.steepness * np.broadcast_to(self._slope, self.n_concepts))[concepts]

    def sensitivity(self, states: Array) -> Array:
        """Return the derivative of each state with respect to its net input; 1 for held concepts.

        The Jacobian of a step from states A to states B is thus ``sensitivity(B)[:, None] * step_matrix``.

        Parameters
        ----------
        states : ndarray of shape (n_concepts,) or (n_samples, n_concepts)
            States after a step.

        Returns
        -------
        ndarray of the shape of `states`
            Derivatives at these states.
        """
        result = self._activation.derivative(states, self._slope)
        if self._held.size:
            result[..., self._held] = 1.0
        return result

    def normalized(self) -> "FuzzyCognitiveMap":
        """Return an equivalent map whose largest absolute weight in every row is 1.

        The scale of each row moves into the slope of its concept, and the bias is adapted, so that trajectories agree
        up to rounding. Rows of zeros are unchanged. Weights too large or too small for the new bias or slope raise
        `ParameterError`.

        Returns
        -------
        FuzzyCognitiveMap
            The equivalent map.
        """
        parts = normal_form(self.weights, self._bias, self._slope, self._activation.center, self._concepts)
        return self.replace(**dict(zip(("weights", "bias", "slope"), parts, strict=True)))

    def replace(self, **changes: Any) -> "FuzzyCognitiveMap":
        """Return a copy with some parameters replaced.

        Parameters
        ----------
        **changes
            Parameters of `FuzzyCognitiveMap`, such as ``slope=5``. New concept names are also applied to the details
            and the held concepts.

        Returns
        -------
        FuzzyCognitiveMap
            The changed copy.
        """
        parameters = ("weights", "bias", "slope", "concepts", "activation", "details", "held")
        current = {name: getattr(self, name) for name in parameters}
        renamed = [name for name in ("details", "held") if current[name] and name not in changes]
        if "concepts" in changes and renamed:
            new_names = dict(zip(self._concepts, check_concepts(changes["concepts"], self.n_concepts), strict=True))
            current["details"] = renamed_details(self._details, new_names)
            current["held"] = [new_names[name] for name in self.held]
        replaced = FuzzyCognitiveMap(**(current | changes))
        return replaced.with_kinds(self._kinds) if replaced.n_concepts == self.n_concepts else replaced

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FuzzyCognitiveMap):
            return NotImplemented
        return (
            self._concepts == other._concepts
            and self.activation == other.activation
            and self._same_weights(other)
            and np.array_equal(self._bias, other._bias)
            and bool(np.equal(self._slope, other._slope).all())  # a scalar equals an array of the same slopes
            and np.array_equal(self._held, other._held)
        )

    def _same_weights(self, other: "FuzzyCognitiveMap") -> bool:
        """Return whether a map with as many concepts has the same weights."""
        if type(other) is FuzzyCognitiveMap:
            return np.array_equal(self._weights, other._weights)
        return other._same_weights(self)

    def __hash__(self) -> int:
        # Large maps have too many weights to hash all. Adding 0.0 makes -0.0 hash like 0.0, which it equals.
        arrays = (self._bias + 0.0, self._n_influences(), self.weights_into(slice(-1, None)) + 0.0, self._held)
        return hash((self._concepts, self.activation, *(array.tobytes() for array in arrays)))

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name) or name not in (*self.__slots__, *FuzzyCognitiveMap.__slots__):
            raise AttributeError(f"A FuzzyCognitiveMap is immutable: use `replace` instead of setting `{name}`.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A FuzzyCognitiveMap is immutable: `{name}` cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        parameters = (self._weights, self._bias, self._slope, self._concepts, self.activation, self._details)
        return FuzzyCognitiveMap, (*parameters, self._kinds, self.held)
