"""`FuzzyCognitiveLayer`: a trainable map as a Keras layer."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from cogmap._utils.params import Literal, check_boolean, check_choice, check_integer, check_number, numbers, param_error
from cogmap.integrations.keras.backend import keras, ops
from cogmap.maps.activations import get_activation
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import concept_names

RETURNS = ("outputs", "states", "net")

_HIDDEN = 4.0  # largest initial weight of a hidden concept, times the root of the number of concepts


@keras.saving.register_keras_serializable(package="cogmap")
class FuzzyCognitiveLayer(keras.layers.Layer):
    """A fuzzy cognitive map, unrolled for `depth` steps.

    The first concepts are the inputs, with states in [0, 1]. They are followed by hidden concepts and outputs, which
    start undecided, at 0.5. Each step updates all states simultaneously, as in `cogmap.FuzzyCognitiveMap`: the new
    state of concept i is the logistic function of ``slope[i] * (sum_j W[i, j] * (A[j] - 0.5) + c[i])``. ``W`` and ``c``
    are trainable.

    Parameters
    ----------
    n_outputs : int
        Number of output concepts.
    n_hidden : int, default=0
        Number of hidden concepts.
    depth : int, default=2
        Number of steps.
    slope : float or list of float, default=2.0
        Steepness of the logistic function, common to all concepts or one per concept.
    memory : float, default=3.0
        Initial weight of each input on itself, which preserves its state from step to step. At slope 2, a memory of 3
        keeps the state about constant, and 0 forgets it.
    returns : {"outputs", "states", "net"}, default="outputs"
        Result of the layer: the states of the outputs, the states of all concepts, or half the argument of the logistic
        function of the outputs in the last step, which does not saturate.
    centred : bool, default=False
        Whether input states are given minus 0.5, where float32 is more precise.
    concepts : list of str, default=None
        Concept names. None: "input 1", "hidden 1", "output 1" and so on.
    held : list of int, default=()
        Positions of concepts that keep their first state in every step, whatever influences them. Such an input needs
        no memory.
    **options : object
        Options of every Keras layer: ``name``, ``dtype``, ``trainable``.

    Attributes
    ----------
    W, c : keras.Variable
        Weights of shape (n_concepts, n_concepts), and the net input of each concept if all are undecided. `to_map`
        converts ``c`` to a bias.

    See Also
    --------
    to_keras : Convert a learned map to an equivalent Keras model, which can be trained further.
    FeatureEncoding :
        Encode features as states: scaled, as linguistic terms where configured, and undecided (0.5) where missing.
    OutputLink : Convert the outputs of a map to class probabilities or values.
    cogmap.FuzzyCognitiveMap : A directed graph of concepts that influence each other.

    Examples
    --------
    >>> import keras
    >>> from cogmap.integrations.keras import FuzzyCognitiveLayer
    >>> model = keras.Sequential([keras.Input((4,)), FuzzyCognitiveLayer(3, n_hidden=5), keras.layers.Softmax()])
    >>> model.output_shape
    (None, 3)
    >>> fcm = model.layers[0].to_map()
    >>> fcm.n_concepts
    12
    >>> model.layers[0].set_map(fcm.replace(weights=0.5 * fcm.weights))
    """

    def __init__(
        self,
        n_outputs: int,
        n_hidden: int = 0,
        depth: int = 2,
        slope: Any = 2.0,
        memory: float = 3.0,
        returns: str = "outputs",
        centred: bool = False,
        concepts: list[str] | None = None,
        held: Sequence[int] = (),
        **options: Any,
    ) -> None:
        super().__init__(**options)
        owner = type(self).__name__
        self.n_outputs = check_integer(owner, "n_outputs", n_outputs, low=1)
        self.n_hidden = check_integer(owner, "n_hidden", n_hidden, low=0)
        self.depth = check_integer(owner, "depth", depth, low=1)
        self.slope = float(slope) if np.ndim(slope) == 0 else [float(each) for each in slope]
        if not ((numbers(slope) > 0) & np.isfinite(numbers(slope))).all():
            raise param_error(owner, "slope", "a number > 0, or one per concept", slope)
        self.memory = check_number(owner, "memory", memory, low=-np.inf)
        self.returns = check_choice(owner, "returns", returns, RETURNS)
        self.centred = check_boolean(owner, "centred", centred)
        self.concepts = None if concepts is None else [str(name) for name in concepts]
        self.held = [check_integer(owner, "held", position, low=0) for position in held]

    def build(self, input_shape: Any) -> None:
        """Create the weights for the given number of inputs."""
        n_inputs = input_shape[-1]
        n = n_inputs + self.n_hidden + self.n_outputs
        owner = type(self).__name__
        if np.ndim(self.slope) and len(cast(list[float], self.slope)) != n:
            raise param_error(owner, "slope", f"a number, or {n} of them, one per concept", self.slope)
        if self.concepts is not None and len(self.concepts) != n:
            raise param_error(
                owner, "concepts", f"{n} names, one per concept", Literal(f"{len(self.concepts)} of them")
            )
        if self.held and max(self.held) >= n:
            raise param_error(owner, "held", f"positions of the {n} concepts", self.held)
        noise = np.zeros((n, n))
        noise[n_inputs : n - self.n_outputs] = _HIDDEN / np.sqrt(n)
        noise[n - self.n_outputs :, n_inputs : n - self.n_outputs] = _HIDDEN / np.sqrt(n)
        prior = np.diag([self.memory] * n_inputs + [0.0] * (n - n_inputs))
        prior[self.held] = noise[self.held] = 0.0

        def initial_weights(shape: Any, dtype: Any = None) -> Any:
            uniform = keras.initializers.RandomUniform(-1.0, 1.0)(shape, dtype)
            return ops.convert_to_tensor(prior, dtype=dtype) + ops.convert_to_tensor(noise, dtype=dtype) * uniform

        self.n_inputs = n_inputs
        self.W = self.add_weight(shape=(n, n), initializer=initial_weights, name="W")
        self.c = self.add_weight(shape=(n,), initializer="zeros", name="c")

    def call(self, inputs: Any) -> Any:
        """Run the map from the given input states."""
        half = ops.convert_to_tensor(0.5 * np.asarray(self.slope), dtype=self.compute_dtype)
        W, c = ops.transpose(self.W), self.c
        # States are centred at 0.5, so undecided concepts are 0, and in the first step only inputs differ from 0. Use
        # the operator @, because ops.matmul rounds float64 to float32 on torch.
        away = inputs if self.centred else inputs - 0.5
        net = half * (away @ W[: self.n_inputs] + c)
        for _ in range(self.depth - 1):
            net = half * (self._states(net, away) @ W + c)
        if self.returns == "states":
            return 0.5 + self._states(net, away)
        net = net[:, -self.n_outputs :]
        return net if self.returns == "net" else 0.5 + 0.5 * ops.tanh(net)

    def _states(self, net: Any, first: Any) -> Any:
        """Return the states minus 0.5, given the net input and the first states of the inputs."""
        states = 0.5 * ops.tanh(net)
        if not self.held:
            return states
        n_others = self.n_hidden + self.n_outputs
        start = ops.concatenate([first, ops.zeros_like(states[..., -n_others:])], axis=-1)
        return ops.where(np.isin(np.arange(self.n_inputs + n_others), self.held), start, states)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the output shape."""
        n_others = input_shape[-1] + self.n_hidden if self.returns == "states" else 0
        return (*input_shape[:-1], n_others + self.n_outputs)

    def get_config(self) -> dict[str, Any]:
        """Return the configuration of the layer, without its weights."""
        names = ("n_outputs", "n_hidden", "depth", "slope", "memory", "returns", "centred", "concepts", "held")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}

    def to_map(self) -> FuzzyCognitiveMap:
        """Return the map with the current weights.

        Returns
        -------
        FuzzyCognitiveMap
            A map with the names in `concepts`.
        """
        if not self.built:
            raise param_error(
                f"{type(self).__name__}.to_map",
                "self",
                "built: called once, or part of a model",
                Literal("an unbuilt layer"),
            )
        W = ops.convert_to_numpy(self.W.value).astype(np.float64)
        W[self.held] = 0.0
        bias = ops.convert_to_numpy(self.c.value).astype(np.float64) + 0.5 - 0.5 * W.sum(axis=1)
        names = self.concepts or concept_names(
            [f"input {i + 1}" for i in range(self.n_inputs)],
            self.n_hidden,
            [f"output {i + 1}" for i in range(self.n_outputs)],
        )
        slope = np.asarray(self.slope) if np.ndim(self.slope) else self.slope
        return FuzzyCognitiveMap(W, bias, slope, names, held=[names[i] for i in self.held])

    def set_map(self, fcm: FuzzyCognitiveMap) -> None:
        """Set the weights from a map.

        Parameters
        ----------
        fcm : FuzzyCognitiveMap
            A map with as many concepts as the layer, of which weights and bias are used.
        """
        center = get_activation(fcm.activation).center
        self.W.assign(fcm.weights.astype(self.variable_dtype))
        self.c.assign((fcm.bias - center + 0.5 * fcm.weights.sum(axis=1)).astype(self.variable_dtype))
