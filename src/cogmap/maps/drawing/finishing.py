"""Last steps of every layout: rings, the legend, and coordinates that start at 0."""

import numpy as np

from cogmap.maps.drawing.picture import Arrow, Box, Label, LegendKey, Picture, Ring
from cogmap.maps.drawing.text import names_in_lines, text_width
from cogmap.maps.drawing.view import View

MARGIN = 10.0
_MAX_NAMES = 60  # names listed of concepts that are not drawn
_MIN_LEGEND = 260.0  # width


def make_ring(x: float, y: float, size: float, ring: dict[str, float] | None) -> Ring | None:
    """Return the ring of a self-loop, if there is one."""
    if ring is None:
        return None
    return Ring(x, y, 0.36 * size, size * (0.08 + 0.17 * ring["strength"]), ring["weight"])


def finish_picture(view: View, boxes: list[Box], arrows: list[Arrow], labels: list[Label], size: float) -> Picture:
    """Return the picture with the graph moved to the origin and the legend below it."""
    small = max(0.85 * size, 10.0)
    extents = [arrow.points for arrow in arrows]
    extents += [np.array([[box.left, box.top], [box.right, box.bottom]]) for box in boxes]
    extents += [np.array([[label.x, label.y - small]]) for label in labels]
    low, high = np.concatenate(extents).min(axis=0), np.concatenate(extents).max(axis=0)
    width, height = (float(length) for length in high - low + 2 * MARGIN)
    legend, keys, legend_height, legend_width = _legend(view, width, height, small)
    n_concepts = len(view["names"]) + view["n_left_out"]
    more = max(0.0, legend_width + MARGIN - width)  # if the legend is wider, the graph is centered above it
    x, y = MARGIN - float(low[0]) + more / 2, MARGIN - float(low[1])
    return Picture(
        width=width + more,
        height=height + legend_height,
        size=size,
        small=small,
        boxes=[box.moved(x, y) for box in boxes],
        arrows=[arrow.moved(x, y) for arrow in arrows],
        labels=[label.moved(x, y) for label in labels] + legend,
        keys=keys,
        title=f"Fuzzy cognitive map of {n_concepts} concepts; {len(view['edges'])} influences are drawn.",
    )


def _legend(view: View, width: float, top: float, size: float) -> tuple[list[Label], list[LegendKey], float, float]:
    """Return the labels and keys of the legend, its height and its width."""
    labels, keys = [], []
    entries = list(zip(("positive", "negative"), view["signs"], strict=True))
    if view["rings"]:
        entries.append(("ring", "on itself"))
    x, y = MARGIN, top + size
    widest = 0.0
    for kind, text in entries:
        key_width = (1.4 if kind == "ring" else 2.6) * size
        if x > MARGIN and x + key_width + text_width(text, size) > max(width, _MIN_LEGEND):
            x, y = MARGIN, y + 1.5 * size
        keys.append(LegendKey(x, y, kind))
        labels.append(Label(x + key_width, y, text, "start"))
        x += key_width + text_width(text, size) + 1.5 * size
        widest = max(widest, x - 1.5 * size)
    line_width = max(width, _MIN_LEGEND) - 2 * MARGIN
    for line in wrapped(view["note"], line_width, size) + wrapped(_left_out(view), line_width, size):
        y += 1.5 * size
        labels.append(Label(MARGIN, y, line, "start"))
        widest = max(widest, MARGIN + text_width(line, size))
    return labels, keys, y + 1.2 * size - top, widest


def _left_out(view: View) -> str:
    """Return a sentence with the names of concepts that have only weaker edges, up to a readable number."""
    names = [" ".join(names_in_lines([name], 20.0, 1)[0]) for name in view["left_out"][:_MAX_NAMES]]
    if not names:
        return ""
    more = view["n_left_out"] - len(names)
    return f"Weaker ones only: {', '.join(names)}{f' and {more} more' if more else ''}."


def wrapped(text: str, widest: float, size: float) -> list[str]:
    """Break text into lines of at most the width `widest`."""
    lines = [""] if text else []
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > widest:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
