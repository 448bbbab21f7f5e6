"""Several processes that serve the same models on one socket, and the process that starts and watches them."""

import asyncio
import json
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from cogmap.exceptions import CogmapError
from cogmap.serving.access import Access
from cogmap.serving.asgi import Application
from cogmap.serving.bodies import Limits
from cogmap.serving.log import Log
from cogmap.serving.metrics import Samples
from cogmap.serving.models import Models, Options
from cogmap.serving.server import Server, remember_hangups, terminal_exists

_START_TIMEOUT = 120.0  # seconds for a worker to load the models
_STOP_TIMEOUT = 15.0  # seconds for a worker to stop, longer than pending requests may take
_PEER_TIMEOUT = 1.0  # seconds for another worker to send its metrics
_MIN_LIFE = 5.0  # seconds; a worker that ends sooner is started again with a delay
_SIGNALS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


@dataclass(frozen=True)
class Settings:
    """Everything that a process needs to serve.

    Attributes
    ----------
    paths : tuple of str
        Model files, the default one first.
    limits : Limits
        Limits of a request.
    token, token_file : str or None
        See `Access`.
    log : {"json", "text", "off"}
        Format of the log.
    watch : bool
        Whether to load model files again when they change.
    root_path : str
        Path under which a proxy makes the server available.
    """

    paths: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    token: str | None = None
    token_file: str | None = None
    log: str = "text"
    watch: bool = False
    root_path: str = ""

    def application(self) -> Application:
        """Load the models and return the application."""
        access = Access(self.token, self.token_file)
        models = Models.from_files(list(self.paths), Options(self.limits, access.needs_token, self.root_path))
        return Application(models, limits=self.limits, access=access, log=Log(self.log), root_path=self.root_path)


class Workers:
    """Worker processes on one listening socket.

    A worker that ends is replaced. SIGINT and SIGTERM stop all workers after their pending requests; SIGHUP makes each
    of them load its models again. If this process is killed, the workers stop.

    Parameters
    ----------
    settings : Settings
        What to serve.
    listener : socket
        Listening socket.
    n_workers : int
        Number of processes.
    """

    def __init__(self, settings: Settings, listener: socket.socket, n_workers: int) -> None:
        self._settings = settings
        self._listener = listener
        self._context = multiprocessing.get_context("spawn")
        self._folder = tempfile.TemporaryDirectory(prefix="cogmap-")
        self._log = Log(settings.log)
        self._stopping = False
        self._has_terminal = terminal_exists()
        self._workers: dict[int, tuple[Any, Connection, float]] = {}
        for number in range(n_workers):
            self._start(number)
        try:
            for number, (_, line, _) in self._workers.items():
                if not line.poll(_START_TIMEOUT) or not _received(line):
                    raise CogmapError(f"Worker process {number + 1} did not start. See its messages above.")
        except BaseException:
            self._stop()
            raise

    def run(self, hangups: list[int]) -> None:
        """Replace workers that end, until a signal; `hangups` has signals that have come before."""
        handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        previous = {number: signal.signal(number, self._on_signal) for number in handled}
        for number in hangups[:1]:
            self._on_signal(number, None)
        try:
            while not self._stopping:
                ended = wait([process.sentinel for process, _, _ in self._workers.values()], 0.5)
                for number, (process, _, start) in list(self._workers.items()):
                    if process.sentinel in ended and not self._stopping:
                        reason = f"It ended with code {process.exitcode} and is started again."
                        self._log.write(event="worker", worker=number + 1, error=reason)
                        time.sleep(1.0 if time.monotonic() - start < _MIN_LIFE else 0.0)
                        self._start(number)
            self._stop()
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            self._log.flush()

    def _start(self, number: int) -> None:
        ours, theirs = self._context.Pipe()
        arguments = (self._settings, self._listener, self._folder.name, number, theirs)
        process = self._context.Process(target=_work, args=arguments, name=f"cogmap worker {number + 1}", daemon=True)
        process.start()
        theirs.close()
        self._workers[number] = process, ours, time.monotonic()

    def _on_signal(self, number: int, frame: Any) -> None:
        hangup = number == getattr(signal, "SIGHUP", None)
        if hangup and (not self._has_terminal or terminal_exists()):
            for process, _, _ in self._workers.values():
                if process.is_alive():
                    os.kill(process.pid, number)
        else:
            self._stopping = True

    def _stop(self) -> None:
        """Stop all workers, and wait for their pending requests."""
        self._listener.close()
        for process, _, _ in self._workers.values():
            process.terminate()
        end = time.monotonic() + _STOP_TIMEOUT
        for process, _, _ in self._workers.values():
            process.join(max(end - time.monotonic(), 0.1))
            if process.is_alive():
                process.kill()
                process.join()
        self._folder.cleanup()


def _received(line: Connection) -> bool:
    """Return whether a worker has reported that it is ready, and not ended."""
    try:
        return bool(line.recv())
    except EOFError:
        return False


def _work(settings: Settings, listener: socket.socket, folder: str, number: int, line: Connection) -> None:
    """Serve in a worker process."""
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, signal.SIG_DFL)
    hangups = remember_hangups()
    app = settings.application()
    server = Server(app, settings.watch, hangups)
    place = Path(folder, str(number))

    async def send_samples(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps(app.samples()).encode())
        writer.close()

    async def start() -> None:
        place.unlink(missing_ok=True)
        await asyncio.start_unix_server(send_samples, place)
        asyncio.get_running_loop().add_reader(line.fileno(), server.stop)  # the other end is closed
        line.send(True)

    async def others() -> list[Samples]:
        paths = [path for path in Path(folder).iterdir() if path != place]
        return [samples for samples in await asyncio.gather(*map(_samples, paths)) if samples is not None]

    app.other_workers = others
    server.on_start = start
    server.run_on(listener)
    app.log.flush()
    os._exit(0)  # without waiting for threads whose clients have gone


async def _samples(path: Path) -> Samples | None:
    """Return the metrics of another worker, or None if it does not answer."""
    try:
        async with asyncio.timeout(_PEER_TIMEOUT):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                samples: Samples = json.loads(await reader.read())
            finally:
                writer.close()
    except (OSError, TimeoutError, ValueError):  # it has just ended, or is being replaced
        return None
    return samples
