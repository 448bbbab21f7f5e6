"""Run the paper's experiment with a progress bar, for ``cogmap reproduce``."""

import os
import time
from pathlib import Path

from joblib import cpu_count
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Task as Bar
from rich.text import Text

from cogmap.cli.errors import Problem
from cogmap.cli.stopping import Stopped, say, stoppable
from cogmap.exceptions import DataError
from cogmap.research.datasets import load_dataset, missing_files
from cogmap.research.experiments.protocols import PROTOCOLS
from cogmap.research.experiments.published import author_results
from cogmap.research.experiments.runner import run_tasks
from cogmap.research.experiments.store import ResultStore
from cogmap.research.experiments.tasks import Task, dataset_names, make_tasks, method_names
from cogmap.research.report import write_report


class _TimeLeft(TimeRemainingColumn):
    """Estimated time left, empty when the run is finished."""

    def render(self, task: Bar) -> Text:
        return Text("") if task.finished else super().render(task) + Text(" left")


def _check_data(datasets: list[str], protocol: str, data_dir: str | None) -> None:
    """Load every dataset once, so that missing or damaged files are reported before anything is written."""
    folder = data_dir or os.environ.get("COGMAP_DATA", "")
    missing = missing_files(datasets, data_dir) if Path(folder).is_dir() else []
    if len(missing) > 1:
        raise DataError(
            f"The data folder {folder} is missing {len(missing)} files: {', '.join(missing)}. Add them, or choose "
            "other datasets with --datasets."
        )
    rules = PROTOCOLS[protocol]
    for name in datasets:
        load_dataset(name, rules.form, data_dir, rules.resizing)
    author_results(data_dir)


def _run(store: ResultStore, tasks: list[Task], jobs: int, console: Console) -> None:
    """Run the missing tasks, with a progress bar weighted by their expected cost to estimate the time left."""
    if store.n_rejected:
        console.print(
            f"{store.n_rejected} lines of results.jsonl are damaged or belong to another run; "
            "they were moved to results.rejected."
        )
    missing, failed = store.missing(tasks), store.failed(tasks)
    if len(missing) < len(tasks):
        console.print(f"{len(tasks) - len(missing)} of {len(tasks)} results already exist.")
    if failed:
        console.print(f"Retrying {len(failed)} of {len(tasks)} results, which failed before.")
    columns = [
        TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[count]} tasks"),
        TimeElapsedColumn(), _TimeLeft(),
    ]  # fmt: skip
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("running", total=sum(task.cost for task in missing), count=f"0/{len(missing)}")
        n_done = n_failed = 0

        def after_task(task: Task, rows: list[dict]) -> None:
            nonlocal n_done, n_failed
            n_done += 1
            failed = [row["method"] for row in rows if row["error"]]
            n_failed += len(failed)
            if failed:
                progress.console.print(f"{task.dataset}, fold {task.fold}: {', '.join(failed)} failed; see the report")
            elif rows[0].get("notes"):  # notes of pipelines are in the report
                notes = "; ".join(rows[0]["notes"])
                progress.console.print(f"{task.dataset}, fold {task.fold}, {task.method}: {notes}")
            label = f"{task.dataset}, {task.method}"
            progress.update(bar, advance=task.cost, count=f"{n_done}/{len(missing)}", description=label)

        run_tasks(store, missing, jobs, after_task)
        # Rounding errors in the sum of costs might leave the bar just short of its end.
        progress.update(bar, total=1, completed=1, description="done")
    if n_failed:
        console.print(f"{n_failed} results failed; run the same command to retry them.")


def reproduce(
    datasets: str, methods: str, protocol: str, out: str, data_dir: str | None, jobs: int | None, seed: int
) -> None:
    """Run the experiment and write the report."""
    # Names of folders and methods may contain brackets and colons, which must not be read as markup or emoji.
    console = Console(
        width=None if Console().is_terminal else 110, markup=False, emoji=False, highlight=False, soft_wrap=True
    )
    start = time.perf_counter()
    tasks = make_tasks(dataset_names(datasets), method_names(methods), protocol, seed, data_dir)
    if not tasks:
        raise Problem("There is nothing to do: give at least one dataset and one method.")
    _check_data(sorted({task.dataset for task in tasks}), protocol, data_dir)
    try:
        with stoppable(), ResultStore(out, protocol, seed) as store:
            _run(store, tasks, jobs or cpu_count(), console)
            report = write_report(Path(out), data_dir)
    except Stopped as stopped:
        say(f"Stopped. Finished results are in {out}; run the same command to resume.")
        raise SystemExit(stopped.exit_code) from None
    console.print(f"Done in {time.perf_counter() - start:.0f} s. The report is {report}")
