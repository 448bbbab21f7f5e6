"""The picture of a map as SVG text and for a notebook, readable on light and dark ground, without any package."""

from html import escape

from cogmap.maps._text import printable
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.picture import (
    BORDER,
    FILLS,
    NEGATIVE,
    OPACITY,
    POSITIVE,
    SOFT,
    TEXT,
    Arrow,
    Box,
    Key,
    Picture,
    Points,
    Ring,
    Word,
    color,
)
from cogmap.maps.drawing.view import View

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def to_html(view: View, caption: str) -> str:
    """Return an HTML element with the drawn map and a line of text; nothing else is needed to show it."""
    return (
        '<div style="margin:0.5em 0;overflow-x:auto">'
        f'<div style="font-size:90%;margin-bottom:0.3em">{escape(caption)}</div>{to_svg(layout(view))}</div>'
    )


def to_svg(picture: Picture) -> str:
    """Return the picture as an SVG element, which is as wide as it needs to be and at most as wide as its page."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_n(picture.width)} {_n(picture.height)}" '
        f'width="{_n(picture.width)}" height="{_n(picture.height)}" style="max-width:100%;height:auto" '
        f'font-family="{_FONT}">',
        f"<title>{_text(picture.title)}</title>",
        f'<g fill="none" stroke-linecap="butt" opacity="{OPACITY}">',
        *(_arrow(arrow) for arrow in picture.arrows),
        "</g>",
        f'<g font-size="{_n(picture.size)}" fill="{TEXT}">',
        *(_box(box, picture.size) for box in picture.boxes),
        "</g>",
        f'<g font-size="{_n(picture.small)}" fill="{SOFT}">',
        *(_key(key, picture.small) for key in picture.keys),
        *(_word(word, picture.small) for word in picture.words),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    return escape(printable(text))


def _at(points: Points) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _arrow(arrow: Arrow) -> str:
    start, curves = arrow.points[:1], arrow.points[1:]
    shade = color(arrow.weight)
    words = f"{_text(arrow.source)} → {_text(arrow.target)}: {arrow.weight:+.3g}"
    return (
        f'<g stroke="{shade}" stroke-width="{_n(arrow.width)}"><title>{words}</title>'
        f'<path d="M{_at(start)} C{_at(curves)}"/>'
        f'<polygon points="{_at(arrow.head)}" fill="{shade}" stroke="none"/></g>'
    )


def _box(box: Box, size: float) -> str:
    # The ground has to be known to a reader of the words: it is drawn with them.
    shade = f' fill="{SOFT}"' if box.alone else ""
    lines = "".join(
        f'<text x="{_n(box.text_x)}" y="{_n(y + 0.35 * size)}" text-anchor="{box.anchor}"{shade}>{_text(line)}</text>'
        for y, line in zip(box.heights_of_lines(size), box.lines, strict=True)
    )
    dashed = ' stroke-dasharray="2 2"' if box.alone else ""
    title = f"<title>{_text(box.name)}</title>"
    ground = (
        f'<rect x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}" rx="4" '
        f'fill="{FILLS[box.kind]}" stroke="{BORDER}"{dashed}/>'
    )
    return f"<g>{title}{ground}{lines}{_ring(box.ring) if box.ring else ''}</g>"


def _ring(ring: Ring) -> str:
    return (
        f'<circle cx="{_n(ring.x)}" cy="{_n(ring.y)}" r="{_n(ring.radius)}" fill="none" stroke="{color(ring.weight)}" '
        f'stroke-width="{_n(ring.width)}"><title>on itself: {ring.weight:+.3g}</title></circle>'
    )


def _key(key: Key, size: float) -> str:
    if key.kind == "ring":
        middle = key.x + 0.4 * size
        return (
            f'<circle cx="{_n(middle)}" cy="{_n(key.y)}" r="{_n(0.36 * size)}" fill="none" stroke="{SOFT}" '
            'stroke-width="2"/>'
        )
    shade = POSITIVE if key.kind == "positive" else NEGATIVE
    end = key.x + 2.0 * size
    return (
        f'<path d="M{_n(key.x)},{_n(key.y)} H{_n(end)}" fill="none" stroke="{shade}" stroke-width="2.5" '
        f'opacity="{OPACITY}"/>'
    )


def _word(word: Word, size: float) -> str:
    return (
        f'<text x="{_n(word.x)}" y="{_n(word.y + 0.35 * size)}" text-anchor="{word.anchor}">{_text(word.text)}</text>'
    )
