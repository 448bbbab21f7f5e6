"""Safe XML parsing (checked by `_utils.guards`) and helpers for readers and writers of XML formats."""

import re
from xml.etree import ElementTree

from cogmap._utils.guards import check_xml
from cogmap.exceptions import DataError
from cogmap.maps.formats.limits import MOST_PARTS

_IMPOSSIBLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def parsed(content: bytes) -> ElementTree.Element:
    """Parse a document without a document type declaration, and return its root element."""
    check_xml(content, MOST_PARTS)
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as problem:  # expat accepts some encodings that ElementTree does not
        raise DataError(f"it is not well-formed XML: {problem}") from None


def local_name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: ElementTree.Element | None, name: str | None = None) -> list[ElementTree.Element]:
    """Return the children of an element, optionally only those with a name, in any namespace."""
    return [] if element is None else [child for child in element if name is None or local_name(child) == name]


def child(element: ElementTree.Element | None, name: str) -> ElementTree.Element | None:
    """Return the first child of an element with a name, or None."""
    return next(iter(children(element, name)), None)


def text_of(element: ElementTree.Element | None) -> str:
    """Return the text of an element, which may be empty or None."""
    return "" if element is None or element.text is None else element.text


def written(document: str) -> bytes:
    """Encode a document; raise if it has a character that XML does not allow."""
    match = _IMPOSSIBLE.search(document)
    if match:
        near = document[max(match.start() - 20, 0) : match.end()].rpartition("\n")[2]
        raise DataError(f"XML does not allow the last character of {near!r}")
    return document.encode()
