"""Crash-safe storage of results: one line per result, written to disk immediately."""

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
    "accuracy", "f1_macro", "log_loss", "calibration_error", "fit_seconds", "train_accuracy", "train_f1_macro", "score",
)  # fmt: skip
# The largest experiment has 2 MB of results; a much larger file is not a result file.
_MAX_RESULTS_BYTES = 2**28
_MAX_RUN_BYTES = 2**24
_CHECK = b'"check": "'


class StoreError(CogmapError):
    """Results cannot be read or written."""


class TaskLike(Protocol):
    """Interface of a task: the runner runs it, and the store keeps its rows."""

    @property
    def keys(self) -> list[Key]:
        """Keys of the rows that the task returns."""

    def run(self) -> list[Row]:
        """Run the task; a failure is returned as a row with its error."""


AnyTask = TypeVar("AnyTask", bound=TaskLike)


class ParsedResults(NamedTuple):
    """Content of a results file: rows of the run by key, their lines, and the rejected lines."""

    by_key: dict[Key, Row]
    lines: dict[Key, bytes]
    rejected: list[bytes]


@cache
def system_information() -> dict[str, Any]:
    """Return package versions and a description of the machine."""
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
    """A folder with ``results.jsonl``, one line per result, and ``run.json``, a description of the run.

    The store validates everything it reads: every line and ``run.json`` have a checksum, and lines that are not valid
    results of this run are moved to ``results.rejected``. Only one run at a time may write to a folder. The operating
    system releases the lock when the process that holds it ends, for whatever reason.

    Parameters
    ----------
    folder : path
        Folder of the results; created if it does not exist.
    protocol : str
        Name of the protocol; a folder holds the results of one protocol.
    seed : int
        Seed of the run; a folder holds the results of one seed.

    Attributes
    ----------
    n_rejected : int
        Number of lines rejected when the store was entered.
    """

    def __init__(self, folder: str | os.PathLike[str], protocol: str, seed: int) -> None:
        self.folder = Path(folder)
        self.path = self.folder / "results.jsonl"
        self.n_rejected = 0
        self._protocol, self._seed = protocol, seed
        self._run_is_new = False

    def __enter__(self) -> "ResultStore":
        with ExitStack() as stack:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                # Open without truncating: an existing file of this name only needs to be locked.
                lock = os.fdopen(open_unfollowed(self.folder / ".lock", os.O_RDWR | os.O_CREAT), "rb")
                _lock(stack.enter_context(lock), self.folder)
                run = self._check_run()
                self._results = self._clean_up()
                if self._run_is_new:
                    write_whole(self.folder / "run.json", with_checksum(run, indent=1))
                self._file = stack.enter_context(self.path.open("ab", buffering=0))
                sync_folder(self.folder)
            except OSError as problem:
                raise StoreError(_cannot_write(self.folder, problem)) from problem
            self._open_files = stack.pop_all()  # success: keep the files open until __exit__
        return self

    def __exit__(self, *exception: object) -> None:
        self._open_files.close()

    def _check_run(self) -> dict[str, Any]:
        """Return the description of the run with this command appended; refuse to mix two experiments in a folder."""
        run = read_run(self.folder)
        if run is None:
            # Without run.json, infer the run from the results.
            stored = {(row["protocol"], row["seed"]) for row in _valid_rows(self.folder)}
            ours = (self._protocol, self._seed)
            run = dict(zip(("protocol", "seed"), ours if ours in stored or not stored else min(stored), strict=True))
            run["sessions"] = []
        for name, expected in (("protocol", self._protocol), ("seed", self._seed)):
            if run[name] != expected:
                raise StoreError(
                    f"The folder {self.folder} holds results of {name} {run[name]!r}, not {expected!r}. "
                    "Give another folder with --out."
                )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        command = [os.fsencode(word).decode("utf-8", "backslashreplace") for word in sys.argv[1:]]  # for any locale
        session = {"command": command, **system_information()}
        # Do not record the command again if it only resumes, so that the file does not grow with each interruption.
        if not run["sessions"] or {**run["sessions"][-1], **session} != run["sessions"][-1]:
            run["sessions"].append({"started": now, **session})
            self._run_is_new = True
        return run

    def _clean_up(self) -> ParsedResults:
        """Move lines that are not results of this run to another file, and remove replaced results."""
        content = _read(self.folder, "results.jsonl", _MAX_RESULTS_BYTES)
        rows = _parse(content, self._protocol, self._seed)
        self.n_rejected = len(rows.rejected)
        if rows.rejected:
            rejected = open_unfollowed(self.folder / "results.rejected", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(rejected, "ab") as file:
                file.write(b"".join(line + b"\n" for line in rows.rejected))
                file.flush()
                os.fsync(file.fileno())
        kept = b"".join(line + b"\n" for line in rows.lines.values())
        if kept != content:
            write_whole(self.path, kept)
        return rows

    def append(self, rows: list[Row]) -> None:
        """Write rows, and return only after they are on disk.

        Rows already stored by a task that was interrupted during a write are kept.
        """
        new = {_key(row): row for row in rows if not _succeeded(self._results.by_key.get(_key(row)))}
        try:
            content = b"".join(with_checksum(row) + b"\n" for row in new.values())
        except ValueError as problem:
            raise StoreError(f"A result cannot be written: {problem}. All its numbers must be finite.") from problem
        before = os.fstat(self._file.fileno()).st_size
        try:
            written = 0
            while written < len(content):
                written += self._file.write(content[written:])
            os.fsync(self._file.fileno())
        except OSError as problem:
            with suppress(OSError):  # remove a partial line, which the next run would reject
                os.ftruncate(self._file.fileno(), before)
            raise StoreError(_cannot_write(self.folder, problem)) from problem
        self._results.by_key.update(new)

    def missing(self, tasks: list[AnyTask]) -> list[AnyTask]:
        """Return the tasks without a successful result for every key."""
        return [task for task in tasks if not all(_succeeded(self._results.by_key.get(key)) for key in task.keys)]

    def failed(self, tasks: list[AnyTask]) -> list[AnyTask]:
        """Return the tasks with a failed result."""
        rows = self._results.by_key
        return [task for task in tasks if any(key in rows and not _succeeded(rows[key]) for key in task.keys)]


def _lock(file: Any, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows, where two runs in one folder are not detected
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(f"Another run is writing to {folder}. Wait for it to end, or use another folder.") from None


def _cannot_write(folder: Path, problem: OSError) -> str:
    return f"Results cannot be written to {folder}: {problem.strerror or problem}. Everything written before is safe."


# --- rows


def with_checksum(content: dict[str, Any], indent: int | None = None) -> bytes:
    """Encode a dict as JSON bytes that end with a checksum of the preceding bytes."""
    text = json.dumps({**content, "check": ""}, indent=indent, allow_nan=False).encode("ascii")
    head, mark, tail = text.rpartition(_CHECK)
    return head + mark + _digest(head) + tail


def without_checksum(content: bytes) -> dict[str, Any] | None:
    """Decode the result of `with_checksum`; return None if a single byte has changed."""
    head, mark, tail = content.rpartition(_CHECK)
    digest = _digest(head)
    if not mark or tail not in (digest + b'"}', digest + b'"\n}'):
        return None
    try:
        result = json.loads(content.decode("ascii"), parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(result, dict):
        return None
    result.pop("check")
    return result


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:16].encode("ascii")


def _reject_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a finite number")


def _key(row: Row) -> Key:
    return row["dataset"], row["fold"], row["method"]


def _succeeded(row: Row | None) -> bool:
    return row is not None and not row["error"]


def _is_row(row: Row | None) -> bool:
    """Return whether a row has all fields that the report needs."""
    if row is None:
        return False
    kinds = {"dataset": str, "method": str, "protocol": str, "fold": int, "seed": int}
    if any(type(row.get(name)) is not kind for name, kind in kinds.items()):
        return False
    if "error" not in row or not isinstance(row["error"], str | None):
        return False
    numbers = [row.get(name) for name in _NUMBERS]
    scored = row.get("accuracy") is not None or row.get("score") is not None
    return (bool(row["error"]) or scored) and all(map(_is_number_or_none, numbers))


def _is_number_or_none(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and math.isfinite(value))


def _parse(content: bytes, protocol: str, seed: int) -> ParsedResults:
    """Parse the lines of a run; of repeated results, keep the first successful one, or else the last."""
    rows = ParsedResults({}, {}, [])
    for line in content.split(b"\n"):
        row = without_checksum(line)
        if row is None or not _is_row(row) or (row["protocol"], row["seed"]) != (protocol, seed):
            if line:
                rows.rejected.append(line)
        elif not _succeeded(rows.by_key.get(_key(row))):
            rows.by_key[_key(row)] = row
            rows.lines[_key(row)] = line
    return rows


def _read(folder: Path, name: str, limit: int) -> bytes:
    """Return the content of a file; empty if it does not exist."""
    try:
        return read_limited(folder / name, limit)
    except FileNotFoundError:
        return b""
    except OSError as problem:
        raise StoreError(
            f"The file {folder / name} cannot be read: {problem.strerror or problem}. "
            "Move the file, or use another folder with --out."
        ) from problem


def _valid_rows(folder: Path) -> list[Row]:
    """Return all valid rows in a folder, of any run."""
    rows = map(without_checksum, _read(folder, "results.jsonl", _MAX_RESULTS_BYTES).split(b"\n"))
    return [row for row in rows if row is not None and _is_row(row)]


def read_results(folder: str | os.PathLike[str]) -> list[Row]:
    """Return all results of the run in a folder; empty if there is no run."""
    run = read_run(folder)
    if run is None:
        return []
    content = _read(Path(folder), "results.jsonl", _MAX_RESULTS_BYTES)
    return list(_parse(content, run["protocol"], run["seed"]).by_key.values())


# --- the run


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return the content of ``run.json``, or None if the file does not exist."""
    path = Path(folder) / "run.json"
    if not os.path.lexists(path):
        return None
    run = without_checksum(_read(path.parent, path.name, _MAX_RUN_BYTES))
    if run is None or not {"protocol", "seed", "sessions"} <= set(run) or not isinstance(run["sessions"], list):
        raise StoreError(
            f"The file {path} is damaged or from another program: its checksum is wrong. Delete it: the same command "
            "restores it from the results."
        )
    return run
