"""Which columns are kept: those that say something, alone or together, and few by chance."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit

from cogmap._learning.screening import relevant
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets, ValueTargets
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink

N_ROWS, N_COLUMNS = 1000, 200


@pytest.fixture
def noise():
    """Columns that nothing depends on."""
    return np.random.default_rng(0).normal(size=(N_ROWS, N_COLUMNS))


def a_table(X, codes, weight=None):
    """Return a table whose features are states."""
    n_classes = codes.max() + 1
    link = LogOddsLink(np.arange(2)) if n_classes == 2 else SoftmaxLink(np.arange(n_classes), 10.0)
    return Table(expit(0.75 * X), ClassTargets(codes, link), weight)


def test_columns_that_the_classes_follow_are_found(noise):
    """Two that matter, and hardly any other."""
    codes = (noise[:, 3] - noise[:, 50] + np.random.default_rng(1).normal(size=N_ROWS) > 0).astype(int)
    found = relevant(a_table(noise, codes))
    assert {3, 50} <= set(found)
    assert len(found) <= 4


def test_a_column_of_which_both_ends_speak_for_a_class_is_found(noise):
    """Its mean is the same in both classes."""
    codes = (np.abs(noise[:, 7]) > 0.7).astype(int)
    assert 7 in relevant(a_table(noise, codes))


def test_a_column_that_acts_only_together_with_another_is_found(noise):
    """By itself it says nothing: it decides which way another column speaks for a class."""
    noise[:, 20] += 0.3
    codes = (noise[:, 20] * noise[:, 90] + 0.3 * noise[:, 20] > 0).astype(int)
    assert {20, 90} <= set(relevant(a_table(noise, codes)))


def test_of_noise_nothing_is_kept(noise):
    """In most tables not one of 200 columns."""
    kept = [
        len(relevant(a_table(noise, np.random.default_rng(seed).integers(0, n_classes, N_ROWS))))
        for seed, n_classes in enumerate([2, 3, 8] * 4)
    ]
    assert np.mean(np.array(kept) > 0) <= 0.25


def test_one_row_makes_no_column_relevant(noise):
    """A class of one row, in which a column has its only value, is what chance does with many columns."""
    X = np.zeros((N_ROWS, N_COLUMNS))
    X[5, 8] = 1.0
    codes = np.arange(N_ROWS) % 2
    codes[5] = 2
    assert len(relevant(a_table(X, codes))) == 0


def test_values_are_followed_as_classes_are(noise):
    """Of two targets each has its column; a column that is constant is no trouble."""
    noise[:, 0] = 1.0
    values = np.column_stack([noise[:, 5], noise[:, 6] ** 2]) + np.random.default_rng(1).normal(size=(N_ROWS, 2))
    link = ValueLink(("a", "b"), values.mean(axis=0), values.std(axis=0), False)
    found = relevant(Table(expit(0.75 * noise), ValueTargets(values, link)))
    assert {5, 6} <= set(found)
    assert 0 not in found


def test_weights_of_rows_count(noise):
    """A column that speaks only in rows of hardly any weight is not found."""
    codes = np.random.default_rng(2).integers(0, 2, N_ROWS)
    noise[: N_ROWS // 2, 4] = 2.0 * codes[: N_ROWS // 2]
    weight = np.repeat([1e-6, 1.0], N_ROWS // 2)
    assert 4 in relevant(a_table(noise, codes))
    assert 4 not in relevant(a_table(noise, codes, weight))


def test_sparse_columns_are_found_as_dense_ones_are(noise):
    """By what they say alone."""
    codes = (noise[:, 3] + np.random.default_rng(1).normal(size=N_ROWS) > 0).astype(int)
    noise[np.abs(noise) < 1.0] = 0.0
    table = a_table(noise, codes)
    sparse = Table(csr_array(table.X - 0.5), table.targets)
    assert 3 in relevant(sparse)
    assert len(relevant(sparse)) <= 3
