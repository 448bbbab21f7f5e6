"""Raw rows of any form as pandas data frames."""

from collections.abc import Mapping, Sequence
from typing import Any

from cogmap._utils.params import param_error
from cogmap.table.columns.texts import pandas


def as_frame(rows: Any) -> Any:
    """Convert rows to a pandas data frame."""
    if isinstance(rows, pandas.DataFrame):
        return rows
    if isinstance(rows, pandas.Series):
        return rows.to_frame().T.infer_objects()
    if hasattr(rows, "to_pandas") and not hasattr(rows, "to_dict"):  # pyarrow
        return rows.to_pandas()
    if hasattr(rows, "columns"):  # polars
        return pandas.DataFrame(rows.to_dict(as_series=False))
    if isinstance(rows, Mapping):
        rows = [rows]
    if isinstance(rows, Sequence) and all(isinstance(row, Mapping) for row in rows):
        return pandas.DataFrame(rows)
    raise param_error("TableModel", "rows", "a data frame, a dict, or a list of dicts", rows)
