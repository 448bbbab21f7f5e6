"""Whether probabilities mean what they say."""

import numpy as np
import pytest

from cogmap.exceptions import ParameterError
from cogmap.statistics import confidence_factor, expected_calibration_error


def test_honest_probabilities_have_no_error():
    """Events drawn with the probabilities that were given for them."""
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.5, 1.0, 200_000)
    assert expected_calibration_error(confidence, rng.random(200_000) < confidence) < 0.005


def test_error_is_the_mean_distance():
    """Always sure and right four times in five: off by 0.2. Too high here and too low there do not cancel."""
    assert expected_calibration_error(np.ones(10), np.arange(10) < 8) == pytest.approx(0.2)
    assert expected_calibration_error([0.5, 0.9], [True, False]) == pytest.approx((0.5 + 0.9) / 2)


@pytest.mark.parametrize("n_bins", [1, 7, 20])
def test_it_is_what_a_loop_over_the_bins_gives(n_bins):
    """By its definition."""
    rng = np.random.default_rng(1)
    confidence, right = rng.random(500), rng.random(500) < 0.6
    expected = 0.0
    for i in range(n_bins):
        inside = (confidence >= i / n_bins) & (confidence < (i + 1) / n_bins)
        if inside.any():
            expected += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    assert expected_calibration_error(confidence, right, n_bins) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, np.nan], [True, False]), "confidence.*from 0 to 1, got nan"),
        (([0.5, 1.5], [True, False]), "confidence.*from 0 to 1, got 1.5"),
        (([0.5], [True, False]), "right.*as long as confidence, 1, got 2"),
        (([], []), "right.*at least one"),
        (([0.5], ["yes"]), "right.*real numbers"),
        (([0.5], [True], 0), "n_bins.*integer >= 1, got 0"),
        (([0.5], [True], 10**9), "n_bins.*<= 1000000"),
    ],
)
def test_wrong_arguments_are_told(arguments, message):
    """By name, with what was expected."""
    with pytest.raises(ParameterError, match=message):
        expected_calibration_error(*arguments)


@pytest.mark.parametrize("true_factor", [0.5, 1.0, 2.0])
def test_the_confidence_factor_is_found(true_factor):
    """Labels drawn with the probabilities of the scores times a factor."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20_000, 3))
    truth = (true_factor * scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    assert confidence_factor(scores, truth) == pytest.approx(true_factor, rel=0.05)
    assert confidence_factor(scores, truth, np.full(20_000, 1e-6)) == pytest.approx(true_factor, rel=0.05)


def test_few_rows_change_confidence_little():
    """Ten right answers do not show that all answers will be right."""
    assert 1.0 < confidence_factor(np.tile([0.0, 1.0], (10, 1)), np.ones(10, dtype=int)) < 1.2
