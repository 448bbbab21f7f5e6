"""Packages that are needed for some features only, and come with an extra."""

from importlib import import_module
from types import ModuleType

from cogmap.exceptions import MissingPackageError


def import_or_raise(module: str, feature: str, extra: str) -> ModuleType:
    """Import a module, or say which feature needs it and how to install it.

    Parameters
    ----------
    module : str
        What to import.
    feature : str
        What needs it, as the beginning of a sentence.
    extra : str
        With which extra it comes.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        package = (missing.name or module).split(".")[0]
        if package == "cogmap":  # a mistake of ours
            raise
        raise MissingPackageError(
            f"{feature} needs the package {package!r}. Install it with: pip install 'cogmap[{extra}]'"
        ) from None
