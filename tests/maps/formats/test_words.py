"""What people write instead of a number."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogmap.exceptions import DataError
from cogmap.maps.formats import MENTAL_MODELER_SCALE, SCALE
from cogmap.maps.formats.words import Scale, as_number

WORDS = Scale(SCALE)

MEANINGS = {
    "VH": 1.0, "+VH": 1.0, "-VH": -1.0, "VH-": -1.0, "vh": 1.0, " H ": 0.75, "\N{MINUS SIGN}H": -0.75, "- M": -0.5,
    "L +": 0.25,
    "very high": 1.0, "Very_High": 1.0, "VeryHigh": 1.0, "very-low": 0.1, "strong": 0.75, "Strong positive": 0.75,
    "strong negative": -0.75, "negative strong": -0.75, "Negative (very weak)": -0.1, "positively strong": 0.75,
    "moderately negative": -0.5, "medium": 0.5, "strongly negative": -0.75, "medium high": 0.625, "MH": 0.625,
    "-ML": -0.375,
    "positive": 1.0, "negative": -1.0, "neg": -1.0, "very strong, positive": 1.0, "pos. high": 0.75,
    "0.5": 0.5, ".5": 0.5, "-,5": -0.5, "1,25": 1.25, "+1": 1.0, "1e-3": 0.001, "\N{MINUS SIGN}0.5": -0.5, "0": 0.0,
    3: 3.0, -0.25: -0.25,
    "": None, " ": None, "NaN": None, "nan": None, "NA": None, "n/a": None, "none": None, "no causality": None,
    "no effect": None, "unsure": None, None: None, math.nan: None,
}  # fmt: skip


@pytest.mark.parametrize("cell", MEANINGS)
def test_what_cells_mean(cell):
    """Numbers as such; words by the stated scale, with the sign wherever it is; None where there is no weight."""
    assert WORDS.weight(cell) == MEANINGS[cell]


@pytest.mark.parametrize(
    "cell",
    [
        "lots",
        "+",
        "-",
        "+-H",
        "+H-",
        "positive negative",
        "H H",
        "0.5.5",
        "1 2",
        "= 1",
        "#REF!",
        True,
        "inf",
        "-inf",
        "0x10",
    ],
)
def test_what_means_nothing_is_told(cell):
    """No guess, and nothing that Python would take for a number and nobody else."""
    with pytest.raises(DataError, match="is neither a number nor one of the words"):
        WORDS.weight(cell)


@pytest.mark.parametrize("cell", ["1e999", math.inf, -math.inf, 10**400])
def test_what_is_infinite_is_told(cell):
    """Weights are finite."""
    with pytest.raises(DataError, match="is not a finite number"):
        WORDS.weight(cell)


def test_letters_of_mental_modeler():
    """H = 1, M = .62, L = .25, with a sign behind."""
    letters = Scale(MENTAL_MODELER_SCALE)
    assert [letters.weight(cell) for cell in ("H+", "M-", "L+", "L-")] == [1.0, -0.62, 0.25, -0.25]
    with pytest.raises(DataError, match="'VH'"):
        letters.weight("VH")


def test_the_scale_is_the_users():
    """Any words, in any language, also with a direction of their own."""
    scale = Scale({"schwach": 0.2, "sehr stark": 0.9, "dampens": -0.4, "H": 2})
    meant = {
        "schwach": 0.2,
        "-Schwach": -0.2,
        "Sehr  stark": 0.9,
        "negative sehr_stark": -0.9,
        "dampens": -0.4,
        "high": 2,
    }
    assert {cell: scale.weight(cell) for cell in meant} == meant
    with pytest.raises(DataError, match=r"one of the words \['schwach', 'sehr stark', 'dampens', 'H'\]"):
        scale.weight("low")


@pytest.mark.parametrize(
    ("cell", "direction", "weight"),
    [
        ("H", "Negative", -0.75),
        (0.5, "-", -0.5),
        (-0.5, "negative", -0.5),
        ("L", "+", 0.25),
        ("M", -1, -0.5),
        ("", "+", None),
    ],
)
def test_a_direction_beside_the_weight(cell, direction, weight):
    """It gives the sign."""
    assert WORDS.weight(cell, direction) == weight


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_exact(number):
    """As text or not."""
    assert as_number(repr(number)) == as_number(number) == WORDS.weight(repr(number)) == number
