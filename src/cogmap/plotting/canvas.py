"""Shared helpers of all figures: argument checks, colours, creation of Axes, labels and legends."""

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

# The Okabe-Ito palette, which people with any kind of colour vision can distinguish.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
N_ON_WHITE = 6  # the first six are dark enough for lines and text on white
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
INK = "#333333"
GREY = "#BBBBBB"

# Data of a figure as numbers and strings: a plain dict, so that it can be saved and drawn later.
View = dict[str, Any]


def map_of(owner: str, fcm: Any) -> FuzzyCognitiveMap:
    """Return the map of a fitted estimator or a model, or the map itself; raise an error for anything else."""
    if isinstance(fcm, FittedMap):
        check_is_fitted(fcm, "model_")
    model = fcm if isinstance(fcm, MapModel) else getattr(fcm, "model_", None)
    if isinstance(model, MapModel):
        return model.map
    if not isinstance(fcm, FuzzyCognitiveMap):
        raise param_error(owner, "fcm", "a fitted estimator of cogmap, a MapModel or a FuzzyCognitiveMap", fcm)
    return fcm


def check_answer(owner: str, name: str, answer: object, kind: type, function: str) -> None:
    """Raise an error unless `answer` has the type that a function returns."""
    if not isinstance(answer, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise param_error(owner, name, f"{article} {kind.__name__}, as {function} returns", answer)


def make_axes(ax: Axes | None, width: float, height: float, projection: str | None = None) -> Axes:
    """Return `ax`, or the Axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    axes: Axes = Figure(figsize=(width, height), layout="constrained").add_subplot(projection=projection)
    return axes


class DrawHook(Artist):
    """Invisible artist that calls a function before anything else on its Axes is drawn.

    Only then is the size of the Axes final: the layout may change it whenever something is added to the figure.
    """

    def __init__(self, fit: Callable[[], None]) -> None:
        super().__init__()
        self.fit = fit
        self.set_zorder(-np.inf)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Fit the text when the figure is drawn."""
        self.fit()


def fit_on_draw(ax: Axes, fit: Callable[[], None]) -> None:
    """Call a function now, and whenever the Axes are drawn."""
    fit()
    ax.add_artist(DrawHook(fit))


def height_in_points(ax: Axes, share: float = 1.0) -> float:
    """Return a share of the height of the Axes in points, the unit of font sizes."""
    return float(share * ax.get_window_extent().height * 72 / ax.figure.dpi)


def color_of(index: int) -> str:
    """Return the colour of the class or method with this number."""
    return COLORS[index % len(COLORS)]


def bar_style(index: int) -> dict[str, Any]:
    """Return the style of the bars of an output or scenario: a colour, and a hatch if colours repeat."""
    hatch = ("", "///", "...", "xxx")[index // N_ON_WHITE % 4]
    return {"facecolor": color_of(index % N_ON_WHITE), "hatch": hatch, "edgecolor": "white"}


def lighten(colors: NDArray[np.float64], strength: ArrayLike) -> NDArray[np.float64]:
    """Mix colours with white; strength 1 leaves them unchanged."""
    result: NDArray[np.float64] = 1.0 - np.asarray(strength) * (1.0 - colors)
    return result


def escape_dollars(text: object) -> str:
    """Escape dollar signs, between which matplotlib would set text as a formula."""
    return str(text).replace("$", r"\$")


def plain_value(value: Any) -> float | str:
    """Return the value of a feature, or of a column of a raw table, as JSON can hold it; a missing one is NaN."""
    return value if isinstance(value, str) else float("nan") if value is None else float(value)


def value_label(value: float | str) -> str:
    """Format the value of a feature or column."""
    return short_names([value])[0] if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Format a number in few characters."""
    return (
        "missing" if np.isnan(value) else f"{value:.3g}" if abs(value) < 1000 or abs(value) >= 1e6 else f"{value:.0f}"
    )


def short_names(names: Sequence[str]) -> list[str]:
    """Return names as labels: long ones shortened in the middle, dollar signs escaped."""
    return [escape_dollars(" ".join(lines)) for lines in names_in_lines(names, 17.0, 1)]


def name_rows(ax: Axes, names: Sequence[str], n_others: int = 0, noun: str = "") -> None:
    """Label the rows of a figure from the top down, remove the frame, and state if some rows are not shown."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    hide_frame(ax)
    ax.spines["left"].set_visible(False)
    if n_others:
        ax.set_ylabel(f"{len(names)} of {len(names) + n_others} {noun}")


def end_labels(ax: Axes, x: float, heights: ArrayLike, names: Sequence[str], colors: Sequence[str]) -> None:
    """Write names to the right of line ends, moved up or down so that none overlap."""
    ends = np.asarray(heights, dtype=np.float64)
    order = np.argsort(ends, kind="stable")
    labels = [
        ax.annotate(
            names[index],
            (x, ends[index]),
            xytext=(1.04, ends[index]),
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
        size = min(9.0, height_in_points(ax, 1 / (1.35 * max(len(labels), 1))))
        apart = 1.35 * size * (high - low) / height_in_points(ax)
        for label, y in zip(labels, spread_out(ends[order], apart, low, high), strict=True):
            label.set(fontsize=size, y=y)

    fit_on_draw(ax, fit)


def spread_out(ideal: NDArray[np.float64], apart: float, low: float, high: float) -> NDArray[np.float64]:
    """Return positions as near as possible to the sorted ideal ones, at least `apart` from each other.

    Every label takes up `apart`; all labels lie within the range, if it is large enough.
    """
    if not len(ideal):
        return ideal
    # Without the space of the labels below, positions must not decrease: an isotonic regression.
    below = apart * (np.arange(len(ideal)) + 0.5)
    highest = max(high - apart * len(ideal), low)
    positions: NDArray[np.float64] = isotonic_regression(ideal - below, y_min=low, y_max=highest) + below
    return positions


def hide_frame(ax: Axes) -> None:
    """Hide the top and right spines."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Axes, handles: Sequence[Any] | None = None, ncols: int = 3) -> None:
    """Put the legend above the Axes, where it hides no data."""
    ax.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=ncols,
        frameon=False,
        borderaxespad=0.2,
        handletextpad=0.5,
    )
