"""The HTTP server: listening sockets, timeouts for slow clients, and shutdown."""

import asyncio
import ipaddress
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from cogmap._utils.threads import one_blas_thread
from cogmap.exceptions import ParameterError

_TIMEOUT = 30.0  # seconds for a request to arrive, and for a client to resume reading a response
_KEEP_ALIVE = 60  # seconds until an idle connection is closed
_MAX_CONNECTIONS = 1_000
_SHUTDOWN_TIMEOUT = 10  # seconds for pending requests to finish at shutdown
_BACKLOG = 512

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class TimeoutProtocol(H11Protocol):
    """An HTTP/1.1 connection that times out if the client is slow to send a request or to read a response.

    uvicorn closes idle connections, but waits forever for the rest of a request, and for a client that does not read
    its response. (Its other parser, httptools, also accepts headers of any size.)
    """

    request_timeout = _TIMEOUT
    _timer: asyncio.TimerHandle | None = None
    _write_paused = False  # whether the send buffer is full

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._set_timer(True)

    def data_received(self, data: bytes) -> None:
        """Stop the timer if the request is complete."""
        super().data_received(data)
        self._set_timer(self._waits_for_client())

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

    def _on_timeout(self) -> None:
        """Close the connection, after a 408 response if the client can still read one."""
        self._timer = None
        if self.conn.states == {h11.CLIENT: h11.SEND_BODY, h11.SERVER: h11.SEND_RESPONSE} and not self._write_paused:
            message = b'{"error": "The request did not arrive in time."}'
            headers = [("content-type", "application/json"), ("content-length", str(len(message)))]
            response = h11.Response(status_code=408, headers=[*headers, ("connection", "close")], reason="Timeout")
            parts = (self.conn.send(event) for event in (response, h11.Data(data=message), h11.EndOfMessage()))
            self.transport.write(b"".join(part or b"" for part in parts))
            self.transport.close()
        else:
            self.transport.abort()


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

    On SIGINT, SIGTERM or SIGHUP it stops accepting requests, finishes pending ones and stops. On a second SIGINT it
    stops at once.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=TimeoutProtocol,
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                limit_concurrency=_MAX_CONNECTIONS,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
                backlog=_BACKLOG,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals by a shutdown, without raising them again afterwards as uvicorn does."""
        is_main = threading.current_thread() is threading.main_thread()
        handled = [number for number in _SIGNALS if is_main and signal.getsignal(number) is not signal.SIG_IGN]
        previous = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def run_on(self, listener: socket.socket) -> None:
        """Serve until shutdown."""
        with one_blas_thread():  # entered once, not per request
            self.run(sockets=[listener])
