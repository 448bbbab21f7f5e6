"""One answer everywhere: Python, the commands, the server, ONNX and the page say the same about the same raw rows."""

import contextlib
import csv
import http.client
import io
import json
import threading

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from cogmap.cli.group import cli
from cogmap.integrations.onnx import to_inputs, to_onnx
from cogmap.page.assemble import bundle, packed
from cogmap.page.payload import make_payload
from cogmap.page.subject import page_subject
from cogmap.serving import application
from cogmap.serving.bodies import Limits
from cogmap.serving.server import Server, open_listener
from cogmap.table import FitOptions, TableModel, fit_table

NAMES = ["income", "level", "share", "weight", "member", "active", "colour", "joined"]
NUMBERS = NAMES[:4]
GAPS = ["", "NA", "?", "n/a", "NULL", "nan", "-"]
COLOURS = ["red", "green", "blue", "dark red"]


def training_table(rng, n_rows):
    """Numbers of all scales, one skewed, a unit, a decimal comma, booleans in two spellings, categories, dates."""
    return pd.DataFrame(
        {
            "income": rng.lognormal(10.5, 1.0, n_rows).round(2),
            "level": 1e9 + 0.28 * rng.normal(size=n_rows),
            "share": [f"{value:.1f} %" for value in rng.uniform(0, 100, n_rows)],
            "weight": [f"{value:.1f}".replace(".", ",") for value in rng.normal(70, 12, n_rows)],
            "member": rng.choice(["yes", "no"], n_rows),
            "active": rng.choice(["True", "False"], n_rows),
            "colour": rng.choice(COLOURS, n_rows, p=[0.5, 0.3, 0.19, 0.01]),
            "joined": pd.Series(pd.date_range("2015-01-01", periods=n_rows, freq="37h")).dt.strftime("%Y-%m-%d %H:%M"),
        }
    )


def raw_rows(rng, n_rows):
    """Rows as texts: usual ones, gaps of every spelling, unseen words, dates out of range, one with nothing known."""
    table = training_table(rng, n_rows)
    factors = np.where(rng.random(n_rows) < 0.2, -1.0, 10.0 ** rng.integers(-3, 4, n_rows))
    table["income"] = (table["income"] * factors).map(repr)
    table["level"] = table["level"].map(repr)
    table["member"] = rng.choice(["yes", "no", "YES", "No", "1", "0", "true", "maybe"], n_rows)
    table["active"] = rng.choice(["True", "False", "true", "FALSE", "1", "0", "1.0", "0.0"], n_rows)
    table["colour"] = rng.choice([*COLOURS, "violet", "Red"], n_rows)
    odd = rng.random(n_rows) < 0.2
    table.loc[odd, "joined"] = rng.choice(["1650-03-01", "2300-01-01", "2024-02-29 23:59", "2020-06-15"], odd.sum())
    missing = rng.random(table.shape) < 0.1
    table = table.mask(missing, pd.DataFrame(rng.choice(GAPS, table.shape), columns=table.columns))
    table.iloc[3] = ""
    return table.to_dict("records")


def typed(row):
    """The same row in JSON: numbers are numbers, gaps null."""
    result = {name: None if value in GAPS else value for name, value in row.items()}
    for name in NUMBERS:
        if result[name] is not None:
            text = result[name].removesuffix(" %")
            result[name] = float(text.replace(",", ".") if name == "weight" else text)
    return result


@pytest.fixture(scope="module", params=["two classes", "three classes", "values"])
def model(request, tmp_path_factory):
    """A model learned from a table, saved and loaded, and its file."""
    rng = np.random.default_rng(0)
    table = training_table(rng, 300)
    score = (
        np.log(table["income"] / 36_000) + (table["level"] - 1e9) / 0.28 * (table["colour"] == "red")
        + (table["member"] == "yes") - (table["active"] == "True") + 0.3 * rng.normal(size=300)
    )  # fmt: skip
    codes = np.searchsorted([0.0] if request.param == "two classes" else [-0.7, 0.7], score)
    table["target"] = score if request.param == "values" else np.array(["low", "middle", "high"])[codes]
    path = tmp_path_factory.mktemp("model") / "model.cogmap"
    fit_table(table, "target", FitOptions(time_limit=5.0)).save(path)
    learned = TableModel.load(path)
    assert learned.estimator.model_.encoding.scaling.logarithms.bent.sum() == 1  # income
    return learned, path


@contextlib.contextmanager
def serving(model):
    """A real server on loopback; yields a function that posts."""
    listener = open_listener("127.0.0.1", 0)
    server = Server(application(model, limits=Limits(n_bytes=10**8, n_explained=2_000, n_changed=2_000)))
    thread = threading.Thread(target=server.run_on, args=(listener,))
    thread.start()

    def post(path, body, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=120)
        with contextlib.closing(connection):
            connection.request("POST", path, body if kind == "text/csv" else json.dumps(body), {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    try:
        yield post
    finally:
        server.should_exit = True
        thread.join()


def command(*arguments):
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def as_csv(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def outputs_of(model, answers):
    """Probabilities or values in the answers of the server or of `cogmap predict --json`."""
    if model.classes is None:
        return np.array([[answer["prediction"]] for answer in answers])
    return np.array([[answer["probabilities"][label] for label in model.classes] for answer in answers])


def rows_to_compare(slow):
    return pytest.param(2_000 if slow else 200, marks=[pytest.mark.slow] if slow else [], id="many" if slow else "some")


@pytest.mark.parametrize("n_rows", [rows_to_compare(False), rows_to_compare(True)])
def test_predictions_are_the_same_on_every_path(model, n_rows, tmp_path):
    """Frames, dicts, one row, shuffled and extra columns, command, server in JSON and CSV: 1e-9; ONNX: 1e-6."""
    onnxruntime = pytest.importorskip("onnxruntime")
    model, path = model
    rows = raw_rows(np.random.default_rng(1), n_rows)
    frame = pd.DataFrame(rows)
    expected = model.answer(frame)
    assert not expected.faults
    found = {"dicts": model.answer(rows).outputs}
    found["typed dicts"] = model.answer([typed(row) for row in rows]).outputs
    found["one by one"] = np.concatenate([model.answer(row).outputs for row in rows])
    found["shuffled"] = model.answer(frame[frame.columns[::-1]].assign(extra=1)).outputs
    (tmp_path / "new.csv").write_text(as_csv(rows))
    lines = command("predict", path, tmp_path / "new.csv", "--json").splitlines()
    found["command"] = outputs_of(model, [json.loads(line) for line in lines])
    with serving(model) as post:
        status, answer = post("/predict", {"rows": [typed(row) for row in rows]})
        assert status == 200, answer
        found["server, JSON"] = outputs_of(model, answer["predictions"])
        found["server, CSV"] = outputs_of(model, post("/predict", as_csv(rows), "text/csv")[1]["predictions"])
        single = [post("/predict", {"rows": [typed(row)]})[1]["predictions"][0] for row in rows[:50]]
    np.testing.assert_allclose(outputs_of(model, single), expected.outputs[:50], rtol=1e-9, atol=1e-9)
    for name, outputs in found.items():
        np.testing.assert_allclose(outputs, expected.outputs, rtol=1e-9, atol=1e-9, err_msg=name)
    graph = to_onnx(model.pipeline).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    answers = dict(zip(names, session.run(names, to_inputs(model.pipeline, frame)), strict=True))
    outputs = answers["prediction" if model.classes is None else "probabilities"].reshape(expected.outputs.shape)
    np.testing.assert_allclose(outputs, expected.outputs, rtol=1e-6, atol=1e-6)
    if model.classes is not None:
        assert answers["label"].tolist() == expected.labels.tolist() == model.predict(frame).tolist()


def test_notes_and_refusals_are_the_same(model, tmp_path):
    """Unseen values, empty rows, and rows in which a number cannot be read."""
    model, path = model
    rows = raw_rows(np.random.default_rng(2), 30)
    (tmp_path / "new.csv").write_text(as_csv(rows))
    notes = model.answer(pd.DataFrame(rows)).notes()
    assert notes == model.answer(rows).notes()
    assert any("every value is missing" in note.lower() for note in notes)
    assert any("violet" in note for note in notes)
    done = CliRunner().invoke(cli, ["predict", str(path), str(tmp_path / "new.csv")])
    counted = ("very value", "unlike the training data")  # a command counts such rows of a long file
    assert [note for note in notes if note not in done.stderr and not any(part in note for part in counted)] == []
    assert any("unlike the training data" in note for note in notes) == ("unlike the training data" in done.stderr)
    with serving(model) as post:
        assert post("/predict", {"rows": [typed(row) for row in rows]})[1]["notes"] == notes
        bad = [{**rows[0], "income": "a lot"}, rows[1]]
        status, answer = post("/predict", as_csv(bad), "text/csv")
    reason = model.answer(bad).faults[0]
    assert reason == model.answer(pd.DataFrame(bad)).faults[0]
    assert status == 422
    assert reason in answer["error"]
    (tmp_path / "bad.csv").write_text(as_csv(bad))
    assert json.loads(command("predict", path, tmp_path / "bad.csv", "--json").splitlines()[0])["note"] == reason


def test_contributions_and_changes_are_the_same(model, tmp_path):
    """Per column, from Python, the commands and the server."""
    model, path = model
    rows = [typed(row) for row in raw_rows(np.random.default_rng(3), 20)]
    frame = pd.DataFrame(rows)
    explained = model.explain(frame)
    to = None if model.classes else 0.5
    changes = [model.what_if(row, to) for row in rows]
    assert sum(change.found for change in changes) > 10
    with serving(model) as post:
        answer = post("/explain", {"rows": rows})[1]
        answers = post("/what-if", {"rows": rows, "to": to})[1]["answers"]
    for i, row in enumerate(answer["explanations"]):
        for k, output in enumerate(model.outputs):
            ours = [row["contributions"][output][name] for name in explained.feature_names]
            np.testing.assert_allclose(ours, explained.contributions[i, :, k], rtol=1e-9, atol=1e-9)
    for change, found in zip(changes, answers, strict=True):
        assert found["found"] == change.found
        assert {name: (value["before"], value["after"]) for name, value in found["changes"].items()} == change.changes
    (tmp_path / "new.csv").write_text(as_csv(raw_rows(np.random.default_rng(3), 20)))
    for i in (0, 7, 11):
        found = json.loads(command("explain", path, tmp_path / "new.csv", "--row", i + 1, "--json"))
        ours = [list(found["contributions"][name].values()) for name in explained.feature_names]
        np.testing.assert_allclose(ours, explained.contributions[i], rtol=1e-9, atol=1e-9)
        goal = [] if to is None else ["--to", "0,5" if model.target.numbers.decimal == "," else "0.5"]
        found = json.loads(command("what-if", path, tmp_path / "new.csv", "--row", i + 1, "--json", *goal))
        assert {name: (c["before"], c["after"]) for name, c in found["changes"].items()} == changes[i].changes


COMPUTE = """async ({ payload, rows, to }) => {
  const model = engine.openModel(await engine.unpacked(payload));
  return rows.map((row) => {
    const flipped = engine.flip(model, row, { to });
    return {
      outputs: [...engine.run(model, row).outputs],
      contributions: engine.contributions(model, row).values.map((each) => [...each]),
      changes: flipped && flipped.changes.map(({ column, to }) => [model.columns[column].name, to]),
    };
  });
}"""


@pytest.mark.parametrize("n_rows", [rows_to_compare(False), rows_to_compare(True)])
def test_the_page_says_the_same(model, n_rows, browser):
    """Predictions, contributions and changes, computed by the page's script in a real browser."""
    model, _ = model
    rows = raw_rows(np.random.default_rng(4), n_rows)
    answered = model.answer(rows)
    payload = make_payload(page_subject("page.write", model, None, None))
    table = [[_page_value(column, row) for column in payload["columns"]] for row in answered.features]
    to = None if model.classes else {"output": 0, "value": 0.5}
    page = browser.new_page()
    exported = "\nwindow.engine = { openModel, unpacked, run, contributions, flip };"
    page.add_script_tag(type="module", content=bundle("engine.js") + exported)
    page.wait_for_function("window.engine !== undefined")  # a module runs later
    found = page.evaluate(COMPUTE, {"payload": packed(json.dumps(payload)), "rows": table, "to": to})
    page.close()
    np.testing.assert_allclose([row["outputs"] for row in found], answered.outputs, rtol=1e-9, atol=1e-9)
    contributions, _ = model.contributions(answered.features)
    names = [column["name"].partition(": ")[0] for column in payload["columns"]]
    for row, expected in zip(found, contributions, strict=True):
        ours = np.array(row["contributions"])  # of each column of the page: parts of a date are columns there
        by_column = np.array([ours[[name == column for column in names]].sum(axis=0) for name in model.columns])
        np.testing.assert_allclose(by_column, expected, rtol=1e-9, atol=1e-9)
    n_changes = min(n_rows, 200)
    same = 0
    for row, theirs in zip(rows[:n_changes], found, strict=False):
        change = model.what_if(typed(row), None if to is None else 0.5)
        ours = {name: after for name, (_, after) in change.changes.items()} if change.found else None
        expected = theirs["changes"] and {name: _as_python(model, name, value) for name, value in theirs["changes"]}
        same += ours == pytest.approx(expected) if ours else ours is None and not expected
    assert same == n_changes


def _page_value(column, features):
    own = features[column["features"]]
    if np.isnan(own).any():
        return None
    return column["choices"][int(own.argmax())] if column.get("one_hot") else float(own[0])


def _as_python(model, name, value):
    column = next(column for column in model.preparer.columns_ if column.name == name)
    return column.choices[int(value)] if column.kind == "boolean" else value
