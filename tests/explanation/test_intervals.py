"""Intervals of arrows and effects."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

from cogmap import FCMClassifier, FCMRegressor, arrow_intervals, fit_table, influence, prune
from cogmap.exceptions import DataError, ParameterError
from cogmap.explanation._subject import effects_per_unit
from cogmap.maps.monte_carlo import monte_carlo
from cogmap.maps.structured import StructuredMap
from cogmap.plotting import plot_effects, plot_intervals, plot_map
from cogmap.table import FitOptions


@pytest.fixture(scope="module")
def planted():
    """A table in which x0 has an effect of 2 and x1 one of -1 per unit, x2 none, and x3 is noise beside x0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    X[:, 3] = 0.7 * X[:, 0] + 0.7 * X[:, 3]
    return X, 2.0 * X[:, 0] - X[:, 1] + rng.normal(size=400)


@pytest.fixture(scope="module")
def additive(planted):
    return FCMRegressor(structure="additive", random_state=0).fit(*planted)


def test_intervals_contain_planted_effects(additive, planted):
    """And tell those that are there from those that are not."""
    intervals = arrow_intervals(additive, *planted, level=0.95)
    low, high = intervals.effects_low[:, 0], intervals.effects_high[:, 0]
    assert (low <= [2, -1, 0, 0]).all()
    assert (high >= [2, -1, 0, 0]).all()
    assert low[0] > 1 > 0 > high[1]
    assert (low[2:] < 0).all()
    assert (high[2:] > 0).all()


def test_they_are_about_as_wide_as_those_of_linear_regression(additive, planted):
    """An outside oracle: statsmodels, on a table for which its model is true; ours are 1.4 times as wide."""
    sm = pytest.importorskip("statsmodels.api")
    X, y = planted
    expected = np.ptp(sm.OLS(y, sm.add_constant(X)).fit().conf_int(alpha=0.1)[1:], axis=1)
    intervals = arrow_intervals(additive, X, y, n_refits=60)
    width = (intervals.effects_high - intervals.effects_low)[:, 0]
    assert (width / expected / 1.4 > 0.7).all()
    assert (width / expected / 1.4 < 1.4).all()


@pytest.mark.parametrize("structure", ["named", "full"])
def test_arrows_of_every_structure(structure, planted):
    """Intervals are around the weights of the map, and zero where there is no arrow."""
    fcm = FCMRegressor(structure=structure, random_state=0).fit(*planted)
    intervals = arrow_intervals(fcm, *planted, n_refits=5)
    weights = fcm.map_.weights
    np.testing.assert_array_equal(intervals.weights, weights)
    np.testing.assert_allclose((intervals.low + intervals.high) / 2, weights, atol=1e-12)
    arrows = weights != 0
    assert (intervals.high - intervals.low)[arrows].min() > 0
    assert not (intervals.high - intervals.low)[~arrows].any()
    assert intervals.effects.shape == (4, 1)


def test_the_effect_of_two_values_is_their_difference():
    """Where a combination bends between the two, the derivative is another number: less than two thirds of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    X[:, 1] = np.where(rng.random(500) < 0.4, 1.7, 0.3)
    y = X[:, 0] + 2.0 * (X[:, 0] > 0) * (X[:, 1] > 1) + rng.normal(0, 0.3, 500)
    fcm = FCMRegressor(random_state=0).fit(X, y)
    high, low = (fcm.predict(np.column_stack([X[:, 0], np.full(500, value), X[:, 2]])) for value in (1.7, 0.3))
    intervals = arrow_intervals(fcm, X, y, n_refits=10)
    assert intervals.effects[1, 0] == pytest.approx((high - low).mean() / 1.4)
    assert intervals.effects_low[1, 0] < 2.0 * (X[:, 0] > 0).mean() / 1.4 < intervals.effects_high[1, 0]
    assert fcm.model_.derivative(X)[:, 0, 1].mean() / intervals.effects[1, 0] < 0.7
    X[::10, 1] = np.nan
    with_missing = arrow_intervals(fcm, X, y, n_refits=2)
    assert with_missing.effects[1, 0] == pytest.approx((high - low)[~np.isnan(X[:, 1])].mean() / 1.4)


def test_effects_are_means_over_the_rows_that_know_the_feature(planted):
    """Also the derivative of a number, which is 0 where it is missing."""
    X, y = planted[0].copy(), planted[1]
    X[::2, 0] = np.nan
    fcm = FCMRegressor(structure="additive", random_state=0).fit(X, y)
    effect = arrow_intervals(fcm, X, y, n_refits=2).effects[0, 0]
    assert effect == pytest.approx(fcm.model_.derivative(X[1::2])[:, 0, 0].mean())


def test_effects_in_wide_maps_are_derivatives():
    """Of many columns of two values, too: a prediction for each of them, with the other value, would take long."""
    rng = np.random.default_rng(0)
    X = (rng.random((200, 120)) < 0.5).astype(float)
    fcm = FCMClassifier(random_state=0, n_teachers=0).fit(X, X[:, 0] + rng.random(200) > 1)
    assert isinstance(fcm.map_, StructuredMap)
    np.testing.assert_allclose(effects_per_unit(fcm.model_, X), fcm.model_.derivative(X).mean(axis=0))


@pytest.mark.parametrize("target", ["grade", "price"])
def test_targets_of_raw_tables_are_read_as_by_the_fit(target):
    """Numbers that are classes, and numbers with a decimal comma; rows that the fit left out are left out again."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=120), "z": rng.choice(["a", "b"], 120)})
    frame["grade"] = np.where(frame["x"] > 0, 2, 1)
    frame["price"] = [f"{value:.1f}".replace(".", ",") for value in 10 * frame["x"]]
    frame.loc[4, "grade"], frame.loc[7, "grade"], frame.loc[9, "price"] = None, 3, None
    model = fit_table(frame[["x", "z", target]], target, FitOptions(time_limit=1e-9))
    known = frame.drop([4, 7] if target == "grade" else [9])
    features, y = model.preparer.transform(known[["x", "z"]]), model.target.read(known[target])
    expected = arrow_intervals(model.estimator, features, y, n_refits=2)
    found = arrow_intervals(model, frame, frame[target], n_refits=2)
    np.testing.assert_array_equal(found.effects_low, expected.effects_low)
    assert prune(model, frame, frame[target]).predict(frame).dtype == model.predict(frame).dtype


def test_more_rows_give_narrower_intervals_and_a_higher_level_wider_ones(additive, planted):
    """Four times the weight of every row is four times the rows: half the width."""
    X, y = planted
    one, four = (arrow_intervals(additive, X, y, sample_weight=np.full(400, w)) for w in (1.0, 4.0))
    ratio = np.median((four.high - four.low)[four.weights != 0] / (one.high - one.low)[one.weights != 0])
    assert ratio == pytest.approx(0.5, abs=0.1)
    wide = arrow_intervals(additive, X, y, level=0.99)
    assert (wide.high - wide.low >= one.high - one.low).all()


def test_classes_and_raw_tables():
    """Effects of a table's columns on probabilities add up to zero over the classes."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    frame = X.assign(kind=np.array(["a", "b", "c"])[y], site=["north", "south"] * 75)
    model = fit_table(frame, "kind")
    intervals = arrow_intervals(model, frame.drop(columns="kind"), frame["kind"], n_refits=4)
    assert "site" in " ".join(intervals.features)
    np.testing.assert_allclose(intervals.effects.sum(axis=1), 0, atol=1e-12)
    assert list(intervals.to_frame().columns) == ["source", "target", "weight", "low", "high"]
    assert len(intervals.effects_to_frame()) == intervals.effects.size
    assert "intervals, of which" in repr(intervals)


def test_dashed_arrows_influence_and_scenarios(additive, planted):
    """What takes intervals: a picture, `influence` and `monte_carlo`."""
    intervals = arrow_intervals(additive, *planted)
    axes = plot_map(additive, intervals=intervals)
    styles = axes.collections[0].get_linestyle()
    drawn = {tuple(arrow) for arrow in np.argwhere(intervals.weights)}
    assert sum(pattern is not None for _, pattern in styles) == intervals.uncertain.sum() > 0
    assert len(styles) == len(drawn)
    note = " ".join(text.get_text() for text in axes.texts)
    assert "Dashed: the interval of the weight contains zero." in note
    shown = influence(additive, planted[0], intervals=intervals)
    assert list(shown.edges_to_frame().columns) == ["source", "target", "weight", "flow", "low", "high"]
    assert "low" in repr(shown)
    change = monte_carlo(additive.map_, {"x0": 0.9}, intervals=intervals, n_samples=50).change[:, -1]
    assert 0 < change.min() < change.max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 90}, "got 90. For 90 %, use 0.9"),
        ({"n_refits": 1}, "an integer >= 2, got 1"),
        ({"random_state": None}, "an integer >= 0, got None"),
        ({"estimator": FCMRegressor()}, "must be a fitted estimator of cogmap"),
        ({"estimator": "model_"}, "A model alone cannot be refitted: pass the estimator"),
        ({"estimator": "slopes"}, "one slope per concept"),
    ],
)
def test_bad_input(options, message, additive, planted):
    """One sentence each."""
    estimator = options.pop("estimator", additive)
    if estimator == "model_":
        estimator = additive.model_
    if estimator == "slopes":
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        estimator = FCMRegressor(prior=additive.map_, learn="slopes", random_state=0)
        X, y = pd.DataFrame(planted[0], columns=["x0", "x1", "x2", "x3"]), pd.Series(planted[1], name="target")
        estimator.fit(X, y)
    with pytest.raises(ParameterError, match=message):
        arrow_intervals(estimator, *planted, **options)


def test_other_labels_are_refused(iris):
    """The message does not speak of calls of `partial_fit`."""
    X, y = iris
    fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
    message = r"`arrow_intervals` got the labels \[5\], which are not among the classes of the model, \[0, 1, 2\]"
    with pytest.raises(DataError, match=message):
        arrow_intervals(fcm, X, np.where(y == 2, 5, y))


def test_intervals_of_another_map(additive, planted, iris):
    """Are not taken."""
    other = FCMClassifier(structure="additive", random_state=0).fit(*iris)
    intervals = arrow_intervals(other, *iris, n_refits=2)
    for function in (plot_map, lambda fcm, intervals: influence(fcm, planted[0], intervals=intervals)):
        with pytest.raises(ParameterError, match="must be the ArrowIntervals of this map"):
            function(additive, intervals=intervals)
    with pytest.raises(ParameterError, match="intervals of another map"):
        monte_carlo(additive.map_, {"x0": 1.0}, intervals=intervals)


def test_effects_are_drawn_with_their_intervals(additive, planted):
    """A line from end to end for each feature, the clearest first; dashed where the sign is open."""
    intervals = arrow_intervals(additive, *planted)
    ax = intervals.plot()
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]]
    ends = sorted(tuple(line.get_xdata()) for line in lines)
    low, high = intervals.effects_low[:, 0], intervals.effects_high[:, 0]
    np.testing.assert_allclose(ends, sorted(zip(low, high, strict=True)))
    assert [line.get_linestyle() for line in lines].count("--") == np.sum((low <= 0) & (high >= 0)) > 0
    first = ax.get_yticklabels()[0].get_text()
    assert first == intervals.features[np.argmax(np.abs(intervals.effects[:, 0] / (high - low)))]
    assert "intervals, of which" in intervals._repr_html_()
    with pytest.raises(ParameterError, match=r"output=...\)` must be one of \['target'\], got 'x'"):
        plot_effects(intervals, output="x")
    with pytest.raises(ParameterError, match="must be an ArrowIntervals, as arrow_intervals returns"):
        plot_effects(additive)


@pytest.mark.parametrize("options", [{}, {"loss": "quantile", "quantile": [0.2, 0.5, 0.8]}], ids=["mean", "quantiles"])
def test_prediction_intervals_are_drawn(planted, options):
    """The band is that of `predict_interval`, and each true value is a point inside or outside of it."""
    X, y = planted
    fcm = FCMRegressor(structure="additive", random_state=0, **options).fit(X[:200], y[:200])
    ax = plot_intervals(fcm, X[200:], y[200:], level=0.7)
    low, high = fcm.predict_interval(X[200:], 0.7).T
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((low.min(), high.max()))
    prediction, inside, outside = ax.lines
    assert (np.diff(prediction.get_ydata()) >= 0).all()
    n_outside = int(np.sum((y[200:] < low) | (y[200:] > high)))
    assert (len(inside.get_xdata()), len(outside.get_xdata())) == (len(y) - 200 - n_outside, n_outside)
    assert ax.get_legend().get_texts()[0].get_text() == "70 % interval"


def test_prediction_intervals_that_cannot_be_drawn(planted, iris):
    """Of several targets, and of classes."""
    X, y = planted
    both = FCMRegressor(structure="additive", random_state=0).fit(X, np.column_stack([y, -y]))
    with pytest.raises(DataError, match="draws one target, but this model has several"):
        plot_intervals(both, X)
    with pytest.raises(ParameterError, match="must be a fitted FCMRegressor or TableModel"):
        plot_intervals(FCMClassifier(structure="additive", random_state=0).fit(*iris), iris[0])
    with pytest.raises(NotFittedError):
        plot_intervals(FCMRegressor(), X)


def test_labels_of_effects_are_inside_of_the_figure(iris):
    """Also beside long names of features, which leave little room for the axes."""
    X, y = iris
    frame = pd.DataFrame(X).set_axis([f"measurement {k} in centimetres" for k in range(X.shape[1])], axis=1)
    kinds = np.array(["kind 1 of iris", "kind 2 of iris", "kind 3 of iris"])[np.unique(y, return_inverse=True)[1]]
    fcm = FCMClassifier(structure="additive", random_state=0).fit(frame, kinds)
    axes = arrow_intervals(fcm, frame, kinds, n_refits=2).plot()
    axes.figure.draw_without_rendering()
    label = axes.xaxis.label.get_window_extent()
    assert 0 <= label.x0 < label.x1 <= axes.figure.bbox.width
