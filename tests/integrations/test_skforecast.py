"""The recipe with skforecast in the guide to maps in time runs as it is written there."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("skforecast", reason="make test-sktime installs skforecast")

from cogmap import FCMRegressor

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "forecasting.md"


@pytest.fixture(scope="module")
def recipe():
    """What the recipe defines, for a series of months."""
    code = next(
        block for block in re.findall(r"```\w+\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL) if "skforecast" in block
    )
    t = np.arange(72)
    months = pd.period_range("2019-01", periods=72, freq="M")
    values = 200 + t + 25 * np.sin(t * np.pi / 6) + np.random.default_rng(0).normal(size=72)
    names = {"series": pd.Series(values, index=months, name="sales")}
    exec(code, names)
    return names


def test_the_recipe_forecasts_by_the_map(recipe):
    """As the same map does, fed with its own forecasts."""
    y = recipe["series"].to_numpy()
    rows = np.lib.stride_tricks.sliding_window_view(y, 13)[:-1, ::-1]
    fcm = FCMRegressor(random_state=0).fit(rows, y[13:])
    path = list(y)
    for _ in range(12):
        path.append(float(fcm.predict(np.array(path[-13:])[None, ::-1])[0]))
    np.testing.assert_allclose(recipe["forecast"].to_numpy(), path[72:], rtol=1e-9)


def test_the_index_goes_on(recipe):
    """As dates, which skforecast needs."""
    assert list(recipe["forecast"].index) == list(pd.date_range("2025-01-01", periods=12, freq="MS"))
