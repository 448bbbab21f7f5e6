"""Commands for people with a table, run as they would: what comes out, and what is said of what cannot be used."""

import contextlib
import csv
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import accuracy_score, f1_score, log_loss

import cogmap
from cogmap import FCMClassifier, FuzzyCognitiveMap, TablePreparer, read_map, write_map
from cogmap.cli.common import rows_of_page
from cogmap.cli.group import COMMANDS, cli
from cogmap.page.subject import page_subject
from cogmap.persistence import read_card
from cogmap.table import FitOptions, TableModel, fit_table
from cogmap.table.files import delimited

TABLE_COMMANDS = ["fit", "predict", "evaluate", "show", "explain", "what-if", "explore", "transform", "export"]


def run(*arguments, code=0, **options):
    """Run a command in this process."""
    result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="cogmap", **options)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def people(n=120, seed=0):
    """A table of people, with a column of every kind, gaps, and a target that can be learned."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.integers(18, 80, n).astype(float),
            "town": rng.choice(["Oslo", "Bergen", "Tromsø"], n),
            "member": rng.choice(["yes", "no"], n),
            "joined": pd.date_range("2020-01-01", periods=n, freq="9D").strftime("%d.%m.%Y"),
            "income": [f"{value:,.0f} €" for value in rng.uniform(20_000, 90_000, n)],
            "country": "Norway",
        }
    )
    score = frame["age"] / 20 + 2.0 * (frame["town"] == "Oslo") - (frame["member"] == "yes")
    frame["buys"] = np.where(score + rng.normal(0, 0.5, n) > np.median(score), "often", "seldom")
    frame["spends"] = np.round(100 * score + rng.normal(0, 20, n), 2)
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with tables, and models of them: of classes and of values."""
    folder = tmp_path_factory.mktemp("tables")
    frame = people()
    frame.to_csv(folder / "people.csv", index=False)
    people(40, seed=1).to_csv(folder / "new.csv", index=False)
    for target, other in (("buys", "spends"), ("spends", "buys")):
        run("fit", folder / "people.csv", "--target", target, "--drop", other, "--out", folder / f"{target}.cogmap")
    return folder


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_card_says_what_how_good_what_matters_and_what_was_left_out(folder):
    """As text and as JSON; the file tells the same as the command did."""
    text = run("show", folder / "buys.cogmap").stdout
    for part in ("buys: often or seldom", "random forest", "logistic regression", "What matters", "always 'Norway'"):
        assert part in text
    card = json.loads(run("show", folder / "buys.cogmap", "--json").stdout)
    assert card == read_card(folder / "buys.cogmap")
    assert card["left out"]["id"] == "an identifier: every row has a different number"
    assert sum(entry["share"] for entry in card["importances"]) == pytest.approx(1.0)
    assert {entry["column"]: entry.get("more") for entry in card["importances"]}["age"] == "often"
    scores = card["scores"]
    assert scores["this map"]["accuracy"]["mean"] > scores["the most frequent class"]["accuracy"]["mean"] + 0.1
    assert all(len(entry["accuracy"]["folds"]) == 5 for entry in scores.values())


def test_the_dummy_scores_what_it_must(folder):
    """The score of the most frequent class is its share, and R² of the mean is about 0: folds are cut right."""
    frame = pd.read_csv(folder / "people.csv")
    dummy = read_card(folder / "buys.cogmap")["scores"]["the most frequent class"]
    assert dummy["accuracy"]["mean"] == pytest.approx(frame["buys"].value_counts(normalize=True).max(), abs=0.01)
    assert read_card(folder / "spends.cogmap")["scores"]["the mean"]["R²"]["mean"] == pytest.approx(0.0, abs=0.2)


def test_predictions_are_those_of_the_pipeline_in_python(folder):
    """Labels and probabilities, row by row."""
    new = pd.read_csv(folder / "new.csv")
    found = rows(run("predict", folder / "buys.cogmap", folder / "new.csv").stdout)
    pipeline = cogmap.load(folder / "buys.cogmap")
    frame, _ = pipeline["prepare"].checked(new)
    assert [row["prediction"] for row in found] == pipeline.predict(frame).tolist()
    probabilities = [[float(row["P(often)"]), float(row["P(seldom)"])] for row in found]
    np.testing.assert_allclose(probabilities, pipeline.predict_proba(frame), rtol=1e-5)
    values = [
        json.loads(line)["prediction"] for line in run_lines("predict", folder / "spends.cogmap", folder / "new.csv")
    ]
    frame, _ = cogmap.load(folder / "spends.cogmap")["prepare"].checked(new)
    assert values == cogmap.load(folder / "spends.cogmap").predict(frame).tolist()


def run_lines(*arguments):
    return run(*arguments, "--json").stdout.splitlines()


def test_a_table_reads_the_same_in_any_order_with_others_among_its_columns(folder, tmp_path):
    """What is not used is told; the target is neither needed nor told of."""
    new = pd.read_csv(folder / "new.csv")
    columns = ["income", "shop", "joined", "member", "town", "age"]
    new.assign(shop="north")[columns].to_csv(tmp_path / "other.csv", index=False)
    usual = run("predict", folder / "buys.cogmap", folder / "new.csv")
    other = run("predict", folder / "buys.cogmap", tmp_path / "other.csv")
    assert other.stdout == usual.stdout
    assert other.stderr == "Note: 1 column is not used: 'shop'.\n"
    assert usual.stderr == ""


def test_standard_input_and_output_are_a_dash(folder):
    """A command fits in a pipe."""
    content = (folder / "new.csv").read_bytes()
    assert (
        run("predict", folder / "buys.cogmap", "-", input=content).stdout
        == run("predict", folder / "buys.cogmap", folder / "new.csv", "--out", "-").stdout
    )


def test_rows_that_cannot_be_predicted_stay_in_their_place(folder, tmp_path):
    """Each with its reason; the others are predicted as ever, and categories that are new are told."""
    new = pd.read_csv(folder / "new.csv", dtype=str)
    new.loc[3, "age"] = "fourty"
    new.loc[5, "age"] = "inf"
    new.loc[7, "joined"] = "yesterday"
    new.loc[9, "town"] = "Paris"
    new.loc[11] = None
    new.to_csv(tmp_path / "odd.csv", index=False)
    lines = (tmp_path / "odd.csv").read_text().splitlines()
    lines[14] += ",and,more"
    (tmp_path / "odd.csv").write_text("\n".join(lines))
    result = run("predict", folder / "buys.cogmap", tmp_path / "odd.csv", "--explain")
    found, usual = (
        rows(result.stdout),
        rows(run("predict", folder / "buys.cogmap", folder / "new.csv", "--explain").stdout),
    )
    reasons = {number: row["note"] for number, row in enumerate(found) if row["note"]}
    assert reasons == {
        3: "age: 'fourty' is not a number",
        5: "age: inf is not a finite number",
        7: "joined: 'yesterday' is not a date as in training",
        11: "every value is missing",
        13: "it has more values than the header, which has 9: 'and'",
    }
    assert found[11]["prediction"]  # that of a row about which nothing is known
    assert all(found[number]["prediction"] == "" for number in reasons if number != 11)
    assert [row for i, row in enumerate(found) if i not in (*reasons, 9)] == [
        row for i, row in enumerate(usual) if i not in (*reasons, 9)
    ]
    assert found[9]["prediction"]
    assert "town: 1 row has a value that was not seen in training ('Paris')." in result.stderr
    assert "4 rows have no prediction" in result.stderr


def test_reasons_are_the_strongest_contributions(folder):
    """Those of `explain` in Python, with features of a column added up."""
    found = rows(run("predict", folder / "buys.cogmap", folder / "new.csv", "--explain").stdout)
    pipeline = cogmap.load(folder / "buys.cogmap")
    frame, _ = pipeline["prepare"].checked(pd.read_csv(folder / "new.csv"))
    X = pipeline["prepare"].transform(frame)
    of_features = cogmap.explain(pipeline["map"], X)
    table = of_features.to_frame("often" if found[0]["prediction"] == "often" else "seldom")
    by_column = {c.name: table[list(c.outputs)].sum(axis=1)[0] for c in pipeline["prepare"].columns_}
    strongest = max(by_column, key=lambda name: abs(by_column[name]))
    assert found[0]["why"].startswith(f"{strongest} = ")
    assert f"({100 * by_column[strongest]:+.1f} points)" in found[0]["why"]


def test_predicted_values_for_people_have_few_digits(folder):
    """With reasons, no finer than a tenth of the typical error; without, all digits."""
    exact = rows(run("predict", folder / "spends.cogmap", folder / "new.csv").stdout)
    found = rows(run("predict", folder / "spends.cogmap", folder / "new.csv", "--explain").stdout)
    unit = cogmap.TableModel.load(folder / "spends.cogmap").card["errors"]["median"] / 10
    for row, other in zip(found, exact, strict=True):
        assert len(row["prediction"].lstrip("-")) <= 7
        assert abs(float(row["prediction"]) - float(other["prediction"])) <= unit / 2


def test_small_parts_give_the_same_predictions(folder, monkeypatch):
    """A table is read in parts of any size."""
    whole = run("predict", folder / "buys.cogmap", folder / "new.csv", "--explain").stdout
    monkeypatch.setattr(delimited, "BLOCK", 200)
    monkeypatch.setattr(delimited, "CHUNK", 300)
    assert run("predict", folder / "buys.cogmap", folder / "new.csv", "--explain").stdout == whole


def test_evaluation_agrees_with_scikit_learn(folder):
    """Accuracy, F1, log loss; of values R² and errors."""
    new = pd.read_csv(folder / "new.csv")
    found = json.loads(run("evaluate", folder / "buys.cogmap", folder / "new.csv", "--json").stdout)
    pipeline = cogmap.load(folder / "buys.cogmap")
    frame, _ = pipeline["prepare"].checked(new)
    assert found["accuracy"] == accuracy_score(new["buys"], pipeline.predict(frame))
    assert found["F1, mean over classes"] == pytest.approx(
        f1_score(new["buys"], pipeline.predict(frame), average="macro")
    )
    assert found["log loss"] == pytest.approx(log_loss(new["buys"], pipeline.predict_proba(frame)))
    assert np.sum(found["confusion"]["rows are truth"]) == len(new)
    text = run("evaluate", folder / "spends.cogmap", folder / "new.csv").stdout
    assert all(name in text for name in ("R²", "mean absolute error", "root mean squared error", "how far off"))


def test_contributions_add_up(folder):
    """From a typical row to what is said of the row."""
    found = json.loads(run("explain", folder / "buys.cogmap", folder / "new.csv", "--row", 4, "--json").stdout)
    for output, value in found["outputs"].items():
        total = found["base"][output] + sum(of_column[output] for of_column in found["contributions"].values())
        assert total == pytest.approx(value, abs=1e-9)
    text = run("explain", folder / "buys.cogmap", folder / "new.csv").stdout
    assert "this row: probability of " in text
    assert "A point is one percent of probability." in text
    said = re.findall(r"[-+]?[\d.]+(?= (?:points|%)$)", text, re.MULTILINE)
    assert sum(map(float, said[:-1])) == pytest.approx(float(said[-1]), abs=0.06 * len(said))


@pytest.mark.parametrize("row", [1, 2, 3, 4])
def test_a_change_that_is_found_changes_the_prediction(folder, tmp_path, row):
    """The changed row, written into a table, is predicted as asked; what is fixed is not among the changes."""
    new = pd.read_csv(folder / "new.csv", dtype=str)
    now = rows(run("predict", folder / "buys.cogmap", folder / "new.csv").stdout)[row - 1]["prediction"]
    to = "seldom" if now == "often" else "often"
    arguments = ["what-if", folder / "buys.cogmap", folder / "new.csv", "--row", row, "--to", to, "--fixed", "income"]
    found = json.loads(run(*arguments, "--json").stdout)
    assert found["found"]
    assert "income" not in found["changes"]
    for name, change in found["changes"].items():
        new.loc[row - 1, name] = str(change["after"])
    new.to_csv(tmp_path / "changed.csv", index=False)
    after = rows(run("predict", folder / "buys.cogmap", tmp_path / "changed.csv").stdout)[row - 1]
    assert abs(float(after[f"P({to})"]) - found["after"][to]) < 1e-3
    assert float(after[f"P({to})"]) > 0.499
    text = run(*arguments).stdout
    assert all(name in text for name in found["changes"])


def test_a_number_that_is_to_be_reached_is_reached(folder):
    """From below or above."""
    found = json.loads(run("what-if", folder / "spends.cogmap", folder / "new.csv", "--to", "400", "--json").stdout)
    assert found["found"]
    before, after = found["before"]["spends"], found["after"]["spends"]
    assert before < 400 <= after or before > 400 >= after


def test_learned_features_are_those_of_transform(folder):
    """States before the last step, with the names of concepts."""
    found = pd.read_csv(io.StringIO(run("transform", folder / "buys.cogmap", folder / "new.csv").stdout))
    pipeline = cogmap.load(folder / "buys.cogmap")
    frame, _ = pipeline["prepare"].checked(pd.read_csv(folder / "new.csv"))
    np.testing.assert_array_equal(found.drop(columns="note"), pipeline.transform(frame))
    assert list(found.columns[:-1]) == list(pipeline["map"].get_feature_names_out())


def test_a_page_of_numbered_classes_keeps_rows_without_truth(tmp_path):
    """Labels that look like numbers are classes all the same, and rows have their numbers in the table."""
    lines = [f"{i},{i * 7 % 11},{1 + i // 30}" for i in range(60)]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,kind", "5,5,", *lines]))
    model, page = tmp_path / "model.cogmap", tmp_path / "page.html"
    run("fit", tmp_path / "table.csv", "--target", "kind", "--out", model, "--page", page)
    assert "<script" in page.read_text()
    run("explore", model, tmp_path / "table.csv", "--out", page)
    assert "<script" in page.read_text()
    rows, y = rows_of_page(TableModel.load(model), pd.read_csv(tmp_path / "table.csv", dtype=str))
    assert (len(rows), *y[:2]) == (61, None, "1")


def test_the_page_names_classes_once(tmp_path):
    """Also where the name of one class is the code of the other."""
    table = pd.DataFrame({"a": range(60), "kind": [1] * 30 + [2] * 30})
    model = fit_table(table, "kind", FitOptions(labels={"1": "2", "2": "1"}, structure="additive"))
    rows, y = rows_of_page(model, table)
    answers = page_subject("page.write", model, rows, y).answers
    assert [model.classes[code] for code in answers[[0, -1]]] == ["2", "1"]


def test_a_page_is_written(folder, tmp_path):
    """With a table or without, and as part of a fit."""
    for table in ([], [folder / "new.csv"]):
        run("explore", folder / "buys.cogmap", *table, "--out", tmp_path / "page.html")
        assert "<script" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("kind", ["json", "dot", "csv", "mmp"])
def test_the_map_is_exported(folder, tmp_path, kind):
    """It is read back as it was learned, from a file and from standard output."""
    run("export", folder / "buys.cogmap", "--to", kind, "--out", tmp_path / f"map.{kind}")
    fcm = read_map(tmp_path / f"map.{kind}")
    learned = cogmap.load(folder / "buys.cogmap")["map"].map_
    assert set(fcm.concepts) == set(learned.concepts)
    if kind == "mmp":  # for people: the arrows that are drawn, with weights in [-1, 1]
        assert np.abs(fcm.weights).max() <= 1.0
        assert 0 < np.count_nonzero(fcm.weights) <= np.count_nonzero(learned.weights)
    out = run("export", folder / "buys.cogmap", "--to", kind)
    assert out.stdout_bytes == (tmp_path / f"map.{kind}").read_bytes()


def test_the_model_is_exported_with_its_preparation(folder, tmp_path):
    """Another runtime says of raw rows what the model says."""
    onnx = pytest.importorskip("cogmap.integrations.onnx")
    runtime = pytest.importorskip("onnxruntime")
    run("export", folder / "buys.cogmap", "--to", "onnx", "--out", tmp_path / "model.onnx")
    pipeline = cogmap.load(folder / "buys.cogmap")
    frame, _ = pipeline["prepare"].checked(pd.read_csv(folder / "new.csv"))
    session = runtime.InferenceSession(tmp_path / "model.onnx")
    outputs = session.run(None, onnx.to_inputs(pipeline, frame))
    found = next(output for output in outputs if np.shape(output) == (len(frame), 2))
    np.testing.assert_allclose(found, pipeline.predict_proba(frame), atol=1e-6)


def test_signs_and_priors_of_experts_hold(folder, tmp_path):
    """More of a column never lowers the prediction, for whoever is asked."""
    write_map(FuzzyCognitiveMap.from_edges([("age", "spends", 1.0)]), tmp_path / "expert.json")
    model = tmp_path / "model.cogmap"
    run(
        *("fit", folder / "people.csv", "--target", "spends", "--drop", "buys", "--sign", "age:-", "--out", model),
        *("--time-limit", 1),
    )
    pipeline = cogmap.load(model)
    frame, _ = pipeline["prepare"].checked(pd.read_csv(folder / "new.csv"))
    older = frame.assign(age=frame["age"] + 5)
    assert (pipeline.predict(older) <= pipeline.predict(frame) + 1e-9)[frame["age"].notna()].all()
    assert "no scores" in json.dumps(read_card(model)["notes"])
    run(
        *("fit", folder / "people.csv", "--target", "spends", "--drop", "buys", "--out", model),
        *("--prior", tmp_path / "expert.json", "--time-limit", 1),
    )
    assert [departure.source for departure in cogmap.load(model)["map"].prior_deviations_] == ["age"]


def test_a_small_map_is_fitted_and_shown(folder, tmp_path):
    """Its card has the structure, the numbers of concepts and arrows, and rules."""
    model = tmp_path / "small.cogmap"
    arguments = ["--structure", "additive", "--max-arrows", 6, "--out", model]
    text = run("fit", folder / "people.csv", "--target", "buys", *arguments).stdout
    size = read_card(model)["map"]
    assert size["structure"] == "additive"
    assert size["arrows"] <= 6
    assert f"a map of {size['concepts']} concepts and {size['arrows']} arrows; all of it is drawn" in text
    rule = read_card(model)["rules"][0]["rule"]  # "high spends lowers class=seldom (strongly)"
    in_words = rule.replace("lowers class=seldom", "makes seldom less likely")
    assert in_words != rule
    assert in_words in text
    assert in_words in run("show", model).stdout
    assert run("predict", model, folder / "people.csv").exit_code == 0


def test_a_model_that_was_saved_in_python_is_used_too(iris, tmp_path):
    """It has no preparer and no card: its columns are numbers."""
    X = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    fcm = FCMClassifier(n_teachers=0, random_state=0).fit(X, iris[1])
    cogmap.save(fcm, tmp_path / "iris.cogmap")
    X.to_csv(tmp_path / "iris.csv", index=False)
    found = rows(run("predict", tmp_path / "iris.cogmap", tmp_path / "iris.csv").stdout)
    assert [row["prediction"] for row in found] == [str(label) for label in fcm.predict(X)]
    assert "without a card" in run("show", tmp_path / "iris.cogmap").stdout


def table(text):
    return text.encode()


def numbered(n, make):
    return "\n".join(["a,b,y", *(make(i) for i in range(n))]).encode()


GOOD = numbered(40, lambda i: f"{i * 7 % 11},{i % 3},{'yes' if i % 2 else 'no'}")

BAD_TABLES = {
    "empty file": (b"", [], "is empty"),
    "header only": (b"a,b,y\n", [], "has a header and no rows"),
    "wrong delimiter": (b"a~b~y\n1~2~x\n", [], "Are its values separated by something other"),
    "duplicate columns": (b"a,a,y\n1,2,x\n", [], "more than one column called 'a'"),
    "no such target": (GOOD, ["--target", "z"], "There is no column 'z' in table.csv, which has ['a', 'b', 'y']"),
    "target missing": (numbered(20, lambda i: f"{i},{i % 3},"), [], "The target 'y' is missing in every row"),
    "target constant": (numbered(20, lambda i: f"{i},{i % 3},x"), [], "The target 'y' is always 'x'"),
    "target another text in every row": (
        numbered(20, lambda i: f"{i},{i % 3},t{i}"),
        [],
        "The target 'y' has a different value in every row (20 in all)",
    ),
    "target a date": (
        numbered(20, lambda i: f"{i},{i % 3},2020-01-{i + 1:02}"),
        [],
        "The target 'y' is a date, which cannot be predicted",
    ),
    "one row per class but one": (
        numbered(20, lambda i: f"{i * 5 % 7},{i % 3},{'x' if i < 15 else f'c{i}'}"),
        [],
        "has 1 class with more than one row",
    ),
    "few rows": (numbered(6, lambda i: f"{i},{i % 3},{i % 2}"), ["--task", "classification"], "needs at least 10 rows"),
    "nothing to learn from": (numbered(20, lambda i: f"2,1,{i % 2}"), [], "finds no column to learn from"),
    "target alone": (b"y\n" + b"a\nb\n" * 10, [], "has no column beside the target"),
    "text as values": (GOOD, ["--task", "regression"], "--task must be 'classification'"),
    "unknown column to drop": (GOOD, ["--drop", "bb"], "There is no column 'bb'"),
    "unknown column to keep": (GOOD, ["--keep", "aa"], "There is no column 'aa'"),
    "a sign without a sign": (GOOD, ["--sign", "a"], '--sign must be a column with a sign, such as "age:+"'),
    "a sign of a category": (
        numbered(40, lambda i: f"{i * 7 % 11},c{i % 3},{i % 2}"),
        ["--sign", "b:+"],
        "--sign needs a column of numbers, booleans or ordered categories, and 'b' is not: a category",
    ),
    "a kind that there is not": (GOOD, ["--kind", "a:colour"], "--kind must be a column with one of the kinds number,"),
    "a kind of no column": (GOOD, ["--kind", "z:number"], "There is no column 'z'"),
    "a kind that cannot be": (
        GOOD.replace(b"yes", b"maybe"),
        ["--target", "a", "--kind", "y:date"],
        "cannot be of the kind",
    ),
    "data twice in the first line": (b"0.2,0.2,y\n1,2,x\n", [], "looks like data, not like column names: '0.2'"),
    "an expert's map that is not there": (GOOD, ["--prior", "nowhere.mmp"], "nowhere.mmp"),
    "arrows limited in a full map": (
        GOOD,
        ["--structure", "full", "--max-arrows", "9"],
        "--max-arrows limits small maps: leave out --max-arrows, or --structure full and --tune.",
    ),
    "fewer arrows than outputs": (
        numbered(60, lambda i: f"{i * 7 % 11},{i % 3},c{i * 5 % 3}"),
        ["--structure", "named", "--max-arrows", "2"],
        "--max-arrows must be at least 3, one for each output, got 2",
    ),
    "a small map tuned": (GOOD, ["--structure", "named", "--tune"], "leave out --tune or --structure"),
    "out in no folder": (GOOD, ["--out", "nowhere/model.cogmap"], "there is no folder nowhere"),
    "out over the table": (GOOD, ["--out", "table.csv"], "is an input and would be replaced"),
    "page in no folder": (GOOD, ["--page", "nowhere/page.html"], "there is no folder nowhere"),
}


def test_codes_groups_and_countries_are_read_as_they_are_written(tmp_path):
    """01067 is a category, 1.234 between semicolons a number above a thousand, and NA among countries is noted."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "zip": rng.choice(["01067", "80331"], 40),
            "price": [f"{i}.{i + 200}" for i in range(1, 41)],
            "land": rng.choice(["DE", "NA", "FR"], 40),
            "y": rng.choice(["a", "b"], 40),
        }
    )
    frame.to_csv(tmp_path / "table.csv", index=False, sep=";")
    card = json.loads(
        run("fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "m.cogmap", "--json").stdout
    )
    assert {entry["name"]: entry["kind"] for entry in card["columns"]} == {
        "zip": "category",
        "price": "number",
        "land": "category",
    }
    n_na = (frame["land"] == "NA").sum()
    assert card["notes"] == [
        "price: '1.201' is read as 1201, with a decimal comma.",
        f"land: 'NA' in {n_na} rows counts as missing. If it is a code, write it in another way.",
    ]
    preparer = cogmap.load(tmp_path / "m.cogmap")["prepare"]
    found = preparer.transform(frame.drop(columns="y"))
    np.testing.assert_array_equal(found["price"], [1000 * i + i + 200 for i in range(1, 41)])
    np.testing.assert_array_equal(found["zip=01067"], frame["zip"] == "01067")
    predicted = rows(run("predict", tmp_path / "m.cogmap", tmp_path / "table.csv").stdout)
    expected = cogmap.load(tmp_path / "m.cogmap").predict(frame.drop(columns="y"))
    assert [row["prediction"] for row in predicted] == expected.tolist()


def test_a_person_says_of_what_kind_a_column_is(tmp_path):
    """The model reads the column in this way from then on, and the card says so."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"code": rng.integers(1, 4, 60), "size": rng.choice(["S", "M", "L"], 60), "y": rng.normal(size=60)}
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    kinds = ["--kind", "code:category", "--kind", "size:S<M<L"]
    text = run("fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "m.cogmap", *kinds).stdout
    assert "  code    category   as asked" in text
    assert "  size    ordered    as asked" in text
    preparer = cogmap.load(tmp_path / "m.cogmap")["prepare"]
    assert preparer.get_feature_names_out().tolist() == ["code=1", "code=2", "code=3", "size"]
    predicted = rows(run("predict", tmp_path / "m.cogmap", tmp_path / "table.csv").stdout)
    expected = cogmap.load(tmp_path / "m.cogmap").predict(frame.drop(columns="y"))
    np.testing.assert_allclose([float(row["prediction"]) for row in predicted], expected, rtol=1e-5)


def test_a_table_without_a_header_is_noticed_and_read(tmp_path):
    """Columns are numbered; a model of such a table reads new ones in the same way."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 2)).round(2)).assign(y=lambda f: np.where(f[0] > 0, "up", "down"))
    table.to_csv(tmp_path / "table.csv", index=False, header=False)
    result = run("fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "m.cogmap", code=2)
    assert "The first line looks like data, not like column names. If it is, use --no-header." in result.stderr
    result = run("fit", tmp_path / "table.csv", "--no-header", "--target", "column 3", "--out", tmp_path / "m.cogmap")
    assert result.stderr == ""
    assert "learned from 40 rows" in result.stdout
    for file, columns in (("table.csv", [0, 1, "y"]), ("new.csv", [0, 1])):
        table[columns].to_csv(tmp_path / file, index=False, header=False)
        assert len(rows(run("predict", tmp_path / "m.cogmap", tmp_path / file).stdout)) == 40
    assert json.loads(run("evaluate", tmp_path / "m.cogmap", tmp_path / "table.csv", "--json").stdout)["rows"] == 40


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_cannot_be_learned_from_are_one_line_and_exit_code_2(case, tmp_path, monkeypatch):
    """Nothing is written."""
    content, options, message = BAD_TABLES[case]
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes(content)
    result = run("fit", "table.csv", "--target", "y", *options, code=2)
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


STRANGE_TABLES = {
    "Latin-1 text": (
        numbered(40, lambda i: f"{i * 7 % 11},{'café' if i % 3 else 'thé'},{i % 2}").decode().encode("latin-1"),
        "it is read as Windows-1252",
    ),
    "quoted newlines": (numbered(40, lambda i: f'{i * 7 % 11},"x\n{i % 3}",{i % 2}'), ""),
    "an all-missing column": (numbered(40, lambda i: f"{i * 7 % 11},,{i % 2}"), ""),
    "a class with one row": (
        numbered(41, lambda i: f"{i * 7 % 11},{i % 3},{'rare' if i == 40 else i % 2}"),
        "",
    ),
}


@pytest.mark.parametrize("case", STRANGE_TABLES)
def test_strange_tables_are_learned_from_with_a_note(case, tmp_path, monkeypatch):
    """What was done about it is said, on standard error or on the card."""
    content, message = STRANGE_TABLES[case]
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes(content)
    result = run("fit", "table.csv", "--target", "y", "--time-limit", "1")
    assert message in result.stderr
    card = read_card("model.cogmap")
    if case == "an all-missing column":
        assert card["left out"] == {"b": "every value is missing"}
    if case == "a class with one row":
        assert card["notes"][0] == "1 class has a single row and is left out: 'rare'."


BAD_USES = {
    "no model": (["predict", "nowhere.cogmap", "new.csv"], "There is no model nowhere.cogmap"),
    "a table as a model": (["predict", "new.csv", "new.csv"], "new.csv cannot be loaded"),
    "no table": (["predict", "buys.cogmap", "nowhere.csv"], "nowhere.csv cannot be read"),
    "columns missing": (["predict", "buys.cogmap", "short.csv"], "lacks 4 columns that the model needs: ['town',"),
    "out over the table": (["predict", "buys.cogmap", "new.csv", "--out", "new.csv"], "would be replaced"),
    "out over the model": (["predict", "buys.cogmap", "new.csv", "--out", "buys.cogmap"], "would be replaced"),
    "header only": (["predict", "buys.cogmap", "header.csv"], "has a header and no rows"),
    "no truth": (["evaluate", "buys.cogmap", "features.csv"], "There is no column 'buys'"),
    "no such row": (["explain", "buys.cogmap", "new.csv", "--row", "1000"], "has 40 rows, and no row 1,000"),
    "no such class": (["what-if", "buys.cogmap", "new.csv", "--to", "oftn"], "Did you mean 'often'?"),
    "no number": (["what-if", "spends.cogmap", "new.csv", "--to", "much"], "--to must be a number"),
    "no such column": (["what-if", "buys.cogmap", "new.csv", "--fixed", "agee"], "Did you mean 'age'?"),
    "an unknown kind": (["export", "buys.cogmap", "--to", "pdf"], "'pdf' is not one of"),
}


@pytest.mark.parametrize("case", BAD_USES)
def test_wrong_uses_of_a_model_are_one_line_and_exit_code_2(case, folder, monkeypatch):
    """What was wrong, and what to do."""
    monkeypatch.chdir(folder)
    new = pd.read_csv("new.csv")
    new[["age"]].to_csv("short.csv", index=False)
    new[:0].to_csv("header.csv", index=False)
    new.drop(columns=["buys", "spends"]).to_csv("features.csv", index=False)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    arguments, message = BAD_USES[case]
    result = run(*arguments, code=2)
    assert message in result.stderr
    lines = [line for line in result.stderr.splitlines() if line and not line.startswith(("Usage:", "Try '"))]
    assert len(lines) == 1, result.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("n_columns", [1500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_columns_end_in_a_model_or_in_one_line(tmp_path, n_columns):
    """They are not read for minutes, nor do they end in a traceback."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 9, (40, n_columns))).add_prefix("c").assign(y=["a", "b"] * 20)
    frame.to_csv(tmp_path / "wide.csv", index=False)
    model = tmp_path / "wide.cogmap"
    arguments = ["fit", tmp_path / "wide.csv", "--target", "y", "--out", model, "--time-limit", "1"]
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code in (0, 2), result.output
    assert model.exists() == (result.exit_code == 0)
    assert result.stderr.count("\n") <= 1


def shell(*arguments, **options):
    command = [sys.executable, "-m", "cogmap", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize("command", ["predict", "fit"])
def test_a_full_disk_leaves_nothing_half_written(command, folder, tmp_path):
    """Files may grow to a few bytes only; what was there before stays."""
    out = tmp_path / "out"
    out.write_text("before")

    def small_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    arguments = {
        "predict": ["predict", folder / "buys.cogmap", folder / "people.csv", "--out", out],
        "fit": ["fit", folder / "people.csv", "--target", "buys", "--time-limit", "1", "--out", out],
    }
    failed = shell(*arguments[command], preexec_fn=small_disk)
    assert failed.returncode == 2
    assert "cannot be" in failed.stderr
    assert failed.stderr.count("\n") == 1, failed.stderr
    assert out.read_text() == "before"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
@pytest.mark.parametrize("to_device", [True, False])
def test_output_to_a_disk_without_room_is_told(folder, to_device):
    """As a file and as standard output; a device is never replaced by a file."""
    arguments = ["predict", folder / "buys.cogmap", folder / "new.csv"]
    with open("/dev/full", "w") as full:
        if to_device:
            failed = shell(*arguments, "--out", "/dev/full")
        else:
            command = [sys.executable, "-m", "cogmap", *map(str, arguments)]
            failed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert failed.returncode == 2
    assert ("a device or a pipe" if to_device else "No space left") in failed.stderr
    assert failed.stderr.count("\n") == 1, failed.stderr
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_in_the_middle_leaves_nothing(folder, tmp_path):
    """Exit code 130, one line, no file and no part of one."""
    command = [sys.executable, "-m", "cogmap", "predict", folder / "buys.cogmap", "-", "--out", tmp_path / "out.csv"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    header, *lines = (folder / "people.csv").read_bytes().splitlines(keepends=True)
    long = b"".join(b"9" * 3000 + line for line in lines)  # in the first column, which the model does not use
    try:
        process.stdin.write(header + long * (1 + 2 * delimited.CHUNK // len(long)))  # more than is read at once
        process.stdin.flush()
        end = time.monotonic() + 60
        while not list(tmp_path.iterdir()):
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b"Stopped.\n"
    finally:
        process.kill()
        process.wait(30)
        process.stderr.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", TABLE_COMMANDS)
def test_help_has_a_worked_example(name):
    """Each command shows how it is used, and is in the list of commands."""
    text = run(name, "--help").stdout
    assert f"  cogmap {name} " in text.split("Example:")[1]
    assert name in COMMANDS


def test_a_preparer_with_odd_names_is_asked_as_any_other(tmp_path):
    """Commas, quotation marks and line breaks in names and categories go through all files."""
    frame = people(60).rename(columns={"age": 'age, "years"'})
    frame["town"] = frame["town"].map({"Oslo": 'O"slo,', "Bergen": "Ber\ngen", "Tromsø": "=1+1"})
    frame[['age, "years"', "town", "buys"]].to_csv(tmp_path / "odd.csv", index=False)
    run("fit", tmp_path / "odd.csv", "--target", "buys", "--out", tmp_path / "m.cogmap", "--time-limit", "1")
    found = rows(run("predict", tmp_path / "m.cogmap", tmp_path / "odd.csv", "--explain").stdout)
    assert len(found) == 60
    assert not any(row["note"] for row in found if row["note"] != "every value is missing")
    assert isinstance(cogmap.load(tmp_path / "m.cogmap")["prepare"], TablePreparer)
