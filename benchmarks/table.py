"""Commands for tables, compared with other tools: time ratios measured in one run, and memory.

Uses a file of a million rows in a temporary folder.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import cpu_count
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import cross_validate

import cogmap
from benchmarks.timing import best_times, print_table
from cogmap.cli.group import COMMANDS
from cogmap.table import FitOptions
from cogmap.table.training import train

_MEASURED = """
import pathlib, re, sys, time
begin = time.perf_counter()
{code}
status = pathlib.Path("/proc/self/status").read_text()  # `resource` would include the memory of the parent
peak = int(re.search("VmHWM:[^0-9]*([0-9]+)", status)[1]) / 1024
print(time.perf_counter() - begin, peak, file=sys.stderr)
"""


def measured(code):
    """Run code in a separate process; return its seconds, without interpreter startup, and its peak memory in MB."""
    run = subprocess.run(
        [sys.executable, "-c", _MEASURED.format(code=code)], check=True, stderr=subprocess.PIPE, text=True
    )
    seconds, memory = run.stderr.split()[-2:]
    return float(seconds), float(memory)


def mixed_table(n_rows=10_000, seed=0):
    """Return 20 columns of numbers, categories, booleans and dates, with missing values, and two targets."""
    rng = np.random.default_rng(seed)
    columns = {f"number {i}": rng.normal(size=n_rows) * (i + 1) for i in range(12)}
    columns |= {f"category {i}": rng.choice(list("abcde")[: 2 + i % 4], n_rows) for i in range(5)}
    columns |= {f"answer {i}": rng.choice(["yes", "no"], n_rows) for i in range(2)}
    columns["day"] = pd.date_range("2020-01-01", periods=n_rows, freq="h").strftime("%Y-%m-%d")
    frame = pd.DataFrame(columns)
    value = frame["number 0"] + frame["number 1"] * frame["number 2"] / 6 + np.sin(frame["number 3"] / 2)
    value += 1.5 * (frame["category 0"] == "a") - (frame["answer 0"] == "yes") + rng.normal(size=n_rows)
    frame = frame.mask(rng.random(frame.shape) < 0.03)
    return frame.assign(group=np.where(value > value.median(), "high", "low"), value=value)


def numbers_and_model(n_rows):
    """Return a table of 20 numbers and a classifier fitted to some of its rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 20)).round(6), columns=[f"x{i}" for i in range(20)])
    few = frame[:2000]
    y = np.where(few["x0"] + few["x1"] * few["x2"] > 0, "high", "low")
    return frame, cogmap.table.TableModel.of(cogmap.FCMClassifier(random_state=0).fit(few, y))


def mixed_and_model(n_rows):
    """Return a table of 20 mixed columns and a model fitted to some of its rows."""
    frame = mixed_table(n_rows).drop(columns="value").round(6)
    return frame.drop(columns="group"), cogmap.fit_table(frame[:2000], "group", FitOptions(time_limit=1.0))


def predicting(folder, frame, model, what):
    """Print the time and memory of `cogmap predict` and of pandas reading and writing the same file."""
    table = folder / "table.csv"
    frame.to_csv(table, index=False)
    model.save(folder / "model.cogmap")
    arguments = ["predict", os.fspath(folder / "model.cogmap"), os.fspath(table), "--out", os.fspath(folder / "p.csv")]
    ours = measured(f"from cogmap.cli.group import cli\ncli({arguments!r}, standalone_mode=False)")
    theirs = measured(f"import pandas\npandas.read_csv({str(table)!r}).to_csv({str(folder / 'c.csv')!r}, index=False)")
    rows = [
        ["cogmap predict", f"{ours[0]:.1f} s", f"{ours[1]:.0f} MB"],
        ["pandas, reading and writing", f"{theirs[0]:.1f} s", f"{theirs[1]:.0f} MB"],
        ["ratio (target: at most 0.6); memory (less than 500 MB)", f"{ours[0] / theirs[0]:.2f}", ""],
    ]
    print_table(f"Predicting {len(frame):,} rows of 20 {what}", ["what", "time", "memory"], rows)


def fitting(n_rows, task):
    """Print the time of `cogmap fit` with its scores, and of the cross-validation of a random forest."""
    frame = mixed_table(n_rows)
    target, other = ("group", "value") if task == "classification" else ("value", "group")
    table = frame.drop(columns=other)
    X = cogmap.TablePreparer().fit_transform(table.drop(columns=target))
    forest = (RandomForestClassifier if task == "classification" else RandomForestRegressor)(random_state=0)
    begin = time.perf_counter()
    cross_validate(forest, X, table[target], cv=5, n_jobs=cpu_count())
    theirs = time.perf_counter() - begin
    begin = time.perf_counter()
    card = train(table, target, FitOptions()).card
    ours = time.perf_counter() - begin
    rows = [
        ["cogmap fit: 5 folds of the map and of its rivals, and the map of all rows", f"{ours:.1f} s"],
        ["random forest, 5 folds", f"{theirs:.1f} s"],
        ["ratio (target: less than 3)", f"{ours / theirs:.2f}"],
    ]
    rows += [
        [f"{name}, {measure}", f"{entry['mean']:.3f}"]
        for name, entries in card["scores"].items()
        for measure, entry in entries.items()
    ]
    print_table(f"Fitting {n_rows:,} rows of 20 mixed columns, {task}", ["what", "time or score"], rows)


def starting():
    """Print the time of `--version` and of the help of every command, relative to importing click."""
    start = [sys.executable, "-m", "cogmap"]
    uses = {"--version": ["--version"], "--help": ["--help"]} | {
        f"{name} --help": [name, "--help"] for name in COMMANDS
    }
    times = best_times(
        {
            "import click": lambda: subprocess.run([sys.executable, "-c", "import click"], check=True),
            **{
                name: lambda words=words: subprocess.run([*start, *words], check=True, stdout=subprocess.DEVNULL)
                for name, words in uses.items()
            },
        },
        rounds=20,
        seconds=60.0,
    )
    base = times["import click"]
    rows = [[name, f"{1000 * seconds:.0f} ms", f"{seconds / base:.2f}"] for name, seconds in times.items()]
    print_table("Starting (target: a ratio of at most 1.5)", ["what", "time", "ratio"], rows)


def main():
    """Run the selected benchmarks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to predict")
    parser.add_argument("--fitted", type=int, default=10_000, help="training rows")
    parser.add_argument("--only", choices=["starting", "predicting", "fitting"])
    options = parser.parse_args()
    if options.only in (None, "starting"):
        starting()
    if options.only in (None, "predicting"):
        with tempfile.TemporaryDirectory() as folder:
            predicting(Path(folder), *numbers_and_model(options.rows), "numbers")
            predicting(Path(folder), *mixed_and_model(options.rows), "mixed columns")
    if options.only in (None, "fitting"):
        for task in ("classification", "regression"):
            fitting(options.fitted, task)


if __name__ == "__main__":
    main()
