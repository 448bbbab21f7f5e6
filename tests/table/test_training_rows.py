"""Rows that a model has learned from are recognized by salted hashes, also in a subset and in another notation."""

import numpy as np
import pandas as pd
import pytest

from cogmap.table import FitOptions, TableModel, fit_table
from cogmap.table.training_rows import Overlap, hashed_rows, overlap

DRAW = np.random.default_rng(0)
TABLE = pd.DataFrame({"a": DRAW.normal(size=120), "b": DRAW.choice(["x", "y"], 120)})
TABLE["y"] = np.where(TABLE["a"] + (TABLE["b"] == "x") + DRAW.normal(0, 0.3, 120) > 0.5, "on", "off")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return a model from its file, trained on the first 80 rows."""
    path = tmp_path_factory.mktemp("model") / "m.cogmap"
    fit_table(TABLE[:80], "y", FitOptions(structure="additive")).save(path)
    return TableModel.load(path)


@pytest.mark.parametrize(
    ("rows", "expected"), [(slice(0, 80), 80), (slice(10, 30), 20), (slice(60, 100), 20), (slice(80, 120), 0)]
)
def test_evaluation_counts_training_rows(model, rows, expected):
    """The whole table, a part of it, a mixture, and new rows."""
    assert model.evaluate(TABLE[rows])["rows learned from"] == expected


def test_notation_does_not_matter(model):
    """Shuffled rows and columns, and numbers as strings."""
    other = TABLE[:80].sample(frac=1.0, random_state=1)[["y", "b", "a"]].astype({"a": str})
    assert model.evaluate(other)["rows learned from"] == 80


def test_another_target_is_another_row(model):
    """Equal features with another class are not training rows."""
    flipped = TABLE[:80].assign(y=TABLE["y"][:80].map({"on": "off", "off": "on"}))
    assert model.evaluate(flipped)["rows learned from"] == 0


def test_large_tables_are_estimated():
    """10,000 hashes estimate the share of known rows of a table of 30,000 rows, half of which are known."""
    features = np.random.default_rng(1).normal(size=(45_000, 2))
    y = np.zeros(45_000)
    section = hashed_rows(features[:30_000], y[:30_000])
    assert len(section["hashes"]) < 70_000
    found = overlap(section, features[15_000:], y[15_000:])
    assert found.compared > 5_000
    assert found.of_rows(30_000) == pytest.approx(15_000, rel=0.05)
    assert overlap(section, features[:30_000], y[:30_000]).known == 10_000


@pytest.mark.parametrize(
    ("found", "n_rows", "words"),
    [
        (Overlap(0, 0), 5, None),
        (Overlap(5, 0), 5, None),
        (Overlap(5, 5), 5, "All 5 rows are among the rows that the model has learned from"),
        (Overlap(1, 1), 1, "The 1 row is among"),
        (Overlap(5, 2), 5, "2 of 5 rows are equal to rows"),
        (Overlap(100, 50), 300, "About 50% of the rows are equal to rows"),
    ],
)
def test_note(found, n_rows, words):
    """What `cogmap evaluate` says."""
    note = found.note(n_rows)
    assert note is None if words is None else words in note


def test_equal_fits_have_equal_salts_and_other_tables_others():
    """The salt comes from the table."""
    features, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"])
    assert hashed_rows(features, y) == hashed_rows(features.copy(), y)
    assert hashed_rows(features, y)["salt"] != hashed_rows(features + 1, y)["salt"]
