"""``cogmap reproduce``: run the paper's experiment and write the report."""

import click

from cogmap._utils.optional import import_or_raise
from cogmap.cli.common import example
from cogmap.cli.errors import told_in_one_line

EMBEDDED = ("iris", "wine", "breast_cancer", "digits")  # copied from `research.datasets`, which is slow to import
PROTOCOLS = ("strict", "author", "printed")


@click.command(epilog=example("cogmap reproduce --datasets iris,wine --protocol author --out reproduction"))
@click.option("--datasets", default=",".join(EMBEDDED), show_default=True, help="Comma-separated names, or 'all'.")
@click.option("--methods", default="paper", show_default=True, help="Comma-separated names, 'paper', or 'all'.")
@click.option(
    "--protocol",
    type=click.Choice(PROTOCOLS),
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
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Number of processes; one per core by default.")
@click.option("--seed", type=click.IntRange(0, 2**31), default=123, show_default=True, help="Random seed.")
def reproduce(
    datasets: str, methods: str, protocol: str, out: str, data_dir: str | None, jobs: int | None, seed: int
) -> None:
    """Run the paper's experiment and write a report.

    Each result is saved as soon as it is finished. The same command resumes an interrupted run.
    """
    with told_in_one_line():
        module = import_or_raise("cogmap.cli._reproducing", "cogmap reproduce", "paper")
        module.reproduce(datasets, methods, protocol, out, data_dir, jobs, seed)
