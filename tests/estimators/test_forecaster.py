"""Forecasts of series with a known law, scenarios, input kinds, model files, and wrong input as a table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import cogmap
from cogmap import FCMForecaster, FuzzyCognitiveMap
from cogmap.exceptions import CogmapError

MONTHS = pd.period_range("2015-01", periods=72, freq="M")


def sales(n=72, noise=0.0, seed=0):
    t = np.arange(n)
    wave = 10 * np.sin(2 * np.pi * t / 12)
    return 100 + t + wave + noise * np.random.default_rng(seed).normal(size=n)


@pytest.fixture(scope="module")
def monthly():
    return FCMForecaster().fit(pd.Series(sales(noise=1.0), index=MONTHS, name="sales"))


@pytest.fixture(scope="module")
def system():
    """A driver raises x, and x lowers y."""
    rng = np.random.default_rng(1)
    u = np.zeros(160)
    for t in range(1, 160):
        u[t] = 0.8 * u[t - 1] + rng.normal()
    x, y = np.zeros(160), np.zeros(160)
    for t in range(1, 160):
        x[t] = 0.5 * x[t - 1] + 0.8 * u[t] + 0.1 * rng.normal()
        y[t] = 0.5 * y[t - 1] - 0.6 * x[t - 1] + 0.1 * rng.normal()
    frame = pd.DataFrame({"x": x, "y": y})
    return frame, pd.DataFrame({"u": u}), FCMForecaster(horizon=8).fit(frame, pd.DataFrame({"u": u}))


def test_a_trend_with_a_season_goes_on():
    """Without noise, the error of a year is a small part of the season."""
    forecast = FCMForecaster(season=12).fit(sales()).forecast(12)
    np.testing.assert_allclose(forecast.values[:, 0], sales(84)[72:], atol=2.0)


def test_the_map_of_one_step_computes_the_forecast(monthly):
    """Fed with the features of each step, `model_` gives the values of the forecast, season included."""
    rows = monthly.sequence_.map_rows(15)
    modelled = monthly.model_.outputs(rows).ravel()
    transform = monthly.sequence_.ends[0].transforms[0]
    np.testing.assert_allclose(transform.restored(modelled), monthly.forecast(15).values[:, 0], rtol=1e-9)


def test_every_concept_has_a_name(monthly):
    """Seasons are months, lags are counted in months."""
    names = monthly.map_.concepts
    assert not any(name.startswith(("x0", "hidden")) for name in names)
    assert any("month" in name or name == "December" for name in names)
    assert "72 months" in monthly.sentence_


def test_forecasts_continue_the_index(monthly):
    """Periods stay periods, dates keep their frequency; gaps in the dates are missing values."""
    frame = monthly.forecast(3).to_frame()
    assert list(frame.index) == list(pd.period_range("2021-01", periods=3, freq="M"))
    dated = pd.Series(sales(noise=1.0), index=MONTHS.to_timestamp()).drop(pd.Timestamp("2017-05-01"))
    after = FCMForecaster().fit(dated).forecast(2).to_frame().index
    assert list(after) == [pd.Timestamp("2021-01-01"), pd.Timestamp("2021-02-01")]


def test_polars_and_pandas_give_the_same_forecast(monthly):
    """A column of dates is the time."""
    dates = MONTHS.to_timestamp()
    frame = pl.DataFrame({"when": [date.date() for date in dates], "sales": sales(noise=1.0)})
    np.testing.assert_array_equal(FCMForecaster().fit(frame).forecast(5).values, monthly.forecast(5).values)


def test_intervals_contain_the_forecast_and_grow_with_the_level(monthly):
    """Also beyond the horizon."""
    narrow, wide = (monthly.forecast(20, level=level) for level in (0.5, 0.95))
    assert (wide.low < narrow.low).all()
    assert (narrow.low < narrow.values).all()
    assert (narrow.values < narrow.high).all()
    assert monthly.coverage(0.9).shape == (12, 1)


def test_missing_values_are_undecided():
    """A few gaps change the forecast little, and a model learned with them forecasts without any."""
    values = sales(noise=1.0)
    gaps = values.copy()
    gaps[[5, 20, 21, 50]] = np.nan
    whole, with_gaps = (FCMForecaster(season=12).fit(series).forecast(12).values for series in (values, gaps))
    assert np.isfinite(with_gaps).all()
    assert np.abs(whole - with_gaps).mean() < 5.0


def test_a_panel_is_one_map_for_all_series():
    """Each series has its own level and continues itself; names select it."""
    panel = {"a": sales(noise=1.0), "b": 10 * sales(60, noise=1.0, seed=1)}
    forecaster = FCMForecaster(season=12).fit(panel)
    a, b = (forecaster.forecast(12, series=name).values for name in "ab")
    assert abs(a.mean() - sales(84)[72:].mean()) < 10
    assert abs(b.mean() - 10 * sales(72)[60:].mean()) < 100
    frame = pd.concat({name: pd.DataFrame({"value": series}) for name, series in panel.items()})
    np.testing.assert_array_equal(FCMForecaster(season=12).fit(frame).forecast(12, series="b").values, b)


def test_a_held_driver_has_the_effects_of_the_system(system):
    """Directly on x, and through x on y."""
    change = system[2].scenario({"u": 3.0}, steps=20).change[-1]
    assert change[0] > 0
    assert change[1] < 0


def test_values_are_held_exactly_and_from_their_time_on(system):
    """Before it, the scenario is the baseline."""
    result = system[2].forecast(10, drivers=np.zeros(10), hold={"x": {164: 2.5}}, level=0.9)
    np.testing.assert_array_equal(result.values[4:, 0], 2.5)
    np.testing.assert_allclose(result.values[:4], result.baseline[:4])
    np.testing.assert_array_equal(result.low[4:, 0], 2.5)
    assert (result.change[8:, 1] != 0).all()


def test_signs_and_forbidden_arrows_hold(system):
    """Whatever the data say."""
    frame, drivers, free = system
    bounds = {("u", "x"): "-", ("x", "y"): 0}
    bounded = FCMForecaster(horizon=8, weight_bounds=bounds).fit(frame, drivers)
    names = bounded.sequence_.lags.names
    assert bounded.sequence_.recurrence.direct[0, names.index("u")] <= 0
    assert free.sequence_.recurrence.direct[0, names.index("u")] > 0
    assert bounded.scenario({"x": 3.0}, steps=6, drivers=np.zeros(6)).change[:, 1].any() == False  # noqa: E712


def test_an_expert_pulls_arrows_towards_a_map(system):
    """With few data, the arrow of the expert stays."""
    frame, drivers, _ = system
    expert = FuzzyCognitiveMap.from_edges([("y", "x", 0.9)])
    few = FCMForecaster(horizon=4, prior=expert, hidden=False).fit(frame[:30], drivers[:30])
    names = few.sequence_.lags.names
    plain = FCMForecaster(horizon=4, hidden=False).fit(frame[:30], drivers[:30])
    assert few.sequence_.recurrence.direct[0, names.index("y")] > plain.sequence_.recurrence.direct[0, names.index("y")]


def test_explanations_name_lags(monthly):
    """One row per step, contributions that add up to the forecast."""
    answer = monthly.explain(3)
    total = (
        answer.contributions.sum(axis=1)[:, 0] + answer.baseline_outputs[0]
        if hasattr(answer, "baseline_outputs")
        else None
    )
    assert len(answer.feature_names) == monthly.model_.n_features
    assert total is None or np.isfinite(total).all()


def test_a_saved_forecaster_gives_the_same_forecast(monthly, system, tmp_path):
    """To the last bit, with intervals, dates and drivers."""
    cogmap.save(monthly, tmp_path / "a.cogmap")
    loaded = cogmap.load(tmp_path / "a.cogmap")
    before, after = (one.forecast(14, level=0.9) for one in (monthly, loaded))
    pd.testing.assert_frame_equal(before.to_frame(), after.to_frame(), check_exact=True)
    cogmap.save(system[2], tmp_path / "b.cogmap")
    options = {"steps": 5, "hold": {"u": 1.0}}
    np.testing.assert_array_equal(
        cogmap.load(tmp_path / "b.cogmap").forecast(**options).values, system[2].forecast(**options).values
    )


def test_the_map_in_time_settles_where_long_forecasts_go():
    """A series that returns to its mean: the fixed point of the map is the limit of the forecast."""
    rng = np.random.default_rng(0)
    x = np.zeros(200)
    for t in range(1, 200):
        x[t] = 0.6 * x[t - 1] + rng.normal()
    forecaster = FCMForecaster(hidden=False).fit(x)
    settled = forecaster.map_in_time_.settle(max_steps=5000)
    sequence = forecaster.sequence_
    place = sequence.lags.levels[0]
    low, high = sequence.low[place], sequence.high[place]
    transform = sequence.ends[0].transforms[0]
    limit = transform.center + transform.scale * (low + settled.mean[0] * (high - low))
    assert settled.kind == "fixed point"
    np.testing.assert_allclose(limit, forecaster.forecast(2000).values[-1, 0], atol=1e-3)


def test_a_clone_is_not_fitted(monthly):
    """And has the same parameters."""
    copy = clone(monthly)
    assert copy.get_params() == monthly.get_params()
    assert not hasattr(copy, "model_")


def test_the_backtest_learns_only_from_earlier_values():
    """A series whose last part is unlike the rest cannot be forecast well."""
    values = sales(noise=1.0)
    usual = FCMForecaster(season=12).backtest(values)
    values[60:] += 500
    assert FCMForecaster(season=12).backtest(values)["errors"]["this map"] > 3 * usual["errors"]["this map"]
    assert set(usual["errors"]) >= {"this map", "one season before", "last value"}
    assert 0 <= usual["coverage"] <= 1


DATES = pd.date_range("2020-01-01", periods=40, freq="MS")
UNEVEN = pd.to_datetime(["2020-01-01", "2020-01-03", "2020-02-11", "2020-02-12", "2021-07-01", "2022-01-01"])
GOOD = np.arange(40.0) % 7
BAD_FIT = [
    (pd.Series(GOOD[:20], index=DATES[:20]), {}, "needs at least two seasons of 12 steps, or season=1"),
    (GOOD, {"season": 30}, "has 40 known values, and needs at least two seasons of 30 steps"),
    (np.full(40, 3.0), {}, "is always 3: there is nothing to learn"),
    ([5.0], {}, "has 1 known value, and needs at least 6 values"),
    ([], {}, "expected one column of numbers"),
    (pd.Series(GOOD, index=DATES[[0, 0, *range(2, 40)]]), {}, "'2020-01-01.* occurs twice"),
    (pd.Series(GOOD, index=DATES[::-1]), {}, "times are not in order"),
    (pd.Series(GOOD[:6], index=UNEVEN), {}, "the time between values changes"),
    (np.r_[GOOD, np.full(30, np.nan)], {}, "the last 30 values of 'value' are missing"),
    (pd.Series(GOOD, index=10 * np.arange(40)), {}, "steps are counted by ones, and 351 of 391 from 0 to 390 are left"),
    (pd.Series(GOOD, index=[*DATES[:39], DATES[39] + pd.Timedelta(days=2)]), {}, "the time between values changes"),
    (["a", "b", "c"], {}, "a time series has numbers, got 'a'"),
    (pd.Series(GOOD, index=[f"n{k}" for k in range(40)]), {}, "times must be numbers, dates or periods"),
    (np.r_[GOOD, np.inf], {}, "the values include infinity"),
    (GOOD, {"season": 0}, r"season=...\)` must be an integer >= 1"),
    (GOOD, {"horizon": 0}, r"horizon=...\)` must be an integer >= 1"),
    (GOOD, {"horizon": 10**6}, r"horizon=...\)` must be an integer >= 1 and <= 60"),
    (GOOD, {"weight_bounds": {("price", "value"): "+"}}, "pairs of different names"),
    (GOOD, {"prior": 3}, "must be a FuzzyCognitiveMap"),
]  # fmt: skip


@pytest.mark.parametrize(("series", "parameters", "message"), BAD_FIT, ids=[text[:30] for *_, text in BAD_FIT])
def test_wrong_series_get_a_sentence(series, parameters, message):
    """It says what is wrong and what to do."""
    with pytest.raises(CogmapError, match=message):
        FCMForecaster(**parameters).fit(series)


BAD_FORECAST = [
    ({"steps": 0}, r"steps=...\)` must be an integer >= 1, got 0"),
    ({"steps": 10**6}, r"must be an integer >= 1 and <= 10000, got 1000000"),
    ({"steps": 3, "drivers": np.zeros(2)}, "the driver 'u' must be known for all 3 steps, but is not for step 3"),
    ({"steps": 3}, "Pass drivers=, or hold it"),
    ({"steps": 3, "hold": {"z": 1}}, r"hold=...\)` must be a mapping from some of \['x', 'y', 'u'\], got 'z'"),
    ({"steps": 3, "hold": {"u": "high"}}, "must be a finite number, got 'high'"),
    ({"steps": 3, "hold": {"u": [1.0, 2.0]}}, "a number, 3 numbers, or a mapping from times"),
    ({"steps": 3, "hold": {"u": {"soon": 1.0}}}, "'soon' is not a time such as '160'"),
    ({"steps": 3, "hold": 5}, "a mapping from some of"),
    ({"steps": 3, "level": 1.5}, r"level=...\)` must be a number"),
    ({"steps": 3, "series": "b"}, "it learned from one series|learned from one series"),
]


@pytest.mark.parametrize(("options", "message"), BAD_FORECAST, ids=[text[:30] for _, text in BAD_FORECAST])
def test_wrong_questions_get_a_sentence(system, options, message):
    """Also names that do not exist."""
    with pytest.raises(CogmapError, match=message):
        system[2].forecast(**options)


def test_wrong_drivers_get_a_sentence():
    """Missing, too few, or the same as a variable."""
    with pytest.raises(CogmapError, match="the drivers have 10 steps, the series 40"):
        FCMForecaster().fit(GOOD, np.zeros(10))
    with pytest.raises(CogmapError, match="is both a variable and a driver"):
        FCMForecaster().fit(pd.Series(GOOD, name="a"), pd.Series(GOOD, name="a"))
    with pytest.raises(CogmapError, match="has missing values"):
        FCMForecaster().fit(pd.Series(GOOD, name="a"), pd.Series(np.r_[np.nan, GOOD[1:]], name="b"))
    dated = FCMForecaster(season=1).fit(*(pd.Series(GOOD[::k], index=DATES, name=f"{k}") for k in (1, -1)))
    later = pd.Series([1.0, 2.0], index=pd.date_range("2030-01-01", periods=2, freq="MS"), name="-1")
    with pytest.raises(CogmapError, match="must be known for all 2 steps, but is not for step 1"):
        dated.forecast(2, drivers=later)
    with pytest.raises(CogmapError, match="fitted without drivers"):
        FCMForecaster().fit(GOOD).forecast(2, drivers=[1, 2])


def test_before_it_is_held_a_driver_keeps_its_last_value(system):
    """If its future is not given; so the first steps of the scenario are those of the baseline."""
    result = system[2].scenario({"u": {163: 2.0}}, steps=6)
    np.testing.assert_array_equal(result.values[:3], result.baseline[:3])
    assert result.change[3, 0] != 0
