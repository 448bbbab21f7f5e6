"""The adapter for sktime passes sktime's checks, and forecasts what `FCMForecaster` does."""

import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sktime", reason="sktime comes with cogmap[sktime]; make test-sktime installs it")

from cogmap import FCMForecaster
from cogmap.integrations.sktime import SktimeFCMForecaster

Y = pd.Series(
    50 + np.arange(60.0) + 5 * np.sin(np.arange(60) * np.pi / 6),
    index=pd.period_range("2015-01", periods=60, freq="M"),
    name="sales",
)


@pytest.fixture(autouse=True)
def _no_warnings_of_sktime():
    """Its own deprecations are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_forecasts_are_those_of_the_forecaster():
    """With the index of sktime."""
    adapted = SktimeFCMForecaster(hidden=False).fit(Y, fh=[1, 3])
    expected = FCMForecaster(hidden=False).fit(Y).forecast(3).values[[0, 2], 0]
    np.testing.assert_allclose(adapted.predict().to_numpy(), expected)
    assert list(adapted.predict().index) == list(pd.period_range("2020-01", periods=3, freq="M")[[0, 2]])
    assert adapted.forecaster_.map_.n_arrows > 0


def test_intervals_contain_the_forecast():
    """For each probability."""
    adapted = SktimeFCMForecaster(hidden=False).fit(Y, fh=[1, 2])
    bounds = adapted.predict_interval(coverage=[0.8, 0.95]).to_numpy()
    assert (bounds[:, 2] <= bounds[:, 0]).all()
    assert (bounds[:, 3] >= bounds[:, 1]).all()


@pytest.mark.parametrize("index", [Y.index, Y.index.to_timestamp()], ids=["periods", "dates"])
@pytest.mark.parametrize("remember", [True, False])
def test_new_values_are_learned_from(index, remember):
    """The result is that of all values at once, whether or not sktime remembers the first ones."""
    y = Y.set_axis(index)
    if isinstance(index, pd.DatetimeIndex):
        y = y.asfreq("MS")
    adapted = SktimeFCMForecaster(hidden=False).set_config(remember_data=remember).fit(y[:50], fh=[1, 2])
    adapted.update(y[50:])
    expected = SktimeFCMForecaster(hidden=False).fit(y, fh=[1, 2])
    pd.testing.assert_series_equal(adapted.predict(), expected.predict())


def test_without_learning_again_forecasts_are_of_the_times_asked_for():
    """They are those from the end of what was learned, also of drivers of these times."""
    x = pd.DataFrame({"x": np.random.default_rng(0).normal(size=70)}, pd.period_range("2015-01", periods=70, freq="M"))
    y = Y + 3 * x["x"][:60].rename("sales")
    for inputs in (None, x):
        first, later = (None, None) if inputs is None else (inputs[:50], inputs[50:54])
        adapted = SktimeFCMForecaster(hidden=False).fit(y[:50], X=first)
        expected = adapted.predict(fh=[5, 8], X=None if inputs is None else inputs[50:58])
        adapted.update(y[50:54], X=later, update_params=False)
        found = adapted.predict(fh=[1, 4], X=None if inputs is None else inputs[54:58])
        pd.testing.assert_series_equal(found, expected)


def test_drivers_are_those_of_their_times():
    """Also if only the times asked for have rows: the others repeat the row before."""
    for index in (Y.index, Y.index.to_timestamp(), pd.RangeIndex(60)):
        values = np.random.default_rng(0).normal(size=60)
        x, y = pd.DataFrame({"x": values}, index), pd.Series(Y.to_numpy() + 3 * values, index)
        adapted = SktimeFCMForecaster(season=12, hidden=False).fit(y[:50], X=x[:50])
        rows = x.iloc[[50, 50, 50, 53, 53]].set_axis(index[50:55])
        expected = adapted.predict(fh=[1, 4], X=rows)
        pd.testing.assert_series_equal(adapted.predict(fh=[1, 4], X=rows.iloc[[0, 3]]), expected)


@pytest.mark.slow
def test_all_checks_of_sktime_pass():
    """None is expected to fail."""
    from sktime.utils.estimator_checks import check_estimator

    results = check_estimator(SktimeFCMForecaster, raise_exceptions=False, verbose=False)
    failed = {name: result for name, result in results.items() if result != "PASSED"}
    assert len(results) > 500
    assert not failed
