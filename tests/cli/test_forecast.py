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
ENDING = [f"{value},{k % 3}" for k, value in enumerate(VALUES)]
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
    "a driver that ends": (MONTHS, ENDING, Z, "'z' must be known for all 3 steps, but is not for step 1"),
    "a driver with a gap": (MONTHS, GAP_AT_START, Z, "the driver 'z' has missing values"),
    "a driver that is the target": (MONTHS, VALUES, [*Y, "--driver", "y"], "'y' is both a variable and a driver"),
    "an unknown name held": (MONTHS, VALUES, [*Y, "--hold", "fishing=1"], "from some of ['y'], got 'fishing'"),
    "held at a word": (MONTHS, VALUES, [*Y, "--hold", "y=high"], "--hold must be a name with a value"),
    "held at no value": (MONTHS, VALUES, [*Y, "--hold", "y"], "--hold must be a name with a value"),
    "held from no time on": (MONTHS, VALUES, [*Y, "--hold", "y=3@soon"], "'soon' is not a time such as '2023-01'"),
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
        assert "Note: The last 1 rows have no values of ['y']: the forecast starts there." in result.output


def test_numbers_count_steps(tmp_path):
    """Steps that are left out are missing values, and the forecast goes on after the last."""
    rows = [f"{k},{value}" for k, value in enumerate(VALUES) if k != 40]
    (tmp_path / "steps.csv").write_text("\n".join(["month,y", *rows]) + "\n")
    result = run(tmp_path / "steps.csv", "--time", "month", "--target", "y", "--steps", 2, "--json")
    answer = json.loads(result.output)
    assert "Learned from 60 steps" in answer["sentence"]
    assert answer["forecast"]["times"] == ["60", "61"]


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
