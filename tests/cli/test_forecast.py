"""``cogmap forecast``: files out, the card, and errors in one line."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import cogmap
from cogmap.cli.group import cli


@pytest.fixture
def table(tmp_path):
    months = pd.period_range("2018-01", periods=60, freq="M")
    values = 50 + np.arange(60) + 8 * np.sin(np.arange(60) * np.pi / 6) + np.random.default_rng(0).normal(size=60)
    price = np.r_[np.random.default_rng(1).normal(size=60), 0, 0, 0]
    frame = pd.DataFrame({"month": months.astype(str), "sales": values})
    later = pd.DataFrame({"month": pd.period_range("2023-01", periods=3, freq="M").astype(str), "sales": np.nan})
    frame = pd.concat([frame, later]).assign(price=price)
    path = tmp_path / "sales.csv"
    frame.to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(cli, ["forecast", *map(str, arguments)])


def test_it_writes_forecast_picture_and_model(table, tmp_path):
    """And prints a card that compares the map with simple forecasts."""
    out, plot, model = (tmp_path / name for name in ("out.csv", "out.svg", "sales.cogmap"))
    result = run(
        table, "--time", "month", "--target", "sales", "--steps", 5, "--out", out, "--plot", plot, "--save", model
    )
    assert result.exit_code == 0, result.output
    assert "one season before" in result.output
    assert "% of the values were within the intervals of 90 %" in result.output
    written = pd.read_csv(out)
    assert list(written.columns) == ["month", "sales", "sales low", "sales high"]
    assert list(written["month"]) == [f"2023-0{k}" for k in range(1, 6)]
    assert plot.read_text().startswith("<?xml")
    np.testing.assert_allclose(cogmap.load(model).forecast(5).values[:, 0], written["sales"])


def test_drivers_of_the_future_are_in_later_rows(table):
    """A held driver gives a scenario; JSON has everything."""
    options = ["--time", "month", "--target", "sales", "--driver", "price", "--steps", 3, "--json"]
    result = run(table, *options, "--hold", "price=2@2023-02")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    assert answer["forecast"]["held"] == ["price"]
    assert answer["drivers"] == ["price"]
    assert answer["forecast"]["baseline"][0] == answer["forecast"]["values"][0]


WRONG = [
    (["--target", "sale"], "has no column 'sale'. Did you mean 'sales'?"),
    (["--target", "sales", "--time", "moth"], "Did you mean 'month'?"),
    (["--target", "month"], "'2018-01' is not a number"),
    (["--target", "sales", "--hold", "price"], "--hold must be a name with a value"),
    (["--target", "sales", "--hold", "price=1"], "must be a mapping from some of ['sales'], got 'price'"),
    (["--target", "sales", "--plot", "out.doc"], "--plot writes .svg, .png or .pdf files"),
    (["--target", "sales", "--driver", "price", "--steps", "9"], "must be known for all 9 steps"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[message[:25] for _, message in WRONG])
def test_mistakes_are_told_in_one_line(table, options, message):
    """Without a traceback, and nothing is written."""
    result = run(table, *options)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_repeated_and_unordered_dates_are_told(tmp_path):
    """With the date."""
    path = tmp_path / "bad.csv"
    path.write_text("day,y\n" + "".join(f"2024-01-{day:02},{day}\n" for day in (1, 2, 3, 3, 4, 5, 6, 7, 8)))
    assert "'2024-01-03" in run(path, "--time", "day", "--target", "y").output
    path.write_text("day,y\n" + "".join(f"2024-01-{day:02},{day}\n" for day in (1, 2, 9, 3, 4, 5, 6, 7, 8)))
    assert "times are not in order" in run(path, "--time", "day", "--target", "y").output
    path.write_text("day,y\nsoon,1\nlater,2\n")
    assert "is not a date such as" in run(path, "--time", "day", "--target", "y").output
