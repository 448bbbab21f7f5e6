"""Raw tables, with text, dates and gaps, as numbers: `TablePreparer`, a scikit-learn transformer."""

from cogmap.preparation.columns import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn
from cogmap.preparation.preparer import TablePreparer
from cogmap.preparation.reading import Reading
from cogmap.preparation.rows import RowReader

__all__ = [
    "BooleanColumn",
    "CategoryColumn",
    "Column",
    "DateColumn",
    "NumberColumn",
    "Reading",
    "RowReader",
    "TablePreparer",
]
