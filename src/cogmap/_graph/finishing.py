"""What all layouts end with: rings, a page that begins at 0, and the legend below."""

from dataclasses import replace

import numpy as np

from cogmap._graph.legend import legend_of
from cogmap._graph.picture import Arrow, Box, Picture, Ring, Word
from cogmap._graph.view import View

MARGIN = 10.0


def make_ring(x: float, y: float, size: float, ring: dict[str, float] | None) -> Ring | None:
    """Return the ring of an influence on oneself, if there is one."""
    if ring is None:
        return None
    return Ring(x, y, 0.36 * size, size * (0.08 + 0.17 * ring["strength"]), ring["weight"])


def finished(view: View, boxes: list[Box], arrows: list[Arrow], words: list[Word], size: float) -> Picture:
    """Move all that is drawn to where a page begins, and write the legend below."""
    small = max(0.85 * size, 10.0)
    ends = [arrow.points for arrow in arrows] + [
        np.array([[box.left, box.top], [box.right, box.bottom]]) for box in boxes
    ]
    ends += [np.array([[word.x, word.y - small]]) for word in words]
    low, high = np.concatenate(ends).min(axis=0), np.concatenate(ends).max(axis=0)
    shift_x, shift_y = MARGIN - low[0], MARGIN - low[1]
    shift = np.array([shift_x, shift_y])
    width, height = high + shift + MARGIN
    legend, keys, legend_height, legend_width = legend_of(view, float(width), float(height), small)
    more = max(0.0, legend_width + MARGIN - width) / 2  # the legend may be wider than the graph, which is then centred
    shift_x, shift = shift_x + more, shift + np.array([more, 0.0])
    return Picture(
        float(width) + 2 * more,
        float(height) + legend_height,
        size,
        small,
        [
            replace(
                box,
                left=box.left + shift_x,
                top=box.top + shift_y,
                text_x=box.text_x + shift_x,
                ring=box.ring and replace(box.ring, x=box.ring.x + shift_x, y=box.ring.y + shift_y),
            )
            for box in boxes
        ],
        [replace(arrow, points=arrow.points + shift, head=arrow.head + shift) for arrow in arrows],
        [replace(word, x=word.x + shift_x, y=word.y + shift_y) for word in words] + legend,
        keys,
        _title(view),
    )


def _title(view: View) -> str:
    n_concepts = len(view["names"]) + view["n_left_out"]
    return f"Fuzzy cognitive map of {n_concepts} concepts; {len(view['edges'])} influences are drawn."
