"""Plot forecasts and scenarios in time."""

from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from cogmap.estimators._forecasts import Forecast
from cogmap.maps.drawing.picture import POSITIVE, SOFT
from cogmap.plotting.canvas import INK, check_answer, escape_dollars, legend_above, make_axes

_MAX_PANELS = 8
_LABEL_WIDTH = 30  # characters in the legend
_NAME_WIDTH = 22  # characters of a name in a line beside a panel


def plot_forecast(forecast: Forecast, ax: Axes | None = None, variable: str | None = None) -> Axes:
    """Plot the last values, the forecast with its intervals and, in a scenario, the baseline.

    Parameters
    ----------
    forecast : Forecast
        Result of `FCMForecaster.forecast` or `scenario`.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created, with one panel for each variable.
    variable : str, default=None
        Variable to draw; None means the first, or all in a new figure.

    Returns
    -------
    matplotlib Axes
        The axes of the first variable drawn.

    See Also
    --------
    cogmap.FCMForecaster.forecast : Forecast the next steps, also with some variables or drivers held at given values.
    cogmap.FCMForecaster.scenario :
        Forecast with some variables or drivers held; the same as ``forecast(steps, drivers, hold, level)``.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FCMForecaster
    >>> forecast = FCMForecaster().fit(np.sin(np.arange(60.0))).forecast(6, level=0.9)
    >>> forecast.plot().get_ylabel()
    'value'
    """
    check_answer("plot_forecast", "forecast", forecast, Forecast, "FCMForecaster.forecast")
    names = list(forecast.variables)
    if ax is not None or variable is not None or len(names) == 1:
        place = names.index(variable) if variable in names else 0
        ax = make_axes(ax, 7.0, 3.2)
        _draw(forecast, place, ax, legend=True)
        return ax
    n = min(len(names), _MAX_PANELS)
    figure = Figure(figsize=(7.0, 0.6 + 1.9 * n), layout="constrained")
    panels = figure.subplots(n, 1, sharex=True, squeeze=False)[:, 0]
    for place, panel in enumerate(panels):
        _draw(forecast, place, panel, legend=place == 0)
    first: Axes = panels[0]
    return first


def _draw(forecast: Forecast, place: int, ax: Axes, legend: bool) -> None:
    """Draw one variable."""
    past, values = forecast._history
    before, after = _positions(past), _positions(forecast._index)
    history = values[:, place]
    handles: list[Any] = ax.plot(before, history, color=INK, linewidth=1.2, label="observed")
    if forecast.low is not None and forecast.high is not None:
        label = f"{100 * (forecast.level or 0):g} % interval"
        low, high = forecast.low[:, place], forecast.high[:, place]
        handles.append(ax.fill_between(after, low, high, color=POSITIVE, alpha=0.18, linewidth=0, label=label))
    if forecast.baseline is not None:
        handles += ax.plot(after, forecast.baseline[:, place], color=SOFT, linestyle="--", label="baseline")
    label = f"with {', '.join(forecast.held)} held" if forecast.held else "forecast"
    label = label if len(label) <= _LABEL_WIDTH else "scenario"
    handles += ax.plot(after, forecast.values[:, place], color=POSITIVE, linewidth=1.8, label=escape_dollars(label))
    last = np.flatnonzero(~np.isnan(history))[-1]
    join = [before[last], after[0]], [history[last], forecast.values[0, place]]
    ax.plot(*join, color=POSITIVE, linewidth=0.8, alpha=0.6)
    ax.axvline(before[-1], color=SOFT, linewidth=0.8)
    if before.dtype.kind == "M":
        locator = AutoDateLocator()
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    name = wrap(forecast.variables[place], _NAME_WIDTH, max_lines=2, placeholder="...")
    ax.set_ylabel(escape_dollars("\n".join(name)))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if legend:
        legend_above(ax, handles, ncols=len(handles))


def _positions(times: Any) -> Any:
    """Return times as matplotlib draws them."""
    if hasattr(times, "to_timestamp"):
        times = times.to_timestamp()
    return times.to_numpy() if hasattr(times, "to_numpy") else np.asarray(times)
