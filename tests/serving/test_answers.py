"""Responses of the server equal the results of the model in Python."""

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
from cogmap.serving.answers import ServedModel
from cogmap.table import TableModel

from .conftest import running

KINDS = ["table", "names", "model", "two classes", "words", "no names", "value", "values"]


def records(X):
    """Return rows as JSON objects, with None for missing values."""
    return X.astype(object).where(X.notna(), None).to_dict("records")


def outputs(model, X):
    """Return labels and probabilities, or None and values, computed in Python."""
    if hasattr(model, "link"):  # a MapModel
        return None, model.outputs(X.to_numpy())
    if not hasattr(model, "predict_proba"):
        return None, model.predict(X)
    return model.predict(X), model.predict_proba(X)


def as_input(name, X):
    return X.to_numpy() if name == "no names" else X


@pytest.mark.parametrize("name", KINDS)
def test_json_and_csv_give_the_predictions_of_python(models, name):
    """Predictions from JSON and CSV are bitwise equal to those of the model."""
    model, X = models[name]
    X = X[:60]
    labels, expected = outputs(model, as_input(name, X))
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
def test_single_rows_give_the_predictions_of_python(models, name):
    """The fast path for a single row differs by rounding only."""
    model, X = models[name]
    served = ServedModel(TableModel.of(model))
    for i in range(0, 60, 7):
        _, expected = outputs(model, as_input(name, X[i : i + 1]))
        body = bytearray(json.dumps({"rows": records(X[i : i + 1])}).encode())
        (row,) = json.loads(served.answer("predict", body, "application/json", 1).content)["predictions"]
        got = row.get("probabilities", row["prediction"])
        got = list(got.values()) if isinstance(got, dict) else [got]
        np.testing.assert_allclose(got, np.ravel(expected), rtol=1e-12, atol=1e-12)


def test_ordinary_maps_have_a_fast_path(models):
    """Standardized numbers have one; linguistic terms and min-max scaling do not."""
    assert {name for name in KINDS if quick_way(TableModel.of(models[name][0]).model) is None} == {"words", "no names"}


@pytest.mark.parametrize("name", ["table", "names", "two classes", "value", "values"])
def test_fast_path_agrees_for_extreme_rows(models, name):
    """Also for rows far from the data, with many or all values missing, and at the limits of floats."""
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
    """Contributions of one-hot features are summed by column; base value plus contributions is the probability."""
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
            by_column = row["contributions"][label]
            assert list(by_column) == ["age", "member", "colour", "joined"]
            for column, value in by_column.items():
                expected = explanation.contributions[i, features == column, k].sum()
                assert value == pytest.approx(expected, abs=1e-12)
            assert base[k] + sum(by_column.values()) == pytest.approx(row["probabilities"][label], abs=1e-9)


def test_column_order_does_not_matter_and_unknown_input_gives_notes(models):
    """Unknown columns and categories give a note; columns left out in training do not."""
    pipeline, X = models["table"]
    row = records(X[1:2])[0]
    with running(application(pipeline)) as client:
        _, plain = client.post("/predict", {"rows": [row]})
        del row["id"]
        reordered = dict(reversed(row.items()))
        assert client.post("/predict", {"rows": [reordered]})[1] == plain
        _, noted = client.post("/predict", {"rows": [reordered | {"shop": 1, "colour": "pink"}]})
        _, missing = client.post("/predict", {"rows": [reordered | {"colour": None}]})
    assert noted["predictions"] == missing["predictions"]
    unused, unseen = noted["notes"]
    assert "'shop'" in unused
    assert "'pink'" in unseen


def test_csv_with_quotes_newlines_bom_and_other_line_ends(models):
    """CSV as written by spreadsheets is accepted."""
    pipeline, X = models["table"]
    X = X[1:4].assign(remark=['says "no"', "two\nlines", "a, b"])
    text = X.to_csv(index=False)
    with running(application(pipeline)) as client:
        expected = client.post("/predict", text, "text/csv")
        assert expected[0] == 200
        for other in ("\ufeff" + text, text.replace("\n", "\r\n"), text + "\n\n"):
            assert client.post("/predict", other.encode(), "text/csv; charset=utf-8") == expected


def test_large_requests_give_the_same_predictions_as_small_ones(models):
    """Requests processed in another thread give the same result as single rows in the event loop."""
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
def test_objects_that_do_not_predict_are_rejected(model):
    """Only fitted models can be served."""
    with pytest.raises(ParameterError, match=r"must be a fitted estimator of cogmap, or a pipeline"):
        application(model)
