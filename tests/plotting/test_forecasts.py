"""Figures of forecasts and scenarios."""

import numpy as np
import pandas as pd
import pytest

from cogmap import FCMForecaster

matplotlib = pytest.importorskip("matplotlib")

LONG = "fishing pressure in the northern lake"


def render(ax):
    """Lay the figure out; pytest turns warnings into errors."""
    ax.figure.draw_without_rendering()
    return ax


@pytest.fixture(scope="module")
def lake():
    """A forecaster of three variables, one with a long name."""
    noise = np.random.default_rng(0).normal(size=(60, 3))
    index = pd.period_range("2020-01", periods=60, freq="M")
    return FCMForecaster(season=1, hidden=False).fit(
        pd.DataFrame(noise.cumsum(axis=0), columns=[LONG, "fish $", "weed"], index=index)
    )


@pytest.mark.parametrize("hold", [{}, {"fish $": 1.0}, {LONG: 1.0, "fish $": {"2025-02": 2.0}}])
def test_names_fit_beside_their_panels(lake, hold):
    """And the legend has one row, also in a scenario."""
    ax = render(lake.forecast(6, hold=hold, level=0.9).plot())
    assert len(ax.figure.axes) == 3
    for panel in ax.figure.axes:
        text, box = panel.yaxis.label.get_window_extent(), panel.get_window_extent()
        assert text.height <= box.height
        assert text.x0 >= 0
    legend = ax.get_legend()
    heights = {round(text.get_window_extent().y0) for text in legend.get_texts()}
    assert max(heights) - min(heights) <= 3
    extent = legend.get_window_extent()
    assert extent.x0 >= 0
    assert extent.x1 <= ax.figure.bbox.width


def test_a_scenario_has_one_color_in_all_panels(lake):
    """That of the legend; the baseline is dashed."""
    axes = render(lake.scenario({"fish $": 3.0}, 6).plot()).figure.axes
    labels = {(line.get_label(), line.get_color(), line.get_linestyle()) for ax in axes for line in ax.lines}
    held = {(color, style) for label, color, style in labels if "held" in label}
    assert len(held) == 1
    assert {style for label, _, style in labels if label == "baseline"} == {"--"}


def test_times_are_written_once(lake):
    """Years and months at the ticks, not whole dates; counted steps are numbers."""
    ax = render(lake.forecast(6).plot(variable="weed"))
    assert any(text.get_text() == "2024" for text in ax.get_xticklabels())
    counted = render(FCMForecaster(hidden=False).fit(np.sin(np.arange(40.0))).forecast(6).plot())
    assert counted.get_xlim()[1] > 40
