"""What is read in a row is the same alone, among others, as a frame and as a dict."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import TablePreparer
from cogmap.table.preparation import RowReader


@pytest.fixture(scope="module")
def preparer():
    """A preparer of a table with columns of all kinds."""
    rng = np.random.default_rng(0)
    n = 60
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "share": [f"{x:.1f} %" for x in rng.uniform(0, 100, n)],
            "price": [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in rng.uniform(1000, 9000, n)],
            "member": rng.choice(["yes", "no"], n),
            "flag": rng.choice([True, False], n),
            "colour": rng.choice(["red", "blue", "1", "green"], n),
            "when": pd.date_range("2019-12-30", periods=n, freq="37D").strftime("%Y-%m-%d"),
            "at": pd.date_range("2019-12-30", periods=n, freq="31h").strftime("%Y-%m-%dT%H:%M:%S"),
            "day": pd.date_range("2021-01-01", periods=n, freq="5D").strftime("%d/%m/%Y"),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "time": [f"{hour:02}:15" for hour in rng.integers(0, 24, n)],
        }
    )
    table.loc[0, "colour"] = "violet"  # rare
    table.loc[3, ["share", "when"]] = ["unknown", "not yet"]  # words in the place of values
    preparer = TablePreparer(min_frequency=0.05).fit(table)
    kinds = [column.kind for column in preparer.columns_]
    assert kinds == ["number"] * 3 + ["boolean"] * 2 + ["category"] + ["date"] * 3 + ["ordered", "number"]
    return preparer


number = st.one_of(st.floats(-1e300, 1e300), st.integers(-(10**20), 10**20))
gap = st.sampled_from([None, "", "?", "NA", " n/a ", "nan"])
CELLS = {
    "age": number
    | gap
    | st.sampled_from([True, False, np.inf, -np.inf, "inf", "True", "12", " 1e3 ", "abc", "1_0", "<5"]),
    "share": number | gap | st.sampled_from(["3.5 %", "3.5", "unknown", "known", "-2%"]),
    "price": gap | st.sampled_from(["1.234,50", "3,5", "12", "1,2,3"]),
    "member": gap | st.sampled_from(["yes", "No", "TRUE", "0", "1", "1.0", 1.0, 0, "perhaps", True, False]),
    "flag": gap | st.sampled_from([True, False, "true", "off", "perhaps"]),
    "colour": gap | st.sampled_from(["red", " blue ", "violet", "pink", "1", 1, 1.0, True, 1.5, "Red"]),
    "when": gap | st.dates().map(str) | st.sampled_from(["not yet", "2020-02-30", "2020-1-1", "20200101", "soon"]),
    "at": gap
    | st.datetimes().map(str)
    | st.sampled_from(
        ["2020-05-05T10:00:00Z", "2020-05-05T10:00+02:00", "2020-05-05T10:00:00.123456789", "2300-01-01"]
    ),
    "day": gap | st.sampled_from(["31/12/2020", "2020-12-31", "12/31/2020", "1/2/2020", "01/01/2300"]),
    "size": gap | st.sampled_from(["S", "M", "XL", 1]),
    "time": gap | number | st.sampled_from(["08:15", "26:00:30", "8:1", "noon"]),
}


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=4))
def test_rows_are_read_as_frames_are(preparer, rows):
    """Features, unseen values and faults are those of the preparer, whatever is in the cells."""
    # As objects: a frame would take a column of True and None, or of 1 and 1.5, for something else than its cells are.
    frame = pd.DataFrame(rows, dtype=object)
    expected = preparer.read(frame)
    got = RowReader(preparer.columns_).read(rows)
    usable = [i for i in range(len(rows)) if i not in expected.faults]
    np.testing.assert_array_equal(got.features[usable], expected.features[usable])
    assert got.unseen == expected.unseen
    assert got.faults == expected.faults


def same(one, other):
    """Whether two readings are equal."""
    np.testing.assert_array_equal(one.features, other.features)
    assert (one.unseen, one.faults) == (other.unseen, other.faults)


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.fixed_dictionaries(CELLS), min_size=2, max_size=5))
def test_a_row_is_read_alone_as_among_others(preparer, rows):
    """As a dict, in a frame of objects, and in a frame with the types that pandas finds; 600 rows as one."""
    reader = RowReader(preparer.columns_)
    many = reader.read(rows * (600 // len(rows)))
    for i, row in enumerate(rows):
        alone = reader.read([row])
        for reading in (preparer.read(pd.DataFrame(rows, dtype=object)), preparer.read(pd.DataFrame(rows)), many):
            assert reading.faults.get(i) == alone.faults.get(0)
            if i not in reading.faults:
                np.testing.assert_array_equal(reading.features[i], alone.features[0])
        same(preparer.read(pd.DataFrame([row])), preparer.read(pd.DataFrame([row], dtype=object)))


def test_numbers_beyond_all_floats_are_faults(preparer):
    """An integer that no float can hold is told, as infinity is."""
    row = {column.name: None for column in preparer.columns_}
    for value in (10**400, -(10**400), float("inf")):
        assert "not a finite number" in RowReader(preparer.columns_).read([row | {"age": value}]).faults[0]
