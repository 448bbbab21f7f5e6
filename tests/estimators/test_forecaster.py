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


def test_a_lower_bound_holds_in_the_mean_of_teachers(system):
    """Their shares add up to 1."""
    frame, drivers, _ = system
    for limits in ((0.3, 0.4), (-0.9, -0.8)):
        bounded = FCMForecaster(horizon=8, weight_bounds={("u", "y"): limits}).fit(frame, drivers)
        weight = bounded.sequence_.recurrence.direct[1, bounded.sequence_.lags.names.index("u")]
        assert limits[0] - 1e-12 <= weight <= limits[1] + 1e-12


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
    """One row per step; contributions add up to the forecast, from the baseline."""
    answer = monthly.explain(3)
    assert list(answer.feature_names) == list(monthly.model_.encoding.features)
    total = answer.contributions.sum(axis=1)[:, 0] + answer.base_values[0]
    transform = monthly.sequence_.ends[0].transforms[0]
    np.testing.assert_allclose(transform.restored(total), monthly.forecast(3).values[:, 0], rtol=1e-6)


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


def test_the_backtest_knows_names_and_dates(system):
    """So that constraints hold in it, and drivers are those of the same dates, also if they begin earlier."""
    frame, drivers, _ = system
    bounds = {("u", "x"): "+", ("x", "y"): "-"}
    assert FCMForecaster(horizon=8, weight_bounds=bounds).backtest(frame, drivers, n_origins=1)["origins"] == 1
    dates = pd.date_range("2000-01-01", periods=160, freq="D")
    dated, inputs = frame[["x"]].set_axis(dates), drivers.set_axis(dates)
    earlier = pd.concat([pd.DataFrame({"u": np.zeros(9)}, pd.date_range("1999-12-23", periods=9)), inputs])
    one, other = (FCMForecaster().backtest(dated, u, n_origins=1) for u in (inputs, earlier))
    assert one == other


def test_numbers_of_an_index_are_times(system):
    """Drivers are found by them, in any order of rows and with more rows than needed; a new index counts from 0."""
    frame, drivers, _ = system
    x, u = frame["x"].set_axis(range(1000, 1160)), drivers["u"].set_axis(range(1000, 1160))
    later = pd.Series(np.arange(5.0), index=range(1160, 1165), name="u")
    expected = FCMForecaster(hidden=False).fit(x, u)
    more = FCMForecaster(hidden=False).fit(x, pd.concat([pd.Series([9.0], [999], name="u"), u, later]))
    wanted = expected.forecast(5, drivers=later).values
    np.testing.assert_array_equal(more.forecast(5, drivers=pd.concat([u, later])).values, wanted)
    for given in (later.to_numpy(), later.reset_index(drop=True)):
        np.testing.assert_array_equal(expected.forecast(5, drivers=given).values, wanted)
    with pytest.raises(CogmapError, match="no row for '1000'"):
        FCMForecaster().fit(x, u.set_axis(range(1001, 1161)))


def test_whole_numbers_may_be_floats():
    """As in the tables of statsmodels, whose years are 1700.0, 1701.0, and so on."""
    years = np.arange(1700, 1740)
    found, expected = (
        FCMForecaster(hidden=False).fit(pd.Series(GOOD, index=index)) for index in (years.astype(float), years)
    )
    assert found.forecast(2).times == expected.forecast(2).times == ("1740", "1741")
    np.testing.assert_array_equal(found.forecast(2).values, expected.forecast(2).values)
    with pytest.raises(CogmapError, match=r"whole numbers, dates or periods, got '1700\.25'"):
        FCMForecaster().fit(pd.Series(GOOD, index=years + 0.25))


def test_drivers_of_a_panel_are_found_by_name(system):
    """Whatever their order; drivers that are no panel are those of all series."""
    frame, drivers, _ = system
    series = {"a": frame["x"][:80], "b": frame["x"][80:].reset_index(drop=True)}
    inputs = {"b": drivers["u"][80:].reset_index(drop=True), "a": drivers["u"][:80]}
    forecaster = FCMForecaster(hidden=False).fit(series, inputs)
    assert forecaster.error_ < 0.5
    later = {"b": pd.Series([2.0, 2.0], name="u"), "a": pd.Series([-2.0, -2.0], name="u")}
    of_b = forecaster.forecast(2, drivers=later, series="b").values
    np.testing.assert_array_equal(forecaster.forecast(2, drivers=later["b"], series="b").values, of_b)
    held = forecaster.scenario({"u": 2.0}, 2, series="b")
    np.testing.assert_allclose(held.values, of_b)
    with pytest.raises(CogmapError, match=r"are those of the series \['b'\], and not of series 'a'"):
        FCMForecaster().fit(series, {"b": inputs["b"]})
    with pytest.raises(CogmapError, match="not of one series, which is not a panel"):
        FCMForecaster().fit(series["a"], inputs)


def test_values_are_held_in_the_order_of_their_times():
    """Numbers are not ordered as text; a year as a number is a year."""
    counted = FCMForecaster(season=1).fit(sales(8))
    np.testing.assert_array_equal(counted.forecast(4, hold={"value": {10: 2.0, 9: 1.0}}).values[1:, 0], [1, 2, 2])
    for index in (MONTHS, MONTHS.to_timestamp()):
        dated = FCMForecaster().fit(pd.Series(sales(noise=1.0), index=index))
        later = dated.forecast(14, hold={"value": {2022: 5.0}}).values[:, 0]
        assert (later[:12] != 5.0).all()
        assert (later[12:] == 5.0).all()


def test_a_time_zone_goes_on(tmp_path):
    """Also over the change to summer time, and in a model file."""
    index = pd.date_range("2024-03-28", periods=60, freq="h", tz="Europe/Brussels")
    forecaster = FCMForecaster(season=1).fit(pd.Series(sales(60, noise=1.0), index=index))
    cogmap.save(forecaster, tmp_path / "a.cogmap")
    after = cogmap.load(tmp_path / "a.cogmap").forecast(24, hold={"value": {"2024-03-31 03:00": 7.0}})
    expected = pd.date_range(index[-1], periods=25, freq="h")[1:]
    assert list(after.to_frame().index) == list(expected)
    assert str(after.to_frame().index.tz) == "Europe/Brussels"
    np.testing.assert_array_equal(after.values[:, 0] == 7.0, expected >= pd.Timestamp("2024-03-31 01:00", tz="UTC"))


def test_a_difference_over_a_season_is_held_in_all_steps(growing):
    """Held at the values of its own forecast, a variable leaves the forecast of another as it is."""
    free = growing.forecast(12).values
    held = growing.forecast(12, hold={"value1": {120 + k: free[k, 0] for k in range(2, 12)}})
    np.testing.assert_allclose(held.values, free, rtol=1e-9)
    assert np.abs(growing.forecast(12, hold={"value1": 1.0}).change[1:, 1]).min() > 0


def test_working_days_stay_working_days():
    """Days that are left out are holidays; where a weekend has values, every day has a step."""
    days = pd.bdate_range("2024-01-01", periods=60)
    for index in (days, days.delete([5, 30, 31])):
        forecaster = FCMForecaster(hidden=False).fit(pd.Series(sales(len(index)), index=index))
        assert list(forecaster.forecast(6).to_frame().index) == list(pd.bdate_range(index[-1], periods=7)[1:])
    index = days.delete([5, 30, 31]).append(pd.DatetimeIndex(["2024-03-23"]))  # a Saturday
    assert FCMForecaster(hidden=False).fit(pd.Series(sales(58), index=index)).forecast(1).times == ("2024-03-24",)


def test_dates_far_away_are_dates():
    """Beyond those that nanoseconds can count."""
    forecaster = FCMForecaster(season=1, hidden=False).fit(pd.Series(GOOD, index=DATES.as_unit("ns")))
    assert forecaster.forecast(10_000).times[-1] == "2856-08-01"


def test_steps_without_held_out_values_have_no_coverage():
    """Six values leave three for it."""
    shares = FCMForecaster().fit([1.0, 2.0, 3.0, 5.0, 4.0, 6.0]).coverage()
    assert np.isnan(shares).ravel().tolist() == [False] * 3 + [True] * 3
    with pytest.raises(CogmapError, match=r"coverage\(level=...\)` must be a number > 0 and < 1, got 2"):
        FCMForecaster().fit(GOOD).coverage(2)
    with pytest.raises(CogmapError, match=r"backtest\(level=...\)` must be a number > 0 and < 1, got 90. For 90 %"):
        FCMForecaster().backtest(GOOD, level=90)


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
    (pd.DataFrame({"y": GOOD, "day": DATES}), {}, r"got the date '2020-01-01 00:00:00' in column 'day'. Make this "
     r"column the index: set_index\('day'\)"),
    (pd.DataFrame({"y": GOOD, "z": "low"}), {}, "a time series has numbers, got 'low' in column 'z'"),
    (pd.Series(GOOD, index=[f"n{k}" for k in range(40)]), {}, "times must be whole numbers, dates or periods"),
    (np.r_[GOOD, np.inf], {}, "the values include infinity"),
    (GOOD, {"season": 0}, r"season=...\)` must be an integer >= 1"),
    (GOOD, {"horizon": 0}, r"horizon=...\)` must be an integer >= 1"),
    (GOOD, {"horizon": 10**6}, r"horizon=...\)` must be an integer >= 1 and <= 60"),
    (GOOD, {"weight_bounds": {("price", "value"): "+"}}, "pairs of different names"),
    (GOOD, {"prior": 3}, "must be a FuzzyCognitiveMap"),
    (GOOD * 1e300, {}, "the values include 6e\\+300. Use a larger unit"),
    (DATES, {}, "a time series has numbers, got .*2020"),
    (pd.Series(GOOD, index=DATES + pd.Timedelta(days=14)), {}, r"or take periods: index.to_period\('M'\)"),
    ({"a": pd.Series(GOOD, index=DATES), "b": GOOD}, {"season": 1}, "times of one frequency, but those of 'b'"),
    (pd.concat({("k", "a"): pd.Series(GOOD)}), {}, "an index of two levels, series and time, got 3"),
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
    ({"steps": 3, "hold": {"u": {170: 1.0}}}, "'170' is after the last of 3 steps, '162'. Forecast more steps"),
    (
        {"steps": 3, "level": 90, "hold": {"u": 1}},
        r"level=...\)` must be a number > 0 and < 1, got 90. For 90 %, use 0.9",
    ),
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
