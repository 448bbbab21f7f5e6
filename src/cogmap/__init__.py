"""Fuzzy cognitive maps learned from data."""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it for true, and `typing` need not be imported to say it
if TYPE_CHECKING:
    from cogmap.classifier import FCMClassifier
    from cogmap.classifier_cv import FCMClassifierCV
    from cogmap.explanation import explain, feature_importances, influence, prune, pruning_curve, story, what_if
    from cogmap.formats import read_map, read_maps, write_map
    from cogmap.map import FuzzyCognitiveMap
    from cogmap.persistence import load, save
    from cogmap.preparation import TablePreparer
    from cogmap.regressor import FCMRegressor

__version__ = "0.1.0.dev0"

__all__ = [
    "FCMClassifier",
    "FCMClassifierCV",
    "FCMRegressor",
    "FuzzyCognitiveMap",
    "TablePreparer",
    "__version__",
    "explain",
    "feature_importances",
    "influence",
    "load",
    "prune",
    "pruning_curve",
    "read_map",
    "read_maps",
    "save",
    "story",
    "what_if",
    "write_map",
]

# Imported when they are asked for: `cogmap --help`, and who needs only a map, do not wait for scikit-learn.
_ROOMS = {
    "FCMClassifier": "classifier",
    "FCMClassifierCV": "classifier_cv",
    "FCMRegressor": "regressor",
    "FuzzyCognitiveMap": "map",
    "TablePreparer": "preparation",
    "explain": "explanation",
    "feature_importances": "explanation",
    "influence": "explanation",
    "prune": "explanation",
    "pruning_curve": "explanation",
    "story": "explanation",
    "what_if": "explanation",
    "read_map": "formats",
    "read_maps": "formats",
    "write_map": "formats",
    "load": "persistence",
    "save": "persistence",
}


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module 'cogmap' has no attribute {name!r}")
    value: object = getattr(import_module(f"cogmap.{_ROOMS[name]}"), name)
    globals()[name] = value  # asked for once
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
