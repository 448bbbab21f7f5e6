"""Intervals, sets of classes and warnings of unusual rows are the same in Python, in a shell and from a server."""

import asyncio
import csv
import io
import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone

import cogmap
from cogmap import FCMClassifier, FCMRegressor, arrow_intervals, fit_table
from cogmap.cli.group import cli
from cogmap.exceptions import CogmapError, DataError, ParameterError
from cogmap.integrations.onnx import to_onnx
from cogmap.serving import application
from cogmap.table import FitOptions, TableModel

COLUMNS = ["age", "colour"]
OLD_FILE = Path(__file__).parents[1] / "data" / "model-1.cogmap"


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(18, 80, 160), "colour": rng.choice(["red", "blue"], 160)})
    score = table["age"] / 20 + (table["colour"] == "red") + rng.normal(size=160)
    table["kind"] = np.where(score > 3.5, "buys", np.where(score > 2.5, "looks", "waits"))
    table["spent"] = (10 * score).round(2)
    return table


MODELS = {
    "classes": ("kind", {}),
    "ordered classes": ("kind", {"kinds": {"kind": "waits<looks<buys"}}),
    "values": ("spent", {}),
    "a median": ("spent", {"loss": "quantile"}),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request, people, tmp_path_factory):
    """A model of classes or of values, loaded from its file."""
    path = tmp_path_factory.mktemp("models") / "model.cogmap"
    target, options = MODELS[request.param]
    fit_table(people[[*COLUMNS, target]], target, FitOptions(time_limit=1e-9, **options)).save(path)
    return TableModel.load(path), path


@pytest.fixture(scope="module")
def rows(people, tmp_path_factory):
    """Ten usual rows and one of an impossible age, as a file and as dicts."""
    table = pd.concat([people[COLUMNS][:10], pd.DataFrame({"age": [1000], "colour": ["red"]})], ignore_index=True)
    path = tmp_path_factory.mktemp("rows") / "new.csv"
    table.to_csv(path, index=False)
    return path, table.to_dict("records")


def post(app, rows, query):
    """Return the status and the answer of the server to rows."""
    body, sent = json.dumps({"rows": rows}).encode(), []
    headers = [
        (b"host", b"127.0.0.1"),
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    scope = {"type": "http", "method": "POST", "path": "/predict", "query_string": query.encode(), "headers": headers}

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    with ThreadPoolExecutor(1) as pool:  # browser tests leave a running event loop in the main thread
        pool.submit(asyncio.run, app(scope, receive, send)).result()
    return sent[0]["status"], json.loads(sent[1]["body"])


def run(*arguments, code=0):
    result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="cogmap")
    assert result.exit_code == code, result.output
    return result


def test_one_answer(model, rows):
    """At 80 %: an interval of values, or the classes of a set, the likeliest first."""
    (fitted, path), (file, dicts) = model, rows
    status, served = post(application(fitted), dicts, "level=0.8")
    assert status == 200
    told = list(csv.DictReader(io.StringIO(run("predict", path, file, "--interval", 80).stdout)))
    lines = run("predict", path, file, "--interval", "80", "--json").stdout.splitlines()
    shown = [json.loads(line) for line in lines if line.startswith("{")]
    if fitted.classes is None:
        expected = fitted.predict_interval(dicts, level=0.8)
        assert (expected[:, 0] < expected[:, 1]).all()
        np.testing.assert_allclose([row["interval"] for row in served["predictions"]], expected, rtol=1e-12)
        np.testing.assert_allclose([row["interval"] for row in shown], expected, rtol=1e-12)
        np.testing.assert_allclose([[float(row["low"]), float(row["high"])] for row in told], expected, rtol=1e-12)
    else:
        expected = fitted.predict_set(dicts, level=0.8)
        assert [row["set"] for row in served["predictions"]] == expected == [row["set"] for row in shown]
        assert [row["set"].split("; ") for row in told] == expected
        assert [of_row[0] for of_row in expected] == fitted.predict(dicts).tolist()


def test_without_a_level_nothing_is_added(model, rows):
    """Neither columns nor fields."""
    (fitted, path), (file, dicts) = model, rows
    assert not {"interval", "set"} & set(post(application(fitted), dicts, "")[1]["predictions"][0])
    assert not {"low", "high", "set"} & set(run("predict", path, file).stdout.splitlines()[0].split(","))


def test_unusual_rows_are_noted(model, rows):
    """The p-value in Python; a note in a shell and from the server, which counts them."""
    (fitted, path), (file, dicts) = model, rows
    p_values = fitted.novelty_p_values(dicts)
    assert p_values[-1] <= 0.01 < p_values[:-1].min()
    result = run("predict", path, file)
    assert [row["note"] for row in csv.DictReader(io.StringIO(result.stdout))] == [""] * 10 + [
        "unlike the training data"
    ]
    assert "1 row is unlike the training data" in result.stderr
    app = application(fitted)
    assert post(app, dicts, "")[1]["notes"] == ["Row 11 is unlike the training data."]
    counted = {name: number for name, number in app.samples().items() if name.startswith("cogmap_strange_rows_total")}
    assert list(counted.values()) == [1]


@pytest.mark.parametrize("level", ["0", "1", "90", "most", "", "nan"])
def test_bad_levels_of_a_request(model, rows, level):
    """One sentence, and status 422."""
    status, answer = post(application(model[0]), rows[1], f"level={level}")
    assert (status, answer["error"]) == (
        422,
        f"level must be a number above 0 and below 1, such as 0.9, got {level!r}.",
    )


@pytest.mark.parametrize(
    ("percent", "message"), [("0", "got 0."), ("1", "got 1."), ("100", "got 100."), ("0.9", "write 90")]
)
def test_bad_percentages_of_the_command(model, rows, percent, message):
    """One line."""
    result = run("predict", model[1], rows[0], "--interval", percent, code=2)
    assert message in result.output
    assert result.output.count("\n") == 1


def test_bad_questions(model, rows):
    """The other kind of target, a level of 90, and a model that knows nothing about its errors."""
    fitted, (_, dicts) = model[0], rows
    right, wrong = ("predict_interval", "predict_set")[:: 1 if fitted.classes is None else -1]
    with pytest.raises(DataError, match=f"use `{right}`"):
        getattr(fitted, wrong)(dicts)
    with pytest.raises(ParameterError, match=r"For 90 %, use 0\.9"):
        getattr(fitted, right)(dicts, level=90)
    alone = TableModel(fitted.preparer, fitted.model)
    with pytest.raises(DataError, match="needs the held-out predictions of teachers"):
        getattr(alone, right)(dicts)
    status, answer = post(application(alone), dicts, "level=0.9")
    assert status == 422
    assert "needs the held-out predictions of teachers" in answer["error"]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (range(-1, 39), ["--loss", "poisson"], "needs counts, whole numbers >= 0, but 'y' is -1 in row 1"),
        (
            [i + 0.5 for i in range(40)],
            ["--loss", "poisson"],
            "needs counts, whole numbers >= 0, but 'y' is 0.5 in row 1",
        ),
        (["low", "high"] * 20, ["--kind", "y:ordered"], "The order of the column 'y' is unknown"),
        (["low", "mid"] * 20, ["--kind", "y:low<high"], "lacks 'mid'"),
        ([0] * 40, [], "is always '0': there is nothing to learn"),
    ],
)
def test_bad_targets_of_the_command(tmp_path, values, options, message):
    """One line, and no file."""
    pd.DataFrame({"x": range(40), "y": values}).to_csv(tmp_path / "table.csv", index=False)
    result = run("fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "m.cogmap", *options, code=2)
    assert message in result.output
    assert result.output.count("\n") == 1
    assert not (tmp_path / "m.cogmap").exists()


def test_the_command_asks_an_old_file(rows, tmp_path):
    """A model of the first version knows no errors: one line, before any output."""
    result = run("predict", OLD_FILE, rows[0], "--interval", "90", "--out", tmp_path / "out.csv", code=2)
    assert "predict_set` needs the held-out predictions of teachers" in result.output
    assert result.output.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


RNG = np.random.default_rng(3)
FEATURES = RNG.normal(size=(60, 2))
SIGNAL = FEATURES[:, 0] + RNG.normal(size=60)
COUNTS = RNG.poisson(np.exp(0.3 * SIGNAL))
LABELS = np.column_stack([SIGNAL > 0, FEATURES[:, 1] > 0]).astype(int)
WORDS = np.where(SIGNAL > 0, "high", "low")
REGRESSOR, CLASSIFIER = (kind(structure="additive", random_state=0) for kind in (FCMRegressor, FCMClassifier))


@cache
def fitted(kind):
    """Return a model of values or classes, with or without teachers, or the file of the first version."""
    if kind == "old":
        return cogmap.load(OLD_FILE)
    estimator, y = (REGRESSOR, SIGNAL) if kind.startswith("values") else (CLASSIFIER, WORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations
        without = {"structure": "full", "n_teachers": 0, "max_iter": 5} if "alone" in kind else {}
        return clone(estimator).set_params(**without).fit(FEATURES, y)


def fit(estimator, y, **parameters):
    """Return a function that fits."""
    return lambda: clone(estimator).set_params(**parameters).fit(FEATURES, y)


def ask(kind, method, *options):
    """Return a function that asks a fitted model about rows."""
    return lambda: getattr(fitted(kind), method)(np.zeros((1, fitted(kind).n_features_in_)), *options)


_TEACHERS = (
    "needs the held-out predictions of teachers, which this model does not have: it was trained without teachers or by "
    "partial_fit, or comes from an older file. Fit it again, with n_teachers='auto'."
)
BAD_INPUT = {
    "a level of 0": (
        ask("values", "predict_interval", 0),
        "`FCMRegressor.predict_interval(level=...)` must be a number > 0 and < 1, got 0.",
    ),
    "a level of 1": (
        ask("classes", "predict_set", 1),
        "`FCMClassifier.predict_set(level=...)` must be a number > 0 and < 1, got 1.",
    ),
    "a level of 90": (
        ask("values", "predict_interval", 90),
        "`FCMRegressor.predict_interval(level=...)` must be a number > 0 and < 1, got 90. For 90 %, use 0.9.",
    ),
    "arrows at a level of 90": (
        lambda: arrow_intervals(fitted("values"), FEATURES, SIGNAL, 90),
        "`arrow_intervals(level=...)` must be a number > 0 and < 1, got 90. For 90 %, use 0.9.",
    ),
    "ONNX at a level of 90": (
        lambda: to_onnx(fitted("values"), level=90),
        "`to_onnx(level=...)` must be a number > 0 and < 1, got 90. For 90 %, use 0.9.",
    ),
    "negative counts": (
        fit(REGRESSOR, COUNTS - 9, loss="poisson"),
        f"`FCMRegressor(loss='poisson')` needs counts, whole numbers >= 0, but 'target' is {COUNTS[0] - 9} in row 1. "
        "For rates or amounts, use loss='tweedie'.",
    ),
    "fractional counts": (
        fit(REGRESSOR, COUNTS + 0.5, loss="poisson"),
        f"`FCMRegressor(loss='poisson')` needs counts, whole numbers >= 0, but 'target' is {COUNTS[0] + 0.5} in row 1. "
        "For rates or amounts, use loss='tweedie'.",
    ),
    "a quantile of 1.5": (
        fit(REGRESSOR, SIGNAL, loss="quantile", quantile=1.5),
        "`FCMRegressor(quantile=...)` must be a number > 0 and < 1, got 1.5.",
    ),
    "ordered classes without an order": (
        fit(CLASSIFIER, WORDS, ordered=True),
        "`FCMClassifier(ordered=...)` must be a list of the classes from the lowest to the highest, unless labels are "
        "numbers or an ordered categorical, got True for the labels ['high', 'low'].",
    ),
    "an all-zero label": (
        fit(CLASSIFIER, LABELS * [1, 0]),
        "`FCMClassifier` needs labels that apply to some rows and not to others, but 'label 2' applies to no row (rows "
        "with sample_weight 0 do not count). Leave the column out.",
    ),
    "an interval without teachers": (
        ask("values alone", "predict_interval"),
        f"`FCMRegressor.predict_interval` {_TEACHERS}",
    ),
    "a set without teachers": (ask("classes alone", "predict_set"), f"`FCMClassifier.predict_set` {_TEACHERS}"),
    "a set of an old file": (ask("old", "predict_set"), f"`FCMClassifier.predict_set` {_TEACHERS}"),
    "ONNX of an old file": (lambda: to_onnx(fitted("old"), level=0.9), f"`FCMClassifier.predict_set` {_TEACHERS}"),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_told_in_full(name):
    """What was wrong, and the cure where there is one: word for word."""
    do, message = BAD_INPUT[name]
    with pytest.raises(CogmapError) as raised:
        do()
    assert str(raised.value) == message
