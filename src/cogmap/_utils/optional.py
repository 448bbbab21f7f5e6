"""Imports of optional packages."""

from importlib import import_module
from types import ModuleType

from cogmap.exceptions import MissingPackageError


def import_or_raise(module: str, feature: str, extra: str) -> ModuleType:
    """Import a module, or raise an error that names the feature and the extra to install.

    Parameters
    ----------
    module : str
        Module to import.
    feature : str
        Feature that needs it, as the beginning of a sentence.
    extra : str
        Extra of cogmap that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        package = (missing.name or module).split(".")[0]
        if package == "cogmap":  # a bug in cogmap, not a missing package
            raise
        raise MissingPackageError(
            f"{feature} needs the package {package!r}. Install it with: pip install 'cogmap[{extra}]'"
        ) from None
