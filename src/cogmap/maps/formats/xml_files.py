"""XML files: detect the dialect by the root element and read the maps."""

from cogmap.exceptions import DataError
from cogmap.maps.formats import graphml, jfcm, mental_modeler
from cogmap.maps.formats.safe_xml import local_name, parsed
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import LETTERS, WORDS, Scale

_READERS = {"mentalmodeler": mental_modeler.read_xml, "maps": jfcm.read_xml, "graphml": graphml.read_xml}


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Read the maps in an XML file."""
    root = parsed(mental_modeler.repaired(content))
    reader = _READERS.get(local_name(root).casefold())
    if reader is None:
        known = ", ".join(f"<{name}>" for name in _READERS)
        raise DataError(f"its root element must be one of {known}, got <{local_name(root)}>")
    drawings = reader(root, scale or (LETTERS if reader is mental_modeler.read_xml else WORDS))
    if not drawings:
        raise DataError("it contains no map")
    return drawings
