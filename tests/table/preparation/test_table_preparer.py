"""A raw table as numbers: kinds are found, names can be read, strange values are told, nothing is lost in a file."""

import json
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from cogmap import TablePreparer
from cogmap.exceptions import DataError, ParameterError
from cogmap.table.columns.numbers import NumberStyle, number_styles


@parametrize_with_checks([TablePreparer(), TablePreparer(min_frequency=0.2, max_categories=3)])
def test_check_of_scikit_learn(estimator, check):
    """One of scikit-learn's checks holds."""
    check(estimator)


@pytest.fixture
def table():
    """A table with a column of every kind."""
    rng = np.random.default_rng(0)
    n = 60
    return pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "age": rng.integers(18, 80, n),
            "income": rng.normal(3000, 500, n),
            "price": [f"{value:,.2f} €" for value in rng.uniform(500, 5000, n)],
            "colour": rng.choice(["red", "blue", "green"], n),
            "smoker": rng.choice(["yes", "no"], n),
            "member": rng.choice([True, False], n),
            "bought at": pd.date_range("2023-11-05 08:15", periods=n, freq="57h").strftime("%Y-%m-%d %H:%M"),
            "country": "Norway",
            "empty": None,
        }
    )


def kinds(preparer):
    return {column.name: column.kind for column in preparer.columns_}


def test_kinds_are_inferred(table):
    """Numbers, also as strings, categories, booleans and dates; uninformative columns are left out with a reason."""
    preparer = TablePreparer().fit(table)
    assert kinds(preparer) == {
        "age": "number",
        "income": "number",
        "price": "number",
        "colour": "category",
        "smoker": "boolean",
        "member": "boolean",
        "bought at": "date",
    }
    assert preparer.left_out_ == {
        "id": "an identifier: every row has a different number",
        "country": "always 'Norway'",
        "empty": "every value is missing",
    }


def test_numbers_agree_with_those_of_pandas(table):
    """The features are those that pandas and scikit-learn compute from the same columns."""
    X = TablePreparer().fit(table).transform(table)
    np.testing.assert_array_equal(X["age"], table["age"])
    np.testing.assert_array_equal(X["price"], [float(t.replace(",", "").removesuffix(" €")) for t in table["price"]])
    one_hot = OneHotEncoder(sparse_output=False).fit(table[["colour"]])
    names = [name.replace("_", "=") for name in one_hot.get_feature_names_out()]
    np.testing.assert_array_equal(X[names], one_hot.transform(table[["colour"]]))
    np.testing.assert_array_equal(X["smoker"], table["smoker"] == "yes")
    when = pd.to_datetime(table["bought at"])
    for part in ("year", "month", "day", "hour"):
        np.testing.assert_array_equal(X[f"bought at: {part}"], getattr(when.dt, part))
    np.testing.assert_array_equal(X["bought at: weekday"], when.dt.day_of_week + 1)


@pytest.mark.parametrize("column", ["age", "price", "colour", "smoker", "member", "bought at"])
def test_a_missing_value_is_nan_in_all_features_of_its_column(table, column):
    """Other columns are not affected."""
    preparer = TablePreparer().fit(table)
    gaps = table.astype(object)
    gaps.loc[3, column] = None
    X = preparer.transform(gaps)
    outputs = next(c.outputs for c in preparer.columns_ if c.name == column)
    assert X.loc[3, list(outputs)].isna().all()
    pd.testing.assert_frame_equal(X.drop(index=3), preparer.transform(table).drop(index=3))
    pd.testing.assert_series_equal(
        X.loc[3].drop(list(outputs)), preparer.transform(table).loc[3].drop(list(outputs)), check_names=False
    )


def test_strings_and_typed_values_give_the_same_features(table):
    """A file may be read with or without type inference."""
    preparer = TablePreparer().fit(table)
    as_text = table.map(lambda value: value if value is None else str(value))
    pd.testing.assert_frame_equal(preparer.transform(as_text), preparer.transform(table), rtol=1e-15)
    assert kinds(TablePreparer().fit(as_text)) == kinds(preparer)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1,234.5", "12", "-3.25"], [1234.5, 12, -3.25]),
        (["1.234,5", "12", "-3,25"], [1234.5, 12, -3.25]),
        (["1 234,5", "2 345 678", "7"], [1234.5, 2345678, 7]),
        (["12 %", "3.5%", "100%"], [12, 3.5, 100]),
        (["$1,200", "$85.50", "$3"], [1200, 85.5, 3]),
        (["1e3", "+2", ".5"], [1000, 2, 0.5]),
    ],
)
def test_numbers_stored_as_strings_are_parsed(texts, numbers):
    """In the style that fits the whole column."""
    X = TablePreparer().fit_transform(pd.DataFrame({"x": texts}))
    np.testing.assert_array_equal(X["x"], numbers)


@pytest.mark.parametrize(
    "texts", [["A1", "A2"], ["1-2", "3-4"], ["$1", "€2"], ["1_000", "2_000"], ["12,34.5", "1,2,3"]]
)
def test_strings_that_resemble_numbers_are_not_parsed(texts):
    """Codes, ranges, two currencies, underscores, invalid digit groups."""
    assert number_styles(texts) == []


@pytest.mark.parametrize("number", [0.1, -1234567.891, 1e-7, 3.0, 1e300])
def test_formatted_numbers_round_trip(number):
    """As formatted by Python, and with digit groups, in both styles."""
    assert NumberStyle().parse(repr(number)) == number
    if abs(number) < 1e15:
        text = f"{number:,.3f}"
        assert NumberStyle().parse(text) == float(text.replace(",", ""))
        swapped = text.translate(str.maketrans(",.", ".,"))
        assert NumberStyle(",").parse(swapped) == float(text.replace(",", ""))


def test_a_placeholder_seen_in_training_is_a_missing_value():
    """Any other string is a fault."""
    preparer = TablePreparer().fit(pd.DataFrame({"x": [*map(str, range(0, 40, 2)), "unknown"]}))
    new = pd.DataFrame({"x": ["7", "unknown", "1O", None]})
    reading = preparer.read(new)
    np.testing.assert_array_equal(reading.features[:, 0], [7, np.nan, np.nan, np.nan])
    assert reading.faults == {2: "x: '1O' is not a number"}
    with pytest.raises(DataError, match="Row 3 of the table cannot be used: x: '1O' is not a number"):
        preparer.transform(new)


def test_zero_and_one_are_booleans_in_every_spelling():
    """As numbers and as strings, with and without a decimal; each of them alone, too."""
    preparer = TablePreparer().fit(pd.DataFrame({"x": ["yes", "no", "no"]}))
    for values, expected in (([1, 1.0, "1", "1.0", True], 1.0), ([0, 0.0, "0", "0.0", False], 0.0)):
        assert preparer.transform(pd.DataFrame({"x": values}, dtype=object))["x"].tolist() == [expected] * 5
        for value in values:
            assert preparer.transform(pd.DataFrame({"x": [value]}))["x"].tolist() == [expected]


def test_infinite_numbers_are_faults():
    """A map cannot start from them."""
    preparer = TablePreparer().fit(pd.DataFrame({"x": [1.0, 2.0]}))
    assert preparer.read(pd.DataFrame({"x": [3.0, np.inf]})).faults == {1: "x: inf is not a finite number"}


@pytest.mark.parametrize("style", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y-%m-%dT%H:%M:%S", "%d %B %Y", "%b %d, %Y"])
def test_date_formats_are_parsed(style):
    """Day first or month first, as the data imply."""
    days = [datetime(2021, 3, 17, 5), datetime(2022, 12, 31, 5), datetime(2023, 4, 4, 5)]
    X = TablePreparer().fit_transform(pd.DataFrame({"on": [day.strftime(style) for day in days]}))
    np.testing.assert_array_equal(X["on: year"], [day.year for day in days])
    np.testing.assert_array_equal(X["on: month"], [day.month for day in days])
    np.testing.assert_array_equal(X["on: weekday"], [day.isoweekday() for day in days])


def test_dates_with_a_zone_are_converted_to_utc():
    """As strings or as dates with a zone."""
    frame = pd.DataFrame({"at": pd.to_datetime(["2021-01-01 00:30", "2021-06-01 12:00"]).tz_localize("Europe/Oslo")})
    preparer = TablePreparer().fit(frame)
    np.testing.assert_array_equal(preparer.transform(frame)["at: hour"], [23, 10])
    pd.testing.assert_frame_equal(preparer.transform(frame.astype(str)), preparer.transform(frame))


def test_rare_categories_are_pooled():
    """Those in few rows, and those beyond the maximum number, as scikit-learn's encoder selects them."""
    colours = ["red"] * 50 + ["blue"] * 45 + ["teal"] + ["pink"] * 4
    (column,) = TablePreparer(min_frequency=0.05).fit(pd.DataFrame({"colour": colours})).columns_
    assert column.outputs == ("colour=blue", "colour=red", "colour=other")
    assert column.rare == ("pink", "teal")
    (column,) = TablePreparer(max_categories=2).fit(pd.DataFrame({"colour": colours})).columns_
    assert column.choices == ("red", "other")


def test_a_category_called_other_keeps_its_name():
    """The pooled categories get another name."""
    (column,) = TablePreparer().fit(pd.DataFrame({"x": ["other"] * 5 + ["a"] * 4 + ["b"]})).columns_
    assert column.choices == ("a", "other", "other values")


def test_free_text_and_identifiers_are_left_out_unless_kept():
    """Distinct strings and distinct integers named like identifiers are left out; distinct measurements are not."""
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(30)],
            "number": range(100, 130),
            "customerId": np.random.default_rng(0).permutation(30) * 7,
            "mass": np.random.default_rng(1).permutation(30) * 7,
        }
    )
    assert list(TablePreparer().fit(frame).left_out_) == ["name", "number", "customerId"]
    kept = TablePreparer(keep=["number", "customerId"]).fit(frame)
    assert kinds(kept) == {"number": "number", "customerId": "number", "mass": "number"}


def test_dropped_columns_are_left_out(table):
    """With a reason of their own."""
    preparer = TablePreparer(drop=["age"]).fit(table)
    assert preparer.left_out_["age"] == "as asked"


def test_checked_accepts_columns_in_any_order_and_extra_ones(table):
    """Columns that `fit` left out may be absent."""
    preparer = TablePreparer().fit(table)
    new = table.drop(columns=["id", "empty"]).assign(shop="north")[::-1]
    frame, notes = preparer.checked(new[sorted(new.columns)])
    assert notes == ["1 column is not used: 'shop'."]
    pd.testing.assert_frame_equal(preparer.transform(frame), preparer.transform(table)[::-1])


def test_checked_names_columns_that_are_missing(table):
    """All of them, with a suggestion."""
    preparer = TablePreparer().fit(table)
    with pytest.raises(DataError, match=r"lacks a column that the model needs: \['colour'\]. Did you mean 'color'\?"):
        preparer.checked(table.rename(columns={"colour": "color"}))
    with pytest.raises(DataError, match=r"lacks 2 columns that the model needs: \['age', 'price'\]"):
        preparer.checked(table.drop(columns=["age", "price"]))


def test_checked_reports_unseen_values(table):
    """They count as missing."""
    preparer = TablePreparer().fit(table)
    new = table.head(3).assign(colour=["pink", "red", "pink"], smoker=["yes", "maybe", "no"])
    frame, notes = preparer.checked(new)
    assert notes == [
        "colour: 2 rows have values that were not seen in training ('pink'). They count as missing.",
        "smoker: 1 row has a value that was not seen in training ('maybe'). It counts as missing.",
    ]
    X = preparer.transform(frame)
    assert X.loc[0, ["colour=blue", "colour=red"]].isna().all()
    assert np.isnan(X.loc[1, "smoker"])


def test_the_state_round_trips_through_json(table):
    """Bitwise, also in another process."""
    table.loc[5, "colour"] = "teal"
    preparer = TablePreparer(keep=["id"], drop=["age"]).fit(table)
    again = TablePreparer.from_state(json.loads(json.dumps(preparer.to_state())))
    assert again.columns_ == preparer.columns_
    assert again.left_out_ == preparer.left_out_
    assert again.get_params() == {**preparer.get_params(), "keep": ("id",), "drop": ("age",)}
    pd.testing.assert_frame_equal(again.transform(table), preparer.transform(table), check_exact=True)
    assert again.to_state() == preparer.to_state()


def test_a_state_of_an_older_version_is_loaded(table):
    """Without declared kinds, reasons and notes."""
    preparer = TablePreparer().fit(table)
    state = json.loads(json.dumps(preparer.to_state()))
    del state["notes"], state["parameters"]["kinds"]
    for column in state["columns"]:
        del column["why"]
    again = TablePreparer.from_state(state)
    pd.testing.assert_frame_equal(again.transform(table), preparer.transform(table), check_exact=True)
    assert again.columns_ == preparer.columns_


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: state.pop("columns"),
        lambda state: state["columns"].pop(),
        lambda state: state["columns"][0].update(kind="code"),
        lambda state: state["columns"][0].update(outputs=["a", "b"]),
        lambda state: state["columns"][0].update(decimal=";"),
        lambda state: state["columns"][0].update(name=3),
        lambda state: state["columns"][-1].update(parts=["minute"]),
        lambda state: state["columns"][-1].update(style="%%"),
        lambda state: state.update(n_columns=10**12, names=None),
        lambda state: state.update(left_out=None),
        lambda state: state.update(parameters={"other": 1}),
    ],
)
def test_a_damaged_state_is_rejected(table, damage):
    """With a DataError, before large arrays are allocated."""
    state = json.loads(json.dumps(TablePreparer().fit(table).to_state()))
    damage(state)
    with pytest.raises(DataError, match="not the state of a `TablePreparer`"):
        TablePreparer.from_state(state)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"keep": "age"}, r"`TablePreparer\(keep=...\)` must be a list of column names"),
        ({"drop": ["agee"]}, r"Did you mean 'age'\?"),
        ({"min_frequency": 1.0}, "min_frequency"),
        ({"max_categories": 1}, "max_categories"),
    ],
)
def test_invalid_parameters_are_rejected(table, parameters, message):
    """Messages follow the error grammar of the package."""
    with pytest.raises(ParameterError, match=message):
        TablePreparer(**parameters).fit(table)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"x": []}), "has none"),
        (pd.DataFrame({"x": [1, 1], "y": ["a", "a"]}), r"finds no column to learn from .*\(x: always 1; y: always 'a'"),
        (pd.DataFrame([[1, 2], [3, 5]], columns=["a", "a"]), "more than one column called 'a'"),
        (pd.DataFrame({"x=a": [1, 5, 3, 4], "x": ["a", "b", "a", "b"]}), "would become features called 'x=a'"),
    ],
)
def test_tables_that_cannot_be_prepared_are_rejected(frame, message):
    """No rows, only constant columns, two columns or two features of the same name."""
    with pytest.raises(DataError, match=message):
        TablePreparer().fit(frame)
