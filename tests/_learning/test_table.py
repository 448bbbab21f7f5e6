"""Rows to learn from, merged, and kept aside in parts."""

import numpy as np
import pytest

from cogmap._learning.splits import make_splits, validation_split
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets, ValueTargets
from cogmap.estimators._labels import class_link, class_weights
from cogmap.exceptions import DataError
from cogmap.models.links import ValueLink
from cogmap.models.model import concept_names


def make_table(codes, weight=None, X=None):
    codes = np.asarray(codes)
    X = np.arange(len(codes), dtype=float)[:, None] if X is None else np.asarray(X, dtype=float)
    link = class_link("one_hot", np.unique(codes), 1.0, "owner")
    return Table(X, ClassTargets(codes, link), weight)


def value_table(values):
    values = np.asarray(values, dtype=float)[:, None]
    link = ValueLink(("target",), np.zeros(1), np.ones(1), True)
    return Table(np.arange(len(values), dtype=float)[:, None], ValueTargets(values, link))


def held_out(table, fraction, random, owner):
    """Return a mask of the rows that are held out; the others are learned from."""
    learning, aside = validation_split(table, fraction, random, owner)
    assert sorted([*learning.rows, *aside.rows]) == list(range(table.n_rows))
    return np.isin(np.arange(table.n_rows), aside.rows)


def parts_of(table, n_parts, seed=0):
    """Return how much of the weight of each row is in each part, one row per part."""
    result = []
    for learning, aside in make_splits(table, n_parts, np.random.RandomState(seed)):
        weights = np.zeros((2, table.n_rows))
        weights[0, learning.rows], weights[1, aside.rows] = learning.row_weights, aside.row_weights
        np.testing.assert_allclose(weights.sum(axis=0), table.row_weights)
        result.append(weights[1])
    return np.array(result)


class TestMerging:
    """Equal rows become one, in an order of their own."""

    def test_merged_rows_have_the_weight_of_all(self):
        """Equal rows with equal labels become one; equal rows with different labels stay two."""
        table = make_table([0, 0, 1, 0], np.array([1.0, 2.0, 4.0, 8.0]), X=[[1.0], [1.0], [1.0], [0.0]]).merged()
        rows = zip(table.X[:, 0], table.targets.codes, table.weight, strict=True)
        assert {(float(x), int(code)): weight for x, code, weight in rows} == {
            (1.0, 0): 3.0,
            (1.0, 1): 4.0,
            (0.0, 0): 8.0,
        }

    def test_merging_forgets_the_order_of_rows(self):
        """Shuffled tables merge to the same table, bit by bit."""
        rng = np.random.default_rng(0)
        X, codes = rng.integers(0, 3, (50, 2)), rng.integers(0, 2, 50)
        order = rng.permutation(50)
        one, other = make_table(codes, X=X).merged(), make_table(codes[order], X=X[order]).merged()
        assert np.array_equal(one.X, other.X)
        assert np.array_equal(one.targets.codes, other.targets.codes)
        assert np.array_equal(one.weight, other.weight)

    def test_merging_distinct_rows_adds_no_weights(self):
        """Without equal rows and without weights, rows still weigh 1."""
        assert make_table([0, 1, 1]).merged().weight is None

    def test_missing_values_and_signs_of_zero_do_not_make_rows_differ(self):
        """One NaN is like another, and -0 is 0."""
        other_nan = np.frombuffer(np.uint64(0x7FF8000000000001).tobytes(), dtype=np.float64)[0]
        X = [[np.nan, 0.0], [other_nan, -0.0], [1.0, 0.0]]
        assert make_table([0, 0, 1], X=X).merged().n_rows == 2

    def test_values_merge_like_classes(self):
        """Rows with equal features and equal values are one."""
        table = value_table([0.5, 0.5, 0.7])
        table = Table(np.ones((3, 1)), table.targets)
        assert sorted(table.merged().weight) == [1.0, 2.0]


class TestPartKeptAside:
    """Rows for early stopping."""

    def test_rows_kept_aside_have_the_shares_of_the_classes(self):
        """A fifth of each class, but never all rows of one."""
        table = make_table(np.repeat([0, 1, 2], [100, 50, 1]))
        aside = held_out(table, 0.2, np.random.RandomState(0), "owner")
        assert [aside[table.targets.codes == code].sum() for code in range(3)] == [20, 10, 0]

    @pytest.mark.parametrize(("n_classes", "each"), [(25, 4), (20, 5), (2, 5), (10, 10)])
    def test_small_classes_share_the_rows_kept_aside(self, n_classes, each):
        """A tenth of all rows, though a tenth of a class may be less than one row."""
        table = make_table(np.repeat(np.arange(n_classes), each))
        aside = held_out(table, 0.1, np.random.RandomState(0), "owner")
        assert aside.sum() == round(0.1 * n_classes * each)
        assert np.bincount(table.targets.codes[~aside]).min() >= 1

    def test_too_few_rows_to_keep_any_aside_are_told(self):
        """The message names the parameter and the cure."""
        with pytest.raises(DataError, match=r"`owner\(validation_fraction=0.1.* of 4 rows .*early_stopping=False"):
            held_out(make_table([0, 0, 1, 1]), 0.1, np.random.RandomState(0), "owner")

    def test_rows_of_all_sizes_of_a_value_are_kept_aside(self):
        """A tenth of each tenth of the rows."""
        values = np.random.default_rng(0).permutation(200)
        aside = held_out(value_table(values), 0.1, np.random.RandomState(0), "owner")
        assert [((values[aside] // 20) == tenth).sum() for tenth in range(10)] == [2] * 10


class TestParts:
    """Parts that are kept aside in turn."""

    @pytest.mark.parametrize("counts", [(50, 20, 10), (3, 2, 30), (1, 1, 40)])
    def test_parts_share_the_rows_of_each_class(self, counts):
        """Each row is in one part; parts differ by a row at most, in all and in each class."""
        table = make_table(np.repeat(np.arange(len(counts)), counts))
        parts = parts_of(table, 5)
        assert set(np.unique(parts)) == {0.0, 1.0}
        in_part = parts.sum(axis=0)
        alone = np.array(counts)[table.targets.codes] == 1
        assert (in_part[~alone] == 1).all()
        assert (in_part[alone] == 0).all()  # the only row of a class is always learned from
        assert np.ptp(parts.sum(axis=1)) <= 1
        for code in range(len(counts)):
            assert np.ptp(parts[:, table.targets.codes == code].sum(axis=1)) <= 1

    def test_a_row_that_stands_for_many_is_in_many_parts(self):
        """As the rows themselves would be; weights of classes do not make more of them."""
        X = [[1.0]] * 5 + [[2.0]] * 2 + [[3.0], [4.0], [5.0], [6.0], [7.0]]
        table = make_table([0] * 10 + [1, 1], X=X).merged()
        heavier = table.weighted(np.where(table.targets.codes == 1, 10.0, table.row_weights))
        parts = parts_of(heavier, 5)
        of_row = {float(x): column for x, column in zip(table.X[:, 0], parts.T, strict=True)}
        np.testing.assert_allclose(of_row[1.0], 1.0)
        assert sorted(of_row[2.0]) == [0, 0, 0, 1, 1]
        assert sorted(of_row[3.0]) == [0, 0, 0, 0, 1]
        assert sorted(of_row[7.0]) == [0, 0, 0, 0, 10]

    @pytest.mark.parametrize("factor", [0.05, 1000.0])
    def test_a_factor_on_all_weights_changes_no_part(self, factor):
        """Neither shares, which sum to 1, nor counts in thousands."""
        X, codes = [[1.0]] * 2 + [[float(i)] for i in range(2, 20)], [0] * 10 + [1] * 10
        whole = parts_of(make_table(codes, np.ones(20), X).merged(), 4)
        scaled = parts_of(make_table(codes, np.full(20, factor), X).merged(), 4)
        np.testing.assert_allclose(scaled, factor * whole)

    def test_one_row_per_class_leaves_nothing_to_keep_aside(self):
        """There is no division at all."""
        assert list(make_splits(make_table([0, 1, 2]), 4, np.random.RandomState(0))) == []


class TestNamesAndWeights:
    """What concepts are called, what classes weigh."""

    def test_balanced_weights_give_classes_the_same_total(self):
        """Also when the rows have weights of their own."""
        codes, weight = np.array([0, 0, 0, 1]), np.array([1.0, 1.0, 2.0, 0.5])
        of_class = class_weights("balanced", np.array([0, 1]), codes, weight, "owner")
        totals = np.bincount(codes, weight * of_class[codes])
        np.testing.assert_allclose(totals, weight.sum() / 2)

    def test_names_that_would_occur_twice_are_numbered(self):
        """A feature may be called like an output, and data frames may repeat a name."""
        names = concept_names(["a", "class=1", "a"], 0, ["class=0", "class=1"])
        assert names == ["a", "class=1", "a (2)", "class=0", "class=1 (2)"]
        names = concept_names(["hidden 1"], 2, ["class=yes"])
        assert names == ["hidden 1", "hidden 1 (2)", "hidden 2", "class=yes"]
