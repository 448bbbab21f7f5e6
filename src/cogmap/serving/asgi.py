"""The ASGI application: routes, authentication, and error responses."""

import asyncio
import base64
import binascii
import hmac
import json
import logging
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cogmap import __version__
from cogmap.exceptions import CogmapError
from cogmap.page import html
from cogmap.serving.answers import ServedModel
from cogmap.serving.bodies import CSV, JSON, BodyReader, Limits, RequestError, media_type, parse_rows
from cogmap.serving.description import openapi
from cogmap.serving.documentation import POLICY, documentation
from cogmap.serving.metrics import MEDIA_TYPE as METRICS
from cogmap.serving.metrics import Metrics
from cogmap.table.model import TableModel

_MAX_INLINE_BYTES = 32_768  # bodies up to this size are processed in the event loop; larger ones would block it
_THREADS = 2  # for larger bodies; more threads would only wait for each other

_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")  # values of the Host header that are accepted without a token

_NO_STORE = {"Cache-Control": "no-store"}

_encoder = json.JSONEncoder(allow_nan=False)
_log = logging.getLogger("cogmap.serving")


def application(
    model: Any, *, title: str = "cogmap", token: str | None = None, limits: Limits | None = None
) -> ASGIApp:
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.serving import application
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> app = application(FCMClassifier(random_state=0).fit(X, y))
    """
    limits = limits or Limits()
    served = ServedModel(TableModel.of(model))
    metrics = Metrics(__version__, served.kind)
    document = openapi(served, limits, title, token is not None)
    endpoints = _Endpoints(model, served, limits, metrics)
    health = {"status": "ok", "version": __version__, "kind": served.kind}
    docs = _response(documentation(document), "text/html", headers=_NO_STORE | {"Content-Security-Policy": POLICY})
    routes = [
        Route("/predict", endpoints.predict, methods=["POST"]),
        Route("/explain", endpoints.explain, methods=["POST"]),
        Route("/what-if", endpoints.what_if, methods=["POST"]),
        Route("/metrics", endpoints.metrics, methods=["GET"]),
        Route("/", endpoints.page, methods=["GET"]),
        Route("/health", _response(json.dumps(health), JSON, headers=_NO_STORE), methods=["GET"]),
        Route("/openapi.json", _response(json.dumps(document), JSON, headers=_NO_STORE), methods=["GET"]),
        Route("/docs", docs, methods=["GET"]),
    ]
    handlers: Any = {
        RequestError: _handle_request_error,
        HTTPException: _handle_http_exception,
        Exception: _handle_exception,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return _Guard(app, metrics, token, frozenset(route.path for route in routes))


class _Endpoints:
    """Endpoints whose responses are computed on request."""

    def __init__(self, model: Any, served: ServedModel, limits: Limits, metrics: Metrics) -> None:
        self._model = model
        self._served = served
        self._limits = limits
        self._metrics = metrics
        self._bodies = BodyReader(limits.n_bytes)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="cogmap")
        self._page: bytes | None = None
        self._page_lock = asyncio.Lock()

    async def predict(self, request: Request) -> Response:
        """Return predictions."""
        return await self._respond(request, "predict", self._limits.n_rows)

    async def explain(self, request: Request) -> Response:
        """Return predictions with contributions."""
        return await self._respond(request, "explain", self._limits.n_explained)

    async def what_if(self, request: Request) -> Response:
        """Return counterfactuals."""
        if media_type(request) != JSON:
            raise RequestError(415, f"The Content-Type header must be {JSON}, got {CSV!r}.")
        return await self._respond(request, "what-if", self._limits.n_changed)

    async def page(self, request: Request) -> Response:
        """Return the interactive page, built on first request because large maps take a while."""
        async with self._page_lock:
            if self._page is None:
                loop = asyncio.get_running_loop()
                try:
                    self._page = (await loop.run_in_executor(self._threads, html, self._model)).encode()
                except CogmapError as error:
                    raise RequestError(404, f"This model has no page: {error}") from None
        policy = {"Content-Security-Policy": "frame-ancestors 'none'"}
        return _response(self._page, "text/html", headers=_NO_STORE | policy)

    async def metrics(self, request: Request) -> Response:
        """Return the metrics; `async`, so that it runs in the thread of the event loop, which updates them."""
        return _response(self._metrics.text(), METRICS, headers=_NO_STORE)

    async def _respond(self, request: Request, question: str, max_rows: int) -> Response:
        """Read the body, and compute the answer in the event loop if that is quick, else in another thread."""
        kind = media_type(request)
        body = await self._bodies.read(request)
        try:
            if question == "predict" and len(body) <= _MAX_INLINE_BYTES:
                content, n_rows = self._answer(body, kind, question, max_rows)
            else:
                loop = asyncio.get_running_loop()
                content, n_rows = await loop.run_in_executor(
                    self._threads, self._answer, body, kind, question, max_rows
                )
        finally:
            self._bodies.release(body)
        self._metrics.count_rows(request.scope["path"], n_rows)
        return _response(content, JSON)

    def _answer(self, body: bytearray, kind: str, question: str, max_rows: int) -> tuple[str, int]:
        """Return the answer to a body as JSON text, and its number of rows."""
        rows, options = parse_rows(body, kind, max_rows)
        return _encoder.encode(self._served.answer(question, rows, options, typed=kind == JSON)), len(rows)


class _Guard:
    """Middleware that authenticates and counts requests, and keeps the details of internal errors from clients."""

    def __init__(self, app: ASGIApp, metrics: Metrics, token: str | None, paths: frozenset[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._token = None if token is None else token.encode()
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        start, status, received_all = time.perf_counter(), "closed", False

        async def tracked_receive() -> Message:
            nonlocal received_all
            message = await receive()
            received_all = not message.get("more_body", False)
            return message

        def count() -> None:
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.count_request(path, status, time.perf_counter() - start)

        async def tracked_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
                count()
                if not received_all and _expects_continue(scope):
                    # The client will not send the body, and its next request would be taken for it.
                    message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            elif not received_all and not message.get("more_body", False) and not _expects_continue(scope):
                # Closing a connection while the client still sends would lose the response.
                await send({**message, "more_body": True})
                while not received_all:
                    await tracked_receive()
                message = {"type": "http.response.body"}
            await send(message)

        try:
            denial = self._denial(scope)
            await (denial or self._app)(scope, tracked_receive, tracked_send)
        except ClientDisconnect:
            pass
        except asyncio.CancelledError:  # the shutdown timeout has passed
            if status == "closed":
                received_all = True  # do not wait for the rest of the body
                await _error_response(503, "The server is shutting down.")(scope, receive, tracked_send)
        except Exception:  # `_handle_exception` has sent the response
            _log.exception("A request failed because of a bug in cogmap.")
        finally:
            if status == "closed":
                count()

    def _denial(self, scope: Scope) -> Response | None:
        """Return the error response to a request without access, or None."""
        headers = {name: value for name, value in scope["headers"] if name in (b"authorization", b"host")}
        if self._token is None:
            host = headers.get(b"host", b"").decode("latin-1")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name.lower() not in _LOOPBACK_HOSTS:
                return _error_response(
                    403, "The Host header must be 127.0.0.1 or localhost for a server without a token."
                )
        elif scope["path"] != "/health" and not _has_token(headers.get(b"authorization", b""), self._token):
            challenge = {"WWW-Authenticate": 'Bearer, Basic realm="cogmap"'}
            return _error_response(401, "The Authorization header must be 'Bearer <token>'.", challenge)
        return None


def _expects_continue(scope: Scope) -> bool:
    """Return whether the client waits for ``100 Continue`` before it sends the body."""
    return any(name == b"expect" for name, _ in scope["headers"])


def _has_token(authorization: bytes, token: bytes) -> bool:
    """Return whether an Authorization header has the token, compared in constant time against timing attacks."""
    scheme, _, credentials = authorization.partition(b" ")
    if scheme.lower() == b"basic":  # browsers ask for a user and a password
        try:
            credentials = base64.b64decode(credentials, validate=True).partition(b":")[2]
        except binascii.Error:
            credentials = b""
    return scheme.lower() in (b"basic", b"bearer") and hmac.compare_digest(credentials.strip(), token)


def _response(content: str | bytes, kind: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(content, status, {"X-Content-Type-Options": "nosniff", **(headers or {})}, kind)


def _error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return _response(json.dumps({"error": message}), JSON, status, headers)


async def _handle_request_error(request: Request, error: Any) -> Response:
    return _error_response(error.status_code, error.detail, error.headers)


async def _handle_exception(request: Request, error: Exception) -> Response:
    return _error_response(500, "Internal server error; see the log of the server.")


async def _handle_http_exception(request: Request, error: Any) -> Response:
    """Respond to unknown paths and methods."""
    if error.status_code == 405:
        headers = dict(error.headers or {})
        return _error_response(405, f"This path supports {headers.get('Allow', 'other methods')} only.", headers)
    return _error_response(error.status_code, "There is no such path; /docs lists all paths.", error.headers)
