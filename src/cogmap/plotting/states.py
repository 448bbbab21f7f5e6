"""Plot the states of concepts over the steps of a map."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from cogmap._utils.params import Literal, numbers, param_error
from cogmap.maps.drawing.view import OUTPUT
from cogmap.plotting.canvas import (
    GREY,
    LINES,
    N_ON_WHITE,
    View,
    color_of,
    end_labels,
    hide_frame,
    make_axes,
    short_names,
)

_MAX_NAMED = 12  # lines with a name and a colour; more would be hard to distinguish


def plot_states(
    states: ArrayLike, concepts: Sequence[str], kinds: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the states of concepts over the steps of a map.

    With more than 12 concepts, the outputs and the concepts whose states change most have a colour and a name; the
    others are thin grey lines.

    Parameters
    ----------
    states : array-like of shape (n_steps, n_concepts)
        States at every step, as `FuzzyCognitiveMap.run` returns for one start, or ``trajectory(X)[:, row]`` of an
        estimator.
    concepts : sequence of str
        Names of the concepts.
    kinds : sequence of {"feature", "hidden", "output"}, default=None
        Kind of each concept, such as ``model_.kinds``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    StatesDisplay : The states of one row over the steps of the map, see `plot_states`.
    cogmap.FuzzyCognitiveMap.run : Return the trajectory: `start` and the states after each of `depth` steps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.plotting import plot_states
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> len(plot_states(rain.run([1.0, 0.0], depth=4), rain.concepts).lines)
    2
    """
    return draw_states(states_view(states, concepts, kinds), ax)


def states_view(states: ArrayLike, concepts: Sequence[str], kinds: Sequence[str] | None = None) -> View:
    """Select the states that a figure labels."""
    owner = "plot_states"
    table = numbers(states)
    if table.ndim != 2 or table.shape[1] != len(concepts) or not len(table):
        expected = f"an array of shape (n_steps, {len(concepts)}), one column per concept"
        cure = "Select one row: trajectory[:, 0]." if table.ndim == 3 else ""
        raise param_error(owner, "states", expected, Literal(f"shape {np.shape(states)}"), cure)
    if not np.isfinite(table).all():
        raise param_error(owner, "states", "an array of finite numbers", states)
    if kinds is not None and len(kinds) != len(concepts):
        raise param_error(owner, "kinds", f"a sequence of {len(concepts)}, one per concept", kinds)
    moved = np.abs(np.diff(table, axis=0)).sum(axis=0)
    is_output = np.array([kind == OUTPUT for kind in kinds]) if kinds else np.zeros(len(concepts), dtype=bool)
    named = np.sort(np.lexsort((-moved, ~is_output))[:_MAX_NAMED])
    return {"states": table, "names": [str(name) for name in concepts], "named": named, "kinds": kinds}


def draw_states(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `states_view`."""
    ax = make_axes(ax, 6.4, 4.0)
    states, named = np.asarray(view["states"]), [int(i) for i in view["named"]]
    marker = "o" if len(states) <= 20 else ""
    for i in range(states.shape[1]):
        if i not in named:
            ax.plot(states[:, i], color=GREY, linewidth=0.7, zorder=1)
    names = short_names(view["names"])
    colors = [color_of(number % N_ON_WHITE) for number in range(len(named))]
    for number, i in enumerate(named):
        is_output = bool(view["kinds"]) and view["kinds"][i] == OUTPUT
        ax.plot(
            states[:, i],
            color=colors[number],
            linestyle=LINES[number // N_ON_WHITE % len(LINES)],
            linewidth=2.4 if is_output else 1.4,
            marker=marker,
            markersize=4,
            zorder=2,
        )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="step", ylabel="state")
    ax.margins(x=0.02)
    hide_frame(ax)
    end_labels(ax, len(states) - 1, states[-1, named], [names[i] for i in named], colors)
    return ax
