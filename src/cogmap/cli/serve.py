"""``cogmap serve``: serve a model over HTTP."""

import os
import sys

import click

from cogmap._utils.optional import import_or_raise
from cogmap.cli.common import command, example, model_argument
from cogmap.cli.errors import Problem
from cogmap.cli.stopping import say

_MIN_TOKEN_LENGTH = 16


@click.command(
    epilog=example(
        "cogmap serve flowers.cogmap",
        "curl http://127.0.0.1:8000/predict --header 'Content-Type: text/csv' --data-binary @new.csv",
    )
)
@model_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 for a free one.",
)
@click.option(
    "--token",
    envvar="COGMAP_TOKEN",
    help="Secret that clients must send; required unless the host is a loopback address.  [env: COGMAP_TOKEN]",
)
@click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Maximum number of rows per request.",
)
def serve(model: str, host: str, port: int, token: str | None, max_rows: int) -> None:
    """Serve a model over HTTP.

    MODEL is a file saved by `cogmap fit`. /predict and /explain take rows as JSON or CSV, / is the interactive page,
    and /docs is the API documentation. Stop the server with Ctrl-C.
    """
    from pathlib import Path

    from cogmap.table.model import TableModel

    with command():
        server = import_or_raise("cogmap.serving.server", "cogmap serve", "serve")
        serving = import_or_raise("cogmap.serving", "cogmap serve", "serve")
        _check_token(token, host, server.is_loopback(host))
        limits = serving.Limits(n_rows=max_rows)
        name = Path(model).name
        app = serving.application(TableModel.load(model).pipeline, title=name, token=token, limits=limits)
        listener = server.open_listener(host, port)
    url = server.address(listener)
    click.echo(f"Serving {name} at {url}; see {url}/docs for the API. Press Ctrl-C to stop.")
    sys.stdout.flush()
    server.Server(app).run_on(listener)
    say("Stopped.")
    os._exit(0)  # without waiting for threads whose clients have gone


def _check_token(token: str | None, host: str, loopback: bool) -> None:
    """Require a token of sufficient length unless the server is reachable from this machine only."""
    cure = "Generate one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
    if token is None:
        if not loopback:
            raise Problem(f"--token (or COGMAP_TOKEN) is required: {host} is not a loopback address. {cure}")
    elif len(token) < _MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        raise Problem(f"--token must be {_MIN_TOKEN_LENGTH} or more printable ASCII characters without spaces. {cure}")
