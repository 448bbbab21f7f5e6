"""Bad input as a table: each gets an error that names it and says what to do."""

import re

import numpy as np
import pytest

from cogmap.exceptions import ParameterError
from cogmap.statistics import (
    anova_one_way,
    anova_repeated_measures,
    friedman,
    holm,
    nemenyi,
    paired_tests,
    win_tie_loss,
)

GOOD = [[0.9, 0.8, 0.7], [0.6, 0.7, 0.5]]
BAD_SCORES = [
    ([0.9, 0.8], "with at least 2 of each, got 'shape (2,)'. Rows are datasets or folds, columns methods."),
    (0.9, "got 'shape ()'"),
    ([GOOD], "got 'shape (1, 2, 3)'"),
    ([[0.9, 0.8]], "got 'shape (1, 2)'"),
    ([[0.9], [0.8]], "got 'shape (2, 1)'"),
    (np.empty((0, 3)), "got 'shape (0, 3)'"),
    ([[0.9, 0.8], [np.nan, 0.7]], "finite numbers, got 'nan at [1, 0]'. Drop the rows with failed runs first."),
    ([[0.9, np.inf], [0.8, 0.7]], "finite numbers, got 'inf at [0, 1]'"),
    ([[0.9, None], [0.8, 0.7]], "finite numbers, got 'nan at [0, 1]'"),
    ([["a", "b"], ["c", "d"]], "an array of real numbers, got [['a', 'b'], ['c', 'd']]"),
    ([["1", "2"], ["3", "4"]], "an array of real numbers"),
    ([[1j, 2], [3, 4]], "an array of real numbers"),
    ([[0.9, 0.8], [0.7]], "an array of real numbers"),
    (None, "got 'shape ()'"),
]


@pytest.mark.parametrize("function", [anova_one_way, anova_repeated_measures, friedman, nemenyi])
@pytest.mark.parametrize(("scores", "message"), BAD_SCORES)
def test_bad_scores_are_named(function, scores, message):
    """The message names the function and the parameter, and says what was expected."""
    with pytest.raises(ParameterError, match=re.escape(message)) as error:
        function(scores)
    assert str(error.value).startswith(f"`{function.__name__}(scores=...)` must be ")


BAD_PAIRS = [
    ([1, 2, 3], [1, 2], "second", "as long as first, 3, got 2. Scores are compared in pairs"),
    (GOOD, [1, 2], "first", "a 1-D array of at least"),
    ([1, 2], 3, "second", "got 'shape ()'"),
    ([], [], "first", "got 'shape (0,)'"),
    ([1, np.nan], [1, 2], "first", "got 'nan at [1]'. Drop the rows with failed runs from both arrays first."),
    ([1, 2], [-np.inf, 2], "second", "finite numbers, got '-inf at [0]'"),
    (["a", "b"], [1, 2], "first", "an array of real numbers"),
]


@pytest.mark.parametrize("function", [paired_tests, win_tie_loss])
@pytest.mark.parametrize(("first", "second", "name", "message"), BAD_PAIRS)
def test_bad_pairs_are_named(function, first, second, name, message):
    """The message names the one of the two arrays that is wrong."""
    with pytest.raises(ParameterError, match=re.escape(message)) as error:
        function(first, second)
    assert str(error.value).startswith(f"`{function.__name__}({name}=...)` must be ")


def test_paired_tests_need_two_blocks():
    """One difference has no variance."""
    with pytest.raises(ParameterError, match="at least 2 scores"):
        paired_tests([1], [2])


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan, "0.05", None, True])
def test_alpha_is_between_0_and_1(alpha):
    """Neither end is included, and only numbers will do."""
    with pytest.raises(ParameterError, match=r"`nemenyi\(alpha=...\)` must be a number > 0 and < 1"):
        nemenyi(GOOD, alpha)


@pytest.mark.parametrize("tolerance", [-0.1, np.nan, np.inf, "0", None])
def test_tolerance_is_not_negative(tolerance):
    """A negative tolerance would count a block twice."""
    with pytest.raises(ParameterError, match=r"`win_tie_loss\(tolerance=...\)` must be a number >= 0"):
        win_tie_loss([1, 2], [2, 1], tolerance)


@pytest.mark.parametrize(
    ("p_values", "message"),
    [
        ([0.1, np.nan], "numbers from 0 to 1, got nan. Leave failed tests out."),
        ([0.1, 1.1], "numbers from 0 to 1, got 1.1"),
        ([-0.1], "numbers from 0 to 1, got -0.1"),
        ([[0.1, 0.2]], "a 1-D array, got 'shape (1, 2)'"),
        (0.5, "a 1-D array, got 'shape ()'"),
        (["small"], "an array of real numbers"),
    ],
)
def test_bad_p_values_are_named(p_values, message):
    """Only probabilities are adjusted."""
    with pytest.raises(ParameterError, match=re.escape(message)) as error:
        holm(p_values)
    assert str(error.value).startswith("`holm(p_values=...)` must be ")


def test_scores_too_large_to_be_squared_are_told():
    """By their place, with what to do."""
    with pytest.raises(ParameterError, match=r"scores.*from -1e\+100 to 1e\+100.*1e\+200 at \[0, 1\].*Divide"):
        friedman([[0.0, 1e200], [1.0, 2.0]])
