"""Plot the attractors of a map of two concepts."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from cogmap._utils.params import check_integer, param_error
from cogmap.maps.dynamics import attractors
from cogmap.maps.dynamics.newton import state_range
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.plotting.canvas import GREY, INK, View, color_of, escape_dollars, lighten, make_axes
from cogmap.plotting.points import lattice, pixel_grid

_PIXELS = 120  # along each side of the image of basins
_STEPS_SHOWN = 30  # of a trajectory: enough to approach an attractor without filling a cycle with ink


def plot_attractors(fcm: FuzzyCognitiveMap, ax: Axes | None = None, grid: int = 25) -> Axes:
    """Plot the attractors of a map of two concepts, with basins and trajectories.

    The background has the colour of the attractor reached from each point, grey if none is reached. Thin lines are
    trajectories, dots are fixed points, and dots joined by lines are the states of a cycle.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        A map of two concepts.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.
    grid : int, default=25
        Number of trajectories along each side.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_basins : Plot the attractor reached from starts that differ in two concepts.
    cogmap.maps.dynamics.attractors : Find the fixed points and cycles that trajectories from `starts` converge to.

    Examples
    --------
    >>> from cogmap.maps.dynamics import TWO_FIXED_POINTS
    >>> from cogmap.plotting import plot_attractors
    >>> plot_attractors(TWO_FIXED_POINTS, grid=3).get_xlabel()
    'C1'
    """
    return draw_attractors(attractors_view(fcm, grid), ax)


def attractors_view(fcm: FuzzyCognitiveMap, grid: int = 25, pixels: int = _PIXELS) -> View:
    """Compute the data of a figure of attractors."""
    if fcm.n_concepts != 2:
        raise param_error("plot_attractors", "fcm", "a map of 2 concepts", f"{fcm.n_concepts} concepts")
    grid = check_integer("plot_attractors", "grid", grid, low=2)
    limits = np.column_stack(state_range(fcm))
    points = pixel_grid(limits, pixels)
    starts = lattice(*(np.linspace(low, high, grid) for low, high in limits))
    result = attractors(fcm, np.concatenate([points, starts]))
    return {
        "limits": limits,
        "names": list(fcm.concepts),
        "ground": result.basin[: len(points)].reshape(pixels, pixels),
        "cycles": list(result.cycles),
        "trajectories": fcm.run(starts, _STEPS_SHOWN).swapaxes(0, 1),
        "reached": result.basin[len(points) :],
    }


def draw_attractors(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `attractors_view`."""
    ax = make_axes(ax, 4.2, 4.5)
    (left, right), (bottom, top) = view["limits"]
    # The last colour is for index -1: no attractor.
    colors = np.array([*(to_rgb(color_of(index)) for index in range(len(view["cycles"]))), to_rgb(GREY)])
    ground = lighten(colors, 0.3)[np.asarray(view["ground"])]
    ax.imshow(ground, extent=(left, right, bottom, top), origin="lower", interpolation="nearest")
    lines = [np.asarray(line) for line in view["trajectories"]]
    reached = colors[np.asarray(view["reached"])]
    ax.add_collection(LineCollection(lines, colors=reached, linewidths=0.4, alpha=0.45))
    for color, cycle in zip(colors, view["cycles"], strict=False):
        closed = np.concatenate([cycle, cycle[:1]])
        ax.plot(*closed.T, color=INK, linewidth=1.5, marker="o", markersize=9, markerfacecolor=color, clip_on=False)
    ax.set(
        xlim=(left, right),
        ylim=(bottom, top),
        xlabel=escape_dollars(view["names"][0]),
        ylabel=escape_dollars(view["names"][1]),
    )
    return ax
