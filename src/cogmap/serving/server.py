"""The HTTP server: listening sockets, limits on connections, timeouts for slow clients, reload and shutdown."""

import asyncio
import gc
import ipaddress
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from cogmap._utils.threads import one_blas_thread
from cogmap.exceptions import ParameterError
from cogmap.serving.access import MAX_HEAD_BYTES
from cogmap.serving.asgi import Application

_TIMEOUT = 30.0  # seconds for a request to arrive, and for a client to resume reading a response
_KEEP_ALIVE = 60  # seconds until an idle connection is closed
_MAX_CONNECTIONS = 1_000
_ACCEPTED_AT_ONCE = 64  # connections that asyncio accepts before it does anything else
_RESERVED_FILES = 64 + 4 * _ACCEPTED_AT_ONCE  # file descriptors for other things, and connections about to be closed
_WANTED_FILES = 4_096
_SHUTDOWN_TIMEOUT = 10  # seconds for pending requests to finish at shutdown
_BACKLOG = 1_024
_SECONDS_BETWEEN_CHECKS = 0.5  # of the model files

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def max_connections() -> int:
    """Return how many connections the limit on open files of the process allows, after raising it if possible."""
    try:
        import resource
    except ImportError:  # Windows
        return _MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return max(min(_MAX_CONNECTIONS, soft - _RESERVED_FILES), 1)


class _Waiting:
    """Connections that wait for their client, the longest waiting first, and the limit on all connections."""

    def __init__(self) -> None:
        self.limit = max_connections()
        self.connections: dict[TimeoutProtocol, None] = {}
        self.on_eviction: Callable[[str], None] = lambda kind: None

    def make_room(self, newcomer: "TimeoutProtocol") -> None:
        """Close the connection that has waited longest, or the new one if all others are being answered."""
        oldest = next(iter(self.connections))
        del self.connections[oldest]
        self.on_eviction("idle" if oldest is not newcomer else "new")
        oldest.transport.abort()


class _Config(uvicorn.Config):
    """Configuration with the state that all connections of a server share."""

    waiting: _Waiting


class TimeoutProtocol(H11Protocol):
    """An HTTP/1.1 connection that times out if the client is slow to send a request or to read a response.

    uvicorn closes idle connections, but waits forever for the rest of a request, and for a client that does not read
    its response. It has no limit on idle connections. (Its other parser, httptools, also accepts headers of any size.)
    The base class is not a public interface of uvicorn: the extra `serve` has an upper bound on its version.
    """

    config: _Config
    request_timeout = _TIMEOUT
    _timer: asyncio.TimerHandle | None = None
    _write_paused = False  # whether the send buffer is full

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the first request, and close another connection if there are too many."""
        super().connection_made(transport)
        self.app_state: dict[str, Any] = {}
        self._set_timer(True)
        self.config.waiting.connections[self] = None
        if len(self.connections) > self.config.waiting.limit:
            self.config.waiting.make_room(self)

    def data_received(self, data: bytes) -> None:
        """Stop the timer if the request is complete."""
        if "received" not in self.app_state or self.conn.their_state is h11.IDLE:
            self.app_state["received"] = time.perf_counter()
        super().data_received(data)
        self._set_timer(self._waits_for_client())
        self._sort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._sort()

    def send_400_response(self, msg: str) -> None:
        """Reject bytes that are not a valid request, as JSON."""
        self.config.waiting.connections.pop(self, None)
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
        elif len(self.conn.trailing_data[0]) > MAX_HEAD_BYTES:
            self._reject(431, f"The request headers must have at most {MAX_HEAD_BYTES:,} bytes.")
        else:
            self._reject(400, "The request is not valid HTTP.")

    def pause_writing(self) -> None:
        """Start the timer for the client to read the response."""
        super().pause_writing()
        self._write_paused = True
        self._set_timer(True)

    def resume_writing(self) -> None:
        """Stop the timer unless a request is incomplete."""
        super().resume_writing()
        self._write_paused = False
        self._set_timer(self._waits_for_client())

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        super().connection_lost(exc)
        self._set_timer(False)
        self.config.waiting.connections.pop(self, None)

    def _waits_for_client(self) -> bool:
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        return self._write_paused or begun or self.conn.their_state is h11.SEND_BODY

    def _set_timer(self, on: bool) -> None:
        """Start the timer if it is not running, or stop it."""
        if on and self._timer is None:
            self._timer = self.loop.call_later(self.request_timeout, self._on_timeout)
        elif not on and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sort(self) -> None:
        """Move the connection to the end of those that wait for their client, or remove it if a request is answered."""
        waiting = self.config.waiting.connections
        waiting.pop(self, None)
        answering = self.cycle is not None and not self.cycle.response_complete
        if (not answering or self.conn.their_state is h11.SEND_BODY) and not self.transport.is_closing():
            waiting[self] = None

    def _on_timeout(self) -> None:
        """Close the connection, after a 408 response if the client can still read one."""
        self._timer = None
        if self.conn.states == {h11.CLIENT: h11.SEND_BODY, h11.SERVER: h11.SEND_RESPONSE} and not self._write_paused:
            self._reject(408, "The request did not arrive in time.")
        else:
            self.transport.abort()

    def _reject(self, status: int, message: str) -> None:
        """Send an error and close the connection."""
        content = json.dumps({"error": message}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(content)))]
        response = h11.Response(status_code=status, headers=[*headers, ("connection", "close")])
        parts = (self.conn.send(event) for event in (response, h11.Data(data=content), h11.EndOfMessage()))
        self.transport.write(b"".join(part or b"" for part in parts))
        self.transport.close()


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def open_listener(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 selects a free port."""
    listener = None
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(host, port, proto=socket.IPPROTO_TCP)[0]
        # asyncio sets TCP_NODELAY, without which small responses are delayed, only if the protocol is given.
        listener = socket.socket(family, kind, protocol)
        if os.name == "posix":  # allow the port of a server that has just stopped
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(target)
        listener.listen(_BACKLOG)
        return listener
    except OSError as error:
        if listener is not None:
            listener.close()
        raise ParameterError(
            f"The server cannot listen on {host}, port {port}: {error.strerror or error}. "
            "Choose another --port, or 0 for a free one."
        ) from None


def address(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """Server of an ASGI application on a listening socket.

    On SIGINT or SIGTERM it stops accepting requests, finishes pending ones and stops. On a second SIGINT it stops at
    once. On SIGHUP an `Application` loads its model files again; if the terminal was closed, the server stops.

    Parameters
    ----------
    app : ASGI application
        The application.
    watch : bool, default=False
        Whether to load model files again when they change.
    hangups : list, default=None
        Signals that have come before, see `remember_hangups`.
    """

    config: _Config
    _next_report = 0.0

    def __init__(self, app: Any, watch: bool = False, hangups: list[int] | None = None) -> None:
        super().__init__(
            config := _Config(
                app,
                http=TimeoutProtocol,
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                log_level="critical",  # everything that uvicorn would log is a mistake of a client
                access_log=False,
                server_header=False,
                proxy_headers=False,
                h11_max_incomplete_event_size=MAX_HEAD_BYTES,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
                backlog=_ACCEPTED_AT_ONCE,
            )
        )
        config.waiting = _Waiting()
        self._app = app if isinstance(app, Application) else None
        self._watch = watch
        self._hangups = [] if hangups is None else hangups
        self._has_terminal = terminal_exists()
        self._reloads: set[asyncio.Task[None]] = set()
        self.on_start: Callable[[], Awaitable[None]] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals by a shutdown or a reload, without raising them again afterwards as uvicorn does."""
        is_main = threading.current_thread() is threading.main_thread()
        handled = [number for number in _SIGNALS if is_main and signal.getsignal(number) is not signal.SIG_IGN]
        previous = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Handle a signal."""
        hangup = sig == getattr(signal, "SIGHUP", None) and self._app is not None
        if hangup and (not self._has_terminal or terminal_exists()):
            self._loop.call_soon_threadsafe(self._start_reload)
        else:
            if self._app is not None:
                self._app.is_stopping = True
            super().handle_exit(sig, frame)

    def stop(self) -> None:
        """Stop as on SIGTERM."""
        self.handle_exit(signal.SIGTERM, None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._on_exception)
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # asyncio has set the much smaller number that it accepts at once
        if self._app is not None:
            metrics, name = self._app.metrics, "cogmap_connections_closed_total"
            self.config.waiting.on_eviction = lambda kind: metrics.count(name, kind=kind)
            self._app.n_connections = lambda: len(self.server_state.connections)
            if self._watch:
                self._reloads.add(self._loop.create_task(self._watch_files(self._app)))
        if self.on_start is not None:
            await self.on_start()
        if self._hangups:
            self._start_reload()

    def run_on(self, listener: socket.socket) -> None:
        """Serve until shutdown."""
        if threading.current_thread() is threading.main_thread():
            gc.collect()
            gc.freeze()  # what exists now stays; going through it again and again would delay requests
            gc.set_threshold(20_000, 20, 20)  # rows are many objects, and none of them is cyclic
        with one_blas_thread():  # entered once, not per request
            self.run(sockets=[listener])

    def _start_reload(self) -> None:
        if self._app is not None:
            task = asyncio.get_running_loop().create_task(self._app.reload())
            self._reloads.add(task)
            task.add_done_callback(self._reloads.discard)

    async def _watch_files(self, app: Application) -> None:
        while not self.should_exit:
            await asyncio.sleep(_SECONDS_BETWEEN_CHECKS)
            if names := app.models.changed():
                await app.reload(names)

    def _on_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log errors of the event loop in one line, and not more often than once per second."""
        now = time.monotonic()
        if self._app is not None and now > self._next_report:
            self._next_report = now + 1.0
            error = context.get("exception")
            self._app.log.write(event="error", error=f"{context.get('message')}: {type(error).__name__}")


def remember_hangups() -> list[int]:
    """Make SIGHUP, which would end the process, fill a list until a server handles it; keep ignoring it under nohup."""
    hangups: list[int] = []
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: hangups.append(number))
    return hangups


def terminal_exists() -> bool:
    """Return whether the process has a terminal that was not closed."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | getattr(os, "O_NOCTTY", 0)))
    except OSError:
        return False
    return True
