"""Labels, weights, names and rows kept aside."""

import numpy as np
import pytest

from cogmap.exceptions import DataError
from cogmap.table import Table, class_weights, concept_names


def make_table(codes, weight=None, X=None):
    codes = np.asarray(codes)
    X = np.arange(len(codes), dtype=float)[:, None] if X is None else np.asarray(X, dtype=float)
    return Table(X, codes, weight, np.unique(codes), "one_hot", [])


def test_merged_rows_have_the_weight_of_all():
    """Equal rows with equal labels become one; equal rows with different labels stay two."""
    table = make_table([0, 0, 1, 0], np.array([1.0, 2.0, 4.0, 8.0]), X=[[1.0], [1.0], [1.0], [0.0]]).merged()
    found = {
        (float(x), int(code)): weight for x, code, weight in zip(table.X[:, 0], table.codes, table.weight, strict=True)
    }
    assert found == {(1.0, 0): 3.0, (1.0, 1): 4.0, (0.0, 0): 8.0}


def test_merging_forgets_the_order_of_rows():
    """Shuffled tables merge to the same table, bit by bit."""
    rng = np.random.default_rng(0)
    X, codes = rng.integers(0, 3, (50, 2)), rng.integers(0, 2, 50)
    order = rng.permutation(50)
    one, other = make_table(codes, X=X).merged(), make_table(codes[order], X=X[order]).merged()
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.weight, other.weight)


def test_merging_distinct_rows_adds_no_weights():
    """Without equal rows and without weights, rows still weigh 1."""
    assert make_table([0, 1, 1]).merged().weight is None


def test_rows_kept_aside_have_the_shares_of_the_classes():
    """A fifth of each class, but never all rows of one."""
    table = make_table(np.repeat([0, 1, 2], [100, 50, 1]))
    aside = table.validation_rows(0.2, np.random.RandomState(0))
    assert [aside[table.codes == code].sum() for code in range(3)] == [20, 10, 0]


@pytest.mark.parametrize(("n_classes", "each"), [(25, 4), (20, 5), (2, 5), (10, 10)])
def test_small_classes_share_the_rows_kept_aside(n_classes, each):
    """A tenth of all rows, though a tenth of a class may be less than one row."""
    table = make_table(np.repeat(np.arange(n_classes), each))
    aside = table.validation_rows(0.1, np.random.RandomState(0))
    assert aside.sum() == round(0.1 * n_classes * each)
    assert np.bincount(table.codes[~aside]).min() >= 1


def test_too_few_rows_to_keep_any_aside_are_told():
    """The message names the parameter and the cure."""
    with pytest.raises(DataError, match=r"validation_fraction=0.1.* of 4 rows .*early_stopping=False"):
        make_table([0, 0, 1, 1]).validation_rows(0.1, np.random.RandomState(0))


def test_balanced_weights_give_classes_the_same_total():
    """Also when the rows have weights of their own."""
    codes, weight = np.array([0, 0, 0, 1]), np.array([1.0, 1.0, 2.0, 0.5])
    of_class = class_weights("balanced", np.array([0, 1]), codes, weight, "owner")
    totals = np.bincount(codes, weight * of_class[codes])
    np.testing.assert_allclose(totals, weight.sum() / 2)


def test_names_that_would_occur_twice_are_numbered():
    """A feature may be called like an output, and data frames may repeat a name."""
    names = concept_names(["a", "class=1", "a"], np.array([0, 1]), "one_hot", 0)
    assert names == ["a", "class=1", "a (2)", "class=0", "class=1 (2)"]
    names = concept_names(["hidden 1"], np.array(["no", "yes"]), "single", 2)
    assert names == ["hidden 1", "hidden 1 (2)", "hidden 2", "class=yes"]


@pytest.mark.parametrize("counts", [(50, 20, 10), (3, 2, 30), (1, 1, 40)])
def test_parts_share_the_rows_of_each_class(counts):
    """Each row is in one part; parts differ by a row at most, in all and in each class."""
    table = make_table(np.repeat(np.arange(len(counts)), counts))
    parts = table.parts(5, np.random.RandomState(0))
    assert set(np.unique(parts)) == {0.0, 1.0}
    in_part = parts.sum(axis=0)
    alone = np.array(counts)[table.codes] == 1
    assert (in_part[~alone] == 1).all()
    assert (in_part[alone] == 0).all()  # the only row of a class is always learned from
    assert np.ptp(parts.sum(axis=1)) <= 1
    for code in range(len(counts)):
        assert np.ptp(parts[:, table.codes == code].sum(axis=1)) <= 1


def test_a_row_that_stands_for_many_is_in_many_parts():
    """As the rows themselves would be; class weights do not make more of them."""
    X, codes = [[1.0]] * 7 + [[2.0]] * 2 + [[3.0]], [0] * 9 + [1]
    table = make_table([*codes, 1], X=[*X, [4.0]]).merged().with_class_weights(np.array([1.0, 10.0]))
    parts = table.parts(5, np.random.RandomState(0))
    of_row = {float(x): column for x, column in zip(table.X[:, 0], parts.T, strict=True)}
    np.testing.assert_allclose(of_row[1.0], 7 / 5)
    assert sorted(of_row[2.0]) == [0, 0, 0, 1, 1]
    assert sorted(of_row[3.0]) == [0, 0, 0, 0, 10]


def test_shares_count_as_whole_rows():
    """Weights that sum to 1 make the same parts as weights of 1."""
    X, codes = [[1.0]] * 2 + [[float(i)] for i in range(2, 20)], [0] * 10 + [1] * 10
    whole = make_table(codes, np.ones(20), X).merged()
    shares = make_table(codes, np.full(20, 0.05), X).merged()
    parts = [table.parts(4, np.random.RandomState(0)) for table in (whole, shares)]
    np.testing.assert_allclose(parts[0], 20 * parts[1])
