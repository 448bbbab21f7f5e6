"""Tables that are larger than memory, as chunks for `fit_chunks`: Parquet, CSV, memory-mapped arrays."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, check_integer, param_error, shown, suggestion
from cogmap.exceptions import DataError

Opened = Callable[[], Iterator[tuple[Any, ...]]]

ROWS = 2**16  # in a chunk


def array_chunks(X: Any, y: Any, sample_weight: Any = None, rows: int = ROWS) -> Opened:
    """Return the chunks of arrays, which may be memory-mapped: of them only a chunk is read at a time.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features, such as ``np.load("X.npy", mmap_mode="r")``.
    y : ndarray of shape (n_rows,)
        Targets.
    sample_weight : ndarray of shape (n_rows,), default=None
        Weights of the rows.
    rows : int, default=65536
        Rows of a chunk.

    Returns
    -------
    callable
        Opens the chunks, as `fit_chunks` wants it.

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
    given = {"y": y, "sample_weight": sample_weight}
    for name, array in given.items():
        if array is not None and len(array) != len(X):
            raise param_error(owner, name, f"of {len(X)} rows, as X", Literal(f"{len(array)}"))

    def opened() -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(X), rows):
            here = slice(start, start + rows)
            weight = () if sample_weight is None else (np.asarray(sample_weight[here]),)
            yield np.asarray(X[here]), np.asarray(y[here]), *weight

    return opened


def parquet_chunks(paths: Any, target: str | Sequence[str], sample_weight: str | None = None) -> Opened:
    """Return the chunks of Parquet files.

    Parameters
    ----------
    paths : path, or list of paths
        A file, a folder whose files ``*.parquet`` are read in the order of their names, or several of them.
    target : str or list of str
        Column to learn; several for `FCMRegressor`. All other columns are features.
    sample_weight : str, default=None
        Column with the weights of the rows.

    Returns
    -------
    callable
        Opens the chunks, as `fit_chunks` wants it.
    """
    parquet: Any = import_or_raise("pyarrow.parquet", "parquet_chunks", "parquet")
    import_or_raise("pandas", "parquet_chunks", "table")
    files = _files("parquet_chunks", paths, ".parquet")

    def frames(path: Path) -> Iterator[Any]:
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            _check_columns(path, file.schema_arrow.names, target, sample_weight)
            for batch in file.iter_batches(ROWS, use_threads=False):
                yield batch.to_pandas()

    return _opener(files, frames, "Parquet", target, sample_weight)


def csv_chunks(paths: Any, target: str | Sequence[str], sample_weight: str | None = None) -> Opened:
    """Return the chunks of CSV files, which begin with the names of their columns.

    Parameters
    ----------
    paths : path, or list of paths
        A file, a folder whose files ``*.csv`` are read in the order of their names, or several of them.
    target : str or list of str
        Column to learn; several for `FCMRegressor`. All other columns are features.
    sample_weight : str, default=None
        Column with the weights of the rows.

    Returns
    -------
    callable
        Opens the chunks, as `fit_chunks` wants it.
    """
    pandas: Any = import_or_raise("pandas", "csv_chunks", "table")
    files = _files("csv_chunks", paths, ".csv")

    def frames(path: Path) -> Iterator[Any]:
        with pandas.read_csv(path, chunksize=ROWS) as reader:
            for frame in reader:
                _check_columns(path, list(frame.columns), target, sample_weight)
                yield frame

    return _opener(files, frames, "CSV", target, sample_weight)


def _opener(
    files: list[Path], frames: Callable[[Path], Iterator[Any]], kind: str, target: Any, sample_weight: str | None
) -> Opened:
    """Return what opens the chunks of files, of which `frames` reads one."""

    def opened() -> Iterator[tuple[Any, ...]]:
        for path in files:
            try:
                for frame in frames(path):
                    yield _divided(frame, target, sample_weight)
            except (OSError, ValueError) as error:
                if isinstance(error, DataError):
                    raise
                reason = str(error).strip().split("\n")[0].rstrip(".")
                raise DataError(
                    f"{path} cannot be read as {kind}; perhaps it is cut or damaged ({reason}). Write it again, or "
                    "leave it out."
                ) from None

    return opened


def _files(owner: str, paths: Any, ending: str) -> list[Path]:
    """Return the files that are meant, all of which exist."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[Path] = []
    for each in map(Path, given):
        files += sorted(each.glob(f"*{ending}")) if each.is_dir() else [each]
    missing = [str(path) for path in files if not path.is_file()]
    if missing or not files:
        got = Literal(f"{missing[0]!r}, which does not exist" if missing else "none")
        raise param_error(owner, "paths", f"a file, a folder with files *{ending}, or a list of them", got)
    return files


def _check_columns(path: Path, columns: list[str], target: Any, sample_weight: str | None) -> None:
    targets = [target] if isinstance(target, str) else list(target)
    for name in [*targets, *([] if sample_weight is None else [sample_weight])]:
        if name not in columns:
            raise DataError(
                f"{path} has no column {name!r}, only {shown(columns)}. {suggestion(name, map(str, columns))}".strip()
            )


def _divided(frame: Any, target: Any, sample_weight: str | None) -> tuple[Any, ...]:
    y = frame[target if isinstance(target, str) else list(target)]
    weight = () if sample_weight is None else (frame[sample_weight].to_numpy(),)
    left_out = [*([target] if isinstance(target, str) else target), *([sample_weight] if sample_weight else [])]
    return frame.drop(columns=left_out), y, *weight
