"""Where everything of the picture of a map stands: features left, hidden concepts in the middle, outputs right."""

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.columns import Columns, columns_of
from cogmap.maps.drawing.finishing import finished, make_ring
from cogmap.maps.drawing.picture import LINE, Box, Picture, Word
from cogmap.maps.drawing.placed import placed
from cogmap.maps.drawing.routes import Router
from cogmap.maps.drawing.text import names_in_lines, text_width
from cogmap.maps.drawing.view import View

_NARROWEST, _WIDEST = 70.0, 900.0  # distance of columns, if a picture has to have a certain shape


def layout(view: View, aspect: float | None = None) -> Picture:
    """Lay out the picture of a map: as its author has, or in columns.

    Parameters
    ----------
    view : dict
        What `graph_view` has chosen.
    aspect : float, default=None
        Width over height that the picture should have, as far as that is possible. None leaves it open.
    """
    if view["positions"] is not None:
        return placed(view)
    columns = columns_of(view)
    fitting = _in_columns(view, columns, _usual_distance(columns))
    if aspect is None or len(columns) == 1:
        return fitting
    # The height hardly depends on the distance of columns: once is enough.
    missing = (aspect * fitting.height - fitting.width) / (len(columns) - 1)
    distance = float(np.clip(_usual_distance(columns) + missing, _NARROWEST, _WIDEST))
    return _in_columns(view, columns, distance)


def _usual_distance(columns: Columns) -> float:
    rows = max(map(len, columns))
    return float(np.clip(110.0 + 9.0 * rows, 150.0, 340.0)) / (1.0 if len(columns) < 4 else 1.6)


def _in_columns(view: View, columns: Columns, distance: float) -> Picture:
    # Of the font: with more rows it is smaller, so that the picture is not too high.
    size = float(np.interp(max(map(len, columns)), [12, 40, 90], [13.0, 12.0, 10.0]))
    boxes = _boxes(view, columns, size, distance)
    arrows = Router(columns, boxes, view["edges"]).arrows()
    words = []
    top = min(box.top for box in boxes.values())
    for heading, column in zip(view["headings"], columns, strict=False):
        first = boxes[column[0]]
        words.append(Word(first.left + first.width / 2, top - 1.3 * size, heading, "middle"))
    return finished(view, list(boxes.values()), arrows, words, size)


def _boxes(view: View, columns: Columns, size: float, distance: float) -> dict[int, Box]:
    """Return the boxes of all concepts. Those of a column are equally wide, and as high as their arrows need."""
    rows = max(map(len, columns))
    n_lines, widest = (3, 13.0) if rows <= 8 else (2, 15.0) if rows <= 14 else (1, 20.0)
    lines = names_in_lines(view["names"], widest, n_lines)
    high = (max(map(len, lines)) * LINE + float(np.interp(rows, [14, 60], [0.5, 0.1]))) * size
    gap = float(np.interp(rows, [6, 14, 40], [20.0, 12.0, 3.0]))
    rings = {ring["source"]: ring for ring in view["rings"]}
    ports = _most_ports(view, columns)
    apart = float(np.interp(len(view["edges"]), [10, 40], [9.0, 5.5]))  # arrows at a box
    tall = np.clip(apart * ports, high, 6 * high)
    longest = max(tall[column].sum() for column in columns)
    for column in columns:  # few boxes have room to be higher
        tall[column] = np.clip(apart * ports[column], high, max(6 * high, 0.7 * longest / len(column)))
    stacks = [float(tall[column].sum() + gap * (len(column) - 1)) for column in columns]
    boxes, left = {}, 0.0
    for column, stack in zip(columns, stacks, strict=True):
        ringed = any(i in rings for i in column)
        width = max(text_width(line, size) for i in column for line in lines[i]) + (2.6 if ringed else 1.4) * size
        # Short columns are spread over most of the height of the longest.
        between = gap + max(0.85 * max(stacks) - stack, 0.0) / len(column)
        top = (max(stacks) - stack - (between - gap) * (len(column) - 1)) / 2
        for i in column:
            boxes[i] = Box(
                left=left,
                top=float(top),
                width=width,
                height=float(tall[i]),
                text_x=left + (1.9 if ringed else 0.7) * size,
                anchor="start",
                lines=lines[i],
                name=view["names"][i],
                kind=view["kinds"][i],
                alone=not ports[i],
                ring=make_ring(left + 0.95 * size, float(top + tall[i] / 2), size, rings.get(i)),
            )
            top += tall[i] + between
        left += width + distance
    return boxes


def _most_ports(view: View, columns: Columns) -> NDArray[np.intp]:
    """Return for each concept how many arrows begin or end on that of its sides where there are more."""
    column_of = {i: number for number, column in enumerate(columns) for i in column}
    ports = np.zeros((2, len(view["names"])), dtype=np.intp)
    for edge in view["edges"]:
        source, target = edge["source"], edge["target"]
        along = column_of[source] == column_of[target]
        ports[1, source] += 1
        ports[int(along), target] += 1  # along a column, on the side where it began
    most: NDArray[np.intp] = ports.max(axis=0)
    return most
