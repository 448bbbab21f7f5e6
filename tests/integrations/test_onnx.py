"""ONNX graphs give the predictions of the models, computed by onnxruntime."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap, TablePreparer, prune
from cogmap.exceptions import DataError, ParameterError
from cogmap.models.model import MapModel
from cogmap.table.columns import DateColumn
from cogmap.table.columns.dates import PARTS, date_parts

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from cogmap.integrations.onnx import tables, to_inputs, to_onnx  # noqa: E402
from cogmap.integrations.onnx.graph import OPSET, Graph  # noqa: E402

QUICK = {"max_iter": 5, "tol": 0.0, "random_state": 0}
NEAR = {"rtol": 1e-11, "atol": 1e-12}  # 1e-6 is asked for


def run(graph, inputs):
    """Return the outputs that onnxruntime computes, by name."""
    onnx.checker.check_model(graph, full_check=True)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


def check_same(model, X):
    """Compare labels, probabilities or values, and learned features of a table, and of its first row alone."""
    for rows in (X, X[:1]):
        found = run(to_onnx(model), to_inputs(model, rows))
        if hasattr(model, "predict_proba"):
            assert found["label"].tolist() == model.predict(rows).tolist()
            np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), **NEAR)
        else:
            np.testing.assert_allclose(found["prediction"], model.predict(rows), **NEAR)
        last = model[-1] if isinstance(model, Pipeline) else model
        if hasattr(last, "held_out_errors_"):
            found = run(to_onnx(model, level=0.8), to_inputs(model, rows))
            features = model[:-1].transform(rows) if isinstance(model, Pipeline) else rows
            if hasattr(model, "predict_proba"):
                np.testing.assert_array_equal(found["set"], last.predict_set(features, 0.8))
            else:
                np.testing.assert_allclose(found["interval"], last.predict_interval(features, 0.8), **NEAR)
        found = run(to_onnx(model, transform=True), to_inputs(model, rows))
        np.testing.assert_allclose(found["features"], model.transform(rows), **NEAR)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_classifiers_agree_on_datasets(load):
    """Learned in full, on all rows."""
    X, y = load(return_X_y=True)
    fcm = FCMClassifier(random_state=0, **({"max_iter": 5, "tol": 0.0} if load is load_digits else {})).fit(X, y)
    check_same(fcm, X)


def test_combinations_of_steps_agree():
    """A small map of three steps."""
    X = np.random.RandomState(0).uniform(size=(400, 3))
    fcm = FCMClassifier(random_state=0).fit(X, (X[:, 0] > 0.5) & (X[:, 1] < 0.6))
    assert (fcm.structure_, fcm.model_.depth) == ("named", 3)
    check_same(fcm, X)


@pytest.mark.parametrize("targets", [1, 2])
def test_regressors_agree(targets):
    """With one target and with two."""
    X, y = load_diabetes(return_X_y=True)
    check_same(FCMRegressor(**QUICK).fit(X, y if targets == 1 else np.column_stack([y, -y])), X)


@pytest.mark.parametrize(
    "parameters",
    [
        {"terms": 3},
        {"terms": {"petal length (cm)": ["short", "long"]}, "scale": True},
        {"scale": True},
        {"scale": False},
        {"depth": 1, "n_hidden": 0},
        {"depth": 4},
        {"init": "correlation", "learn": "slopes"},
    ],
    ids=str,
)
def test_every_way_to_read_features_agrees(parameters):
    """Also with missing values, values far outside, and features that are constant or always missing."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.assign(constant=3.0, missing=np.nan)
    X.iloc[::7, 0] = np.nan
    fcm = FCMClassifier(**QUICK, **parameters).fit(X, y)
    X.iloc[::5, 2] *= 1000
    X.iloc[::6, 1] *= -1e300
    X.iloc[3] = np.nan
    check_same(fcm, X)


@pytest.mark.parametrize(
    "y",
    [
        np.array(["no", "yes ä"]),
        np.array(["no", "yes"], dtype=object),
        np.array([-3, 7], dtype=np.int16),
        np.array([False, True]),
        np.array([0.0, 2.0]),
        np.array(["a", "b", "c"]),
    ],
    ids=lambda labels: f"{labels.dtype} {len(labels)}",
)
@pytest.mark.parametrize("output", ["auto", "one_hot"])
def test_labels_are_those_of_the_model(y, output):
    """Text, whole numbers, booleans and numbers, of two classes and of three."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    labels = y[np.digitize(X[:, 0], [0.0] if len(y) == 2 else [-0.5, 0.5])]
    check_same(FCMClassifier(**QUICK, output=output).fit(X, labels), X)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_wide_maps_agree(depth):
    """Features that remember themselves and nothing else are no square of weights in the graph."""
    X = np.random.default_rng(0).normal(size=(60, 150))
    fcm = FCMClassifier(**QUICK, depth=depth).fit(X, X[:, 0] > X[:, 1])
    check_same(fcm, X)
    assert len(to_onnx(fcm).SerializeToString()) < 8 * fcm.map_.n_concepts**2


def test_chosen_and_pruned_models_agree():
    """A choice by cross-validation, a model without its estimator, and one of few edges."""
    X, y = load_iris(return_X_y=True)
    fcm = FCMClassifierCV(depths=(2,), alphas=(0.2,), n_folds=2, random_state=0).fit(X, y)
    check_same(fcm, X)
    check_same(prune(fcm, X, y), X)
    found = run(to_onnx(fcm.model_), to_inputs(fcm.model_, X))
    np.testing.assert_allclose(found["probabilities"], fcm.predict_proba(X), **NEAR)


RNG = np.random.default_rng(0)
ROWS = 120
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, ROWS).round(1),
        "colour": RNG.choice(["red", "green", "blue", "dark red"], ROWS, p=[0.5, 0.3, 0.19, 0.01]),
        "size": pd.Categorical(RNG.choice(["S", "M", "L"], ROWS), ["S", "M", "L"], ordered=True),
        "member": RNG.choice(["Yes", "No"], ROWS),
        "active": RNG.choice([True, False], ROWS),
        "price": [f"{price:.2f} €" for price in RNG.random(ROWS)],
        "bought at": pd.Timestamp("2019-12-01 05:00") + pd.to_timedelta(RNG.integers(0, 90_000, ROWS), "h"),
        "label": RNG.choice(["x", "y"], ROWS),
        "id": np.arange(ROWS),
    }
)
TABLE.loc[::9, ["colour", "member", "price"]] = None
TABLE.loc[::11, ["age", "bought at"]] = None
ANSWERS = np.where((TABLE["colour"] == "red") ^ (TABLE["age"] > 40), "buys", "leaves")


@pytest.mark.parametrize(
    ("estimator", "answers"),
    [(FCMClassifier(**QUICK), ANSWERS), (FCMRegressor(**QUICK, terms={"age": 3, "bought at: year": 3}), TABLE["id"])],
    ids=["classes", "values"],
)
@pytest.mark.parametrize("dates", ["as dates", "as text"])
def test_pipelines_agree_on_raw_tables(estimator, answers, dates):
    """Numbers, text, booleans, dates and gaps; categories that were rare, and some never seen; columns in any order."""
    table = TABLE if dates == "as dates" else TABLE.assign(**{"bought at": TABLE["bought at"].astype(str)})
    pipeline = Pipeline([("prepare", TablePreparer()), ("map", estimator)]).fit(table, answers)
    assert {column.kind for column in pipeline["prepare"].columns_} == {
        "number",
        "category",
        "boolean",
        "ordered",
        "date",
    }
    new = table.assign(colour=table["colour"].replace("blue", "violet"), member=table["member"].replace("No", "NO"))
    for one in (table, new):
        check_same(pipeline, one)
    found = run(to_onnx(pipeline), to_inputs(pipeline, new[new.columns[::-1]].assign(extra=1)))
    answered = found["label"] if "label" in found else found["prediction"]
    assert np.all(answered == pipeline.predict(new)) or np.allclose(answered, pipeline.predict(new), **NEAR)


def test_inputs_are_named_by_columns():
    """Except where an output has that name; the metadata says which is which."""
    pipeline = make_pipeline(TablePreparer(), FCMClassifier(**QUICK)).fit(TABLE, ANSWERS)
    graph = to_onnx(pipeline)
    columns = {fact.key: json.loads(fact.value) for fact in graph.metadata_props}["columns"]
    names = {column["name"]: column["input"] for column in columns}
    assert names["bought at"] == "bought at"
    assert names["label"] == "label (2)"
    assert [entry.name for entry in graph.graph.input] == list(names.values()) == list(to_inputs(pipeline, TABLE))


def test_dates_are_taken_apart_as_by_numpy():
    """Every third day of 900 years, with all parts, against NumPy's calendar; what is missing stays so."""
    when = np.arange(np.datetime64("1595-01-01T00:00:00"), np.datetime64("2500-01-01"), np.timedelta64(71, "h"))
    when[5] = np.datetime64("NaT")
    column = DateColumn("when", tuple(PARTS), parts=tuple(PARTS))
    graph = Graph(["parts"])
    inputs = tables.add_inputs(graph, (column,))
    graph.output("parts", tables.add_features(graph, (column,), inputs), float, len(PARTS))
    seconds = np.where(np.isnat(when), np.nan, when.astype("datetime64[s]").astype(float))[:, None]
    found = run(graph.model("dates", {}), {"when": seconds})["parts"]
    expected = date_parts(when)
    np.testing.assert_array_equal(found, np.column_stack([expected[part] for part in PARTS]))


def test_steps_share_their_weights():
    """A deep map is no larger than its nodes."""
    X, y = load_wine(return_X_y=True)
    sizes = [len(to_onnx(FCMClassifier(**QUICK, depth=depth).fit(X, y)).SerializeToString()) for depth in (3, 9)]
    assert sizes[1] - sizes[0] < 1000


def test_the_graph_says_what_it_needs():
    """Version of the operators, a free number of rows, names of features, and who made it."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    graph = to_onnx(FCMClassifier(**QUICK).fit(X, y))
    assert [(opset.domain, opset.version) for opset in graph.opset_import] == [("", OPSET)]
    (entry,) = graph.graph.input
    assert [dim.dim_param or dim.dim_value for dim in entry.type.tensor_type.shape.dim] == ["rows", 4]
    assert graph.producer_name == "cogmap"
    assert {fact.key: json.loads(fact.value) for fact in graph.metadata_props}["features"] == list(X.columns)


FITTED = FCMClassifier(**QUICK).fit(TABLE[["age", "id"]], ANSWERS)
BY_HAND = MapModel(
    FuzzyCognitiveMap(FITTED.map_.weights, activation="bivalent"), 2, FITTED.model_.encoding, FITTED.model_.link
)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (FCMClassifier(), "must be fitted, got an unfitted FCMClassifier"),
        (FITTED.map_, "a cogmap estimator, its `model_`, or a pipeline with an estimator"),
        (None, "a cogmap estimator, its `model_`, or a pipeline with an estimator, got None"),
        (make_pipeline(TablePreparer(), FCMClassifier()), "must be fitted"),
        (make_pipeline(StandardScaler(), FITTED), "got StandardScaler and FCMClassifier. Export the last step alone"),
        (BY_HAND, "'sigmoid', 'logistic' or 'tanh' in all concepts, got 'bivalent'"),
    ],
    ids=["not fitted", "a map", "nothing", "a pipeline that is not fitted", "another step", "another activation"],
)
def test_what_cannot_be_a_graph_is_refused(model, message):
    """The error states what is accepted."""
    with pytest.raises(ParameterError, match=message):
        to_onnx(model)


def test_intervals_need_held_out_errors(iris):
    """A model alone has none, and a level is a share."""
    fcm = FCMClassifier(**QUICK).fit(*iris)
    with pytest.raises(DataError, match="needs the held-out predictions of teachers"):
        to_onnx(fcm.model_, level=0.9)
    with pytest.raises(ParameterError, match=r"For 90 %, use 0\.9"):
        to_onnx(fcm, level=90)


def test_wrong_tables_are_refused():
    """As the model refuses them: a cell that is no number, and a column that is not there."""
    pipeline = make_pipeline(TablePreparer(), FCMClassifier(**QUICK)).fit(TABLE, ANSWERS)
    with pytest.raises(DataError, match="Row 4 of the table is invalid: age: 'old' is not a number"):
        to_inputs(pipeline, TABLE.assign(age=TABLE["age"].astype(object).where(TABLE.index != 3, "old")))
    with pytest.raises(DataError, match=r"lacks a column that the model needs: \['age'\]"):
        to_inputs(pipeline, TABLE.drop(columns="age"))
    with pytest.raises(ParameterError, match="True or False"):
        to_onnx(pipeline, transform="yes")


@pytest.mark.parametrize("inputs", ["features", "terms", "logarithms"])
@pytest.mark.parametrize("kind", ["log odds", "softmax", "values"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_small_named_maps_agree(named_model, named_rows, kind, depth, inputs):
    """Held features keep their states, and columns without a concept are read but not used."""
    model = named_model(kind, depth, inputs=inputs)
    graph = to_onnx(model)
    found = run(graph, to_inputs(model, named_rows))
    np.testing.assert_allclose(
        found["prediction" if kind == "values" else "probabilities"], model.outputs(named_rows), **NEAR
    )
    found = run(to_onnx(model, transform=True), to_inputs(model, named_rows))
    np.testing.assert_allclose(found["features"], model.transformed(named_rows), **NEAR)
    np.testing.assert_array_equal(
        found["features"][:, 0], run(to_onnx(named_model(kind, 1), transform=True), {"X": named_rows})["features"][:, 0]
    )
    stored = {entry.key: json.loads(entry.value) for entry in graph.metadata_props}
    assert stored["features"] == ["age", "x1", "glucose", "insulin", "x4"]


def test_a_map_that_uses_no_column(named_model, named_rows):
    """It is a constant."""
    model = named_model("softmax", used=())
    np.testing.assert_allclose(
        run(to_onnx(model), to_inputs(model, named_rows))["probabilities"], model.outputs(named_rows), **NEAR
    )


@pytest.mark.parametrize("structure", ["additive", "named"])
def test_learned_small_maps_agree(structure):
    """The metadata has the names of all columns, also of those without a concept."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    fcm = FCMClassifier(structure=structure, random_state=0).fit(X, y)
    check_same(fcm, X)
    stored = {entry.key: json.loads(entry.value) for entry in to_onnx(fcm).metadata_props}
    assert stored["features"] == list(X.columns)
