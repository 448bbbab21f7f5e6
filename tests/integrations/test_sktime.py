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


@pytest.mark.slow
def test_all_checks_of_sktime_pass():
    """None is expected to fail."""
    from sktime.utils.estimator_checks import check_estimator

    results = check_estimator(SktimeFCMForecaster, raise_exceptions=False, verbose=False)
    failed = {name: result for name, result in results.items() if result != "PASSED"}
    assert len(results) > 500
    assert not failed
