"""The picture of a map as SVG, and as HTML for notebooks, readable on light and dark backgrounds."""

from html import escape

from cogmap.maps._text import printable
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.picture import (
    BORDER,
    FILLS,
    MUTED,
    NEGATIVE,
    OPACITY,
    POSITIVE,
    SOFT,
    TEXT,
    WEIGHT_SIZE,
    Arrow,
    Box,
    Label,
    LegendKey,
    Picture,
    Points,
    Ring,
    WeightLabel,
    color,
    dashes,
)
from cogmap.maps.drawing.view import View

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def to_html(view: View, caption: str) -> str:
    """Return a self-contained HTML element with a caption and the picture."""
    text = escape(f"{caption} {view['share']}".rstrip())
    return (
        '<div style="margin:0.5em 0;overflow-x:auto">'
        f'<div style="font-size:90%;margin-bottom:0.3em">{text}</div>{to_svg(layout(view))}</div>'
    )


def to_svg(picture: Picture) -> str:
    """Return the picture as an SVG element of its natural size, or narrower if the page is."""
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
        *(_label(label, picture.small) for label in picture.labels),
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
    title = f"{_text(arrow.source)} → {_text(arrow.target)}: {arrow.weight:+.3g}"
    broken = f' stroke-dasharray="{" ".join(map(_n, dashes(arrow.width)))}"' if arrow.dashed else ""
    return (
        f'<g stroke="{shade}" stroke-width="{_n(arrow.width)}"><title>{title}</title>'
        f'<path d="M{_at(start)} C{_at(curves)}"{broken}/>'
        f'<polygon points="{_at(arrow.head)}" fill="{shade}" stroke="none"/></g>'
    )


def _box(box: Box, size: float) -> str:
    # Text is in the group of its background, so that the contrast between them is known.
    shade = f' fill="{SOFT}"' if box.alone else ""
    lines = "".join(
        f'<text x="{_n(box.text_x)}" y="{_n(y + 0.35 * size)}" text-anchor="{box.anchor}"{shade}>{_text(line)}</text>'
        for y, line in zip(box.heights_of_lines(size), box.lines, strict=True)
    )
    if box.weights:
        weights = "".join(_weight(label, size) for label in box.weights)
        lines += f'<g font-size="{_n(WEIGHT_SIZE * size)}" fill="{MUTED}">{weights}</g>'
    dashed = ' stroke-dasharray="2 2"' if box.alone else ""
    title = f"<title>{_text(box.name)}</title>"
    background = (
        f'<rect x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}" rx="4" '
        f'fill="{FILLS[box.kind]}" stroke="{BORDER}"{dashed}/>'
    )
    return f"<g>{title}{background}{lines}{_ring(box.ring) if box.ring else ''}</g>"


def _weight(label: WeightLabel, size: float) -> str:
    return f'<text x="{_n(label.x)}" y="{_n(label.y + 0.35 * WEIGHT_SIZE * size)}">{label.text}</text>'


def _ring(ring: Ring) -> str:
    return (
        f'<circle cx="{_n(ring.x)}" cy="{_n(ring.y)}" r="{_n(ring.radius)}" fill="none" stroke="{color(ring.weight)}" '
        f'stroke-width="{_n(ring.width)}"><title>on itself: {ring.weight:+.3g}</title></circle>'
    )


def _key(key: LegendKey, size: float) -> str:
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


def _label(label: Label, size: float) -> str:
    x, y = _n(label.x), _n(label.y + 0.35 * size)
    return f'<text x="{x}" y="{y}" text-anchor="{label.anchor}">{_text(label.text)}</text>'
