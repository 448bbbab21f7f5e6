"""Activation functions: the value in place, the derivative through the output.

Every function is a shifted and scaled tanh. That form is vectorised by NumPy and cannot overflow.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._params import check_choice


@dataclass(frozen=True)
class Activation:
    """A squashing function of the net input x of a concept, with a slope s.

    It is ``middle + reach * tanh(steepness * s * (x - center))``.
    """

    name: str
    center: float  # the net input that leaves a concept undecided
    middle: float  # the state of an undecided concept
    reach: float  # how far a state can get from the middle
    steepness: float

    def excite(self, net_input: NDArray[np.floating], slope: float | NDArray[np.floating]) -> NDArray[np.floating]:
        """Replace the net input by what the tanh is applied to, in place."""
        net_input -= self.center
        factor = self.steepness * slope
        if isinstance(factor, float):  # float32 may not hold it, and 0 times infinity is not a number
            factor = min(factor, float(np.finfo(net_input.dtype).max))
        net_input *= factor
        return net_input

    def apply(self, net_input: NDArray[np.floating], slope: float | NDArray[np.floating]) -> NDArray[np.floating]:
        """Replace the net input by the state, in place."""
        np.tanh(self.excite(net_input, slope), out=net_input)
        if self.reach != 1.0:
            net_input *= self.reach
        if self.middle != 0.0:
            net_input += self.middle
        return net_input

    def derivative(self, states: NDArray[np.floating], slope: float | NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the derivative with respect to the net input, computed from the state that it led to."""
        relative = (states - self.middle) / self.reach
        result: NDArray[np.floating] = self.reach * self.steepness * slope * (1.0 - relative * relative)
        return result


ACTIVATIONS = {
    activation.name: activation
    for activation in (
        # 1 / (1 + exp(-s (x - 0.5))): the paper's; its fixed point 0.5 is the middle of its range.
        Activation("sigmoid", center=0.5, middle=0.5, reach=0.5, steepness=0.5),
        # 1 / (1 + exp(-s x)): the paper's equation 2, common in the literature.
        Activation("logistic", center=0.0, middle=0.5, reach=0.5, steepness=0.5),
        # tanh(s x): for states in [-1, 1].
        Activation("tanh", center=0.0, middle=0.0, reach=1.0, steepness=1.0),
    )
}


def get_activation(name: str, owner: str = "get_activation") -> Activation:
    """Return the activation called `name`."""
    return ACTIVATIONS[check_choice(owner, "activation", name, list(ACTIVATIONS))]
