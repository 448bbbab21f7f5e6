"""Loading of datasets, from scikit-learn, a data folder, or a download."""

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.files import read_limited
from cogmap._utils.params import check_choice
from cogmap.exceptions import DataError
from cogmap.research.datasets.images import RESIZINGS
from cogmap.research.datasets.registry import Dataset, get_dataset

FORMS = ("uci", "paper")
_MAX_BYTES = 2**28  # the largest dataset file has 31 MB


@dataclass(frozen=True)
class LoadedDataset:
    """A dataset as arrays.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Unscaled features.
    y : ndarray of shape (n_samples,)
        Labels: strings for the form ``"uci"``, the author's codes for the form ``"paper"``.
    feature_names : list of str
        Names of the columns of `X`.
    origin : str
        Source of the rows.

    See Also
    --------
    load_dataset : Returns a dataset.

    Examples
    --------
    >>> from cogmap.research.datasets import load_dataset
    >>> iris = load_dataset("iris")
    >>> iris.X.shape, iris.feature_names[0], iris.origin
    ((150, 4), 'sepal length (cm)', 'scikit-learn')
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    feature_names: list[str]
    origin: str


def load_dataset(
    name: str, form: str = "uci", data_dir: str | os.PathLike[str] | None = None, resizing: str = "bicubic"
) -> LoadedDataset:
    """Load a dataset.

    The four datasets included in scikit-learn are always available. The others are read from a data folder or, without
    one, downloaded into scikit-learn's cache.

    Parameters
    ----------
    name : str
        A name in `cogmap.research.datasets.DATASETS`.
    form : {"uci", "paper"}, default="uci"
        ``"uci"``: all genuine features, with one-hot encoded categories. ``"paper"``: the author's columns and codes,
        which omit a genuine feature in eight datasets and number categories by first appearance.
    data_dir : path, default=None
        Folder with the data files. Defaults to the environment variable COGMAP_DATA.
    resizing : {"bicubic", "stretched"}, default="bicubic"
        Downscaling of the face images: as in the author's results file, or as in the printed tables.

    Returns
    -------
    LoadedDataset
        Features and labels.

    See Also
    --------
    get_dataset : Description of a dataset.
    missing_files : Files that a data folder lacks.

    Examples
    --------
    >>> from cogmap.research.datasets import load_dataset
    >>> load_dataset("wine").X.shape
    (178, 13)
    """
    check_choice("load_dataset", "form", form, FORMS)
    check_choice("load_dataset", "resizing", resizing, list(RESIZINGS))
    dataset = get_dataset(name)
    if dataset.source == "scikit-learn":
        return _from_scikit_learn(dataset)
    folder = data_dir or os.environ.get("COGMAP_DATA")
    read, fetch = _READERS[dataset.source]
    if folder:
        path = Path(folder) / dataset.file
        return read(dataset, _checked_content(path, dataset), str(path), form, resizing)
    try:
        return fetch(dataset, form, resizing)
    except Exception as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise DataError(
            f"Dataset {name!r} is not available: no data folder was given, and the download failed ({reason}). "
            f"Either put {dataset.file} into a folder and pass it with --data-dir or COGMAP_DATA, or connect to the "
            "network."
        ) from problem


def missing_files(names: Iterable[str], data_dir: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the files of datasets that the data folder lacks.

    Parameters
    ----------
    names : iterable of str
        Datasets.
    data_dir : path, default=None
        Folder with the data files. Defaults to the environment variable COGMAP_DATA.

    Returns
    -------
    list of str
        File names; empty without a folder, because files are then downloaded.

    See Also
    --------
    load_dataset : Reads these files.

    Examples
    --------
    >>> import tempfile
    >>> from cogmap.research.datasets import missing_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     missing_files(["iris", "heart"], folder)  # iris comes with scikit-learn
    ['heart.csv']
    """
    folder = data_dir or os.environ.get("COGMAP_DATA")
    files = dict.fromkeys(get_dataset(name).file for name in names)
    return [file for file in files if file and folder and not (Path(folder) / file).is_file()]


def _checked_content(path: Path, dataset: Dataset) -> bytes:
    """Read and verify the data file; it is read once, so the content used is the content checked."""
    if not path.parent.is_dir():
        raise DataError(
            f"The data folder {path.parent} does not exist. Pass a folder that contains {dataset.file}, or none to "
            "download it."
        )
    if not path.is_file():
        raise DataError(f"Dataset {dataset.name!r} is not in the data folder: the file {path} does not exist.")
    return checked_content(path, dataset.sha256)


def checked_content(path: Path, sha256: str) -> bytes:
    """Return the content of a file after verifying its checksum."""
    try:
        content = read_limited(path, _MAX_BYTES)
    except OSError as problem:
        raise DataError(f"The file {path} cannot be read: {problem.strerror or problem}.") from problem
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise DataError(
            f"The file {path} has an unexpected checksum: its SHA-256 is {digest[:12]}..., not {sha256[:12]}... "
            "It is damaged or has been changed; download it again."
        )
    return content


def _from_scikit_learn(dataset: Dataset) -> LoadedDataset:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{dataset.name}")()
    names = [str(name) for name in bunch.feature_names]
    return LoadedDataset(bunch.data.astype(np.float64), bunch.target, names, "scikit-learn")


# --- tables


def _read_table(dataset: Dataset, content: bytes, origin: str, form: str, resizing: str) -> LoadedDataset:
    header, *lines = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    columns = dict(zip(header, (np.array(column) for column in zip(*lines, strict=True)), strict=True))
    return _as_form(dataset, columns, form, origin)


def _fetch_table(dataset: Dataset, form: str, resizing: str) -> LoadedDataset:
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=dataset.openml_id, as_frame=False, parser="liac-arff")
    columns = {}
    for name, values in zip(bunch.feature_names, bunch.data.T, strict=True):
        categories = (bunch.categories or {}).get(name)
        columns[name] = values if categories is None else np.array(categories)[values.astype(int)]
    columns["target"] = np.asarray(bunch.target).astype(str)
    return _as_form(dataset, columns, form, f"OpenML {dataset.openml_id}")


def _as_form(dataset: Dataset, columns: dict[str, NDArray[Any]], form: str, origin: str) -> LoadedDataset:
    labels = columns.pop("target")
    for name in dataset.identifiers:
        columns.pop(name, None)
    if form == "paper":
        if dataset.paper_drops:
            columns.pop(next(iter(columns)))  # always the first; a downloaded table may use another name
        X = [_codes_or_numbers(dataset, values) for values in columns.values()]
        return LoadedDataset(np.column_stack(X), _paper_codes(dataset, labels), list(columns), origin)
    names, X = [], []
    for name, values in columns.items():
        if name not in dataset.nominal and _is_numeric(values):
            names.append(name)
            X.append(values.astype(np.float64))
            continue
        categories = np.unique(values)
        for category in categories[1:] if len(categories) == 2 else categories:  # two categories need one column
            names.append(f"{name}={category}")
            X.append((values == category).astype(np.float64))
    return LoadedDataset(np.column_stack(X), labels, names, origin)


def _is_numeric(values: NDArray[Any]) -> bool:
    try:
        values.astype(np.float64)
    except ValueError:
        return False
    return True


def _codes_or_numbers(dataset: Dataset, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers unchanged, and categories as the author's codes."""
    if _is_numeric(values):
        return values.astype(np.float64)
    categories, first, codes = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(categories))
    if dataset.paper_values:
        number[:] = [dataset.paper_values.index(category) for category in categories.tolist()]
    else:
        number[np.argsort(first)] = np.arange(len(categories))
    return number[codes]


def _paper_codes(dataset: Dataset, labels: NDArray[Any]) -> NDArray[np.intp]:
    known = list(dataset.paper_labels)
    if not known:
        return labels.astype(np.intp)
    if set(labels.tolist()) <= set(known):
        return np.array([known.index(label) for label in labels.tolist()])
    return np.unique(labels, return_inverse=True)[1]  # downloaded, with differently spelled labels


# --- images


def _faces(dataset: Dataset, images: NDArray[Any], target: NDArray[Any], resizing: str, origin: str) -> LoadedDataset:
    X = RESIZINGS[resizing](images, dataset.size)
    return LoadedDataset(X.reshape(len(X), -1), target.astype(np.intp), _pixel_names(dataset.size), origin)


def _read_faces(dataset: Dataset, content: bytes, origin: str, form: str, resizing: str) -> LoadedDataset:
    with np.load(io.BytesIO(content)) as arrays:
        return _faces(dataset, arrays["images"], arrays["target"], resizing, origin)


def _fetch_faces(dataset: Dataset, form: str, resizing: str) -> LoadedDataset:
    from sklearn.datasets import fetch_olivetti_faces

    bunch = fetch_olivetti_faces()
    return _faces(dataset, np.rint(bunch.images * 242), bunch.target, resizing, "scikit-learn's fetch_olivetti_faces")


def _read_fashion(dataset: Dataset, content: bytes, origin: str, form: str, resizing: str) -> LoadedDataset:
    with np.load(io.BytesIO(content)) as arrays:
        X = np.concatenate([arrays["x_train"], arrays["x_test"]])
        y = np.concatenate([arrays["y_train"], arrays["y_test"]])
        rows = arrays["subset10000"]
    return _fashion(dataset, X.reshape(len(X), -1)[rows], y[rows], origin)


def _fetch_fashion(dataset: Dataset, form: str, resizing: str) -> LoadedDataset:
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=dataset.openml_id, as_frame=False, parser="liac-arff")
    rows = fashion_subset(bunch.target)
    return _fashion(dataset, bunch.data[rows], bunch.target[rows], f"OpenML {dataset.openml_id}")


def _fashion(dataset: Dataset, X: NDArray[Any], y: NDArray[Any], origin: str) -> LoadedDataset:
    return LoadedDataset(X.astype(np.float64), y.astype(np.intp), _pixel_names(dataset.size), origin)


def fashion_subset(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of 1000 rows per class, drawn with a fixed seed, for use without a data folder."""
    random = np.random.RandomState(123)
    chosen = [random.choice(np.flatnonzero(labels == label), 1000, replace=False) for label in np.unique(labels)]
    return np.sort(np.concatenate(chosen))


def _pixel_names(size: int) -> list[str]:
    return [f"pixel {row},{column}" for row in range(size) for column in range(size)]


_READERS: dict[str, tuple[Callable[..., LoadedDataset], Callable[..., LoadedDataset]]] = {
    "table": (_read_table, _fetch_table),
    "olivetti": (_read_faces, _fetch_faces),
    "fashion": (_read_fashion, _fetch_fashion),
}
