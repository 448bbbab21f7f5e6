"""Results on disk: one line per result, written as soon as it is there, safe against being killed at any moment."""

import hashlib
import json
import math
import os
import platform
import sys
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from cogmap._utils.files import open_unfollowed, read_limited, sync_folder, write_whole
from cogmap.exceptions import CogmapError

Row = dict[str, Any]
Key = tuple[str, int, str]  # dataset, fold, method

_PACKAGES = ("cogmap", "numpy", "scipy", "scikit-learn", "joblib", "pandas", "matplotlib")
_NUMBERS = (
    "accuracy", "f1_macro", "log_loss", "calibration_error", "fit_seconds", "train_accuracy", "train_f1_macro",
)  # fmt: skip
# The largest experiment of ours has 2 MB of results; what is far beyond is another file.
_LARGEST_RESULTS = 2**28
_LARGEST_RUN = 2**24
_CHECK = b'"check": "'


class StoreError(CogmapError):
    """The results cannot be read or written."""


class Work(Protocol):
    """A piece of an experiment: what the runner does and the store keeps the rows of."""

    @property
    def keys(self) -> list[Key]:
        """Keys of the rows that it gives."""

    def run(self) -> list[Row]:
        """Do it; what fails becomes a row with its error."""


AnyWork = TypeVar("AnyWork", bound=Work)


class Rows(NamedTuple):
    """What a file of results holds: rows of this run by key, their lines, and the lines that are none."""

    by_key: dict[Key, Row]
    lines: dict[Key, bytes]
    rejected: list[bytes]


@cache
def system_information() -> dict[str, Any]:
    """Return versions of packages and facts about the machine."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "versions": {"python": platform.python_version(), **versions},
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()},
    }


class ResultStore:
    """A folder with ``results.jsonl``, one line per result, and ``run.json``, what was run.

    Nothing in the folder is believed: every line and the file of the run have a checksum, and lines that are no results
    of this run are set aside in ``results.rejected``. Only one run at a time may write to a folder. The lock is the
    operating system's, so it goes away with the process that holds it, however that ends.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    protocol : str
        Name of the protocol; a folder holds the results of one.
    seed : int
        Seed of the run; a folder holds the results of one.

    Attributes
    ----------
    n_rejected : int
        How many lines were set aside when the store was entered.
    """

    def __init__(self, folder: str | os.PathLike[str], protocol: str, seed: int) -> None:
        self.folder = Path(folder)
        self.path = self.folder / "results.jsonl"
        self.n_rejected = 0
        self._protocol, self._seed = protocol, seed
        self._run_is_new = False

    def __enter__(self) -> "ResultStore":
        with ExitStack() as opened:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                # Not emptied: whatever stands there under this name, it only has to be locked.
                lock = os.fdopen(open_unfollowed(self.folder / ".lock", os.O_RDWR | os.O_CREAT), "rb")
                _lock(opened.enter_context(lock), self.folder)
                run = self._check_run()
                self._rows = self._sort_out()
                if self._run_is_new:
                    write_whole(self.folder / "run.json", sealed(run, indent=1))
                self._file = opened.enter_context(self.path.open("ab", buffering=0))
                sync_folder(self.folder)
            except OSError as problem:
                raise StoreError(_cannot_write(self.folder, problem)) from problem
            self._opened = opened.pop_all()  # all went well: they stay open until the end
        return self

    def __exit__(self, *exception: object) -> None:
        self._opened.close()

    def _check_run(self) -> dict[str, Any]:
        """Refuse to mix two experiments in one folder; return what is run, with this command at its end."""
        run = read_run(self.folder)
        if run is None:
            # Without the file of the run, the results themselves tell whose they are.
            found = {(row["protocol"], row["seed"]) for row in _intact_rows(self.folder)}
            ours = (self._protocol, self._seed)
            run = dict(zip(("protocol", "seed"), ours if ours in found or not found else min(found), strict=True))
            run["sessions"] = []
        for name, wanted in (("protocol", self._protocol), ("seed", self._seed)):
            if run[name] != wanted:
                raise StoreError(
                    f"The folder {self.folder} holds results of {name} {run[name]!r}, not {wanted!r}. "
                    "Give another folder with --out."
                )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        words = [os.fsencode(word).decode("utf-8", "backslashreplace") for word in sys.argv[1:]]  # whatever the locale
        session = {"command": words, **system_information()}
        # A command that goes on after a stop is still the same: the file does not grow with every stop.
        if not run["sessions"] or {**run["sessions"][-1], **session} != run["sessions"][-1]:
            run["sessions"].append({"started": now, **session})
            self._run_is_new = True
        return run

    def _sort_out(self) -> Rows:
        """Set aside what is no result of this run, and take away what a later try has replaced."""
        content = _read(self.folder, "results.jsonl", _LARGEST_RESULTS)
        rows = _parse(content, self._protocol, self._seed)
        self.n_rejected = len(rows.rejected)
        if rows.rejected:
            aside = open_unfollowed(self.folder / "results.rejected", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(aside, "ab") as file:
                file.write(b"".join(line + b"\n" for line in rows.rejected))
                file.flush()
                os.fsync(file.fileno())
        kept = b"".join(line + b"\n" for line in rows.lines.values())
        if kept != content:
            write_whole(self.path, kept)
        return rows

    def append(self, rows: list[Row]) -> None:
        """Write rows, and do not return before they are on the disk.

        Of a task that was cut off in the middle of a write some rows are there; those stay as they are.
        """
        new = {_key(row): row for row in rows if not _is_good(self._rows.by_key.get(_key(row)))}
        try:
            content = b"".join(sealed(row) + b"\n" for row in new.values())
        except ValueError as problem:
            raise StoreError(f"A result cannot be written: {problem}. All its numbers must be finite.") from problem
        before = os.fstat(self._file.fileno()).st_size
        try:
            written = 0
            while written < len(content):
                written += self._file.write(content[written:])
            os.fsync(self._file.fileno())
        except OSError as problem:
            with suppress(OSError):  # half a line would be set aside by the next run: better without it
                os.ftruncate(self._file.fileno(), before)
            raise StoreError(_cannot_write(self.folder, problem)) from problem
        self._rows.by_key.update(new)

    def missing(self, tasks: list[AnyWork]) -> list[AnyWork]:
        """Return the tasks of which not all results are there; one that failed is not there."""
        return [task for task in tasks if not all(_is_good(self._rows.by_key.get(key)) for key in task.keys)]

    def failed(self, tasks: list[AnyWork]) -> list[AnyWork]:
        """Return the tasks of which a result is there that says that it failed."""
        rows = self._rows.by_key
        return [task for task in tasks if any(key in rows and not _is_good(rows[key]) for key in task.keys)]


def _lock(file: Any, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; two runs in one folder are then not noticed
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(f"Another run is writing to {folder}. Wait for it to end, or give another folder.") from None


def _cannot_write(folder: Path, problem: OSError) -> str:
    return f"The results cannot be written to {folder}: {problem.strerror or problem}. What was written before is safe."


# --- rows


def sealed(content: dict[str, Any], indent: int | None = None) -> bytes:
    """Return a JSON object as bytes, with a checksum of all that stands before it at its end."""
    text = json.dumps({**content, "check": ""}, indent=indent, allow_nan=False).encode("ascii")
    head, mark, tail = text.rpartition(_CHECK)
    return head + mark + _digest(head) + tail


def unsealed(content: bytes) -> dict[str, Any] | None:
    """Return the object that was sealed, without its checksum, or None if a single byte has changed."""
    head, mark, tail = content.rpartition(_CHECK)
    digest = _digest(head)
    if not mark or tail not in (digest + b'"}', digest + b'"\n}'):
        return None
    try:
        result = json.loads(content.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(result, dict):
        return None
    result.pop("check")
    return result


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:16].encode("ascii")


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _key(row: Row) -> Key:
    return row["dataset"], row["fold"], row["method"]


def _is_good(row: Row | None) -> bool:
    return row is not None and not row["error"]


def _is_row(row: Row | None) -> bool:
    """Tell whether all that the report relies on is there."""
    if row is None:
        return False
    kinds = {"dataset": str, "method": str, "protocol": str, "fold": int, "seed": int}
    if any(type(row.get(name)) is not kind for name, kind in kinds.items()):
        return False
    if "error" not in row or not isinstance(row["error"], str | None):
        return False
    numbers = [row.get(name) for name in _NUMBERS]
    return (bool(row["error"]) or row.get("accuracy") is not None) and all(map(_is_number_or_none, numbers))


def _is_number_or_none(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and math.isfinite(value))


def _parse(content: bytes, protocol: str, seed: int) -> Rows:
    """Sort lines into rows of this run and others; of a result that was made twice, the last, but a good one stays."""
    rows = Rows({}, {}, [])
    for line in content.split(b"\n"):
        row = unsealed(line)
        if row is None or not _is_row(row) or (row["protocol"], row["seed"]) != (protocol, seed):
            if line:
                rows.rejected.append(line)
        elif not _is_good(rows.by_key.get(_key(row))):
            rows.by_key[_key(row)] = row
            rows.lines[_key(row)] = line
    return rows


def _read(folder: Path, name: str, limit: int) -> bytes:
    """Return the content of a file, empty if it is not there."""
    try:
        return read_limited(folder / name, limit)
    except FileNotFoundError:
        return b""
    except OSError as problem:
        raise StoreError(
            f"The file {folder / name} cannot be read: {problem.strerror or problem}. "
            "Move it away, or give another folder with --out."
        ) from problem


def _intact_rows(folder: Path) -> list[Row]:
    """Return all rows in a folder, of whatever run."""
    rows = map(unsealed, _read(folder, "results.jsonl", _LARGEST_RESULTS).split(b"\n"))
    return [row for row in rows if row is not None and _is_row(row)]


def read_results(folder: str | os.PathLike[str]) -> list[Row]:
    """Return all results of the run in a folder, none if there is no run."""
    run = read_run(folder)
    if run is None:
        return []
    content = _read(Path(folder), "results.jsonl", _LARGEST_RESULTS)
    return list(_parse(content, run["protocol"], run["seed"]).by_key.values())


# --- the run


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return what ``run.json`` says was run, or None if there is none."""
    path = Path(folder) / "run.json"
    if not os.path.lexists(path):
        return None
    run = unsealed(_read(path.parent, path.name, _LARGEST_RUN))
    if run is None or not {"protocol", "seed", "sessions"} <= set(run) or not isinstance(run["sessions"], list):
        raise StoreError(
            f"The file {path} is damaged or not ours: its checksum is wrong. Delete it: results say themselves which "
            "run they are of, and the same command writes it anew."
        )
    return run
