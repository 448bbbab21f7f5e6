"""What all layouts end with: rings, a page that begins at 0, and the legend below."""

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
    ends = [arrow.points for arrow in arrows]
    ends += [np.array([[box.left, box.top], [box.right, box.bottom]]) for box in boxes]
    ends += [np.array([[word.x, word.y - small]]) for word in words]
    low, high = np.concatenate(ends).min(axis=0), np.concatenate(ends).max(axis=0)
    width, height = (float(length) for length in high - low + 2 * MARGIN)
    legend, keys, legend_height, legend_width = legend_of(view, width, height, small)
    more = max(0.0, legend_width + MARGIN - width)  # the legend may be wider than the graph, which is then centred
    x, y = MARGIN - float(low[0]) + more / 2, MARGIN - float(low[1])
    return Picture(
        width=width + more,
        height=height + legend_height,
        size=size,
        small=small,
        boxes=[box.moved(x, y) for box in boxes],
        arrows=[arrow.moved(x, y) for arrow in arrows],
        words=[word.moved(x, y) for word in words] + legend,
        keys=keys,
        title=_title(view),
    )


def _title(view: View) -> str:
    n_concepts = len(view["names"]) + view["n_left_out"]
    return f"Fuzzy cognitive map of {n_concepts} concepts; {len(view['edges'])} influences are drawn."
