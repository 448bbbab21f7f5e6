"""Plot the weight matrix of a map."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.text import Text

from cogmap.maps.drawing.picture import NEGATIVE, POSITIVE, SOFT, TEXT
from cogmap.plotting.canvas import View, fit_on_draw, height_in_points, make_axes, map_of, short_names

_LETTER = 0.078  # mean width of a letter of a label, in inches
_NUMBERS_UP_TO, _GRID_UP_TO = 14, 60  # largest numbers of concepts for which numbers, and grid lines, are drawn
# From vermilion through white to blue: colours of the signs as in the graph, darkness for strength.
SIGNED = LinearSegmentedColormap.from_list("signed", [NEGATIVE, "#FFFFFF", POSITIVE])


def plot_weights(fcm: Any, ax: Axes | None = None) -> Axes:
    """Plot the weights of a map as a matrix: the influence of the column concept on the row concept.

    Parameters
    ----------
    fcm : estimator, MapModel or FuzzyCognitiveMap
        Fitted estimator, its ``model_``, or a map.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    WeightsDisplay : The weights of the learned map as a matrix, see `plot_weights`.
    plot_map : Plot a map as a graph.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.plotting import plot_weights
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> ax = plot_weights(rain)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('influence of', 'on')
    """
    return draw_weights(weights_view(fcm), ax)


def weights_view(fcm: Any) -> View:
    """Collect the data of a figure of weights."""
    shown = map_of("plot_weights", fcm)
    return {"names": list(shown.concepts), "kinds": shown.kinds, "weights": shown.weights}


def draw_weights(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `weights_view`."""
    weights = np.asarray(view["weights"])
    names = short_names(view["names"])
    side = float(np.clip((0.42 if len(names) <= _NUMBERS_UP_TO else 0.3) * len(names), 2.6, 13.0))
    labels = max(1.4, _LETTER * max(map(len, names)))
    ax = make_axes(ax, side + labels + 1.0, side + labels + 0.2)
    most = float(np.abs(weights).max()) or 1.0
    image = ax.imshow(weights, cmap=SIGNED, norm=Normalize(-most, most), interpolation="nearest")
    ax.set_xticks(range(len(names)), names, rotation=90 if max(map(len, names)) > 3 else 0)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    ax.set(xlabel="influence of", ylabel="on")
    numbers = _write_numbers(ax, weights, most) if len(names) <= _NUMBERS_UP_TO else []
    for border in _borders(view["kinds"]):
        ax.axhline(border, color=SOFT, linewidth=1.0)
        ax.axvline(border, color=SOFT, linewidth=1.0)
    if len(names) <= _GRID_UP_TO:
        ax.set_xticks(np.arange(len(names) - 1) + 0.5, minor=True)
        ax.set_yticks(np.arange(len(names) - 1) + 0.5, minor=True)
        ax.grid(which="minor", color="#E4E4E4", linewidth=0.6)
        ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=25, pad=0.02)
    bar.set_label("weight")
    bar.outline.set_visible(False)

    def fit() -> None:
        size = float(np.clip(height_in_points(ax, 0.8 / len(names)), 3.0, 10.0))
        ax.tick_params(labelsize=size)
        for number in numbers:
            number.set_fontsize(0.8 * size)

    fit_on_draw(ax, fit)
    return ax


def _write_numbers(ax: Axes, weights: Any, most: float) -> list[Text]:
    numbers = []
    for (row, column), weight in np.ndenumerate(weights):
        if weight:
            dark = abs(weight) > 0.6 * most
            text = f"{weight:.{2 if abs(weight) < 10 else 1}f}" if abs(weight) < 100 else f"{weight:.0e}"
            shade = "white" if dark else TEXT
            numbers.append(ax.text(column, row, text, ha="center", va="center", color=shade))
    return numbers


def _borders(kinds: tuple[str, ...] | None) -> list[float]:
    """Return the borders between kinds of concepts, in rows."""
    return [i + 0.5 for i in range(len(kinds) - 1) if kinds[i] != kinds[i + 1]] if kinds else []
