"""Activation functions, applied in place; derivatives are computed from the output.

Each is a shifted and scaled function with values in [-1, 1]. NumPy vectorizes tanh, which cannot overflow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_choice

Array = NDArray[np.floating]
Number = float | NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """A nondecreasing function from the real line to [-1, 1]."""

    squash: Callable[[Array], object]  # applies the function in place
    derivative: Callable[[Array], Array]  # from the values of the function
    slopes: Callable[[Array, Array], tuple[Array, Array]]  # smallest and largest derivative on an interval


@dataclass(frozen=True)
class Activation:
    """A squashing function of the net input x of a concept, with a slope s.

    It is ``middle + reach * shape(steepness * s * (x - center))``. If concepts have different functions, the
    parameters are arrays with one number per concept.
    """

    name: str | tuple[str, ...]
    center: Number  # net input that leaves a concept undecided
    middle: Number  # state of an undecided concept
    reach: Number  # largest distance of a state from the middle
    steepness: Number
    shape: Shape

    @property
    def low(self) -> Number:
        """The smallest state."""
        return self.middle - self.reach

    @property
    def high(self) -> Number:
        """The largest state."""
        return self.middle + self.reach

    def part(self, concepts: slice) -> "Activation":
        """Return the activation of a slice of the concepts."""
        return self if isinstance(self.name, str) else get_activation(self.name[concepts])

    def excite(self, net_input: Array, slope: float | Array) -> Array:
        """Center and scale the net input in place: ``steepness * slope * (net input - center)``."""
        net_input -= self.center
        factor = self.steepness * slope
        if isinstance(factor, float):  # it may overflow in float32, and 0 times infinity is NaN
            factor = min(factor, float(np.finfo(net_input.dtype).max))
        net_input *= factor
        return net_input

    def apply(self, net_input: Array, slope: float | Array) -> Array:
        """Replace the net input by the state, in place."""
        self.shape.squash(self.excite(net_input, slope))
        if not isinstance(self.reach, float) or self.reach != 1.0:
            net_input *= self.reach
        if not isinstance(self.middle, float) or self.middle != 0.0:
            net_input += self.middle
        return net_input

    def derivative(self, states: Array, slope: float | Array) -> Array:
        """Return the derivative with respect to the net input, computed from the resulting state."""
        relative = (states - self.middle) / self.reach
        result: Array = self.reach * self.steepness * slope * self.shape.derivative(relative)
        return result

    def slopes(self, low: Array, high: Array, slope: float | Array) -> tuple[Array, Array]:
        """Return the smallest and the largest derivative between two net inputs."""
        with np.errstate(over="ignore"):
            smallest, largest = self.shape.slopes(self.excite(low.copy(), slope), self.excite(high.copy(), slope))
        scale = self.reach * self.steepness * slope
        return scale * smallest, scale * largest


def _tanh_slopes(low: Array, high: Array) -> tuple[Array, Array]:
    nearest, farthest = np.clip(0.0, low, high), np.maximum(np.abs(low), np.abs(high))
    return 1.0 - np.tanh(farthest) ** 2, 1.0 - np.tanh(nearest) ** 2


def _line_slopes(low: Array, high: Array) -> tuple[Array, Array]:
    inside, overlaps = (low > -1.0) & (high < 1.0), (low <= 1.0) & (high >= -1.0)
    return inside.astype(low.dtype), overlaps.astype(low.dtype)


def _jump_slopes(low: Array, high: Array) -> tuple[Array, Array]:
    return np.zeros_like(low), np.where((low <= 0.0) & (high >= 0.0), np.inf, 0.0)


def _two_values(x: Array) -> None:
    np.copyto(x, np.where(x > 0.0, 1.0, -1.0), casting="same_kind")


_TANH = Shape(lambda x: np.tanh(x, out=x), lambda y: 1.0 - y * y, _tanh_slopes)
_LINE = Shape(
    lambda x: np.clip(x, -1.0, 1.0, out=x),
    lambda y: (np.abs(y) < 1.0).astype(y.dtype),
    _line_slopes,
)
_TWO_VALUES = Shape(_two_values, np.zeros_like, _jump_slopes)
_THREE_VALUES = Shape(lambda x: np.sign(x, out=x), np.zeros_like, _jump_slopes)

ACTIVATIONS = {
    str(activation.name): activation
    for activation in (
        # 1 / (1 + exp(-s (x - 0.5))), used in the paper; its fixed point 0.5 is the middle of its range.
        Activation("sigmoid", center=0.5, middle=0.5, reach=0.5, steepness=0.5, shape=_TANH),
        # 1 / (1 + exp(-s x)): equation 2 of the paper, common in the literature.
        Activation("logistic", center=0.0, middle=0.5, reach=0.5, steepness=0.5, shape=_TANH),
        # tanh(s x): for states in [-1, 1].
        Activation("tanh", center=0.0, middle=0.0, reach=1.0, steepness=1.0, shape=_TANH),
        # 0.5 + s (x - 0.5), clipped to [0, 1]; the identity there for slope 1.
        Activation("saturation", center=0.5, middle=0.5, reach=0.5, steepness=2.0, shape=_LINE),
        # 1 above 0, else 0.
        Activation("bivalent", center=0.0, middle=0.5, reach=0.5, steepness=1.0, shape=_TWO_VALUES),
        # -1, 0 or 1.
        Activation("trivalent", center=0.0, middle=0.0, reach=1.0, steepness=1.0, shape=_THREE_VALUES),
    )
}


def get_activation(name: str | Sequence[str], owner: str = "get_activation") -> Activation:
    """Return the activation called `name`, or one that combines a name per concept."""
    if not isinstance(name, list | tuple):
        return ACTIVATIONS[check_choice(owner, "activation", name, list(ACTIVATIONS), also="a list of these")]
    each = [ACTIVATIONS[check_choice(owner, "activation", one, list(ACTIVATIONS))] for one in name]
    if len(set(name)) == 1:
        return each[0]
    center, middle, reach, steepness = (
        np.array([(a.center, a.middle, a.reach, a.steepness) for a in each]).reshape(-1, 4).T
    )
    return Activation(tuple(name), center, middle, reach, steepness, _mixed([a.shape for a in each]))


def _mixed(shapes: Sequence[Shape]) -> Shape:
    """Return a shape that applies one shape per concept along the last axis of an array."""
    groups = [(shape, np.flatnonzero([one is shape for one in shapes])) for shape in dict.fromkeys(shapes)]

    def squash(x: Array) -> None:
        for shape, columns in groups:
            part = x[..., columns]
            shape.squash(part)
            x[..., columns] = part

    def derivative(y: Array) -> Array:
        result = np.empty_like(y)
        for shape, columns in groups:
            result[..., columns] = shape.derivative(y[..., columns])
        return result

    def slopes(low: Array, high: Array) -> tuple[Array, Array]:
        smallest, largest = np.empty_like(low), np.empty_like(high)
        for shape, columns in groups:
            smallest[..., columns], largest[..., columns] = shape.slopes(low[..., columns], high[..., columns])
        return smallest, largest

    return Shape(squash, derivative, slopes)
