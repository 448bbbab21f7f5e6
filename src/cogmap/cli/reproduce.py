"""``cogmap reproduce``: run the paper's experiment, and write the report."""

import time
from pathlib import Path

import click
from joblib import cpu_count
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cogmap.cli.errors import Problem, told_in_one_line
from cogmap.datasets import EMBEDDED, load_dataset
from cogmap.experiments.protocols import PROTOCOLS
from cogmap.experiments.rivals import PAPER_RIVALS
from cogmap.experiments.runner import run_tasks
from cogmap.experiments.store import ResultStore
from cogmap.experiments.tasks import METHODS, Task, dataset_names, make_tasks
from cogmap.report import write_report


def _check_data(datasets: list[str], protocol: str, data_dir: str | None) -> None:
    """Read every dataset once, so that a missing or damaged file is told before anything is written."""
    rules = PROTOCOLS[protocol]
    for name in datasets:
        load_dataset(name, rules.form, data_dir, rules.resizing)


def _run(store: ResultStore, tasks: list[Task], jobs: int, console: Console) -> None:
    """Do the tasks, with a bar that moves by their expected cost, so that the time left is near the truth."""
    missing = store.missing(tasks)
    if len(missing) < len(tasks):
        console.print(f"{len(tasks) - len(missing)} of {len(tasks)} results are there already.")
    columns = [
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=True),
    ]  # fmt: skip
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("running", total=round(sum(task.cost for task in missing)))
        done = 0.0

        def after_task(task: Task, rows: list[dict]) -> None:
            nonlocal done
            done += task.cost
            failed = [row["method"] for row in rows if row["error"]]
            if failed:
                progress.console.print(f"{task.dataset}, fold {task.fold}: {', '.join(failed)} failed; see the report")
            progress.update(bar, completed=round(done), description=f"{task.dataset}, {task.method}")

        run_tasks(store, missing, jobs, after_task)
        progress.update(bar, description="done")


@click.command()
@click.option("--datasets", default=",".join(EMBEDDED), show_default=True, help="Names with commas between, or 'all'.")
@click.option("--methods", default="paper", show_default=True, help="Names with commas between, 'paper', or 'all'.")
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="strict",
    show_default=True,
    help="Folds, columns and settings.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default="reproduction",
    show_default=True,
    help="Folder for results and report.",
)
@click.option(
    "--data-dir", type=click.Path(), envvar="COGMAP_DATA", help="Folder with the data files.  [env: COGMAP_DATA]"
)
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Number of processes; all cores by default.")
@click.option("--seed", type=int, default=123, show_default=True, help="For everything that is drawn at random.")
def reproduce(
    datasets: str, methods: str, protocol: str, out: str, data_dir: str | None, jobs: int | None, seed: int
) -> None:
    """Run the paper's experiment and write a report.

    Every finished result is on disk at once: stop it at any moment, and the same command goes on where it was.
    """
    console = Console(width=None if Console().is_terminal else 110)
    chosen = {"paper": ["fcm", *PAPER_RIVALS], "all": list(METHODS)}.get(methods, methods.split(","))
    start = time.perf_counter()
    with told_in_one_line():
        tasks = make_tasks(dataset_names(datasets), chosen, protocol, seed, data_dir)
        if not tasks:
            raise Problem("There is nothing to do: give at least one dataset and one method.")
        _check_data(sorted({task.dataset for task in tasks}), protocol, data_dir)
        try:
            with ResultStore(out, protocol, seed) as store:
                _run(store, tasks, jobs or cpu_count(), console)
                report = write_report(Path(out), data_dir)
        except KeyboardInterrupt:
            raise Problem(f"Stopped. Finished results are in {out}; the same command goes on from there.") from None
    console.print(f"Done in {time.perf_counter() - start:.0f} s. The report is {report}")
