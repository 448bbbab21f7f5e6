"""``cogmap serve``: serve models over HTTP."""

import os
import sys

import click

from cogmap._utils.optional import import_or_raise
from cogmap.cli.common import command, example
from cogmap.cli.errors import Problem
from cogmap.cli.stopping import say


@click.command(
    epilog=example(
        "cogmap serve flowers.cogmap",
        "curl http://127.0.0.1:8000/predict --header 'Content-Type: text/csv' --data-binary @new.csv",
    )
)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
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
    "--token-file",
    metavar="FILE",
    envvar="COGMAP_TOKEN_FILE",
    help="File with one accepted token per line, read again when it changes.  [env: COGMAP_TOKEN_FILE]",
)
@click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Maximum number of rows per request.",
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Number of processes that serve."
)
@click.option("--watch", is_flag=True, help="Load a model again when its file is replaced, as on SIGHUP.")
@click.option(
    "--log",
    type=click.Choice(["json", "text", "off"]),
    default="text",
    show_default=True,
    help="Format of the lines about requests on standard error.",
)
@click.option(
    "--root-path", metavar="PATH", default="", help="Path under which a proxy makes the server available, as /flowers."
)
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    token: str | None,
    token_file: str | None,
    max_rows: int,
    workers: int,
    watch: bool,
    log: str,
    root_path: str,
) -> None:
    """Serve models over HTTP.

    Each MODEL is a file saved by `cogmap fit`. /predict and /explain take rows as JSON or CSV, / is the interactive
    page, and /docs is the API documentation, all of the first model; /models/NAME/predict asks the one in NAME.cogmap.
    Stop the server with Ctrl-C; SIGHUP loads the models again.
    """
    from pathlib import Path

    with command():
        server = import_or_raise("cogmap.serving.server", "cogmap serve", "serve")
        serving = import_or_raise("cogmap.serving.workers", "cogmap serve", "serve")
        if token is None and token_file is None and not server.is_loopback(host):
            cure = "Generate one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
            raise Problem(f"--token (or COGMAP_TOKEN) is required: {host} is not a loopback address. {cure}")
        if root_path and (not root_path.startswith("/") or not root_path.isascii() or not root_path.isprintable()):
            raise Problem(f"--root-path must be a path that begins with /, got {root_path!r}.")
        if workers > 1 and os.name != "posix":
            raise Problem("--workers needs Linux or macOS; start several servers behind a proxy instead.")
        limits = serving.Limits(n_rows=max_rows)
        settings = serving.Settings(models, limits, token, token_file, log, watch, root_path.rstrip("/"))
        app = settings.application()
        listener = server.open_listener(host, port)
        crew = serving.Workers(settings, listener, workers) if workers > 1 else None
    hangups = server.remember_hangups()
    url = server.address(listener)
    names = ", ".join(Path(model).name for model in models)
    click.echo(f"Serving {names} at {url}; see {url}/docs for the API. Press Ctrl-C to stop.")
    sys.stdout.flush()
    if crew is None:
        server.Server(app, watch, hangups).run_on(listener)
    else:
        crew.run(hangups)
    app.log.flush()
    say("Stopped.")
    os._exit(0)  # without waiting for threads whose clients have gone
