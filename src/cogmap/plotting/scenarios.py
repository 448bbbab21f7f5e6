"""Figures of scenarios: how much each concept changes, in one map or in many."""

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
    as_written,
    bar_style,
    check_answer,
    legend_above,
    make_axes,
    name_rows,
    short_names,
)

_MOST_ROWS = 24
_NOTHING = 1e-9  # a change as small comes from rounding


def plot_scenarios(scenarios: Scenario | Scenarios, ax: Axes | None = None) -> Axes:
    """Show how much each concept changes, as bars, the largest change on top.

    Concepts that are held have words instead of a bar: what follows from them is what is to be seen. Of several
    scenarios, each has a colour.

    Parameters
    ----------
    scenarios : Scenario or Scenarios
        What ``cogmap.maps.scenarios.scenario`` or ``scenarios`` returns.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes

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
    each = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
    change = np.array([one.change for one in each])
    held = np.array([[one.clamp.get(name, np.nan) for name in one.concepts] for one in each])
    follows = np.isnan(held)
    change[~follows | (np.abs(change) < _NOTHING)] = 0.0
    order = np.lexsort((-np.abs(change).max(axis=0), ~follows.any(axis=0)))[:_MOST_ROWS]
    change, held = change[:, order], held[:, order]
    n_scenarios, n_rows = change.shape
    alone = n_scenarios == 1
    height = 0.8 / n_scenarios
    ax = make_axes(ax, 6.2, 1.1 + n_rows * (0.3 if alone else 0.12 + 0.12 * n_scenarios))
    rows = np.arange(n_rows)
    handles = [Patch(**bar_style(k), label=as_written(one.name)) for k, one in enumerate(each)]
    for k in range(n_scenarios):
        places = rows + (k - (n_scenarios - 1) / 2) * height
        style: dict[str, Any] = (
            {"color": [color(value) for value in change[k]], "edgecolor": "white"} if alone else bar_style(k)
        )
        ax.barh(places, change[k], height=0.9 * height, linewidth=0.3, **style)
        look: dict[str, Any] = {"size": 9.0, "color": SOFT} if alone else {"size": 7.0, "color": style["facecolor"]}
        for place, state in zip(places, held[k], strict=True):
            if not np.isnan(state):
                ax.annotate(f"held at {state:g}", (0.0, place), (4, 0), textcoords="offset points", va="center", **look)
    if alone:
        words_of = [("rises", POSITIVE, (change > 0).any()), ("falls", NEGATIVE, (change < 0).any())]
        handles = [Patch(color=shade, label=word) for word, shade, there in words_of if there]
    if handles:
        legend_above(ax, handles)
    _finish(ax, [each[0].concepts[i] for i in order], follows.shape[1] - n_rows)
    return ax


def _finish(ax: Axes, names: list[str], n_others: int) -> None:
    """Name the rows and the axis."""
    name_rows(ax, short_names(names), n_others, "concepts")
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    ax.set_xlabel("change of the state")


def plot_monte_carlo(result: MonteCarlo, ax: Axes | None = None) -> Axes:
    """Show how far the results of a scenario spread over maps drawn at random.

    A dot is the median change of a concept, the thick line holds the middle half of the maps, the thin one nine of ten.
    It has the colour of rising or falling if nine of ten do that, and is grey otherwise.

    Parameters
    ----------
    result : MonteCarlo
        What ``cogmap.maps.monte_carlo.monte_carlo`` returns.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    check_answer("plot_monte_carlo", "result", result, MonteCarlo, "cogmap.maps.monte_carlo.monte_carlo")
    quantiles = result.quantiles()
    free = [i for i, name in enumerate(result.concepts) if name not in result.clamp]
    order = sorted(free, key=lambda i: -abs(quantiles[2, i]))[:_MOST_ROWS]
    low, first, median, third, high = quantiles[:, order]
    ax = make_axes(ax, 6.2, 1.2 + 0.3 * len(median))
    rows = np.arange(len(median))
    shades = [POSITIVE if a > 0 else NEGATIVE if b < 0 else SOFT for a, b in zip(low, high, strict=True)]
    ax.hlines(rows, low, high, colors=shades, linewidth=1.2)
    ax.hlines(rows, first, third, colors=shades, linewidth=5.0)
    ax.scatter(median, rows, s=26, color="white", edgecolors=INK, linewidths=1.0, zorder=3)
    held = [f"{name} = {state:g}" for name, state in result.clamp.items()]
    ax.set_title(as_written(", ".join([f"{len(result.before)} maps", *held])), fontsize=10)
    _finish(ax, [result.concepts[i] for i in order], len(free) - len(order))
    return ax
