"""`fit_table`: from a raw table and the name of a column to a model that predicts it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cogmap.table.files import read_table
from cogmap.table.model import TableModel
from cogmap.table.predictions import as_frame
from cogmap.table.training import FitOptions, train


def fit_table(
    data: Any,
    target: str,
    options: FitOptions | None = None,
    *,
    progress: Callable[[str, int, int], None] | None = None,
) -> TableModel:
    """Learn to predict a column of a raw table from the others.

    Column types are inferred: numbers, categories, booleans, dates. The model is scored by cross-validation beside a
    random forest and a linear model; its card holds the scores, what matters, and the columns that were left out.

    Parameters
    ----------
    data : data frame, list of dict, str or path-like
        A table of pandas, polars or pyarrow, rows by column name, or a CSV, TSV, Excel or Parquet file.
    target : str
        The column to predict.
    options : FitOptions, default=None
        Task, columns to keep or drop, monotone effects, an expert map, a time limit. None: the defaults.
    progress : callable, default=None
        Called with a description, the number of finished steps and the number of all steps.

    Returns
    -------
    TableModel

    See Also
    --------
    TablePreparer : The preparation alone, for a scikit-learn pipeline.

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
    return TableModel.of(*train(frame, target, options or FitOptions(), source, progress))
