"""Optional sections of the files of table models: held-out scores and training statistics."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from cogmap import load, prune, save
from cogmap.exceptions import ModelFileError, ParameterError
from cogmap.persistence import read_card
from cogmap.table import FitOptions, TableModel, fit_table
from cogmap.table.columns import NumberColumn

ROWS = 120
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, ROWS),
        "colour": RNG.choice(["red", "green", "blue"], ROWS),
        "member": RNG.choice(["yes", "no"], ROWS),
        "size": RNG.choice(["S", "M", "L"], ROWS),
        "on": pd.date_range("2024-01-01", periods=ROWS, freq="37h").astype(str),
        "site": np.arange(ROWS) // 6,
    }
)
TABLE.loc[::9, ["colour", "age", "on"]] = None
TABLE["ill"] = np.where((TABLE["colour"] == "red") ^ (TABLE["age"] > 40), "yes", "no")


@pytest.fixture(scope="module")
def model():
    """Return a model of all kinds of columns, scored by groups."""
    return fit_table(TABLE, "ill", FitOptions(groups="site", kinds={"size": "S<M<L"}))


@pytest.fixture
def file(model, tmp_path):
    """Return the path of its file."""
    model.save(tmp_path / "model.cogmap")
    return tmp_path / "model.cogmap"


def rewritten(path, change):
    """Change the JSON of the sections in a file; None removes them."""
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    sections = change(json.loads(members.pop("sections.json")))
    if sections is not None:
        members["sections.json"] = sections if isinstance(sections, bytes) else json.dumps(sections).encode()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as package:
        for name, member in members.items():
            package.writestr(name, member)
    path.write_bytes(content.getvalue())


def test_statistics_are_those_of_pandas(model, file):
    """Of every kind of column, also after a round trip."""
    for statistics in (model.training_statistics_, TableModel.load(file).training_statistics_):
        assert statistics["rows"] == ROWS
        columns = statistics["columns"]
        assert list(columns) == ["age", "colour", "member", "size", "on"]
        age, n_known = columns["age"], TABLE["age"].count()
        assert (age["kind"], age["count"], age["missing"]) == ("number", n_known, ROWS - n_known)
        assert [age["mean"], age["deviation"]] == pytest.approx([TABLE["age"].mean(), TABLE["age"].std(ddof=0)])
        np.testing.assert_allclose(age["quantiles"], TABLE["age"].quantile(np.linspace(0, 1, 21)))
        for name in ("colour", "member", "size"):
            assert columns[name]["frequencies"] == TABLE[name].value_counts().to_dict()
        month = pd.to_datetime(TABLE["on"]).dt.month
        assert columns["on"]["parts"]["month"]["mean"] == pytest.approx(month.mean())


def test_statistics_beyond_all_floats_are_unknown():
    """JSON has no infinity; a column of gaps has counts only."""
    column = NumberColumn("x", ("x",))
    huge = column.statistics(np.array([[1.0], [1.5e308], [1.5e308]]))
    assert huge["mean"] is huge["deviation"] is None
    assert huge["quantiles"][-1] == 1.5e308
    assert column.statistics(np.full((2, 1), np.nan)) == {"kind": "number", "count": 0, "missing": 2}


def test_held_out_scores_travel_with_the_model(model, file):
    """They are those of the card, with the way in which rows were held out; a pruned map has none yet."""
    back = TableModel.load(file)
    assert back.held_out_ == model.held_out_
    assert back.held_out_["scores"] == model.card["scores"]["this map"]
    assert (back.held_out_["groups"], back.held_out_["time"], back.held_out_["rows"]) == ("site", None, ROWS)
    pruned = prune(model, TABLE, TABLE["ill"].to_numpy(), keep=0.5)
    assert pruned.held_out_ is None
    assert "scores" not in pruned.card
    assert pruned.training_statistics_ == model.training_statistics_


def test_a_file_without_sections_or_with_others_is_read(model, file):
    """Sections of a newer cogmap are ignored; predictions stay the same."""
    expected = model.predict_proba(TABLE)
    rewritten(file, lambda sections: {**sections, "of the future": [1, {"array": 0}]})
    back = TableModel.load(file)
    assert back.sections == model.sections
    np.testing.assert_array_equal(back.predict_proba(TABLE), expected)
    rewritten(file, lambda sections: None)
    back = TableModel.load(file)
    assert back.held_out_ is back.training_statistics_ is None
    np.testing.assert_array_equal(back.predict_proba(TABLE), expected)
    assert read_card(file) == json.loads(json.dumps(model.card))


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"held_out": [1]}, "its section 'held_out' is invalid"),
        ([1], "'sections.json' is not a mapping"),
        (b"{", "'sections.json' is not valid JSON"),
        (b"[" * 200_000, "'sections.json' would take far more memory"),
    ],
)
def test_damaged_sections_are_refused(sections, message, file):
    """In one sentence."""
    rewritten(file, lambda _: sections)
    with pytest.raises(ModelFileError, match=message):
        load(file)


@pytest.mark.parametrize("sections", [{"else": {}}, {"held_out": 1}, {"held_out": {"x": np.nan}}, [1]])
def test_wrong_sections_are_not_saved(sections, model, tmp_path):
    """Unknown names, and what JSON cannot hold."""
    with pytest.raises(ParameterError, match=r"`save\(sections=...\)` must be"):
        save(model.pipeline, tmp_path / "model.cogmap", sections=sections)
    assert not list(tmp_path.iterdir())
