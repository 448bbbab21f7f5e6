"""Plot basins of attraction in a plane of two concepts, for a map of any size."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from cogmap._utils.params import Literal, param_error
from cogmap.maps._arguments import check_map, one_start
from cogmap.maps._states import columns_of
from cogmap.maps.dynamics import attractors
from cogmap.maps.dynamics.newton import state_range
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.plotting.canvas import GREY, View, color_of, legend_above, lighten, make_axes, short_names
from cogmap.plotting.points import pixel_grid

_PIXELS = 80  # along each side
_MAX_NAMED = 8  # attractors with their own colour


def plot_basins(
    fcm: FuzzyCognitiveMap,
    concepts: Sequence[str],
    start: ArrayLike | Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the attractor reached from starts that differ in two concepts.

    Each point is a start: two concepts have the states of that point, the others those of `start`. Its colour is that
    of the attractor reached, grey if none is: with all others undecided, a start may lie on the border between basins.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        Map to plot.
    concepts : sequence of two str
        Names of the concepts whose start varies, along the x axis and the y axis.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Initial states of the other concepts, as in `FuzzyCognitiveMap.settle`; concepts not named are undecided.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_attractors : Plot the attractors of a map of two concepts, with basins and trajectories.
    cogmap.maps.dynamics.attractors : Find the fixed points and cycles that trajectories from `starts` converge to.

    Examples
    --------
    >>> from cogmap.maps.dynamics import TWO_FIXED_POINTS
    >>> from cogmap.plotting import plot_basins
    >>> plot_basins(TWO_FIXED_POINTS, ["C1", "C2"]).get_ylabel()
    'C2 at the start'
    """
    return draw_basins(basins_view(fcm, concepts, start), ax)


def basins_view(
    fcm: FuzzyCognitiveMap,
    concepts: Sequence[str],
    start: ArrayLike | Mapping[str, float] | None = None,
    pixels: int = _PIXELS,
) -> View:
    """Compute the data of a figure of basins."""
    owner = "plot_basins"
    check_map(fcm, owner)
    if isinstance(concepts, str) or len(concepts) != 2 or concepts[0] == concepts[1]:
        raise param_error(owner, "concepts", "two names of concepts", Literal(repr(concepts)))
    columns = columns_of(concepts, fcm.concepts, owner, "concepts")
    limits = np.column_stack(state_range(fcm))[columns]
    points = pixel_grid(limits, pixels)
    starts = np.repeat(one_start(fcm, start, owner)[np.newaxis].astype(np.float64), len(points), axis=0)
    starts[:, columns] = points
    result = attractors(fcm, starts)
    # The largest basins get the colours.
    order = np.argsort(-result.shares, kind="stable")
    rank = np.full(len(order) + 1, -1)
    rank[order] = np.arange(len(order))
    return {
        "limits": limits.tolist(),
        "names": [fcm.concepts[column] for column in columns],
        "ground": rank[result.basin].reshape(pixels, pixels),
        "periods": [len(result.cycles[i]) for i in order],
        "shares": result.shares[order].tolist(),
        "n_lost": int((result.basin < 0).sum()),
    }


def draw_basins(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `basins_view`."""
    ax = make_axes(ax, 5.0, 4.9)
    (left, right), (bottom, top) = view["limits"]
    ground = np.asarray(view["ground"])
    n_named = min(len(view["periods"]), _MAX_NAMED)
    # The last two colours are for other attractors, and for none.
    colors = np.array([*(to_rgb(color_of(index)) for index in range(n_named)), to_rgb("#8A8A8A"), to_rgb(GREY)])
    shown = np.where(ground < 0, n_named + 1, np.minimum(ground, n_named))
    pale = lighten(colors, [[0.55]] * n_named + [[0.7], [0.4]])
    ax.imshow(pale[shown], extent=(left, right, bottom, top), origin="lower", interpolation="nearest", aspect="auto")
    kinds = ["fixed point" if period == 1 else f"cycle of {period}" for period in view["periods"]]
    labels = [f"{kinds[k]}, {view['shares'][k]:.0%}" for k in range(n_named)]
    if len(kinds) > n_named:
        labels.append(f"{len(kinds) - n_named} others, {sum(view['shares'][n_named:]):.0%}")
    handles = [Patch(color=pale[k], label=label) for k, label in enumerate(labels)]
    if view["n_lost"]:
        handles.append(Patch(color=pale[-1], label=f"none, {view['n_lost'] / ground.size:.0%}"))
    legend_above(ax, handles)
    x, y = short_names(view["names"])
    ax.set(xlim=(left, right), ylim=(bottom, top), xlabel=f"{x} at the start", ylabel=f"{y} at the start")
    return ax
