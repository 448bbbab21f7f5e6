"""The card: its sentences follow their rules. Its numbers are recomputed in `test_card_numbers.py`."""

import re

import numpy as np
import pandas as pd
import pytest

from cogmap.exceptions import DataError
from cogmap.table import FitOptions, fit_table
from cogmap.table.cards import Card
from cogmap.table.sentences import direction, quality, sure_sentences, text_of, warning


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


def scored(accuracies, guess, forest, shares=(0.5, 0.5), losses=None, n_rows=500):
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
            "certainty": [{"rows": n_rows}],
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
        # Two and a half standard errors over five folds may be chance, and so may four rows of 63.
        (scored([0.60, 0.59, 0.61, 0.57, 0.58], FLAT, [0.6] * 5, losses=[0.7] * 5), "That is better", "chance"),
        (scored([0.60, 0.58, 0.64, 0.57, 0.58], FLAT, [0.6] * 5, losses=[0.7] * 5), "hardly better", "NOT"),
        (scored([0.64] * 5, FLAT, [0.64] * 5, losses=[0.7] * 5, n_rows=63), "hardly better", "NOT"),
        (scored([0.64] * 5, FLAT, [0.64] * 5, losses=[0.7] * 5, n_rows=100), "That is better", "chance"),
        # Differences of rounded numbers.
        (
            scored([0.816] * 5, FLAT, [0.742] * 5),
            "in 74 of 100: this map is better than the forest by about 7",
            "WORSE",
        ),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.9, 0.1)), "One column almost gives the answer away: c0 has 90", "NOT"),
        (scored([0.80] * 5, FLAT, [0.8] * 5, (0.9, 0.1)), "no sign that one column gives", "almost"),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.6, 0.4)), "no sign that one column gives", "almost"),
        (
            scored([0.98] * 5, FLAT, [0.98] * 5, (0.46, 0.4, *[0.02] * 7)),
            "Two columns together may give the answer away: c0 has 46 % of the importance and c1 40 %.",
            "no sign",
        ),
        (scored([0.80] * 5, FLAT, [0.8] * 5, (0.46, 0.4, *[0.02] * 7)), "no sign that one column gives", "Two"),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.4, 0.25, *[0.05] * 7)), "no sign that one column gives", "Two"),
        (scored([0.98] * 5, FLAT, [0.98] * 5, (0.46, 0.44, 0.1)), "no sign that one column gives", "Two"),
    ],
)
def test_sentences_follow_their_rules(card, says, says_not):
    """Not better than guessing, worse than the forest, one column gives the answer away."""
    text = " ".join(map(text_of, quality(card)))
    assert says in text
    assert says_not not in text


def test_numbered_classes_are_called_classes():
    """A number alone would read as an amount."""
    entry = {"column": "age", "share": 0.5, "more": "12"}
    card = scored([0.7] * 5, FLAT, [0.7] * 5) | {"classes": ["1", "12"], "importances": [entry]}
    card["target"]["rows"] = {"1": 6, "12": 4}
    assert text_of(direction(0, card)) == "more of it makes class 12 more likely"
    assert "Always answering class 1 is right" in text_of(quality(card)[0])


def test_a_map_that_guesses_is_warned_of_beside_each_answer():
    """The warning follows the sentence of the card; probabilities that tell rows apart are worth something."""
    worse = [0.55, 0.56, 0.54, 0.55, 0.57]
    assert warning(scored(worse, FLAT, worse, losses=[0.7] * 5)).startswith("On new rows, this map is not better")
    assert warning(scored([0.40, 0.80, 0.60, 0.50, 0.70], FLAT, worse, losses=[0.7] * 5)).count("hardly better") == 1
    assert warning(scored(worse, FLAT, worse)) == warning(scored([0.8] * 5, FLAT, worse)) == ""
    assert warning(Card({"classes": ["a", "b"]})) == ""


def test_sets_of_one_class_are_not_called_certain():
    """A set contains the true class for 90 of 100 rows of all, not of those for which it has one class."""
    card = scored([0.6] * 5, FLAT, [0.6] * 5) | {"sets": {"level": 0.9, "single": 0.35, "size": 1.65}}
    said = text_of(sure_sentences(card)[-1])
    assert said.startswith("To be right in 90 of 100 new rows, it needs to name only one class for 35 of 100 rows")
    assert "several for the others" in said


def test_two_numbers_are_told_as_values():
    """A column of two numbers is "1 instead of 0", and a rule about it names its value."""
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"sex": draw.integers(0, 2, 200), "shift": draw.choice([3.0, 8.0], 200)})
    frame["ill"] = np.where(frame["sex"] + 0.2 * frame["shift"] + draw.normal(0, 0.5, 200) > 1.6, "yes", "no")
    card = fit_table(frame, "ill", FitOptions(structure="additive")).card
    text = str(card)
    assert re.search(r"sex: 1 instead of 0 +\+", text)
    assert re.search(r"shift: 8 instead of 3 +\+", text)
    assert re.search(r"sex +\d+ % +1: yes", text)
    assert "sex=1 makes yes more likely" in text
    assert next(entry["step"] for entry in card["effects"] if entry["column"] == "shift") == 5.0
    assert "small change scaled up" not in text  # a difference is none
    steps = fit_table(people(), "back", FitOptions(structure="additive")).card
    assert '"More" is a small change scaled up: to cross a threshold may change more.' in " ".join(str(steps).split())


def test_a_difference_that_may_be_chance_is_called_that():
    """Unless it is small: then it is about the same."""
    far = scored([0.70, 0.71, 0.70, 0.72, 0.71], FLAT, [0.4, 0.9, 0.6, 0.9, 0.9])
    near = scored([0.70, 0.71, 0.70, 0.72, 0.71], FLAT, [0.71, 0.70, 0.72, 0.70, 0.72])
    assert "the difference may be chance" in text_of(quality(far)[2])
    assert "about the same" in text_of(quality(near)[2])


def test_a_column_without_direction_is_explained():
    """Its cell is not empty."""
    card = scored([0.7] * 5, FLAT, [0.7] * 5)
    assert text_of(direction(0, card)) == "on average it leads hardly either way"


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
    assert text_of(direction(list(entries).index("dose"), model.card)) == "more of it makes days lower"


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
