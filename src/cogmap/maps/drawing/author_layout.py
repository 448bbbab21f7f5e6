"""Layout of a map at the positions chosen by its author, spread out until boxes do not overlap."""

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.finishing import finish_picture, make_ring
from cogmap.maps.drawing.picture import LINE, Box, Picture, Points, line_widths
from cogmap.maps.drawing.routes import make_arrow
from cogmap.maps.drawing.text import names_in_lines, text_width
from cogmap.maps.drawing.view import View

_SIZE = 13.0  # font size
_MIN_DISTANCE = 42.0  # between boxes, so that an arrow between them is visible
_CURVATURE = 0.13  # of arrows, relative to their length, so that opposite edges do not overlap
_LARGEST = 1300.0  # size to which positions are stretched; boxes that still overlap are pushed apart
_MAX_ROUNDS, _PUSHES_PER_ROUND = 60, 30


def author_layout(view: View) -> Picture:
    """Lay out the picture of a map at the positions in the view."""
    lines = names_in_lines(view["names"], 11.0, 3)
    rings = {ring["source"]: ring for ring in view["rings"]}
    slots = np.array([1.3 * _SIZE if i in rings else 0.0 for i in range(len(lines))])
    widths = np.array([max(text_width(line, _SIZE) for line in name) + 1.4 * _SIZE for name in lines]) + slots
    heights = np.array([(LINE * len(name) + 0.6) * _SIZE for name in lines])
    middles = _spread_out(np.array(view["positions"], dtype=np.float64), widths, heights)
    boxes = {}
    connected = {concept for edge in view["edges"] for concept in (edge["source"], edge["target"])}
    for i, (x, y) in enumerate(middles.tolist()):
        left, top = x - widths[i] / 2, y - heights[i] / 2
        boxes[i] = Box(
            left=left,
            top=top,
            width=float(widths[i]),
            height=float(heights[i]),
            text_x=left + slots[i] + (widths[i] - slots[i]) / 2,
            anchor="middle",
            lines=lines[i],
            name=view["names"][i],
            kind=view["kinds"][i],
            alone=i not in connected,
            ring=make_ring(left + 0.95 * _SIZE, y, _SIZE, rings.get(i)),
        )
    arrows = [
        make_arrow(_curve(boxes[edge["source"]], boxes[edge["target"]]), width, edge, boxes)
        for edge, width in zip(view["edges"], line_widths(view["edges"]), strict=True)
    ][::-1]
    return finish_picture(view, list(boxes.values()), arrows, [], _SIZE)


def _spread_out(positions: Points, widths: NDArray[np.float64], heights: NDArray[np.float64]) -> Points:
    """Return the centers of the boxes: the positions, scaled and then pushed apart until no two boxes overlap."""
    positions = positions - positions.min(axis=0)
    positions += _tie_breakers(positions)
    needed = np.stack([np.add.outer(size, size) / 2 + _MIN_DISTANCE for size in (widths, heights)])
    with np.errstate(divide="ignore"):  # equal coordinates; separation along one axis is enough
        scales = (needed / np.abs(_differences(positions))).min(axis=0)
    np.fill_diagonal(scales, 0.0)
    extent = float(np.ptp(positions, axis=0).max()) or 1.0
    centers = positions * min(float(scales.max(initial=0.0)), _LARGEST / extent)
    for _ in range(_MAX_ROUNDS):
        for _ in range(_PUSHES_PER_ROUND):
            missing = needed - np.abs(_differences(centers))
            overlapping = (missing[0] > 1e-6) & (missing[1] > 1e-6) & ~np.eye(len(centers), dtype=bool)
            if not overlapping.any():
                return centers
            # Each of two overlapping boxes moves by half of the overlap, along the axis with the smaller one.
            smaller_axis = missing.argmin(axis=0)
            for axis in (0, 1):
                signs = np.sign(_differences(centers)[axis])
                moves = np.where(overlapping & (smaller_axis == axis), 0.5 * missing[axis], 0.0) * signs
                centers[:, axis] += moves.sum(axis=1)
        centers *= 1.2  # too crowded: scale up and try again
    return centers


def _differences(positions: Points) -> NDArray[np.float64]:
    """Return the pairwise differences of positions, for each axis."""
    return np.stack([np.subtract.outer(column, column) for column in positions.T])


def _tie_breakers(positions: Points) -> Points:
    """Return invisibly small offsets that make all positions distinct."""
    extent = float(np.ptp(positions, axis=0).max()) or 1.0
    steps = np.arange(len(positions)) / len(positions)
    return 1e-3 * extent * np.column_stack([steps**2, steps])


def _curve(source: Box, target: Box) -> Points:
    """Return a curve from the border of one box to that of another."""
    start = np.array([source.left + source.width / 2, source.middle])
    end = np.array([target.left + target.width / 2, target.middle])
    normal = np.array([start[1] - end[1], end[0] - start[0]])
    peak = (start + end) / 2 + _CURVATURE * normal
    start, end = _on_border(source, start, peak), _on_border(target, end, peak)
    return np.array([start, start + 2 / 3 * (peak - start), end + 2 / 3 * (peak - end), end])


def _on_border(box: Box, center: Points, point: Points) -> Points:
    """Return the point at which the line from the center of a box towards a point crosses its border."""
    direction = point - center
    with np.errstate(divide="ignore"):
        share = np.min(np.array([box.width, box.height]) / 2 / np.abs(direction))
    result: Points = center + min(float(share), 1.0) * direction
    return result
