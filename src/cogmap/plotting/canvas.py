"""What all figures share: colours, and how Axes are made and tidied."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike, NDArray

# The colours of Okabe and Ito, which people with any kind of colour vision can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
INK = "#333333"
GREY = "#BBBBBB"

# What a figure shows, as numbers and words: a plain dict, so that it can be kept in a file and drawn from there.
View = dict[str, Any]


def make_axes(ax: Axes | None, width: float, height: float, projection: str | None = None) -> Axes:
    """Return `ax`, or the Axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    axes: Axes = Figure(figsize=(width, height), layout="constrained").add_subplot(projection=projection)
    return axes


def settled_extent(ax: Axes) -> Bbox:
    """Return the place of an Axes without ticks in pixels, where the layout of its figure will put it."""
    ax.set_axis_off()
    figure: Any = ax.get_figure(root=True)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    return ax.get_window_extent()


def color_of(index: int) -> str:
    """Return the colour of the class or method with this number."""
    return COLORS[index % len(COLORS)]


def paler(colors: NDArray[np.float64], strength: ArrayLike) -> NDArray[np.float64]:
    """Mix colours with white; strength 1 leaves them as they are."""
    result: NDArray[np.float64] = 1.0 - np.asarray(strength) * (1.0 - colors)
    return result


def as_written(text: str) -> str:
    """Return text in which dollars are dollars: matplotlib would set what is between two of them as a formula."""
    return text.replace("$", r"\$")


def without_frame(ax: Axes) -> None:
    """Take the lines above and on the right away."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Axes) -> None:
    """Put the legend where it hides no data."""
    ax.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, borderaxespad=0.2, handletextpad=0.5
    )
