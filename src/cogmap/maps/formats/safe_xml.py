"""XML read behind the guard of `_utils.guards`, and what readers of XML formats share."""

import re
from xml.etree import ElementTree

from cogmap._utils.guards import check_xml
from cogmap.exceptions import DataError
from cogmap.maps.formats.limits import MOST_PARTS

_IMPOSSIBLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def parsed(content: bytes) -> ElementTree.Element:
    """Return the root of a document without a document type declaration."""
    check_xml(content, MOST_PARTS)
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as problem:  # of some encodings, which expat alone accepts
        raise DataError(f"it is not well-formed XML: {problem}") from None


def local_name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: ElementTree.Element | None, name: str | None = None) -> list[ElementTree.Element]:
    """Return the children of an element, all or those that have a name, in whatever namespace."""
    return [] if element is None else [child for child in element if name is None or local_name(child) == name]


def child(element: ElementTree.Element | None, name: str) -> ElementTree.Element | None:
    """Return the first child of an element that has a name."""
    return next(iter(children(element, name)), None)


def text_of(element: ElementTree.Element | None) -> str:
    """Return the text in an element."""
    return "" if element is None or element.text is None else element.text


def written(document: str) -> bytes:
    """Return a document as bytes, if XML can hold all signs in it."""
    found = _IMPOSSIBLE.search(document)
    if found:
        near = document[max(found.start() - 20, 0) : found.end()].rpartition("\n")[2]
        raise DataError(f"XML cannot hold the last sign of {near!r}")
    return document.encode()
