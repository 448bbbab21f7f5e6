"""The ASGI application: paths, responses, and what is counted and logged about each request."""

import asyncio
import itertools
import json
import re
import secrets
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from cogmap import __version__
from cogmap.serving import metrics as measured
from cogmap.serving.access import Access, check_head
from cogmap.serving.bodies import (
    CSV,
    JSON,
    BodyReader,
    ClientDisconnect,
    Limits,
    Message,
    Receive,
    RequestError,
    level_of,
)
from cogmap.serving.bodies import media_type as media_type_of
from cogmap.serving.documentation import POLICY
from cogmap.serving.log import Log
from cogmap.serving.models import Entry, Models, Options

Scope = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

_MAX_INLINE_BYTES = 32_768  # bodies up to this size are processed in the event loop; larger ones would block it
_THREADS = 2  # for larger bodies; more threads would only wait for each other

_POSTED = {"/predict": "predict", "/explain": "explain", "/what-if": "what-if"}
_OPEN = ("/health", "/ready")  # paths that need no token
_PATHS = frozenset([*_POSTED, *_OPEN, "/", "/docs", "/openapi.json", "/metrics", "/models"])

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")

_NOSNIFF = (b"x-content-type-options", b"nosniff")
_NO_STORE = (b"cache-control", b"no-store")
_PAGE_HEADERS = (_NO_STORE, (b"content-security-policy", b"frame-ancestors 'none'"))
_DOCS_HEADERS = (_NO_STORE, (b"content-security-policy", POLICY.encode()))


def application(
    model: Any, *, title: str = "cogmap", token: str | None = None, limits: Limits | None = None
) -> "Application":
    """Return an ASGI application that serves a model.

    Parameters
    ----------
    model : TableModel, Pipeline, FCMClassifier, FCMClassifierCV or FCMRegressor
        A table model, a pipeline of a `TablePreparer` and an estimator, or a fitted estimator.
    title : str, default="cogmap"
        Name of the model in the API documentation.
    token : str, default=None
        Secret that clients must send, as bearer token or as password of basic authentication. If None, no
        authentication is needed, but the Host header must name the loopback interface (127.0.0.1, localhost), so that
        web pages cannot send requests through a browser (DNS rebinding).
    limits : Limits, default=None
        Limits of a request. If None, the defaults of `Limits`.

    Returns
    -------
    ASGI application
        For uvicorn or any other ASGI server. `cogmap.serving.server.Server` also times out slow clients.

    See Also
    --------
    Limits : Limits of a request.
    cogmap.fit_table : Fit a model that predicts a column of a raw table from the other columns.
    cogmap.load : Load an object saved by `save`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.serving import application
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> app = application(FCMClassifier(random_state=0).fit(X, y))
    """
    limits, access = limits or Limits(), Access(token)
    models = Models.from_object(model, title, Options(limits, access.needs_token))
    return Application(models, limits=limits, access=access)


class Response(NamedTuple):
    """A response."""

    content: bytes
    kind: str = JSON
    status: int = 200
    headers: Headers = ()


class Exchange:
    """A request and what becomes of it, for metrics and log."""

    __slots__ = (
        "allowed", "computing", "entry", "headers", "id", "length", "n_read", "n_rows", "n_sent", "observed_enough",
        "path", "reason", "receive", "received_all", "scope", "start", "status", "target", "waiting",
    )  # fmt: skip

    def __init__(self, scope: Scope, receive: Receive, entry: Entry, number: str) -> None:
        self.scope = scope
        self.start: float = scope.get("state", {}).get("received") or time.perf_counter()
        self.receive = receive
        self.received_all = False
        self.entry = entry
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.allowed = False
        self.status = "closed"
        self.path = self.target = ""
        self.reason = ""
        self.waiting: float | None = None
        self.length = self.n_read = self.n_sent = self.n_rows = 0
        self.computing = 0.0
        self.observed_enough = False
        given = self.headers.get(b"x-request-id")
        self.id = given.decode() if given is not None and _REQUEST_ID.fullmatch(given) else number

    async def read(self) -> Message:
        """Receive the next part of the body."""
        message = await self.receive()
        self.n_read += len(message.get("body", b""))
        self.received_all = not message.get("more_body", False)
        return message


class Application:
    """ASGI application of one or several models.

    Parameters
    ----------
    models : Models
        The models.
    limits : Limits, default=None
        Limits of a request.
    access : Access, default=None
        Tokens. If None, access from this machine only.
    log : Log, default=None
        Log of requests and events. If None, events only.
    root_path : str, default=""
        Path under which a proxy makes the server available; requests may contain it or not.

    Attributes
    ----------
    is_stopping : bool
        Whether the server is about to stop; then ``/ready`` returns 503.
    """

    def __init__(
        self,
        models: Models,
        *,
        limits: Limits | None = None,
        access: Access | None = None,
        log: Log | None = None,
        root_path: str = "",
    ) -> None:
        self.models = models
        self.log = log or Log()
        self.metrics = measured.Metrics()
        self.is_stopping = False
        self.n_connections: Callable[[], int] = lambda: 0
        self.other_workers: Callable[[], Awaitable[list[measured.Samples]]] | None = None
        self._access = access or Access()
        self._root_path = root_path.rstrip("/")
        limits = limits or Limits()
        self._max_rows = {"predict": limits.n_rows, "explain": limits.n_explained, "what-if": limits.n_changed}
        self._bodies = BodyReader(limits.n_bytes)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="cogmap")
        self._numbers = map(f"{secrets.token_hex(4)}-{{:x}}".format, itertools.count(1))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        exchange = Exchange(scope, receive, self.models.default, next(self._numbers))
        self.metrics.n_in_flight += 1
        try:
            try:
                response = await self._respond(exchange)
            except RequestError as error:
                exchange.reason = error.reason
                response = _error(error.status, error.message, error.headers)
            except ClientDisconnect:
                return
            except asyncio.CancelledError:  # the shutdown timeout has passed
                exchange.received_all = True  # do not wait for the rest of the body
                exchange.reason = "The server is shutting down."
                response = _error(503, exchange.reason)
            except Exception as error:
                exchange.reason = _bug(error)
                response = _error(500, "Internal server error; see the log of the server.")
            await self._send(exchange, response, send)
        finally:
            self.metrics.n_in_flight -= 1
            if exchange.status == "closed":
                self._count(exchange)
            if exchange.observed_enough:  # after the response, to delay no one
                self._threads.submit(exchange.entry.observed.fold)
            if self.log.has_requests or exchange.status == "500":
                self._write_line(exchange)

    async def reload(self, names: list[str] | None = None) -> None:
        """Load models again from their files, in another thread."""
        for result in await asyncio.get_running_loop().run_in_executor(None, self.models.reload, names):
            self.metrics.count("cogmap_reloads_total", model=result.name, result=result.result)
            self.log.write(
                event="reload", model=result.name, result=result.result, hash=result.hash, error=result.reason
            )

    def samples(self) -> measured.Samples:
        """Return the metrics of this process."""
        entries = self.models.entries
        result = self.metrics.samples() | {"cogmap_connections": self.n_connections()}
        for name, entry in entries.items():
            labels = {key: str(value) for key, value in entry.identity.shown(True).items() if value is not None}
            result[measured.sample("cogmap_model_info", model=name, kind=entry.served.kind, **labels)] = 1
            result |= entry.observed.samples()
        return result

    async def _respond(self, exchange: Exchange) -> Response:
        """Return the response to a request."""
        scope, headers = exchange.scope, exchange.headers
        path = exchange.target = self._path(scope)
        if path.startswith("/models/"):
            name, slash, rest = path[8:].partition("/")
            entry = self.models.entries.get(name) if slash else None
            path = "" if entry is None else f"/{rest}"
            exchange.entry = entry or exchange.entry
        exchange.path = path if path in _PATHS else "other"
        exchange.allowed = self._access.is_allowed(headers)
        if not exchange.allowed and path not in _OPEN:
            challenge = {"WWW-Authenticate": 'Bearer, Basic realm="cogmap"'}
            raise RequestError(401, "The Authorization header must be 'Bearer <token>'.", headers=challenge)
        exchange.length = check_head(headers, _head_size(scope))
        method = scope["method"]
        if path in _POSTED:
            if method != "POST":
                raise RequestError(405, "This path supports POST only.", headers={"Allow": "POST"})
            return await self._answer(exchange, _POSTED[path])
        if exchange.path == "other":
            listing = "/models lists all models" if exchange.target.startswith("/models/") else "/docs lists all paths"
            raise RequestError(404, f"There is no such path; {listing}.")
        if method not in ("GET", "HEAD"):
            raise RequestError(405, "This path supports GET only.", headers={"Allow": "GET, HEAD"})
        return await self._get(exchange, path)

    async def _answer(self, exchange: Exchange, question: str) -> Response:
        """Read the body, and compute the answer in the event loop if that is quick, else in another thread."""
        kind = media_type_of(exchange.headers)
        if question == "what-if" and kind != JSON:
            raise RequestError(415, f"The Content-Type header must be {JSON}, got {CSV!r}.")
        body = await self._bodies.read(exchange.read, exchange.length)
        try:
            if question == "predict" and kind == JSON and len(body) <= _MAX_INLINE_BYTES:
                content = self._compute(exchange, question, body, kind)
            else:
                loop = asyncio.get_running_loop()
                content = await loop.run_in_executor(self._threads, self._compute, exchange, question, body, kind)
        finally:
            self._bodies.release(body)
        return Response(content)

    def _compute(self, exchange: Exchange, question: str, body: bytearray, kind: str) -> bytes:
        """Return the answer to a body as JSON text."""
        begin = time.perf_counter()
        exchange.waiting = begin - exchange.start
        try:
            level = level_of(exchange.scope.get("query_string", b"")) if question == "predict" else None
            answer = exchange.entry.served.answer(question, body, kind, self._max_rows[question], level)
            exchange.n_rows = len(answer.predictions.labels)
            exchange.observed_enough = exchange.entry.observed.add(answer.predictions)
            return answer.content
        finally:
            exchange.computing = time.perf_counter() - begin

    async def _get(self, exchange: Exchange, path: str) -> Response:
        """Return the response to a path that takes no rows."""
        entry, entries = exchange.entry, self.models.entries
        if path in ("/health", "/ready", "/models"):
            identities = {name: one.identity.shown(exchange.allowed) for name, one in entries.items()}
            if path == "/models":
                return Response(json.dumps({"default": self.models.default.name, "models": identities}).encode())
            stopping = path == "/ready" and self.is_stopping
            content = {"status": "stopping" if stopping else "ok", "version": __version__, "models": identities}
            return Response(json.dumps(content).encode(), JSON, 503 if stopping else 200, (_NO_STORE,))
        if path == "/metrics":
            others = await self.other_workers() if self.other_workers is not None else []
            text = measured.text(measured.merged([self.samples(), *others]))
            return Response(text.encode(), measured.MEDIA_TYPE, headers=(_NO_STORE,))
        if path == "/openapi.json":
            return Response(entry.document, headers=(_NO_STORE,))
        if path == "/docs":
            return Response(entry.docs, "text/html; charset=utf-8", headers=_DOCS_HEADERS)
        page = await asyncio.get_running_loop().run_in_executor(self._threads, entry.page)
        return Response(page, "text/html; charset=utf-8", headers=_PAGE_HEADERS)

    def _path(self, scope: Scope) -> str:
        """Return the path without the root path of the proxy, or of an application in which this one is mounted."""
        path: str = scope["path"]
        for root in (scope.get("root_path", ""), self._root_path):
            if root and path.startswith(f"{root}/"):
                path = path[len(root) :]
        return path

    async def _send(self, exchange: Exchange, response: Response, send: Send) -> None:
        """Send a response, and receive the rest of the request."""
        exchange.status = str(response.status)
        exchange.n_sent = len(response.content)
        self._count(exchange)
        headers = [
            (b"content-type", response.kind.encode()),
            (b"content-length", str(len(response.content)).encode()),
            _NOSNIFF,
            exchange.entry.identity.headers[exchange.allowed],
            (b"x-request-id", exchange.id.encode()),
            *response.headers,
        ]
        expects = not exchange.received_all and b"expect" in exchange.headers
        if expects:
            # The client waits for "100 Continue" and will not send the body: its next request would be taken for it.
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        body: Message = {"type": "http.response.body", "body": response.content}
        if not exchange.received_all and not expects:
            # Closing a connection while the client still sends would lose the response.
            await send({**body, "more_body": True})
            while not exchange.received_all:
                await exchange.read()
            body = {"type": "http.response.body"}
        await send(body)

    def _count(self, exchange: Exchange) -> None:
        model = exchange.entry.name if exchange.path in _POSTED else ""
        n_rows = exchange.n_rows if exchange.status == "200" else 0
        seconds = time.perf_counter() - exchange.start
        self.metrics.count_request(model, exchange.path, exchange.status, seconds, exchange.computing, n_rows)

    def _write_line(self, exchange: Exchange) -> None:
        answered = exchange.path in _POSTED
        self.log.write(
            id=exchange.id,
            method=exchange.scope["method"],
            path=exchange.target,
            status=int(exchange.status) if exchange.status.isdigit() else exchange.status,
            model=exchange.entry.identity.hash[:12] if answered else None,
            rows=exchange.n_rows if answered else None,
            ms=round(1e3 * (time.perf_counter() - exchange.start), 3),
            waiting_ms=None if exchange.waiting is None else round(1e3 * exchange.waiting, 3),
            computing_ms=None if exchange.waiting is None else round(1e3 * exchange.computing, 3),
            bytes_in=exchange.n_read,
            bytes_out=exchange.n_sent,
            error=exchange.reason,
        )


def _head_size(scope: Scope) -> int:
    """Return the number of bytes of the request line and the headers."""
    line = len(scope.get("raw_path") or scope["path"]) + len(scope.get("query_string", b""))
    return line + sum([len(name) + len(value) + 4 for name, value in scope["headers"]])


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    pairs = tuple(
        (name.lower().encode(), value.encode("latin-1", "replace")) for name, value in (headers or {}).items()
    )
    return Response(json.dumps({"error": message}).encode(), JSON, status, pairs)


def _bug(error: Exception) -> str:
    """Describe an internal error for the log, without its message, which may contain values of rows."""
    frames = traceback.extract_tb(sys.exc_info()[2])[-4:]
    places = " > ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames)
    return f"A bug in cogmap: {type(error).__name__} at {places}"
