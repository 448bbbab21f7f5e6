"""The command line: one file a command."""

import click

import cogmap
from cogmap.cli.datasets import datasets
from cogmap.cli.reproduce import reproduce


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(cogmap.__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Learn fuzzy cognitive maps from data."""


cli.add_command(datasets)
cli.add_command(reproduce)
