"""Comparison of new rows with the training statistics in a model file."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import hypergeom, ks_2samp

import cogmap
from cogmap.cli.group import cli
from cogmap.exceptions import DataError
from cogmap.table import TableModel, fit_table
from cogmap.table.drift import _beyond, _values, find_drift


def people(n_rows, seed, shift=0.0):
    """Return a table with all kinds of columns, and gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n_rows) + 10 * shift,
            "children": rng.poisson(1.5, n_rows),
            "colour": rng.choice(["red", "blue", "green"], n_rows),
            "member": rng.choice(["yes", "no"], n_rows),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
        }
    )
    table["buys"] = np.where(table["age"] + 9 * (table["colour"] == "red") > 45, "yes", "no")
    table.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    return table


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model as loaded from a file."""
    path = tmp_path_factory.mktemp("drift") / "people.cogmap"
    fit_table(people(400, 0), "buys").save(path)
    return TableModel.load(path)


def changed(model, table):
    """Return columns that have changed, with what has changed."""
    return [(change.column, change.what) for change in find_drift(model, table).changes]


def test_unchanged_rows_give_no_alarm(model):
    """Also the training rows themselves, one row, and very many rows."""
    assert changed(model, people(400, 0)) == []
    assert changed(model, people(2000, 1)) == []
    assert changed(model, people(1, 2)) == []
    result = find_drift(model, people(300, 3))
    assert str(result) == "300 rows and 5 columns, compared with 400 training rows: no change was found."


def test_each_kind_of_change_is_found_and_named(model):
    """The sentences have the numbers before and now."""
    rng = np.random.default_rng(5)
    table = people(2000, 4)
    table["age"] += 5.0
    table["colour"] = rng.choice(["red", "blue", "pink"], 2000, p=[0.8, 0.1, 0.1])
    table.loc[:800, "member"] = None
    table.loc[:200, "children"] = 50
    table["joined"] += pd.Timedelta(days=2000)
    result = find_drift(model, table)
    found = {(change.column, change.what) for change in result.changes}
    assert {("age", "values"), ("colour", "categories"), ("colour", "unseen"), ("member", "missing")} <= found
    assert {("children", "range"), ("joined", "values"), ("joined", "range")} <= found
    sentences = [change.sentence for change in result.changes]
    assert any(text.startswith("age is higher: its median is 4") for text in sentences)
    assert "colour has values that were not seen in training in 9.8 % of the rows: 'pink' in " in str(result)
    assert "colour is 'red' in 8" in str(result)
    assert "member is missing in 40 % of the rows, and was in 0 % in training." in sentences
    assert any(text.startswith("children is above the highest value of training") for text in sentences)
    assert all(0 <= change.p_value <= 0.05 for change in result.changes)


def test_planted_shift_of_half_a_deviation_is_found_in_2000_rows(model):
    """The column is named, and no other one."""
    for seed in range(10, 20):
        assert set(changed(model, people(2000, seed, shift=0.5))) <= {("age", "values"), ("age", "range")}
        assert ("age", "values") in changed(model, people(2000, seed, shift=0.5))


def test_wider_values_are_found():
    """A change of spread without one of the median has its own sentence."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=500), "z": rng.normal(size=500)})
    model = fit_table(table.assign(y=np.where(table["x"] > 0, "a", "b")), "y")
    (first, *_) = find_drift(model, pd.DataFrame({"x": 2 * rng.normal(size=2000), "z": rng.normal(size=2000)})).changes
    assert first.sentence.startswith("x is distributed otherwise: half of its values are between -1.")


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_distance_is_close_to_that_of_kolmogorov_and_smirnov(shift):
    """Quantiles instead of all training values make the distance a little smaller, never larger than with them."""
    rng = np.random.default_rng(1)
    before, now = rng.normal(size=1001), rng.normal(size=1500) + shift
    quantiles = np.quantile(before, np.linspace(0, 1, 21)).tolist()
    known = {"quantiles": quantiles, "deviation": 1.0}
    change = _values("x", "x", len(before), known, {"quantiles": quantiles}, now)
    expected = ks_2samp(before, now, method="asymp")
    assert expected.statistic - 0.04 < change.size <= expected.statistic + 1 / 1001
    assert change.p_value >= expected.pvalue * 0.9


def test_ties_are_no_distance():
    """Integers that are repeated in both samples."""
    rng = np.random.default_rng(2)
    before, now = rng.poisson(1.0, 5000), rng.poisson(1.0, 5000).astype(float)
    known = {"quantiles": np.quantile(before, np.linspace(0, 1, 21)).tolist(), "deviation": 1.0}
    assert _values("x", "x", 5000, known, known, now).p_value > 0.05


def test_probability_of_values_beyond_the_range_is_exact():
    """It is that of drawing only new rows first."""
    change = list(_beyond("x", "x", 30, [0.0, 1.0], np.array([2.0, 3.0, 4.0, *[0.5] * 17])))[1]
    assert change.p_value == pytest.approx(hypergeom(50, 20, 3).pmf(3))
    assert change.sentence == "x is above the highest value of training, 1, in 15 % of the rows."


def test_rare_categories_give_no_alarm():
    """A column of many categories always has unseen ones in new rows."""
    rng = np.random.default_rng(0)
    words, x = np.array([f"w{k}" for k in np.minimum(rng.zipf(1.6, 3000), 500)]), rng.normal(size=3000)
    table = pd.DataFrame({"word": words, "x": x, "y": np.where(x > 0, "a", "b")})
    model = fit_table(table[:1000], "y")
    assert sum(model.read(table[1000:]).unseen["word"].values()) > 10
    assert find_drift(model, table[1000:]).changes == ()


def test_models_without_statistics_are_rejected():
    """The message says what to do."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    model = TableModel.of(cogmap.FCMClassifier(n_teachers=0, random_state=0).fit(X, X["a"] > 0))
    with pytest.raises(DataError, match=r"no training statistics\. Fit it again"):
        find_drift(model, X)


def test_command(model, tmp_path):
    """As text and as JSON; errors in one line."""
    model.save(tmp_path / "people.cogmap")
    people(2000, 7, shift=0.5).to_csv(tmp_path / "new.csv", index=False, sep=";")

    def run(*arguments):
        return CliRunner().invoke(cli, ["drift", *map(str, arguments)])

    text = run(tmp_path / "people.cogmap", tmp_path / "new.csv")
    assert text.exit_code == 0, text.stderr
    head, first, *_ = text.stdout.splitlines()
    assert head.startswith("2000 rows and 5 columns, compared with 400 training rows: ")
    assert first.startswith("  age is higher: its median is 4")
    result = json.loads(run(tmp_path / "people.cogmap", tmp_path / "new.csv", "--json").stdout)
    assert result["n_rows"] == 2000
    assert result["changes"][0]["column"] == "age"
    for content, words in [("age\n1\n", "lacks 4 columns"), ("", "is empty"), ("age,children\n", "lacks")]:
        (tmp_path / "bad.csv").write_text(content)
        failed = run(tmp_path / "people.cogmap", tmp_path / "bad.csv")
        assert (failed.exit_code, failed.stdout, len(failed.stderr.splitlines())) == (2, "", 1)
        assert words in failed.stderr
