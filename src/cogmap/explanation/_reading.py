"""What is read from a map: its outputs as they follow from first states, and their derivatives step by step."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cogmap.maps.activations import get_activation
from cogmap.models.features import Array
from cogmap.models.model import MapModel

_AT_ONCE = 2**18  # numbers


@dataclass(frozen=True, eq=False)
class Reading:
    """A model with the scale on which its outputs are read: always a table, also where there is one output only.

    Attributes
    ----------
    entries : list of ndarray or Transition
        By which matrix states enter each step; the last step is read at its outputs only, as a link wants it.
    n_columns : int
        Number of outputs that are read: classes or targets, one for two classes of which only the odds are.
    """

    model: MapModel
    scale: str
    first_column: int = 0  # outputs before it are not read
    entries: list[Any] = field(init=False)
    n_columns: int = field(init=False)

    # Not cached when first asked for: Python 3.11 does that under a lock, which a process forked while another thread
    # fits would wait for for ever.
    def __post_init__(self) -> None:
        fcm = self.model.map
        into_outputs = fcm.excitation_slope(self._outputs)[:, None] * fcm.weights_into(self._outputs)
        object.__setattr__(self, "entries", [*[fcm.transition] * (self.model.depth - 1), into_outputs])
        object.__setattr__(self, "n_columns", int(self.value(np.zeros((1, self.entries[0].shape[0]))).shape[1]))

    @property
    def matrices(self) -> list[Array]:
        """The entries as arrays, with all their zeros."""
        return [*[self.model.map.weights] * (self.model.depth - 1), self.entries[-1]]

    @property
    def mirrored(self) -> bool:
        """Whether there are two outputs that add up to 1, so that one tells all."""
        return self.scale == "probability" and hasattr(self.model.link, "classes") and self.n_columns == 2

    @property
    def unit(self) -> Array:
        """In what outputs are counted: values in their deviation, probabilities and scores as they are."""
        return np.asarray(getattr(self.model.link, "deviation", 1.0), dtype=np.float64)

    def blocks(self, rows: Array) -> list[slice]:
        """Cut rows of first states into blocks whose derivatives need little memory."""
        at_once = max(_AT_ONCE // (self.n_columns * rows.shape[1]), 1)
        return [slice(first, first + at_once) for first in range(0, len(rows), at_once)]

    def net(self, first: Array) -> Array:
        """Return what enters the first step."""
        fcm = self.model.map
        return fcm.excitation(first, self._outputs) if self.model.depth == 1 else fcm.net_input(first)

    def states(self, net: Array) -> list[Array]:
        """Return the states after every step but the last, from what enters the first."""
        fcm = self.model.map
        steps: list[Array] = []
        for t in range(self.model.depth - 1):
            if t == 0:
                with np.errstate(over="ignore"):  # the tanh of infinity is 1
                    steps.append(get_activation(fcm.activation).apply(net.copy(), fcm.slope))
            else:
                steps.append(fcm.step(steps[-1]))
        return steps

    def value(self, net: Array) -> Array:
        """Return the outputs, of shape (n_rows, n_columns), from what enters the first step."""
        link, last = self.model.link, self._last(self.states(net), net)
        result = link.outputs(last) if self.scale == "probability" else link.decision(last)
        return np.asarray(result.reshape(len(net), -1)[:, self.first_column :], dtype=np.float64)

    def pulls(self, net: Array) -> list[Array]:
        """Return the derivative of the outputs with respect to what enters each step.

        Parameters
        ----------
        net : ndarray of shape (n_rows, n_entered)
            What enters the first step.

        Returns
        -------
        list of ndarray of shape (n_rows, n_columns, n_entered)
            Multiplied by its matrix in `entries`, each is the derivative with respect to the states before its step.
        """
        link, fcm, steps = self.model.link, self.model.map, self.states(net)
        last = self._last(steps, net)
        pull = link.outputs_derivative(last) if self.scale == "probability" else link.decision_derivative(last)
        result: list[Array] = [np.array(pull[:, self.first_column :], dtype=np.float64)]
        for states, entry in zip(steps[::-1], self.entries[:0:-1], strict=True):
            pull = product(result[0], entry)
            pull *= fcm.sensitivity(states)[:, None, :]
            result.insert(0, pull)
        return result

    @property
    def _outputs(self) -> slice:
        return slice(self.model.map.n_concepts - self.model.n_outputs, None)

    def _last(self, steps: list[Array], net: Array) -> Array:
        """Return what enters the outputs in the last step, one row per output."""
        entered = self.model.map.excitation(steps[-1], self._outputs) if steps else net
        return np.ascontiguousarray(entered.T)


def product(pull: Array, entry: Any) -> Array:
    """Return ``pull @ entry`` by one product of matrices instead of one per row."""
    return np.asarray((pull.reshape(-1, pull.shape[-1]) @ entry).reshape(*pull.shape[:-1], entry.shape[1]))
