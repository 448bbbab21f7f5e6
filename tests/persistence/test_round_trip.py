"""What is saved comes back: the same estimator, to the last bit, in this process and in others."""

import inspect
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import cogmap
from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap, TableModel
from cogmap.exceptions import ParameterError
from cogmap.persistence import read_card
from cogmap.persistence.parts import KINDS

FIRST_VERSION = Path(__file__).parents[1] / "data" / "model-1.cogmap"

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 4)), columns=["height", "weight", "age", "täl"])
X.loc[::7, "age"] = np.nan
LABELS = np.array(["low", "middle", "high"])[np.digitize(X["height"] + X["weight"], [-0.5, 0.5])]
SIGN = (X["height"] - X["weight"] > 0).to_numpy()
EXPERT = FuzzyCognitiveMap.from_edges(
    [("height", "class=low", -1.0), ("age", "class=high", 0.5)], slope=2, details={"author": "A. B.", "x": [1, None]}
)
MANY = pd.DataFrame(RNG.normal(size=(60, 120)), columns=[f"gene {j}" for j in range(120)])
QUICK = {"max_iter": 4, "tol": 0.0, "random_state": 0}

TO_FIT = {
    "default": (FCMClassifier(**QUICK), X, LABELS),
    "text of pandas": (FCMClassifier(**QUICK), X, pd.Series(LABELS, dtype=object)),
    "whole numbers": (FCMClassifier(**QUICK), X.to_numpy(), SIGN.astype(np.int32)),
    "booleans": (FCMClassifier(**QUICK, scale=True), X, SIGN),
    "one output per class": (FCMClassifier(**QUICK, output="one_hot", gain=4.0), X, SIGN),
    "float32": (FCMClassifier(**QUICK), X.astype(np.float32), LABELS),
    "words": (FCMClassifier(**QUICK, terms={"height": 3, "täl": ["tief", "hoch"]}), X, LABELS),
    "no scaling": (FCMClassifier(**QUICK, scale=False), X.rank(pct=True), LABELS),
    "an expert": (FCMClassifier(**QUICK, prior=EXPERT), X, LABELS),
    "slopes": (FCMClassifier(**QUICK, init="correlation", learn="slopes"), X, LABELS),
    "bounds": (FCMClassifier(**QUICK, weight_bounds={("height", "class=low"): "-"}), X, LABELS),
    "infinite bounds": (FCMClassifier(**QUICK, weight_bounds=(-np.inf, 3.0), monotonic_cst=[1, 0, 0, -1]), X, SIGN),
    "edges": (FCMClassifier(**QUICK, edges={("height", "class=low"), ("age", "class=high")}), X, LABELS),
    "weights of classes": (FCMClassifier(**QUICK, class_weight={True: 2.0, False: np.float64(1)}), X, SIGN),
    "random numbers": (FCMClassifier(max_iter=4, tol=0.0, random_state=np.random.RandomState(5)), X, LABELS),
    "early stopping": (FCMClassifier(**QUICK, early_stopping=True, solver="rmsprop"), X, LABELS),
    "chosen": (FCMClassifierCV(depths=(1, 2), alphas=(0.2,), n_folds=2, random_state=0), X, LABELS),
    "named": (FCMClassifier(structure="named", random_state=0), X, LABELS),
    "logarithms": (FCMClassifier(structure="additive", random_state=0), np.exp(2.0 * X), LABELS),
    "many columns": (FCMClassifier(**QUICK), MANY, LABELS),
    "values": (FCMRegressor(**QUICK), X, X["height"].to_numpy()),
    "named value": (FCMRegressor(**QUICK, terms=3), X, X["height"] * 1e300),
    "several values": (FCMRegressor(**QUICK), X, X[["height", "weight"]]),
}


def fitted(name):
    """Return an estimator, learned anew."""
    estimator, table, answers = TO_FIT[name]
    return estimator.fit(table, answers)


@pytest.fixture(scope="session", params=list(TO_FIT))
def case(request):
    """Return a fitted estimator and a table of its kind, also with values far outside and missing ones."""
    estimator = fitted(request.param)
    table = TO_FIT[request.param][1][:12].copy()
    if isinstance(table, pd.DataFrame):
        table.iloc[0] = np.nan
        table.iloc[1] *= 100
    return estimator, table


def said(estimator, table):
    """Return all that an estimator says about a table, as bytes."""
    answers = [estimator.predict(table), estimator.transform(table), estimator.trajectory(table)]
    if hasattr(estimator, "predict_proba"):
        answers += [estimator.predict_proba(table), estimator.decision_function(table)]
    answers.append(cogmap.explain(estimator, table[:3]).values)
    return [(str(np.asarray(answer).dtype), np.asarray(answer).tolist()) for answer in answers]


def test_all_that_an_estimator_says_stays_to_the_last_bit(case, tmp_path):
    """Labels, probabilities, states and contributions, with the dtype of each."""
    estimator, table = case
    cogmap.save(estimator, tmp_path / "model.cogmap")
    back = cogmap.load(tmp_path / "model.cogmap")
    assert type(back) is type(estimator)
    assert repr(said(back, table)) == repr(said(estimator, table))


def test_all_that_fit_has_made_comes_back(case, tmp_path):
    """The same attributes with the same types; saved again, the same bytes."""
    estimator, _ = case
    first, second = tmp_path / "first", tmp_path / "second"
    cogmap.save(estimator, first)
    back = cogmap.load(first)
    kinds = [{name: type(value) for name, value in vars(one).items()} for one in (estimator, back)]
    assert kinds[0] == kinds[1]
    for name in ("feature_importances_", "loss_curve_", "teacher_losses_", "prior_deviations_", "terms_", "outcome_"):
        assert np.array_equal(getattr(back, name), getattr(estimator, name))
    cogmap.save(back, second)
    assert first.read_bytes() == second.read_bytes()


def test_another_process_says_the_same(tmp_path):
    """A model saved here says there what it says here, bit by bit."""
    names = ["default", "words", "booleans", "values"]
    expected = {}
    for name in names:
        estimator = fitted(name)
        cogmap.save(estimator, tmp_path / name)
        expected[name] = repr(said(estimator, X))
    X.to_pickle(tmp_path / "table")
    code = (
        "import json, pathlib, pandas, cogmap\n"
        "import numpy as np\n"
        f"{inspect.getsource(said)}\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "table = pandas.read_pickle(folder / 'table')\n"
        f"print(json.dumps({{name: repr(said(cogmap.load(folder / name), table)) for name in {names}}}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == expected


@pytest.mark.parametrize("solver", ["adam", "rmsprop"])
def test_learning_goes_on_as_if_nothing_had_happened(tmp_path, solver):
    """After two parts, saved and loaded, a third one teaches the same."""
    fcm = FCMClassifier(solver=solver, random_state=np.random.RandomState(1), batch_size=7)
    for rows in (slice(20), slice(20, 40)):
        fcm.partial_fit(X[rows], LABELS[rows], classes=np.unique(LABELS))
    cogmap.save(fcm, tmp_path / "model.cogmap")
    back = cogmap.load(tmp_path / "model.cogmap")
    for one in (fcm, back):
        one.partial_fit(X[40:], LABELS[40:])
    assert np.array_equal(back.predict_proba(X), fcm.predict_proba(X))
    assert back.loss_curve_ == fcm.loss_curve_


def test_a_loaded_estimator_can_be_cloned_and_fitted(tmp_path):
    """Its parameters are those that were given."""
    fcm = fitted("default")
    cogmap.save(fcm, tmp_path / "model.cogmap")
    back = clone(cogmap.load(tmp_path / "model.cogmap"))
    back.fit(X, LABELS)
    assert np.array_equal(back.predict_proba(X), fcm.predict_proba(X))


def test_a_pruned_estimator_comes_back(tmp_path, iris):
    """With the array of edges that it may have."""
    fcm = cogmap.prune(FCMClassifier(**QUICK).fit(*iris), *iris)
    cogmap.save(fcm, tmp_path / "model.cogmap")
    back = cogmap.load(tmp_path / "model.cogmap")
    assert np.array_equal(back.edges, fcm.edges)
    assert np.array_equal(back.predict_proba(iris[0]), fcm.predict_proba(iris[0]))


def test_data_frames_are_made_as_was_asked_for(tmp_path):
    """`set_output` is kept."""
    fcm = fitted("whole numbers").set_output(transform="pandas")
    cogmap.save(fcm, tmp_path / "model.cogmap")
    states = cogmap.load(tmp_path / "model.cogmap").transform(X.to_numpy())
    pd.testing.assert_frame_equal(states, fcm.transform(X.to_numpy()))


@pytest.mark.parametrize(
    "fcm",
    [
        FuzzyCognitiveMap([[0, 0.1], [2, 0]], concepts=["räin", "umbrellas"], slope=5),
        FuzzyCognitiveMap(
            np.array([[0, 0.1], [2, 0]]).T, bias=[0.1, 1e-300], slope=[1, 2], activation=["tanh", "sigmoid"]
        ),
        FuzzyCognitiveMap([[1]], details={"concepts": {"C1": {"x": 1, "y": 2.5}}, "notes": ["", None, True]}),
    ],
)
def test_maps_come_back_equal(fcm, tmp_path):
    """Alone, too, and in the order that their weights have in memory, on which sums depend."""
    cogmap.save(fcm, tmp_path / "map.cogmap")
    back = cogmap.load(tmp_path / "map.cogmap")
    assert back == fcm
    assert back.weights.strides == fcm.weights.strides
    assert back.details == fcm.details


def test_models_come_back(tmp_path, small):
    """What an estimator holds can be kept without it."""
    cogmap.save(small.model_, tmp_path / "model.cogmap")
    assert np.array_equal(cogmap.load(tmp_path / "model.cogmap").outputs(small.table), small.predict_proba(small.table))


def test_the_card_is_kept_beside_the_model(tmp_path, small):
    """Without a card there is an empty one."""
    card = {"accuracy": np.float64(0.5), "left out": [{"name": "id", "why": "ä"}], "rows": 3, "none": None}
    cogmap.save(small, tmp_path / "model.cogmap", card=card)
    assert read_card(tmp_path / "model.cogmap") == card
    cogmap.save(small, tmp_path / "model.cogmap")
    assert read_card(tmp_path / "model.cogmap") == {}


def test_no_rows_are_kept(tmp_path, small):
    """None of the numbers of the table is in the file, but the least and largest of each feature."""
    cogmap.save(small, tmp_path / "model.cogmap")
    back = cogmap.load(tmp_path / "model.cogmap")
    kept = pickle.dumps(back)
    inside = small.table["height"].sort_values().to_numpy()[1:-1]
    assert not any(number.tobytes() in kept for number in inside)


def test_thirty_features_take_less_than_twenty_thousand_bytes(tmp_path, breast_cancer):
    """With all that a fit makes."""
    cogmap.save(FCMClassifier(random_state=0).fit(*breast_cancer), tmp_path / "model.cogmap")
    assert (tmp_path / "model.cogmap").stat().st_size < 20_000


def test_files_of_the_first_version_are_read(iris):
    """By hand, with zipfile, json and NumPy alone, the same probabilities follow from the file."""
    fcm = cogmap.load(FIRST_VERSION)
    package = zipfile.ZipFile(FIRST_VERSION)
    head = json.loads(package.read("model.json"))
    assert (head["format"], head["version"]) == ("cogmap model", 1)
    bytes_of_all, start, arrays = np.frombuffer(package.read("arrays"), np.uint8), 0, []
    for described in head["arrays"]:
        dtype, shape = np.dtype(described["dtype"]), described["shape"]
        end = start + int(np.prod(shape)) * dtype.itemsize
        by_place = bytes_of_all[start:end].reshape(dtype.itemsize, -1)
        arrays.append(np.frombuffer(by_place.T.tobytes(), dtype).reshape(shape))
        start = end
    model = head["value"]["FCMClassifier"]["learned"]["dict"]["model_"]["model"]
    fcm_map, encoding = model["map"]["map"], model["encoding"]["encoding"]
    known = encoding["scaling"]["spread"]["known"]["statistics"]
    weights, bias = arrays[fcm_map["weights"]["array"]], arrays[fcm_map["bias"]["array"]]
    mean, deviation = arrays[known["mean"]["array"]], arrays[known["deviation"]["array"]]
    rows = iris[0]
    states = np.full((len(rows), len(bias)), 0.5)
    states[:, :4] = 1 / (1 + np.exp(-0.75 * (rows - mean) / deviation))
    for _ in range(model["depth"]):
        states = 1 / (1 + np.exp(-fcm_map["slope"] * (states @ weights.T + bias - 0.5)))
    expected = softmax(model["link"]["softmax"]["gain"] * states[:, -3:], axis=1)
    np.testing.assert_allclose(fcm.predict_proba(rows), expected, rtol=1e-9)
    assert fcm.score(*iris) > 0.95
    assert read_card(FIRST_VERSION)["title"] == "Iris, version 1 of the format"


def test_attributes_that_were_renamed_are_read(tmp_path, iris):
    """A file of version 1 of a map that learns on from batches, with the names of that time."""
    fcm = FCMClassifier(random_state=0, prior=FuzzyCognitiveMap.from_edges([("x0", "class=0", -1.0)]))
    fcm.partial_fit(*iris, classes=[0, 1, 2])
    cogmap.save(fcm, tmp_path / "now.cogmap")
    with zipfile.ZipFile(tmp_path / "now.cogmap") as now, zipfile.ZipFile(tmp_path / "old.cogmap", "w") as old:
        for name in now.namelist():
            content = now.read(name)
            if name == "model.json":
                assert content.count(b'"resumed"') == content.count(b'"prior_deviations_"') == 1
                content = content.replace(b'"resumed"', b'"goes_on"').replace(b'"prior_deviations_"', b'"departures_"')
                content = content.replace(b'"version":2', b'"version":1').replace(b'"version": 2', b'"version": 1')
                assert json.loads(content)["version"] == 1
            old.writestr(name, content)
    back = cogmap.load(tmp_path / "old.cogmap")
    assert back.prior_deviations_ == fcm.prior_deviations_
    for model in (fcm, back):
        model.partial_fit(*iris)
    np.testing.assert_array_equal(back.predict_proba(iris[0]), fcm.predict_proba(iris[0]))


class Subclass(FCMClassifier):
    """An estimator of a user's own."""


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (FCMClassifier(), "must be fitted, got FCMClassifier without a model"),
        (FCMClassifier, "of a class that can be saved: .*got one of type ABCMeta"),
        (None, "got one of type NoneType"),
        (
            GridSearchCV(FCMClassifier(**QUICK), {"alpha": [0.2]}, cv=2).fit(X, SIGN),
            "got one of type GridSearchCV. Save its `best_estimator_`",
        ),
        (TableModel.of(FCMClassifier(**QUICK).fit(X, SIGN)), "got one of type TableModel. Call its method `save`"),
        (Subclass(**QUICK).fit(X, SIGN), "got one of type Subclass"),
        (FCMClassifier(**QUICK).fit(X, SIGN).set_params(depth=0), "can be loaded again, got .*integer >= 1, got 0"),
        (
            FCMClassifier(**QUICK).fit(X, SIGN).set_params(monotonic_cst=pd.Series([1, 0, 0, 0])),
            r"numbers, strings, .*got Series in FCMClassifier.parameters.monotonic_cst",
        ),
        (
            FCMClassifier(**QUICK).fit(X, SIGN).set_params(edges=np.zeros(3, dtype=complex)),
            "an array of 1 axes and dtype complex128 in FCMClassifier.parameters.edges",
        ),
    ],
    ids=[
        "not fitted",
        "a class",
        "nothing",
        "a search",
        "a model of raw tables",
        "a subclass",
        "a wrong parameter",
        "a series",
        "complex numbers",
    ],
)
def test_what_cannot_be_kept_is_refused(estimator, message, tmp_path):
    """With a word on what it is, and no file."""
    with pytest.raises(ParameterError, match=message):
        cogmap.save(estimator, tmp_path / "model.cogmap")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "card", "message"),
    [
        ("", None, "`save\\(path=...\\)` must be the path of a file"),
        (3, None, "`save\\(path=...\\)` must be the path of a file, got 3"),
        ("model", [1], "`save\\(card=...\\)` must be a dict"),
        ("model", {"score": float("nan")}, "`save\\(card=...\\)` must be a dict that JSON can represent"),
        ("model", {"rows": X}, "DataFrame is not supported"),
    ],
)
def test_wrong_arguments_of_save(path, card, message, small, tmp_path, monkeypatch):
    """Each is told by name."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=message):
        cogmap.save(small, path, card=card)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("inputs", ["features", "terms", "logarithms"])
@pytest.mark.parametrize("kind", ["log odds", "softmax", "values"])
def test_small_named_maps_come_back(named_model, named_rows, tmp_path, kind, inputs):
    """With held features, columns without a concept, and the names of concepts and columns."""
    model = named_model(kind, inputs=inputs, features=("age", "bmi", "glucose", "insulin", "pulse"))
    cogmap.save(model, tmp_path / "named.cogmap")
    back = cogmap.load(tmp_path / "named.cogmap")
    assert back.map == model.map
    assert back.map.held == model.map.held != ()
    assert back.encoding.features == model.encoding.features
    np.testing.assert_array_equal(back.encoding.used, model.encoding.used)
    np.testing.assert_array_equal(back.outputs(named_rows), model.outputs(named_rows))


@pytest.mark.parametrize("change", [{"used": [3, 1]}, {"used": [9]}, {"features": ("a",)}])
def test_inputs_in_a_file_are_checked(named_model, change):
    """A file with impossible inputs or names is rejected when it is read."""
    state = KINDS["encoding"].to_state(named_model().encoding)
    state |= {name: np.array(value) if name == "used" else value for name, value in change.items()}
    with pytest.raises(ParameterError, match=next(iter(change))):
        KINDS["encoding"].from_state(state)
