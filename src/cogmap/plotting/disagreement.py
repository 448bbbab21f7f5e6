"""Plot the weights that different experts give to the same edge."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cogmap.maps.drawing.picture import NEGATIVE, SOFT
from cogmap.maps.experts import Disagreement
from cogmap.plotting.canvas import INK, check_answer, legend_above, make_axes, name_rows, short_names

_MAX_ROWS = 24


def plot_disagreement(disagreement: Disagreement, ax: Axes | None = None) -> Axes:
    """Plot the weights of the edges about which experts disagree most.

    A line spans the lowest to the highest weight, where a missing edge counts as 0; it is vermilion if experts gave
    opposite signs. A dot is the mean; it grows with the number of experts who drew the edge.

    Parameters
    ----------
    disagreement : Disagreement
        Result of ``cogmap.maps.experts.disagreement``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.maps.experts.disagreement : Measure how much experts disagree about each edge.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import disagreement
    >>> from cogmap.plotting import plot_disagreement
    >>> one = FuzzyCognitiveMap([[0, 0], [0.4, 0]], concepts=["rain", "fish"])
    >>> ax = plot_disagreement(disagreement([one, one.replace(weights=[[0, 0], [-0.8, 0]])]))
    >>> ax.get_xlabel()
    'weight, of 2 experts'
    """
    check_answer("plot_disagreement", "disagreement", disagreement, Disagreement, "cogmap.maps.experts.disagreement")
    all_edges = disagreement.edges()
    edges, n_maps = all_edges[:_MAX_ROWS], disagreement.n_maps
    ax = make_axes(ax, 7.0, 1.3 + 0.3 * max(len(edges), 1))
    if not edges:
        ax.set_axis_off()
        ax.text(0.5, 0.5, "no edges", ha="center", va="center", transform=ax.transAxes)
        return ax
    rows = np.arange(len(edges))
    low, high, mean, drawn = (np.array([edge[part] for edge in edges]) for part in ("low", "high", "mean", "n_drawn"))
    shades = [NEGATIVE if edge["opposed"] else SOFT for edge in edges]
    ax.hlines(rows, low, high, colors=shades, linewidth=2.0)
    ax.scatter(np.concatenate([low, high]), np.tile(rows, 2), marker="|", s=60, color=shades * 2)
    ax.scatter(mean, rows, s=14 + 66 * drawn / n_maps, color=INK, zorder=3)
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    sources, targets = (short_names([edge[end] for edge in edges]) for end in ("source", "target"))
    names = [f"{source} → {target}" for source, target in zip(sources, targets, strict=True)]
    name_rows(ax, names, len(all_edges) - len(edges), "edges")
    ax.set_xlabel(f"weight, of {n_maps} experts")
    handles = [Line2D([], [], color=SOFT, linewidth=2.0, label="from lowest to highest")]
    if any(edge["opposed"] for edge in edges):
        handles.append(Line2D([], [], color=NEGATIVE, linewidth=2.0, label="opposite signs"))
    handles.append(Line2D([], [], color=INK, marker="o", linewidth=0, markersize=7, label="mean"))
    legend_above(ax, handles)
    return ax
