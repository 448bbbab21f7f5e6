"""Column kinds: what is inferred, why, and how a person overrules it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import TablePreparer
from cogmap.exceptions import DataError, ParameterError
from cogmap.table.columns.numbers import NumberStyle, number_styles

RNG = np.random.default_rng(0)
MANY = [f"{x:.1f}" for x in RNG.normal(70, 5, 40)]


def only(values, **options):
    """Return the only column of a table, and its first feature."""
    frame = pd.DataFrame({"x": values})
    preparer = TablePreparer(**options).fit(frame)
    (column,) = preparer.columns_
    return column, preparer.transform(frame).iloc[:, 0].tolist()


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["64.5 kg", "70 kg", "81.25 kg"], [64.5, 70, 81.25]),
        (["64.5kg", "70", "1,081.25 kg"], [64.5, 70, 1081.25]),
        (["12 km/h", "13.5 km/h"], [12, 13.5]),
        (["-$1,200.50", "$3"], [-1200.5, 3]),
        (["<5", "7", "8.5", "9", "12"], [5, 7, 8.5, 9, 12]),
        (["(120)", "95", "(3.5)"], [-120, 95, -3.5]),
        (["(1,200 €)", "95 €"], [-1200, 95]),
        (["08:15", "23:59", "00:00"], [8.25, 23 + 59 / 60, 0]),
        (["1:30:36", "26:00:00"], [1.51, 26]),
        (["0,844", "0,9", "0,125"], [0.844, 0.9, 0.125]),
        (["0,844", "0,912"], [0.844, 0.912]),
        (["0.844", "0.912"], [0.844, 0.912]),
        (["1.234.567", "2.000"], [1234567, 2000]),
    ],
)
def test_number_notations_are_parsed(texts, numbers):
    """Units, limits, negative amounts in parentheses, times in hours, and groups that do not begin with 0."""
    column, found = only(texts)
    assert column.kind == "number"
    np.testing.assert_allclose(found, numbers, rtol=1e-15)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["01067", "80331", "01067", "80331"], "category"),
        (["<=50K", ">50K"] * 3, "category"),
        (["3 kg", "2 m", "3 kg", "2 m"], "category"),
        ([*(f"{i} kg" for i in range(30)), "11 lb"] * 2, "category"),
        (["16:9", "4:3", "16:9"] * 2, "category"),
        (["18-25", "26-35", ">35"] * 3, "category"),
        (pd.Categorical(["b", "a", "b"]), "category"),
        (pd.Categorical(["b", "a", "b"], ["b", "a"], ordered=True), "ordered"),
        (pd.to_timedelta([30, 90, 60], unit="min"), "number"),
        ([pd.Timestamp("2020-01-01 08:15").time(), pd.Timestamp("2020-01-01 09:00").time()], "number"),
        (np.arange(1950, 1990), "number"),
        (np.arange(40), "number"),
    ],
)
def test_kinds_are_inferred_from_values(values, kind):
    """Codes are categories; times, durations and consecutive integers are numbers."""
    assert only(values)[0].kind == kind


def test_placeholders_are_named_in_the_reason():
    """They count as missing values."""
    assert only([*map(str, range(20)), "unknown"])[0].why == "numbers, as text; missing if it is 'unknown'"
    days = pd.date_range("2024-01-01", periods=20).strftime("%Y-%m-%d")
    assert only([*days, "never"])[0].why == "dates, ISO 8601; missing if it is 'never'"


def test_durations_are_hours_in_every_form():
    """As timedeltas, and as the strings that pandas writes for them."""
    values = pd.Series(pd.to_timedelta([30, 1500, -90, 4320], unit="min"), name="x")
    preparer = TablePreparer().fit(values.to_frame())
    for form in (values, values.astype(object), values.astype(str)):
        np.testing.assert_allclose(preparer.transform(form.to_frame())["x"], [0.5, 25, -1.5, 72])


def test_an_identifier_has_distinct_strings_or_the_name_of_one():
    """In any order of rows; numbers in a column with another name are used."""
    n = 30
    frame = pd.DataFrame(
        {
            "row no": RNG.permutation(n),
            "orderKey": RNG.permutation(n) + 1000,
            "uuid": [f"u{i}" for i in range(n)],
            "year": np.arange(n) + 1990,
            "dose": RNG.permutation(n),
            "piano": np.arange(n),
            "customer id": np.arange(n) // 2,
        }
    )
    preparer = TablePreparer().fit(frame)
    assert list(preparer.left_out_) == ["row no", "orderKey", "uuid"]
    assert [column.name for column in preparer.columns_] == ["year", "dose", "piano", "customer id"]


def test_a_category_of_many_values_keeps_the_frequent_ones():
    """300 values, none of them in 1 % of the rows; nearly distinct strings are still free text."""
    values = [f"v{i}" for i in range(300) for _ in range(5 + (i < 20))]
    column, _ = only(values)
    assert set(column.choices) >= {f"v{i}" for i in range(20)}
    assert (len(column.choices), column.choices[-1], len(column.rare)) == (30, "other", 271)
    free = pd.DataFrame({"x": range(400), "text": [f"t{i // 2 if i < 20 else i}" for i in range(400)]})
    assert TablePreparer().fit(free).left_out_ == {
        "text": "an identifier or free text: 390 different values in 400 rows"
    }


def written(form, days):
    return [day.strftime(form) for day in days]


DAYS = pd.date_range("2024-01-01", periods=60, freq="5D")
AMBIGUOUS = pd.to_datetime([f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 5, 12)])


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y"])
def test_an_ambiguous_date_follows_the_table(form):
    """Day or month first, as in an unambiguous column; pandas agrees, given the format."""
    frame = pd.DataFrame({"told": written(form, DAYS[:36]), "x": written(form, AMBIGUOUS)})
    preparer = TablePreparer().fit(frame)
    np.testing.assert_array_equal(preparer.transform(frame)["x: month"], AMBIGUOUS.month)
    assert preparer.notes_ == []


def test_an_ambiguous_date_adds_a_note():
    """It is read with the day first."""
    frame = pd.DataFrame({"x": written("%m/%d/%Y", AMBIGUOUS)})
    preparer = TablePreparer().fit(frame)
    np.testing.assert_array_equal(preparer.transform(frame)["x: day"], AMBIGUOUS.month)
    assert preparer.notes_[0].startswith(
        "x: day and month of '01/05/2024' are ambiguous; it is read with the day first."
    )


def test_few_days_after_the_12th_determine_the_order():
    """They are not placeholders for missing values."""
    days = [*AMBIGUOUS, pd.Timestamp("2024-01-31")]
    column, _ = only(written("%m/%d/%Y", days))
    assert (column.style, column.words) == ("%m/%d/%Y", ())


@pytest.mark.parametrize(("other", "number"), [("3,5", 1234), ("3.5", 1.234)])
def test_an_ambiguous_number_follows_the_table(other, number):
    """1.234 is more than a thousand beside 3,5, without a note."""
    frame = pd.DataFrame({"x": ["1.234", "5.678"], "told": [other, other[::-1]]})
    preparer = TablePreparer().fit(frame)
    assert preparer.transform(frame)["x"][0] == number
    assert preparer.notes_ == []


def test_an_ambiguous_number_adds_a_note():
    """It is read with a decimal point; but beside 950, 1,200 is more than a thousand."""
    frame = pd.DataFrame({"x": ["1.234", "5.678"], "price": ["1,200", "950"]})
    assert TablePreparer().fit(frame).notes_ == ["x: '1.234' is read as 1.234, with a decimal point."]


def test_na_among_country_codes_adds_a_note():
    """It counts as missing, perhaps wrongly; among other strings there is no note."""
    frame = pd.DataFrame({"x": ["DE", "NA", "FR", "DE", "FR"], "y": ["Oslo", "NA", "Rome", "Oslo", "Rome"]})
    assert TablePreparer().fit(frame).notes_ == [
        "x: 'NA' in 1 row counts as missing. If it is a code, write it in another way."
    ]


@pytest.mark.parametrize(
    ("values", "kind", "feature"),
    [
        (["01067", "80331"], "number", [1067, 80331]),
        (["5", "x", "y", "7"], "number", [5, np.nan, np.nan, 7]),
        ([1, 2, 1], "category", [1, 0, 1]),
        ([3, 1, 2, 1], "ordered", [2, 0, 1, 0]),
        (["1-2", "10+", "3-9"], "ordered", [0, 2, 1]),
        (["S", "L", "M"], "S<M<L", [0, 2, 1]),
        (["yes", "no", "maybe"], "no < maybe < yes", [2, 0, 1]),
        ([20240131, 20250228], "date", [2024, 2025]),
    ],
)
def test_a_declared_kind_overrides_the_inferred_one(values, kind, feature):
    """Also with the order of categories."""
    column, found = only(values, kinds={"x": kind})
    np.testing.assert_array_equal(found, feature)
    assert column.why.startswith("as asked")


@pytest.mark.parametrize(("kind", "reason"), [("id", "an identifier, as asked"), ("text", "free text, as asked")])
def test_declared_identifiers_and_texts_are_left_out(kind, reason):
    """Whatever their values."""
    preparer = TablePreparer(kinds={"x": kind}).fit(pd.DataFrame({"x": [1, 1, 2], "z": [3, 5, 4]}))
    assert preparer.left_out_ == {"x": reason}


@pytest.mark.parametrize(
    ("kinds", "error", "message"),
    [
        ({"x": "number"}, DataError, r"'x' cannot be of the kind 'number': it has \['L', 'M', 'S'\]"),
        ({"x": "date"}, DataError, "'x' cannot be of the kind 'date'"),
        ({"x": "ordered"}, DataError, "Give the order instead of the kind, lowest first: 'L<M<S'"),
        ({"x": "S<M"}, DataError, "The order 'S<M' of the column 'x' lacks 'L'"),
        ({"x": "colour"}, ParameterError, r"`TablePreparer\(kinds=...\)` must be a dict to"),
        ({"xx": "number"}, ParameterError, "Did you mean 'x'"),
        (["x"], ParameterError, "a dict from column names to kinds"),
    ],
)
def test_invalid_kinds_are_rejected(kinds, error, message):
    """The error gives the column, the problem and the cure."""
    with pytest.raises(error, match=message):
        TablePreparer(kinds=kinds).fit(pd.DataFrame({"x": ["S", "M", "L"]}))


@settings(max_examples=200, deadline=None)
@given(
    numbers=st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=2, max_size=10, unique=True),
    decimal=st.sampled_from(".,"),
    unit=st.sampled_from(["", " kg", "%", " €", "°C"]),
)
def test_numbers_round_trip_in_any_style(numbers, decimal, unit):
    """Grouped, with either decimal mark and a unit."""
    swap = str.maketrans(",.", ".,") if decimal == "," else {}
    texts = [f"{number:,.2f}".translate(swap) + unit for number in numbers]
    (style,) = number_styles(texts)
    assert style == NumberStyle(decimal, unit.strip())
    assert [style.parse(text) for text in texts] == [float(number) for number in numbers]


@pytest.mark.parametrize("year", [1, 1600, 2300, 9999])
def test_any_year_is_parsed_beside_any_other(year):
    """A batch with nanoseconds ends in the year 2262 in pandas."""
    days = [f"{2000 + i}-05-{i + 1:02}" for i in range(20)]
    preparer = TablePreparer().fit(pd.DataFrame({"x": days}))
    for others in ([], ["2020-05-05"], ["2020-05-05T10:00:00.123456789"]):
        reading = preparer.read(pd.DataFrame({"x": [f"{year:04}-05-17", *others]}))
        assert (reading.features[0, 0], reading.faults) == (year, {})
