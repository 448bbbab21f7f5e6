"""What would change the answer: every promise, on random maps and on real ones."""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogmap import FCMClassifier, FCMRegressor, what_if
from cogmap.explanation._search import BUDGET
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel

CLASSES = np.array(["a", "b", "c"])


def random_model(rng, kind, n_features, n_hidden, depth, whole):
    """Return a model of features between -3 and 3, with a deviation of 1.5."""
    link = {
        "odds": LogOddsLink(CLASSES[:2]),
        "two": SoftmaxLink(CLASSES[:2], 10.0),
        "three": SoftmaxLink(CLASSES, 4.0),
        "value": ValueLink(("height",), np.array([1.0]), np.array([3.0]), one_dimensional=True),
    }[kind]
    r = n_features + n_hidden + link.n_outputs
    W = 1.5 * rng.normal(size=(r, r))
    fcm = FuzzyCognitiveMap(W, 0.5 - 0.5 * W.sum(axis=1), slope=2.0)
    one = np.ones(n_features)
    known = FeatureStatistics(one, 0.0 * one, 1.5 * one, -3.0 * one, 3.0 * one, whole)
    return MapModel(fcm, depth, Encoding(n_features, n_hidden, FeatureSpread(known)), link)


def says(model, rows):
    """Return the class of each row, as `predict` does."""
    decision = model.decision(rows)
    return model.link.classes[(decision >= 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]


def test_a_negative_zero_that_does_not_change_stays():
    rng = np.random.default_rng(25018)
    model = random_model(rng, "odds", 4, 0, 1, np.array([True, True, False, False]))
    for _ in range(50):
        row = rng.uniform(-4, 4, 4)
        row[:2] = -0.0
        answer = what_if(model, row)
        if answer.found:
            same = answer.row == row
            assert answer.row[same].tobytes() == row[same].tobytes()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_promise_is_kept(data):
    """Fixed features to the bit, ranges, whole numbers, how many may change, and the answer really flips."""
    draw = data.draw
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kind = draw(st.sampled_from(["odds", "two", "three", "value"]))
    n_features, n_hidden, depth = draw(st.integers(1, 6)), draw(st.integers(0, 2)), draw(st.integers(1, 3))
    whole = rng.random(n_features) < draw(st.sampled_from([0.0, 0.4, 1.0]))
    model = random_model(rng, kind, n_features, n_hidden, depth, whole)
    names = model.map.concepts[:n_features]
    row = rng.uniform(-4, 4, n_features)  # some are outside of what was seen
    row[whole] = np.rint(row[whole])
    row[rng.random(n_features) < 0.1] = np.nan
    fixed = [name for name in names if rng.random() < 0.2]
    limits = {name: (value - rng.random(), value + 2 * rng.random()) for name, value in zip(names, row, strict=True)}
    ranges = {name: limits[name] for name in names if rng.random() < 0.3 and not np.isnan(limits[name]).any()}
    most = draw(st.none() | st.integers(1, 4))
    to = 1.0 + 3.0 * rng.normal() if kind == "value" else draw(st.none() | st.sampled_from(model.link.classes.tolist()))

    answer = what_if(model, row, to, fixed, ranges, most)
    assert answer.n_tried <= BUDGET
    if not answer.found:
        assert answer.sentence.startswith("No change found")
        assert not answer.changes
        return
    changed = (answer.row != row) & ~np.isnan(row)
    assert [names[j] for j in np.flatnonzero(changed)] == sorted(answer.changes, key=names.index)
    same = ~changed
    assert answer.row[same].tobytes() == row[same].tobytes()
    assert not changed[[names.index(name) for name in fixed]].any()
    assert changed.sum() <= (most or n_features)
    for j in np.flatnonzero(changed):
        low, high = ranges.get(names[j], (min(-3.0, row[j]), max(3.0, row[j])))
        assert low <= answer.row[j] <= high
        assert not whole[j] or answer.row[j] == np.rint(answer.row[j])
    assert answer.size == pytest.approx(np.abs(answer.row - row)[changed].sum() / 1.5)
    if kind == "value":
        before, after = model.outputs(row[None])[0, 0], model.outputs(answer.row[None])[0, 0]
        assert after >= to if before < to else after <= to
    elif to is None:
        assert says(model, answer.row[None])[0] != says(model, row[None])[0]
    else:
        assert says(model, answer.row[None])[0] == to
    np.testing.assert_allclose(answer.outputs, model.outputs(answer.row[None])[0])


def test_hardly_a_change_of_whole_numbers_is_smaller():
    """Of all 2,401 rows of four whole numbers none that flips is nearer, in nine of ten cases; none by half."""
    sizes = []
    grid = np.array(list(itertools.product(range(-3, 4), repeat=4)), dtype=float)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        model = random_model(rng, ["odds", "two", "three"][seed % 3], 4, 1, 1 + seed % 4, np.full(4, True))
        row = rng.integers(-3, 4, 4).astype(float)
        most = 2 if seed % 2 else 4
        allowed = grid[(grid != row).sum(axis=1) <= most]
        flipped = allowed[says(model, allowed) != says(model, row[None])]
        answer = what_if(model, row, max_features=most)
        assert answer.found == (len(flipped) > 0)
        if answer.found:
            sizes.append(answer.size / (np.abs(flipped - row).sum(axis=1).min() / 1.5))
    assert np.mean(np.array(sizes) < 1.001) > 0.9
    assert max(sizes) <= 1.5 + 1e-9


def test_no_change_among_many_at_random_is_much_smaller():
    """Of 20,000 rows drawn from the ranges none that flips is nearer by more than a twentieth."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n_features = 2 + seed % 4
        model = random_model(
            rng, ["odds", "two", "three"][seed % 3], n_features, 1, 1 + seed % 4, np.full(n_features, False)
        )
        row = rng.uniform(-3, 3, n_features)
        moved = rng.random((20_000, n_features)) < 0.5
        rows = np.where(moved, rng.uniform(-3, 3, moved.shape), row)
        flipped = rows[says(model, rows) != says(model, row[None])]
        answer = what_if(model, row)
        assert answer.found or not len(flipped)
        if len(flipped):
            assert answer.size <= 1.05 * np.abs(flipped - row).sum(axis=1).min() / 1.5


def test_rows_of_breast_cancer_flip(learned):
    """A hundred of them, each shown to `predict`; the others say the same or that none was found."""
    fcm, X, _ = learned("breast cancer")
    rows = X.iloc[:100]
    answers = [what_if(fcm, rows.iloc[[i]]) for i in range(100)]
    assert all(answer.found for answer in answers)
    assert (fcm.predict(pd.concat([answer.row for answer in answers])) != fcm.predict(rows)).all()
    few = [what_if(fcm, rows.iloc[[i]], max_features=2, fixed=["worst texture"]) for i in range(20)]
    assert any(answer.found for answer in few)
    for i, answer in enumerate(few):
        assert len(answer.changes) <= 2
        assert "worst texture" not in answer.changes
        if answer.found:
            assert fcm.predict(answer.row) != fcm.predict(rows.iloc[[i]])


@pytest.fixture(scope="module")
def clinic():
    """A table of whole numbers, dummies, booleans and measurements, and a classifier of it."""
    rng = np.random.default_rng(0)
    n = 300
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(np.int32),
            "smoker": rng.integers(0, 2, n),
            "member": rng.random(n) < 0.5,
            "weight": rng.normal(80, 15, n),
        }
    )
    y = np.where(0.05 * X["age"] + 1.5 * X["smoker"] + 0.03 * X["weight"] - X["member"] > 5.3, "ill", "well")
    return FCMClassifier(random_state=0).fit(X, y), X


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_columns_keep_their_types(clinic, kind):
    """Whole numbers, dummies and booleans stay what they are, and the row goes straight into `predict`."""
    fcm, X = clinic
    for i in range(25):
        row = X.iloc[[i]] if kind == "pandas" else pl.from_pandas(X)[i]
        answer = what_if(fcm, row, n_answers=3)
        for one in (answer, *answer.others):
            assert type(one.row) is type(row)
            assert list(one.row.dtypes) == list(row.dtypes)
            assert fcm.predict(one.row)[0] != fcm.predict(row)[0]
            assert int(one.row["smoker"].to_numpy()[0]) in (0, 1)


def test_further_answers_use_other_features(clinic):
    """Each does without the features that change most in those before; JSON and table show all."""
    fcm, X = clinic
    answer = what_if(fcm, X.iloc[0], n_answers=3)
    assert len(answer.others) == 2
    first = [next(iter(one.changes)) for one in (answer, *answer.others)]
    assert len(set(first)) == 3
    assert not set(answer.others[0].changes) & set(first[:1])
    assert not set(answer.others[1].changes) & set(first[:2])
    table = answer.to_frame()
    assert set(table["answer"]) == {1, 2, 3}
    assert json.loads(answer.to_json())["others"][1]["size"] == answer.others[1].size
    assert max(map(len, repr(answer).splitlines())) <= 100


def test_a_missing_value_stays_missing(clinic):
    """It is not known from where it would change."""
    fcm, X = clinic
    row = X.iloc[[0]].astype(float)
    row["age"] = np.nan
    answer = what_if(fcm, row)
    assert answer.found
    assert np.isnan(answer.row["age"].iloc[0])
    assert "age" not in answer.changes


def test_what_is_already_so_needs_no_change(clinic):
    """The row comes back as it is."""
    fcm, X = clinic
    answer = what_if(fcm, X.iloc[[0]], to=fcm.predict(X.iloc[[0]])[0])
    assert answer.found
    assert (answer.size, answer.changes, answer.n_tried) == (0.0, {}, 0)
    pd.testing.assert_frame_equal(answer.row, X.iloc[[0]])
    assert "already" in answer.sentence


def test_none_found_is_told_within_the_budget(clinic):
    """All features fixed, or a value that no map of this data reaches."""
    fcm, X = clinic
    stuck = what_if(fcm, X.iloc[[0]], fixed=list(X.columns))
    assert not stuck.found
    assert stuck.row is None
    assert np.isnan(stuck.size)
    assert "No change found" in repr(stuck)
    assert json.loads(stuck.to_json())["size"] is None


@pytest.mark.parametrize("value", [100.0, 250.0])
def test_values_are_reached_from_their_side(learned, value):
    """From below if the prediction is smaller, from above if it is larger."""
    fcm, X, _ = learned("diabetes")
    for i in range(5):
        answer = what_if(fcm, X.iloc[[i]], to=value)
        before, after = fcm.predict(X.iloc[[i]])[0], fcm.predict(answer.row)[0]
        assert after >= value if before < value else after <= value
        assert after == pytest.approx(value, rel=1e-3)  # no farther than needed


def test_one_of_several_targets_is_named():
    """By a dict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    fcm = FCMRegressor(random_state=0).fit(X, np.column_stack([X[:, 0], X[:, 1] - X[:, 2]]))
    answer = what_if(fcm, X[0], to={"target 2": 1.5})
    assert fcm.predict(answer.row[None])[0, 1] >= 1.5


def test_many_features(learned):
    """Of the 64 pixels of a digit only some are tried at a time, and still each of ten classes is reached."""
    fcm, X, _ = learned("digits")
    for to in range(10):
        answer = what_if(fcm, X.iloc[[0]], to=to)
        assert fcm.predict(answer.row)[0] == to
