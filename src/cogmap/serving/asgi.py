"""The ASGI application: paths, who may ask, and what becomes of mistakes."""

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
from cogmap.serving.answers import Served
from cogmap.serving.bodies import JSON, Bodies, Limits, Problem, media_type, rows_in
from cogmap.serving.description import openapi
from cogmap.serving.documentation import POLICY, documentation
from cogmap.serving.metrics import MEDIA_TYPE as METRICS
from cogmap.serving.metrics import Metrics
from cogmap.table.model import TableModel

_AT_ONCE = 32_768  # bytes of a body that is worked on in the event loop, where larger ones would hold up the others
_THREADS = 2  # for the larger ones; more would only wait for each other

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")  # names in the header Host under which a loopback server is asked

_FRESH = {"Cache-Control": "no-store"}

_encoder = json.JSONEncoder(allow_nan=False)
_log = logging.getLogger("cogmap.serving")


def application(
    model: Any, *, title: str = "cogmap", token: str | None = None, limits: Limits | None = None
) -> ASGIApp:
    """Make an ASGI application that serves a model.

    Parameters
    ----------
    model : TableModel, Pipeline, FCMClassifier, FCMClassifierCV or FCMRegressor
        A table model, a pipeline of a `TablePreparer` and an estimator, or a fitted estimator.
    title : str, default="cogmap"
        How the model is called in its documentation.
    token : str, default=None
        What clients have to show, as bearer token or as the password of basic authentication. None asks for nothing,
        and answers only under the names of this machine for itself (127.0.0.1, localhost), so that no web page can make
        a browser ask in its place.
    limits : Limits, default=None
        How much a request may ask for.

    Returns
    -------
    ASGI application
        For uvicorn, or any other server. `cogmap.serving.server.Server` also sees to clients that are slow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.serving import application
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> app = application(FCMClassifier(random_state=0).fit(X, y))
    """
    limits = limits or Limits()
    subject = Served(TableModel.of(model))
    metrics = Metrics(__version__, subject.kind)
    document = openapi(subject, limits, title, token is not None)
    paths = _Paths(model, subject, limits, metrics)
    health = {"status": "ok", "version": __version__, "kind": subject.kind}
    docs = _answer(documentation(document), "text/html", headers=_FRESH | {"Content-Security-Policy": POLICY})
    routes = [
        Route("/predict", paths.predict, methods=["POST"]),
        Route("/explain", paths.explain, methods=["POST"]),
        Route("/what-if", paths.what_if, methods=["POST"]),
        Route("/metrics", paths.metrics, methods=["GET"]),
        Route("/", paths.page, methods=["GET"]),
        Route("/health", _answer(json.dumps(health), JSON, headers=_FRESH), methods=["GET"]),
        Route("/openapi.json", _answer(json.dumps(document), JSON, headers=_FRESH), methods=["GET"]),
        Route("/docs", docs, methods=["GET"]),
    ]
    handlers: Any = {Problem: _refused, HTTPException: _not_here, Exception: _failed}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return _Guard(app, metrics, token, frozenset(route.path for route in routes))


class _Paths:
    """The paths at which the model answers."""

    def __init__(self, model: Any, subject: Served, limits: Limits, metrics: Metrics) -> None:
        self._model = model
        self._subject = subject
        self._limits = limits
        self._metrics = metrics
        self._bodies = Bodies(limits.n_bytes)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="cogmap")
        self._page: bytes | None = None
        self._drawing = asyncio.Lock()

    async def predict(self, request: Request) -> Response:
        """Answer with predictions."""
        return await self._answered(request, "predict", self._limits.n_rows)

    async def explain(self, request: Request) -> Response:
        """Answer with contributions."""
        return await self._answered(request, "explain", self._limits.n_explained)

    async def what_if(self, request: Request) -> Response:
        """Answer with counterfactuals."""
        if media_type(request) != JSON:
            raise Problem(415, f"The body of this request must be {JSON}.")
        return await self._answered(request, "what-if", self._limits.n_changed)

    async def page(self, request: Request) -> Response:
        """Answer with the interactive page, made when it is first asked for: of a wide map that takes a while."""
        async with self._drawing:
            if self._page is None:
                loop = asyncio.get_running_loop()
                try:
                    self._page = (await loop.run_in_executor(self._threads, html, self._model)).encode()
                except CogmapError as problem:
                    raise Problem(404, f"This model has no page: {problem}") from None
        return _answer(self._page, "text/html", headers=_FRESH | {"Content-Security-Policy": "frame-ancestors 'none'"})

    async def metrics(self, request: Request) -> Response:
        """Answer with what was counted; not in another thread, since this one counts."""
        return _answer(self._metrics.text(), METRICS, headers=_FRESH)

    async def _answered(self, request: Request, question: str, most: int) -> Response:
        """Read the body, and answer here or in another thread."""
        kind = media_type(request)
        body = await self._bodies.read(request)
        try:
            if question == "predict" and len(body) <= _AT_ONCE:
                content, n_rows = self._content(body, kind, question, most)
            else:
                loop = asyncio.get_running_loop()
                content, n_rows = await loop.run_in_executor(self._threads, self._content, body, kind, question, most)
        finally:
            self._bodies.release(body)
        self._metrics.computed(request.scope["path"], n_rows)
        return _answer(content, JSON)

    def _content(self, body: bytearray, kind: str, question: str, most: int) -> tuple[str, int]:
        """Return the answer to a body, as JSON, and its number of rows."""
        rows, options = rows_in(body, kind, most)
        return _encoder.encode(self._subject.answer(question, rows, options, typed=kind == JSON)), len(rows)


class _Guard:
    """Around the application: lets in who may, counts, and lets nothing out of what goes wrong inside."""

    def __init__(self, app: ASGIApp, metrics: Metrics, token: str | None, paths: frozenset[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._token = None if token is None else token.encode()
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        start, status, whole = time.perf_counter(), "closed", False

        async def heard() -> Message:
            nonlocal whole
            message = await receive()
            whole = not message.get("more_body", False)
            return message

        def count() -> None:
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.answered(path, status, time.perf_counter() - start)

        async def noticed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
                count()
                if not whole and _waits(scope):
                    # The body will not be sent, and what comes next would be taken for it.
                    message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            elif not whole and not message.get("more_body", False) and not _waits(scope):
                # To close a connection on which something still comes would take away the answer from the client.
                await send({**message, "more_body": True})
                while not whole:
                    await heard()
                message = {"type": "http.response.body"}
            await send(message)

        try:
            refused = self._refused(scope)
            await (refused or self._app)(scope, heard, noticed)
        except ClientDisconnect:
            pass
        except asyncio.CancelledError:  # the server stops, and has waited long enough
            if status == "closed":
                whole = True  # what still comes is not waited for
                await _error(503, "The server stops.")(scope, receive, noticed)
        except Exception:  # has been answered, by `_failed`
            _log.exception("A request failed: this is a mistake in cogmap.")
        finally:
            if status == "closed":
                count()

    def _refused(self, scope: Scope) -> Response | None:
        headers = {name: value for name, value in scope["headers"] if name in (b"authorization", b"host")}
        if self._token is None:
            host = headers.get(b"host", b"").decode("latin-1")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name.lower() not in _LOOPBACK:
                return _error(403, "Without a token the server answers only to 127.0.0.1 and localhost.")
        elif scope["path"] != "/health" and not _shown(headers.get(b"authorization", b""), self._token):
            challenge = {"WWW-Authenticate": 'Bearer, Basic realm="cogmap"'}
            return _error(401, "The header Authorization must be 'Bearer' and the token.", challenge)
        return None


def _waits(scope: Scope) -> bool:
    """Whether the client sends no body before it is asked to."""
    return any(name == b"expect" for name, _ in scope["headers"])


def _shown(authorization: bytes, token: bytes) -> bool:
    """Whether a header shows the token; how long that takes does not tell how much of it is right."""
    scheme, _, given = authorization.partition(b" ")
    if scheme.lower() == b"basic":  # browsers ask for a user and a password
        try:
            given = base64.b64decode(given, validate=True).partition(b":")[2]
        except binascii.Error:
            given = b""
    return scheme.lower() in (b"basic", b"bearer") and hmac.compare_digest(given.strip(), token)


def _answer(content: str | bytes, kind: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(content, status, {"X-Content-Type-Options": "nosniff", **(headers or {})}, kind)


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return _answer(json.dumps({"error": message}), JSON, status, headers)


async def _refused(request: Request, problem: Any) -> Response:
    return _error(problem.status_code, problem.detail, problem.headers)


async def _failed(request: Request, problem: Exception) -> Response:
    return _error(500, "Something is wrong in the server; its log says what.")


async def _not_here(request: Request, problem: Any) -> Response:
    """Answer to paths and methods that there are not."""
    if problem.status_code == 405:
        allowed = dict(problem.headers or {})
        return _error(405, f"This path takes {allowed.get('Allow', 'another method')} only.", allowed)
    return _error(problem.status_code, "There is no such path; /docs says which there are.", problem.headers)
