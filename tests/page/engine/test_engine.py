"""The engine of the page, run by Node.js, against Python."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, r2_score
from sklearn.pipeline import make_pipeline

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap, TablePreparer, explain, what_if
from cogmap.maps.scenarios import scenario
from cogmap.models.encoding import Encoding, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink
from cogmap.models.model import MapModel
from cogmap.models.terms import find_terms
from cogmap.page.unused import influential_features

CLOSE = 1e-9

iris, wine, cancer, diabetes = (
    load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer, load_diabetes)
)
two_targets = (diabetes[0], np.column_stack([diabetes[1], diabetes[0][:, 2] * 1000 - diabetes[1]]))

uniform = np.random.RandomState(0).uniform(size=(390, 3))  # combinations of steps need some 300 rows
both = ((uniform[:, 0] > 0.5) & (uniform[:, 1] < 0.6)).astype(int)

MODELS = {
    "one output for two classes": (FCMClassifier(n_teachers=0), cancer),
    "an output each for two classes": (FCMClassifier(output="one_hot", n_teachers=0, depth=3), cancer),
    "several classes": (FCMClassifier(n_teachers=0), iris),
    "words": (FCMClassifier(terms=3, n_teachers=0), wine),
    "words for some, as a number of steps": (FCMClassifier(terms={"x0": 6, "x3": 2}, n_teachers=0, depth=5), wine),
    "one step": (FCMClassifier(depth=1, n_teachers=0), iris),
    "scaled by the range": (FCMClassifier(scale=True, n_teachers=0), wine),
    "not scaled": (FCMClassifier(scale=False, n_teachers=0), (wine[0] / wine[0].max(axis=0), wine[1])),
    "steep": (FCMClassifier(slope=9.0, n_teachers=0, n_hidden=4), iris),
    "chosen by cross-validation": (FCMClassifierCV(), iris),
    "values": (FCMRegressor(n_teachers=0), diabetes),
    "values of two targets": (FCMRegressor(n_teachers=0), two_targets),
    "counts": (FCMRegressor(loss="poisson", n_teachers=0), (diabetes[0], diabetes[1] // 20)),
    "amounts of two targets": (FCMRegressor(loss="gamma", n_teachers=0), (diabetes[0], np.exp(two_targets[1] / 200))),
    "crossing quantiles": (FCMRegressor(loss="quantile", quantile=[0.48, 0.5, 0.52], n_teachers=0), diabetes),
    "ordered classes": (FCMClassifier(ordered=[1, 0, 2], n_teachers=0), wine),
    "combinations of steps": (FCMClassifier(), (uniform, both)),
    "several labels": (FCMClassifier(n_teachers=0), (wine[0], np.column_stack([wine[1] > 0, wine[0][:, 0] > 13]))),
}


def plain(rows):
    """Return rows in the format of the page, with None for missing values."""
    return [[None if np.isnan(value) else float(value) for value in row] for row in rows]


def test_properties_of_the_engine(node):
    """The JavaScript tests of the engine pass."""
    ran = subprocess.run(
        [node, "--test", Path(__file__).parent / "engine.test.js"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("name", MODELS)
def test_page_computes_what_python_does(name, differences, payload_of):
    """States, outputs, contributions and scores of 100 rows, some with missing values or far outside, are equal."""
    estimator, (X, y) = MODELS[name]
    X, y = X[:: max(len(X) // 200, 1)], y[:: max(len(y) // 200, 1)]
    model = estimator.set_params(random_state=0).fit(X, y).model_
    rows = X[np.linspace(0, len(X) - 1, 100).astype(int)].copy()
    rows[::5, 1] = np.nan
    rows[::7] = np.nan
    rows[3::10] *= 3.0
    explained = explain(model, rows)
    used = influential_features(model)  # the page has no others
    outputs = model.outputs(X)
    if hasattr(model.link, "classes"):
        score = [len(X), accuracy_score(y, estimator.predict(X)), log_loss(y, outputs)]
    else:
        truth = np.broadcast_to(y.reshape(len(y), -1), outputs.shape)  # the same for each quantile
        score = [len(X), r2_score(truth, outputs), mean_absolute_error(truth, outputs)]
    apart = differences(
        payload_of(model, X, y),
        rows=plain(rows[:, used]),
        states=model.trajectory(rows).transpose(1, 0, 2).tolist(),
        outputs=explained.outputs.tolist(),
        contributions=explained.contributions[:, used].tolist(),
        base=explained.base_values.tolist(),
        score=score,
    )
    assert set(apart) == {"states", "outputs", "contributions", "base", "score"}
    assert max(apart.values()) <= CLOSE, apart


SURE = {
    "several classes": MODELS["several classes"],
    "two classes": (FCMClassifier(), cancer),
    "ordered classes": MODELS["ordered classes"],
    "several labels": MODELS["several labels"],
    "values": MODELS["values"],
    "values of two targets": MODELS["values of two targets"],
    "counts": MODELS["counts"],
    "a quantile": (FCMRegressor(loss="quantile", quantile=0.7), diabetes),
    "several quantiles": (FCMRegressor(loss="quantile", quantile=[0.1, 0.5, 0.9]), diabetes),
}


@pytest.mark.parametrize("name", SURE)
def test_page_is_as_sure_as_python(name, differences, payload_of):
    """Intervals, sets of classes and the novelty of rows, some with missing values or far outside."""
    estimator, (X, y) = SURE[name]
    fcm = clone(estimator).set_params(random_state=0, n_teachers="auto").fit(X, y)
    rows = X[:: len(X) // 30].copy()
    rows[::5, 1] = np.nan
    rows[3::10] *= 3.0
    used = np.unique(fcm.model_.encoding.columns)
    known = fcm.scaling_.known.mean.copy()
    only_used = np.tile(known, (len(rows), 1))  # columns that the map does not use are not on the page
    only_used[:, used] = rows[:, used]
    p_values = fcm.novelty_p_values(only_used).tolist()
    cases = [{"row": row, "p": p} for row, p in zip(plain(rows[:, used]), p_values, strict=True)]
    for r, case in enumerate(cases):
        if isinstance(fcm, FCMRegressor):
            case["ends"] = fcm.predict_interval(rows[[r]]).reshape(-1, 2).tolist()
        elif name == "several labels":
            both = zip(fcm.predict_set(rows[[r]])[0], fcm.predict(rows[[r]])[0], strict=True)
            case["sets"] = [[k for k in (int(said), 1 - int(said)) if possible[k]] for possible, said in both]
        else:
            order = np.argsort(-fcm.predict_proba(rows[[r]])[0], kind="stable")
            case["set"] = order[fcm.predict_set(rows[[r]])[0][order]].tolist()
    apart = differences(payload_of(fcm, X, y), sure=cases)
    assert set(apart) == {"p-value", "interval" if isinstance(fcm, FCMRegressor) else "set"}
    assert max(apart.values()) <= CLOSE, apart
    assert min(p_values) < 0.02


@pytest.mark.parametrize("words", [None, 3])
def test_features_that_influence_nothing_are_left_out(words, differences, payload_of):
    """A wide map without its unused features gives the same predictions, and a note names them."""
    random = np.random.default_rng(0)
    X, busy = random.normal(size=(100, 120)), [3, 50, 117]
    scaling = FeatureSpread(FeatureStatistics.of(X))
    terms = None if words is None else find_terms(words, X, None, [f"x{j}" for j in range(120)], [], "")
    encoding = Encoding(120, 100, scaling, terms)
    n_concepts = encoding.n_inputs + 101
    inputs = np.isin(encoding.columns, busy)
    weights = np.diag(random.normal(size=n_concepts))
    weights[encoding.n_inputs :, encoding.n_inputs :] = random.normal(size=(101, 101)) / 5.0
    weights[encoding.n_inputs :, np.flatnonzero(inputs)] = random.normal(size=(101, inputs.sum()))
    fcm = FuzzyCognitiveMap(weights, slope=random.uniform(0.5, 2.0, n_concepts))
    model = MapModel(fcm, 3, encoding, LogOddsLink(np.array(["no", "yes"])))
    payload = payload_of(model, X)
    explained = explain(model, X)
    assert np.abs(np.delete(explained.contributions, busy, axis=1)).max() == 0.0
    kept = np.concatenate([np.flatnonzero(inputs), np.arange(encoding.n_inputs, n_concepts)])
    apart = differences(
        payload,
        rows=X[:, busy].tolist(),
        states=model.trajectory(X)[:, :, kept].transpose(1, 0, 2).tolist(),
        outputs=explained.outputs.tolist(),
        contributions=explained.contributions[:, busy].tolist(),
        base=explained.base_values.tolist(),
    )
    assert max(apart.values()) <= CLOSE, apart
    assert payload["notes"][-1].startswith("117 of 120 features influence nothing in this map and are left out: ")


@pytest.mark.parametrize("inputs", ["features", "terms", "logarithms"])
@pytest.mark.parametrize("kind", ["log odds", "softmax", "values"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_small_named_maps(kind, depth, inputs, named_model, named_rows, differences, payload_of):
    """Held features keep their states, and columns without a concept are left out, with a note."""
    model = named_model(kind, depth, inputs=inputs)
    explained = explain(model, named_rows)
    payload = payload_of(model, named_rows)
    apart = differences(
        payload,
        rows=plain(named_rows[:, [0, 2, 3]]),
        states=model.trajectory(named_rows).transpose(1, 0, 2).tolist(),
        outputs=explained.outputs.tolist(),
        contributions=explained.contributions[:, [0, 2, 3]].tolist(),
        base=explained.base_values.tolist(),
    )
    assert max(apart.values()) <= CLOSE, apart
    assert payload["concepts"] == list(model.map.concepts)
    assert payload["notes"][-1] == "2 of 5 features influence nothing in this map and are left out: x1, x4."


@pytest.mark.parametrize("inputs", ["features", "logarithms"])
def test_flips_of_small_named_maps(inputs, named_model, named_rows, differences, payload_of):
    """Gradients through held features lead to changes as small as Python's."""
    model = named_model("softmax", inputs=inputs)
    rows = [row for row in named_rows if not np.isnan(row).any() and what_if(model, row).found]
    flips = [{"row": row[[0, 2, 3]].tolist(), "to": None, "size": what_if(model, row).size} for row in rows]
    assert len(flips) >= 2
    assert differences(payload_of(model), flips=flips)["flip"] <= 1e-6


def test_held_concepts_of_a_hand_made_map(differences, payload_of):
    """Steady states and scenarios hold them, and a clamp overrides."""
    weights = np.array([[0, 0, 0], [0.8, 0.2, -0.6], [-0.4, 0.9, 0]])
    fcm = FuzzyCognitiveMap(weights, [0.3, 0.1, 0.2], slope=2.0, held=["C1"])
    runs = [{"start": [0.9, 0.5, 0.5], "clamp": {}, "states": fcm.run([0.9, 0.5, 0.5], 6).tolist()}]
    scenarios = []
    for place, state in ((0, 0.1), (1, 1.0)):
        result = scenario(fcm, {f"C{place + 1}": state})
        ends = {"before": result.before.tolist(), "after": result.after.tolist()}
        outcome = {"kind": result.outcome.kind, "steps": result.outcome.steps}
        scenarios.append({"clamp": {str(place): state}, "keep": [], **ends, **outcome})
    apart = differences(payload_of(fcm), runs=runs, scenarios=scenarios)
    assert max(apart.values()) <= CLOSE, apart


def test_held_concepts_of_a_learned_map(differences, payload_of):
    """Clamping a feature, a hidden concept and an output gives the same states as in Python."""
    X, y = iris
    model = FCMClassifier(n_teachers=0, n_hidden=3, depth=4, random_state=0).fit(X, y).model_
    clamp = {1: 0.9, 5: 0.1, 8: 0.7}
    by_name = {model.map.concepts[i]: state for i, state in clamp.items()}
    first = model.first_states(X)
    runs = [
        {"start": row, "clamp": clamp, "states": model.map.run(start, model.depth, by_name).tolist()}
        for row, start in zip(plain(X[::10]), first[::10], strict=True)
    ]
    assert differences(payload_of(model), runs=runs)["states"] <= CLOSE


def test_page_computes_what_a_pipeline_does(differences, payload_of):
    """Rows of a raw table with categories, booleans, dates and missing values give the same predictions."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", "odd"], 100, p=[0.45, 0.4, 0.14, 0.01]).astype(object),
            "age": random.integers(18, 90, 100),
            "smokes": random.choice(["yes", "no"], 100),
            "size": pd.Categorical(random.choice(["S", "M", "L"], 100), ["S", "M", "L"], ordered=True),
            "seen": pd.date_range("2024-01-30", periods=100, freq="37h"),
        }
    )
    table.loc[::9, ["colour", "size"]] = None
    y = np.where((table["colour"] == "red") & (table["age"] > 50), "ill", "well")
    pipe = make_pipeline(TablePreparer(), FCMClassifier(n_teachers=0, random_state=0)).fit(table, y)
    payload = payload_of(pipe, table, y)
    model, features = pipe[-1].model_, pipe[:-1].transform(table).to_numpy()
    explained = explain(model, features)
    of_columns = [explained.contributions[:, column["features"]].sum(axis=1) for column in payload["columns"]]
    apart = differences(
        payload,
        rows=list(zip(*payload["sample"]["columns"], strict=True)),
        states=model.trajectory(features).transpose(1, 0, 2).tolist(),
        outputs=pipe.predict_proba(table).tolist(),
        contributions=np.stack(of_columns, axis=1).tolist(),
        base=explained.base_values.tolist(),
        score=[100, pipe.score(table, y), log_loss(y, pipe.predict_proba(table))],
    )
    assert payload["sample"]["numbers"] == list(range(100))
    assert [column.get("one_hot", False) for column in payload["columns"][:4]] == [True, False, False, False]
    choices = [["blue", "green", "odd", "red"], None, ["no", "yes"], ["S", "M", "L"]]
    assert [column.get("choices") for column in payload["columns"][:4]] == choices
    assert max(apart.values()) <= CLOSE, apart


@pytest.mark.parametrize("name", ["one output for two classes", "words", "values"])
def test_flips_are_as_small_as_those_of_what_if(name, differences, payload_of):
    """The page finds changes no larger than Python does with the same budget."""
    estimator, (X, y) = MODELS[name]
    model = estimator.set_params(random_state=0).fit(X, y).model_
    to = None if hasattr(model.link, "classes") else float(np.mean(y))
    flips = [
        {
            "row": plain([row])[0],
            "to": None if to is None else {"output": 0, "value": to},
            "size": what_if(model, row, to=to).size,
        }
        for row in X[:: len(X) // 8]
    ]
    assert differences(payload_of(model), flips=flips)["flip"] <= 1e-6


def test_large_maps_are_searched_as_in_python(differences, payload_of):
    """A search that needs thousands of rows ends with the same change in a map of 266 concepts."""
    X = np.random.default_rng(0).normal(size=(600, 95))
    y = X[:, 0] + X[:, 1] * X[:, 2] > 0
    model = FCMClassifier(n_teachers=0, n_hidden=170, max_iter=30, tol=0.0, random_state=0).fit(X, y).model_
    found = what_if(model, X[4])
    assert found.n_tried > 6000
    flips = [{"row": X[4].tolist(), "to": None, "size": found.size}]
    assert differences(payload_of(model), flips=flips)["flip"] <= 1e-6


ACTIVATIONS = ["sigmoid", "logistic", "tanh", "saturation", "bivalent", "trivalent"]


@pytest.mark.parametrize("activation", [*ACTIVATIONS, [*ACTIVATIONS, "tanh"]], ids=str)
def test_hand_made_maps_settle_as_in_python(activation, differences, payload_of):
    """Runs, steady states and scenarios agree with Python, for every activation."""
    random = np.random.default_rng(3)
    fcm = FuzzyCognitiveMap(
        random.uniform(-1, 1, (7, 7)) * (random.random((7, 7)) < 0.5),
        bias=random.uniform(-0.2, 0.2, 7),
        slope=random.uniform(0.5, 2, 7),
        activation=activation,
    )
    starts = random.random((20, 7))
    runs = [
        {"start": start.tolist(), "clamp": {"2": 0.25}, "states": fcm.run(start, 12, {"C3": 0.25}).tolist()}
        for start in starts
    ]
    scenarios = []
    for held, state, keep in ((0, 1.0, []), (3, 0.0, [1]), (6, 0.5, [2, 4])):
        result = scenario(fcm, {f"C{held + 1}": state}, keep=[f"C{i + 1}" for i in keep])
        outcome = {"kind": result.outcome.kind, "steps": result.outcome.steps}
        ends = {"before": result.before.tolist(), "after": result.after.tolist()}
        scenarios.append({"clamp": {str(held): state}, "keep": keep, **ends, **outcome})
    apart = differences(payload_of(fcm), runs=runs, scenarios=scenarios)
    assert set(apart) == {"states", "before", "after", "steps", "kind"}
    assert max(apart.values()) <= CLOSE, apart
