"""Columns of raw tables: one class per kind, in a module each."""

from cogmap.table.columns.base import Cells, Column, Fault, Unseen, Value, spans
from cogmap.table.columns.boolean import BooleanColumn
from cogmap.table.columns.category import CategoryColumn
from cogmap.table.columns.date import DateColumn
from cogmap.table.columns.number import NumberColumn
from cogmap.table.columns.ordered import OrderedColumn

__all__ = [
    "BooleanColumn",
    "CategoryColumn",
    "Cells",
    "Column",
    "DateColumn",
    "Fault",
    "NumberColumn",
    "OrderedColumn",
    "Unseen",
    "Value",
    "spans",
]
