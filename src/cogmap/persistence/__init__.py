"""Model files: what was learned, kept in one file that runs nothing when it is loaded."""

from cogmap.persistence.files import load, read_card, save

__all__ = ["load", "read_card", "save"]
