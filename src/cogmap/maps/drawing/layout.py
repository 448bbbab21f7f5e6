"""Layout of a map in columns: features on the left, hidden concepts in the middle, outputs on the right."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.author_layout import author_layout
from cogmap.maps.drawing.columns import Columns, columns_of
from cogmap.maps.drawing.finishing import finish_picture, make_ring
from cogmap.maps.drawing.picture import LINE, WEIGHT_SIZE, Box, Label, Picture, WeightLabel, weight_text
from cogmap.maps.drawing.routes import Router
from cogmap.maps.drawing.text import names_in_lines, part_starts, text_width
from cogmap.maps.drawing.view import View

_NARROWEST, _WIDEST = 70.0, 900.0  # distance between columns, if an aspect ratio is requested
_INSET = 0.5  # distance of weights from the border


def layout(view: View, aspect: float | None = None) -> Picture:
    """Lay out the picture of a map at the positions in the view, or else in columns.

    Parameters
    ----------
    view : dict
        Result of `graph_view`.
    aspect : float, default=None
        Approximate ratio of width to height for a layout in columns. None means no target.

    Returns
    -------
    Picture
    """
    if view["positions"] is not None:
        return author_layout(view)
    columns = columns_of(view)
    picture = _column_layout(view, columns, _default_distance(columns))
    if aspect is None or len(columns) == 1:
        return picture
    # The height hardly depends on the distance between columns, so one correction is enough.
    missing = (aspect * picture.height - picture.width) / (len(columns) - 1)
    distance = float(np.clip(_default_distance(columns) + missing, _NARROWEST, _WIDEST))
    return _column_layout(view, columns, distance)


def _default_distance(columns: Columns) -> float:
    rows = max(map(len, columns))
    return float(np.clip(110.0 + 9.0 * rows, 150.0, 340.0)) / (1.0 if len(columns) < 4 else 1.6)


def _column_layout(view: View, columns: Columns, distance: float) -> Picture:
    # The font is smaller with more rows, to limit the height of the picture.
    size = float(np.interp(max(map(len, columns)), [12, 40, 90], [13.0, 12.0, 10.0]))
    boxes = _boxes(view, columns, size, distance)
    router = Router(columns, boxes, view["edges"])
    arrows = router.arrows()
    if view.get("weights"):
        for number, edge in enumerate(view["edges"]):
            box = boxes[edge["target"]]
            label = WeightLabel(box.left + _INSET * size, router.ports[number, "target"], weight_text(edge["weight"]))
            boxes[edge["target"]] = replace(box, weights=(*box.weights, label))
    labels = []
    top = min(box.top for box in boxes.values())
    for heading, column in zip(view["headings"], columns, strict=False):
        first = boxes[column[0]]
        labels.append(Label(first.left + first.width / 2, top - 1.3 * size, heading, "middle"))
    return finish_picture(view, list(boxes.values()), arrows, labels, size)


def _boxes(view: View, columns: Columns, size: float, distance: float) -> dict[int, Box]:
    """Return the boxes of all concepts, equally wide within a column and high enough for their arrows."""
    rows = max(map(len, columns))
    small = view.get("small", False)
    n_lines, widest = (4, 16.0) if small else (3, 13.0) if rows <= 8 else (2, 15.0) if rows <= 14 else (1, 20.0)
    combined = [small and kind == "hidden" for kind in view["kinds"]]
    lines = names_in_lines(view["names"], widest, n_lines, combined)
    n_lines_of = np.array([len(name) if small else max(map(len, lines)) for name in lines])
    lowest = (n_lines_of * LINE + float(np.interp(rows, [14, 60], [0.5, 0.1]))) * size
    gap = float(np.interp(rows, [6, 14, 40], [20.0, 12.0, 3.0]))
    rings = {ring["source"]: ring for ring in view["rings"]}
    ports = _n_ports(view, columns)
    weights = _weight_widths(view, WEIGHT_SIZE * size)
    if weights.any():
        lowest = np.maximum(lowest, 1.15 * WEIGHT_SIZE * size * ports[0] + 4.0)
    ports = ports.max(axis=0)
    port_distance = float(np.interp(len(view["edges"]), [10, 40], [9.0, 5.5]))
    heights = np.clip(port_distance * ports, lowest, 6 * lowest)
    longest = max(heights[column].sum() for column in columns)
    for column in columns:  # boxes are taller in columns that have few of them
        highest = np.maximum(6 * lowest[column], 0.7 * longest / len(column))
        heights[column] = np.clip(port_distance * ports[column], lowest[column], highest)
    stacks = [float(heights[column].sum() + gap * (len(column) - 1)) for column in columns]
    boxes, left = {}, 0.0
    for column, stack in zip(columns, stacks, strict=True):
        ringed = any(i in rings for i in column)
        inset = float(weights[column].max()) + (1.9 if ringed else 0.7) * size
        width = max(text_width(line, size) for i in column for line in lines[i]) + inset + 0.7 * size
        # Short columns are spread over most of the height of the longest.
        between = gap + max(0.85 * max(stacks) - stack, 0.0) / len(column)
        top = (max(stacks) - stack - (between - gap) * (len(column) - 1)) / 2
        for i in column:
            box = Box(
                left=left,
                top=float(top),
                width=width,
                height=float(heights[i]),
                text_x=left + inset,
                anchor="start",
                lines=lines[i],
                name=view["names"][i],
                kind=view["kinds"][i],
                alone=not ports[i],
                ring=make_ring(left + 0.95 * size, float(top + heights[i] / 2), size, rings.get(i)),
            )
            if combined[i]:
                at = box.heights_of_lines(size)
                box = replace(box, parts=tuple(at[number] for number in part_starts(lines[i])))
            boxes[i] = box
            top += heights[i] + between
        left += width + distance
    return boxes


def _n_ports(view: View, columns: Columns) -> NDArray[np.intp]:
    """Return the number of arrow ends on the left and on the right side of each concept."""
    column_of = {i: number for number, column in enumerate(columns) for i in column}
    ports = np.zeros((2, len(view["names"])), dtype=np.intp)
    for edge in view["edges"]:
        source, target = edge["source"], edge["target"]
        within = column_of[source] == column_of[target]
        ports[1, source] += 1
        ports[int(within), target] += 1  # an arrow within a column ends on the side where it starts
    return ports


def _weight_widths(view: View, size: float) -> NDArray[np.float64]:
    """Return the width of the weights in each box, with the space after them; 0 if they are not written."""
    widths = np.zeros(len(view["names"]))
    for edge in view["edges"] if view.get("weights") else ():
        width = text_width(weight_text(edge["weight"]), size) + _INSET * size
        widths[edge["target"]] = max(widths[edge["target"]], width)
    return widths
