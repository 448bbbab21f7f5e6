"""Training on tables: the score is honest, the choice of a task is said, and a time is kept."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import r2_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

import cogmap
from cogmap import FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap, TablePreparer, to_rules
from cogmap.exceptions import DataError, ParameterError
from cogmap.table import fit_table, limits
from cogmap.table.cards import card_text
from cogmap.table.options import FitOptions
from cogmap.table.scoring import THE_MAP, compare, make_folds
from cogmap.table.targets import Target, find_target
from cogmap.table.training import train


@pytest.fixture(scope="module")
def noise():
    """A table that has nothing to do with its target."""
    rng = np.random.default_rng(0)
    n = 150
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "word": rng.choice([f"w{i}" for i in range(40)], n),
            "y": rng.choice(["a", "b"], n),
        }
    )


def test_noise_is_not_learned(noise):
    """A target independent of the features scores like the baseline: no information leaks between folds."""
    card = train(noise, "y", FitOptions()).card
    assert card["scores"][THE_MAP]["accuracy"]["mean"] < 0.62
    assert "How good" in card_text(card)


def test_folds_learn_categories_from_their_training_rows(noise):
    """A category that is only in the test rows is unknown to the preparer of the fold."""
    frame, y = noise.drop(columns="y"), noise["y"].astype(object)
    for (train_rows, test_rows), fold in zip(
        StratifiedKFold(5, shuffle=True, random_state=0).split(frame, y),
        make_folds(TablePreparer().fit(frame), frame, y, "classification", 0),
        strict=True,
    ):
        alone = TablePreparer().fit(frame.iloc[train_rows])
        assert list(fold.X_test) == list(alone.get_feature_names_out())
        np.testing.assert_array_equal(fold.X_train, alone.transform(frame.iloc[train_rows]))
        np.testing.assert_array_equal(fold.X_test, alone.read(frame.iloc[test_rows]).features)


def test_folds_have_the_columns_of_the_saved_model():
    """Consecutive integers are used, and an identifier is in no fold, whatever the rows of one fold look like."""
    n = 60
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "year": np.arange(n) + 1960,
            "id": np.append(np.arange(n - 1), n - 2),  # distinct in folds without one of the last rows
            "place": ["Oslo"] * 10 + ["Rome"] * 2 + [f"p{i}" for i in range(n - 12)],
            "rare": [1.0, *[np.nan] * (n - 1)],
        }
    ).assign(rare=lambda f: f["rare"].fillna(0.0))
    preparer = TablePreparer().fit(frame)
    for fold in make_folds(preparer, frame, pd.Series(rng.normal(size=n)), "regression", 0):
        assert list(dict.fromkeys(name.partition("=")[0] for name in fold.X_train)) == [
            c.name for c in preparer.columns_
        ]


def test_the_card_scores_the_saved_model():
    """A year that explains the target is used by both: the score on newly drawn rows is the one on the card."""
    rng = np.random.default_rng(0)
    year = np.arange(1900, 2040)
    frame, new = (
        pd.DataFrame({"year": year, "x": rng.normal(size=140), "y": 2.0 * year + rng.normal(size=140)}) for _ in "ab"
    )
    model = train(frame, "y", FitOptions())
    score = r2_score(new["y"], model.predict(new))
    assert model.card["scores"][THE_MAP]["R²"]["mean"] == pytest.approx(score, abs=0.02)


def test_columns_left_out_are_warned_of_once():
    """The warning gives the reason; columns dropped by the user are not in it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": range(20), "a": 1, "b": rng.normal(size=20), "y": ["s", "t"] * 10})
    with pytest.warns(UserWarning, match=r"left out: 'id' \(an identifier: .*\), 'a' \(always 1\)\.") as caught:
        train(frame, "y", FitOptions())
    assert len(caught) == 1
    train(frame, "y", FitOptions(drop=("id", "a")))  # warnings are errors here


def test_the_card_has_the_kind_of_every_column_with_the_reason():
    """Both for inferred and for declared kinds; an ordered column may have a sign."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "zip": rng.choice(["01067", "80331"], 40),
            "size": rng.choice(["S", "M", "L"], 40),
            "mass": [f"{x:.1f} kg" for x in rng.normal(70, 5, 40)],
            "y": rng.normal(size=40),
        }
    )
    card = train(frame, "y", FitOptions(kinds={"size": "S<M<L"}, signs={"size": 1})).card
    assert card["columns"] == [
        {"name": "zip", "kind": "category", "why": "codes that begin with 0: 2 different values"},
        {"name": "size", "kind": "ordered", "why": "as asked"},
        {"name": "mass", "kind": "number", "why": "numbers in kg, as text"},
    ]
    for line in ("  zip     category   codes that begin with 0", "  size    ordered    as asked"):
        assert line in card_text(card)


def test_a_target_with_many_single_row_classes_is_rejected():
    """114 classes of one row are an error; a few are left out with a note."""
    labels = ["a", "b"] * 10 + [f"c{i}" for i in range(114)]
    with pytest.raises(DataError, match="has 116 classes, of which 114 are in a single row"):
        find_target(pd.Series(labels), "y", None)
    assert find_target(pd.Series(labels[:25]), "y", None).task == "classification"


@pytest.mark.parametrize(("kind", "task"), [("number", "regression"), ("category", "classification")])
def test_the_kind_of_the_target_determines_the_task(kind, task):
    """Other kinds are rejected, and kinds that contradict the task."""
    frame = pd.DataFrame({"x": np.arange(20.0) % 7, "y": [0, 1] * 10})
    assert train(frame, "y", FitOptions(kinds={"y": kind})).card["target"]["task"] == task
    for wrong in (FitOptions(kinds={"y": "date"}), FitOptions(kinds={"y": "number"}, task="classification")):
        with pytest.raises(DataError, match="The kind of the target must be 'number', 'category'"):
            train(frame, "y", wrong)


def test_a_target_has_the_decimal_mark_of_the_table():
    """1.234 beside 3,5 is more than a thousand."""
    frame = pd.DataFrame({"x": [f"{i},5" for i in range(20)], "y": [f"{i}.234" for i in range(1, 21)]})
    assert find_target(frame["y"], "y", None, frame).read(frame["y"])[0] == 1234
    assert find_target(frame["y"], "y", None).notes == ("y: '1.234' is read as 1.234, with a decimal point.",)


def test_scores_of_other_methods_agree_with_scikit_learn(noise):
    """The random forest on the same folds, cross-validated by scikit-learn as a pipeline."""
    frame, y = noise.drop(columns="y"), noise["y"].astype(object)
    preparer = TablePreparer().fit(frame)
    folds, X = list(make_folds(preparer, frame, y, "classification", 0)), preparer.transform(frame)
    scores, _ = compare(RandomForestClassifier(random_state=0), X, y, folds, "classification", 0)
    pipeline = Pipeline([("prepare", TablePreparer()), ("forest", RandomForestClassifier(random_state=0))])
    expected = cross_val_score(pipeline, frame, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
    np.testing.assert_allclose([fold[0][0] for fold in scores["random forest"]], expected)


def test_the_same_seed_gives_the_same_model_and_card(noise):
    """Results are bitwise equal."""
    table = noise[:40]
    first, second = (train(table, "y", FitOptions(seed=3)) for _ in range(2))
    np.testing.assert_array_equal(first.estimator.map_.weights, second.estimator.map_.weights)
    assert (first.card, first.sections) == (second.card, second.sections)


@pytest.mark.parametrize(
    ("values", "task", "why"),
    [
        (["a", "b"] * 10, "classification", "'y' has 2 different values"),
        ([True, False] * 10, "classification", "'y' has 2 different values"),
        ([0, 1] * 10, "classification", "'y' has only 2 different whole numbers"),
        (list(range(20)), "regression", "'y' has 20 different numbers"),
        ([0.5, 1.5] * 10, "regression", "'y' has 2 different numbers"),
        ([f"{i},5 €" for i in range(20)], "regression", "'y' has 20 different numbers"),
    ],
)
def test_the_task_is_inferred_with_a_reason(values, task, why):
    """Strings and few distinct integers are classes, other numbers are values."""
    target = find_target(pd.Series(values), "y", None)
    assert (target.task, target.why) == (task, why)
    assert Target.from_state(target.to_state()) == target


@pytest.mark.parametrize(("values", "task"), [([1.5, 2.5] * 10, "classification"), ([0, 1] * 10, "regression")])
def test_a_declared_task_overrides_the_inferred_one(values, task):
    """For integers both tasks are possible."""
    target = find_target(pd.Series(values), "y", task)
    assert (target.task, target.why) == (task, "as asked")


def test_a_numeric_target_is_parsed():
    """In a new table, too."""
    target = find_target(pd.Series([f"{i},5 €" for i in range(20)]), "y", None)
    np.testing.assert_array_equal(target.read(pd.Series(["1,5 €", None, "1.000,25"])), [1.5, np.nan, 1000.25])
    with pytest.raises(DataError, match="cannot be read in row 2: y: 'much' is not a number"):
        target.read(pd.Series(["1,5", "much"]))


@pytest.mark.parametrize(
    ("limit", "rows", "scored"),
    [(1000.0, 8000, 8000), (14.0, 8000, 1090), (8.0, 2500, 1000), (4.0, 615, 615), (0.0, 500, None)],
)
def test_a_time_limit_scores_on_fewer_rows_before_it_trains_on_fewer(monkeypatch, limit, rows, scored):
    """With a millisecond per row and a pilot of 3,000 rows, that is 3 seconds."""
    clock = iter([0.0, 3.0, 3.0, 3.0])
    monkeypatch.setattr(limits.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(limits, "fitted", lambda *_: None)
    frame = pd.DataFrame({"a": np.arange(8000.0)})
    preparer = TablePreparer(keep=["a"]).fit(frame)
    extent = limits.within(limit + 3.0, None, preparer, frame, frame["a"], "regression", 0)
    assert len(extent.rows) == pytest.approx(rows, abs=1)
    assert (extent.scored is None) == (scored is None)
    assert scored is None or len(extent.scored) == pytest.approx(scored, abs=1)
    assert bool(extent.notes) == (limit < 1000.0)


def test_a_time_limit_adds_a_note():
    """Training uses fewer rows, or computes no scores."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20_000, 5)), columns=list("abcde")).assign(y=lambda f: f["a"] * f["b"])
    model = train(frame, "y", FitOptions(time_limit=2.0))
    assert model.card["table"]["learned from"] < 20_000
    assert "To keep within the time" in model.card["notes"][0]
    assert isinstance(model.estimator, FCMRegressor)


def test_tuning_selects_hyperparameters(noise):
    """By cross-validation within the training rows; for regression among penalties."""
    table = noise[:40]
    model = train(table, "y", FitOptions(tune=True, time_limit=1.0))
    assert isinstance(model.estimator, FCMClassifierCV)
    model = train(table.drop(columns="y"), "x", FitOptions(tune=True, time_limit=1.0))
    assert isinstance(model.estimator, FCMRegressor)
    assert model.estimator.alpha in (0.1, 1.0, 10.0)


def grouped_table(n_groups=60, per_group=6):
    """Rows of groups with a target of their own each, which features of the group give away."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(n_groups), per_group)
    level = rng.normal(size=n_groups)
    return pd.DataFrame(
        {
            "patient": [f"p{number}" for number in group],
            "mark": rng.permutation(n_groups)[group] + 0.01 * rng.normal(size=len(group)),
            "value": level[group],
        }
    )


def test_groups_are_not_split_between_folds():
    """A feature that identifies the group helps only with rows of the same group."""
    table = grouped_table()
    apart = fit_table(table, "value", FitOptions(groups="patient", structure="additive"))
    mixed = fit_table(table, "value", FitOptions(drop=("patient",), structure="additive"))
    assert "patient" in apart.preparer.left_out_
    score = {
        name: model.card["scores"]["random forest"]["R²"]["mean"]
        for name, model in (("apart", apart), ("mixed", mixed))
    }
    assert score["mixed"] > 0.8
    assert score["apart"] < 0.3
    assert "other groups of patient" in card_text(apart.card)


@pytest.mark.parametrize("kind", ["dates", "numbers"])
def test_scores_forward_in_time_use_earlier_rows_only(kind):
    """In any order of rows; a trend is not known in advance."""
    rng = np.random.default_rng(0)
    days = pd.Series(pd.date_range("2020-01-01", periods=300))
    table = pd.DataFrame({"day": days.dt.strftime("%Y-%m-%d") if kind == "dates" else np.arange(300) * 1.5})
    table = table.assign(x=rng.normal(size=300), y=np.cumsum(rng.normal(size=300)) + 0.05 * np.arange(300))
    shuffled = table.sample(frac=1, random_state=0)
    forward = fit_table(shuffled, "y", FitOptions(time="day", structure="additive"))
    mixed = fit_table(shuffled, "y")
    assert mixed.card["scores"]["random forest"]["R²"]["mean"] > 0.8
    assert forward.card["scores"]["random forest"]["R²"]["mean"] < 0.3
    assert "later by day" in card_text(forward.card)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "patient", "time": "mark"}, "one of `groups` and `time`"),
        ({"groups": "patiend"}, "There is no column 'patiend'"),
        ({"time": "patient"}, "`time` must be a column of dates or numbers, and 'patient' is not one"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_invalid_groups_and_times_are_rejected(options, message):
    """The error names the column."""
    with pytest.raises(DataError, match=message):
        fit_table(grouped_table(), "value", FitOptions(**options))


def test_a_faulty_row_is_named_by_its_number_in_the_table():
    """Rows without a target come before it."""
    frame = pd.DataFrame({"x": [*range(20), np.inf], "y": [None, None, *np.arange(19.0)]})
    with pytest.raises(DataError, match=r"Row 21 of the table cannot be used: x: inf is not a finite number"):
        train(frame, "y", FitOptions())


@pytest.mark.parametrize("option", ["groups", "time"])
def test_the_target_cannot_order_the_rows(option):
    """The error names it."""
    frame = pd.DataFrame({"x": np.arange(20.0) % 7, "y": np.arange(20.0)})
    with pytest.raises(DataError, match="The target 'y' cannot be given as"):
        train(frame, "y", FitOptions(**{option: "y"}))


@pytest.fixture(scope="module")
def steps():
    """A table with a threshold and a linear effect."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["dose", "age", "noise"])
    return frame.assign(risk=2.0 * (frame["dose"] > 0.5) + frame["age"] + 0.1 * rng.normal(size=200))


@pytest.mark.parametrize("structure", ["auto", "additive", "named"])
def test_the_card_of_a_small_map_has_its_size_and_rules(steps, structure):
    """As numbers and as text; all arrows are drawn and carry everything."""
    model = train(steps, "risk", FitOptions(structure=structure, max_arrows=12))
    card, fcm = model.card, model.estimator
    size = card["map"]
    assert size["structure"] == fcm.structure_ != "full"
    assert size["arrows"] == size["drawn"] == fcm.map_.n_arrows <= 12
    assert size["carried"] == 1.0
    rules = to_rules(model, steps)
    assert [entry["rule"] for entry in card["rules"]] == list(rules)
    text = card_text(card)
    assert f"{size['concepts']} concepts and {size['arrows']} arrows; all of it is drawn" in text
    assert "nothing in it was changed by hand" in text
    assert f"  {rules[0]}" in text
    assert "high age raises risk (strongly)" in list(rules)


@pytest.mark.parametrize("structure", ["additive", "named"])
def test_a_small_map_can_have_an_experts_map_as_prior(steps, structure):
    """The only arrow left is the strongest, or that of the expert, which is not pruned."""
    expert = FuzzyCognitiveMap.from_edges([("dose", "risk", 1.0)])
    for prior, kept in ((None, "age"), (expert, "dose")):
        model = train(steps, "risk", FitOptions(structure=structure, prior=prior, max_arrows=1))
        assert model.estimator.map_.concepts == (kept, "risk")


def test_a_small_map_of_many_arrows_says_what_the_drawn_carry():
    """Cards of earlier versions, without a structure, are still read."""
    entry = {"structure": "additive", "concepts": 204, "hidden": 0, "arrows": 200, "depth": 1}
    card = {"target": {"name": "y", "why": "as asked", "task": "regression"}, "classes": None, "columns": []}
    card |= {"table": {"name": "t", "learned from": 500}, "notes": [], "importances": [], "left out": {}}
    text = card_text(card | {"map": entry | {"drawn": 108, "carried": 0.931}})
    assert "200 arrows; its picture has the strongest 108, which alone decide as all do with an R² of 0.93" in text
    assert "a map of 9 concepts, 2 of them hidden, 2 steps" in card_text(
        card | {"map": {"concepts": 9, "hidden": 2, "depth": 2}}
    )


BAD_STRUCTURES = {
    "`max_arrows` limits small maps": {"structure": "full", "max_arrows": 20},
    "Only a map of the structure 'full' is tuned": {"structure": "named", "tune": True},
    "prior=.*about arrows from features to outputs": {
        "structure": "additive",
        "prior": FuzzyCognitiveMap.from_edges([("age", "dose", 1.0)]),
    },
    "max_arrows=.* an integer >= 1, got 0": {"structure": "named", "max_arrows": 0},
    "structure=.*one of .*'additive'.*got 'tiny'": {"structure": "tiny"},
}


@pytest.mark.parametrize("message", BAD_STRUCTURES)
def test_contradictory_structures_are_errors(steps, message):
    with pytest.raises((DataError, ParameterError), match=message):
        train(steps, "risk", FitOptions(**BAD_STRUCTURES[message]))


class TestMoreTargets:
    """Counts and ordered classes of raw tables."""

    TABLE = pd.DataFrame({"x": np.linspace(-2.0, 2.0, 120), "word": ["a", "b", "c"] * 40})

    def visits(self):
        """A table with a column of counts, more than ten different ones."""
        counts = np.random.default_rng(0).poisson(np.exp(1.0 + 0.8 * self.TABLE["x"]))
        return self.TABLE.assign(visits=counts)

    def grades(self):
        """A table with grades that sort in another order than theirs."""
        codes = np.digitize(self.TABLE["x"] + 0.5 * np.random.default_rng(0).normal(size=120), [-0.7, 0.7])
        return self.TABLE.assign(grade=np.array(["low", "middle", "high"])[codes])

    @pytest.mark.parametrize(
        ("values", "loss"),
        [
            ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30] * 3, "poisson"),
            ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30] * 3, "squared_error"),  # no zero
            ([0.0, 0.5, 2, 3, 4, 5, 6, 7, 8, 9, 30] * 3, "squared_error"),  # not whole
            ([-1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 30] * 3, "squared_error"),  # negative
            ([0, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79] * 3, "squared_error"),  # most of them large
        ],
    )
    def test_counts_are_recognized(self, values, loss):
        """Whole numbers from 0 on, with a mean above the median; the reason is told."""
        target = find_target(pd.Series(values), "y", None)
        assert (target.task, target.loss) == ("regression", loss)
        assert ("Poisson loss" in target.why) == (loss == "poisson")
        assert Target.from_state(target.to_state()) == target

    def test_the_card_says_counts_and_the_option_overrules(self, tmp_path):
        """Also of a saved model."""
        model = fit_table(self.visits(), "visits")
        assert model.estimator.loss == "poisson"
        assert "they are counts, whole numbers from 0 on: Poisson loss" in card_text(model.card)
        assert model.predict({"x": -9.0, "word": "a"})[0] > 0.0
        model.save(tmp_path / "visits.cogmap")
        assert cogmap.TableModel.load(tmp_path / "visits.cogmap").target == model.target
        assert fit_table(self.visits(), "visits", FitOptions(loss="squared_error")).estimator.loss == "squared_error"

    def test_ordered_classes(self):
        """By an order, and by a categorical."""
        by_kind = fit_table(self.grades(), "grade", FitOptions(kinds={"grade": "low<middle<high"}))
        table = self.grades()
        table["grade"] = pd.Categorical(table["grade"], ["low", "middle", "high"], ordered=True)
        by_dtype = fit_table(table, "grade")
        for model in (by_kind, by_dtype):
            assert model.estimator.ordered == ["low", "middle", "high"]
            assert "its classes are ordered" in card_text(model.card)
            assert {entry["column"]: entry.get("more") for entry in model.card["importances"]}["x"] == "higher"
            assert model.predict([{"x": -2.0, "word": "a"}, {"x": 2.0, "word": "a"}]).tolist() == ["low", "high"]
        np.testing.assert_array_equal(by_kind.predict_proba(self.TABLE), by_dtype.predict_proba(self.TABLE))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"loss": "poison"}, "FitOptions"),
            ({"loss": "gamma", "task": "classification"}, "Classes have no `loss`"),
            ({"loss": "poisson", "kinds": {"grade": "ordered"}}, "Classes have no `loss`"),
            ({"kinds": {"grade": "low<high"}}, "lacks 'middle'"),
            ({"kinds": {"grade": "ordered"}}, "The order of the column 'grade' is unknown"),
            ({"kinds": {"grade": "date"}}, "or an order such as 'low<high'"),
            ({"kinds": {"grade": "low<middle<high"}, "tune": True}, "Ordered classes are not tuned"),
            ({"loss": "poisson"}, "The target 'grade' is not numeric"),
        ],
    )
    def test_what_does_not_fit_together_is_told(self, options, message):
        """In one sentence."""
        with pytest.raises((DataError, ParameterError), match=re.escape(message)):
            fit_table(self.grades(), "grade", FitOptions(**options))

    def test_a_loss_needs_its_values(self):
        """The message names the column and the row."""
        with pytest.raises(DataError, match=r"needs counts, whole numbers >= 0, but 'x' is -2 in row 1"):
            fit_table(self.TABLE, "x", FitOptions(loss="poisson"))
