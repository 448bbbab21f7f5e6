"""``cogmap datasets``: list and describe the datasets of the registry."""

import click

from cogmap._utils.optional import import_or_raise
from cogmap.cli.common import example
from cogmap.cli.errors import told_in_one_line


@click.group()
def datasets() -> None:
    """Show the paper's datasets."""


@datasets.command("list", epilog=example("cogmap datasets list"))
def list_() -> None:
    """List all datasets."""
    with told_in_one_line():
        console = import_or_raise("rich.console", "cogmap datasets", "paper")
        tables = import_or_raise("rich.table", "cogmap datasets", "paper")
    from cogmap.research.datasets import DATASETS

    table = tables.Table("name", "title", "rows", "features", "classes", "source")
    for dataset in DATASETS.values():
        origin = "scikit-learn" if dataset.source == "scikit-learn" else f"{dataset.file}, or downloaded"
        sizes = (str(number) for number in (dataset.n_rows, dataset.n_features, dataset.n_classes))
        table.add_row(dataset.name, dataset.title, *sizes, origin)
    console.Console(width=None if console.Console().is_terminal else 120).print(table)


@datasets.command(epilog=example("cogmap datasets describe wine"))
@click.argument("name")
def describe(name: str) -> None:
    """Show the properties of a dataset."""
    from cogmap.research.datasets import get_dataset

    with told_in_one_line():
        dataset = get_dataset(name)
    facts = {
        "title": dataset.title,
        "rows": dataset.n_rows,
        "features": dataset.n_features,
        "classes": dataset.n_classes,
        "file": dataset.file or "included in scikit-learn",
        "OpenML": dataset.openml_id,
        "licence": dataset.licence,
        "in the paper": dataset.paper_name,
        "excluded identifiers": ", ".join(dataset.identifiers),
        "nominal features": ", ".join(dataset.nominal),
        "dropped by the author's loader": dataset.paper_drops,
    }
    click.echo(dataset.name)
    for fact, value in facts.items():
        if value:
            click.echo(f"  {fact}: {value}")
