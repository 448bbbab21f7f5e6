"""``cogmap forecast``: files out, the card, and errors in one line."""

import json
import signal
import subprocess
import sys
import time

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


def test_a_saved_forecaster_is_shown_and_explored(table, tmp_path):
    """Commands that need rows say what takes it."""
    model, page = tmp_path / "sales.cogmap", tmp_path / "sales.html"
    made = run(table, "--time", "month", "--target", "sales", "--save", model).stdout
    shown = CliRunner().invoke(cli, ["show", str(model)])
    assert shown.exit_code == 0, shown.output
    assert made.startswith(shown.output.rstrip("\n"))
    assert json.loads(CliRunner().invoke(cli, ["show", str(model), "--json"]).stdout)["variables"] == ["sales"]
    explored = CliRunner().invoke(cli, ["explore", str(model), "--out", str(page)])
    assert explored.exit_code == 0, explored.output
    assert "sales" in page.read_text(encoding="utf-8")
    cogmap.save(cogmap.load(model), model)
    assert "saved without a card" in CliRunner().invoke(cli, ["show", str(model)]).stdout
    for arguments in (
        ["explore", model, table],
        *([name, model, table] for name in ("predict", "evaluate", "explain")),
    ):
        result = CliRunner().invoke(cli, [str(one) for one in arguments])
        assert result.exit_code == 2
        assert "a forecaster" in result.output.splitlines()[-1]


def test_drivers_of_the_future_are_in_later_rows(table):
    """A held driver gives a scenario; JSON has everything."""
    options = ["--time", "month", "--target", "sales", "--driver", "price", "--steps", 3, "--json"]
    result = run(table, *options, "--hold", "price=2@2023-02")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    assert answer["forecast"]["held"] == ["price"]
    assert answer["drivers"] == ["price"]
    assert answer["forecast"]["baseline"][0] == answer["forecast"]["values"][0]


MONTHS = [str(month) for month in pd.period_range("2018-01", periods=60, freq="M")]
DAYS = [str(day.date()) for day in pd.period_range("2018-01", periods=20, freq="M").to_timestamp()]
YEARS = ["2021-03-02", "2022-03-02", "2023-03-02"]
VALUES = [f"{value:.3f}" for value in 50 + np.arange(60) + np.random.default_rng(0).normal(size=60)]
UNEVEN = ["2020-01-01", "2020-01-03", "2020-02-11", "2020-02-12", "2021-07-01", "2022-01-01", "2022-01-02"]
GAP_AT_END = [f"{value},{'' if k > 30 else value}" for k, value in enumerate(VALUES)]
EXPONENTIAL = [f"{np.exp(float(value) / 10):.3f}" for value in VALUES]
ENDING = [f"{value},{k % 3}" for k, value in enumerate(VALUES)]
ENDING_LATER = [f"{value if k < 58 else ''},{k % 3}" for k, value in enumerate(VALUES)]
GAP_LATER = [f"{value if k < 56 else ''},{'' if k == 57 else k % 3}" for k, value in enumerate(VALUES)]
GAP_AT_START = [f"{value},{k if k else ''}" for k, value in enumerate(VALUES)]
Y = ["--target", "y"]
Z = [*Y, "--driver", "z", "--steps", "3"]

# Times, values, options, and a part of the message.
WRONG = {
    "shorter than two seasons": (MONTHS[:20], VALUES, Y, "'y' has 20 known values, and needs at least two seasons"),
    "constant": (MONTHS, ["3"] * 60, Y, "'y' is always 3: there is nothing to learn"),
    "one value": (MONTHS[:1], VALUES, Y, "'y' has 1 known value, and needs at least two seasons"),
    "no rows": ([], [], Y, "has a header and no rows"),
    "no values": (MONTHS, [""] * 60, Y, "Column 'y' has no values"),
    "repeated dates": (MONTHS[:1] + MONTHS[:59], VALUES, Y, "'2018-01' occurs twice. Keep one value per time"),
    "unordered dates": (MONTHS[::-1], VALUES, Y, "times are not in order, near '2022-12'. Sort them first"),
    "uneven dates": (UNEVEN, VALUES, Y, "the time between values changes"),
    "months, then years": ([*DAYS, *YEARS], VALUES, Y, "the time between values changes"),
    "numbers with gaps": (range(0, 600, 10), VALUES, Y, "by ones, and 531 of 591 from 0 to 590 are left out"),
    "fractions as time": (np.arange(60) / 2, VALUES, Y, "'0.0' is not a date such as"),
    "words as time": (["soon", "later"], VALUES, Y, "'soon' is not a date such as"),
    "a time is missing": (["", *MONTHS[1:]], VALUES, Y, "row 1: the time is missing"),
    "a gap at the end": (MONTHS, GAP_AT_END, [*Y, "--target", "z"], "the last 29 values of 'z' are missing. Leave"),
    "text": (MONTHS, ["low"] * 60, Y, "Column 'y', row 1: 'low' is not a number. Correct the file"),
    "a word": (MONTHS, [*VALUES[:10], "n/k", *VALUES[11:]], Y, "Column 'y', row 11: 'n/k' is not a number"),
    "infinity": (MONTHS, [*VALUES[:10], "inf", *VALUES[11:]], Y, "the values include infinity"),
    "steps 0": (MONTHS, VALUES, [*Y, "--steps", "0"], "'--steps': 0 is not in the range 1<=x<=10000"),
    "steps 10^6": (MONTHS, VALUES, [*Y, "--steps", "1000000"], "'--steps': 1000000 is not in the range 1<=x<=10000"),
    "season 0": (MONTHS, VALUES, [*Y, "--season", "0"], "'--season': 0 is not in the range 1<=x<=10000"),
    "a driver that ends": (MONTHS, ENDING, Z, "The driver 'z' is known for 0 of 3 steps after the last target"),
    "a driver that ends soon": (MONTHS, ENDING_LATER, Z, "'z' is known for 2 of 3 steps after the last target. Add "
                                "rows with its values, ask for --steps 2, or hold it: --hold z=VALUE."),
    "a driver with gaps later": (MONTHS, GAP_LATER, Z, "'z' is known for 1 of 3 steps after the last target"),
    "a driver with a gap": (MONTHS, GAP_AT_START, Z, "the driver 'z' has missing values"),
    "a driver that is the target": (MONTHS, VALUES, [*Y, "--driver", "y"], "'y' is both a variable and a driver"),
    "an unknown name held": (MONTHS, VALUES, [*Y, "--hold", "fishing=1"], "--hold: 'fishing' is neither a --target"),
    "a name held misspelt": (MONTHS, VALUES, [*Y, "--hold", "Y=1"], "nor a --driver. Did you mean 'y'?"),
    "held at infinity": (MONTHS, VALUES, [*Y, "--hold", "y=inf"], "--hold must be a name with a value"),
    "held at two values": (MONTHS, VALUES, [*Y, "--hold", "y=1", "--hold", "y=2"], "--hold gives 'y' two values from"),
    "held below zero": (MONTHS, EXPONENTIAL, [*Y, "--hold", "y=-1"], "must be a number > 0 for 'y', got -1"),
    "held at a word": (MONTHS, VALUES, [*Y, "--hold", "y=high"], "--hold must be a name with a value"),
    "held at no value": (MONTHS, VALUES, [*Y, "--hold", "y"], "--hold must be a name with a value"),
    "held from no time on": (MONTHS, VALUES, [*Y, "--hold", "y=3@soon"], "'soon' is not a time such as '2023-01'"),
    "held from too late on": (MONTHS, VALUES, [*Y, "--hold", "y=3@2040"], "'2040' is after the last of 12 steps"),
    "an unknown target": (MONTHS, VALUES, ["--target", "Y"], "has no column 'Y'. Did you mean 'y'?"),
    "an unknown time": (MONTHS, VALUES, [*Y, "--time", "moth"], "Did you mean 'month'?"),
    "a picture of no kind": (MONTHS, VALUES, [*Y, "--plot", "out.doc"], "--plot writes .svg, .png or .pdf files"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_told_in_one_line(case, tmp_path):
    """Without a traceback, and nothing is written."""
    times, values, options, message = WRONG[case]
    columns = "month,y,z" if values and "," in values[0] else "month,y"
    rows = [f"{time},{value}" for time, value in zip(times, values, strict=False)]
    (tmp_path / "wrong.csv").write_text("\n".join([columns, *rows]) + "\n")
    files = [word for name in ("out", "save", "page") for word in (f"--{name}", tmp_path / f"wrong.{name}")]
    result = run(tmp_path / "wrong.csv", "--time", "month", *options, *files)
    assert result.exit_code == 2
    error = result.output.strip().splitlines()[-1]
    assert error.startswith("Error: ")
    assert message in error
    assert "Traceback" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.csv"]


def test_a_short_series_is_forecast_and_tested_as_far_as_possible(tmp_path):
    """Three years in months have a shorter test, two years none."""
    for n_months, told in ((30, "Errors of 1 forecast of 2 steps"), (25, "25 steps are too few to test forecasts")):
        rows = [f"{month},{value}" for month, value in zip(MONTHS[:n_months], VALUES[:n_months], strict=True)]
        (tmp_path / "short.csv").write_text("\n".join(["month,y", *rows, "2020-12,"]) + "\n")
        result = run(tmp_path / "short.csv", "--time", "month", "--target", "y")
        assert result.exit_code == 0, result.output
        assert told in result.output
        assert "Note: The last row has no values of ['y']: the forecast starts there." in result.output


def test_numbers_may_have_a_decimal_comma(tmp_path):
    """As in every table; what may be two numbers is a mistake."""
    outputs = []
    for mark, separator in ((".", ","), (",", ";")):
        values = [value[:-1].replace(".", mark) for value in VALUES]
        rows = [f"{month}{separator}{value}" for month, value in zip(MONTHS, values, strict=True)]
        (tmp_path / "sales.csv").write_text("\n".join([f"month{separator}y", *rows]) + "\n")
        outputs.append(run(tmp_path / "sales.csv", "--time", "month", "--target", "y", "--steps", "3").output)
    assert "Forecast: 3 steps" in outputs[0]
    assert outputs[0] == outputs[1]
    rows = [f"{month};{1 + k % 7},{100 + k % 50}" for k, month in enumerate(MONTHS)]
    (tmp_path / "sales.csv").write_text("\n".join(["month;y", *rows]) + "\n")
    result = run(tmp_path / "sales.csv", "--time", "month", "--target", "y")
    assert result.exit_code == 2
    assert "Error: Column 'y': '1,100' may be 1100 or 1.1. Write numbers with a decimal point" in result.output


def test_numbers_count_steps(tmp_path):
    """Steps that are left out are missing values, and the forecast goes on after the last."""
    rows = [f"{k},{value}" for k, value in enumerate(VALUES) if k != 40]
    (tmp_path / "steps.csv").write_text("\n".join(["month,y", *rows]) + "\n")
    result = run(tmp_path / "steps.csv", "--time", "month", "--target", "y", "--steps", 2, "--json")
    answer = json.loads(result.output)
    assert "Learned from 60 steps" in answer["sentence"]
    assert answer["forecast"]["times"] == ["60", "61"]


def test_whole_numbers_may_have_a_decimal_point(tmp_path):
    """As pandas writes years that were floats."""
    result = forecast_of(tmp_path, [f"{year}.0" for year in range(1960, 2020)])
    assert "Learned from 60 years" in result.output
    assert "\n2020 " in result.output


def test_steps_are_those_for_which_drivers_are_known(table):
    """Unless a number of steps is asked for; drivers that are held need not be known."""
    options = ["--time", "month", "--target", "sales", "--driver", "price", "--json"]
    assert len(json.loads(run(table, *options).output)["forecast"]["times"]) == 3
    assert len(json.loads(run(table, *options, "--hold", "price=1").output)["forecast"]["times"]) == 12


def test_a_name_is_held_at_several_values(table):
    """Each from its time on, in any order."""
    options = ["--time", "month", "--target", "sales", "--steps", 4, "--json"]
    holds = ["--hold", "sales=9@2023-03", "--hold", "sales=7", "--hold", "sales=8@2023-02"]
    answer = json.loads(run(table, *options, *holds).stdout)
    assert [row[0] for row in answer["forecast"]["values"]] == [7, 8, 9, 9]


def forecast_of(tmp_path, times, values=VALUES, options=("--time", "month")):
    """Return the output of two steps for a table of two columns."""
    rows = [f'"{time}",{value}' for time, value in zip(times, values, strict=True)]
    (tmp_path / "times.csv").write_text("\n".join(["month,y", *rows]) + "\n")
    return run(tmp_path / "times.csv", *options, "--target", "y", "--steps", "2")


@pytest.mark.parametrize(
    ("style", "first"),
    [
        ("%m/%Y", "2023-01"),
        ("%b %Y", "2023-01"),
        ("%B %Y", "2023-01"),
        ("%m/%d/%Y", "2023-01-01"),
        ("%d.%m.%Y", "2023-01-01"),
    ],
)
def test_months_may_be_written_in_several_ways(tmp_path, style, first):
    """Months before days are recognized by equal steps of time."""
    months = pd.period_range("2018-01", periods=60, freq="M").to_timestamp()
    result = forecast_of(tmp_path, months.strftime(style))
    assert "Learned from 60 months" in result.output
    assert f"\n{first} " in result.output


def test_weeks_and_working_days_go_on(tmp_path):
    """Weeks have numbers, and working days no weekends, also if holidays are left out."""
    weeks = pd.date_range("2020-12-07", periods=60, freq="W-MON")
    result = forecast_of(tmp_path, [f"{day.isocalendar()[0]}-W{day.isocalendar()[1]:02}" for day in weeks])
    assert "Learned from 60 weeks" in result.output
    assert "\n2022-01-31 " in result.output
    days = pd.bdate_range("2024-01-01", periods=63).delete([5, 30, 31])  # ends on a Wednesday
    result = forecast_of(tmp_path, days.strftime("%Y-%m-%d"), options=("--time", "month"))
    assert [line[:10] for line in result.output.splitlines() if line.startswith("2024")] == ["2024-03-28", "2024-03-29"]
    assert "Error: Column 'month', row 1: '2021-W60' is not a date" in forecast_of(tmp_path, ["2021-W60"] * 60).output


def test_a_column_of_dates_that_is_not_used_is_noted(tmp_path):
    """Steps are then counted, and a season is not known."""
    assert "For the dates of column 'month', add: --time month" in forecast_of(tmp_path, MONTHS, options=()).output
    assert "--time" not in forecast_of(tmp_path, range(60), options=()).output


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_an_interrupt_is_one_line_and_leaves_nothing(tmp_path, seconds):
    """Exit code 130, no file and no part of one."""
    with (tmp_path / "long.csv").open("w") as file:
        file.write(",".join(["time", *(f"y{k}" for k in range(8))]) + "\n")
        values = np.random.default_rng(0).normal(size=(3000, 8)).cumsum(axis=0)
        file.writelines(",".join(map(str, [k, *row])) + "\n" for k, row in enumerate(values))
    targets = [word for k in range(8) for word in ("--target", f"y{k}")]
    files = [word for name in ("out", "save", "page") for word in (f"--{name}", tmp_path / f"files.{name}")]
    arguments = ["forecast", tmp_path / "long.csv", "--time", "time", *targets, *files]
    command = [sys.executable, "-X", "importtime", "-m", "cogmap", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while b"cogmap.table.series" not in process.stderr.readline():  # the last module that the command imports
        assert process.poll() is None
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert [line for line in error.splitlines() if b"|" not in line] == [b"Stopped."]
    assert [path.name for path in tmp_path.iterdir()] == ["long.csv"]
