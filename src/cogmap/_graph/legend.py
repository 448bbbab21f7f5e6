"""The legend below the picture of a map: what colours, widths and rings mean, and what is not drawn."""

from cogmap._graph.picture import Key, Word
from cogmap._graph.text import names_in_lines, text_width
from cogmap._graph.view import View

_LEFT = 10.0
_MOST_NAMES = 60


def legend_of(view: View, width: float, top: float, size: float) -> tuple[list[Word], list[Key], float, float]:
    """Return words and keys, and the height and the width that they take."""
    words, keys = [], []
    entries = list(zip(("positive", "negative"), view["signs"], strict=True))
    if view["rings"]:
        entries.append(("ring", "on itself"))
    x, y = _LEFT, top + size
    widest = 0.0
    for kind, text in entries:
        room = (1.4 if kind == "ring" else 2.6) * size
        if x > _LEFT and x + room + text_width(text, size) > max(width, 260.0):
            x, y = _LEFT, y + 1.5 * size
        keys.append(Key(x, y, kind))
        words.append(Word(x + room, y, text, "start"))
        x += room + text_width(text, size) + 1.5 * size
        widest = max(widest, x - 1.5 * size)
    room = max(width, 260.0) - 2 * _LEFT
    for line in wrapped(view["note"], room, size) + wrapped(_left_out(view), room, size):
        y += 1.5 * size
        words.append(Word(_LEFT, y, line, "start"))
        widest = max(widest, _LEFT + text_width(line, size))
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
