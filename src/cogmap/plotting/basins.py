"""Figures of basins: from which starts a map of any size leads to which attractor."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from cogmap._utils.params import Literal, param_error
from cogmap.maps._states import columns_of
from cogmap.maps.dynamics import attractors
from cogmap.maps.dynamics.newton import state_range
from cogmap.maps.map import FuzzyCognitiveMap, check_map, one_start
from cogmap.plotting.canvas import GREY, View, color_of, legend_above, make_axes, paler, short_names
from cogmap.plotting.points import pixels_of

_PIXELS = 80  # along each side
_MOST_NAMED = 8  # attractors with a colour of their own


def plot_basins(
    fcm: FuzzyCognitiveMap,
    concepts: Sequence[str],
    start: ArrayLike | Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show to which attractor a map leads from starts that differ in two concepts.

    Each place is a start: two concepts have the states of that place, the others those of `start`. Its colour is that
    of the attractor that it leads to, grey if it leads to none: with all others undecided, a start may be on the border
    between basins.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    concepts : sequence of two str
        Names of the concepts whose start varies: along the picture, and upwards.
    start : array-like of shape (n_concepts,) or mapping, default=None
        States of the other concepts at the start, as in `FuzzyCognitiveMap.settle`; what is not named is undecided.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    return draw_basins(basins_view(fcm, concepts, start), ax)


def basins_view(
    fcm: FuzzyCognitiveMap,
    concepts: Sequence[str],
    start: ArrayLike | Mapping[str, float] | None = None,
    pixels: int = _PIXELS,
) -> View:
    """Compute all that a figure of basins shows."""
    owner = "plot_basins"
    check_map(fcm, owner)
    if isinstance(concepts, str) or len(concepts) != 2 or concepts[0] == concepts[1]:
        raise param_error(owner, "concepts", "two names of concepts", Literal(repr(concepts)))
    columns = columns_of(concepts, fcm.concepts, owner, "concepts")
    limits = np.column_stack(state_range(fcm))[columns]
    places = pixels_of(limits, pixels)
    starts = np.repeat(one_start(fcm, start, owner)[np.newaxis].astype(np.float64), len(places), axis=0)
    starts[:, columns] = places
    found = attractors(fcm, starts)
    # The largest basins get the colours.
    order = np.argsort(-found.shares, kind="stable")
    place = np.full(len(order) + 1, -1)
    place[order] = np.arange(len(order))
    return {
        "limits": limits.tolist(),
        "names": [fcm.concepts[column] for column in columns],
        "ground": place[found.basin].reshape(pixels, pixels),
        "periods": [len(found.cycles[i]) for i in order],
        "shares": found.shares[order].tolist(),
        "n_lost": int((found.basin < 0).sum()),
    }


def draw_basins(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `basins_view` has computed."""
    ax = make_axes(ax, 5.0, 4.9)
    (left, right), (bottom, top) = view["limits"]
    ground = np.asarray(view["ground"])
    n_named = min(len(view["periods"]), _MOST_NAMED)
    # The last two are those of other attractors, and of none.
    colors = np.array([*(to_rgb(color_of(index)) for index in range(n_named)), to_rgb("#8A8A8A"), to_rgb(GREY)])
    shown = np.where(ground < 0, n_named + 1, np.minimum(ground, n_named))
    pale = paler(colors, [[0.55]] * n_named + [[0.7], [0.4]])
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
