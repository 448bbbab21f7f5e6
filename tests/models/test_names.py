"""Names of hidden concepts follow from their weights."""

from dataclasses import dataclass

import numpy as np
import pytest

from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.names import combination_names

VALUES = np.column_stack([np.linspace(50.0, 200.0, 301), np.linspace(20.0, 80.0, 301), np.arange(301) % 2])
NAMES = ["glucose", "age", "insulin"]


@dataclass
class Rows:
    X: np.ndarray


def name(weights, bias, scaling=FeatureSpread):
    encoding = Encoding(3, 1, scaling(FeatureStatistics.of(VALUES)))
    rows = Rows(encoding.inputs(VALUES))
    return combination_names(np.array([weights]), np.array([bias]), NAMES, encoding, rows, np.arange(3))[0]


def state(value, column=0, scaling=FeatureSpread):
    row = VALUES[:1].copy()
    row[0, column] = value
    return 2.0 * Encoding(3, 0, scaling(FeatureStatistics.of(VALUES))).inputs(row)[0, column] - 1.0


@pytest.mark.parametrize("scaling", [FeatureSpread, FeatureRange])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_steep_step_is_a_cut_in_the_units_of_the_column(scaling, sign):
    weight = 40.0 * sign
    cut = state(126.0, scaling=scaling)
    assert name([weight, 0, 0], -weight * cut, scaling) == f"glucose {'>' if sign > 0 else '<'} 126"


def test_a_gentle_step_is_high_or_low():
    assert name([1.0, 0, 0], 0.0) == "glucose is high"
    assert name([-1.0, 0, 0], 0.0) == "glucose is low"


def test_a_column_of_two_values_needs_no_cut():
    assert name([0, 0, 5.0], 0.0) == "insulin"
    assert name([0, 0, -5.0], 0.0) == "not insulin"


def test_combinations_say_whether_all_or_one_is_needed():
    assert name([8.0, -8.0, 0], -6.0) == "high glucose and low age"
    assert name([8.0, -8.0, 0], 6.0) == "high glucose or low age"
    assert name([8.0, 0, -8.0], -6.0) == "high glucose and not insulin"


def test_a_trade_off_is_a_sum():
    assert name([4.0, 1.0, 0], 0.0) == "high glucose + high age"


def test_combinations_of_steps_name_their_cuts():
    """Also with features of two values, and with steps that must be off."""
    encoding = Encoding(3, 3, FeatureSpread(FeatureStatistics.of(VALUES)))
    weights = np.zeros((4, 7))
    weights[0, 0], weights[1, 1] = 40.0, 40.0
    weights[2, 3], weights[2, 4] = 3.0, -3.0
    weights[3, 3], weights[3, 2] = 3.0, -6.0
    bias = np.array([-40.0 * state(126.0), -40.0 * state(40.0, 1), -3.0, -3.0])
    names = combination_names(weights, bias, NAMES, encoding, Rows(encoding.inputs(VALUES)), np.arange(3))
    assert names == ["glucose > 126", "age > 40", "glucose > 126 and age < 40", "not insulin and glucose > 126"]


@pytest.mark.parametrize("scaling", [FeatureSpread, FeatureRange])
def test_two_values_other_than_0_and_1_are_named(scaling):
    """Of doors=2 and doors=4 none is "not doors"."""
    values = VALUES * (1.0, 1.0, 2.0) + (0.0, 0.0, 2.0)
    encoding = Encoding(3, 1, scaling(FeatureStatistics.of(values)))
    names = ["price", "age", "doors"]

    def of(*weights):
        rows = Rows(encoding.inputs(values))
        return combination_names(np.array([weights]), np.zeros(1), names, encoding, rows, np.arange(3))[0]

    assert (of(0, 0, 5.0), of(0, 0, -5.0)) == ("doors=4", "doors=2")
    assert of(5.0, 0, -1.0) == "high price + doors=2"
