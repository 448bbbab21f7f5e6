"""Results on disk: a line a result, written as soon as it is there, safe against being killed at any moment."""

import json
import os
import platform
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cogmap.exceptions import CogmapError
from cogmap.experiments.tasks import Row, Task

_PACKAGES = ("cogmap", "numpy", "scipy", "scikit-learn", "joblib", "pandas", "matplotlib")


class StoreError(CogmapError):
    """The results cannot be read or written."""


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
    """A folder with ``results.jsonl``, a line a result, and ``run.json``, what was run.

    Only one run at a time may write to a folder. The lock is the operating system's, so it goes away with the process
    that holds it, however that ends.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    protocol : str
        Name of the protocol; a folder holds the results of one.
    seed : int
        Seed of the run; a folder holds the results of one.
    """

    def __init__(self, folder: str | os.PathLike[str], protocol: str, seed: int) -> None:
        self.folder = Path(folder)
        self.path = self.folder / "results.jsonl"
        self._protocol, self._seed = protocol, seed

    def __enter__(self) -> "ResultStore":
        with ExitStack() as opened:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                _lock(opened.enter_context((self.folder / ".lock").open("w")), self.folder)
                self._check_run()
                self._cut_torn_line()
                self._file = opened.enter_context(self.path.open("a", encoding="utf-8"))
            except OSError as problem:
                raise StoreError(_cannot_write(self.folder, problem)) from problem
            self._opened = opened.pop_all()  # all went well: they stay open until the end
        return self

    def __exit__(self, *exception: object) -> None:
        self._opened.close()

    def _check_run(self) -> None:
        """Refuse to mix two experiments in one folder; write down what is run."""
        path = self.folder / "run.json"
        now = datetime.now(UTC).isoformat(timespec="seconds")
        run: dict[str, Any] = {"protocol": self._protocol, "seed": self._seed, "sessions": []}
        if path.is_file():
            run = json.loads(path.read_text())
            for name, wanted in (("protocol", self._protocol), ("seed", self._seed)):
                if run[name] != wanted:
                    raise StoreError(
                        f"The folder {self.folder} holds results of {name} {run[name]!r}, not {wanted!r}. "
                        "Give another folder with --out."
                    )
        run["sessions"].append({"started": now, "command": sys.argv[1:], **system_information()})
        write_whole(path, json.dumps(run, indent=1))

    def _cut_torn_line(self) -> None:
        """Cut off what a killed run may have left of a line."""
        if self.path.is_file():
            content = self.path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            if len(whole) < len(content):
                write_whole(self.path, whole.decode())

    def append(self, rows: list[Row]) -> None:
        """Write rows, and do not return before they are on the disk."""
        try:
            self._file.write("".join(json.dumps(row) + "\n" for row in rows))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as problem:
            raise StoreError(_cannot_write(self.folder, problem)) from problem

    def missing(self, tasks: list[Task]) -> list[Task]:
        """Return the tasks of which not all results are there."""
        there = {(row["dataset"], row["fold"], row["method"]) for row in read_results(self.folder)}
        return [
            task for task in tasks if not all((task.dataset, task.fold, method) in there for method in task.methods)
        ]


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


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there either whole or not at all."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise StoreError(_cannot_write(path.parent, problem)) from problem


def read_results(folder: str | os.PathLike[str]) -> list[Row]:
    """Return all results in a folder; of a result that was made twice, the last."""
    path = Path(folder) / "results.jsonl"
    if not path.is_file():
        return []
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue  # torn by a kill; the task is done again
        rows[row["dataset"], row["fold"], row["method"]] = row
    return list(rows.values())
