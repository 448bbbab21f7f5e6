"""Read and write map files of this and other tools, one module per format.

A reader converts bytes to `Drawing` objects: concepts, and edges with their positions in the file for error messages.
`Drawing.to_map` converts a drawing to a map. A writer converts a map to bytes. `files` selects the format by the file
extension, and verifies that a written map can be read back unchanged.
"""

from cogmap.maps.formats.files import read_map, read_maps, write_map
from cogmap.maps.formats.words import MENTAL_MODELER_SCALE, SCALE

__all__ = ["MENTAL_MODELER_SCALE", "SCALE", "read_map", "read_maps", "write_map"]
