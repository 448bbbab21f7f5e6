"""Text without a font at hand: about how wide it is, and how a long name is cut into lines."""

import re
import unicodedata
from collections.abc import Sequence

from cogmap.maps._text import printable

# Widths in units of the size of the font. They are those of DejaVu Sans, which is wider than most: what has room in
# these has room in any common font without serifs.
_WIDTHS = {
    0.30: "'ijlIJ",
    0.35: " ,./:;\\|f",
    0.41: "-()[]t!r",
    0.54: '"*_`sz?c',
    0.60: "LFkvxyP",
    0.64: "TYaoeESbdghnpqu$0123456789{}",
    0.70: "KAVBRXZC",
    0.79: "UHNDG&OQ",
    0.86: "w#+<=>^~M",
    1.00: "%mW@",
}
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER = 0.72  # letters of other alphabets are wider on average
_ELLIPSIS = "…"


def text_width(text: str, size: float) -> float:
    """Return about how wide a line of text is, rather too much than too little."""
    return size * sum(_width_of(letter) for letter in text)


def _width_of(letter: str) -> float:
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    base = unicodedata.normalize("NFD", letter)[0]  # é is as wide as e
    return _WIDTH_OF.get(base, 1.1 if letter.isupper() else _OTHER if letter.islower() else 1.0)


def names_in_lines(names: Sequence[str], widest: float, n_lines: int) -> list[tuple[str, ...]]:
    """Cut names into at most `n_lines` lines of about `widest` times the size of the font, so that none look alike.

    What does not fit is left out in the middle, since names often differ at their ends.
    """
    for wider in (1.0, 1.5, 2.0, 3.0):
        lines = [_lines(printable(name), wider * widest, n_lines) for name in names]
        if len(set(lines)) == len(set(names)):
            break
    return lines


def _lines(text: str, widest: float, n_lines: int) -> tuple[str, ...]:
    if n_lines == 1 or text_width(text, 1.0) <= widest:
        return (_shortened(text, widest),)
    words = re.split(r"(?<=[ _/.-])(?=.)", text)
    count = 1
    while count < len(words) and text_width("".join(words[: count + 1]).rstrip(), 1.0) <= widest:
        count += 1
    head, tail = "".join(words[:count]).rstrip(), "".join(words[count:])
    if text_width(head, 1.0) > widest or not tail:  # its first word is too long: it is cut where the line ends
        fitting = _prefix(text, widest)
        head, tail = text[:fitting], text[fitting:]
    return (head, *_lines(tail, widest, n_lines - 1))


def _shortened(text: str, widest: float) -> str:
    """Leave out the middle of a line that is too wide."""
    if text_width(text, 1.0) <= widest:
        return text
    room = widest - text_width(_ELLIPSIS, 1.0)
    head = _prefix(text, 0.6 * room)
    tail = _prefix(text[::-1], room - text_width(text[:head], 1.0))
    return text[:head].rstrip() + _ELLIPSIS + text[len(text) - tail :].lstrip()


def _prefix(text: str, room: float) -> int:
    """Return how many of the first letters fit, at least one."""
    used = 0.0
    for count, letter in enumerate(text):
        used += _width_of(letter)
        if used > room:
            return max(count, 1)
    return len(text)
