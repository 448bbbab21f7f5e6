"""The command ``cogmap``, whose subcommands are imported when they are called."""

import click

import cogmap
from cogmap._utils.optional import import_or_raise
from cogmap.cli.errors import told_in_one_line
from cogmap.exceptions import MissingPackageError

# Where each subcommand is, and its line in the help.
COMMANDS = {
    "fit": ("cogmap.cli.fit", "Learn from a table to predict one of its columns."),
    "predict": ("cogmap.cli.predict", "Predict the rows of a table."),
    "evaluate": ("cogmap.cli.evaluate", "Say how good predictions are where the truth is known."),
    "show": ("cogmap.cli.show", "Show the card of a model."),
    "explain": ("cogmap.cli.explain", "Say what led to the prediction of a row."),
    "what-if": ("cogmap.cli.what_if", "Find what would change the prediction of a row."),
    "explore": ("cogmap.cli.explore", "Write an interactive page for exploring a model."),
    "transform": ("cogmap.cli.transform", "Write the features that a map has learned."),
    "export": ("cogmap.cli.export", "Write a model or its map for other programs."),
    "serve": ("cogmap.cli.serve", "Serve a model over HTTP."),
    "map": ("cogmap.cli.map", "Look at files of maps, and convert them."),
    "datasets": ("cogmap.cli.datasets", "Show the paper's datasets."),
    "reproduce": ("cogmap.cli.reproduce", "Run the paper's experiment and write a report."),
}


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        extra = "paper" if cmd_name in ("datasets", "reproduce") else "cli"
        try:
            module = import_or_raise(COMMANDS[cmd_name][0], f"cogmap {cmd_name}", extra)
        except MissingPackageError as missing:
            raise click.ClickException(str(missing)) from None
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a subcommand; packages that it imports and that are not installed are told in one line."""
        with told_in_one_line():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(cogmap.__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Learn fuzzy cognitive maps from data."""
