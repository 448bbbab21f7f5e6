"""Plot scenarios: the change of each concept in one map, or its spread over random maps."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from cogmap._utils.params import param_error
from cogmap.maps.drawing.picture import NEGATIVE, POSITIVE, SOFT, color
from cogmap.maps.monte_carlo import MonteCarlo
from cogmap.maps.scenarios import Scenario, Scenarios
from cogmap.plotting.canvas import (
    INK,
    bar_style,
    check_answer,
    escape_dollars,
    legend_above,
    make_axes,
    name_rows,
    short_names,
)

_MAX_ROWS = 24
_ROUNDING = 1e-9  # smaller changes are rounding errors


def plot_scenarios(scenarios: Scenario | Scenarios, ax: Axes | None = None) -> Axes:
    """Plot the change of each concept as bars, the largest change on top.

    Clamped concepts have a note instead of a bar. With several scenarios, each has its own colour.

    Parameters
    ----------
    scenarios : Scenario or Scenarios
        Result of ``cogmap.maps.scenarios.scenario`` or ``scenarios``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_monte_carlo : Plot the spread of the results of a scenario over random maps.
    cogmap.maps.scenarios.scenario : Clamp some concepts and compute the states that the map converges to.
    cogmap.maps.scenarios.scenarios : Compute several scenarios of one map.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.plotting import plot_scenarios
    >>> from cogmap.maps.scenarios import scenario
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> plot_scenarios(scenario(rain, {"rain": 1})).get_xlabel()
    'change of the state'
    """
    if not isinstance(scenarios, Scenario | Scenarios):
        expected = "a Scenario or Scenarios, as the functions of cogmap.maps.scenarios return"
        raise param_error("plot_scenarios", "scenarios", expected, scenarios)
    items = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
    change = np.array([item.change for item in items])
    held = np.array([[item.clamp.get(name, np.nan) for name in item.concepts] for item in items])
    free = np.isnan(held)
    change[~free | (np.abs(change) < _ROUNDING)] = 0.0
    order = np.lexsort((-np.abs(change).max(axis=0), ~free.any(axis=0)))[:_MAX_ROWS]
    change, held = change[:, order], held[:, order]
    n_scenarios, n_rows = change.shape
    single = n_scenarios == 1
    height = 0.8 / n_scenarios
    ax = make_axes(ax, 6.2, 1.1 + n_rows * (0.3 if single else 0.12 + 0.12 * n_scenarios))
    rows = np.arange(n_rows)
    handles = [Patch(**bar_style(k), label=escape_dollars(item.name)) for k, item in enumerate(items)]
    for k in range(n_scenarios):
        positions = rows + (k - (n_scenarios - 1) / 2) * height
        style: dict[str, Any] = (
            {"color": [color(value) for value in change[k]], "edgecolor": "white"} if single else bar_style(k)
        )
        ax.barh(positions, change[k], height=0.9 * height, linewidth=0.3, **style)
        text: dict[str, Any] = {"size": 9.0, "color": SOFT} if single else {"size": 7.0, "color": style["facecolor"]}
        for y, state in zip(positions, held[k], strict=True):
            if not np.isnan(state):
                ax.annotate(f"held at {state:g}", (0.0, y), (4, 0), textcoords="offset points", va="center", **text)
    if single:
        signs = [("rises", POSITIVE, (change > 0).any()), ("falls", NEGATIVE, (change < 0).any())]
        handles = [Patch(color=shade, label=label) for label, shade, present in signs if present]
    if handles:
        legend_above(ax, handles)
    _finish(ax, [items[0].concepts[i] for i in order], free.shape[1] - n_rows)
    return ax


def _finish(ax: Axes, names: list[str], n_others: int) -> None:
    """Label the rows and the axis."""
    name_rows(ax, short_names(names), n_others, "concepts")
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    ax.set_xlabel("change of the state")


def plot_monte_carlo(result: MonteCarlo, ax: Axes | None = None) -> Axes:
    """Plot the spread of the results of a scenario over random maps.

    A dot is the median change of a concept; the thick line spans the middle half of the maps, the thin line the middle
    nine tenths. Lines have the colour of rising or falling if the thin line does not reach 0, and are grey otherwise.

    Parameters
    ----------
    result : MonteCarlo
        Result of ``cogmap.maps.monte_carlo.monte_carlo``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_scenarios : Plot the change of each concept as bars, the largest change on top.
    cogmap.maps.monte_carlo.monte_carlo :
        Run a scenario on many maps with random weights and return the distribution of its outcome.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.monte_carlo import monte_carlo
    >>> from cogmap.plotting import plot_monte_carlo
    >>> rain = FuzzyCognitiveMap([[0, 0], [0.8, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> plot_monte_carlo(monte_carlo(rain, {"rain": 1}, n_samples=100)).get_xlabel()
    'change of the state'
    """
    check_answer("plot_monte_carlo", "result", result, MonteCarlo, "cogmap.maps.monte_carlo.monte_carlo")
    quantiles = result.quantiles()
    free = [i for i, name in enumerate(result.concepts) if name not in result.clamp]
    order = sorted(free, key=lambda i: -abs(quantiles[2, i]))[:_MAX_ROWS]
    low, first, median, third, high = quantiles[:, order]
    ax = make_axes(ax, 6.2, 1.2 + 0.3 * len(median))
    rows = np.arange(len(median))
    shades = [POSITIVE if a > 0 else NEGATIVE if b < 0 else SOFT for a, b in zip(low, high, strict=True)]
    ax.hlines(rows, low, high, colors=shades, linewidth=1.2)
    ax.hlines(rows, first, third, colors=shades, linewidth=5.0)
    ax.scatter(median, rows, s=26, color="white", edgecolors=INK, linewidths=1.0, zorder=3)
    held = [f"{name} = {state:g}" for name, state in result.clamp.items()]
    ax.set_title(escape_dollars(", ".join([f"{len(result.before)} maps", *held])), fontsize=10)
    _finish(ax, [result.concepts[i] for i in order], len(free) - len(order))
    return ax
