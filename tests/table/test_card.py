"""The card: every number in it is recomputed from the table, and its sentences follow their rules."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, r2_score
from sklearn.model_selection import KFold, StratifiedKFold

from cogmap import explain
from cogmap.exceptions import DataError
from cogmap.explanation import arrow_intervals
from cogmap.table import FitOptions, fit_table
from cogmap.table.cards import Card, card_text
from cogmap.table.scoring import rivals
from cogmap.table.sentences import Figure, direction, quality, text_of


def people(n=150, seed=0):
    """A table with a category, a boolean, numbers, missing values and a class that follows from them."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": draw.integers(18, 90, n).astype(float),
            "smoker": draw.choice(["yes", "no"], n),
            "ward": draw.choice(["surgery", "heart", "children"], n),
        }
    )
    score = 0.06 * (frame["age"] - 50) + 2.0 * (frame["ward"] == "surgery") + draw.normal(0, 0.7, n)
    frame["back"] = np.where(score > 0.5, "1", "2")
    frame.loc[::17, "age"] = np.nan
    return frame


def diabetes():
    """A table of numbers, a tenth of it."""
    return load_diabetes(as_frame=True, scaled=False).frame.iloc[::4].reset_index(drop=True)


def recomputed(model, frame, target, seed=0):
    """Return the scores of the card by the key of each number, from the table, with scikit-learn's own functions."""
    y = pd.Series(model.target.read(frame[target]), name=target)
    X, classes = frame.drop(columns=target), model.classes
    splitter = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=seed)
    names = ("accuracy", "log loss") if classes else ("R²", "mean absolute error")
    folds = {}
    rows = []
    for train, test in splitter.split(X, y):
        preparer = model.preparer.relearned(X.iloc[train])
        A, B = preparer.transform(X.iloc[train]), preparer.transform(X.iloc[test])
        for name, method in {"this map": model.estimator, **rivals(model.target.task, seed)}.items():
            fitted = clone(method).fit(A, y.iloc[train])
            truth, predicted = y.iloc[test].to_numpy(), fitted.predict(B)
            if classes:
                outputs = fitted.predict_proba(B)
                scores = accuracy_score(truth, predicted), log_loss(truth, outputs, labels=fitted.classes_)
                own = np.column_stack([outputs.max(axis=1), predicted == truth])
            else:
                scores = r2_score(truth, predicted), mean_absolute_error(truth, predicted)
                own = np.abs(truth - predicted)
            folds.setdefault(name, []).append(scores)
            if name == "this map":
                rows.append(own)
    found = {}
    for method, values in folds.items():
        for place, name in enumerate(names):
            column = np.array(values)[:, place]
            found[f"/scores/{method}/{name}/mean"] = column.mean()
            found[f"/scores/{method}/{name}/deviation"] = column.std()
            if method != "this map":
                difference = np.array(folds["this map"])[:, place] - column
                found[f"/comparisons/{method}/{name}/difference"] = difference.mean()
                found[f"/comparisons/{method}/{name}/error"] = difference.std(ddof=1) / np.sqrt(5)
    held_out = np.concatenate(rows)
    if classes:
        held_out = held_out[np.argsort(held_out[:, 0], kind="stable")]
        groups = np.array_split(held_out, min(max(len(held_out) // 30, 1), 5))
        for place, group in enumerate(groups):
            found[f"/certainty/{place}/right"] = group[:, 1].mean()
            found[f"/certainty/{place}/rows"] = len(group)
            found[f"/certainty/{place}/from"] = group[0, 0]
            found[f"/certainty/{place}/probability"] = group[:, 0].mean()
        for label, n_rows in y.value_counts().items():
            found[f"/target/rows/{label}"] = n_rows
    else:
        found["/errors/median"], found["/errors/90 %"] = np.median(held_out), np.quantile(held_out, 0.9)
    shares = _shares(model, X)
    for place, entry in enumerate(model.card["importances"]):
        found[f"/importances/{place}/share"] = shares[entry["column"]]
        if "alone" in entry and entry["alone"] is not None:
            found[f"/importances/{place}/alone"] = _alone(model, X, y, entry)
    fcm, A = model.estimator, model.preparer.transform(X)
    effects = arrow_intervals(fcm, A, y, n_refits=15)
    mean = fcm.model_.derivative(A.to_numpy()).mean(axis=0)
    names, first = (
        model.preparer.get_feature_names_out().tolist(),
        {c.name: c.outputs[0] for c in model.preparer.columns_},
    )
    for place, entry in enumerate(model.card["effects"]):
        j, k = names.index(first[entry["column"]]), model.outputs.index(entry["output"])
        found[f"/effects/{place}/effect"] = mean[k, j]
        found[f"/effects/{place}/low"], found[f"/effects/{place}/high"] = (
            bounds[j, k] for bounds in (effects.effects_low, effects.effects_high)
        )
    found |= {"/table/rows": len(frame), "/table/learned from": len(frame), "/table/columns": len(frame.columns)}
    fcm = model.estimator.map_
    found |= {"/map/concepts": fcm.n_concepts, "/map/arrows": fcm.n_arrows, "/map/hidden": model.estimator.n_hidden_}
    found |= {"/map/depth": model.estimator.depth_}
    return found


def _shares(model, X):
    """Return the share of each column in the mean absolute contributions."""
    step = max(len(X) // 300, 1)
    size = np.abs(explain(model, X.iloc[::step]).contributions).mean(axis=(0, 2))
    return dict(zip(model.columns, size / size.sum(), strict=True))


def _alone(model, X, y, entry):
    """Return the correlation of a column with what more of it leads to."""
    place = model.columns.index(entry["column"])
    values = model.values(model.read(X).features)[:, place]
    if "value" in entry:
        values = [None if value is None else value == entry["value"] for value in values]
    values = np.array([np.nan if value is None else float(value) for value in values])
    goal = y.to_numpy() == entry["more"] if model.classes else y * (1 if entry["more"] == "higher" else -1)
    known = ~np.isnan(values)
    return np.corrcoef(values[known], np.asarray(goal, dtype=float)[known])[0, 1]


def numbers_of(card, place=""):
    """Yield the key of every number of a card, except folds and settings."""
    for name, entry in card.items() if isinstance(card, dict) else enumerate(card):
        key = f"{place}/{name}"
        if isinstance(entry, dict | list) and name not in ("folds", "settings", "rules", "numbers"):
            yield from numbers_of(entry, key)
        elif isinstance(entry, float | int) and not isinstance(entry, bool):
            yield key


TABLES = {
    "people": (people, "back", FitOptions(labels={"1": "comes back", "2": "stays well"})),
    "diabetes": (diabetes, "target", FitOptions(units={"target": "points"})),
}


@pytest.fixture(scope="module", params=TABLES)
def fitted(request):
    """Return a model with its table."""
    make, target, options = TABLES[request.param]
    frame = make()
    return fit_table(frame, target, options), frame, target


def test_every_number_of_the_card_is_recomputed_from_the_table(fitted):
    """No number is left over, and none differs."""
    model, frame, target = fitted
    expected = recomputed(model, frame, target)
    keys = [key for key in numbers_of(model.card) if not re.match(r"/map/(drawn|carried)", key)]
    assert sorted(keys) == sorted(expected)
    for key in keys:
        assert model.card.at(key) == pytest.approx(expected[key], rel=1e-6, abs=1e-9), key


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iris", "wine", "people", "diabetes"])
def test_more_tables(name):
    """The same for tables of scikit-learn."""
    tables = {"iris": (lambda: load_iris(as_frame=True).frame, "target", None)}
    tables |= {"wine": (lambda: load_wine(as_frame=True).frame, "target", None)}
    make, target, options = (tables | TABLES)[name]
    frame = make()
    model = fit_table(frame, target, options)
    expected = recomputed(model, frame, target)
    assert all(model.card.at(key) == pytest.approx(value, rel=1e-6, abs=1e-9) for key, value in expected.items())


def test_figures_of_sentences_are_numbers_of_the_card(fitted):
    """Each figure has a key, and its text is the rounded number there."""
    card = fitted[0].card
    figures = [part for sentence in quality(card) for part in sentence if isinstance(part, Figure)]
    assert len(figures) >= 3
    for figure in figures:
        value, text = card.at(figure.key), float(re.sub(r"[^\d.]", "", figure.text.replace(",", "")))
        scale = 1.0 if "error" in figure.key else 100.0
        assert text == pytest.approx(abs(value) * scale, rel=0.006, abs=0.51 if scale == 100.0 else 0.0)
        assert figure.text in card_text(card)


def test_text_and_html_show_no_exponent_and_few_digits(fitted):
    """Numbers are for people."""
    card = fitted[0].card
    for text in (str(card), card._repr_html_()):
        assert not re.search(r"\d[eE][+-]?\d|\d\.\d{5}", text)
        assert "nan" not in text


def scored(accuracies, guess, forest, shares=(0.5, 0.5), losses=None):
    """Return a card with given scores of five folds."""
    own, losses = np.array(accuracies), np.array(losses or [0.5] * 5)
    methods = {"this map": own, "random forest": np.array(forest), "the most frequent class": np.array(guess)}
    loss = {"this map": losses, "random forest": losses, "the most frequent class": np.full(5, 0.6)}

    def entry(values):
        return {"mean": values.mean(), "deviation": values.std(), "folds": values.tolist()}

    def difference(values):
        return {"difference": values.mean(), "error": values.std(ddof=1) / np.sqrt(5)}

    return Card(
        {
            "target": {"name": "y", "rows": {"a": 6, "b": 4}},
            "classes": ["a", "b"],
            "scores": {name: {"accuracy": entry(v), "log loss": entry(loss[name])} for name, v in methods.items()},
            "comparisons": {
                name: {"accuracy": difference(own - v), "log loss": difference(losses - loss[name])}
                for name, v in methods.items()
                if name != "this map"
            },
            "importances": [{"column": f"c{i}", "share": share} for i, share in enumerate(shares)],
        }
    )


FLAT = [0.57] * 5


@pytest.mark.parametrize(
    ("card", "says", "says_not"),
    [
        (
            scored([0.55, 0.56, 0.54, 0.55, 0.57], FLAT, [0.55] * 5, losses=[0.7] * 5),
            "NOT better than guessing",
            "tell",
        ),
        (scored([0.55, 0.56, 0.54, 0.55, 0.57], FLAT, [0.55] * 5), "NOT better than guessing, but its prob", "rely"),
        (scored([0.40, 0.80, 0.60, 0.50, 0.70], FLAT, [0.6] * 5, losses=[0.7] * 5), "hardly better", "NOT"),
        (scored([0.70, 0.71, 0.70, 0.72, 0.71], FLAT, [0.71] * 5), "That is better than guessing", "WORSE"),
        (scored([0.70, 0.71, 0.70, 0.72, 0.71], FLAT, [0.8] * 5), "WORSE than the forest by 9 of 100", "NOT"),
        (scored([0.90, 0.91, 0.90, 0.92, 0.91], FLAT, [0.8] * 5), "better than the forest by 11 of 100", "WORSE"),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.9, 0.1)), "One column almost gives the answer away: c0 has 90", "NOT"),
        (scored([0.80] * 5, FLAT, [0.8] * 5, (0.9, 0.1)), "better than guessing", "gives the answer away"),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.6, 0.4)), "better than guessing", "gives the answer away"),
    ],
)
def test_sentences_follow_their_rules(card, says, says_not):
    """Not better than guessing, worse than the forest, one column gives the answer away."""
    text = " ".join(map(text_of, quality(card)))
    assert says in text
    assert says_not not in text


def test_opposite_association_is_marked():
    """A column whose plain association has the other sign than its effect gets a mark and a footnote."""
    draw = np.random.default_rng(1)
    severity = draw.normal(size=400)
    dose = severity + 0.3 * draw.normal(size=400)
    frame = pd.DataFrame({"severity": severity, "dose": dose})
    frame["days"] = 10 + 6 * severity - 3 * dose + draw.normal(size=400)
    model = fit_table(frame, "days", FitOptions(structure="additive"))
    entries = {entry["column"]: entry for entry in model.card["importances"]}
    assert entries["dose"]["more"] == "lower"
    assert entries["dose"]["alone"] < -0.5
    assert re.search(r"dose\s+\d+ %\s+lower \*", str(model.card))
    assert "goes with the opposite" in str(model.card)
    assert direction(entries["dose"], model.card) == "more of it makes days lower"


def test_categories_have_a_direction():
    """The strongest value, and where it leads."""
    model = fit_table(people(300), "back", FitOptions(structure="additive"))
    entries = {entry["column"]: entry for entry in model.card["importances"]}
    assert (entries["ward"]["value"], entries["ward"]["more"]) == ("surgery", "1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": {"3": "x"}}, "names '3', which is no value of 'back'"),
        ({"labels": {"1": "x", "2": "x"}}, "gives the name 'x' to more than one class"),
        ({"labels": {"1": "2"}}, "gives the name '2' to more than one class"),
        ({"units": {"back": "€"}}, "has classes"),
        ({"units": {"nothing": "€"}}, "no column 'nothing'"),
        ({"fixed": ("nothing",)}, "no column 'nothing'"),
        ({"labels": {"1": "x"}, "task": "regression"}, "is a number"),
    ],
)
def test_wrong_names_are_errors(options, message):
    """Labels, units and fixed columns that do not fit the table."""
    with pytest.raises(DataError, match=message):
        fit_table(people(), "back", FitOptions(**options))


def test_labels_replace_codes_everywhere(tmp_path):
    """In predictions, on tables with codes and with names, and after saving; fixed columns are kept."""
    frame = people()
    model = fit_table(frame, "back", FitOptions(labels={"1": "comes back", "2": "stays well"}, fixed=("age",)))
    model.save(tmp_path / "m.cogmap")
    model = type(model).load(tmp_path / "m.cogmap")
    assert set(model.predict(frame.drop(columns="back"))) <= {"comes back", "stays well"}
    named = frame.assign(back=frame["back"].map({"1": "comes back", "2": "stays well"}))
    assert model.evaluate(frame) == model.evaluate(named)
    row = frame.dropna().iloc[[0]].drop(columns="back")
    assert "age" not in model.what_if(row).changes
