"""The card: its sentences follow their rules. Its numbers are recomputed in `test_card_numbers.py`."""

import re

import numpy as np
import pandas as pd
import pytest

from cogmap.exceptions import DataError
from cogmap.table import FitOptions, fit_table
from cogmap.table.cards import Card
from cogmap.table.sentences import direction, quality, text_of


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
        (scored([0.80] * 5, FLAT, [0.8] * 5, (0.9, 0.1)), "no sign that one column gives", "almost"),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.6, 0.4)), "no sign that one column gives", "almost"),
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
