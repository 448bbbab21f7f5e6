"""The drawn map for a notebook."""

from html import escape

from cogmap._graph.layout import layout
from cogmap._graph.svg import to_svg
from cogmap._graph.view import View


def to_html(view: View, caption: str) -> str:
    """Return an HTML element with the drawn map and a line of text; nothing else is needed to show it."""
    return (
        '<div style="margin:0.5em 0;overflow-x:auto">'
        f'<div style="font-size:90%;margin-bottom:0.3em">{escape(caption)}</div>{to_svg(layout(view))}</div>'
    )
