"""Chunks for `fit_chunks`, from tables larger than memory: Parquet, CSV, memory-mapped arrays."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, check_integer, param_error, shown, suggestion
from cogmap.exceptions import DataError

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
    """
    parquet: Any = import_or_raise("pyarrow.parquet", "parquet_chunks", "parquet")
    import_or_raise("pandas", "parquet_chunks", "table")
    files = _files("parquet_chunks", paths, ".parquet")

    def frames(path: Path) -> Iterator[Any]:
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            _check_columns(path, file.schema_arrow.names, target, sample_weight)
            for batch in file.iter_batches(ROWS, use_threads=False):
                yield batch.to_pandas()

    return _chunk_factory(files, frames, "Parquet", target, sample_weight)


def csv_chunks(paths: Any, target: str | Sequence[str], sample_weight: str | None = None) -> ChunkFactory:
    """Read CSV files in chunks; each file begins with a header of column names.

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
    """
    pandas: Any = import_or_raise("pandas", "csv_chunks", "table")
    files = _files("csv_chunks", paths, ".csv")

    def frames(path: Path) -> Iterator[Any]:
        with pandas.read_csv(path, chunksize=ROWS) as reader:
            for frame in reader:
                _check_columns(path, list(frame.columns), target, sample_weight)
                yield frame

    return _chunk_factory(files, frames, "CSV", target, sample_weight)


def _chunk_factory(
    files: list[Path], frames: Callable[[Path], Iterator[Any]], kind: str, target: Any, sample_weight: str | None
) -> ChunkFactory:
    """Return a function that iterates over the chunks of all files; `frames` reads one file."""

    def chunks() -> Iterator[tuple[Any, ...]]:
        for path in files:
            try:
                for frame in frames(path):
                    yield _split_columns(frame, target, sample_weight)
            except (OSError, ValueError) as error:
                if isinstance(error, DataError):
                    raise
                reason = str(error).strip().split("\n")[0].rstrip(".")
                raise DataError(
                    f"{path} cannot be read as {kind}; it may be truncated or damaged ({reason}). Write it again, or "
                    "omit it."
                ) from None

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


def _check_columns(path: Path, columns: list[str], target: Any, sample_weight: str | None) -> None:
    targets = [target] if isinstance(target, str) else list(target)
    for name in [*targets, *([] if sample_weight is None else [sample_weight])]:
        if name not in columns:
            raise DataError(
                f"{path} has no column {name!r}, only {shown(columns)}. {suggestion(name, map(str, columns))}".strip()
            )


def _split_columns(frame: Any, target: Any, sample_weight: str | None) -> tuple[Any, ...]:
    """Split a frame into features, targets and, if any, row weights."""
    y = frame[target if isinstance(target, str) else list(target)]
    weight = () if sample_weight is None else (frame[sample_weight].to_numpy(),)
    excluded = [*([target] if isinstance(target, str) else target), *([sample_weight] if sample_weight else [])]
    return frame.drop(columns=excluded), y, *weight
