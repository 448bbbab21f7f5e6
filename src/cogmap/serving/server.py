"""The server: where it listens, how long it waits for clients, and how it stops."""

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

_PATIENCE = 30.0  # seconds in which a request has to arrive, and in which a client has to go on reading its answer
_IDLE = 60  # seconds for which a connection is kept between requests
_MOST_CONNECTIONS = 1_000
_STOPPING = 10  # seconds that requests may still take when the server is told to stop
_BACKLOG = 512

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class TimeoutProtocol(H11Protocol):
    """A connection whose client is waited for, but not for ever.

    uvicorn closes connections on which nothing is asked, but waits without end for the rest of a request that has
    begun, and for a client that does not take its answer. (Its other parser also takes heads of any size.)
    """

    patience = _PATIENCE
    _timer: asyncio.TimerHandle | None = None
    _full = False  # whether the client has to take something before more is sent

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait(True)

    def data_received(self, data: bytes) -> None:
        """Wait on, if the request is not whole."""
        super().data_received(data)
        self._wait(self._is_waiting())

    def pause_writing(self) -> None:
        """Wait until the client has taken what was sent."""
        super().pause_writing()
        self._full = True
        self._wait(True)

    def resume_writing(self) -> None:
        """Go on sending."""
        super().resume_writing()
        self._full = False
        self._wait(self._is_waiting())

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        super().connection_lost(exc)
        self._wait(False)

    def _is_waiting(self) -> bool:
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        return self._full or begun or self.conn.their_state is h11.SEND_BODY

    def _wait(self, waiting: bool) -> None:
        """Start the timer or stop it, unless it is as it should be."""
        if waiting and self._timer is None:
            self._timer = self.loop.call_later(self.patience, self._give_up)
        elif not waiting and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        """Close the connection, with a word if that can still be heard."""
        self._timer = None
        if self.conn.states == {h11.CLIENT: h11.SEND_BODY, h11.SERVER: h11.SEND_RESPONSE} and not self._full:
            message = b'{"error": "The request has not arrived in time."}'
            headers = [("content-type", "application/json"), ("content-length", str(len(message)))]
            response = h11.Response(status_code=408, headers=[*headers, ("connection", "close")], reason="Timeout")
            parts = (self.conn.send(event) for event in (response, h11.Data(data=message), h11.EndOfMessage()))
            self.transport.write(b"".join(part or b"" for part in parts))
            self.transport.close()
        else:
            self.transport.abort()


def is_loopback(host: str) -> bool:
    """Whether a host can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    listener = None
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, proto=socket.IPPROTO_TCP)[0]
        # asyncio sends small answers without delay only on sockets that name their protocol.
        listener = socket.socket(family, kind, protocol)
        if os.name == "posix":  # the port of a server that has just ended is free
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(_BACKLOG)
        return listener
    except OSError as problem:
        if listener is not None:
            listener.close()
        raise ParameterError(
            f"The server cannot listen on {host}, port {port}: {problem.strerror or problem}. "
            "Give another --port, 0 for any that is free."
        ) from None


def address(listener: socket.socket) -> str:
    """Return where a socket listens, as a browser wants it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """Serves an application on a socket that listens, until it is told to stop.

    At SIGINT or SIGTERM it takes no more requests, answers those that it has, and ends. At a second SIGINT it ends at
    once.
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
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_keep_alive=_IDLE,
                timeout_graceful_shutdown=_STOPPING,
                backlog=_BACKLOG,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Be told to stop by signals, which do nothing else."""
        here = threading.current_thread() is threading.main_thread()
        heard = [number for number in _SIGNALS if here and signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle_exit) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def run_on(self, listener: socket.socket) -> None:
        """Serve, and return when it has stopped."""
        with one_blas_thread():  # held once for all requests
            self.run(sockets=[listener])
