"""Raw tables: `fit_table` learns from one, and a `TableModel` answers questions about raw rows."""

from cogmap.table.fitting import fit_table
from cogmap.table.model import Predictions, TableModel
from cogmap.table.preparation import TablePreparer
from cogmap.table.training import FitOptions

__all__ = ["FitOptions", "Predictions", "TableModel", "TablePreparer", "fit_table"]
