"""Ordered categories are one number on every path: rows, files, server, explanations, changes."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from cogmap import FCMClassifier, TablePreparer
from cogmap.table.model import TableModel
from cogmap.table.preparation import OrderedColumn

SIZES = ["small", "medium", "large"]


@pytest.fixture(scope="module")
def fitted():
    """A pipeline of a table with ordered categories, and the table."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"size": pd.Categorical(rng.choice(SIZES, 80), SIZES, ordered=True), "age": rng.normal(50, 10, 80)}
    )
    y = np.where(table["size"].cat.codes + rng.normal(0, 0.3, 80) > 1.0, "dear", "cheap")
    return make_pipeline(TablePreparer(), FCMClassifier(n_teachers=0, random_state=0)).fit(table, y), table


def test_the_feature_is_the_code_of_pandas(fitted):
    """Gaps are missing, and so are categories that were not seen; text reads as the categorical does."""
    pipeline, table = fitted
    gaps = table.assign(size=table["size"].where(table.index % 7 > 0))
    X = pipeline[0].transform(gaps)
    np.testing.assert_array_equal(X["size"], gaps["size"].cat.codes.replace(-1, np.nan))
    pd.testing.assert_frame_equal(pipeline[0].transform(gaps.astype({"size": object})), X)
    reading = pipeline[0].read(table.head(1).assign(size="huge"))
    assert np.isnan(reading.features[0, 0])
    assert reading.unseen == {"size": {"huge": 1}}


def test_the_state_survives_json(fitted):
    """With the order."""
    state = json.loads(json.dumps(fitted[0][0].to_state()))
    column = TablePreparer.from_state(state).columns_[0]
    assert column == OrderedColumn("size", ("size",), tuple(SIZES))
    assert column.why == "ordered categories"


def test_a_change_goes_from_category_to_category(fitted):
    """What-if answers name categories, not numbers between them."""
    pipeline, table = fitted
    model = TableModel(pipeline[0], pipeline[-1])
    answer = model.what_if(table[table["size"] == "large"].head(1), "cheap", fixed=["age"])
    assert answer.found
    assert answer.changes["size"][0] == "large"
    assert answer.changes["size"][1] in SIZES[:2]


def test_the_server_reads_and_describes_categories(fitted):
    """As text, in their order, with the features of the frame."""
    columns = pytest.importorskip("cogmap.serving.columns")
    pipeline, _ = fitted
    served = columns.Columns(TableModel.of(pipeline))
    predictions, notes = served.from_rows([{"size": text, "age": 40} for text in [*SIZES, None, "huge"]])
    features = predictions.features
    np.testing.assert_array_equal(features[:, 0], [0, 1, 2, np.nan, np.nan])
    assert notes[0].startswith("size: 1 row has a value that was not seen in training")
    assert served.schemas["size"]["examples"] == SIZES
    assert served.example["size"] == "small"
