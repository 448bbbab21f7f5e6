"""Fuzzy cognitive maps learned from data."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cogmap.classifier import FCMClassifier
    from cogmap.classifier_cv import FCMClassifierCV
    from cogmap.map import FuzzyCognitiveMap
    from cogmap.regressor import FCMRegressor

__version__ = "0.1.0.dev0"

__all__ = ["FCMClassifier", "FCMClassifierCV", "FCMRegressor", "FuzzyCognitiveMap", "__version__"]

# Imported when first asked for: `cogmap --version` needs no scikit-learn.
_ROOMS = {
    "FCMClassifier": "classifier",
    "FCMClassifierCV": "classifier_cv",
    "FCMRegressor": "regressor",
    "FuzzyCognitiveMap": "map",
}


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module 'cogmap' has no attribute {name!r}")
    value = getattr(import_module(f"cogmap.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
