"""`TablePreparer`, a scikit-learn transformer that converts raw tables to numeric features."""

from cogmap.table.columns import (
    BooleanColumn,
    CategoryColumn,
    Column,
    DateColumn,
    NumberColumn,
    OrderedColumn,
)
from cogmap.table.preparation.preparer import TablePreparer
from cogmap.table.preparation.reading import Reading
from cogmap.table.preparation.rows import RowReader

__all__ = [
    "BooleanColumn",
    "CategoryColumn",
    "Column",
    "DateColumn",
    "NumberColumn",
    "OrderedColumn",
    "Reading",
    "RowReader",
    "TablePreparer",
]
