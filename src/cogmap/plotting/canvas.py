"""What all figures share: checks of what they show, colours, and how Axes are made and tidied."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from sklearn.isotonic import isotonic_regression
from sklearn.utils.validation import check_is_fitted

from cogmap._utils.params import param_error
from cogmap.estimators._prediction import FittedMap
from cogmap.maps.drawing.text import names_in_lines
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel

# The colours of Okabe and Ito, which people with any kind of colour vision can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
N_ON_WHITE = 6  # the first so many are dark enough for lines and words on white
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
INK = "#333333"
GREY = "#BBBBBB"

# What a figure shows, as numbers and words: a plain dict, so that it can be kept in a file and drawn from there.
View = dict[str, Any]


def map_of(owner: str, asked: Any) -> FuzzyCognitiveMap:
    """Return the map of a fitted estimator, of a model, or the map itself; or complain."""
    if isinstance(asked, FittedMap):
        check_is_fitted(asked, "model_")
    model = asked if isinstance(asked, MapModel) else getattr(asked, "model_", None)
    if isinstance(model, MapModel):
        return model.map
    if not isinstance(asked, FuzzyCognitiveMap):
        raise param_error(owner, "fcm", "a fitted estimator of cogmap, a MapModel or a FuzzyCognitiveMap", asked)
    return asked


def check_answer(owner: str, name: str, answer: object, kind: type, function: str) -> None:
    """Complain unless `answer` is what a function returns."""
    if not isinstance(answer, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise param_error(owner, name, f"{article} {kind.__name__}, as {function} returns", answer)


def make_axes(ax: Axes | None, width: float, height: float, projection: str | None = None) -> Axes:
    """Return `ax`, or the Axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    axes: Axes = Figure(figsize=(width, height), layout="constrained").add_subplot(projection=projection)
    return axes


class Fitting(Artist):
    """Calls a function before anything else of its Axes is drawn: only then the size of the Axes is known for sure.

    The layout of a figure may change it whenever something is added to the figure.
    """

    def __init__(self, fit: Callable[[], None]) -> None:
        super().__init__()
        self.fit = fit
        self.set_zorder(-np.inf)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Call the function."""
        self.fit()


def keep_fitting(ax: Axes, fit: Callable[[], None]) -> None:
    """Call a function now, and whenever the Axes is drawn."""
    fit()
    ax.add_artist(Fitting(fit))


def points_of(ax: Axes, share: float = 1.0) -> float:
    """Return a share of the height of an Axes in points, in which the size of text is counted."""
    return float(share * ax.get_window_extent().height * 72 / ax.figure.dpi)


def color_of(index: int) -> str:
    """Return the colour of the class or method with this number."""
    return COLORS[index % len(COLORS)]


def bar_style(index: int) -> dict[str, Any]:
    """Return how the bars of the output or scenario with this number look: a colour, and a pattern if they repeat."""
    hatch = ("", "///", "...", "xxx")[index // N_ON_WHITE % 4]
    return {"facecolor": color_of(index % N_ON_WHITE), "hatch": hatch, "edgecolor": "white"}


def paler(colors: NDArray[np.float64], strength: ArrayLike) -> NDArray[np.float64]:
    """Mix colours with white; strength 1 leaves them as they are."""
    result: NDArray[np.float64] = 1.0 - np.asarray(strength) * (1.0 - colors)
    return result


def as_written(text: object) -> str:
    """Return text in which dollars are dollars: matplotlib would set what is between two of them as a formula."""
    return str(text).replace("$", r"\$")


def number(value: float) -> str:
    """Write a number in few signs."""
    return (
        "missing" if np.isnan(value) else f"{value:.3g}" if abs(value) < 1000 or abs(value) >= 1e6 else f"{value:.0f}"
    )


def short_names(names: Sequence[str]) -> list[str]:
    """Return names as labels: long ones shortened in the middle, and every sign as it is written."""
    return [as_written(" ".join(lines)) for lines in names_in_lines(names, 17.0, 1)]


def name_rows(ax: Axes, names: Sequence[str], n_others: int = 0, what: str = "") -> None:
    """Name the rows of a figure from the top down, without a frame, and say if there are more of what they show."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    without_frame(ax)
    ax.spines["left"].set_visible(False)
    if n_others:
        ax.set_ylabel(f"{len(names)} of {len(names) + n_others} {what}")


def end_labels(ax: Axes, x: float, heights: ArrayLike, names: Sequence[str], colors: Sequence[str]) -> None:
    """Write names right of where lines end, moved up or down so that none lies on another."""
    wanted = np.asarray(heights, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    labels = [
        ax.annotate(
            names[index],
            (x, wanted[index]),
            xytext=(1.04, wanted[index]),
            textcoords=ax.get_yaxis_transform(),
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colors[index],
                "linewidth": 0.7,
                "shrinkA": 1,
                "shrinkB": 4,
                "relpos": (0, 0.5),
            },
        )
        for index in order
    ]

    def fit() -> None:
        low, high = ax.get_ylim()
        size = min(9.0, points_of(ax, 1 / (1.35 * max(len(labels), 1))))
        apart = 1.35 * size * (high - low) / points_of(ax)
        for label, place in zip(labels, spread_out(wanted[order], apart, low, high), strict=True):
            label.set(fontsize=size, y=place)

    keep_fitting(ax, fit)


def spread_out(wanted: NDArray[np.float64], apart: float, low: float, high: float) -> NDArray[np.float64]:
    """Return places as near as possible to the wanted ones, which are in order, each `apart` from the next or farther.

    Every label has a room of the size `apart`; all rooms lie within the range, if it is large enough.
    """
    if not len(wanted):
        return wanted
    # What is left of a place without the rooms below it never falls: an isotonic regression.
    below = apart * (np.arange(len(wanted)) + 0.5)
    highest = max(high - apart * len(wanted), low)
    places: NDArray[np.float64] = isotonic_regression(wanted - below, y_min=low, y_max=highest) + below
    return places


def without_frame(ax: Axes) -> None:
    """Take the lines above and on the right away."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Axes, handles: Sequence[Any] | None = None) -> None:
    """Put the legend where it hides no data."""
    ax.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3,
        frameon=False,
        borderaxespad=0.2,
        handletextpad=0.5,
    )
