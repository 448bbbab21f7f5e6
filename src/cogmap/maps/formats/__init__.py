"""Maps from and to files of other tools, one module per format.

A reader takes bytes and gives drawings (`drawing`): concepts and arrows, and where in the file each arrow is, so that a
message can say it. One place, `Drawing.to_map`, makes a map of a drawing. A writer takes a map and gives bytes. `files`
knows which ending is which, and checks that what is written comes back.
"""

from cogmap.maps.formats.files import read_map, read_maps, write_map
from cogmap.maps.formats.words import MENTAL_MODELER_SCALE, SCALE

__all__ = ["MENTAL_MODELER_SCALE", "SCALE", "read_map", "read_maps", "write_map"]
