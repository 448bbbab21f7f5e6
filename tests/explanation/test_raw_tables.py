"""Questions about raw tables: a TableModel, or a pipeline with a TablePreparer, is answered per original column."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from cogmap import FCMClassifier, TablePreparer, explain, feature_importances, influence, prune, story, what_if
from cogmap.exceptions import DataError, ParameterError
from cogmap.table import TableModel


@pytest.fixture(scope="module")
def clinic():
    """A pipeline, its table and its classes; a category, a boolean, a number and dates."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 300),
            "shape": rng.choice(["flat", "round", "oval"], 300),
            "smoker": rng.random(300) < 0.4,
            "since": pd.date_range("2020-01-01", periods=300),
        }
    )
    y = np.where((table["age"] > 50) & (table["shape"] != "flat") | table["smoker"], "ill", "well")
    return make_pipeline(TablePreparer(), FCMClassifier(structure="additive", random_state=0)).fit(table, y), table, y


COLUMNS = ("age", "shape", "smoker", "since")


def test_contributions_are_per_column_and_add_up(clinic):
    """Those of the features of a column are added; values are those of the table."""
    pipeline, table, _ = clinic
    explanation = explain(pipeline, table)
    assert explanation.feature_names == COLUMNS
    assert explanation.values[0, 1] == table["shape"][0]
    total = explanation.base_values + explanation.contributions.sum(axis=1)
    np.testing.assert_allclose(total, pipeline.predict_proba(table), atol=1e-9)
    of_features = explain(pipeline[-1], pipeline[:-1].transform(table)).contributions
    np.testing.assert_allclose(explanation.contributions[:, 1], of_features[:, 1:4].sum(axis=1), atol=1e-12)
    assert explanation.relevance.shape == explanation.contributions.shape
    assert feature_importances(pipeline, table).feature_names == COLUMNS
    told = story(pipeline, table.iloc[[0]])
    assert told.feature_names == COLUMNS
    assert told.values[1] == table["shape"][0]
    assert table["shape"][0] in repr(told)
    assert influence(pipeline, table).effect.shape[1] == 2
    for answer in (explanation, told, what_if(pipeline, table.iloc[[0]])):
        answer.plot()


@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_changes_are_real_rows_of_the_table(clinic, form):
    """A category changes as a whole, a date never, and the changed row is predicted as asked."""
    pipeline, table, _ = clinic
    kinds = set()
    for i in range(40):
        row = table.iloc[[i]] if form == "pandas" else pl.from_pandas(table)[i]
        answer = what_if(pipeline, row, fixed=["smoker"] if i % 2 else [])
        kinds.update(answer.changes)
        if not answer.found:
            continue
        assert "since" not in answer.changes
        assert not (i % 2 and "smoker" in answer.changes)
        after = answer.row if form == "pandas" else answer.row.to_pandas()
        assert pipeline.predict(after)[0] != pipeline.predict(table.iloc[[i]])[0]
        assert after["age"].dtype == "int64"
        assert after["shape"].iloc[0] in ("flat", "round", "oval")
        np.testing.assert_allclose(pipeline.predict_proba(after)[0], answer.outputs, atol=1e-12)
    assert kinds == {"age", "shape", "smoker"}


def test_a_range_of_a_category_is_refused(clinic):
    """Its values have no order."""
    pipeline, table, _ = clinic
    with pytest.raises(ParameterError, match=r"`what_if\(ranges=...\)` must be made of names of numbers, got 'shape'"):
        what_if(pipeline, table.iloc[[0]], ranges={"shape": (0, 1)})


def test_pruning_gives_the_same_kind_of_model(clinic):
    """A pipeline with the same preparer, or a table model."""
    pipeline, table, y = clinic
    sparse = prune(pipeline, table, y, keep=0.2)
    assert type(sparse) is type(pipeline)
    assert sparse[0] is pipeline[0]
    assert (sparse[-1].map_.weights != 0).sum() < (pipeline[-1].map_.weights != 0).sum()
    assert isinstance(prune(TableModel.of(pipeline), table, y, keep=0.2), TableModel)


def test_a_table_model_takes_rows_of_every_kind(clinic):
    """Frames of pandas, polars and pyarrow, dicts, and a series; predictions can be joined to the rows."""
    pipeline, table, _ = clinic
    model = TableModel.of(pipeline)
    expected = pipeline.predict(table.head(5)).tolist()
    rows = table.head(5).assign(since=table["since"].head(5).dt.strftime("%Y-%m-%d")).to_dict("records")
    for given in (table.head(5), pl.from_pandas(table.head(5)), pa.Table.from_pandas(table.head(5)), rows):
        assert model.predict(given).tolist() == expected
    assert [model.predict(row)[0] for row in rows] == expected
    assert model.predict(table.iloc[0])[0] == expected[0]
    joined = model.predict(table.head(5), join=True)
    assert joined["prediction"].tolist() == expected
    np.testing.assert_allclose(joined[["P(ill)", "P(well)"]], model.predict_proba(table.head(5)))
    assert model.what_if(rows[0]).changes == what_if(pipeline, table.iloc[[0]]).changes


def test_rows_that_cannot_be_predicted_are_named_from_one(clinic):
    """`predict` refuses them; a missing column and no rows at all are told too."""
    model = TableModel.of(clinic[0])
    row = {"age": 40, "shape": "flat", "smoker": True, "since": "2020-05-05"}
    with pytest.raises(DataError, match=r"Row 2 cannot be predicted: age: 'old' is not a number"):
        model.predict([row, {**row, "age": "old"}])
    with pytest.raises(DataError, match=r"lacks the column 'age'"):
        model.predict({"shape": "flat", "smoker": True, "since": "2020-05-05"})
    with pytest.raises(ParameterError, match="a data frame, a dict, or a list of dicts"):
        model.predict(3)


def test_evaluation_counts_rows_with_a_known_target(clinic):
    """Accuracy is that of the pipeline on them."""
    pipeline, table, y = clinic
    known = table.assign(target=y)
    known.loc[:9, "target"] = None
    scores = TableModel.of(pipeline).evaluate(known)
    assert scores["rows"] == len(table) - 10
    assert scores["accuracy"] == pytest.approx((pipeline.predict(table[10:]) == y[10:]).mean())
