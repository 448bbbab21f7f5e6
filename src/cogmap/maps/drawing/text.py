"""Approximate text widths without a font, and line breaking of long names."""

import re
import unicodedata
from collections.abc import Sequence

from cogmap.maps._text import printable

# Widths of DejaVu Sans in units of the font size. It is wider than most fonts: text that fits in DejaVu Sans fits in
# any common sans-serif font.
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
_OTHER = 0.72  # lower-case letters of other alphabets are wider on average
_BETWEEN_PARTS, _PART_END = re.compile(r"(?<= and) |(?<= or) |(?<= \+) "), re.compile(r" (and|or|\+)$")
_ELLIPSIS = "…"


def text_width(text: str, size: float) -> float:
    """Return the approximate width of a line of text, an overestimate rather than an underestimate."""
    return size * sum(_width_of(letter) for letter in text)


def _width_of(letter: str) -> float:
    if letter in _WIDTH_OF:
        return _WIDTH_OF[letter]
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    base = unicodedata.normalize("NFD", letter)[0]  # é is as wide as e
    return _WIDTH_OF.get(base, 1.1 if letter.isupper() else _OTHER if letter.islower() else 1.0)


def names_in_lines(
    names: Sequence[str], widest: float, n_lines: int, combined: Sequence[bool] = ()
) -> list[tuple[str, ...]]:
    """Break names into at most `n_lines` lines of about `widest` times the font size, so that all remain distinct.

    Text that does not fit is omitted in the middle, since names often differ at their ends. Each part of a combined
    name, such as "high age and low weight", has its own lines.
    """
    parts = [
        _BETWEEN_PARTS.split(printable(name)) if is_combined else [printable(name)]
        for name, is_combined in zip(names, combined or [False] * len(names), strict=True)
    ]
    for wider in (1.0, 1.5, 2.0, 3.0):
        lines = [tuple(line for part in name for line in _lines(part, wider * widest, n_lines)) for name in parts]
        if len(set(lines)) == len(set(names)):
            break
    return lines


def part_starts(lines: Sequence[str]) -> list[int]:
    """Return the number of the line in which each part of a combined name begins."""
    return [number for number in range(len(lines)) if number == 0 or _PART_END.search(lines[number - 1])]


def _lines(text: str, widest: float, n_lines: int) -> tuple[str, ...]:
    if n_lines == 1 or text_width(text, 1.0) <= widest:
        return (_shortened(text, widest),)
    words = re.split(r"(?<=[ _/.-])(?=.)", text)
    count = 1
    while count < len(words) and text_width("".join(words[: count + 1]).rstrip(), 1.0) <= widest:
        count += 1
    head, tail = "".join(words[:count]).rstrip(), "".join(words[count:])
    if text_width(head, 1.0) > widest or not tail:  # the first word is too long: break it at the end of the line
        fitting = _prefix(text, widest)
        head, tail = text[:fitting], text[fitting:]
    return (head, *_lines(tail, widest, n_lines - 1))


def _shortened(text: str, widest: float) -> str:
    """Replace the middle of a line that is too wide by an ellipsis."""
    if text_width(text, 1.0) <= widest:
        return text
    available = widest - text_width(_ELLIPSIS, 1.0)
    head = _prefix(text, 0.6 * available)
    tail = _prefix(text[::-1], available - text_width(text[:head], 1.0))
    return text[:head].rstrip() + _ELLIPSIS + text[len(text) - tail :].lstrip()


def _prefix(text: str, available: float) -> int:
    """Return the number of leading letters that fit, at least one."""
    used = 0.0
    for count, letter in enumerate(text):
        used += _width_of(letter)
        if used > available:
            return max(count, 1)
    return len(text)
