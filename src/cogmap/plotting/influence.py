"""Plot the influence of features on the outputs of a map."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from cogmap.explanation import Influence
from cogmap.explanation._subject import output_index
from cogmap.maps.drawing.picture import NEGATIVE, POSITIVE, color
from cogmap.maps.drawing.view import FEATURE
from cogmap.plotting.canvas import (
    GREY,
    View,
    bar_style,
    check_answer,
    escape_dollars,
    legend_above,
    make_axes,
    name_rows,
    short_names,
)

_MAX_ROWS = 20


def plot_influence(influence: Influence, output: Any = None, ax: Axes | None = None) -> Axes:
    """Plot the influence of each feature on the outputs of a map through all steps, the largest on top.

    For one output, the coloured bar is the mean effect, blue if the output rises with the feature and vermilion if it
    falls. The grey bar behind it is the mean absolute effect: if it is much longer, the sign changes from row to row.
    For several outputs, the mean absolute effects are stacked.

    Parameters
    ----------
    influence : Influence
        Result of ``cogmap.explanation.influence``.
    output : object, default=None
        A class, or the name of an output. If None, all outputs, or the last one if there are at most two.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.influence : Compute the influence of each concept on each output on data, and the edges that carry it.
    InfluenceDisplay : The influence of features on the outputs, see `plot_influence`.
    plot_map : Plot a map as a graph.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, influence
    >>> from cogmap.plotting import plot_influence
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> ax = plot_influence(influence(fcm, X), output=2)
    >>> ax.figure.savefig("influence.png")  # doctest: +SKIP
    """
    return draw_influence(influence_view(influence, output), ax)


def influence_view(influence: Influence, output: Any = None) -> View:
    """Select the influences to show."""
    owner = "plot_influence"
    check_answer(owner, "influence", influence, Influence, "cogmap.explanation.influence")
    n_outputs = len(influence.output_names)
    if output is not None:
        outputs = [output_index(owner, output, influence.output_names)]
    else:  # what one of two classes gains, the other loses
        outputs = list(range(n_outputs)) if n_outputs > 2 else [n_outputs - 1]
    features = [i for i, kind in enumerate(influence.kinds) if kind == FEATURE]
    size = influence.magnitude[np.ix_(features, outputs)]
    order = np.argsort(-size.sum(axis=1), kind="stable")[:_MAX_ROWS]
    return {
        "names": [str(influence.concepts[features[i]]) for i in order],
        "n_others": len(features) - len(order),
        "output_names": [str(influence.output_names[k]) for k in outputs],
        "size": size[order].tolist(),
        "effect": influence.effect[np.ix_(features, outputs)][order].tolist(),
    }


def draw_influence(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `influence_view`."""
    size, effect = np.array(view["size"]), np.array(view["effect"])
    ax = make_axes(ax, 6.0, 1.2 + 0.3 * len(size))
    rows = np.arange(len(size))
    outputs = [escape_dollars(name) for name in view["output_names"]]
    if len(outputs) == 1:
        signs = np.where(effect[:, 0] < 0.0, -1.0, 1.0)
        ax.barh(rows, signs * size[:, 0], height=0.7, color=GREY, alpha=0.6)
        ax.barh(rows, effect[:, 0], height=0.4, color=[color(value) for value in effect[:, 0]])
        words = {"raises": POSITIVE, "lowers": NEGATIVE, "mean size": GREY}
        legend_above(ax, [Patch(color=shade, label=word) for word, shade in words.items()])
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.set_xlabel(f"influence on {outputs[0]}")
    else:
        starts = np.cumsum(size, axis=1) - size
        for k, name in enumerate(outputs):
            ax.barh(rows, size[:, k], left=starts[:, k], height=0.7, linewidth=0.5, label=name, **bar_style(k))
        ax.set_xlabel("size of the influence on the outputs")
        legend_above(ax)
    name_rows(ax, short_names(view["names"]), view["n_others"], "features")
    ax.spines["left"].set_visible(True)
    return ax
