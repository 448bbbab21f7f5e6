"""Raw tables: `fit_table` fits a map to one, and a `TableModel` predicts and explains raw rows."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cogmap.table.fitting import fit_table
    from cogmap.table.model import TableModel
    from cogmap.table.options import FitOptions
    from cogmap.table.predictions import Predictions
    from cogmap.table.preparation import TablePreparer

__all__ = ["FitOptions", "Predictions", "TableModel", "TablePreparer", "fit_table"]

# Imported on first access, because they need pandas, which the page does not: it imports modules of this package.
_MODULES = {
    "FitOptions": "options",
    "Predictions": "predictions",
    "TableModel": "model",
    "TablePreparer": "preparation",
    "fit_table": "fitting",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'cogmap.table' has no attribute {name!r}")
    value: object = getattr(import_module(f"cogmap.table.{_MODULES[name]}"), name)
    globals()[name] = value  # later accesses do not call this function
    return value
