"""Ranges of features and first states."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogmap.exceptions import DataError
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.features import FeatureStatistics


def learned(kind, X, weight=None):
    return kind(FeatureStatistics.of(X, weight))


def test_training_range_becomes_zero_to_one():
    """Each column gets its own range; a constant one becomes 0."""
    X = np.array([[1.0, -5.0, 7.0], [3.0, 5.0, 7.0], [2.0, 0.0, 7.0]])
    np.testing.assert_allclose(learned(FeatureRange, X).scale(X), [[0, 0, 0], [1, 1, 0], [0.5, 0.5, 0]])


def test_values_outside_keep_their_distance_up_to_one_range():
    """A little outside stays in proportion, far outside is held, infinitely far too."""
    of = learned(FeatureRange, np.array([[0.0], [10.0]]))
    far = np.array([[-1.0], [12.0], [-11.0], [25.0], [-1e300], [1e308]])
    np.testing.assert_allclose(of.scale(far).ravel(), [-0.1, 1.2, -1.0, 2.0, -1.0, 2.0])


def test_float32_tables_with_large_values_do_not_overflow():
    """The difference of two float32 numbers may not be one."""
    X = np.array([[-3e38], [3e38], [0.0]], dtype=np.float32)
    scaled = learned(FeatureRange, X).scale(X)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled.ravel(), [0, 1, 0.5])


def test_a_range_that_no_float_holds_is_told():
    """The feature is named, and the cure."""
    with pytest.raises(DataError, match=r"Feature number 1 of X ranges .* Scale it"):
        learned(FeatureRange, np.array([[0.0, -1.7e308], [1.0, 1.7e308]]))


def test_scaling_many_rows_is_scaling_each(breast_cancer):
    """Blocks do not show."""
    X = np.tile(breast_cancer[0], (20, 1))
    of = learned(FeatureRange, X)
    np.testing.assert_array_equal(of.scale(X)[5000], of.scale(X[5000:5001])[0])


def test_outputs_start_undecided():
    """Features first, then hidden concepts and outputs at 0.5, in the dtype of the features."""
    states = Encoding(2, n_hidden=1).first_states(np.array([[0.2, 0.9]], dtype=np.float32), 1)
    assert states.dtype == np.float32
    np.testing.assert_allclose(states, [[0.2, 0.9, 0.5, 0.5]])


def test_logistic_states_count_deviations_from_the_mean():
    """The mean is the middle; a constant feature is always there; nothing leaves [0, 1]."""
    X = np.array([[1.0, 7.0], [3.0, 7.0]])
    of = learned(FeatureSpread, X)
    np.testing.assert_allclose([of.mean, of.deviation], [[2.0, 7.0], [1.0, 0.0]])
    one = 1.0 / (1.0 + np.exp(-0.75))
    np.testing.assert_allclose(of.scale(X), [[1 - one, 0.5], [one, 0.5]])
    far = of.scale(np.array([[1e308, 7.0], [-1e308, 7.0], [2.0, 7.0]]))
    np.testing.assert_allclose(far[:, 0], [1.0, 0.0, 0.5])


def test_one_huge_value_does_not_hide_the_others():
    """By range the others hardly differ; by their spread they do."""
    X = np.append(np.linspace(0.0, 1.0, 999), 20.0)[:, None]
    by_range, by_spread = (np.ptp(learned(kind, X).scale(X[:999])) for kind in (FeatureRange, FeatureSpread))
    assert by_spread > 3 * by_range


def test_weights_count_as_repeated_rows_in_the_spread():
    """A row of weight 3 is the same as three rows."""
    X, weight = np.array([[0.0], [1.0], [5.0]]), np.array([1.0, 3.0, 2.0])
    weighted, repeated = learned(FeatureSpread, X, weight), learned(FeatureSpread, np.repeat(X, [1, 3, 2], axis=0))
    np.testing.assert_allclose(weighted.mean, repeated.mean)
    np.testing.assert_allclose(weighted.deviation, repeated.deviation)


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_spread_of_tiny_and_huge_numbers(factor):
    """Their squares would vanish or overflow."""
    X = factor * np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_allclose(learned(FeatureSpread, X).scale(X), learned(FeatureSpread, X / factor).scale(X / factor))


def test_the_spread_of_many_rows_is_that_of_all():
    """Blocks do not show, nor their weights."""
    random = np.random.default_rng(0)
    X, weight = random.normal(3.0, 2.0, (10_001, 2)), random.integers(1, 4, 10_001)
    for given, rows in ((None, X), (weight.astype(float), np.repeat(X, weight, axis=0))):
        spread = learned(FeatureSpread, X, given)
        np.testing.assert_allclose(spread.mean, rows.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(spread.deviation, rows.std(axis=0), rtol=1e-12)


def test_a_feature_that_is_missing_in_one_part_has_the_statistics_of_the_other():
    """Its mean of 0 there says nothing, however far away the values are."""
    here, missing = np.array([[1e300], [2e300]]), np.array([[np.nan], [np.nan]])
    expected = FeatureStatistics.of(here)
    for first, second in [(here, missing), (missing, here)]:
        merged = FeatureStatistics.of(first).merged(FeatureStatistics.of(second))
        np.testing.assert_allclose([merged.mean, merged.deviation], [expected.mean, expected.deviation], rtol=1e-12)


class TestSparseSpread:
    """In what units the columns of a sparse table are counted."""

    def spread(self, units, per_column=12):
        """Return deviations of columns with a few stored values each, and the table."""
        random = np.random.default_rng(0)
        columns = np.repeat(np.arange(len(units)), per_column)
        values = random.random(len(columns)) * np.asarray(units)[columns]
        table = csr_array((values, (np.arange(len(columns)), columns)), shape=(len(columns), len(units)))
        return FeatureStatistics.of(table).deviation, table

    def test_columns_that_are_alike_are_counted_alike(self):
        """Though mean squares of twelve values differ by chance."""
        deviation, table = self.spread(np.full(300, 2.0))
        by_column = 3.0 * np.sqrt(table.power(2).sum(axis=0) / 12)
        assert np.ptp(np.log(by_column)) > 0.5
        assert np.ptp(np.log(deviation)) < 0.25
        np.testing.assert_allclose(deviation.mean(), 3.0 * 2.0 / np.sqrt(3.0), rtol=0.03)

    def test_columns_in_other_units_keep_theirs(self):
        """A column in thousands does not drown one in thousandths."""
        units = np.tile([1e-3, 1.0, 1e3], 100)
        deviation, table = self.spread(units)
        np.testing.assert_allclose(deviation, 3.0 * np.sqrt(table.power(2).sum(axis=0) / 12), rtol=0.1)

    @pytest.mark.parametrize("factor", [1e-9, 8.0])
    def test_another_unit_of_all_values_changes_nothing_else(self, factor):
        """All deviations are multiplied by it."""
        deviation, table = self.spread(np.geomspace(0.5, 2.0, 50))
        np.testing.assert_allclose(FeatureStatistics.of(factor * table).deviation, factor * deviation, rtol=1e-9)

    def test_single_values_are_what_they_are(self):
        """Where no column has two values, nothing tells chance from units; an empty column is counted in nothing."""
        table = csr_array(np.diag([1.0, -5.0, 0.0, 1e6]))
        assert FeatureStatistics.of(table).deviation.tolist() == [3.0, 15.0, 0.0, 3e6]
