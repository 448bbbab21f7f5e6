"""What a server says is what the model says."""

import json

import numpy as np
import pandas as pd
import pytest

from cogmap import explain
from cogmap.exceptions import ParameterError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import decided
from cogmap.models.one_row import quick_way
from cogmap.serving import application
from cogmap.serving.answers import Served
from cogmap.table import TableModel

from .conftest import running

KINDS = ["table", "names", "model", "two classes", "words", "no names", "value", "values"]


def records(X):
    """Return rows as JSON has them: null where a value is missing."""
    return X.astype(object).where(X.notna(), None).to_dict("records")


def outputs(model, X):
    """Return labels and probabilities, or values, as Python says them."""
    if hasattr(model, "link"):  # a MapModel
        return None, model.outputs(X.to_numpy())
    if not hasattr(model, "predict_proba"):
        return None, model.predict(X)
    return model.predict(X), model.predict_proba(X)


def for_python(name, X):
    return X.to_numpy() if name == "no names" else X


@pytest.mark.parametrize("name", KINDS)
def test_json_and_csv_say_what_python_says(models, name):
    """Predictions from JSON and CSV are those of the model to the last bit."""
    model, X = models[name]
    X = X[:60]
    labels, expected = outputs(model, for_python(name, X))
    with running(application(model)) as client:
        status, from_json = client.post("/predict", {"rows": records(X)})
        assert status == 200, from_json
        status, from_csv = client.post("/predict", X.to_csv(index=False), "text/csv")
        assert status == 200, from_csv
    assert from_csv == from_json
    assert from_json["notes"] == []
    rows = from_json["predictions"]
    if "probabilities" in rows[0]:
        got = [list(row["probabilities"].values()) for row in rows]
    else:
        got = [list(row["prediction"].values()) if name == "values" else row["prediction"] for row in rows]
    np.testing.assert_array_equal(got, expected)
    if labels is not None:
        assert [row["prediction"] for row in rows] == list(labels)


@pytest.mark.parametrize("name", KINDS)
def test_one_row_is_what_python_says_of_one_row(models, name):
    """The quick way of a single row differs by rounding only."""
    model, X = models[name]
    subject = Served(TableModel.of(model))
    for i in range(0, 60, 7):
        _, expected = outputs(model, for_python(name, X[i : i + 1]))
        (row,) = subject.answer("predict", records(X[i : i + 1]), typed=False)["predictions"]
        got = row.get("probabilities", row["prediction"])
        got = list(got.values()) if isinstance(got, dict) else [got]
        np.testing.assert_allclose(got, np.ravel(expected), rtol=1e-12, atol=1e-12)


def test_ordinary_maps_have_a_quick_way(models):
    """Rows of numbers in deviations have one; words and ranges are left to the model."""
    assert {name for name in KINDS if quick_way(TableModel.of(models[name][0]).model) is None} == {"words", "no names"}


@pytest.mark.parametrize("name", ["table", "names", "two classes", "value", "values"])
def test_rows_from_anywhere_take_the_quick_way_to_the_same(models, name):
    """Also rows far from the data, with all or nothing known, and at the ends of all numbers."""
    model = TableModel.of(models[name][0]).model
    way = quick_way(model)
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, model.n_features)) * 10.0 ** rng.integers(-3, 5, (60, 1))
    rows[::4][rng.random((15, model.n_features)) < 0.5] = np.nan
    rows[:3] = [[np.nan], [1e308], [-1e308]]
    for row in rows:
        outputs, chosen = way(row)
        np.testing.assert_allclose(outputs, model.outputs(row[None])[0], rtol=1e-10, atol=1e-12)
        if hasattr(model.link, "classes"):
            assert chosen == decided(model.decision(row[None]))[0]


def test_contributions_are_those_of_explain_and_add_up(models):
    """Columns of a category are added up; with the base values contributions make the probabilities."""
    pipeline, X = models["table"]
    X = X[:20]
    with running(application(pipeline)) as client:
        status, answer = client.post("/explain", {"rows": records(X)})
    assert status == 200
    explanation = explain(pipeline[-1], pipeline[:-1].transform(X))
    features = np.array([name.split("=")[0].split(":")[0] for name in explanation.feature_names])
    base = np.array([answer["base_values"][label] for label in ("buys", "waits")])
    np.testing.assert_array_equal(base, explanation.base_values)
    for i, row in enumerate(answer["explanations"]):
        for k, label in enumerate(("buys", "waits")):
            of_columns = row["contributions"][label]
            assert list(of_columns) == ["age", "member", "colour", "joined"]
            for column, value in of_columns.items():
                expected = explanation.contributions[i, features == column, k].sum()
                assert value == pytest.approx(expected, abs=1e-12)
            assert base[k] + sum(of_columns.values()) == pytest.approx(row["probabilities"][label], abs=1e-9)


def test_order_does_not_matter_and_what_is_strange_is_noted(models):
    """Columns come in any order; others and unseen categories are told, those left out in training are not."""
    pipeline, X = models["table"]
    row = records(X[1:2])[0]
    with running(application(pipeline)) as client:
        _, plain = client.post("/predict", {"rows": [row]})
        del row["id"]
        turned = dict(reversed(row.items()))
        assert client.post("/predict", {"rows": [turned]})[1] == plain
        _, noted = client.post("/predict", {"rows": [turned | {"shop": 1, "colour": "pink"}]})
        _, missing = client.post("/predict", {"rows": [turned | {"colour": None}]})
    assert noted["predictions"] == missing["predictions"]
    unused, unseen = noted["notes"]
    assert "'shop'" in unused
    assert "'pink'" in unseen


def test_csv_with_quotes_newlines_bom_and_other_line_ends(models):
    """What spreadsheets write is read."""
    pipeline, X = models["table"]
    X = X[1:4].assign(remark=['says "no"', "two\nlines", "a, b"])
    text = X.to_csv(index=False)
    with running(application(pipeline)) as client:
        expected = client.post("/predict", text, "text/csv")
        assert expected[0] == 200
        for other in ("\ufeff" + text, text.replace("\n", "\r\n"), text + "\n\n"):
            assert client.post("/predict", other.encode(), "text/csv; charset=utf-8") == expected


def test_large_requests_say_the_same_as_small_ones(models):
    """What is worked on in another thread is what is worked on at once, row by row."""
    model, X = models["names"]
    many = pd.concat([X] * 10)
    with running(application(model)) as client:
        status, answer = client.post("/predict", {"rows": records(many)})
        assert status == 200
        assert len(json.dumps({"rows": records(many)})) > 100_000
        single = [client.post("/predict", {"rows": records(X[i : i + 1])})[1]["predictions"][0] for i in range(5)]
    for one, other in zip(single, answer["predictions"], strict=False):
        assert one["prediction"] == other["prediction"]
        assert one["probabilities"] == pytest.approx(other["probabilities"], abs=1e-12)


@pytest.mark.parametrize("model", [FuzzyCognitiveMap([[0.0]]), object(), None])
def test_what_does_not_predict_is_refused(model):
    """Only fitted models can be served."""
    with pytest.raises(ParameterError, match=r"must be a fitted estimator of cogmap, or a pipeline"):
        application(model)
