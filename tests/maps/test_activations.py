"""Activation functions against finite differences and explicit formulas, and at extreme inputs."""

import numpy as np
import pytest

from cogmap.maps.activations import ACTIVATIONS, get_activation

MIXED = get_activation(["sigmoid", "tanh", "saturation"])
ALL = {**ACTIVATIONS, "mixed": MIXED, "jumps": get_activation(["bivalent", "logistic", "trivalent"])}
FORMULAS = {
    "sigmoid": lambda x, s: 1 / (1 + np.exp(-s * (x - 0.5))),
    "logistic": lambda x, s: 1 / (1 + np.exp(-s * x)),
    "tanh": lambda x, s: np.tanh(s * x),
    "saturation": lambda x, s: min(max(0.5 + s * (x - 0.5), 0), 1),
    "bivalent": lambda x, s: 1 if x > 0 else 0,
    "trivalent": lambda x, s: 1 if x > 0 else -1 if x < 0 else 0,
}
# No number here is a kink or a jump of a function at the slopes below.
X = np.linspace(-3.1, 2.87, 21).reshape(7, 3)


@pytest.mark.parametrize("activation", ALL.values(), ids=ALL)
@pytest.mark.parametrize("slope", [0.5, 3.0, np.array([0.5, 1.0, 2.0])], ids=str)
def test_values_are_those_of_the_formulas(activation, slope):
    """Each function equals its formula in the literature, also at a jump."""
    names = [activation.name] * 3 if isinstance(activation.name, str) else activation.name
    slopes = np.broadcast_to(slope, 3)
    x = np.vstack([X, [0.0, 0.0, 0.0], [1e-9, 1e-9, 1e-9]])
    expected = [[FORMULAS[names[j]](row[j], slopes[j]) for j in range(3)] for row in x]
    np.testing.assert_allclose(activation.apply(x.copy(), slope), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("activation", ALL.values(), ids=ALL)
@pytest.mark.parametrize("slope", [0.5, 3.0, np.array([0.5, 1.0, 2.0])], ids=str)
def test_derivative_through_the_output_matches_finite_differences(activation, slope):
    """The derivative computed from the state equals the difference quotient."""
    h = 1e-6
    quotient = (activation.apply(X + h, slope) - activation.apply(X - h, slope)) / (2 * h)
    np.testing.assert_allclose(activation.derivative(activation.apply(X.copy(), slope), slope), quotient, atol=1e-8)


@pytest.mark.parametrize("activation", ALL.values(), ids=ALL)
@pytest.mark.parametrize("slope", [0.5, 3.0], ids=str)
def test_slopes_bound_all_difference_quotients_of_an_interval(activation, slope):
    """Every difference quotient in the interval lies between the smallest and the largest derivative."""
    rng = np.random.default_rng(0)
    low = rng.uniform(-3, 3, (200, 3))
    high = low + rng.exponential(0.5, (200, 3))
    least, most = activation.slopes(low, high, slope)
    between = np.sort(rng.uniform(size=(20, 2, 200, 3)), axis=1) * (high - low) + low
    value = activation.apply(between.copy(), slope)
    quotient = (value[:, 1] - value[:, 0]) / (between[:, 1] - between[:, 0])
    assert (quotient >= least - 1e-9).all()
    assert (quotient <= most + 1e-9).all()


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_value_in_place_stays_in_range_without_overflow(activation):
    """The function works in place, and the largest floats saturate."""
    x = np.array([-1e307, -1e3, 1e3, 1e307])
    result = activation.apply(x, 1.0)
    assert result is x
    np.testing.assert_allclose(result, np.repeat([activation.low, activation.high], 2), atol=1e-12)


def test_part_selects_the_functions_of_a_slice():
    """Some of several functions, or the one shared by all."""
    assert MIXED.part(slice(1, 3)).name == ("tanh", "saturation")
    assert MIXED.part(slice(1, 2)).name == "tanh"
    assert ACTIVATIONS["tanh"].part(slice(1, 2)) is ACTIVATIONS["tanh"]
