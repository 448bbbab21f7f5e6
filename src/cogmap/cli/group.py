"""The command ``cogmap``, which imports a subcommand only when it is called."""

import click

import cogmap
from cogmap._utils.optional import import_or_raise
from cogmap.cli.errors import told_in_one_line
from cogmap.exceptions import MissingPackageError

# Module of each subcommand, and its line in the help.
COMMANDS = {
    "fit": ("cogmap.cli.fit", "Fit a model that predicts a column of a table."),
    "predict": ("cogmap.cli.predict", "Predict the rows of a table."),
    "evaluate": ("cogmap.cli.evaluate", "Score predictions on a table with known targets."),
    "show": ("cogmap.cli.show", "Show the card of a model."),
    "explain": ("cogmap.cli.explain", "Explain the prediction of a row by the contributions of its columns."),
    "what-if": ("cogmap.cli.what_if", "Find the smallest change to a row that changes its prediction."),
    "explore": ("cogmap.cli.explore", "Write an interactive page for exploring a model."),
    "draw": ("cogmap.cli.draw", "Write a drawing board for maps."),
    "transform": ("cogmap.cli.transform", "Write the features learned by a map."),
    "export": ("cogmap.cli.export", "Export a model or its map to a format of other programs."),
    "forecast": ("cogmap.cli.forecast", "Forecast columns of a table."),
    "drift": ("cogmap.cli.drift", "Compare a table with the training rows of a model."),
    "serve": ("cogmap.cli.serve", "Serve models over HTTP."),
    "map": ("cogmap.cli.map", "Show, convert, combine and compare map files, and compute with them."),
    "datasets": ("cogmap.cli.datasets", "Show the paper's datasets."),
    "reproduce": ("cogmap.cli.reproduce", "Run the paper's experiment and write a report."),
}


class LazyGroup(click.Group):
    """A group that imports a subcommand only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand; None if it does not exist."""
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
        """Run a subcommand; report packages that are not installed in one line."""
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
