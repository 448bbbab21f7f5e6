"""Outputs of a model as functions of the initial states, with their derivatives at every step."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cogmap.models.features import Array
from cogmap.models.model import MapModel

_BLOCK_VALUES = 2**18  # values per block of derivatives


@dataclass(frozen=True, eq=False)
class Reading:
    """A model and the scale of its outputs. Outputs are always two-dimensional, even if there is only one.

    Attributes
    ----------
    step_weights : list of ndarray or Transition
        Weight matrix of each step. The last one has a row per output only, scaled as the link expects.
    n_columns : int
        Number of outputs: classes or targets; 1 for the log-odds of two classes.
    """

    model: MapModel
    scale: str
    first_column: int = 0  # earlier outputs are dropped
    step_weights: list[Any] = field(init=False)
    n_columns: int = field(init=False)

    # Computed here rather than in a `cached_property`: Python 3.11 takes a lock for that, on which a process forked
    # while another thread fits would wait forever.
    def __post_init__(self) -> None:
        fcm = self.model.map
        into_outputs = fcm.excitation_slope(self._outputs)[:, None] * fcm.weights_into(self._outputs)
        object.__setattr__(self, "step_weights", [*[fcm.transition] * (self.model.depth - 1), into_outputs])
        object.__setattr__(self, "n_columns", int(self.value(np.zeros((1, self.step_weights[0].shape[0]))).shape[1]))

    @property
    def matrices(self) -> list[Array]:
        """`step_weights` as dense arrays."""
        return [*[self.model.map.step_matrix] * (self.model.depth - 1), self.step_weights[-1]]

    @property
    def mirrored(self) -> bool:
        """Whether there are two outputs that add up to 1, so that one determines the other."""
        return self.scale == "probability" and hasattr(self.model.link, "classes") and self.n_columns == 2

    @property
    def unit(self) -> Array:
        """Unit of the outputs: the standard deviation of each target, or 1 for probabilities and scores."""
        return np.asarray(getattr(self.model.link, "deviation", 1.0), dtype=np.float64)

    def blocks(self, rows: Array) -> list[slice]:
        """Divide rows of initial states into blocks whose derivatives need little memory."""
        block_size = max(_BLOCK_VALUES // (self.n_columns * rows.shape[1]), 1)
        return [slice(first, first + block_size) for first in range(0, len(rows), block_size)]

    def net(self, first: Array) -> Array:
        """Return the net input of the first step."""
        fcm = self.model.map
        return fcm.excitation(first, self._outputs) if self.model.depth == 1 else fcm.net_input(first)

    def states(self, net: Array) -> list[Array]:
        """Return the states after every step but the last, from the net input of the first step."""
        fcm = self.model.map
        steps: list[Array] = []
        for t in range(self.model.depth - 1):
            steps.append(fcm.activate(net) if t == 0 else fcm.step(steps[-1]))
        return steps

    def value(self, net: Array) -> Array:
        """Return the outputs, of shape (n_rows, n_columns), from the net input of the first step."""
        link, last = self.model.link, self._last(self.states(net), net)
        result = link.outputs(last) if self.scale == "probability" else link.decision(last)
        return np.asarray(result.reshape(len(net), -1)[:, self.first_column :], dtype=np.float64)

    def net_gradients(self, net: Array) -> list[Array]:
        """Return the derivatives of the outputs with respect to the net input of each step.

        Parameters
        ----------
        net : ndarray of shape (n_rows, n_inputs)
            Net input of the first step.

        Returns
        -------
        list of ndarray of shape (n_rows, n_columns, n_inputs)
            One per step. Times the matrix in `step_weights`, each is the derivative with respect to the states before
            its step.
        """
        link, fcm, steps = self.model.link, self.model.map, self.states(net)
        last = self._last(steps, net)
        gradient = link.outputs_derivative(last) if self.scale == "probability" else link.decision_derivative(last)
        result: list[Array] = [np.array(gradient[:, self.first_column :], dtype=np.float64)]
        for states, weights in zip(steps[::-1], self.step_weights[:0:-1], strict=True):
            gradient = product(result[0], weights)
            gradient *= fcm.sensitivity(states)[:, None, :]
            result.insert(0, gradient)
        return result

    @property
    def _outputs(self) -> slice:
        return slice(self.model.map.n_concepts - self.model.n_outputs, None)

    def _last(self, steps: list[Array], net: Array) -> Array:
        """Return the excitation of the outputs in the last step, one row per output."""
        excitation = self.model.map.excitation(steps[-1], self._outputs) if steps else net
        return np.ascontiguousarray(excitation.T)


def product(gradient: Array, weights: Any) -> Array:
    """Return ``gradient @ weights`` as one matrix product instead of one per row."""
    flat = gradient.reshape(-1, gradient.shape[-1]) @ weights
    return np.asarray(flat.reshape(*gradient.shape[:-1], weights.shape[1]))
