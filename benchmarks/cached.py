"""Benchmarks as cached pieces: every result is a row of a folder, and the same command resumes an interrupted run."""

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cogmap._utils.files import write_whole
from cogmap.research.experiments.runner import run_tasks
from cogmap.research.experiments.store import ResultStore, read_results

SEED = 0


@dataclass(frozen=True)
class Piece:
    """One method on one fold of a table: ``measure(dataset, fold, method)`` returns a dict with a ``score``."""

    protocol: str
    dataset: str
    fold: int
    method: str
    measure: Callable[[str, int, str], dict[str, Any]]

    @property
    def keys(self) -> list[tuple[str, int, str]]:
        """Keys of the row."""
        return [(self.dataset, self.fold, self.method)]

    def run(self) -> list[dict[str, Any]]:
        """Return the row; a failure is a row with its error."""
        row: dict[str, Any] = {"dataset": self.dataset, "fold": self.fold, "method": self.method, "error": None}
        try:
            row.update(self.measure(self.dataset, self.fold, self.method))
        except Exception as problem:
            row["error"] = f"{type(problem).__name__}: {problem}"
        row = {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}
        return [{**row, "protocol": self.protocol, "seed": SEED}]


def run(folder: Path, pieces: list[Piece], n_jobs: int) -> None:
    """Run the pieces without a result in the folder, one process per core with one thread each."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    start = time.monotonic()
    with ResultStore(folder, pieces[0].protocol, SEED) as store:
        n_run = run_tasks(store, pieces, n_jobs)
    print(f"{folder}: {n_run} of {len(pieces)} results in {time.monotonic() - start:.0f} s", flush=True)


def read_rows(folder: Path) -> dict[tuple[str, int, str], dict[str, Any]]:
    """Return the successful rows by (dataset, fold, method)."""
    return {(row["dataset"], row["fold"], row["method"]): row for row in read_results(folder) if not row["error"]}


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``summary.json``, the source of figures in the docs."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "summary.json", json.dumps(summary, indent=1, allow_nan=False) + "\n")
