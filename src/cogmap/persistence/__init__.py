"""Model files: save and load fitted models without executing code from the file."""

from cogmap.persistence.files import load, read_card, save

__all__ = ["load", "read_card", "save"]
