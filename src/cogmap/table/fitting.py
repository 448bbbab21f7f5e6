"""`fit_table`: fit a model that predicts one column of a raw table."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cogmap.table.files import read_table
from cogmap.table.frames import as_frame
from cogmap.table.model import TableModel
from cogmap.table.options import FitOptions
from cogmap.table.training import train


def fit_table(
    data: Any,
    target: str,
    options: FitOptions | None = None,
    *,
    progress: Callable[[str, int, int], None] | None = None,
) -> TableModel:
    """Fit a model that predicts a column of a raw table from the other columns.

    Column types are inferred: numbers, categories, booleans, dates. The model is compared by cross-validation with a
    random forest and a linear model; its card holds the scores, the importance of columns, and the columns left out.

    Parameters
    ----------
    data : data frame, list of dict, str or path-like
        A pandas, polars or pyarrow table, rows as dicts, or the path of a CSV, TSV, Excel or Parquet file.
    target : str
        Name of the column to predict.
    options : FitOptions, default=None
        Task, columns to keep or drop, monotone effects, an expert map, a time limit. If None, the defaults are used.
    progress : callable, default=None
        Called with a description, the number of finished steps and the total number of steps.

    Returns
    -------
    TableModel
        The fitted model with its card.

    See Also
    --------
    TablePreparer : The transformer alone, for a scikit-learn pipeline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap.table import fit_table
    >>> iris = load_iris(as_frame=True)
    >>> iris.frame["target"] = iris.target_names[iris.target]
    >>> model = fit_table(iris.frame, "target")
    >>> model.card["scores"]["this map"]["accuracy"]["mean"] > 0.9
    True
    """
    source = "the table"
    if isinstance(data, str | os.PathLike):
        source = Path(data).name
        frame, _ = read_table(os.fspath(data))
    else:
        frame = as_frame(data)
    return train(frame, target, options or FitOptions(), source, progress)
