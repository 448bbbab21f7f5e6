"""Plot a map as a graph: features left, hidden concepts in the middle, outputs right, or at the author's positions."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection, PolyCollection
from matplotlib.patches import FancyBboxPatch
from matplotlib.path import Path
from matplotlib.text import Text

from cogmap._utils.params import check_integer, param_error
from cogmap.explanation.rules import carried_share
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.picture import (
    BORDER,
    FILLS,
    MUTED,
    NEGATIVE,
    OPACITY,
    POSITIVE,
    SOFT,
    TEXT,
    WEIGHT_SIZE,
    Picture,
    color,
    dashes,
)
from cogmap.maps.drawing.view import author_positions, edge_strength, graph_view
from cogmap.models.model import MapModel
from cogmap.plotting.canvas import View, escape_dollars, fit_on_draw, make_axes, map_of

# An artist, and the name and value of its property that is given in pixels of the picture.
Sized = tuple[Artist, str, Any]

_PIXELS = 80.0  # of the picture per inch of a new figure: text of 13 pixels has 11.7 points


def plot_map(
    fcm: Any, influence: Any = None, n_edges: int | None = None, ax: Axes | None = None, intervals: Any = None
) -> Axes:
    """Plot a map as a graph.

    Concepts are placed at the author's positions (``x`` and ``y`` in ``details["concepts"][name]``). Without these, a
    learned map has features on the left, hidden concepts in the middle and outputs on the right; in other maps each
    concept is placed to the right of those that influence it. Edges go from left to right; edges within a column bow
    out of it, and backward edges run below everything. A ring is the influence of a concept on itself. Blue is
    positive, vermilion negative.

    An additive or named map of at most 150 edges is drawn completely, and with its weights if there are at most 60:
    each is written in the box where its arrow ends. Of other learned maps, the note below the graph gives the R²
    between the decisions of the map with only the drawn edges and those of the whole map, on rows drawn with the mean,
    deviation and range of the training data.

    Parameters
    ----------
    fcm : estimator, MapModel or FuzzyCognitiveMap
        Fitted estimator, its ``model_``, or a map.
    influence : Influence, default=None
        Result of ``cogmap.explanation.influence`` on data: edges are selected, and their width is set, by their flow to
        the outputs. If None, by their weights.
    n_edges : int, default=None
        Number of strongest edges between concepts to draw. If None, all if they are few, the map is small, or the
        author has laid it out; otherwise those with nine tenths of the total strength, and not many more than concepts.
    ax : matplotlib Axes, default=None
        Axes to draw on; text is scaled to fit. If None, a new figure of sufficient size is created.
    intervals : ArrowIntervals, default=None
        Result of ``cogmap.arrow_intervals``: arrows whose interval contains zero are dashed.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    MapDisplay : The learned map as a graph, see `plot_map`.
    plot_weights : Plot the weights of a map as a matrix: the influence of the column concept on the row concept.
    cogmap.influence : Compute the influence of each concept on each output on data, and the edges that carry it.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.plotting import plot_map
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> [text.get_text() for text in plot_map(rain).texts][:2]
    ['rain', 'umbrellas']
    """
    return draw_map(map_view(fcm, influence, n_edges, intervals), ax)


def map_view(fcm: Any, influence: Any = None, n_edges: int | None = None, intervals: Any = None) -> View:
    """Select what a figure of a map shows."""
    owner = "plot_map"
    shown = map_of(owner, fcm)
    if n_edges is not None:
        check_integer(owner, "n_edges", n_edges, low=0)
    strength = None
    if influence is not None:
        if getattr(influence, "concepts", None) != shown.concepts:
            raise param_error(owner, "influence", "the Influence of this map on data", influence)
        strength = edge_strength(influence.flow)
    if intervals is not None and getattr(intervals, "concepts", None) != shown.concepts:
        raise param_error(owner, "intervals", "the ArrowIntervals of this map", intervals)
    uncertain = None if intervals is None else intervals.uncertain
    positions = author_positions(shown.concepts, shown.details)
    kinds = shown.kinds if positions is None else None
    model = fcm if isinstance(fcm, MapModel) else getattr(fcm, "model_", None)
    carried = None if model is None else partial(carried_share, model)
    view = graph_view(shown.concepts, shown.weights, kinds, strength, positions, n_edges, carried, uncertain)
    return view | {"note": f"{view['note']} {view['share']}".rstrip()}


def draw_map(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `map_view`."""
    if ax is None:
        picture = layout(view)
        ax = make_axes(None, picture.width / _PIXELS, picture.height / _PIXELS)
    else:
        ax.set_axis_off()
        figure: Any = ax.get_figure(root=True)
        engine = figure.get_layout_engine()
        if engine is not None:  # it sets the position and width of the Axes
            engine.execute(figure)
        extent = ax.get_window_extent()
        picture = layout(view, extent.width / extent.height)
    ax.set_axis_off()
    ax.set(xlim=(0, picture.width), ylim=(picture.height, 0), aspect="equal")
    sized = [*_draw_arrows(ax, picture), *_draw_boxes(ax, picture), *_draw_legend(ax, picture)]
    for artist, _, _ in sized:
        artist.set_in_layout(False)  # it lies inside the Axes: the layout need not measure it

    def fit() -> None:
        """Scale text and lines with the size of the Axes."""
        ends = ax.transData.transform([(0, 0), (1, 0)])
        points = float(np.hypot(*(ends[1] - ends[0]))) * 72 / ax.figure.dpi  # a pixel of the picture
        for artist, name, size in sized:
            artist.set(**{name: np.multiply(size, points)})

    fit_on_draw(ax, fit)
    return ax


def _draw_arrows(ax: Axes, picture: Picture) -> Iterator[Sized]:
    colors = [color(arrow.weight) for arrow in picture.arrows]
    paths = [Path(arrow.points, [Path.MOVETO] + [Path.CURVE4] * (len(arrow.points) - 1)) for arrow in picture.arrows]
    lines = PathCollection(paths, facecolors="none", edgecolors=colors, alpha=OPACITY, zorder=1)
    ax.add_collection(lines, autolim=False)
    yield lines, "linewidths", [arrow.width for arrow in picture.arrows]
    # Dashes are in units of the line width.
    styles: list[Any] = [
        (0.0, [part / arrow.width for part in dashes(arrow.width)]) if arrow.dashed else "-" for arrow in picture.arrows
    ]
    lines.set_linestyle(styles)
    corners = [arrow.head for arrow in picture.arrows]
    heads = PolyCollection(corners, facecolors=colors, edgecolors="none", alpha=OPACITY, zorder=1)
    ax.add_collection(heads, autolim=False)
    yield heads, "linewidths", 0.0


def _draw_boxes(ax: Axes, picture: Picture) -> Iterator[Sized]:
    rounded = f"round,pad=0,rounding_size={0.3 * picture.size}"
    for box in picture.boxes:
        ground = FancyBboxPatch(
            (box.left, box.top),
            box.width,
            box.height,
            boxstyle=rounded,
            facecolor=FILLS[box.kind],
            edgecolor=BORDER,
            linestyle=":" if box.alone else "-",
            zorder=2,
        )
        ax.add_patch(ground)
        yield ground, "linewidth", 1.0
        for y, line in zip(box.heights_of_lines(picture.size), box.lines, strict=True):
            yield _write(ax, box.text_x, y, line, box.anchor, SOFT if box.alone else TEXT), "fontsize", picture.size
        for label in box.weights:
            yield _write(ax, label.x, label.y, label.text, "start", MUTED), "fontsize", WEIGHT_SIZE * picture.size
    rings = [box.ring for box in picture.boxes if box.ring]
    circles = [(ring.x, ring.y, ring.radius) for ring in rings]
    yield from _draw_rings(ax, circles, [color(ring.weight) for ring in rings], [ring.width for ring in rings])


def _draw_rings(
    ax: Axes, circles: list[tuple[float, float, float]], colors: list[str], widths: list[float]
) -> Iterator[Sized]:
    if circles:
        x, y, radius = np.transpose(circles)
        rings = EllipseCollection(
            2 * radius,
            2 * radius,
            np.zeros_like(x),
            units="xy",
            offsets=np.column_stack([x, y]),
            offset_transform=ax.transData,
            facecolors="none",
            edgecolors=colors,
            zorder=3,
        )
        ax.add_collection(rings, autolim=False)
        yield rings, "linewidths", widths


def _draw_legend(ax: Axes, picture: Picture) -> Iterator[Sized]:
    size = picture.small
    lines = {"positive": POSITIVE, "negative": NEGATIVE}
    for key in picture.keys:
        if key.kind in lines:
            segment = [(key.x, key.y), (key.x + 2.0 * size, key.y)]
            line = LineCollection([segment], colors=lines[key.kind], alpha=OPACITY)
            ax.add_collection(line, autolim=False)
            yield line, "linewidths", 2.5
        else:
            yield from _draw_rings(ax, [(key.x + 0.4 * size, key.y, 0.36 * size)], [SOFT], [2.0])
    for label in picture.labels:
        yield _write(ax, label.x, label.y, label.text, label.anchor, SOFT), "fontsize", size


def _write(ax: Axes, x: float, y: float, text: str, anchor: str, shade: str) -> Text:
    side = "left" if anchor == "start" else "center"
    return ax.text(x, y, escape_dollars(text), ha=side, va="center_baseline", color=shade, zorder=4)
