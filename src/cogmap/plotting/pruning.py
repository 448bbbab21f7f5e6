"""Plot the score of pruned maps against their number of edges."""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from cogmap.explanation import PruningCurve
from cogmap.maps.drawing.picture import POSITIVE, SOFT
from cogmap.plotting.canvas import View, check_answer, hide_frame, make_axes


def plot_pruning(curve: PruningCurve, ax: Axes | None = None) -> Axes:
    """Plot the held-out score of maps with fewer and fewer edges.

    The line is the mean over the folds, the band one standard deviation to each side; the dotted line is the map with
    all edges.

    Parameters
    ----------
    curve : PruningCurve
        Result of ``cogmap.explanation.pruning_curve``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.pruning_curve : Compute cross-validated scores of maps with fewer and fewer edges.
    PruningDisplay : Score against the number of edges, see `plot_pruning`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, pruning_curve
    >>> from cogmap.plotting import plot_pruning
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0)
    >>> ax = plot_pruning(pruning_curve(fcm, X, y, keep=[0.5], n_folds=2))
    >>> ax.get_ylabel()
    'accuracy'
    """
    return draw_pruning(pruning_view(curve), ax)


def pruning_view(curve: PruningCurve) -> View:
    """Compute the data of a figure of pruning."""
    check_answer("plot_pruning", "curve", curve, PruningCurve, "cogmap.explanation.pruning_curve")
    return {
        "n_edges": curve.n_edges.tolist(),
        "keep": curve.keep.tolist(),
        "mean": curve.scores.mean(axis=0).tolist(),
        "spread": curve.scores.std(axis=0).tolist(),
        "full": float(curve.full_scores.mean()),
        "metric": curve.metric,
    }


def draw_pruning(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `pruning_view`."""
    ax = make_axes(ax, 5.5, 3.8)
    edges, mean, spread = (np.array(view[name]) for name in ("n_edges", "mean", "spread"))
    ax.fill_between(edges, mean - spread, mean + spread, color=POSITIVE, alpha=0.18, linewidth=0)
    ax.plot(edges, mean, color=POSITIVE, marker="o", markersize=4, linewidth=1.6)
    ax.axhline(view["full"], color=SOFT, linestyle=":", linewidth=1.2)
    ax.annotate(f"all edges: {view['full']:.3f}", (0.02, view["full"]), (0, 3), xycoords=ax.get_yaxis_transform(),
                textcoords="offset points", va="bottom", size=9, color=SOFT)  # fmt: skip
    ax.set_xscale("log")
    ticks = _spaced_ticks(edges)
    ax.set_xticks(ticks, [f"{count:.0f}" for count in ticks])
    ax.minorticks_off()
    ax.set(xlabel="edges", ylabel=view["metric"])
    hide_frame(ax)
    return ax


def _spaced_ticks(counts: NDArray[np.float64]) -> list[float]:
    """Return the counts whose labels do not overlap on a logarithmic axis, including the largest."""
    ticks: list[float] = []
    for count in sorted(counts.tolist(), reverse=True):
        if not ticks or np.log(ticks[-1] / count) > 0.08 * np.log(counts.max() / counts.min()):
            ticks.append(count)
    return ticks
