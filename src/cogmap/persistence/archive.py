"""A model file as bytes: a zip with JSON and arrays, looked at before anything is unpacked.

`model.json` says the format, its version, the shape of each array and the value itself; `arrays` holds the numbers of
all arrays one after the other; `card.json` is what a person may want to read about the model.
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
from cogmap.exceptions import ModelFileError

FORMAT = "cogmap model"
VERSION = 1

MOST_BYTES = 2**30  # of a file, and of what is in it
_MOST_JSON = 2**24
_MOST_AXES = 8
_LEVEL = 4  # of packing; a higher one takes ten times as long for one part in a hundred
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
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
    return file.getvalue()


def unpack(content: bytes) -> Content:
    """Return what is in a model file; ModelFileError, with half a sentence, if it is none."""
    with _opened(content) as package:
        head = _head(package)
        kinds = [_described(one) for one in head["arrays"]]
        claimed, there = sum(kind.size for kind in kinds), package.getinfo(_ARRAYS).file_size
        if claimed != there:
            raise ModelFileError(f"its arrays claim {claimed:,} bytes, and {there:,} are there")
        return Content(head["value"], _arrays(kinds, package.read(_ARRAYS)), _card(package))


def unpack_card(content: bytes) -> Card:
    """Return the card of a model file alone."""
    with _opened(content) as package:
        _head(package)
        return _card(package)


@contextmanager
def _opened(content: bytes) -> Iterator[zipfile.ZipFile]:
    """Open a model file, after a look at the names and sizes of its parts."""
    if not content.startswith(b"PK\x03\x04"):
        raise ModelFileError(_said_of(content))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            _check_parts(package.infolist())
            yield package
    except (ModelFileError, MemoryError):
        raise
    except Exception as problem:  # zipfile and zlib have many more than their own for files that are damaged
        raise ModelFileError(f"it is cut off or damaged ({problem})") from None


def _check_parts(found: list[zipfile.ZipInfo]) -> None:
    names = [part.filename for part in found]
    if _MODEL not in names:
        raise ModelFileError(f"it is a zip file without {_MODEL!r}, so no model of ours")
    if strange := [name for name in names if name not in (_MODEL, _ARRAYS, _CARD)]:
        raise ModelFileError(f"it has a part {strange[0][:80]!r}, which no model file has")
    if len(set(names)) < len(names) or _ARRAYS not in names:
        raise ModelFileError("its parts are not those of a model file, each once")
    for part in found:
        if part.flag_bits & 0x1 or part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ModelFileError(f"its part {part.filename!r} is encrypted, or packed in a way that ours never is")
        limit = MOST_BYTES if part.filename == _ARRAYS else _MOST_JSON
        if part.file_size > limit:
            size = f"{part.file_size:,} bytes"
            raise ModelFileError(f"its part {part.filename!r} would unpack to {size}, more than {limit:,}")


def _said_of(content: bytes) -> str:
    """Say what a file is that does not begin like a model file."""
    if not content:
        return "it is empty"
    kind = next((kind for start, kind in _FOREIGN.items() if content.startswith(start)), "")
    return kind or "it does not begin like a model file"


def _head(package: zipfile.ZipFile) -> dict[str, Any]:
    head = _from_json(package, _MODEL)
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


def _card(package: zipfile.ZipFile) -> Card:
    card = _from_json(package, _CARD) if _CARD in package.namelist() else {}
    if not isinstance(card, dict):
        raise ModelFileError(f"{_CARD!r} is no mapping")
    return card


def _to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _from_json(package: zipfile.ZipFile, name: str) -> Any:
    text = package.read(name)
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


def _arrays(kinds: list[_Described], numbers: bytes) -> list[NDArray[Any]]:
    """Return the arrays; that their sizes are right has been seen."""
    arrays, start, everything = [], 0, np.frombuffer(numbers, np.uint8)
    for kind in kinds:
        shuffled = everything[start : start + kind.size].reshape(kind.dtype.itemsize, math.prod(kind.shape))
        arrays.append(shuffled.T.copy().view(kind.dtype).reshape(kind.shape, order=kind.order))
        start += kind.size
    return arrays
