"""Activation functions against finite differences and at the ends of the number line."""

import numpy as np
import pytest

from cogmap.activations import ACTIVATIONS


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
@pytest.mark.parametrize("slope", [0.5, 3.0, np.array([0.5, 1.0, 2.0])], ids=str)
def test_derivative_through_the_output_matches_finite_differences(activation, slope):
    """The derivative computed from the state equals the difference quotient."""
    x = np.linspace(-3, 3, 21).reshape(7, 3)
    h = 1e-6
    quotient = (activation.apply(x + h, slope) - activation.apply(x - h, slope)) / (2 * h)
    np.testing.assert_allclose(activation.derivative(activation.apply(x.copy(), slope), slope), quotient, atol=1e-8)


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_value_in_place_stays_in_range_without_overflow(activation):
    """The array given is the array returned, and the largest floats saturate."""
    x = np.array([-1e308, -1e3, activation.center, 1e3, 1e308])
    result = activation.apply(x, 1.0)
    assert result is x
    low, high = activation.middle - activation.reach, activation.middle + activation.reach
    np.testing.assert_allclose(result, [low, low, activation.middle, high, high], atol=1e-12)
