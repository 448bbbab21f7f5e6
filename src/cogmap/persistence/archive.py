"""A model file as bytes: a zip with JSON and arrays, checked before anything is unpacked.

`model.json` has the format, its version, the shape of each array and the value itself; `arrays` holds the numbers of
all arrays one after the other; `card.json` is the card, for people.

A reader spends a `Budget` that is proportional to the size of the file on everything that it makes, so that a small
file cannot fill the memory.
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
VERSION = 1

MOST_BYTES = 2**30  # of a file, and of its arrays
_MOST_JSON = 2**24
_MOST_AXES = 8
_LEVEL = 4  # of compression; a higher one takes ten times as long for one part in a hundred
_BASE_BUDGET = 48_000_000  # bytes of memory for a file of no size
_BUDGET_PER_BYTE = 12
# Bytes of memory that JSON takes as Python objects, with the copies of a reader: per list or object, per item, and per
# character.
_PER_BRACKET, _PER_ITEM, _PER_CHARACTER = 400, 100, 4
_COPIES = 3  # of an array: as bytes, as an array, and within the object that is made of it
_DTYPES = {np.dtype(code).str: np.dtype(code) for code in ("?", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8")}
_DTYPES |= {np.dtype(code).str: np.dtype(code) for code in ("<f2", "<f4", "<f8")}

_MODEL, _ARRAYS, _CARD = "model.json", "arrays", "card.json"

_FOREIGN = {
    b"\x80": "it is a pickle, which cogmap does not read: to load one is to run what is in it",
    b"\x1f\x8b": "it is a gzip file",
    b"\x89HDF": "it is an HDF5 file",
    b"\x93NUMPY": "it is a NumPy array",
    b"{": "it is JSON; a map in JSON is read by cogmap.read_map",
}

Card = dict[str, Any]


class Content(NamedTuple):
    """What is in a model file."""

    value: Any  # JSON in which a place may be taken by the number of an array
    arrays: list[NDArray[Any]]
    card: Card


class Budget:
    """Memory that may still be used for a file.

    Parameters
    ----------
    size : int
        Bytes of the file.
    """

    def __init__(self, size: int) -> None:
        self._left = _BASE_BUDGET + _BUDGET_PER_BYTE * size

    def spend(self, n_bytes: int, what: str) -> None:
        """Take memory for something, before it is made."""
        self._left -= n_bytes
        if self._left < 0:
            raise ModelFileError(f"its {what} would take far more memory than a file of this size may")


def can_hold(array: NDArray[Any]) -> bool:
    """Whether an array is of numbers that a file has a place for."""
    return array.dtype.newbyteorder("<").str in _DTYPES and array.ndim <= _MOST_AXES


def pack(content: Content) -> bytes:
    """Return the bytes of a model file; the same content gives the same bytes."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "cogmap": __version__,
        "arrays": [_description(array) for array in content.arrays],
        "value": content.value,
    }
    parts = {_MODEL: _to_json(head), _ARRAYS: b"".join(_bytes(array) for array in content.arrays)}
    if content.card:
        parts[_CARD] = _to_json(content.card)
    packed = _zipped(parts, zipfile.ZIP_DEFLATED)
    # Arrays of nothing but zeros are compressed so well that a reader would take them for a bomb.
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
    """Return what is in a model file; ModelFileError, with half a sentence, if it is none."""
    with _opened(content) as package:
        head = _head(package, budget)
        kinds = [_described(one) for one in head["arrays"]]
        claimed, there = sum(kind.size for kind in kinds), package.getinfo(_ARRAYS).file_size
        if claimed != there:
            raise ModelFileError(f"its arrays claim {claimed:,} bytes, and {there:,} are there")
        budget.spend(_COPIES * there, "arrays")
        with package.open(_ARRAYS) as numbers:
            arrays = [_array(kind, numbers.read(kind.size)) for kind in kinds]
            if numbers.read(1):  # which also compares the checksum
                raise ModelFileError("its arrays are longer than they claim")
        return Content(head["value"], arrays, _card(package, budget))


def unpack_card(content: bytes) -> Card:
    """Return the card of a model file alone."""
    budget = Budget(len(content))
    with _opened(content) as package:
        _head(package, budget)
        return _card(package, budget)


@contextmanager
def _opened(content: bytes) -> Iterator[zipfile.ZipFile]:
    """Open a model file after a check of the names and sizes of its parts."""
    if not content.startswith(b"PK\x03\x04"):
        raise ModelFileError(_kind_of(content))
    try:
        with opened_zip(content, MOST_BYTES + 2 * _MOST_JSON) as package:
            _check_parts(package.infolist())
            yield package
    except DataError as problem:
        raise ModelFileError(str(problem)) from None


def _check_parts(found: list[zipfile.ZipInfo]) -> None:
    names = [part.filename for part in found]
    if _MODEL not in names:
        raise ModelFileError(f"it is a zip file without {_MODEL!r}, so no model of ours")
    if strange := [name for name in names if name not in (_MODEL, _ARRAYS, _CARD)]:
        raise ModelFileError(f"it has a part {strange[0][:80]!r}, which no model file has")
    if len(set(names)) < len(names) or _ARRAYS not in names:
        raise ModelFileError("its parts are not those of a model file, each once")
    for part in found:
        if part.filename != _ARRAYS and part.file_size > _MOST_JSON:
            size = f"{part.file_size:,} bytes"
            raise ModelFileError(f"its part {part.filename!r} would unpack to {size}, more than {_MOST_JSON:,}")


def _kind_of(content: bytes) -> str:
    """Return what a file is that does not begin like a model file."""
    if not content:
        return "it is empty"
    kind = next((kind for start, kind in _FOREIGN.items() if content.startswith(start)), "")
    return kind or "it does not begin like a model file"


def _head(package: zipfile.ZipFile, budget: Budget) -> dict[str, Any]:
    head = _from_json(package, _MODEL, budget)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ModelFileError("it does not say that it is a model of cogmap")
    version = head.get("version")
    if type(version) is not int or version < 1:
        raise ModelFileError("it does not say of which version of the format it is")
    if version > VERSION:
        made = str(head.get("cogmap"))[:40]
        raise ModelFileError(
            f"it is of version {version} of the format, made by cogmap {made}, and this cogmap ({__version__}) reads "
            f"versions up to {VERSION}; install a newer cogmap"
        )
    if not isinstance(head.get("arrays"), list) or "value" not in head:
        raise ModelFileError(f"{_MODEL!r} has no arrays or no value")
    return head


def _card(package: zipfile.ZipFile, budget: Budget) -> Card:
    card = _from_json(package, _CARD, budget) if _CARD in package.namelist() else {}
    if not isinstance(card, dict):
        raise ModelFileError(f"{_CARD!r} is no mapping")
    return card


def _to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _from_json(package: zipfile.ZipFile, name: str, budget: Budget) -> Any:
    text = package.read(name)
    n_brackets, n_items = text.count(b"[") + text.count(b"{"), text.count(b",") + text.count(b":")
    budget.spend(_PER_BRACKET * n_brackets + _PER_ITEM * n_items + _PER_CHARACTER * len(text), repr(name))
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{name!r} is no JSON ({problem})") from None


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _description(array: NDArray[Any]) -> dict[str, Any]:
    described = {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape)}
    # The same numbers in another order in memory may add up to other last bits.
    return described | ({"order": "F"} if _is_by_columns(array) else {})


def _is_by_columns(array: NDArray[Any]) -> bool:
    return array.flags.f_contiguous and not array.flags.c_contiguous


def _bytes(array: NDArray[Any]) -> bytes:
    """Return the numbers of an array: the first byte of each, then the second of each, and so on.

    The last bytes of learned numbers are random, the first ones alike; side by side these can be packed.
    """
    little = array.astype(array.dtype.newbyteorder("<"), copy=False).ravel("F" if _is_by_columns(array) else "C")
    return little.view(np.uint8).reshape(array.size, array.dtype.itemsize).T.tobytes()


class _Described(NamedTuple):
    """What a file says about an array."""

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
        raise ModelFileError("it has an array of a kind that no model file has")
    if not all(type(length) is int and 0 <= length <= MOST_BYTES for length in shape):
        raise ModelFileError("it has an array of a shape that none has")
    order = one.get("order", "C")
    if order not in ("C", "F"):
        raise ModelFileError("it has an array in an order that none has")
    return _Described(dtype, tuple(shape), order)


def _array(kind: _Described, numbers: bytes) -> NDArray[Any]:
    shuffled = np.frombuffer(numbers, np.uint8).reshape(kind.dtype.itemsize, math.prod(kind.shape))
    return shuffled.T.copy().view(kind.dtype).reshape(kind.shape, order=kind.order)
