"""Table files: read CSV, TSV, Excel and Parquet, whole or in chunks, and write CSV atomically."""

from cogmap.table.files.reading import Part, read_parts, read_table
from cogmap.table.files.writing import csv_line, whole_output

__all__ = ["Part", "csv_line", "read_parts", "read_table", "whole_output"]
