"""Chunks for `fit_chunks`, from tables larger than memory: Parquet, CSV, memory-mapped arrays."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, check_integer, param_error
from cogmap.exceptions import DataError

__all__ = ["array_chunks", "csv_chunks", "parquet_chunks"]

ChunkFactory = Callable[[], Iterator[tuple[Any, ...]]]

ROWS = 2**16  # per chunk


def array_chunks(X: Any, y: Any, sample_weight: Any = None, rows: int = ROWS) -> ChunkFactory:
    """Split arrays into chunks; memory-mapped arrays are read one chunk at a time.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features, such as ``np.load("X.npy", mmap_mode="r")``.
    y : ndarray of shape (n_rows,)
        Targets.
    sample_weight : ndarray of shape (n_rows,), default=None
        Row weights.
    rows : int, default=65536
        Rows per chunk.

    Returns
    -------
    callable
        Function without parameters that returns an iterator of chunks, as `fit_chunks` expects.

    See Also
    --------
    csv_chunks : Read CSV files in chunks; each file begins with a header of column names.
    parquet_chunks : Read Parquet files in chunks.
    cogmap.FCMClassifier.fit_chunks : Fit the map to a table in chunks, with one chunk in memory at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.chunks import array_chunks
    >>> X = np.random.default_rng(0).random((300, 2))
    >>> fcm = FCMClassifier(random_state=0).fit_chunks(array_chunks(X, X[:, 0] > X[:, 1], rows=100))
    >>> bool(fcm.score(X, X[:, 0] > X[:, 1]) > 0.95)
    True
    """
    owner = "array_chunks"
    check_integer(owner, "rows", rows, low=1)
    for name, array in {"y": y, "sample_weight": sample_weight}.items():
        if array is not None and len(array) != len(X):
            raise param_error(owner, name, f"of length {len(X)}, as X", Literal(f"{len(array)}"))

    def chunks() -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(X), rows):
            here = slice(start, start + rows)
            weight = () if sample_weight is None else (np.asarray(sample_weight[here]),)
            yield np.asarray(X[here]), np.asarray(y[here]), *weight

    return chunks


def parquet_chunks(paths: Any, target: str | Sequence[str], sample_weight: str | None = None) -> ChunkFactory:
    """Read Parquet files in chunks.

    Parameters
    ----------
    paths : path, or list of paths
        File, folder (its ``*.parquet`` files are read in alphabetical order), or list of these.
    target : str or list of str
        Target column; `FCMRegressor` accepts several. All other columns are features.
    sample_weight : str, default=None
        Column of row weights.

    Returns
    -------
    callable
        Function without parameters that returns an iterator of chunks, as `fit_chunks` expects.

    See Also
    --------
    csv_chunks : Read CSV files in chunks; each file begins with a header of column names.
    array_chunks : Split arrays into chunks; memory-mapped arrays are read one chunk at a time.
    cogmap.FCMClassifier.fit_chunks : Fit the map to a table in chunks, with one chunk in memory at a time.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from cogmap.integrations.chunks import parquet_chunks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pd.DataFrame({"age": [20, 60], "ill": ["no", "yes"]}).to_parquet(pathlib.Path(folder, "one.parquet"))
    ...     ((X, y),) = parquet_chunks(folder, target="ill")()
    >>> list(X), list(y)
    (['age'], ['no', 'yes'])
    """
    import_or_raise("pyarrow.parquet", "parquet_chunks", "parquet")
    return _chunk_factory("parquet_chunks", paths, ".parquet", target, sample_weight)


def csv_chunks(paths: Any, target: str | Sequence[str], sample_weight: str | None = None) -> ChunkFactory:
    """Read CSV files in chunks; each file begins with a header of column names.

    Encoding and delimiter are detected, and missing values are spelled as in `cogmap.fit_table`.

    Parameters
    ----------
    paths : path, or list of paths
        File, folder (its ``*.csv`` files are read in alphabetical order), or list of these.
    target : str or list of str
        Target column; `FCMRegressor` accepts several. All other columns are features.
    sample_weight : str, default=None
        Column of row weights.

    Returns
    -------
    callable
        Function without parameters that returns an iterator of chunks, as `fit_chunks` expects.

    See Also
    --------
    parquet_chunks : Read Parquet files in chunks.
    array_chunks : Split arrays into chunks; memory-mapped arrays are read one chunk at a time.
    cogmap.FCMClassifier.fit_chunks : Fit the map to a table in chunks, with one chunk in memory at a time.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from cogmap.integrations.chunks import csv_chunks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pd.DataFrame({"age": [20, 60], "ill": ["no", "yes"]}).to_csv(pathlib.Path(folder, "one.csv"), index=False)
    ...     ((X, y),) = csv_chunks(folder, target="ill")()
    >>> list(X), list(y)
    (['age'], ['no', 'yes'])
    """
    return _chunk_factory("csv_chunks", paths, ".csv", target, sample_weight)


def _chunk_factory(owner: str, paths: Any, suffix: str, target: Any, sample_weight: str | None) -> ChunkFactory:
    """Return a function that iterates over the chunks of all files."""
    import_or_raise("pandas", owner, "table")
    from cogmap.table.files import read_parts

    files = _files(owner, paths, suffix)

    def chunks() -> Iterator[tuple[Any, ...]]:
        for path in map(str, files):
            n_rows = 0
            for part in read_parts(path):
                if part.faults:
                    row, reason = min(part.faults.items())
                    raise DataError(f"Row {n_rows + row + 1} of {path} cannot be used: {reason}.")
                yield _split_columns(part.frame, path, target, sample_weight)
                n_rows += len(part.frame)

    return chunks


def _files(owner: str, paths: Any, suffix: str) -> list[Path]:
    """Return the files of `paths`, with folders expanded; all of them exist."""
    entries = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[Path] = []
    for each in map(Path, entries):
        files += sorted(each.glob(f"*{suffix}")) if each.is_dir() else [each]
    missing = [str(path) for path in files if not path.is_file()]
    if missing or not files:
        got = Literal(f"{missing[0]!r}, which does not exist" if missing else "none")
        raise param_error(owner, "paths", f"a file, a folder with files *{suffix}, or a list of them", got)
    return files


def _split_columns(frame: Any, path: str, target: Any, sample_weight: str | None) -> tuple[Any, ...]:
    """Split a frame into features, targets and, if any, row weights."""
    from cogmap.table.targets import column_of

    targets = [target] if isinstance(target, str) else list(target)
    weights = [] if sample_weight is None else [sample_weight]
    columns = {name: column_of(frame, name, path) for name in (*targets, *weights)}
    y = columns[target] if isinstance(target, str) else frame[targets]
    return frame.drop(columns=list(columns)), y, *(columns[name].to_numpy() for name in weights)
