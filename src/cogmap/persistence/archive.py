"""Container of model files: a zip of JSON and arrays, validated before it is unpacked.

`model.json` contains the format name, its version, dtype and shape of each array, and the saved value; `arrays`
contains the data of all arrays; `card.json` is the optional model card; `sections.json` has optional sections, which
older files do not have and of which a reader ignores those that it does not know.

Memory used by a reader is limited by a `Budget` proportional to the file size, so that a small file cannot exhaust
memory.
"""

import io
import json
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cogmap import __version__
from cogmap._utils.guards import opened_zip
from cogmap.exceptions import DataError, ModelFileError

FORMAT = "cogmap model"
VERSION = 2  # 1: some attributes had other names, see `parts.renamed`

MOST_BYTES = 2**30  # limit for a file, and for its arrays
_MOST_JSON = 2**24
_MOST_AXES = 8
_LEVEL = 4  # compression level; higher ones take ten times as long and save one percent
_BASE_BUDGET = 48_000_000  # bytes of memory for an empty file
_BUDGET_PER_BYTE = 12
# Estimated memory of parsed JSON in bytes, including the copies of a reader: per list or object, per item, per
# character.
_PER_BRACKET, _PER_ITEM, _PER_CHARACTER = 400, 100, 4
_COPIES = 3  # of each array: as bytes, as an array, and in the loaded object
_DTYPES = {np.dtype(code).str: np.dtype(code) for code in ("?", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8")}
_DTYPES |= {np.dtype(code).str: np.dtype(code) for code in ("<f2", "<f4", "<f8")}

_MODEL, _ARRAYS, _CARD, _SECTIONS = "model.json", "arrays", "card.json", "sections.json"

# Optional sections by name, with the type of their JSON value. A new section is a line here; the version stays.
SECTIONS: dict[str, type] = {"held_out": dict, "training_statistics": dict, "training_rows": dict, "edits": dict}

_FOREIGN = {
    b"\x80": "it is a pickle, which cogmap does not read, because loading a pickle can run arbitrary code",
    b"\x1f\x8b": "it is a gzip file",
    b"\x89HDF": "it is an HDF5 file",
    b"\x93NUMPY": "it is a NumPy array",
    b"{": "it is JSON; a map in JSON is read by cogmap.read_map",
}

Card = dict[str, Any]


class Content(NamedTuple):
    """Content of a model file."""

    value: Any  # JSON, in which ``{"array": 3}`` refers to the fourth array
    arrays: list[NDArray[Any]]
    card: Card
    sections: dict[str, Any]


class Budget:
    """Memory that loading a file may still use.

    Parameters
    ----------
    size : int
        Size of the file in bytes.
    """

    def __init__(self, size: int) -> None:
        self._left = _BASE_BUDGET + _BUDGET_PER_BYTE * size

    def spend(self, n_bytes: int, what: str) -> None:
        """Reserve memory before an object is created; raise if the budget is exceeded."""
        self._left -= n_bytes
        if self._left < 0:
            raise ModelFileError(f"its {what} would take far more memory than is allowed for a file of this size")


def can_hold(array: NDArray[Any]) -> bool:
    """Return whether a file can store an array of this dtype and number of dimensions."""
    return array.dtype.newbyteorder("<").str in _DTYPES and array.ndim <= _MOST_AXES


def pack(content: Content) -> bytes:
    """Convert content to the bytes of a model file; equal content gives equal bytes."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "cogmap": __version__,
        "arrays": [_description(array) for array in content.arrays],
        "value": content.value,
    }
    parts = {_MODEL: _to_json(head), _ARRAYS: b"".join(_bytes(array) for array in content.arrays)}
    parts |= {name: _to_json(part) for name, part in ((_CARD, content.card), (_SECTIONS, content.sections)) if part}
    packed = _zipped(parts, zipfile.ZIP_DEFLATED)
    # Arrays of zeros compress so well that a reader would reject the file as a zip bomb.
    if _COPIES * len(parts[_ARRAYS]) > _BUDGET_PER_BYTE * len(packed):
        packed = _zipped(parts, zipfile.ZIP_STORED)
    return packed


def _zipped(parts: dict[str, bytes], method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part, method, compresslevel=_LEVEL)
    return file.getvalue()


def unpack(content: bytes, budget: Budget) -> Content:
    """Read the content of a model file.

    Raises ModelFileError if it is not valid; the message is half a sentence, because the caller names the file.
    """
    with _opened(content) as package:
        head = _head(package, budget)
        kinds = [_described(one) for one in head["arrays"]]
        declared, actual = sum(kind.size for kind in kinds), package.getinfo(_ARRAYS).file_size
        if declared != actual:
            raise ModelFileError(f"its arrays should have {declared:,} bytes, but have {actual:,}")
        budget.spend(_COPIES * actual, "arrays")
        with package.open(_ARRAYS) as numbers:
            arrays = [_array(kind, numbers.read(kind.size)) for kind in kinds]
            if numbers.read(1):  # reading to the end also verifies the checksum
                raise ModelFileError("its arrays are longer than declared")
        sections = _mapping(package, _SECTIONS, budget)
        if wrong := [name for name, kind in SECTIONS.items() if not isinstance(sections.get(name, kind()), kind)]:
            raise ModelFileError(f"its section {wrong[0]!r} is invalid")
        known = {name: sections[name] for name in SECTIONS if name in sections}
        return Content(head["value"], arrays, _mapping(package, _CARD, budget), known)


def unpack_card(content: bytes) -> Card:
    """Read only the card of a model file."""
    budget = Budget(len(content))
    with _opened(content) as package:
        _head(package, budget)
        return _mapping(package, _CARD, budget)


@contextmanager
def _opened(content: bytes) -> Iterator[zipfile.ZipFile]:
    """Open a model file after validating the names and sizes of its members."""
    if not content.startswith(b"PK\x03\x04"):
        raise ModelFileError(_kind_of(content))
    try:
        with opened_zip(content, MOST_BYTES + 3 * _MOST_JSON) as package:
            _check_parts(package.infolist())
            yield package
    except DataError as problem:
        raise ModelFileError(str(problem)) from None


def _check_parts(members: list[zipfile.ZipInfo]) -> None:
    names = [part.filename for part in members]
    if _MODEL not in names:
        raise ModelFileError(f"it is a zip file without {_MODEL!r}, so it is not a model file")
    if unknown := [name for name in names if name not in (_MODEL, _ARRAYS, _CARD, _SECTIONS)]:
        raise ModelFileError(f"it has an unknown member {unknown[0][:80]!r}")
    if len(set(names)) < len(names) or _ARRAYS not in names:
        raise ModelFileError("it has missing or duplicate members")
    for part in members:
        if part.filename != _ARRAYS and part.file_size > _MOST_JSON:
            size = f"{part.file_size:,} bytes"
            raise ModelFileError(f"its member {part.filename!r} would unpack to {size}, more than {_MOST_JSON:,}")


def _kind_of(content: bytes) -> str:
    """Describe a file that does not begin like a model file."""
    if not content:
        return "it is empty"
    kind = next((kind for start, kind in _FOREIGN.items() if content.startswith(start)), "")
    return kind or "it does not begin like a model file"


def _head(package: zipfile.ZipFile, budget: Budget) -> dict[str, Any]:
    head = _from_json(package, _MODEL, budget)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ModelFileError("it is not marked as a cogmap model")
    version = head.get("version")
    if type(version) is not int or version < 1:
        raise ModelFileError("it has no valid format version")
    if version > VERSION:
        writer = str(head.get("cogmap"))[:40]
        raise ModelFileError(
            f"it has version {version} of the format, written by cogmap {writer}, and this cogmap ({__version__}) "
            f"reads versions up to {VERSION}; install a newer cogmap"
        )
    if not isinstance(head.get("arrays"), list) or "value" not in head:
        raise ModelFileError(f"{_MODEL!r} has no arrays or no value")
    return head


def _mapping(package: zipfile.ZipFile, name: str, budget: Budget) -> dict[str, Any]:
    """Read an optional member that is a JSON object; it is empty if the file does not have it."""
    mapping = _from_json(package, name, budget) if name in package.namelist() else {}
    if not isinstance(mapping, dict):
        raise ModelFileError(f"{name!r} is not a mapping")
    return mapping


def _to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _from_json(package: zipfile.ZipFile, name: str, budget: Budget) -> Any:
    text = package.read(name)
    n_brackets, n_items = text.count(b"[") + text.count(b"{"), text.count(b",") + text.count(b":")
    budget.spend(_PER_BRACKET * n_brackets + _PER_ITEM * n_items + _PER_CHARACTER * len(text), repr(name))
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{name!r} is not valid JSON ({problem})") from None


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def _description(array: NDArray[Any]) -> dict[str, Any]:
    described = {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape)}
    # Memory order is stored, because sums depend on it in the last bits.
    return described | ({"order": "F"} if _is_by_columns(array) else {})


def _is_by_columns(array: NDArray[Any]) -> bool:
    return array.flags.f_contiguous and not array.flags.c_contiguous


def _bytes(array: NDArray[Any]) -> bytes:
    """Convert an array to bytes, shuffled: the first bytes of all numbers, then the second bytes, and so on.

    The first bytes of learned numbers are similar and compress well if stored together; the last ones are random.
    """
    little = array.astype(array.dtype.newbyteorder("<"), copy=False).ravel("F" if _is_by_columns(array) else "C")
    return little.view(np.uint8).reshape(array.size, array.dtype.itemsize).T.tobytes()


class _Described(NamedTuple):
    """Dtype, shape and memory order of an array in a file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Any  # "C" or "F"

    @property
    def size(self) -> int:
        """Number of bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def _described(one: Any) -> _Described:
    dtype = _DTYPES.get(str(one.get("dtype"))) if isinstance(one, dict) else None
    shape = one.get("shape") if isinstance(one, dict) else None
    if dtype is None or not isinstance(shape, list) or len(shape) > _MOST_AXES:
        raise ModelFileError("it has an array of an unsupported dtype or shape")
    if not all(type(length) is int and 0 <= length <= MOST_BYTES for length in shape):
        raise ModelFileError("it has an array of an invalid shape")
    order = one.get("order", "C")
    if order not in ("C", "F"):
        raise ModelFileError("it has an array of an invalid memory order")
    return _Described(dtype, tuple(shape), order)


def _array(kind: _Described, numbers: bytes) -> NDArray[Any]:
    shuffled = np.frombuffer(numbers, np.uint8).reshape(kind.dtype.itemsize, math.prod(kind.shape))
    return shuffled.T.copy().view(kind.dtype).reshape(kind.shape, order=kind.order)
