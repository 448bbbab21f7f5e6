"""The server: limits, slow clients, tokens, metrics, and shutdown."""

import base64
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from click.testing import CliRunner

import cogmap
from cogmap.cli.group import cli
from cogmap.serving import Limits, application
from cogmap.serving.metrics import Metrics
from cogmap.serving.server import TimeoutProtocol

from .conftest import Client, running

GOOD = {"rows": [{"age": 40, "member": "yes", "colour": "red", "joined": "2020-05-05"}]}
TOKEN = "a-token-that-is-long-enough"


def head(path, **headers):
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    return "\r\n".join(
        [*lines, *(f"{name.replace('_', '-')}: {text}" for name, text in headers.items()), "", ""]
    ).encode()


def response_on(connection):
    """Read a response from a socket; return its status and body, and whether the connection is closed after it."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, json.loads(response.read()), response.will_close


def is_closed_while_sending(connection, part):
    """Return whether the server closes the connection while a part is sent repeatedly for five seconds."""
    try:
        for _ in range(100):
            time.sleep(0.05)
            connection.sendall(part)
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


def memory(client):
    """Return the resident memory of the server in bytes, from its metrics."""
    text = client.send("GET", "/metrics")[2]
    return int(re.search(r"^process_resident_memory_bytes (\d+)$", text, re.MULTILINE)[1])


def test_body_of_100_megabytes_is_rejected_before_it_is_sent(client):
    """The Content-Length header suffices."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(head("/predict", Content_Length=100_000_000))
        status, answer, _ = response_on(connection)
    assert status == 413
    assert "at most 10,000,000 bytes" in answer["error"]


def test_body_of_100_megabytes_is_not_buffered(client):
    """The client can send all of it, read the error, and send another request."""
    before = memory(client)
    megabyte = b" " * 1_000_000
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(head("/predict", Transfer_Encoding="chunked"))
        for _ in range(100):
            connection.sendall(b"f4240\r\n" + megabyte + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert response_on(connection)[0] == 413
        body = json.dumps(GOOD).encode()
        connection.sendall(head("/predict", Content_Length=len(body)) + body)
        assert response_on(connection)[0] == 200
    assert memory(client) - before < 40_000_000


@pytest.mark.parametrize("path", ["/predict", "/health", "/nothing"])
def test_client_with_connection_close_can_read_the_error(client, path):
    """The server reads the rest of the body before it closes; otherwise the response would be lost."""
    for kind in ("application/json", "text/plain"):
        status, _, text = client.send("POST", path, b" " * 20_000_000, content_type=kind, connection="close")
        assert status in (404, 405, 413, 415)
        assert list(json.loads(text)) == ["error"]


@pytest.mark.parametrize(("path", "length", "status"), [("/predict", 100_000_000, 413), ("/nothing", 10, 404)])
def test_expect_continue_gets_the_error_and_is_closed(client, path, length, status):
    """A client that expects 100 Continue gets the error instead, and sends nothing."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(head(path, Content_Length=length, Expect="100-continue"))
        actual, _, closed = response_on(connection)
    assert (actual, closed) == (status, True)


def test_expect_continue_is_supported(client):
    """A body within the limit gets 100 Continue, then its response."""
    body = json.dumps(GOOD).encode()
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(head("/predict", Content_Length=len(body), Expect="100-continue"))
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert response_on(connection)[0] == 200


def test_total_size_of_bodies_is_limited(table_model, monkeypatch):
    """If too many large bodies arrive at once, the last ones get a 503."""
    monkeypatch.setattr("cogmap.serving.bodies._MAX_BUFFERED_BYTES", 1_500_000)
    with running(application(table_model[0])) as client, contextlib.ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", client.port), 10)) for _ in range(2)]
        for connection in connections:
            connection.sendall(head("/predict", Content_Length=2_000_000) + b" " * 1_000_000)
        statuses = set()
        for connection in connections:
            connection.settimeout(1)
            with contextlib.suppress(TimeoutError):
                statuses.add(response_on(connection)[0])
        assert statuses == {503}
        connections[0].close()
        connections[1].close()
        time.sleep(0.1)
        assert client.post("/predict", GOOD)[0] == 200  # buffers are released


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"POST /predict HT", None),
        (head("/predict")[:-2], None),
        (head("/predict", Content_Length=100) + b'{"rows": [', 408),
        (head("/predict", Transfer_Encoding="chunked") + b"5\r\n{", 408),
    ],
    ids=["nothing", "half a line", "half a head", "half a body", "half a chunk"],
)
def test_slow_requests_time_out(table_model, monkeypatch, sent, status):
    """A client that has begun to send the body gets a 408; others are disconnected or can send another request."""
    monkeypatch.setattr(TimeoutProtocol, "request_timeout", 0.5)
    with running(application(table_model[0])) as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.sendall(sent)
            assert client.post("/predict", GOOD)[0] == 200
            if status is None:
                with contextlib.suppress(ConnectionResetError):
                    assert connection.recv(100) == b""
            else:
                assert response_on(connection)[0] == status
        assert client.post("/predict", GOOD)[0] == 200


def test_dripping_bytes_does_not_extend_the_timeout(table_model, monkeypatch):
    """The timeout covers the whole request."""
    monkeypatch.setattr(TimeoutProtocol, "request_timeout", 0.5)
    with running(application(table_model[0])) as client:
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=10)
        with connection:
            connection.sendall(head("/predict", Content_Length=1000))
            assert is_closed_while_sending(connection, b" ")


def test_client_that_does_not_read_is_disconnected(table_model, monkeypatch):
    """Unread responses do not stay in memory."""
    monkeypatch.setattr(TimeoutProtocol, "request_timeout", 0.5)
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with running(application(table_model[0])) as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request * 200)  # more than the socket buffers hold
            assert is_closed_while_sending(connection, request)
        assert client.post("/predict", GOOD)[0] == 200


def test_large_requests_do_not_block_small_ones(table_model):
    """Single rows are predicted while thousands of rows are explained."""
    limits = Limits(n_explained=10_000)
    with running(application(table_model[0], limits=limits)) as client:
        done = threading.Event()

        def explain_many():
            client.post("/explain", {"rows": GOOD["rows"] * 3000})
            done.set()

        thread = threading.Thread(target=explain_many)
        thread.start()
        n_answered = 0
        while not done.is_set():
            assert client.post("/predict", GOOD)[0] == 200
            n_answered += not done.is_set()
        thread.join()
    assert n_answered > 3


def test_metrics(table_model):
    """Requests by path and status, rows and seconds are exposed in the Prometheus format."""
    with running(application(table_model[0])) as client:
        client.post("/predict", {"rows": GOOD["rows"] * 3})
        client.post("/predict", GOOD)
        client.post("/explain", GOOD)
        client.post("/predict", "nonsense")
        client.send("GET", "/nothing/at/all")
        _, headers, text = client.send("GET", "/metrics")
    assert headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = text.splitlines()
    assert 'cogmap_requests_total{model="model",path="/predict",status="200"} 2' in lines
    assert 'cogmap_requests_total{model="model",path="/predict",status="400"} 1' in lines
    assert 'cogmap_requests_total{model="",path="other",status="404"} 1' in lines
    assert 'cogmap_rows_total{model="model",path="/predict"} 4' in lines
    assert 'cogmap_rows_total{model="model",path="/explain"} 1' in lines
    assert 'cogmap_request_seconds_count{model="model",path="/predict"} 3' in lines
    assert "cogmap_requests_in_flight 1" in lines
    assert re.search(r'^cogmap_waiting_seconds_total{model="model",path="/predict"} 0\.\d', text, re.MULTILINE)
    names = {re.sub(r"_(bucket|sum|count)$", "", re.split(r"[{ ]", line)[0]) for line in lines if line[0] != "#"}
    assert names == {line.split()[2] for line in lines if line.startswith("# TYPE")}


def test_histogram_buckets_include_their_upper_bounds():
    """Buckets are cumulative."""
    metrics = Metrics()
    for seconds in (0.001, 0.0011, 100.0):
        metrics.count_request("model", "/predict", "200", seconds)
    counts = [count for name, count in metrics.samples().items() if "_bucket" in name]
    assert counts == [1] + [2] * 12 + [3]


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        ("Basic " + base64.b64encode(f"anyone:{TOKEN}".encode()).decode(), 200),
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN}x", 401),
        (TOKEN, 401),
        ("Basic nonsense!", 401),
        ("Basic " + base64.b64encode(TOKEN.encode()).decode(), 401),
        ("Digest " + TOKEN, 401),
        ("Bearer \xff\xfe", 401),
    ],
)
def test_authentication(guarded, authorization, status):
    """The token is accepted as bearer token or as password; anything else gets a challenge."""
    headers = {} if authorization is None else {"authorization": authorization}
    for path in ("/openapi.json", "/docs", "/metrics", "/"):
        actual, response_headers, _ = guarded.send("GET", path, **headers)
        assert actual == status
        assert status == 200 or "Bearer" in response_headers["www-authenticate"]
    assert guarded.post("/predict", GOOD, **headers)[0] == status
    assert guarded.send("GET", "/health", **headers)[0] == 200


@pytest.fixture(scope="module")
def guarded(table_model):
    """Client of a server that needs a token."""
    with running(application(table_model[0], token=TOKEN)) as client:
        yield client


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:8000", 200),
        ("[::1]:8000", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:80", 403),
        ("localhost:80.evil.com", 403),
        ("localhost:", 403),
        ("localhost:80:80", 403),
        ("[::1]evil.example", 403),
        ("", 403),
    ],
)
def test_without_a_token_dns_rebinding_is_rejected(client, host, status):
    """Only loopback names are accepted, not other names that resolve to 127.0.0.1."""
    assert client.send("GET", "/health", host=host)[0] == status


@contextlib.contextmanager
def command(*arguments, **settings):
    """Run ``cogmap serve`` in a separate process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cogmap", "serve", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **settings},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def model_file(table_model, tmp_path_factory):
    """File of the pipeline."""
    path = tmp_path_factory.mktemp("served") / "people.cogmap"
    cogmap.save(table_model[0], path)
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_command_serves_until_a_signal(model_file, number):
    """It prints its address; on a signal it finishes pending requests and exits with code 0."""
    # The token comes from the environment, since other users can see the arguments of a process.
    with command(model_file, "--port", 0, "--host", "0.0.0.0", COGMAP_TOKEN=TOKEN) as process:
        line = process.stdout.readline()
        port = int(re.search(r"Serving people\.cogmap at http://0\.0\.0\.0:(\d+)", line)[1])
        client, token = Client(port), {"authorization": f"Bearer {TOKEN}"}
        assert client.post("/predict", GOOD)[0] == 401
        assert client.post("/predict", GOOD, **token)[0] == 200
        assert client.send("GET", "/", **token)[2].lstrip().lower().startswith("<!doctype html>")
        body = json.dumps(GOOD).encode()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(head("/predict", Content_Length=len(body), **token) + body[:-5])
            time.sleep(0.2)
            process.send_signal(number)
            time.sleep(0.3)
            connection.sendall(body[-5:])
            assert response_on(connection)[0] == 200
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "")
    assert [line.split(" ")[4] for line in err.splitlines()[:-1]] == ["status=401", *["status=200"] * 3]
    assert err.endswith("\nStopped.\n")


def error_of(*arguments):
    """Run the command, which must exit with code 2, and return its standard error."""
    result = CliRunner().invoke(cli, ["serve", *map(str, arguments)])
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "is not a loopback address"),
        (["--host", "::"], "is not a loopback address"),
        (["--host", "example.invalid"], "is not a loopback address"),
        (["--token", "short"], "16 or more printable"),
        (["--token", "long enough but with spaces"], "without spaces"),
        (["--host", "no.such.host.invalid", "--token", TOKEN], "cannot listen on no.such.host.invalid"),
        (["--port", "70000"], "70000"),
        (["--max-rows", "0"], "--max-rows"),
        (["--workers", "0"], "--workers"),
        (["--log", "xml"], "--log"),
        (["--root-path", "models"], "--root-path must be a path that begins with /"),
        (["--token-file", "no/such/file"], "token file no/such/file cannot be read: No such file"),
    ],
)
def test_invalid_arguments(model_file, arguments, words):
    """Arguments are validated before the server listens."""
    assert words in error_of(model_file, *arguments)


def test_port_in_use(model_file):
    """One line names the port and the cure."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        message = error_of(model_file, "--port", taken.getsockname()[1])
    assert re.fullmatch(
        r"Error: The server cannot listen on 127\.0\.0\.1, port \d+: .*\. Choose another --port.*\n", message
    )


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 no zip"])
def test_invalid_model_files(tmp_path, content):
    """A missing or damaged file gives an error of one line."""
    path = tmp_path / "model.cogmap"
    if content is not None:
        path.write_bytes(content)
    message = error_of(path)
    assert "model.cogmap" in message
    assert len(message.splitlines()) == 1
