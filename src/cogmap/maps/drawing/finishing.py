"""What all layouts end with: rings, a page that begins at 0, and the legend below, which says what is not drawn."""

import numpy as np

from cogmap.maps.drawing.picture import Arrow, Box, Key, Picture, Ring, Word
from cogmap.maps.drawing.text import names_in_lines, text_width
from cogmap.maps.drawing.view import View

MARGIN = 10.0
_MOST_NAMES = 60  # of concepts that are not drawn


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
    legend, keys, legend_height, legend_width = _legend(view, width, height, small)
    n_concepts = len(view["names"]) + view["n_left_out"]
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
        title=f"Fuzzy cognitive map of {n_concepts} concepts; {len(view['edges'])} influences are drawn.",
    )


def _legend(view: View, width: float, top: float, size: float) -> tuple[list[Word], list[Key], float, float]:
    """Return words and keys, and the height and the width that they take."""
    words, keys = [], []
    entries = list(zip(("positive", "negative"), view["signs"], strict=True))
    if view["rings"]:
        entries.append(("ring", "on itself"))
    x, y = MARGIN, top + size
    widest = 0.0
    for kind, text in entries:
        room = (1.4 if kind == "ring" else 2.6) * size
        if x > MARGIN and x + room + text_width(text, size) > max(width, 260.0):
            x, y = MARGIN, y + 1.5 * size
        keys.append(Key(x, y, kind))
        words.append(Word(x + room, y, text, "start"))
        x += room + text_width(text, size) + 1.5 * size
        widest = max(widest, x - 1.5 * size)
    room = max(width, 260.0) - 2 * MARGIN
    for line in wrapped(view["note"], room, size) + wrapped(_left_out(view), room, size):
        y += 1.5 * size
        words.append(Word(MARGIN, y, line, "start"))
        widest = max(widest, MARGIN + text_width(line, size))
    return words, keys, y + 1.2 * size - top, widest


def _left_out(view: View) -> str:
    """Name the concepts that have only weaker influences, as many as can be read."""
    names = [" ".join(names_in_lines([name], 20.0, 1)[0]) for name in view["left_out"][:_MOST_NAMES]]
    if not names:
        return ""
    more = view["n_left_out"] - len(names)
    return f"Weaker ones only: {', '.join(names)}{f' and {more} more' if more else ''}."


def wrapped(text: str, widest: float, size: float) -> list[str]:
    """Break text into lines that are not too wide."""
    lines = [""] if text else []
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > widest:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
