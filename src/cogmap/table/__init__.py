"""Raw tables: `fit_table` fits a map to one, and a `TableModel` predicts and explains raw rows."""

from cogmap.table.fitting import fit_table
from cogmap.table.model import TableModel
from cogmap.table.options import FitOptions
from cogmap.table.predictions import Predictions
from cogmap.table.preparation import TablePreparer

__all__ = ["FitOptions", "Predictions", "TableModel", "TablePreparer", "fit_table"]
