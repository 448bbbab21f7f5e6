"""XML from anywhere, read without running into a bomb and without touching a file or the network."""

import re
from xml.etree import ElementTree
from xml.parsers import expat

from cogmap.exceptions import DataError
from cogmap.maps.formats.text import MOST_PARTS

_DEEPEST = 100
_IMPOSSIBLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def parsed(content: bytes) -> ElementTree.Element:
    """Return the root of a document that declares nothing of its own."""
    check(content)
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as problem:  # it is told another encoding in some documents
        raise DataError(f"it is not well-formed XML: {problem}") from None


def check(content: bytes) -> None:
    """Refuse what is not well-formed, and any document type declaration.

    Entities, from which bombs are made and through which files are read, can only come from such a declaration; no tool
    of this field writes one.
    """
    parser = expat.ParserCreate()
    depth = count = 0

    def start(*_: object) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if count > MOST_PARTS:
            raise DataError(f"it has more than {MOST_PARTS:,} elements, too many for a map")
        if depth > _DEEPEST:
            raise DataError(f"line {parser.CurrentLineNumber}: elements are nested more than {_DEEPEST} deep")

    def end(_: object) -> None:
        nonlocal depth
        depth -= 1

    def declared(*_: object) -> None:
        raise DataError(
            f"line {parser.CurrentLineNumber}: it has a document type declaration, in which entities may be hidden; "
            "delete the declaration if you trust the file"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = declared
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
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
