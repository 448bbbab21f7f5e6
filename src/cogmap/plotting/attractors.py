"""Figures of attractors: where the trajectories of a map of two concepts end."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from cogmap._utils.params import check_integer, param_error
from cogmap.maps.dynamics import attractors
from cogmap.maps.dynamics.newton import state_range
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.plotting.canvas import GREY, INK, View, as_written, color_of, make_axes, paler
from cogmap.plotting.points import lattice, pixels_of

_PIXELS = 120  # along each side of the picture of basins
_STEPS_SHOWN = 30  # of a trajectory: enough to come near an attractor, and not yet a ring of ink around a cycle


def plot_attractors(fcm: FuzzyCognitiveMap, ax: Axes | None = None, grid: int = 25) -> Axes:
    """Show where the trajectories of a map of two concepts end.

    The ground has the colour of the attractor that is reached from there, and is grey where none is reached. Thin lines
    are trajectories, dots are fixed points, and dots joined by lines are the states of a cycle.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        A map of two concepts.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.
    grid : int, default=25
        Trajectories start from this many places along each side.

    Returns
    -------
    matplotlib Axes
    """
    return draw_attractors(attractors_view(fcm, grid), ax)


def attractors_view(fcm: FuzzyCognitiveMap, grid: int = 25, pixels: int = _PIXELS) -> View:
    """Compute all that a figure of attractors shows."""
    if fcm.n_concepts != 2:
        raise param_error("plot_attractors", "fcm", "a map of 2 concepts", f"{fcm.n_concepts} concepts")
    grid = check_integer("plot_attractors", "grid", grid, low=2)
    limits = np.column_stack(state_range(fcm))
    places = pixels_of(limits, pixels)
    starts = lattice(*(np.linspace(low, high, grid) for low, high in limits))
    found = attractors(fcm, np.concatenate([places, starts]))
    return {
        "limits": limits,
        "names": list(fcm.concepts),
        "ground": found.basin[: len(places)].reshape(pixels, pixels),
        "cycles": list(found.cycles),
        "trajectories": fcm.run(starts, _STEPS_SHOWN).swapaxes(0, 1),
        "reached": found.basin[len(places) :],
    }


def draw_attractors(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `attractors_view` has computed."""
    ax = make_axes(ax, 4.2, 4.5)
    (left, right), (bottom, top) = view["limits"]
    # The last colour is that of the index -1.
    colors = np.array([*(to_rgb(color_of(index)) for index in range(len(view["cycles"]))), to_rgb(GREY)])
    ground = paler(colors, 0.3)[np.asarray(view["ground"])]
    ax.imshow(ground, extent=(left, right, bottom, top), origin="lower", interpolation="nearest")
    lines = [np.asarray(line) for line in view["trajectories"]]
    reached = colors[np.asarray(view["reached"])]
    ax.add_collection(LineCollection(lines, colors=reached, linewidths=0.4, alpha=0.45))
    for color, cycle in zip(colors, view["cycles"], strict=False):
        closed = np.concatenate([cycle, cycle[:1]])
        ax.plot(*closed.T, color=INK, linewidth=1.5, marker="o", markersize=9, markerfacecolor=color, clip_on=False)
    ax.set(
        xlim=(left, right), ylim=(bottom, top), xlabel=as_written(view["names"][0]), ylabel=as_written(view["names"][1])
    )
    return ax
