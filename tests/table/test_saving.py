"""Pipelines that begin with raw tables come back whole; those of steps that files do not know are refused."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import cogmap
from cogmap import FCMClassifier, FCMRegressor, TablePreparer
from cogmap.exceptions import ParameterError

RNG = np.random.default_rng(0)
ROWS = 80
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, ROWS).round(1),
        "colour": RNG.choice(["red", "green", "blue"], ROWS),
        "member": RNG.choice(["yes", "no"], ROWS),
        "bought at": pd.date_range("2024-01-01", periods=ROWS, freq="37h").astype(str),
        "id": np.arange(ROWS),
    }
)
TABLE.loc[::9, "colour"] = None
TABLE.loc[::11, "age"] = np.nan
LABELS = np.where((TABLE["colour"] == "red") ^ (TABLE["age"] > 40), "buys", "leaves")
QUICK = {"max_iter": 4, "tol": 0.0, "random_state": 0}


@pytest.fixture(scope="module")
def pipeline():
    """Return a fitted pipeline."""
    return Pipeline([("prepare", TablePreparer()), ("map", FCMClassifier(**QUICK))]).fit(TABLE, LABELS)


def test_a_pipeline_says_the_same_to_the_last_bit(pipeline, tmp_path):
    """Raw rows in, also with gaps and categories never seen before."""
    cogmap.save(pipeline, tmp_path / "model.cogmap")
    back = cogmap.load(tmp_path / "model.cogmap")
    table = TABLE.assign(colour=TABLE["colour"].replace("blue", "violet"))
    for one in (TABLE, table):
        assert np.array_equal(back.predict_proba(one), pipeline.predict_proba(one))
        assert np.array_equal(back.predict(one), pipeline.predict(one))
    assert back["prepare"].columns_ == pipeline["prepare"].columns_
    assert back["prepare"].left_out_ == pipeline["prepare"].left_out_
    assert list(back.named_steps) == ["prepare", "map"]


def test_a_pipeline_of_values_comes_back(tmp_path):
    """A regressor may be the last step, with words for numbers."""
    pipeline = make_pipeline(TablePreparer(), FCMRegressor(**QUICK, terms={"age": 3})).fit(TABLE, TABLE["id"])
    cogmap.save(pipeline, tmp_path / "model.cogmap")
    assert np.array_equal(cogmap.load(tmp_path / "model.cogmap").predict(TABLE), pipeline.predict(TABLE))


def test_saved_again_it_is_the_same_file(pipeline, tmp_path):
    """Byte for byte."""
    cogmap.save(pipeline, tmp_path / "first")
    cogmap.save(cogmap.load(tmp_path / "first"), tmp_path / "second")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_only_a_pipeline_needs_pandas(pipeline, tmp_path):
    """Without it an estimator alone is loaded, and of a pipeline it is told what is missing."""
    for name, model in {"alone": pipeline["map"], "whole": pipeline}.items():
        cogmap.save(model, tmp_path / name)
    code = (
        "import pathlib, sys\n"
        "sys.modules['pandas'] = None\n"
        "import cogmap\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "print(type(cogmap.load(folder / 'alone')).__name__)\n"
        "try: cogmap.load(folder / 'whole')\n"
        "except cogmap.exceptions.MissingPackageError as missing: print(missing)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name, message = ran.stdout.splitlines()
    assert name == "FCMClassifier"
    assert "needs the package 'pandas'" in message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: make_pipeline(StandardScaler(), FCMClassifier(**QUICK)).fit(RNG.random((20, 2)), [0, 1] * 10),
            "a pipeline of a TablePreparer and an estimator, got StandardScaler and FCMClassifier. Save the last step",
        ),
        (
            lambda: make_pipeline(TablePreparer(), FCMClassifier(**QUICK), FCMClassifier()),
            "got TablePreparer and FCMClassifier and FCMClassifier",
        ),
        (lambda: make_pipeline(TablePreparer(), FCMClassifier()), "must be fitted, got an unfitted TablePreparer"),
        (
            lambda: make_pipeline(TablePreparer().fit(TABLE), FCMClassifier()),
            "fitted, got FCMClassifier without a model",
        ),
    ],
    ids=["another step", "a third step", "not fitted", "half fitted"],
)
def test_other_pipelines_are_refused(make, message, tmp_path):
    """With a word on what to do."""
    with pytest.raises(ParameterError, match=message):
        cogmap.save(make(), tmp_path / "model.cogmap")
    assert list(tmp_path.iterdir()) == []
