"""Recognize rows that a model has learned from, by salted hashes of at most 10,000 of them.

The kept hashes are the smallest of all. Rows of another table whose hash is at most the largest one kept can be
compared, and their share of known rows is an unbiased estimate of that of the whole table: a subset is recognized too.
"""

import base64
import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MOST = 10_000
_SIZE = 5  # bytes of a hash: by chance, one in a hundred tables of 1,000,000 rows has a row that looks known


class Overlap(NamedTuple):
    """How many rows were compared with the training rows, and how many of them are among these."""

    compared: int = 0
    known: int = 0

    def __add__(self, other: Any) -> "Overlap":
        return Overlap(self.compared + other.compared, self.known + other.known)

    def of_rows(self, n_rows: int) -> int:
        """Return how many rows of a table of `n_rows` rows are known, estimated from those compared."""
        return self.known if self.compared == n_rows else round(n_rows * self.known / max(self.compared, 1))

    def note(self, n_rows: int) -> str | None:
        """Return a sentence about a table of `n_rows` rows, None if none of its rows is known."""
        if not self.known:
            return None
        if self.known == self.compared:
            return (
                f"{'All' if n_rows > 1 else 'The'} {n_rows:,} row{'s' * (n_rows > 1)} {'are' if n_rows > 1 else 'is'} "
                "among the rows that the model has learned from: scores on new rows are lower. The card has those."
            )
        share = f"{self.known:,} of {n_rows:,}"
        if self.compared != n_rows:
            share = f"About {self.known / self.compared:.0%} of the"
        return f"{share} rows are equal to rows that the model has learned from: scores on new rows may be lower."


def hashed_rows(features: NDArray[np.float64], y: NDArray[Any]) -> dict[str, Any]:
    """Return the section `training_rows` of a model file."""
    rows = _bytes(features, y)
    salt = hashlib.blake2b(b"".join(rows), digest_size=16).digest()  # of the table: equal fits give equal files
    hashes = sorted(set(_hashes(rows, salt)))[:_MOST]
    return {"salt": salt.hex(), "rows": len(rows), "hashes": base64.b64encode(b"".join(hashes)).decode()}


def overlap(section: dict[str, Any], features: NDArray[np.float64], y: NDArray[Any]) -> Overlap:
    """Return how many rows can be compared with the training rows, and how many are known."""
    kept = base64.b64decode(section["hashes"])
    known = {kept[place : place + _SIZE] for place in range(0, len(kept), _SIZE)}
    hashes = _hashes(_bytes(features, y), bytes.fromhex(section["salt"]))
    if len(known) == _MOST:
        largest = max(known)
        hashes = [one for one in hashes if one <= largest]
    return Overlap(len(hashes), sum(one in known for one in hashes))


def _bytes(features: NDArray[np.float64], y: NDArray[Any]) -> list[bytes]:
    """Return each row with its target as bytes, independent of how its values were written."""
    plain = np.where(np.isnan(features), np.nan, features + 0.0)  # one kind of NaN, and no negative zero
    targets = [str(float(one)) if isinstance(one, float) else str(one) for one in y.tolist()]
    return [row.tobytes() + target.encode() for row, target in zip(plain, targets, strict=True)]


def _hashes(rows: list[bytes], salt: bytes) -> list[bytes]:
    return [hashlib.blake2b(row, digest_size=_SIZE, key=salt).digest() for row in rows]
