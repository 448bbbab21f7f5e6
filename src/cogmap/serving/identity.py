"""Identity of a served model: which file it comes from, its hash, its training rows and its held-out score."""

import hashlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cogmap import __version__
from cogmap._utils.files import read_limited
from cogmap.exceptions import CogmapError
from cogmap.persistence.archive import MOST_BYTES
from cogmap.table.model import TableModel

_ATTEMPTS = 5  # to load a file that is replaced meanwhile


@dataclass(frozen=True)
class Identity:
    """Identity of a model.

    Attributes
    ----------
    file : str
        Name of the file, or the title of a model without a file.
    hash : str
        SHA-256 of the content of the file; empty without a file.
    saved : str
        Time at which the file was written, in UTC; empty without a file. Model files contain no time, so that equal
        fits give equal files.
    rows : int or None
        Number of training rows, if known.
    score : str
        Held-out score with its name; empty if there is none.
    version : str
        Version of cogmap.
    """

    file: str
    hash: str = ""
    saved: str = ""
    rows: int | None = None
    score: str = ""
    version: str = __version__

    def shown(self, allowed: bool) -> dict[str, Any]:
        """Return what a client may see: all, or without access only the hash and the version."""
        return asdict(self) if allowed else {"hash": self.hash, "version": self.version}

    @cached_property
    def headers(self) -> dict[bool, tuple[bytes, bytes]]:
        """Header of responses, by whether the client has access."""
        return {
            allowed: (
                b"x-cogmap-model",
                "; ".join(
                    f"{name}={quote(str(value), safe=' .:+-±,()')}"
                    for name, value in self.shown(allowed).items()
                    if value not in ("", None)
                ).encode("ascii", "replace"),
            )
            for allowed in (False, True)
        }


def load_model(path: str | Path) -> tuple[TableModel, Identity]:
    """Load a model and its identity from a file; both belong to the same content, even if the file is replaced."""
    path = Path(path)
    for _ in range(_ATTEMPTS):
        before = _digest(path)
        model = TableModel.load(path)
        if _digest(path) == before:
            return model, identity_of(model, path.name, *before)
    raise CogmapError(f"The model {path} is replaced again and again while it is loaded.")


def identity_of(model: TableModel, file: str, digest: str = "", saved: str = "") -> Identity:
    """Return the identity of a model, with its number of training rows and held-out score if they are known."""
    statistics, held_out, score = model.training_statistics_, model.held_out_, ""
    if held_out is not None:
        name, entry = next(iter(held_out["scores"].items()))
        score = f"{name} {entry['mean']:.3f} +- {entry['deviation']:.3f}"
    return Identity(file, digest, saved, None if statistics is None else statistics["rows"], score)


def _digest(path: Path) -> tuple[str, str]:
    """Return the hash of a file and the time at which it was written; empty if it cannot be read."""
    try:
        saved = datetime.fromtimestamp(int(path.stat().st_mtime), UTC).isoformat().replace("+00:00", "Z")
        return hashlib.sha256(read_limited(path, MOST_BYTES)).hexdigest(), saved
    except OSError:  # `TableModel.load` describes the problem
        return "", ""
