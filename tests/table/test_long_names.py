"""Long column names and values are cut in every message."""

import warnings

import numpy as np
import pandas as pd
import pytest

from cogmap.exceptions import CogmapError
from cogmap.table import FitOptions, TableModel, TablePreparer, fit_table
from cogmap.table.cards import card_text
from cogmap.table.preparation import NumberColumn

LONG = "x" * 5000
ROWS = 24
TABLE = pd.DataFrame(
    {
        LONG: np.arange(ROWS) * 1.5,
        f"{LONG} colour": [f"{LONG} red", f"{LONG} blue"] * (ROWS // 2),
        f"{LONG} answer": ["no", "yes", "yes", "no"] * (ROWS // 4),
        f"{LONG} id": np.arange(ROWS),
        f"{LONG} day": pd.date_range("2024-01-01", periods=ROWS).strftime("%d/%m/%Y"),
        "y": ["a", "b"] * (ROWS // 2),
    }
)
ONE = dict.fromkeys(TABLE.columns)


@pytest.fixture(scope="module")
def model():
    """Return a model of columns with long names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_table(TABLE, "y", FitOptions(time_limit=1.0))


def fitted(target="y", frame=TABLE, **options):
    """Fit a model, which should be refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_table(frame, target, FitOptions(**options))


REFUSED = {
    "target": lambda model: fitted(f"{LONG} target"),
    "text as number": lambda model: fitted(kinds={f"{LONG} colour": "number"}),
    "wrong kind": lambda model: fitted(kinds={LONG: LONG}),
    "order": lambda model: fitted(kinds={f"{LONG} colour": f"{LONG}<y"}),
    "sign": lambda model: fitted(signs={f"{LONG} colour": 1}),
    "time": lambda model: fitted(time=f"{LONG} colour"),
    "group": lambda model: fitted(groups=LONG, frame=TABLE.assign(**{LONG: 1})),
    "constant target": lambda model: fitted(LONG, frame=TABLE.assign(**{LONG: LONG})),
    "date as target": lambda model: fitted(f"{LONG} day"),
    "distinct target": lambda model: fitted(LONG, frame=TABLE.assign(**{LONG: [f"{LONG}{i}" for i in range(ROWS)]})),
    "missing column": lambda model: model.predict(TABLE.drop(columns=LONG)),
    "missing value of a row": lambda model: model.predict({"y": 1}),
    "text for a number": lambda model: model.predict([ONE | {LONG: LONG}]),
    "infinity": lambda model: model.predict(TABLE.assign(**{LONG: np.inf})),
    "same features": lambda model: TablePreparer().fit(
        pd.DataFrame({f"{LONG}=a": [1.0, 5.0, 3.0], LONG: ["a", "b", "a"]})
    ),
    "no column": lambda model: TablePreparer().fit(pd.DataFrame({LONG: [LONG, LONG]})),
    "goal": lambda model: model.what_if(TABLE.iloc[[0]], to=LONG),
    "fixed": lambda model: model.what_if(TABLE.iloc[[0]], fixed=[f"{LONG} z"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_errors_are_short(case, model):
    """Every name and value in them has at most 80 characters."""
    with pytest.raises(CogmapError) as refused:
        REFUSED[case](model)
    assert "x" * 81 not in str(refused.value)
    assert len(str(refused.value)) < 900


def test_notes_and_warnings_are_short(model):
    """Of a fit, of predictions and in the text of the card."""
    with pytest.warns(UserWarning, match="Columns left out") as caught:
        fit_table(TABLE, "y", FitOptions(time_limit=1.0))
    predictions = model.answer([ONE | {f"{LONG} colour": f"{LONG} green"}, ONE | {LONG: LONG}])
    texts = [str(caught[0].message), *predictions.notes(), *predictions.faults.values(), *model.card["notes"]]
    texts += [card_text(model.card), TableModel.of(model).target.why]
    texts.append(NumberColumn(LONG, (LONG,)).read(pd.Series([np.inf])).faults[0])
    assert all("x" * 81 not in text for text in texts)
