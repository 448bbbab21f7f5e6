"""``cogmap serve``: a model over HTTP."""

import os
import sys

import click

from cogmap._utils.optional import import_or_raise
from cogmap.cli.common import command, example, model_argument
from cogmap.cli.errors import Problem
from cogmap.cli.stopping import say

_LONG_ENOUGH = 16  # characters of a token


@click.command(
    epilog=example(
        "cogmap serve flowers.cogmap",
        "curl http://127.0.0.1:8000/predict --header 'Content-Type: text/csv' --data-binary @new.csv",
    )
)
@model_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port to listen on; 0 for any."
)
@click.option(
    "--token",
    envvar="COGMAP_TOKEN",
    help="What clients have to show; needed for any host but this machine itself.  [env: COGMAP_TOKEN]",
)
@click.option("--max-rows", type=click.IntRange(min=1), default=10_000, show_default=True, help="Rows of a request.")
def serve(model: str, host: str, port: int, token: str | None, max_rows: int) -> None:
    """Serve a model over HTTP.

    MODEL is a file that `cogmap fit` has saved; it is served until Ctrl-C. /predict and /explain answer rows of JSON or
    CSV, / is the interactive page, and /docs says all the rest.
    """
    from pathlib import Path

    from cogmap.table.model import TableModel

    with command():
        server = import_or_raise("cogmap.serving.server", "cogmap serve", "serve")
        serving = import_or_raise("cogmap.serving", "cogmap serve", "serve")
        _check_token(token, host, server.is_loopback(host))
        limits = serving.Limits(n_rows=max_rows)
        name = Path(model).name
        app = serving.application(TableModel.open(model).pipeline, title=name, token=token, limits=limits)
        listener = server.listening(host, port)
    where = server.address(listener)
    click.echo(f"{name} is served at {where}; {where}/docs says how. Ctrl-C stops it.")
    sys.stdout.flush()
    server.Server(app).run_on(listener)
    say("Stopped.")
    os._exit(0)  # work that nobody waits for any more is left


def _check_token(token: str | None, host: str, loopback: bool) -> None:
    """Refuse to be open to others without a token worth the name."""
    cure = "Make one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
    if token is None:
        if not loopback:
            raise Problem(f"Others can reach {host}, so that --token is needed (or COGMAP_TOKEN). {cure}")
    elif len(token) < _LONG_ENOUGH or not token.isascii() or not token.isprintable() or " " in token:
        raise Problem(f"--token must be {_LONG_ENOUGH} or more letters, digits and signs without spaces. {cure}")
