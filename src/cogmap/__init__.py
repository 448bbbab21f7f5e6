"""Fuzzy cognitive maps learned from data."""

from importlib import import_module

TYPE_CHECKING = False  # type checkers treat it as true; avoids importing `typing`
if TYPE_CHECKING:
    from cogmap.estimators.classifier import FCMClassifier
    from cogmap.estimators.classifier_cv import FCMClassifierCV
    from cogmap.estimators.edits import read_edits
    from cogmap.estimators.forecaster import FCMForecaster
    from cogmap.estimators.learn_map import learn_map
    from cogmap.estimators.regressor import FCMRegressor
    from cogmap.explanation import (
        arrow_intervals,
        explain,
        feature_importances,
        influence,
        prune,
        pruning_curve,
        story,
        to_rules,
        what_if,
    )
    from cogmap.maps.formats import read_map, read_maps, write_map
    from cogmap.maps.map import FuzzyCognitiveMap
    from cogmap.persistence import load, save
    from cogmap.table import TableModel, TablePreparer, fit_table

__version__ = "0.1.0"

__all__ = [
    "FCMClassifier",
    "FCMClassifierCV",
    "FCMForecaster",
    "FCMRegressor",
    "FuzzyCognitiveMap",
    "TableModel",
    "TablePreparer",
    "__version__",
    "arrow_intervals",
    "explain",
    "feature_importances",
    "fit_table",
    "influence",
    "learn_map",
    "load",
    "prune",
    "pruning_curve",
    "read_edits",
    "read_map",
    "read_maps",
    "save",
    "story",
    "to_rules",
    "what_if",
    "write_map",
]

# Imported on first access, so that `cogmap --help` and programs that use only maps do not load scikit-learn.
_MODULES = {
    "FCMClassifier": "estimators.classifier",
    "FCMClassifierCV": "estimators.classifier_cv",
    "FCMForecaster": "estimators.forecaster",
    "FCMRegressor": "estimators.regressor",
    "FuzzyCognitiveMap": "maps.map",
    "TableModel": "table",
    "TablePreparer": "table.preparation",
    "arrow_intervals": "explanation",
    "explain": "explanation",
    "feature_importances": "explanation",
    "fit_table": "table",
    "influence": "explanation",
    "learn_map": "estimators.learn_map",
    "prune": "explanation",
    "pruning_curve": "explanation",
    "story": "explanation",
    "to_rules": "explanation",
    "what_if": "explanation",
    "read_edits": "estimators.edits",
    "read_map": "maps.formats",
    "read_maps": "maps.formats",
    "write_map": "maps.formats",
    "load": "persistence",
    "save": "persistence",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'cogmap' has no attribute {name!r}")
    value: object = getattr(import_module(f"cogmap.{_MODULES[name]}"), name)
    globals()[name] = value  # later accesses do not call this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
