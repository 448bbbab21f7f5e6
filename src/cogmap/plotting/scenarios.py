"""Figures of scenarios: how much each concept changes, in one map or in many."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from cogmap._graph.picture import NEGATIVE, POSITIVE, SOFT, color
from cogmap._params import wrong
from cogmap.monte_carlo import MonteCarlo
from cogmap.plotting.canvas import (
    INK,
    N_ON_WHITE,
    View,
    as_written,
    color_of,
    legend_above,
    make_axes,
    name_rows,
    short_names,
)
from cogmap.scenarios import Scenario, Scenarios

_MOST_ROWS = 24
_NOTHING = 1e-9  # a change as small comes from rounding
_PATTERNS = ("", "///", "...", "xxx")


def plot_scenarios(scenarios: Scenario | Scenarios, ax: Axes | None = None) -> Axes:
    """Show how much each concept changes, as bars, the largest change on top.

    Concepts that are held have words instead of a bar: what follows from them is what is to be seen. Of several
    scenarios, each has a colour.

    Parameters
    ----------
    scenarios : Scenario or Scenarios
        What ``cogmap.scenarios.scenario`` or ``scenarios`` returns.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.plotting import plot_scenarios
    >>> from cogmap.scenarios import scenario
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> plot_scenarios(scenario(rain, {"rain": 1})).get_xlabel()
    'change of the state'
    """
    return draw_scenarios(scenarios_view(scenarios), ax)


def scenarios_view(scenarios: Scenario | Scenarios) -> View:
    """Choose which changes a figure shows."""
    if not isinstance(scenarios, Scenario | Scenarios):
        expected = "a Scenario or Scenarios, as the functions of cogmap.scenarios return"
        raise wrong("plot_scenarios", "scenarios", expected, scenarios)
    each = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
    change = np.array([one.change for one in each])
    held = np.array([[one.clamp.get(name, np.nan) for name in one.concepts] for one in each])
    follows = np.isnan(held)
    change[~follows | (np.abs(change) < _NOTHING)] = 0.0
    order = np.lexsort((-np.abs(change).max(axis=0), ~follows.any(axis=0)))[:_MOST_ROWS]
    return {
        "names": [each[0].concepts[i] for i in order],
        "n_others": change.shape[1] - len(order),
        "scenarios": [one.name for one in each],
        "change": change[:, order].tolist(),
        "held": [[None if np.isnan(state) else state for state in row[order]] for row in held],
    }


def draw_scenarios(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `scenarios_view` has chosen."""
    change = np.array(view["change"])
    n_scenarios, n_rows = change.shape
    height = 0.8 / n_scenarios
    ax = make_axes(ax, 6.2, 1.1 + n_rows * (0.3 if n_scenarios == 1 else 0.12 + 0.12 * n_scenarios))
    rows = np.arange(n_rows)
    for k in range(n_scenarios):
        places = rows + (k - (n_scenarios - 1) / 2) * height
        shades = [color(value) for value in change[k]] if n_scenarios == 1 else color_of(k % N_ON_WHITE)
        hatch = _PATTERNS[k // N_ON_WHITE % len(_PATTERNS)]
        ax.barh(places, change[k], height=0.9 * height, color=shades, hatch=hatch, edgecolor="white", linewidth=0.3)
        for place, state in zip(places, view["held"][k], strict=True):
            if state is not None:
                words, size = f"held at {state:g}", 9.0 if n_scenarios == 1 else 7.0
                shade = SOFT if n_scenarios == 1 else color_of(k % N_ON_WHITE)
                ax.annotate(
                    words, (0.0, place), (4, 0), textcoords="offset points", va="center", size=size, color=shade
                )
    if n_scenarios == 1:
        words_of = [("rises", POSITIVE, (change > 0).any()), ("falls", NEGATIVE, (change < 0).any())]
        handles = [Patch(color=shade, label=word) for word, shade, there in words_of if there]
    else:
        names = [as_written(name) for name in view["scenarios"]]
        handles = [
            Patch(
                facecolor=color_of(k % N_ON_WHITE), hatch=_PATTERNS[k // N_ON_WHITE % 4], edgecolor="white", label=name
            )
            for k, name in enumerate(names)
        ]
    if handles:
        legend_above(ax, handles)
    _finish(ax, view)
    return ax


def _finish(ax: Axes, view: View) -> None:
    """Name the rows and the axis."""
    name_rows(ax, short_names(view["names"]), view["n_others"], "concepts")
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    ax.set_xlabel("change of the state")


def plot_monte_carlo(result: MonteCarlo, ax: Axes | None = None) -> Axes:
    """Show how far the results of a scenario spread over maps drawn at random.

    A dot is the median change of a concept, the thick line holds the middle half of the maps, the thin one nine of ten.
    It has the colour of rising or falling if nine of ten do that, and is grey otherwise.

    Parameters
    ----------
    result : MonteCarlo
        What ``cogmap.monte_carlo.monte_carlo`` returns.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    return draw_monte_carlo(monte_carlo_view(result), ax)


def monte_carlo_view(result: MonteCarlo) -> View:
    """Choose which changes a figure shows."""
    if not isinstance(result, MonteCarlo):
        raise wrong("plot_monte_carlo", "result", "a MonteCarlo, as cogmap.monte_carlo.monte_carlo returns", result)
    quantiles = result.quantiles()
    free = [i for i, name in enumerate(result.concepts) if name not in result.clamp]
    order = sorted(free, key=lambda i: -abs(quantiles[2, i]))[:_MOST_ROWS]
    held = ", ".join(f"{name} = {state:g}" for name, state in result.clamp.items())
    return {
        "names": [result.concepts[i] for i in order],
        "n_others": len(free) - len(order),
        "quantiles": quantiles[:, order].tolist(),
        "title": f"{len(result.before)} maps, {held}" if held else f"{len(result.before)} maps",
    }


def draw_monte_carlo(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `monte_carlo_view` has chosen."""
    low, first, median, third, high = np.array(view["quantiles"]).reshape(5, -1)
    ax = make_axes(ax, 6.2, 1.2 + 0.3 * len(median))
    rows = np.arange(len(median))
    shades = [POSITIVE if a > 0 else NEGATIVE if b < 0 else SOFT for a, b in zip(low, high, strict=True)]
    ax.hlines(rows, low, high, colors=shades, linewidth=1.2)
    ax.hlines(rows, first, third, colors=shades, linewidth=5.0)
    ax.scatter(median, rows, s=26, color="white", edgecolors=INK, linewidths=1.0, zorder=3)
    ax.set_title(as_written(view["title"]), fontsize=10)
    _finish(ax, view)
    return ax
