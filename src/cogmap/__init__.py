"""Fuzzy cognitive maps learned from data."""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it for true, and `typing` need not be imported to say it
if TYPE_CHECKING:
    from cogmap.classifier import FCMClassifier
    from cogmap.classifier_cv import FCMClassifierCV
    from cogmap.map import FuzzyCognitiveMap

__version__ = "0.1.0.dev0"

__all__ = ["FCMClassifier", "FCMClassifierCV", "FuzzyCognitiveMap", "__version__"]

# Imported when they are asked for: `cogmap --help`, and who needs only a map, do not wait for scikit-learn.
_HOMES = {"FCMClassifier": "classifier", "FCMClassifierCV": "classifier_cv", "FuzzyCognitiveMap": "map"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value  # asked for once
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
