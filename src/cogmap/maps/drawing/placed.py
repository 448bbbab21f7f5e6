"""The picture of a map as its author has laid it out: concepts where they were put, as far apart as names need."""

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.finishing import finished, make_ring
from cogmap.maps.drawing.picture import LINE, Box, Picture, Points, line_widths
from cogmap.maps.drawing.routes import make_arrow
from cogmap.maps.drawing.text import names_in_lines, text_width
from cogmap.maps.drawing.view import View

_SIZE = 13.0  # of the font
_APART = 42.0  # the distance of boxes at least, so that an arrow can be seen between them
_BOW = 0.13  # how far an arrow bows out, in units of its length: there and back do not lie on each other
_LARGEST = 1300.0  # what a picture may be stretched to; where concepts lie closer still, they are pushed apart
_MOST_PUSHES, _PUSHES_AT_ONCE = 60, 30


def placed(view: View) -> Picture:
    """Lay out the picture of a map by the positions in the view."""
    lines = names_in_lines(view["names"], 11.0, 3)
    ringed = {ring["source"]: ring for ring in view["rings"]}
    slots = np.array([1.3 * _SIZE if i in ringed else 0.0 for i in range(len(lines))])
    widths = np.array([max(text_width(line, _SIZE) for line in name) + 1.4 * _SIZE for name in lines]) + slots
    heights = np.array([(LINE * len(name) + 0.6) * _SIZE for name in lines])
    middles = _apart(np.array(view["positions"], dtype=np.float64), widths, heights)
    boxes = {}
    joined = {concept for edge in view["edges"] for concept in (edge["source"], edge["target"])}
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
            alone=i not in joined,
            ring=make_ring(left + 0.95 * _SIZE, y, _SIZE, ringed.get(i)),
        )
    arrows = [
        make_arrow(_bow(boxes[edge["source"]], boxes[edge["target"]]), width, edge, boxes)
        for edge, width in zip(view["edges"], line_widths(view["edges"]), strict=True)
    ][::-1]
    return finished(view, list(boxes.values()), arrows, [], _SIZE)


def _apart(positions: Points, widths: NDArray[np.float64], heights: NDArray[np.float64]) -> Points:
    """Return the middles of boxes: the positions, stretched and then pushed until no two boxes touch."""
    positions = positions - positions.min(axis=0)
    positions += _breaking_ties(positions)
    needed = np.stack([np.add.outer(size, size) / 2 + _APART for size in (widths, heights)])
    with np.errstate(divide="ignore"):  # beside each other, or one below the other
        stretches = (needed / np.abs(_differences(positions))).min(axis=0)
    np.fill_diagonal(stretches, 0.0)
    enough = float(stretches.max(initial=0.0))
    reach = float(np.ptp(positions, axis=0).max()) or 1.0
    middles = positions * min(enough, _LARGEST / reach)
    for _ in range(_MOST_PUSHES):
        for _ in range(_PUSHES_AT_ONCE):
            missing = needed - np.abs(_differences(middles))
            touching = (missing[0] > 1e-6) & (missing[1] > 1e-6) & ~np.eye(len(middles), dtype=bool)
            if not touching.any():
                return middles
            # Each of two that touch gives way by half, in the direction in which less is missing.
            across = missing.argmin(axis=0)
            for axis in (0, 1):
                signs = np.sign(_differences(middles)[axis])
                way = np.where(touching & (across == axis), 0.5 * missing[axis], 0.0) * signs
                middles[:, axis] += way.sum(axis=1)
        middles *= 1.2  # there is too little room
    return middles


def _differences(positions: Points) -> NDArray[np.float64]:
    """Return by how much each concept is to the right of and below each other."""
    return np.stack([np.subtract.outer(column, column) for column in positions.T])


def _breaking_ties(positions: Points) -> Points:
    """Return by how much to move concepts, too little to be seen, so that no two lie on each other."""
    reach = float(np.ptp(positions, axis=0).max()) or 1.0
    steps = np.arange(len(positions)) / len(positions)
    return 1e-3 * reach * np.column_stack([steps**2, steps])


def _bow(source: Box, target: Box) -> Points:
    """Return a curve from one box to another."""
    start = np.array([source.left + source.width / 2, source.middle])
    end = np.array([target.left + target.width / 2, target.middle])
    across = np.array([start[1] - end[1], end[0] - start[0]])
    peak = (start + end) / 2 + _BOW * across
    start, end = _on_edge(source, start, peak), _on_edge(target, end, peak)
    return np.array([start, start + 2 / 3 * (peak - start), end + 2 / 3 * (peak - end), end])


def _on_edge(box: Box, middle: Points, toward: Points) -> Points:
    """Return where the line from the middle of a box towards a point leaves it."""
    way = toward - middle
    with np.errstate(divide="ignore"):
        share = np.min(np.array([box.width, box.height]) / 2 / np.abs(way))
    on_edge: Points = middle + min(float(share), 1.0) * way
    return on_edge
